// Fields of any width at any bit of a byte string, most significant bit first, one bit at a time:
// slow and plain, as a second opinion on the generated code.
#ifndef METAROCE_MODEL_WIRE_PACKET_BITS_H_
#define METAROCE_MODEL_WIRE_PACKET_BITS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace metaroce::packet {

// Precondition of both: bits <= 64, and the bytes hold bits `offset` to `offset` + `bits` - 1,
// where bit 0 is the most significant of the first byte.
inline uint64_t GetBits(absl::Span<const uint8_t> bytes, size_t offset, size_t bits) {
  uint64_t value = 0;
  for (size_t i = offset; i < offset + bits; ++i) {
    value = value << 1 | (bytes[i / 8] >> (7 - i % 8) & 1);
  }
  return value;
}

// Writes the `bits` least significant bits of `value`, and no other bit of `bytes`.
inline void SetBits(absl::Span<uint8_t> bytes, size_t offset, size_t bits, uint64_t value) {
  for (size_t i = offset + bits; i-- > offset; value >>= 1) {
    const auto mask = static_cast<uint8_t>(1 << (7 - i % 8));
    bytes[i / 8] = static_cast<uint8_t>((bytes[i / 8] & ~mask) | ((value & 1) != 0 ? mask : 0));
  }
}

}  // namespace metaroce::packet

#endif  // METAROCE_MODEL_WIRE_PACKET_BITS_H_
