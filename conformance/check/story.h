// What one side is going to say: gathered from the whole capture before it is explained, because
// what an application posts, and which of several legal things a device chose, shows only in later
// packets.
#ifndef METAROCE_CONFORMANCE_CHECK_STORY_H_
#define METAROCE_CONFORMANCE_CHECK_STORY_H_

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "conformance/check/trace.h"
#include "model/chooser.h"
#include "model/connection/outbound.h"

namespace metaroce::check {

// Kinds of packets that show a choice. The n-th packet of a kind that the model sends is the n-th
// that the device sends.
enum class Kind : uint8_t {
  kStart,         // CONNECT, CONNECT_REPLY
  kSetup,         // CONNECT, DISCONNECT
  kPathOpen,      // PATH_OPEN
  kCreditProbe,   // CREDIT_PROBE
  kLiveness,      // PROBE with reason liveness
  kAck,           // ACK
  kCreditAnswer,  // CREDIT, RNR
  kPortStatus,    // PORT_STATUS
  kKinds,
};
// The kinds to which a packet belongs, at most two.
std::array<std::optional<Kind>, 2> KindsOf(const packet::Packet& packet);

// A work request as far as its packets tell.
struct Message {
  WorkRequest work;
  bool consumes = false;
  bool has_index = false;
  bool last_seen = false;
  ReceiveIndex index;
};

// A NACK that refuses a packet of the peer or an operation.
struct Refusal {
  spec::NackRequest body{};
  Nanoseconds at = 0;
};

class Story {
 public:
  Story(const Trace& trace, uint8_t side);

  // The n-th packet of a kind, from 0, or null.
  const Record* Nth(Kind kind, size_t n) const;

  // The work request with that stream and MSN, or null if no packet of it was sent.
  const Message* Find(uint16_t stream, Msn msn) const;
  // Stream and MSN of the work request that has taken a receive index.
  std::optional<uint64_t> WithIndex(ReceiveIndex index) const;

  // The refusal of a packet that came by this path, epoch and path sequence; of an operation.
  const Refusal* RefusalOf(uint8_t path, uint8_t epoch, uint32_t sequence) const;
  const Refusal* OperationRefused() const;

  // The side's addresses of a plane, if a frame shows them.
  const endpoint::Port& port(size_t plane) const { return ports_[plane]; }
  size_t planes() const { return planes_; }  // 1 + the greatest that was used

 private:
  void Take(const Record& record);
  void TakeRequest(const packet::Packet& packet);
  void TakeAddresses(const packet::Packet& packet, const endpoint::Port& seen);

  const Trace* trace_;
  std::array<std::vector<uint32_t>, static_cast<size_t>(Kind::kKinds)> kinds_;
  std::vector<Refusal> refusals_;
  std::unordered_map<uint64_t, Message> messages_;
  std::unordered_map<uint32_t, uint64_t> by_index_;
  std::array<endpoint::Port, spec::constant::kPlanesMax> ports_;
  size_t planes_ = 1;
};

}  // namespace metaroce::check

#endif  // METAROCE_CONFORMANCE_CHECK_STORY_H_
