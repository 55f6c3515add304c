// The records of one send path and epoch: which path sequences are in flight, lost, acknowledged
// (clauses BOOK-RECORD, BOOK-EDGES, BOOK-FLIGHT, LOSS-RULE).
#ifndef METAROCE_MODEL_PATH_TRANSMIT_WINDOW_H_
#define METAROCE_MODEL_PATH_TRANSMIT_WINDOW_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/ring.h"
#include "model/serial.h"
#include "spec/tables.h"

namespace metaroce {

struct StateFields;  // model/state/fields.h

enum class Condition : uint8_t { kNone, kInFlight, kLost, kAcknowledged };

struct SendRecord {
  Nanoseconds sent = 0;  // transmit time of the latest transmission, whole
  Csn csn;
  PathSeq earlier;  // neighbours in the order of transmission, of records in flight
  PathSeq later;
  uint16_t bytes = 0;  // wire size of the latest transmission
  uint8_t losses = 0;
  Condition condition : 4 = Condition::kNone;
  bool moved : 1 = false;  // its CSN was transmitted before in an epoch that died

  bool operator==(const SendRecord&) const = default;
};

// A plain value. The records stand in a ring that grows in powers of two with what is outstanding.
// Records in flight are also linked in the order of their latest transmission, so that an echo
// finds what it declares lost without looking at the rest.
class TransmitWindow {
 public:
  static constexpr uint32_t kSize = spec::constant::kPathWindow;
  using Bitmap = std::array<uint64_t, kSize / 64>;

  explicit TransmitWindow(PathSeq start = PathSeq()) : oldest_(start), next_(start) {}

  // The lowest path sequence not acknowledged, or next() if there is none; what the next new packet
  // takes.
  PathSeq oldest() const { return oldest_; }
  PathSeq next() const { return next_; }
  bool empty() const { return oldest_ == next_; }
  //= SEQ-PATH-LIMIT
  //# only with a path sequence less than the oldest unacknowledged one plus `path_window`
  bool HasRoom() const { return next_ - oldest_ < static_cast<int32_t>(kSize); }

  uint32_t in_flight() const { return in_flight_; }
  uint64_t flight_bytes() const { return flight_bytes_; }
  uint32_t lost() const { return lost_; }

  // Precondition: oldest() <= sequence < next().
  const SendRecord& at(PathSeq sequence) const { return ring_[sequence.value()]; }

  // A new or moved packet is transmitted at `sent`, which is later than all before. Precondition:
  // HasRoom(). Returns its path sequence.
  PathSeq Append(Csn csn, Nanoseconds sent, uint16_t bytes, bool moved);
  // A lost record is transmitted again.
  void Resend(PathSeq sequence, Nanoseconds sent, uint16_t bytes);

  // A block reports all below `base` and each bit i of `bitmap` (base + i) as received. Calls
  // `acknowledged(csn)` for each record that was not acknowledged before and returns how many there
  // were. Precondition: base and all bits are at most next() and below it.
  template <typename F>
  uint32_t Release(PathSeq base, const Bitmap& bitmap, F acknowledged);

  // True if such a block would acknowledge something.
  bool WouldRelease(PathSeq base, const Bitmap& bitmap) const;

  // True if some record in flight was transmitted before `before`.
  bool Loses(Nanoseconds before) const { return in_flight_ > 0 && at(first_sent_).sent < before; }
  // Declares each record in flight lost that was transmitted before `before`. Their path sequences
  // stand in `*lost`, ascending; returns how many.
  uint32_t Lose(Nanoseconds before, std::array<PathSeq, kSize>* lost);

  // The record in flight with the lowest path sequence. Precondition: in_flight() > 0.
  const SendRecord& LowestInFlight() const;

  bool operator==(const TransmitWindow&) const = default;

 private:
  friend struct StateFields;

  SendRecord& Mutable(PathSeq sequence) { return ring_[sequence.value()]; }
  void Link(PathSeq sequence, SendRecord& record);
  void Unlink(const SendRecord& record, PathSeq sequence);
  template <typename F>
  uint32_t Acknowledge(PathSeq sequence, F& acknowledged);

  PathSeq oldest_;
  PathSeq next_;
  PathSeq first_sent_;  // ends of the list of records in flight; meaningless if there are none
  PathSeq last_sent_;
  uint32_t in_flight_ = 0;
  uint32_t lost_ = 0;
  uint64_t flight_bytes_ = 0;
  Slots<SendRecord> ring_;
};

inline void TransmitWindow::Link(PathSeq sequence, SendRecord& record) {
  if (in_flight_ == 0) {
    first_sent_ = sequence;
  } else {
    Mutable(last_sent_).later = sequence;
    record.earlier = last_sent_;
  }
  last_sent_ = sequence;
  ++in_flight_;
  flight_bytes_ += record.bytes;
  record.condition = Condition::kInFlight;
}

inline PathSeq TransmitWindow::Append(Csn csn, Nanoseconds sent, uint16_t bytes, bool moved) {
  const uint32_t outstanding = static_cast<uint32_t>(next_ - oldest_);
  if (outstanding == ring_.size()) ring_.Grow(4, oldest_.value(), outstanding);
  const PathSeq sequence = next_;
  ++next_;
  SendRecord& record = Mutable(sequence);
  record = SendRecord();
  record.csn = csn;
  record.sent = sent;
  record.bytes = bytes;
  record.moved = moved;
  Link(sequence, record);
  return sequence;
}

inline void TransmitWindow::Unlink(const SendRecord& record, PathSeq sequence) {
  if (sequence == first_sent_) {
    first_sent_ = record.later;
  } else {
    Mutable(record.earlier).later = record.later;
  }
  if (sequence == last_sent_) {
    last_sent_ = record.earlier;
  } else {
    Mutable(record.later).earlier = record.earlier;
  }
  --in_flight_;
  flight_bytes_ -= record.bytes;
}

template <typename F>
uint32_t TransmitWindow::Acknowledge(PathSeq sequence, F& acknowledged) {
  SendRecord& record = Mutable(sequence);
  if (record.condition == Condition::kAcknowledged) return 0;
  if (record.condition == Condition::kInFlight) {
    Unlink(record, sequence);
  } else {
    --lost_;
  }
  record.condition = Condition::kAcknowledged;
  acknowledged(record.csn);
  return 1;
}

template <typename F>
uint32_t TransmitWindow::Release(PathSeq base, const Bitmap& bitmap, F acknowledged) {
  uint32_t count = 0;
  for (; oldest_ < base; ++oldest_) {
    count += Acknowledge(oldest_, acknowledged);
    Mutable(oldest_) = SendRecord();
  }
  for (uint32_t i = 0; i < bitmap.size(); ++i) {
    for (uint64_t word = bitmap[i]; word != 0; word &= word - 1) {
      const PathSeq s = base + (i * 64 + static_cast<uint32_t>(__builtin_ctzll(word)));
      if (s >= oldest_) count += Acknowledge(s, acknowledged);
    }
  }
  while (oldest_ < next_ && at(oldest_).condition == Condition::kAcknowledged) {
    Mutable(oldest_) = SendRecord();
    ++oldest_;
  }
  return count;
}

}  // namespace metaroce

#endif  // METAROCE_MODEL_PATH_TRANSMIT_WINDOW_H_
