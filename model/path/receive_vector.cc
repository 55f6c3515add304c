#include "model/path/receive_vector.h"

#include <bit>

namespace metaroce {

const char* Name(Arrival outcome) {
  switch (outcome) {
    case Arrival::kBeyondWindow:
      return "beyond-window";
    case Arrival::kDuplicate:
      return "duplicate";
    case Arrival::kHole:
      return "hole";
    case Arrival::kInOrder:
      return "in-order";
    case Arrival::kFill:
      return "fill";
    case Arrival::kLate:
      return "late";
  }
  return "unknown";
}

void ReceiveVector::MarkBit(uint32_t offset) {
  bits_[offset / 64] |= uint64_t{1} << (offset % 64);
  if (offset >= span_) span_ = offset + 1;
  //= ACK-VECTOR
  //# If s is `base`, then `base` moves on to the first path sequence whose bit is not set, and the
  //# vector moves with it.
  if (offset != 0) return;
  uint32_t run = 0;
  for (uint64_t word : bits_) {
    run += static_cast<uint32_t>(std::countr_one(word));
    if (word != UINT64_MAX) break;
  }
  Shift(run);
}

//= ACK-MONOTONE
//# Within an epoch `base` never goes back
void ReceiveVector::Shift(uint32_t n) {
  base_ = base_ + n;
  span_ -= n;
  const uint32_t words = n / 64;
  const uint32_t bits = n % 64;
  for (uint32_t i = 0; i < bits_.size(); ++i) {
    const uint64_t low = i + words < bits_.size() ? bits_[i + words] : 0;
    const uint64_t high = i + words + 1 < bits_.size() ? bits_[i + words + 1] : 0;
    bits_[i] = bits == 0 ? low : (low >> bits) | (high << (64 - bits));
  }
}

}  // namespace metaroce
