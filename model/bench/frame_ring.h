// Frames on their way from one endpoint to the other: a ring of their headers,
// with the payload by reference.
#ifndef METAROCE_MODEL_BENCH_FRAME_RING_H_
#define METAROCE_MODEL_BENCH_FRAME_RING_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "model/check.h"
#include "model/serial.h"
#include "model/wire/packet/packet.h"

namespace metaroce::bench {

// First in, first out. Grows while more is on its way than ever before, and
// then allocates nothing.
class FrameRing {
 public:
  // The greatest header that Write may be given room for: a CTRL packet filled
  // to full size.
  static constexpr size_t kMaxHeaders = 8192;
  // Parse wants the bytes that a frame says it has; those behind the headers
  // are never looked at.
  static constexpr size_t kMaxFrame = 65536;

  struct Frame {
    Nanoseconds arrives = 0;
    size_t at = 0;  // in the arena
    uint32_t headers = 0;
    uint32_t length = 0;    // with payload, pad and iCRC
    packet::Bytes payload;  // where the sender's memory holds it
    uint8_t plane = 0;
  };

  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  const Frame &front() const { return frames_[first_]; }
  // When the first arrives; kNever if there is none.
  Nanoseconds next() const { return next_arrives_; }
  // The frame as it would stand in a receive buffer, but for what lies behind
  // the headers.
  packet::Bytes Bytes(const Frame &frame) const {
    return packet::Bytes(arena_.data() + frame.at, frame.length);
  }

  // Room for the headers of the next frame, kMaxHeaders bytes; taken by Push.
  absl::Span<uint8_t> Room() {
    // What was free when it was last looked at still is.
    if (next_ + kMaxHeaders > free_end_ && !FindRoom()) Grow();
    return absl::Span<uint8_t>(arena_.data() + next_, kMaxHeaders);
  }
  // `headers` bytes were written to Room(). Returns the frame to be filled in,
  // but for `arrives`, `at` and `headers`.
  Frame &Push(size_t headers, Nanoseconds arrives) {
    if (count_ == capacity_) GrowFrames();
    METAROCE_CHECK(headers <= kMaxHeaders);
    Frame &frame = frames_[(first_ + count_) & mask_];
    frame.arrives = arrives;
    frame.at = next_;
    frame.headers = static_cast<uint32_t>(headers);
    if (++count_ == 1) next_arrives_ = arrives;
    next_ += (headers + kAlignment - 1) / kAlignment * kAlignment;
    return frame;
  }
  void Pop() {
    first_ = (first_ + 1) & mask_;
    next_arrives_ = --count_ > 0 ? front().arrives : kNever;
  }

 private:
  static constexpr size_t kAlignment = 64;

  // The bytes in use are one piece of the arena, or two: the second begins at
  // 0.
  bool FindRoom() {
    if (limit_ == 0) return false;
    if (count_ == 0) next_ = 0;
    const size_t first = count_ == 0 ? 0 : front().at;
    const bool two_pieces = count_ > 0 && next_ <= first;
    if (!two_pieces && next_ + kMaxHeaders > limit_) next_ = 0;
    free_end_ = two_pieces || (count_ > 0 && next_ == 0) ? first : limit_;
    return next_ + kMaxHeaders <= free_end_;
  }
  void Grow() {
    const size_t limit = std::max<size_t>(4 * kMaxHeaders, 2 * limit_);
    std::vector<uint8_t> arena(limit + kMaxFrame);
    size_t next = 0;
    for (size_t i = 0; i < count_; ++i) {
      Frame &frame = frames_[(first_ + i) & mask_];
      std::memcpy(arena.data() + next, arena_.data() + frame.at, frame.headers);
      frame.at = next;
      next += (frame.headers + kAlignment - 1) / kAlignment * kAlignment;
    }
    arena_.swap(arena);
    limit_ = limit;
    next_ = next;
    free_end_ = limit;
  }
  void GrowFrames() {
    std::vector<Frame> bigger(std::max<size_t>(64, 2 * frames_.size()));
    for (size_t i = 0; i < count_; ++i) bigger[i] = frames_[(first_ + i) & mask_];
    frames_.swap(bigger);
    capacity_ = frames_.size();
    mask_ = capacity_ - 1;
    first_ = 0;
  }

  std::vector<uint8_t> arena_;  // limit_ bytes, and kMaxFrame that are never written
  size_t limit_ = 0;
  size_t next_ = 0;
  size_t free_end_ = 0;        // no byte from next_ up to here is in use
  std::vector<Frame> frames_;  // a power of two
  size_t capacity_ = 0;
  size_t mask_ = 0;
  size_t first_ = 0;
  size_t count_ = 0;
  Nanoseconds next_arrives_ = kNever;
};

}  // namespace metaroce::bench

#endif  // METAROCE_MODEL_BENCH_FRAME_RING_H_
