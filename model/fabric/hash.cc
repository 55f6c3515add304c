#include "model/fabric/hash.h"

#include <algorithm>

#include "model/check.h"

namespace metaroce::fabric {
namespace {

using Table = std::array<uint32_t, 256>;

uint32_t Crc16Byte(uint32_t crc, uint8_t byte) {
  crc ^= uint32_t{byte} << 8;
  for (int i = 0; i < 8; ++i) crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? 0x1021 : 0);
  return crc & 0xFFFF;
}

uint32_t Crc32cByte(uint32_t crc, uint8_t byte) {
  crc ^= byte;
  for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0);
  return crc;
}

// Microsoft, "Verifying the RSS Hash Calculation".
constexpr std::array<uint8_t, 40> kPublishedKey = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

// Long enough for 37 bytes of input: a key of 40 bytes covers 36, so it is continued from its
// beginning.
std::array<uint8_t, FiveTuple::kMax + 4> ToeplitzKey(uint64_t seed) {
  std::array<uint8_t, 40> key = kPublishedKey;
  if (seed != 0) {
    for (uint8_t& byte : key) byte = static_cast<uint8_t>(NextRandom(&seed));
  }
  std::array<uint8_t, FiveTuple::kMax + 4> longer;
  for (size_t i = 0; i < longer.size(); ++i) longer[i] = key[i % key.size()];
  return longer;
}

// Bits `bit` to `bit` + 31 of the key.
uint32_t Window(const std::array<uint8_t, FiveTuple::kMax + 4>& key, size_t bit) {
  uint64_t word = 0;
  for (size_t i = 0; i < 5; ++i) {
    const size_t at = bit / 8 + i;
    word = word << 8 | (at < key.size() ? key[at] : 0);
  }
  return static_cast<uint32_t>(word >> (8 - bit % 8));
}

Table ToeplitzTable(const std::array<uint8_t, FiveTuple::kMax + 4>& key, size_t place) {
  Table table = {};
  for (size_t byte = 0; byte < 256; ++byte) {
    for (size_t bit = 0; bit < 8; ++bit) {
      if ((byte >> (7 - bit) & 1) != 0) table[byte] ^= Window(key, 8 * place + bit);
    }
  }
  return table;
}

}  // namespace

FiveTuple TupleOf(const uint8_t* frame) {
  FiveTuple tuple;
  uint8_t* out = tuple.bytes.data();
  if (frame[12] == 0x08) {
    std::copy_n(frame + 26, 8, out);      // both addresses
    std::copy_n(frame + 34, 4, out + 8);  // both ports
    out[12] = frame[23];
    tuple.length = 13;
  } else {
    std::copy_n(frame + 22, 32, out);
    std::copy_n(frame + 54, 4, out + 32);
    out[36] = frame[20];
    tuple.length = 37;
  }
  return tuple;
}

EcmpHash::Tables EcmpHash::TablesOf(HashFamily family, uint64_t seed) {
  constexpr size_t kMax = FiveTuple::kMax;
  Tables tables = {};
  if (family == HashFamily::kToeplitz) {
    const auto key = ToeplitzKey(seed);
    for (size_t place = 0; place < kMax; ++place) tables[place] = ToeplitzTable(key, place);
    return tables;
  }
  if (family == HashFamily::kXorFold) {
    for (size_t place = 0; place < kMax; ++place) {
      const uint32_t shift = place % 2 == 0 ? 8 : 0;
      for (uint32_t byte = 0; byte < 256; ++byte) tables[place][byte] = byte << shift;
    }
    return tables;
  }
  const auto step = family == HashFamily::kCrc16 ? Crc16Byte : Crc32cByte;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    // The last place, and from there one zero byte more behind it each time.
    uint32_t crc = step(0, static_cast<uint8_t>(byte));
    for (size_t place = kMax; place-- > 0; crc = step(crc, 0)) tables[place][byte] = crc;
  }
  return tables;
}

EcmpHash::EcmpHash(HashFamily family, uint64_t seed, const EcmpHash* like)
    : family_(family),
      from_first_(family == HashFamily::kToeplitz || family == HashFamily::kXorFold) {
  const bool of_seed = family == HashFamily::kToeplitz;
  tables_ = like != nullptr && like->family_ == family && !of_seed
                ? like->tables_
                : std::make_shared<const Tables>(TablesOf(family, seed));
  if (of_seed) return;
  if (family == HashFamily::kXorFold) {
    constant_.fill(static_cast<uint32_t>(seed & 0xFFFF));
    return;
  }
  const auto step = family == HashFamily::kCrc16 ? Crc16Byte : Crc32cByte;
  uint32_t initial = static_cast<uint32_t>(seed);
  if (family == HashFamily::kCrc16) initial &= 0xFFFF;
  for (size_t length = 0; length <= FiveTuple::kMax; ++length) {
    constant_[length] = initial;
    for (size_t i = 0; i < length; ++i) constant_[length] = step(constant_[length], 0);
  }
}

}  // namespace metaroce::fabric
