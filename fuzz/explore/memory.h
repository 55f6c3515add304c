// The memory of both sides: what stands at an address follows from the address, but for one word,
// which atomics change. A Send and its receive stand at the same address of either side, as a Write
// and what it writes do.
#ifndef METAROCE_FUZZ_EXPLORE_MEMORY_H_
#define METAROCE_FUZZ_EXPLORE_MEMORY_H_

#include <cstdint>

namespace metaroce::explore {

inline constexpr uint64_t kBase = 0x10000;
inline constexpr uint32_t kMemory = 0x100000;  // bytes
inline constexpr uint64_t kWord = kBase + kMemory - 8;
inline constexpr uint32_t kRkey = 0x4242;  // of all of it

inline uint8_t ByteAt(uint64_t address) {
  return static_cast<uint8_t>((address * 0x9E3779B97F4A7C15) >> 56);
}

}  // namespace metaroce::explore

#endif  // METAROCE_FUZZ_EXPLORE_MEMORY_H_
