// The order of the entropies, and which of them a path takes next (section 9.2).
#include <algorithm>
#include <array>

#include "absl/types/span.h"
#include "model/endpoint/scope.h"

namespace metaroce::endpoint {
namespace {

constexpr uint32_t kEntropies = 1 << 14;

uint32_t Mix(uint32_t b, uint32_t key, uint32_t r) {
  const uint64_t k = 2 * ((key >> (8 * r)) & 255) + 1;
  return static_cast<uint32_t>((((2 * b + 1) * k * 40503) >> 9) & 127);
}

}  // namespace

//= ENTROPY-CHOICE
//# then for r = 0, 1, 2, 3: k = 2 * ((K >> (8 * r)) modulo 256) + 1, f = (((2 * b + 1) * k * 40503)
//# >> 9) modulo 128, and (a, b) become (b, a xor f).
uint16_t EntropyOf(uint32_t index, uint32_t key) {
  uint32_t a = index >> 7;
  uint32_t b = index & 127;
  for (uint32_t r = 0; r < 4; ++r) {
    const uint32_t before = a;
    a = b;
    b = before ^ Mix(a, key, r);
  }
  //= WIRE-ENTROPY
  //# It lies between `entropy_min` and `entropy_max`.
  return static_cast<uint16_t>(spec::constant::kEntropyMin + (a << 7) + b);
}

namespace {

// The index whose entropy this is.
uint32_t IndexOf(uint16_t entropy, uint32_t key) {
  uint32_t a = static_cast<uint32_t>(entropy - spec::constant::kEntropyMin) >> 7;
  uint32_t b = entropy & 127;
  for (uint32_t r = 4; r-- > 0;) {
    const uint32_t before = b ^ Mix(a, key, r);
    b = a;
    a = before;
  }
  return a << 7 | b;
}

//= ENTROPY-RULE
//# differs from that of every OPENING, ACTIVE and SUSPECT path of the direction, and differs from
//# that of the last epoch of its own path.
bool Admitted(const Scope& s, uint8_t path, uint16_t entropy) {
  for (size_t q = 0; q < s.c.out.size(); ++q) {
    const SendPath& other = s.c.out[q];
    const bool counts = q == path ? other.used : bool(other.context);
    if (counts && other.route.entropy == entropy) return false;
  }
  return true;
}

// The admitted entropies in the default order.
class Entropies : public Places {
 public:
  // `taken`: the others, each once, as distances in that order from its beginning at `index`,
  // ascending.
  Entropies(uint32_t index, uint32_t key, absl::Span<const uint16_t> taken)
      : Places(kEntropies - taken.size()), index_(index), key_(key), taken_(taken) {}

  uint64_t Face(uint64_t place) const override {
    return EntropyOf((index_ + Distance(place)) % kEntropies, key_);
  }
  std::optional<uint64_t> Find(uint64_t face) const override {
    if (face < spec::constant::kEntropyMin || face > UINT16_MAX) return std::nullopt;
    const uint32_t distance =
        (IndexOf(static_cast<uint16_t>(face), key_) + kEntropies - index_) % kEntropies;
    const auto at = std::lower_bound(taken_.begin(), taken_.end(), distance);
    if (at != taken_.end() && *at == distance) return std::nullopt;
    return distance - static_cast<uint64_t>(at - taken_.begin());
  }

  uint32_t Distance(uint64_t place) const {
    uint32_t distance = static_cast<uint32_t>(place);
    for (uint16_t taken : taken_) distance += taken <= distance ? 1 : 0;
    return distance;
  }

 private:
  uint32_t index_;
  uint32_t key_;
  absl::Span<const uint16_t> taken_;
};

// How far from the beginning the next entropy stands, by choice.
uint32_t ChooseEntropy(const Scope& s, uint8_t path, uint32_t key) {
  std::array<uint16_t, 257> taken;
  size_t count = 0;
  for (size_t q = 0; q < s.c.out.size(); ++q) {
    const uint16_t entropy = s.c.out[q].route.entropy;
    if (entropy < spec::constant::kEntropyMin || Admitted(s, path, entropy)) continue;
    taken[count++] = static_cast<uint16_t>(
        (IndexOf(entropy, key) + kEntropies - s.c.entropy_index) % kEntropies);
  }
  if (count > 0) s.Hit(spec::clause::kEntropyRule);
  std::sort(taken.begin(), taken.begin() + count);
  count = static_cast<size_t>(std::unique(taken.begin(), taken.begin() + count) - taken.begin());
  const Entropies domain(s.c.entropy_index, key, absl::MakeConstSpan(taken.data(), count));
  return domain.Distance(s.step.chooser->Place(spec::Choice::kEntropy, domain));
}

uint32_t KeyOf(const Scope& s) { return s.c.initiator ? s.c.tag : ~s.c.tag; }

}  // namespace

uint16_t NewEntropy(const Scope& s, uint8_t path) {
  const uint32_t key = KeyOf(s);
  uint32_t index = s.c.entropy_index;
  if (s.step.chooser != nullptr) [[unlikely]] {
    index = (index + ChooseEntropy(s, path, key)) % kEntropies;
  } else {
    while (!Admitted(s, path, EntropyOf(index, key))) {
      s.Hit(spec::clause::kEntropyRule);
      index = (index + 1) % kEntropies;
    }
  }
  s.Hit(spec::clause::kEntropyChoice);
  s.c.entropy_index = (index + 1) % kEntropies;
  return EntropyOf(index, key);
}

uint16_t DefaultEntropy(const Scope& s, uint32_t index) {
  return EntropyOf(index % kEntropies, KeyOf(s));
}

}  // namespace metaroce::endpoint
