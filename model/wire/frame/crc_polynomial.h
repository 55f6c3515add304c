// Arithmetic modulo the polynomial of CRC-32, at compile time.
//
// Polynomials are bit-reflected, as the CRC is: the highest bit of a uint32_t is
// x^0, the lowest x^31.
#ifndef METAROCE_MODEL_WIRE_FRAME_CRC_POLYNOMIAL_H_
#define METAROCE_MODEL_WIRE_FRAME_CRC_POLYNOMIAL_H_

#include <cstddef>
#include <cstdint>

namespace metaroce::frame {

inline constexpr uint32_t kCrcPolynomial = 0xEDB88320;  // without its x^32

constexpr uint32_t TimesX(uint32_t v) { return v >> 1 ^ ((v & 1) != 0 ? kCrcPolynomial : 0); }

// The inverse of TimesX; the constant term of P, the highest bit, tells what it did.
constexpr uint32_t DividedByX(uint32_t v) {
  return v >> 31 != 0 ? (v ^ kCrcPolynomial) << 1 | 1 : v << 1;
}

constexpr uint32_t PowerOfX(int n) {
  uint32_t v = uint32_t{1} << 31;
  for (; n > 0; --n) v = TimesX(v);
  for (; n < 0; ++n) v = DividedByX(v);
  return v;
}

constexpr uint32_t TimesMod(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (int i = 31; i >= 0; --i) {
    if ((b >> i & 1) != 0) product ^= a;
    a = TimesX(a);
  }
  return product;
}

// `v` as a factor of a carry-less multiplication: the product of reflected
// polynomials stands one bit too low, which the shift makes good.
constexpr uint64_t AsFactor(uint32_t v) { return uint64_t{v} << 1; }

// P itself, with its x^32.
inline constexpr uint64_t kCrcModulus = uint64_t{kCrcPolynomial} << 1 | 1;

// floor(x^64 / P), 33 bits, for Barrett's reduction.
constexpr uint64_t MakeBarrettQuotient() {
  constexpr uint64_t kNormal = 0x104C11DB7;  // P, the lowest bit x^0
  uint64_t remainder = 0;
  uint64_t quotient = 0;
  for (int power = 64; power >= 0; --power) {
    remainder = remainder << 1 | (power == 64 ? 1 : 0);
    if ((remainder >> 32 & 1) != 0) {
      remainder ^= kNormal;
      quotient |= uint64_t{1} << (32 - power);
    }
  }
  return quotient;
}
inline constexpr uint64_t kBarrettQuotient = MakeBarrettQuotient();

// The state of the CRC after its start, all ones, and eight bytes of 0xFF.
constexpr uint32_t StateAfterEightOnes() {
  uint32_t state = 0xFFFFFFFF;
  for (int i = 0; i < 8; ++i) {
    state ^= 0xFF;
    for (int bit = 0; bit < 8; ++bit) state = TimesX(state);
  }
  return state;
}

}  // namespace metaroce::frame

#endif  // METAROCE_MODEL_WIRE_FRAME_CRC_POLYNOMIAL_H_
