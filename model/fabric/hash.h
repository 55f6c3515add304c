// How commodity switches choose one of several equal ways: a hash of the five tuple.
//
// Each of these families is linear over GF(2) in the bits of its input, so the hash of a packet is
// the exclusive or of one table entry for each byte, whatever the family.
#ifndef METAROCE_MODEL_FABRIC_HASH_H_
#define METAROCE_MODEL_FABRIC_HASH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "absl/types/span.h"

namespace metaroce::fabric {

enum class HashFamily : uint8_t {
  kCrc16,     // CRC-16/CCITT: polynomial 0x1021, most significant bit first
  kCrc32c,    // CRC-32C (Castagnoli): polynomial 0x1EDC6F41, reflected
  kToeplitz,  // the hash of receive-side scaling, under a key of 40 bytes
  kXorFold,   // exclusive or of the 16-bit words, a last odd byte being the high one
};

// The input: source address, destination address, source port, destination port, protocol, all as
// they stand in the packet. 13 bytes for IPv4 and 37 for IPv6.
struct FiveTuple {
  static constexpr size_t kMax = 37;
  std::array<uint8_t, kMax> bytes = {};
  uint8_t length = 0;
};

// The five tuple of a frame: untagged Ethernet, IPv4 without options or IPv6, UDP. Precondition:
// the bytes hold these headers.
FiveTuple TupleOf(const uint8_t* frame);

// One switch's hash. `seed` is what an operator or the switch sets:
//
//   kCrc16, kCrc32c  the initial value of the register, its low 16 or 32 bits; there is no final
//                    inversion
//   kToeplitz        0: the key that is published for receive-side scaling; otherwise a key drawn
//                    from the seed
//   kXorFold         its low 16 bits are combined with the result
//
// As in a real switch, the seed of a CRC and of the fold changes all hashes by one constant: it
// chooses other ways, and never parts two flows that had the same hash.
class EcmpHash {
 public:
  // Tables that depend on no seed are shared with `like`, if it is of the same family.
  EcmpHash(HashFamily family, uint64_t seed, const EcmpHash* like = nullptr);

  uint32_t operator()(const FiveTuple& tuple) const {
    return Of(absl::Span<const uint8_t>(tuple.bytes.data(), tuple.length));
  }
  // Of at most FiveTuple::kMax bytes.
  uint32_t Of(absl::Span<const uint8_t> bytes) const {
    // One set of tables serves every length: those of a CRC are counted from the last byte, the
    // others from the first.
    const auto* table = tables_->data() + (from_first_ ? 0 : FiveTuple::kMax - bytes.size());
    uint32_t hash = constant_[bytes.size()];
    for (size_t i = 0; i < bytes.size(); ++i) hash ^= table[i][bytes[i]];
    return hash;
  }
  // Of the five tuple of a frame, as TupleOf has it, without a copy.
  //
  // The packets of a flow have the same, and a host has few: `memo` is for those of one host.
  struct Memo {
    uint64_t addresses = 0;
    uint32_t ports = 0;
    uint32_t hash = 0;
  };
  using Memos = std::array<Memo, 64>;
  uint32_t OfFrame(const uint8_t* frame, Memos* memos) const {
    constexpr uint8_t kUdp = 17;
    if (frame[12] != 0x08 || frame[23] != kUdp) return OfFrame(frame);
    Memo now;
    std::memcpy(&now.addresses, frame + 26, sizeof now.addresses);
    std::memcpy(&now.ports, frame + 34, sizeof now.ports);
    if (now.addresses == 0) return OfFrame(frame);  // so is what was never written
    Memo& memo = (*memos)[frame[35] % memos->size()];
    if (memo.addresses != now.addresses || memo.ports != now.ports) {
      now.hash = OfFrame(frame);
      memo = now;
    }
    return memo.hash;
  }
  uint32_t OfFrame(const uint8_t* frame) const {
    return frame[12] == 0x08 ? OfFields<8>(frame + 26, frame[23])
                             : OfFields<32>(frame + 22, frame[20]);
  }

 private:
  using Tables = std::array<std::array<uint32_t, 256>, FiveTuple::kMax>;

  // Addresses of so many bytes with the ports behind them, and the protocol.
  template <size_t kAddresses>
  uint32_t OfFields(const uint8_t* fields, uint8_t protocol) const {
    constexpr size_t kLength = kAddresses + 5;
    const auto* table = tables_->data() + (from_first_ ? 0 : FiveTuple::kMax - kLength);
    uint32_t hash = constant_[kLength] ^ table[kLength - 1][protocol];
    for (size_t i = 0; i + 1 < kLength; ++i) hash ^= table[i][fields[i]];
    return hash;
  }
  static Tables TablesOf(HashFamily family, uint64_t seed);

  HashFamily family_;
  bool from_first_;
  std::shared_ptr<const Tables> tables_;                     // by place
  std::array<uint32_t, FiveTuple::kMax + 1> constant_ = {};  // by length
};

// A generator of numbers that follow from a seed (SplitMix64): the next one.
inline uint64_t NextRandom(uint64_t* state) {
  *state += 0x9E3779B97F4A7C15u;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
// A seed for the `n`-th user of the seed.
inline uint64_t SeedOf(uint64_t seed, uint64_t n) {
  uint64_t state = seed * 0xD1342543DE82EF95u + n;
  NextRandom(&state);
  return NextRandom(&state);
}
// True with a chance of `ppm` in a million.
inline bool Chance(uint64_t* state, uint32_t ppm) {
  return ((NextRandom(state) >> 32) * 1000000) >> 32 < ppm;
}

}  // namespace metaroce::fabric

#endif  // METAROCE_MODEL_FABRIC_HASH_H_
