// The invariants of one step of an endpoint (section 15.7): what a step may change.
#ifndef METAROCE_MODEL_INVARIANTS_STEP_H_
#define METAROCE_MODEL_INVARIANTS_STEP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "model/endpoint/endpoint.h"
#include "model/path/receive_vector.h"
#include "model/path/send_path.h"
#include "model/wire/packet/packet.h"

namespace metaroce::invariants {

// Call one of the three before the step, After behind it.
class StepCheck {
 public:
  // A packet will be processed; an expiry or a transmission; a command, which may change any path.
  void BeforePacket(const endpoint::State& e, const packet::Packet& packet);
  void BeforePoll(const endpoint::State& e, Nanoseconds now);
  void BeforeCommand(const endpoint::State& e);

  // OK, or InternalError with the invariant, the place and the values.
  absl::Status After(const endpoint::State& e) const;

 private:
  struct Path {
    spec::PathState state = spec::PathState::kFree;
    uint8_t epoch = 0;
    Nanoseconds deadline = kNever;
    std::optional<SendContext> context;
  };
  struct Receive {
    bool open = false;
    uint8_t epoch = 0;
    TransactionId id;
    ReceiveVector vector;
  };
  struct Before {
    uint32_t slot = 0;
    uint32_t cid = 0;
    bool open = false;
    Csn cumulative;
    Csn right_edge;
    Csn next;       // CSN to be assigned
    Csn peer_edge;  // right edge learned
    Nanoseconds idle_since = kNever;
    std::vector<Path> out;
    std::vector<Receive> in;
  };
  enum class Cause : uint8_t { kPaths, kSend, kAny };

  void Take(const endpoint::State& e);
  absl::Status Sender(const Before& before, const endpoint::Connection& c) const;
  absl::Status Receiver(const Before& before, const endpoint::Connection& c) const;
  absl::Status Sent(const Before& before, const endpoint::Connection& c, size_t path) const;
  bool Concerned(const Before& before, size_t path) const;

  Cause cause_ = Cause::kAny;
  uint32_t cid_ = 0;            // of the connection that kPaths concerns
  std::vector<uint8_t> paths_;  // its paths that the step concerns
  std::vector<Before> before_;
};

}  // namespace metaroce::invariants

#endif  // METAROCE_MODEL_INVARIANTS_STEP_H_
