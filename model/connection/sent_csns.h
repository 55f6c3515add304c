// The CSNs that a sender has assigned and the peer's cumulative CSN has not passed: what each
// carries, and which of them wait to be sent on another epoch (SEQ-CSN, PATH-MOVED).
#ifndef METAROCE_MODEL_CONNECTION_SENT_CSNS_H_
#define METAROCE_MODEL_CONNECTION_SENT_CSNS_H_

#include <cstdint>

#include "model/ring.h"
#include "model/serial.h"

namespace metaroce {

struct StateFields;  // model/state/fields.h

struct SentCsn {
  Nanoseconds first_sent = 0;  // time of the first transmission
  uint32_t message = 0;        // of the slab
  uint32_t packet = 0;         // of the message, from 0
  bool done = false;           // acknowledged by a block of a live epoch, or passed
  bool moved = false;          // was transmitted in an epoch that died
  bool waits = false;          // to be sent as a moved packet

  bool operator==(const SentCsn&) const = default;
};

// A plain value: a ring that grows in powers of two with what is outstanding.
class SentCsns {
 public:
  explicit SentCsns(Csn start = Csn()) : cumulative_(start), next_(start), lowest_moved_(start) {}

  Csn cumulative() const { return cumulative_; }
  Csn next() const { return next_; }
  bool empty() const { return cumulative_ == next_; }
  // Outstanding: cumulative() <= csn < next().
  bool Has(Csn csn) const { return csn >= cumulative_ && csn < next_; }
  SentCsn& at(Csn csn) { return ring_[csn.value()]; }
  const SentCsn& at(Csn csn) const { return ring_[csn.value()]; }

  //= SEQ-CSN
  //# takes the next CSN of its direction when it is first transmitted.
  Csn Append(const SentCsn& sent) {
    const uint32_t outstanding = static_cast<uint32_t>(next_ - cumulative_);
    if (outstanding == ring_.size()) ring_.Grow(8, cumulative_.value(), outstanding);
    const Csn csn = next_;
    ++next_;
    at(csn) = sent;
    return csn;
  }

  //= TAKE-CUMULATIVE
  //# A cumulative CSN newer than the one known replaces it. Packets that wait to be moved and whose
  //# CSN is now below it are withdrawn.
  //
  // Calls done(sent) for each CSN passed that was not done. Precondition: cumulative() <= to <=
  // next().
  template <typename F>
  void Pass(Csn to, F done) {
    while (cumulative_ < to) {
      SentCsn& sent = at(cumulative_);
      if (sent.waits) --waiting_;
      if (!sent.done) done(sent);
      sent = SentCsn();
      ++cumulative_;
    }
    if (lowest_moved_ < cumulative_) lowest_moved_ = cumulative_;
  }

  // Its epoch died, and it is not acknowledged.
  void Move(Csn csn) {
    SentCsn& sent = at(csn);
    sent.moved = true;
    sent.waits = true;
    if (waiting_ == 0 || csn < lowest_moved_) lowest_moved_ = csn;
    ++waiting_;
  }
  uint32_t waiting() const { return waiting_; }
  //= CC-MOVED-FIRST
  //# Moved packets are sent in ascending order of CSN.
  //
  // The lowest CSN that waits. Precondition: waiting() > 0.
  Csn LowestMoved() {
    while (!at(lowest_moved_).waits) ++lowest_moved_;
    return lowest_moved_;
  }
  // It is transmitted again.
  void Sent(Csn csn) {
    at(csn).waits = false;
    --waiting_;
  }

  bool operator==(const SentCsns&) const = default;

 private:
  friend struct StateFields;

  Csn cumulative_;
  Csn next_;
  Csn lowest_moved_;
  uint32_t waiting_ = 0;
  Slots<SentCsn> ring_;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_CONNECTION_SENT_CSNS_H_
