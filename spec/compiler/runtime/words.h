// Big-endian words in memory, for the generated code of spec/layouts.h. No alignment is needed.
#ifndef SPEC_COMPILER_RUNTIME_WORDS_H_
#define SPEC_COMPILER_RUNTIME_WORDS_H_

#include <bit>
#include <cstdint>
#include <cstring>

namespace metaroce::spec {

inline uint64_t LoadWord64(const uint8_t* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
  return word;
}

inline uint32_t LoadWord32(const uint8_t* bytes) {
  uint32_t word;
  std::memcpy(&word, bytes, sizeof(word));
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap32(word);
  return word;
}

inline void StoreWord64(uint64_t word, uint8_t* bytes) {
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
  std::memcpy(bytes, &word, sizeof(word));
}

inline void StoreWord32(uint32_t word, uint8_t* bytes) {
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap32(word);
  std::memcpy(bytes, &word, sizeof(word));
}

}  // namespace metaroce::spec

#endif  // SPEC_COMPILER_RUNTIME_WORDS_H_
