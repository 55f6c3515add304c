#include "model/path/transmit_window.h"

namespace metaroce {

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
  while (Loses(before)) {
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
