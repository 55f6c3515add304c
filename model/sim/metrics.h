// What a simulation counts while it runs. Integers alone: times in nanoseconds, sizes in bytes of
// wire size, shares in millionths.
#ifndef METAROCE_MODEL_SIM_METRICS_H_
#define METAROCE_MODEL_SIM_METRICS_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "model/serial.h"

namespace metaroce::sim {

// `part` of `whole` in millionths; 0 of nothing.
inline uint64_t Millionths(uint64_t part, uint64_t whole) {
  if (whole == 0) return 0;
  return static_cast<uint64_t>(static_cast<unsigned __int128>(part) * 1000000 / whole);
}
// The bytes that a rate carries in a time.
inline uint64_t BytesIn(uint64_t mbps, Nanoseconds time) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(mbps) *
                               static_cast<uint64_t>(std::max<Nanoseconds>(0, time)) / 8000);
}

// Numbers in buckets of one sixteenth of a power of two: quantiles within 1/16, and no more memory
// however many there are.
class Distribution {
 public:
  void Add(uint64_t value) {
    ++buckets_[BucketOf(value)];
    ++count_;
    sum_ += value;
    max_ = std::max(max_, value);
  }
  uint64_t count() const { return count_; }
  uint64_t mean() const { return count_ == 0 ? 0 : static_cast<uint64_t>(sum_ / count_); }
  uint64_t max() const { return max_; }
  // The least upper end of a bucket below which at least `ppm` millionths lie.
  uint64_t Quantile(uint32_t ppm) const;

 private:
  static constexpr size_t kBuckets = 61 * 16;
  static size_t BucketOf(uint64_t value) {
    if (value < 16) return static_cast<size_t>(value);
    const int shift = static_cast<int>(std::bit_width(value)) - 5;
    return static_cast<size_t>(shift + 1) * 16 + static_cast<size_t>((value >> shift) & 15);
  }

  std::array<uint32_t, kBuckets> buckets_ = {};
  uint64_t count_ = 0;
  unsigned __int128 sum_ = 0;
  uint64_t max_ = 0;
};

// Bytes over time in few pieces of one width, which doubles when the time has outgrown them.
class Pieces {
 public:
  static constexpr size_t kCount = 32;
  void Add(Nanoseconds at, uint64_t bytes) {
    while (at >> shift_ >= static_cast<Nanoseconds>(kCount)) Double();
    pieces_[static_cast<size_t>(at >> shift_)] += bytes;
  }
  // Of the pieces that begin at or after `from`.
  uint64_t Since(Nanoseconds from) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < kCount; ++i) {
      if (static_cast<Nanoseconds>(i) << shift_ >= from) sum += pieces_[i];
    }
    return sum;
  }

 private:
  void Double() {
    for (size_t i = 0; i < kCount / 2; ++i) pieces_[i] = pieces_[2 * i] + pieces_[2 * i + 1];
    std::fill(pieces_.begin() + kCount / 2, pieces_.end(), 0);
    ++shift_;
  }

  std::array<uint64_t, kCount> pieces_ = {};
  int shift_ = 10;  // a piece holds 2^shift_ ns
};

// Jain's index of fairness, in millionths: 1,000,000 if all are equal. 0 of nothing.
uint64_t Jain(const std::vector<uint64_t>& shares);

// What one end of a connection sent on one path.
struct PathCounts {
  uint64_t data = 0;    // DATA packets, all transmissions
  uint64_t again = 0;   // of these, retransmissions and moved ones
  uint64_t moved = 0;   // of these, moved ones
  uint64_t lost = 0;    // DATA lost in the fabric
  uint64_t marked = 0;  // DATA that arrived marked
  uint64_t acks = 0;
  uint16_t route = 65535;  // the spine that the latest packet to arrive took
};

// What a class of packets did.
struct ClassCounts {
  uint64_t sent = 0;
  uint64_t arrived = 0;
  uint64_t tail_drops = 0;
  uint64_t other_drops = 0;
};

}  // namespace metaroce::sim

#endif  // METAROCE_MODEL_SIM_METRICS_H_
