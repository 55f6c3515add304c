#include "model/path/transmit_window.h"

namespace metaroce {

void TransmitWindow::Grow() {
  std::vector<SendRecord> bigger(ring_.empty() ? 4 : ring_.size() * 2);
  for (PathSeq s = oldest_; s < next_; ++s) {
    bigger[s.value() & (static_cast<uint32_t>(bigger.size()) - 1)] = at(s);
  }
  ring_.swap(bigger);
}

void TransmitWindow::Link(PathSeq sequence, SendRecord& record) {
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

void TransmitWindow::Unlink(const SendRecord& record, PathSeq sequence) {
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

PathSeq TransmitWindow::Append(Csn csn, Nanoseconds sent, uint16_t bytes, bool moved) {
  if (static_cast<uint32_t>(next_ - oldest_) == ring_.size()) Grow();
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

void TransmitWindow::Resend(PathSeq sequence, Nanoseconds sent, uint16_t bytes) {
  SendRecord& record = Mutable(sequence);
  record.sent = sent;
  record.bytes = bytes;
  --lost_;
  Link(sequence, record);
}

//= LOSS-RULE
//# The records are judged in ascending order of path sequence.
uint32_t TransmitWindow::Lose(Nanoseconds before, std::array<PathSeq, kSize>* lost) {
  uint32_t count = 0;
  while (in_flight_ > 0 && at(first_sent_).sent < before) {
    const PathSeq sequence = first_sent_;
    SendRecord& record = Mutable(sequence);
    Unlink(record, sequence);
    record.condition = Condition::kLost;
    ++record.losses;
    ++lost_;
    (*lost)[count++] = sequence;
  }
  std::sort(lost->begin(), lost->begin() + count,
            [&](PathSeq a, PathSeq b) { return a - oldest_ < b - oldest_; });
  return count;
}

bool TransmitWindow::WouldRelease(PathSeq base, const Bitmap& bitmap) const {
  if (oldest_ < base) return true;  // the oldest is not acknowledged
  for (uint32_t i = 0; i < bitmap.size(); ++i) {
    for (uint64_t word = bitmap[i]; word != 0; word &= word - 1) {
      const PathSeq s = base + (i * 64 + static_cast<uint32_t>(__builtin_ctzll(word)));
      if (s >= oldest_ && at(s).condition != Condition::kAcknowledged) return true;
    }
  }
  return false;
}

const SendRecord& TransmitWindow::LowestInFlight() const {
  PathSeq s = oldest_;
  while (at(s).condition != Condition::kInFlight) ++s;
  return at(s);
}

}  // namespace metaroce
