// The invariants of two endpoints over time (section 15.7): a ledger of what they sent, what was
// dropped on the way, what was placed and what was completed.
//
// For a pair of endpoints with one connection between them. Sides are 0 and 1.
#ifndef METAROCE_MODEL_INVARIANTS_LEDGER_H_
#define METAROCE_MODEL_INVARIANTS_LEDGER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "model/connection/outbound.h"
#include "model/endpoint/endpoint.h"
#include "model/wire/packet/packet.h"
#include "spec/tables.h"

namespace metaroce::invariants {

// What became of an epoch of a send path, and what was sent in it.
struct EpochCount {
  uint8_t epoch = 0;
  uint64_t data = 0;     // DATA packets
  uint64_t rtx = 0;      // of them with `rtx`
  uint64_t moved = 0;    // of them with `moved` and without `rtx`
  uint64_t dropped = 0;  // of them on the way
  // The reason in the PATH_OPEN that began the epoch after this one; of the last one, its own.
  spec::OpenReason ended = spec::OpenReason::kAdded;
};

class Ledger {
 public:
  // False once packets of an epoch may overtake each other or arrive twice: then copies are not
  // held against drops.
  bool fifo = true;

  void Posted(int side, const WorkRequest& work) {
    sides_[side].posted[work.stream].push_back(work);
  }
  // A packet left `side`, whose connection is in state `c` at that moment.
  absl::Status Sent(int side, const endpoint::Connection& c, const packet::Packet& packet,
                    bool dropped);
  // `packet` is processed by `side` from now on; null: the step is over.
  void Processes(int side, const packet::Packet* packet) { sides_[side].packet = packet; }
  absl::Status Placed(int side, uint64_t address, packet::Bytes data);
  absl::Status Completed(int side, const endpoint::WorkDone& done);

  // Both ends are quiescent: what must hold then of the epochs that `c`, the connection of `side`,
  // still lives in, and of what was moved.
  absl::Status Quiescent(int side, const endpoint::Connection& c) const;

  // The epochs of a path in the order in which they began; the last one may be live.
  const std::vector<EpochCount>& Epochs(int side, uint8_t path) const {
    static const std::vector<EpochCount> none;
    const auto it = sides_[side].epochs.find(path);
    return it == sides_[side].epochs.end() ? none : it->second;
  }

 private:
  struct Home {
    uint8_t path = 0;
    uint8_t epoch = 0;
    uint32_t sequence = 0;
  };
  struct Side {
    std::map<uint16_t, std::deque<WorkRequest>> posted;  // by stream, not completed
    std::map<uint8_t, std::vector<EpochCount>> epochs;   // by path
    std::map<uint8_t, uint32_t> next_sequence;           // by path, of its latest epoch
    std::map<uint32_t, Home> homes;                      // by CSN, the latest
    std::map<std::pair<uint8_t, uint8_t>, std::pair<uint16_t, uint16_t>> counters;  // of blocks
    std::set<uint32_t> placed;  // CSNs of the peer whose payload was placed here
    const packet::Packet* packet = nullptr;
  };

  absl::Status Data(int side, const endpoint::Connection& c, const packet::Packet& packet,
                    bool dropped);
  absl::Status Ack(int side, const packet::Packet& packet);
  EpochCount& Epoch(Side& s, uint8_t path, uint8_t epoch);

  std::array<Side, 2> sides_;
};

}  // namespace metaroce::invariants

#endif  // METAROCE_MODEL_INVARIANTS_LEDGER_H_
