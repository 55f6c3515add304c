#include "model/sim/metrics.h"

namespace metaroce::sim {

uint64_t Distribution::Quantile(uint32_t ppm) const {
  uint64_t below = 0;
  for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
    below += buckets_[bucket];
    if (buckets_[bucket] == 0 || Millionths(below, count_) < ppm) continue;
    if (bucket < 16) return bucket;
    const size_t shift = bucket / 16 - 1;
    return std::min(max_, ((uint64_t{16} + bucket % 16 + 1) << shift) - 1);
  }
  return max_;
}

uint64_t Jain(const std::vector<uint64_t>& shares) {
  // Shares of 2^32 and more lose their low bits, all alike.
  uint64_t greatest = 0;
  for (uint64_t share : shares) greatest = std::max(greatest, share);
  const int shift = std::max(0, static_cast<int>(std::bit_width(greatest)) - 32);
  unsigned __int128 sum = 0;
  unsigned __int128 squares = 0;
  for (uint64_t share : shares) {
    const uint64_t x = share >> shift;
    sum += x;
    squares += static_cast<unsigned __int128>(x) * x;
  }
  if (squares == 0) return 0;
  // At most 2^96 * 10^6: it fits for up to 2^16 shares.
  return static_cast<uint64_t>(sum * sum * 1000000 / (squares * shares.size()));
}

}  // namespace metaroce::sim
