#include "model/wire/frame/masked_crc.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "model/wire/frame/crc_polynomial.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace metaroce::frame {
namespace {

constexpr size_t kPlaceholder = 8;  // the bytes of 0xFF
// The state of a CRC that has seen only zeros, as a seed.
constexpr uint32_t kZeroSeed = 0xFFFFFFFF;

uint32_t IsaLCrc(uint32_t seed, const uint8_t* data, size_t length) {
  const uint32_t crc = crc32_gzip_refl(seed, data, length);
#if defined(__x86_64__)
  // ISA-L leaves the upper halves of the vector registers in use, which slows
  // down every SSE instruction after it, here and in the caller.
  if (__builtin_cpu_supports("avx")) asm volatile("vzeroupper");
#endif
  return crc;
}

uint32_t PortableCrc(const uint8_t* data, size_t length, const CrcMask& mask) {
  uint8_t prefix[kPlaceholder + CrcMask::kMaxExtent];
  std::memset(prefix, 0xFF, kPlaceholder);
  const size_t masked = std::min(length, mask.extent());
  for (size_t i = 0; i < masked; ++i) prefix[kPlaceholder + i] = data[i] | mask.bits()[i];
  const uint32_t crc = IsaLCrc(0, prefix, kPlaceholder + masked);
  return IsaLCrc(crc, data + masked, length - masked);
}

#if defined(__x86_64__)

#define METAROCE_NARROW __attribute__((target("pclmul,avx")))
#define METAROCE_PAIRS __attribute__((target("pclmul,avx,avx2,vpclmulqdq")))
#define METAROCE_WIDE \
  __attribute__((target("pclmul,avx,avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq")))

constexpr size_t kBlock = 16;
constexpr size_t kLanes = 4;  // blocks in a wide register
// Shorter strings are folded whole, longer ones up to a number of strides from
// the end, for which ISA-L has its fastest loop.
constexpr size_t kFoldWhole = 512;
constexpr size_t kStride = 256;
constexpr size_t kStrideBlocks = kStride / kBlock;
// The longest folded: less than a stride beyond the mask.
constexpr size_t kMaxBlocks = (std::max(kFoldWhole, CrcMask::kMaxExtent + kStride) + 15) / kBlock;
// 65535 bytes of IPv6 payload, the header and the options are less than these.
constexpr size_t kMaxStrides = 257;

// The factors that move a block by d bits: of its first eight bytes, which are
// the higher powers, and of the others. They leave 32 bits for Reduce.
struct Move {
  uint64_t low;
  uint64_t high;
};

// By descending distance, so that consecutive blocks find consecutive moves;
// kMoves[kMaxBlocks - 1] moves by 0. The zeros after it are for absent blocks.
constexpr std::array<Move, kMaxBlocks + kLanes> MakeMoves() {
  std::array<Move, kMaxBlocks + kLanes> moves{};
  for (size_t d = 0; d < kMaxBlocks; ++d) {
    const int bits = static_cast<int>(8 * kBlock * d);
    moves[kMaxBlocks - 1 - d] = {AsFactor(PowerOfX(bits + 32)), AsFactor(PowerOfX(bits - 32))};
  }
  return moves;
}
alignas(64) constexpr std::array<Move, kMaxBlocks + kLanes> kMoves = MakeMoves();

// By the distance in strides.
constexpr std::array<Move, kMaxStrides + 1> MakeStrideMoves() {
  constexpr uint32_t kStrideFactor = PowerOfX(8 * kStride);
  std::array<Move, kMaxStrides + 1> moves{};
  uint32_t low = PowerOfX(32);
  uint32_t high = PowerOfX(-32);
  for (Move& move : moves) {
    move = {AsFactor(low), AsFactor(high)};
    low = TimesMod(low, kStrideFactor);
    high = TimesMod(high, kStrideFactor);
  }
  return moves;
}
alignas(16) constexpr std::array<Move, kMaxStrides + 1> kStrideMoves = MakeStrideMoves();

struct Windows {
  // The state after the placeholder is added to the first four bytes.
  uint8_t state[kBlock + 64];
  // pshufb indices: at offset kBlock - n, those that move a block up by n bytes.
  uint8_t shift[2 * kBlock];
};

constexpr Windows MakeWindows() {
  Windows w{};
  for (size_t i = 0; i < 4; ++i) {
    w.state[kBlock + i] = static_cast<uint8_t>(StateAfterEightOnes() >> 8 * i);
  }
  for (size_t i = 0; i < kBlock; ++i) {
    w.shift[i] = 0x80;
    w.shift[kBlock + i] = static_cast<uint8_t>(i);
  }
  return w;
}
constexpr Windows kWindows = MakeWindows();

METAROCE_NARROW inline __m128i Load(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}

METAROCE_NARROW inline __m128i Product(__m128i block, const Move& by) {
  const __m128i move = Load(&by);
  return _mm_xor_si128(_mm_clmulepi64_si128(block, move, 0x00),
                       _mm_clmulepi64_si128(block, move, 0x11));
}

// The state of the CRC whose string, as a polynomial, is congruent to `x`.
METAROCE_NARROW inline uint32_t Reduce(__m128i x) {
  const __m128i low32 = _mm_set_epi32(0, 0, 0, -1);
  const __m128i factors = _mm_set_epi64x(AsFactor(PowerOfX(64)), AsFactor(PowerOfX(96)));
  const __m128i barrett = _mm_set_epi64x(kBarrettQuotient, kCrcModulus);
  x = _mm_xor_si128(_mm_clmulepi64_si128(x, factors, 0x00), _mm_srli_si128(x, 8));
  x = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(x, low32), factors, 0x10),
                    _mm_srli_si128(x, 4));
  __m128i q = _mm_clmulepi64_si128(_mm_and_si128(x, low32), barrett, 0x10);
  q = _mm_clmulepi64_si128(_mm_and_si128(q, low32), barrett, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(x, q), 1));
}

// A string as whole blocks: zeros before a message do not change its remainder,
// so `lead` of them come first.
struct Layout {
  size_t blocks;
  size_t lead;
};
inline Layout LayOut(size_t length) {
  const size_t blocks = (length + kBlock - 1) / kBlock;
  return {blocks, blocks * kBlock - length};
}

// What is left to do of a string, and the sum of what is done.
struct Folded {
  __m128i sum;
  size_t blocks_done;
};

// The blocks that have a masked byte, and the first two in any case, so that no later block has a
// part of the state.
METAROCE_NARROW inline Folded FoldMasked(const uint8_t* data, const Layout& layout,
                                         const CrcMask& mask, const Move* moves) {
  const auto [blocks, lead] = layout;
  const uint8_t* mask_at = mask.bits() - lead;
  const uint8_t* state_at = kWindows.state + kBlock - lead;
  __m128i block = _mm_shuffle_epi8(Load(data), Load(kWindows.shift + kBlock - lead));
  block = _mm_xor_si128(_mm_or_si128(block, Load(mask_at)), Load(state_at));
  __m128i sum = Product(block, moves[0]);
  // More than twelve bytes of lead push the state into the second block.
  __m128i state = Load(state_at + kBlock);
  const size_t masked = (lead + mask.extent() + kBlock - 1) / kBlock;
  const size_t end = std::min(blocks, std::max(masked, size_t{2}));
  for (size_t i = 1; i < end; ++i) {
    block = _mm_or_si128(Load(data + (i * kBlock - lead)), Load(mask_at + i * kBlock));
    sum = _mm_xor_si128(sum, Product(_mm_xor_si128(block, state), moves[i]));
    state = _mm_setzero_si128();
  }
  return {sum, end};
}

// The share of the string in the state of a CRC that goes on for `strides`.
METAROCE_NARROW uint32_t FoldNarrow(const uint8_t* data, size_t length, const CrcMask& mask,
                                    size_t strides) {
  const Layout layout = LayOut(length);
  const Move* moves = &kMoves[kMaxBlocks - layout.blocks];
  auto [sum, i] = FoldMasked(data, layout, mask, moves);
  for (; i < layout.blocks; ++i) {
    sum = _mm_xor_si128(sum, Product(Load(data + (i * kBlock - layout.lead)), moves[i]));
  }
  if (strides != 0) sum = Product(sum, kStrideMoves[strides]);
  return Reduce(sum);
}

METAROCE_PAIRS inline __m256i LoadPair(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}

METAROCE_PAIRS inline __m256i ProductOfPair(__m256i pair, __m256i moves) {
  return _mm256_xor_si256(_mm256_clmulepi64_epi128(pair, moves, 0x00),
                          _mm256_clmulepi64_epi128(pair, moves, 0x11));
}

METAROCE_PAIRS inline __m128i SumOfPair(__m256i pair) {
  return _mm_xor_si128(_mm256_castsi256_si128(pair), _mm256_extracti128_si256(pair, 1));
}

METAROCE_PAIRS uint32_t FoldPairs(const uint8_t* data, size_t length, const CrcMask& mask,
                                  size_t strides) {
  const Layout layout = LayOut(length);
  const Move* moves = &kMoves[kMaxBlocks - layout.blocks];
  auto [sum, i] = FoldMasked(data, layout, mask, moves);
  __m256i pairs = _mm256_setzero_si256();
  for (; i + 2 <= layout.blocks; i += 2) {
    const __m256i pair = LoadPair(data + (i * kBlock - layout.lead));
    pairs = _mm256_xor_si256(pairs, ProductOfPair(pair, LoadPair(&moves[i])));
  }
  if (i < layout.blocks) {
    sum = _mm_xor_si128(sum, Product(Load(data + (i * kBlock - layout.lead)), moves[i]));
  }
  sum = _mm_xor_si128(sum, SumOfPair(pairs));
  if (strides != 0) sum = Product(sum, kStrideMoves[strides]);
  return Reduce(sum);
}

// The state of a CRC that has seen only zeros, after that many strides. Precondition: strides > 0.
METAROCE_PAIRS uint32_t CrcOfStridesByPairs(const uint8_t* data, size_t strides) {
  constexpr size_t kPairs = kStrideBlocks / 2;
  __m256i sums[kPairs];
  for (size_t j = 0; j < kPairs; ++j) sums[j] = LoadPair(data + 2 * kBlock * j);
  const __m256i by_stride = _mm256_broadcastsi128_si256(Load(&kStrideMoves[1]));
  for (size_t i = 1; i < strides; ++i) {
    data += kStride;
    for (size_t j = 0; j < kPairs; ++j) {
      sums[j] =
          _mm256_xor_si256(ProductOfPair(sums[j], by_stride), LoadPair(data + 2 * kBlock * j));
    }
  }
  const Move* moves = &kMoves[kMaxBlocks - kStrideBlocks];
  __m256i sum = ProductOfPair(sums[0], LoadPair(moves));
  for (size_t j = 1; j < kPairs; ++j) {
    sum = _mm256_xor_si256(sum, ProductOfPair(sums[j], LoadPair(moves + 2 * j)));
  }
  return Reduce(SumOfPair(sum));
}

METAROCE_WIDE uint32_t FoldWide(const uint8_t* data, size_t length, const CrcMask& mask,
                                size_t strides) {
  const auto [blocks, lead] = LayOut(length);
  const size_t end = blocks * kBlock;
  const uint8_t* mask_at = mask.bits() - lead;
  const Move* moves = &kMoves[kMaxBlocks - blocks];
  // Bytes that are switched off are not read.
  __mmask64 on = ~uint64_t{0} << lead;
  __m512i state = _mm512_loadu_si512(kWindows.state + kBlock - lead);
  __m512i sum = _mm512_setzero_si512();
  for (size_t at = 0; at < end; at += 64) {
    if (end - at < 64) on &= (uint64_t{1} << (end - at)) - 1;
    // Begins up to a block before the string, where nothing is read.
    const uintptr_t from = reinterpret_cast<uintptr_t>(data) + at - lead;
    __m512i x = _mm512_maskz_loadu_epi8(
        on, reinterpret_cast<const void*>(from));  // NOLINT(performance-no-int-to-ptr): see above
    if (at < lead + mask.extent()) {
      x = _mm512_or_si512(x, _mm512_maskz_loadu_epi8(on, mask_at + at));
    }
    x = _mm512_xor_si512(x, state);
    const __m512i move = _mm512_loadu_si512(moves + at / kBlock);
    sum = _mm512_ternarylogic_epi64(sum, _mm512_clmulepi64_epi128(x, move, 0x00),
                                    _mm512_clmulepi64_epi128(x, move, 0x11), 0x96);
    state = _mm512_setzero_si512();
    on = ~uint64_t{0};
  }
  const __m128i last01 = _mm_xor_si128(_mm512_maskz_extracti64x2_epi64(3, sum, 0),
                                       _mm512_maskz_extracti64x2_epi64(3, sum, 1));
  const __m128i last23 = _mm_xor_si128(_mm512_maskz_extracti64x2_epi64(3, sum, 2),
                                       _mm512_maskz_extracti64x2_epi64(3, sum, 3));
  __m128i last = _mm_xor_si128(last01, last23);
  if (strides != 0) last = Product(last, kStrideMoves[strides]);
  return Reduce(last);
}

#endif

#if defined(__x86_64__)

uint32_t CrcOfStridesByIsaL(const uint8_t* data, size_t strides) {
  return ~IsaLCrc(kZeroSeed, data, strides * kStride);
}

template <auto fold, auto crc_of_strides>
uint32_t FoldedCrc(const uint8_t* data, size_t length, const CrcMask& mask) {
  if (length <= kFoldWhole) return ~fold(data, length, mask, 0);
  const size_t strides = (length - std::max(mask.extent(), kBlock)) / kStride;
  const size_t head = length - strides * kStride;
  return ~(crc_of_strides(data + head, strides) ^ fold(data, head, mask, strides));
}

#endif

using CrcFunction = uint32_t (*)(const uint8_t* data, size_t length, const CrcMask& mask);

CrcFunction FunctionOf(CrcMethod method) {
  switch (method) {
#if defined(__x86_64__)
    case CrcMethod::kNarrow:
      return FoldedCrc<FoldNarrow, CrcOfStridesByIsaL>;
    case CrcMethod::kPairs:
      return FoldedCrc<FoldPairs, CrcOfStridesByPairs>;
    case CrcMethod::kWide:
      return FoldedCrc<FoldWide, CrcOfStridesByIsaL>;
#endif
    default:
      return PortableCrc;
  }
}

CrcFunction FastestFunction() {
  for (const CrcMethod method : {CrcMethod::kWide, CrcMethod::kPairs, CrcMethod::kNarrow}) {
    if (IsSupported(method)) return FunctionOf(method);
  }
  return PortableCrc;
}

}  // namespace

bool IsSupported(CrcMethod method) {
  if (method == CrcMethod::kPortable) return true;
#if defined(__x86_64__)
  const bool narrow = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("avx");
  if (method == CrcMethod::kNarrow) return narrow;
  const bool pairs =
      narrow && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("vpclmulqdq");
  if (method == CrcMethod::kPairs) return pairs;
  return pairs && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

uint32_t MaskedCrc(CrcMethod method, const uint8_t* data, size_t length, const CrcMask& mask) {
  return FunctionOf(method)(data, length, mask);
}

uint32_t MaskedCrc(const uint8_t* data, size_t length, const CrcMask& mask) {
  static const CrcFunction fastest = FastestFunction();
  return fastest(data, length, mask);
}

}  // namespace metaroce::frame
