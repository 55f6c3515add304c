// The CRC-32 of a string of which some early bits count as ones: what the iCRC
// is made of.
//
// Long strings are ISA-L's work, where it uses as wide a multiplication as is used here. For the
// rest, and for the masked beginning of a long one, a CRC-32 is the remainder of the message, as a
// polynomial, by P. A block of 16 bytes that stands d blocks before the end is worth its product
// with x^(128 d) mod P at the end. The products do not depend on each other, so the processor
// overlaps them, and one reduction gives the CRC. Masked bytes never leave the registers: to write
// them to a buffer first would cost more than the CRC of a header.
#ifndef METAROCE_MODEL_WIRE_FRAME_MASKED_CRC_H_
#define METAROCE_MODEL_WIRE_FRAME_MASKED_CRC_H_

#include <cstddef>
#include <cstdint>

namespace metaroce::frame {

// The bits that count as ones, for the first bytes of a string.
class CrcMask {
 public:
  // IPv4 with 40 bytes of options, UDP, and the first five bytes behind.
  static constexpr size_t kMaxExtent = 60 + 8 + 5;
  // Zeros around the bits, so that any window of 64 bytes that touches them and
  // begins less than one block before them can be loaded whole.
  static constexpr size_t kBefore = 16;
  static constexpr size_t kAfter = 64;

  // Precondition: index < kMaxExtent.
  constexpr void Set(size_t index, uint8_t bits) {
    bytes_[kBefore + index] |= bits;
    if (index + 1 > extent_) extent_ = index + 1;
  }

  // Bytes from here on have no bit set.
  constexpr size_t extent() const { return extent_; }
  // The bits of byte 0 of the string.
  constexpr const uint8_t* bits() const { return bytes_ + kBefore; }

 private:
  size_t extent_ = 0;
  uint8_t bytes_[kBefore + kMaxExtent + kAfter] = {};
};

// How the blocks are multiplied. All give the same.
enum class CrcMethod : uint8_t {
  kPortable,  // by ISA-L alone, from a copy of the masked bytes
  kNarrow,    // x86-64 with PCLMULQDQ and AVX, a block at a time
  kPairs,     // x86-64 with VPCLMULQDQ and AVX2, two blocks at a time
  kWide,      // x86-64 with VPCLMULQDQ and AVX-512, four blocks at a time
};

// True if this machine can run `method`.
bool IsSupported(CrcMethod method);

// The CRC-32 (as zlib's crc32) of eight bytes of 0xFF and then `length` bytes at
// `data` with the bits of `mask` set; bits of bytes beyond `length` do not count.
// Precondition: IsSupported(method), length >= 16.
uint32_t MaskedCrc(CrcMethod method, const uint8_t* data, size_t length, const CrcMask& mask);

// By the fastest method of this machine.
uint32_t MaskedCrc(const uint8_t* data, size_t length, const CrcMask& mask);

}  // namespace metaroce::frame

#endif  // METAROCE_MODEL_WIRE_FRAME_MASKED_CRC_H_
