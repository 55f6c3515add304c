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

//= ACK-VECTOR-OUTCOME
//# an arrival with path sequence s has exactly one of these outcomes, tried in this order
Arrival ReceiveVector::Classify(PathSeq sequence) const {
  const int32_t distance = sequence - base_;
  //= CHECK-PATH-WINDOW
  //# The path sequence is less than `base` + `path_window`, as a signed difference
  if (distance >= static_cast<int32_t>(kBits)) return Arrival::kBeyondWindow;
  //= CHECK-PATH-DUPLICATE
  //# it is not less than `base` and its bit in the vector is 0
  if (distance < 0 || Bit(static_cast<uint32_t>(distance))) return Arrival::kDuplicate;
  // span_ is the distance of g + 1 from base, g being the greatest sequence received.
  const uint32_t offset = static_cast<uint32_t>(distance);
  if (offset > span_) return Arrival::kHole;
  if (offset == span_) return Arrival::kInOrder;
  return offset == 0 ? Arrival::kFill : Arrival::kLate;
}

void ReceiveVector::Mark(PathSeq sequence) {
  const uint32_t offset = static_cast<uint32_t>(sequence - base_);
  //= SEQ-PATH-RECEIVE
  //# A receiver's `base` is the first path sequence not received.
  if (offset == 0 && span_ == 0) {  // nothing above it was received: the usual case
    ++base_;
    return;
  }
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
