// The books a receiver keeps of one path and epoch, and when it owes an ACK of it (chapter 6).
#ifndef METAROCE_MODEL_PATH_RECEIVE_PATH_H_
#define METAROCE_MODEL_PATH_RECEIVE_PATH_H_

#include <cstdint>

#include "model/path/receive_vector.h"
#include "model/serial.h"
#include "spec/layouts.h"
#include "spec/tables.h"

namespace metaroce {

struct StateFields;  // model/state/fields.h

// When a receiver acknowledges: the two limits of ACK-DUE-COUNT and ACK-DUE-TIME.
struct AckLimits {
  uint32_t every = spec::constant::kAckEvery;            // packets, 1..128
  Nanoseconds delay_max = spec::constant::kAckDelayMax;  // nanoseconds

  bool operator==(const AckLimits&) const = default;
};

// By what an arrival came and where its answer goes (WIRE-ANSWER-ENTROPY).
struct Route {
  uint16_t entropy = 0;  // UDP source port
  uint8_t plane = 0;

  bool operator==(const Route&) const = default;
};

// A plain value. The caller runs the checks of chapter 4 around it, in this order for DATA:
// Arrive, then the checks behind `path-window` on its outcome, then Accept or Repeat or nothing.
class ReceivePath {
 public:
  // The epoch `epoch` begins with `start` as its first path sequence.
  ReceivePath(uint8_t epoch, PathSeq start) : epoch_(epoch), vector_(start) {}
  ReceivePath() = default;

  // A DATA packet reached the check `path-window`. Counts it as an arrival unless it lies beyond
  // the window; a duplicate is counted and makes an ACK due. `now` never goes back between calls.
  Arrival Arrive(PathSeq sequence, WireTime transmitted, bool ce, bool ar, Route route,
                 Nanoseconds now, const AckLimits& limits);

  // The packet whose outcome was `outcome` (kHole, kInOrder, kFill, kLate) passed all further
  // checks, or failed csn-duplicate: its path sequence is marked.
  void Mark(PathSeq sequence, Arrival outcome, bool csn_duplicate, Nanoseconds now);

  // A PROBE passed the check `path`. It is owed an ACK of its own.
  void ArriveProbe(WireTime transmitted, Route route, Nanoseconds now);

  // Something else makes an ACK of this path due at once.
  void DueNow(Nanoseconds now) { Due(now); }

  // When an ACK of this path is due, kNever if none is. In the past if it was due earlier.
  Nanoseconds AckDue() const { return probes_owed_ > 0 ? probe_due_ : due_; }

  // The block as it stands at `now`, which is when the ACK leaves (ACK-HOLD). `path` is filled in.
  spec::PathBlock Block(uint8_t path, Nanoseconds now) const;

  // An ACK whose first block is this path's was built (ACK-ACKNOWLEDGES). It answers a PROBE of
  // this path that is owed an ACK, unless `answers_probe` is false.
  void Acknowledged(bool answers_probe = true);

  uint8_t epoch() const { return epoch_; }
  const ReceiveVector& vector() const { return vector_; }
  // Where an ACK of this path goes: the route of the latest arrival (ACK-ENTROPY).
  Route route() const { return route_; }
  bool has_arrival() const { return has_arrival_; }
  Nanoseconds last_arrival() const { return echo_at_; }

  bool operator==(const ReceivePath&) const = default;

 private:
  friend struct StateFields;

  void Due(Nanoseconds at) {
    if (at < due_) due_ = at;
  }

  uint8_t epoch_ = 0;
  bool has_arrival_ = false;
  uint8_t duplicates_ = 0;
  Route route_;
  //= SEQ-COUNTERS
  //# Counters on the wire (`arrivals`, `ce`, `duplicates`, `acks_seen`) are the low bits of a count
  //# that grows without bound.
  uint16_t arrivals_ = 0;
  uint16_t ce_ = 0;
  uint32_t unacknowledged_ = 0;  // arrivals since the last ACK
  uint32_t probes_owed_ = 0;
  WireTime echo_;
  Nanoseconds echo_at_ = 0;
  Nanoseconds due_ = kNever;
  Nanoseconds probe_due_ = kNever;
  ReceiveVector vector_;
};

inline Arrival ReceivePath::Arrive(PathSeq sequence, WireTime transmitted, bool ce, bool ar,
                                   Route route, Nanoseconds now, const AckLimits& limits) {
  const Arrival outcome = vector_.Classify(sequence);
  route_ = route;
  //= ACK-DUE-DUPLICATE
  //# a packet with the outcome `beyond-window`, and an arrival that is a CSN duplicate make an ACK
  //# of their path due at once.
  if (outcome == Arrival::kBeyondWindow) {
    Due(now);
    return outcome;
  }
  //= ACK-ARRIVAL
  //# It adds one to `arrivals`, adds one to `ce` if its ECN field is CE, and its transmit time
  //# becomes the echo.
  ++arrivals_;
  if (ce) ++ce_;
  echo_ = transmitted;
  echo_at_ = now;
  has_arrival_ = true;

  ++unacknowledged_;
  //= ACK-DUE-COUNT
  //# When the arrivals of a path that no ACK has acknowledged reach `ack_every`, an ACK of the path
  //# is due at once.
  if (unacknowledged_ >= limits.every) Due(now);
  //= ACK-DUE-TIME
  //# An ACK of a path is due `ack_delay_max` after the first arrival that no ACK has acknowledged.
  if (unacknowledged_ == 1) Due(now + limits.delay_max);
  //= ACK-DUE-AR
  //# A DATA packet with `ar` set that is an arrival makes an ACK of its path due at once.
  if (ar) Due(now);
  if (outcome == Arrival::kDuplicate) {
    ++duplicates_;
    Due(now);
  }
  return outcome;
}

inline void ReceivePath::Mark(PathSeq sequence, Arrival outcome, bool csn_duplicate,
                              Nanoseconds now) {
  vector_.Mark(sequence);
  //= ACK-DUE-HOLE
  //# An arrival with the outcome `hole` makes an ACK of its path due at once.
  if (outcome == Arrival::kHole) Due(now);
  //= ACK-DUE-FILL
  //# An arrival with the outcome `fill` makes an ACK of its path due at once.
  if (outcome == Arrival::kFill) Due(now);
  if (csn_duplicate) Due(now);
}

}  // namespace metaroce

#endif  // METAROCE_MODEL_PATH_RECEIVE_PATH_H_
