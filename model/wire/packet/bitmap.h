// The bitmap of a path block as words, and its form on the wire: one big-endian integer in which
// the bit of weight 2^i stands for path sequence base + i [WIRE-PATH-BLOCK].
#ifndef METAROCE_MODEL_WIRE_PACKET_BITMAP_H_
#define METAROCE_MODEL_WIRE_PACKET_BITMAP_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "model/wire/frame/bytes.h"
#include "model/wire/packet/tables.h"

namespace metaroce::packet {

// What layout `path_block` says of its bitmap: the lengths by the code that selects them.
inline constexpr const spec::BitmapInfo& kBitmapInfo =
    *spec::kLayouts[static_cast<size_t>(spec::LayoutId::kPathBlock)].bitmap;

// Bits of the bitmap that `code` selects. Precondition: code < kBitmapInfo.count.
constexpr size_t BitmapBits(size_t code) { return kBitmapInfo.lengths[code]; }

inline constexpr size_t kMaxBitmapBits =
    *std::max_element(kBitmapInfo.lengths, kBitmapInfo.lengths + kBitmapInfo.count);

// Bit i is bit i % 64 of word i / 64.
struct Bitmap {
  static constexpr size_t kWords = (kMaxBitmapBits + 63) / 64;

  std::array<uint64_t, kWords> words;

  // Precondition of both: i < kMaxBitmapBits.
  bool bit(size_t i) const { return (words[i / 64] >> (i % 64) & 1) != 0; }
  void set(size_t i, bool value = true) {
    const uint64_t mask = uint64_t{1} << (i % 64);
    words[i / 64] = value ? words[i / 64] | mask : words[i / 64] & ~mask;
  }

  // One more than the greatest i whose bit is set, 0 if none is.
  size_t width() const {
    for (size_t w = kWords; w-- > 0;) {
      if (words[w] != 0) return w * 64 + std::bit_width(words[w]);
    }
    return 0;
  }

  friend bool operator==(const Bitmap&, const Bitmap&) = default;
};

// The least code whose bitmap has `width` bits or more; kBitmapInfo.count if there is none.
inline size_t ShortestBitmapCode(size_t width) {
  size_t best = kBitmapInfo.count;
  for (size_t code = 0; code < kBitmapInfo.count; ++code) {
    const bool covers = BitmapBits(code) >= width;
    if (covers && (best == kBitmapInfo.count || BitmapBits(code) < BitmapBits(best))) best = code;
  }
  return best;
}

// Reads `bits` bits at `p`, a multiple of 8 and at most kMaxBitmapBits. Bits beyond are 0.
inline Bitmap LoadBitmap(const uint8_t* p, size_t bits) {
  Bitmap bitmap;
  size_t left = bits / 8;
  for (uint64_t& word : bitmap.words) {
    if (left >= 8) {
      left -= 8;
      word = frame::LoadBe64(p + left);
    } else {
      word = 0;
      for (size_t i = 0; i < left; ++i) word = word << 8 | p[i];
      left = 0;
    }
  }
  return bitmap;
}

// The inverse. Bits of `bitmap` from `bits` on are not written.
inline void StoreBitmap(const Bitmap& bitmap, uint8_t* p, size_t bits) {
  size_t left = bits / 8;
  for (uint64_t word : bitmap.words) {
    if (left >= 8) {
      left -= 8;
      frame::StoreBe64(p + left, word);
    } else {
      for (; left > 0; word >>= 8) p[--left] = static_cast<uint8_t>(word);
    }
  }
}

}  // namespace metaroce::packet

#endif  // METAROCE_MODEL_WIRE_PACKET_BITMAP_H_
