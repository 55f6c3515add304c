// A registered memory region (CHECK-ACCESS).
#ifndef METAROCE_MODEL_ENDPOINT_REGION_H_
#define METAROCE_MODEL_ENDPOINT_REGION_H_

#include <cstdint>

namespace metaroce {

// What a memory region admits, as a sum.
enum Rights : uint8_t { kRemoteWrite = 1, kRemoteRead = 2, kRemoteAtomic = 4 };

struct Region {
  uint64_t address = 0;
  uint64_t length = 0;
  uint32_t rkey = 0;
  uint8_t rights = 0;
  bool valid = true;

  // [address, address + length) lies in the region; no sum is taken that could wrap.
  bool Holds(uint64_t at, uint64_t bytes) const {
    return at >= address && at - address <= length && bytes <= length - (at - address);
  }

  bool operator==(const Region&) const = default;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_ENDPOINT_REGION_H_
