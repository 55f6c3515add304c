// Loads and stores of integers at any alignment, in network order (Be) or
// least-significant byte first (Le), the same on every machine.
//
// Precondition of all: the pointer has the bytes. Bounds are the caller's.
#ifndef METAROCE_MODEL_WIRE_FRAME_BYTES_H_
#define METAROCE_MODEL_WIRE_FRAME_BYTES_H_

#include <bit>
#include <cstdint>
#include <cstring>

namespace metaroce::frame {

// Between a word of `order` and one of this machine.
template <std::endian order, typename Word>
inline Word Swapped(Word word) {
  if constexpr (order == std::endian::native) return word;
  if constexpr (sizeof(Word) == 2) return __builtin_bswap16(word);
  if constexpr (sizeof(Word) == 4) return __builtin_bswap32(word);
  if constexpr (sizeof(Word) == 8) return __builtin_bswap64(word);
}

// One load and one store: of bytes put together by shifts, g++ does not always make one.
template <typename Word, std::endian order>
inline Word LoadWord(const uint8_t* p) {
  Word word;
  std::memcpy(&word, p, sizeof(word));
  return Swapped<order>(word);
}
template <typename Word, std::endian order>
inline void StoreWord(uint8_t* p, Word v) {
  v = Swapped<order>(v);
  std::memcpy(p, &v, sizeof(v));
}

inline uint16_t LoadBe16(const uint8_t* p) { return LoadWord<uint16_t, std::endian::big>(p); }
inline uint32_t LoadBe32(const uint8_t* p) { return LoadWord<uint32_t, std::endian::big>(p); }
inline uint64_t LoadBe64(const uint8_t* p) { return LoadWord<uint64_t, std::endian::big>(p); }
inline uint16_t LoadLe16(const uint8_t* p) { return LoadWord<uint16_t, std::endian::little>(p); }
inline uint32_t LoadLe32(const uint8_t* p) { return LoadWord<uint32_t, std::endian::little>(p); }
inline uint64_t LoadLe64(const uint8_t* p) { return LoadWord<uint64_t, std::endian::little>(p); }

inline void StoreBe16(uint8_t* p, uint16_t v) { StoreWord<uint16_t, std::endian::big>(p, v); }
inline void StoreBe32(uint8_t* p, uint32_t v) { StoreWord<uint32_t, std::endian::big>(p, v); }
inline void StoreBe64(uint8_t* p, uint64_t v) { StoreWord<uint64_t, std::endian::big>(p, v); }
inline void StoreLe32(uint8_t* p, uint32_t v) { StoreWord<uint32_t, std::endian::little>(p, v); }

}  // namespace metaroce::frame

#endif  // METAROCE_MODEL_WIRE_FRAME_BYTES_H_
