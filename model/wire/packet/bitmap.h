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

// The bits from `from` on.
constexpr Bitmap BitsFrom(size_t from) {
  Bitmap bits{};
  for (size_t i = from; i < kBitsPerWord * bits.size(); ++i) {
    bits[i / kBitsPerWord] |= uint64_t{1} << (i % kBitsPerWord);
  }
  return bits;
}

// True if `code` is ShortestBitmapCode(BitmapWidth(bitmap)), and the bitmap fits.
inline bool IsShortestBitmapCode(uint8_t code, const Bitmap& bitmap) {
  struct Masks {
    Bitmap beyond;  // bits for which the length has no room
    Bitmap needed;  // bits for which the next shorter length has no room
    bool shortest;  // no length is shorter, and no bit is needed
  };
  static constexpr auto kMasks = [] {
    constexpr auto& kLengths = spec::kPathBlockBitmapLengths;
    std::array<Masks, kLengths.size()> table{};
    for (size_t i = 0; i < table.size(); ++i) {
      size_t shorter = 0;
      bool shortest = true;
      for (const size_t length : kLengths) {
        if (length >= kLengths[i]) continue;
        shorter = std::max(shorter, length);
        shortest = false;
      }
      table[i] = {BitsFrom(kLengths[i]), BitsFrom(shorter), shortest};
    }
    return table;
  }();
  const Masks& masks = kMasks[code];
  for (size_t i = 0; i < bitmap.size(); ++i) {
    if ((bitmap[i] & masks.beyond[i]) != 0) return false;
  }
  bool needed = masks.shortest;
  for (size_t i = 0; i < bitmap.size() && !needed; ++i) {
    needed = (bitmap[i] & masks.needed[i]) != 0;
  }
  return needed;
}

// Sets bitmap_code to the shortest form [WIRE-PATH-BLOCK].
inline void Shorten(spec::PathBlock& block) {
  block.bitmap_code = ShortestBitmapCode(BitmapWidth(block.bitmap));
}

}  // namespace metaroce::packet

#endif  // METAROCE_MODEL_WIRE_PACKET_BITMAP_H_
