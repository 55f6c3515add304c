// 128 bits of a byte string, the same on every machine. States are told apart by them: with 10^8
// states the chance that two are taken for one is about 10^-23.
#ifndef METAROCE_FUZZ_EXPLORE_HASH_H_
#define METAROCE_FUZZ_EXPLORE_HASH_H_

#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"

namespace metaroce::explore {

struct Hash128 {
  uint64_t high = 0;
  uint64_t low = 0;

  bool operator==(const Hash128&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const Hash128& x) {
    return H::combine(std::move(h), x.low);
  }
};

inline uint64_t Mix(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product >> 64) ^ static_cast<uint64_t>(product);
}

inline Hash128 Hash(absl::string_view bytes) {
  uint64_t a = 0x9E3779B97F4A7C15 ^ bytes.size();
  uint64_t b = 0xD1B54A32D192ED03;
  const auto word = [](const char* p, size_t n) {
    uint64_t w = 0;
    for (size_t i = 0; i < n; ++i) w |= uint64_t{static_cast<uint8_t>(p[i])} << (8 * i);
    return w;
  };
  const char* p = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; p += 8, left -= 8) {
    const uint64_t w = word(p, 8);
    a = Mix(a ^ w, 0xA0761D6478BD642F);
    b = Mix(b + w, 0xE7037ED1A0B428DB) ^ a;
  }
  const uint64_t w = word(p, left) | uint64_t{left + 1} << 56;
  a = Mix(a ^ w, 0x8EBC6AF09C88C6E3);
  b = Mix(b + w, 0x589965CC75374CC3) ^ a;
  return {Mix(a, b ^ 0x1D8E4E27C47D124F), Mix(b, a ^ 0xEB44ACCAB455D165)};
}

}  // namespace metaroce::explore

#endif  // METAROCE_FUZZ_EXPLORE_HASH_H_
