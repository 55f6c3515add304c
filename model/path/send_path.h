// What a sender keeps of one path (sections 7.1, 9.1): a little for ever, and a context while it is
// open.
#ifndef METAROCE_MODEL_PATH_SEND_PATH_H_
#define METAROCE_MODEL_PATH_SEND_PATH_H_

#include <cstdint>
#include <vector>

#include "model/box.h"
#include "model/congestion/window.h"
#include "model/path/receive_path.h"
#include "model/path/rtt.h"
#include "model/path/transmit_window.h"
#include "model/serial.h"
#include "spec/tables.h"

namespace metaroce {

struct StateFields;  // model/state/fields.h

// An unanswered PATH_CLOSE (PATH-CLOSE-STATES).
struct CloseState {
  spec::PathCloseState state = spec::PathCloseState::kIdle;
  uint8_t epoch = 0;
  uint8_t attempt = 0;
  spec::CloseReason reason = spec::CloseReason::kShrink;
  TransactionId id;
  Nanoseconds sent = 0;  // latest transmission

  bool operator==(const CloseState&) const = default;
};

// The latest PROBEs of an epoch: their transmit times tell their echoes from those of DATA
// (LADDER-MEMORY).
class ProbeMemory {
 public:
  static constexpr uint32_t kMax = 64;
  void Add(Nanoseconds sent, uint32_t keep) {
    if (sent_.size() >= keep) sent_.erase(sent_.begin());
    sent_.push_back(sent);
  }
  bool Has(Nanoseconds sent) const {
    for (Nanoseconds s : sent_) {
      if (s == sent) return true;
    }
    return false;
  }
  bool operator==(const ProbeMemory&) const = default;

 private:
  friend struct StateFields;

  std::vector<Nanoseconds> sent_;
};

// The ladder of an epoch (section 7.6). Its timer is the path's.
struct Ladder {
  spec::LadderState state = spec::LadderState::kIdle;
  uint8_t one_legged = 0;        // bursts in a row (LADDER-REVERSE)
  bool burst_known = false;      // a burst was begun and not judged
  bool ended_by_second = false;  // it was ended by a block that was not the first of its ACK
  bool first_echoed = false;     // a first block carried an echo not older than first_probe
  bool siblings_lived = false;   // at the verdict, or at the latest expiry of the RTO
  uint32_t k = 0;                // expiries of the RTO since the verdict
  Nanoseconds first_probe = 0;

  bool operator==(const Ladder&) const = default;
};

// An epoch that is being opened (section 9.3).
struct Opening {
  spec::OpenReason reason = spec::OpenReason::kAdded;
  bool was_free = true;  // it was not ACTIVE since it was last FREE or DENIED (PATH-ANSWERS)
  bool waits = false;    // PATH_OPEN is not sent yet: PATH-RATE, or no plane is up
  bool unanswered = false;
  bool turn = false;  // it waits for its turn (PATH-OPEN-SHARE)
  bool accepted = false;
  uint8_t attempt = 0;
  uint8_t probes = 0;    // with reason activate
  uint8_t k = 0;         // PATH-K
  TransactionId id;      // the latest
  Nanoseconds sent = 0;  // transmit time of the latest PATH_OPEN
  Nanoseconds srtt = 0;  // that the path had last, 0 if none
  // Kept until the path is FREE or DENIED (BOOK-FRESH).
  bool drained = false;        // the last epoch that was ACTIVE ended because it was drained
  uint8_t changes = 0;         // j of REENTROPY-HOLD-OFF
  Nanoseconds hold_until = 0;  // its hold-off is over then

  bool operator==(const Opening&) const = default;
};

// A path while it is OPENING, ACTIVE or SUSPECT: one send context.
struct SendContext {
  TransmitWindow window;
  Rtt rtt;
  Nanoseconds latest = 0;  // BOOK-TIMES
  Nanoseconds heard = 0;
  Nanoseconds sampled = 0;
  Nanoseconds news_at = 0;  // of the last news, before any when the path became ACTIVE
  uint16_t arrivals = 0;    // as last taken (TAKE-COUNTERS)
  uint16_t ce = 0;
  uint8_t duplicates = 0;
  Nanoseconds tolerance = 0;
  Nanoseconds tolerance_at = 0;
  Ladder ladder;
  Opening opening;
  ProbeMemory probes;
  TransactionId probe_id;           // of the latest PROBE
  Nanoseconds probe_sent = kNever;  // its transmit time, kNever before there was one
  congestion::PathState congestion;
  uint64_t counted_bytes = 0;  // of its bytes in flight, those in the connection's (CC-FLIGHT)

  bool operator==(const SendContext&) const = default;
};

// A path of the sender's own direction.
struct SendPath {
  spec::PathState state = spec::PathState::kFree;
  bool used = false;           // it has had an epoch
  bool lifted = false;         // it was DENIED when it was last not FREE
  bool balance_drain = false;  // the drain was chosen by PLANE-BALANCE
  uint8_t epoch = 0;           // of its last epoch (PATH-KEPT)
  Route route;                 // entropy and plane of its last epoch
  uint8_t next_plane = 0;      // chosen by PLANE-BALANCE
  spec::CloseReason drain_reason = spec::CloseReason::kShrink;
  uint32_t epochs = 0;  // begun in the second that began at epochs_began (PATH-RATE)
  Nanoseconds epochs_began = -1;
  Box<SendContext> context;
  Box<CloseState> close;

  bool operator==(const SendPath&) const = default;
};

inline bool IsActive(spec::PathState s) {
  return s == spec::PathState::kActive || s == spec::PathState::kActiveToEpoch ||
         s == spec::PathState::kActiveToClose;
}
inline bool IsSuspect(spec::PathState s) {
  return s == spec::PathState::kSuspect || s == spec::PathState::kSuspectToEpoch ||
         s == spec::PathState::kSuspectToClose;
}
inline bool DrainsToEpoch(spec::PathState s) {
  return s == spec::PathState::kActiveToEpoch || s == spec::PathState::kSuspectToEpoch;
}
inline bool DrainsToClose(spec::PathState s) {
  return s == spec::PathState::kActiveToClose || s == spec::PathState::kSuspectToClose;
}

}  // namespace metaroce

#endif  // METAROCE_MODEL_PATH_SEND_PATH_H_
