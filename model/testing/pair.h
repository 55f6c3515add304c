// Two endpoints and the network between them, in virtual time, for tests.
//
// A channel is a direction, a plane and an entropy. Packets of a channel arrive in the order in
// which they left, `delay` later or after the one before; what a test wants otherwise it says in
// `fate`.
#ifndef METAROCE_MODEL_TESTING_PAIR_H_
#define METAROCE_MODEL_TESTING_PAIR_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "model/endpoint/endpoint.h"
#include "model/invariants/ledger.h"
#include "model/invariants/step.h"

namespace metaroce::testing {

using endpoint::Endpoint;

// What the network does to a packet.
struct Fate {
  bool drop = false;
  bool mark = false;      // CE
  Nanoseconds extra = 0;  // delay beyond the channel's
  Nanoseconds again = 0;  // a copy arrives that much later; 0: there is none
};

// A packet as it travels: a copy of everything.
struct Travelling {
  packet::Packet packet;
  std::vector<uint8_t> payload;
  std::vector<uint8_t> options;
  std::vector<uint8_t> frame;  // with the codec or a tap
  endpoint::Arrival arrival;
  int to = 0;
};

// Sides are 0 and 1.
class Pair {
 public:
  // By default the windows are fixed: most tests are not about them.
  struct Options {
    Options() {
      for (endpoint::Settings& s : settings) s.windows.kind = congestion::Kind::kFixed;
    }
    endpoint::Settings settings[2];
    Nanoseconds delay = 5000;
    bool codec = false;         // every packet is serialised and parsed
    uint32_t memory = 1 << 20;  // bytes of each side, from address 0x10000 on
    // Every step is held against the invariants of section 15.7. One that is broken is printed and
    // ends the program.
    bool check = true;
  };
  static constexpr uint64_t kBase = 0x10000;
  static constexpr uint32_t kRkey = 0x4242;

  explicit Pair(Options options);
  ~Pair();
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  // Side 0 connects to side 1, the handshake ends, each side registers its memory. Returns true if
  // both are OPEN.
  bool Open();

  // Runs until `until`, or until nothing is left to happen before it.
  void Run(Nanoseconds until);
  // Runs until `done` holds or `until` is reached; true if it holds.
  bool RunUntil(Nanoseconds until, const std::function<bool()>& done);

  Endpoint& at(int side) { return *sides_[side]->endpoint; }
  const endpoint::Connection& connection(int side) { return *at(side).Find(cid(side)); }
  uint32_t cid(int side) const { return sides_[side]->cid; }
  std::vector<uint8_t>& memory(int side) { return sides_[side]->bytes; }
  endpoint::Step step(int side);
  Nanoseconds now() const { return now_; }

  void Post(int side, const WorkRequest& work);
  void PostReceive(int side, const PostedReceive& receive);
  // A Write of `length` bytes at `offset` of both memories.
  static WorkRequest Write(uint64_t id, uint32_t offset, uint32_t length);
  // Nothing is incomplete, unacknowledged or waits to be sent at either side.
  bool Quiescent();
  // OK if, both sides being quiescent, the invariants of quiescence hold.
  absl::Status CheckQuiescent();
  // What was sent, dropped, moved and sent again in each epoch.
  const invariants::Ledger& ledger() const { return ledger_; }
  // Commands of the operator and of the ports.
  void Do(int side, const std::function<absl::Status(Endpoint&, const endpoint::Step&)>& command);
  // A packet of the other side arrives at `to` by this route, whatever became of those that it
  // sent.
  void Arrives(int to, const packet::Packet& packet, Route route);
  // The same with the cid and the tag of `to`.
  void ArrivesAddressed(int to, packet::Packet packet, Route route);
  // The endpoint of `side` loses its memory. What it sent before is not held against it.
  void Restart(int side);

  // Asked for every packet that leaves side `from`; no function: nothing happens to it.
  std::function<Fate(int from, const packet::Packet&, Route)> fate;

  // Told of every frame that leaves side `side`, and of every one that reaches it, before it acts.
  std::function<void(int side, bool received, uint8_t plane, packet::Bytes frame)> tap;

  // Who chooses at each side; null: the defaults.
  Chooser* chooser[2] = {nullptr, nullptr};

  struct Log {
    std::vector<endpoint::WorkDone> work;
    std::vector<endpoint::ReceiveDone> receives;
    std::vector<endpoint::Ended> ended;
    uint64_t data = 0;  // DATA packets that left
    uint64_t data_dropped = 0;
    uint64_t rtx = 0;
    uint64_t moved = 0;  // MOVED without RTX
    uint64_t probes = 0;
    uint64_t acks = 0;
    std::map<uint64_t, uint32_t> placed;  // bytes at an address: how often
  };
  const Log& log(int side) const { return sides_[side]->log; }
  // What the packets that left were, one a line, if `trace` was set before.
  bool trace = false;
  std::string text;

 private:
  struct Side : endpoint::Sink, endpoint::Memory {
    Pair* pair = nullptr;
    int index = 0;
    std::unique_ptr<Endpoint> endpoint;
    uint32_t cid = 0;
    std::vector<uint8_t> bytes;
    Log log;

    void OnPacket(uint32_t cid, const endpoint::PacketOut& out) override;
    void OnPlacement(uint32_t cid, uint64_t address, packet::Bytes data) override;
    void OnReceive(uint32_t, const endpoint::ReceiveDone& done) override {
      log.receives.push_back(done);
    }
    void OnWork(uint32_t, const endpoint::WorkDone& done) override;
    void OnOpen(uint32_t opened) override { cid = opened; }
    void OnEnded(uint32_t, const endpoint::Ended& why) override { log.ended.push_back(why); }
    packet::Bytes Read(uint64_t address, uint32_t length) override;
  };

  void Send(int from, const endpoint::PacketOut& out);
  void Put(const Travelling& packet, Nanoseconds at);
  void Deliver(Travelling& packet);
  Nanoseconds Next() const;
  void Poll(int side);
  void Hold(const absl::Status& status) const;
  // Checks the state of `side` and what the step that ends here changed.
  void Checked(int side, const invariants::StepCheck& step);

  // Hands what the latest step hit to the record (model/testing/hits.h).
  void TakeHits();

  Options options_;
  endpoint::Hits hits_;  // of the latest step
  invariants::Ledger ledger_;
  std::array<std::unique_ptr<Side>, 2> sides_;
  Nanoseconds now_ = 1000000;
  uint64_t sequence_ = 0;
  std::map<std::pair<Nanoseconds, uint64_t>, Travelling> travelling_;
  std::map<std::tuple<int, uint8_t, uint16_t>, Nanoseconds> last_;
};

}  // namespace metaroce::testing

#endif  // METAROCE_MODEL_TESTING_PAIR_H_
