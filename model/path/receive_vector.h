// The receive vector of one path and epoch: which of the 256 path sequences from `base` on were
// received (clauses ACK-STATE, ACK-VECTOR, ACK-VECTOR-OUTCOME).
#ifndef METAROCE_MODEL_PATH_RECEIVE_VECTOR_H_
#define METAROCE_MODEL_PATH_RECEIVE_VECTOR_H_

#include <array>
#include <cstdint>

#include "model/serial.h"
#include "spec/tables.h"

namespace metaroce {

struct StateFields;  // model/state/fields.h

// What a path sequence is to the vector, in the order in which ACK-VECTOR-OUTCOME tries them.
enum class Arrival : uint8_t { kBeyondWindow, kDuplicate, kHole, kInOrder, kFill, kLate };

// The name the text gives the outcome, e.g. "beyond-window".
const char* Name(Arrival outcome);

// A plain value: copy, compare and hash it by its members.
class ReceiveVector {
 public:
  static constexpr uint32_t kBits = spec::constant::kPathWindow;
  using Bitmap = std::array<uint64_t, kBits / 64>;  // bit i = word i / 64, weight 2^(i % 64)

  // An epoch begins: nothing received, `start` is expected first.
  explicit ReceiveVector(PathSeq start = PathSeq()) : base_(start) {}

  // What `sequence` is, without recording it. Total: every 32-bit number has an outcome.
  //
  //= ACK-VECTOR-OUTCOME
  //# an arrival with path sequence s has exactly one of these outcomes, tried in this order
  Arrival Classify(PathSeq sequence) const {
    if (sequence == base_ && span_ == 0) return Arrival::kInOrder;  // the usual case
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

  // Records a sequence whose outcome is kHole, kInOrder, kFill or kLate.
  void Mark(PathSeq sequence) {
    //= SEQ-PATH-RECEIVE
    //# A receiver's `base` is the first path sequence not received.
    if (sequence == base_ && span_ == 0) {  // nothing above it was received: the usual case
      ++base_;
    } else {
      MarkBit(static_cast<uint32_t>(sequence - base_));
    }
  }

  // The next path sequence expected. Never goes back.
  PathSeq base() const { return base_; }
  // Bit i stands for base + i; bit 0 is always 0.
  const Bitmap& bitmap() const { return bits_; }
  // Path sequences from base to the greatest received, 0 if nothing above base was received.
  uint32_t span() const { return span_; }

  bool operator==(const ReceiveVector&) const = default;

 private:
  friend struct StateFields;

  bool Bit(uint32_t i) const { return (bits_[i / 64] >> (i % 64)) & 1; }
  void MarkBit(uint32_t offset);
  void Shift(uint32_t n);

  PathSeq base_;
  uint32_t span_ = 0;  // greatest received - base + 1, or 0; the vector's words above it are zero
  Bitmap bits_ = {};
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_PATH_RECEIVE_VECTOR_H_
