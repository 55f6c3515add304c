// The bitmap of a path block: bit i, of weight 2^i on the wire, stands for path sequence base + i
// [WIRE-PATH-BLOCK]. Here it is bit i % 64 of word i / 64.
#ifndef METAROCE_MODEL_WIRE_PACKET_BITMAP_H_
#define METAROCE_MODEL_WIRE_PACKET_BITMAP_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "spec/layouts.h"

namespace metaroce::packet {

using Bitmap = decltype(spec::PathBlock::bitmap);

inline constexpr size_t kBitsPerWord = 64;

// Precondition of both: i < 64 * the number of words.
inline bool BitmapBit(const Bitmap& bitmap, size_t i) {
  return (bitmap[i / kBitsPerWord] >> (i % kBitsPerWord) & 1) != 0;
}
inline void SetBitmapBit(Bitmap& bitmap, size_t i) {
  bitmap[i / kBitsPerWord] |= uint64_t{1} << (i % kBitsPerWord);
}

// One more than the greatest i whose bit is set, 0 if none is.
inline size_t BitmapWidth(const Bitmap& bitmap) {
  for (size_t w = bitmap.size(); w-- > 0;) {
    if (bitmap[w] != 0) return w * kBitsPerWord + std::bit_width(bitmap[w]);
  }
  return 0;
}

// The code of the shortest bitmap of `width` bits or more; if there is none, of the longest.
inline uint8_t ShortestBitmapCode(size_t width) {
  const auto& lengths = spec::kPathBlockBitmapLengths;
  size_t best = 0;
  for (size_t code = 1; code < lengths.size(); ++code) {
    const bool covers = lengths[code] >= width;
    const bool best_covers = lengths[best] >= width;
    const bool shorter = lengths[code] < lengths[best];
    if (covers ? !best_covers || shorter : !best_covers && !shorter) best = code;
  }
  return static_cast<uint8_t>(best);
}

// True if `code` is ShortestBitmapCode(BitmapWidth(bitmap)), and the bitmap fits.
inline bool IsShortestBitmapCode(uint8_t code, const Bitmap& bitmap) {
  // The width that is too short for each code: the next shorter length has it as well.
  static constexpr auto kTooShort = [] {
    std::array<int32_t, spec::kPathBlockBitmapLengths.size()> table{};
    for (size_t i = 0; i < table.size(); ++i) {
      table[i] = -1;
      for (const int32_t length : spec::kPathBlockBitmapLengths) {
        if (length < spec::kPathBlockBitmapLengths[i]) table[i] = std::max(table[i], length);
      }
    }
    return table;
  }();
  const auto width = static_cast<int32_t>(BitmapWidth(bitmap));
  return kTooShort[code] < width && width <= spec::kPathBlockBitmapLengths[code];
}

// Sets bitmap_code to the shortest form [WIRE-PATH-BLOCK].
inline void Shorten(spec::PathBlock& block) {
  block.bitmap_code = ShortestBitmapCode(BitmapWidth(block.bitmap));
}

}  // namespace metaroce::packet

#endif  // METAROCE_MODEL_WIRE_PACKET_BITMAP_H_
