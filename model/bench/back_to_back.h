// Two endpoints back to back, for measurements: what one sends is serialised,
// waits in a ring and is parsed by the other. Headers only: the payload goes by
// reference, and there is no iCRC.
//
// Virtual time and no randomness: the same load takes the same steps
// everywhere.
#ifndef METAROCE_MODEL_BENCH_BACK_TO_BACK_H_
#define METAROCE_MODEL_BENCH_BACK_TO_BACK_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/bench/frame_ring.h"
#include "model/endpoint/endpoint.h"

namespace metaroce::bench {

// Side 0 writes to side 1 on every connection, for ever.
struct Load {
  uint32_t connections = 1;
  uint32_t paths = 1;  // of each connection
  uint32_t mtu = 4096;
  uint32_t message_packets = 16;
  uint32_t messages = 4;          // posted and not completed, of each connection
  uint32_t path_window = 64;      // packets
  Nanoseconds delay = 5000;       // one way
  Nanoseconds packet_time = 100;  // between two sent packets
  uint32_t burst = 8;             // packets that a side takes, and sends, at one moment
};

// A load by its name, as `metaroce bench` runs it and benchmarks.md names it.
struct Case {
  absl::string_view name;
  Load load;
};
// One path, few, as many as a connection may want, and as many connections as share all contexts.
absl::Span<const Case> Cases();

// Packets that arrived.
struct Arrived {
  uint64_t data = 0;
  uint64_t acks = 0;
  uint64_t others = 0;  // CTRL and NACK

  uint64_t all() const { return data + acks + others; }
};

class BackToBack {
 public:
  explicit BackToBack(const Load &load);
  BackToBack(const BackToBack &) = delete;
  BackToBack &operator=(const BackToBack &) = delete;

  // Opens all connections and all their paths. DeadlineExceededError if some do
  // not open.
  absl::Status Open();
  // Goes on until that many more packets have arrived.
  void Run(uint64_t packets);
  // The same under a name of its own, for profilers.
  [[gnu::noinline]] void Measure(uint64_t packets);
  // Sends without delivering until nothing more may be sent.
  void Fill();

  const Arrived &arrived() const { return arrived_; }
  // Packets that were sent again: none, on a network that loses nothing.
  uint64_t resent() const { return resent_; }
  // Paths of side 0 that are ACTIVE; those with packets outstanding.
  uint32_t ActivePaths() const;
  uint32_t BusyPaths() const;
  const endpoint::Endpoint &at(int side) const { return *sides_[side].endpoint; }

 private:
  static constexpr uint64_t kBase = 1 << 20;
  static constexpr uint32_t kRkey = 0x4242;

  struct Side : endpoint::Sink, endpoint::Memory {
    BackToBack *pair = nullptr;
    std::unique_ptr<endpoint::Endpoint> endpoint;
    endpoint::Step step;
    FrameRing to_me;
    FrameRing *to_peer = nullptr;
    std::vector<uint32_t> opened;  // cids
    std::vector<uint32_t> repost;  // cids with a completed work request

    // The headers below the transport of the flow of the latest packet: most belong to the same.
    struct Flow {
      const endpoint::Port *from = nullptr;
      const endpoint::Port *to = nullptr;
      uint8_t dscp = 0;
      frame::FlowHeaders headers;
    };
    Flow flow;

    void SetFlow(const endpoint::PacketOut &out);
    void OnPacket(uint32_t cid, const endpoint::PacketOut &out) override;
    void OnOpen(uint32_t cid) override { opened.push_back(cid); }
    void OnWork(uint32_t cid, const endpoint::WorkDone &done) override;
    packet::Bytes Read(uint64_t address, uint32_t length) override;
  };

  const endpoint::Step &StepOf(Side &side) {
    side.step.now = now_;
    return side.step;
  }
  void Post(uint32_t cid);
  // Delivers at most a burst to each side and sends at most a burst of each.
  // False if there was nothing to do at this moment.
  bool Advance();
  bool Advance(Side &side, Nanoseconds now);
  // Delivers the frame that was longest on its way.
  void Deliver(Side &to);

  const Load load_;
  std::vector<uint8_t> payload_;
  std::array<Side, 2> sides_;
  packet::Packet parsed_;  // the one that arrives; here lest it be cleared each time
  Nanoseconds now_ = 1000000;
  Nanoseconds arrives_ = 0;  // what is sent now
  Arrived arrived_;
  uint64_t resent_ = 0;
};

}  // namespace metaroce::bench

#endif  // METAROCE_MODEL_BENCH_BACK_TO_BACK_H_
