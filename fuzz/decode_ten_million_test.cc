// Ten million byte strings through the decoder: random ones, and packets of every opcode that were
// changed. At least half of them get behind the iCRC. The same strings in every run.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <random>
#include <vector>

#include "fuzz/decode_check.h"
#include "model/wire/packet/testing/generate.h"
#include "model/wire/packet/testing/mutate.h"

namespace metaroce::packet {
namespace {

constexpr int kStrings = 10'000'000;
// Each part makes its strings from a seed of its own, so that parts can run side by side.
constexpr int kParts = 2;
constexpr int kPacketsOfEachOpcode = 64;
constexpr size_t kLongestPayload = 128;
// So many get all that CheckDecode holds against them.
constexpr int kThorough = 64;

struct Seed {
  spec::Opcode opcode;
  std::vector<uint8_t> frame;
};

std::vector<Seed> Seeds() {
  std::vector<Seed> seeds;
  std::mt19937_64 random(3);
  const testing::Draw draw = [&] { return random(); };
  for (const spec::Opcode opcode : spec::kOpcodes) {
    for (int left = kPacketsOfEachOpcode; left > 0;) {
      const testing::OwnedPacket owned = testing::AnyPacket(opcode, draw);
      if (owned.packet.payload.size() > kLongestPayload) continue;
      auto frame = Serialize(owned.packet, testing::AnyFrame(draw));
      EXPECT_TRUE(frame.ok());
      seeds.push_back({opcode, *std::move(frame)});
      --left;
    }
  }
  return seeds;
}

std::vector<uint8_t> NextString(const std::vector<Seed>& seeds, testing::Mutator& mutator) {
  if (mutator.Below(16) == 0) {
    std::vector<uint8_t> random(mutator.Below(160));
    for (uint8_t& byte : random) byte = mutator.Byte();
    if (mutator.Below(2) == 0) mutator.Mend(random);
    return random;
  }
  std::vector<uint8_t> frame = seeds[mutator.Below(seeds.size())].frame;
  if (mutator.Below(4) == 0) {
    mutator.Mutate(frame);
    if (mutator.Below(2) == 0) mutator.Mend(frame);
  } else {
    mutator.MutateFields(frame);
    mutator.Mend(frame);
  }
  return frame;
}

class Decoder : public ::testing::TestWithParam<int> {};

TEST_P(Decoder, StandsItsPartOfTenMillionStrings) {
  const std::vector<Seed> seeds = Seeds();
  testing::Mutator mutator(5 + GetParam());
  constexpr int kOfPart = kStrings / kParts;
  int behind_icrc = 0;
  std::map<spec::Opcode, int> accepted;
  for (int i = 0; i < kOfPart; ++i) {
    const std::vector<uint8_t> changed = NextString(seeds, mutator);
    // Exactly as long as its contents: the sanitizer then sees a read past the end.
    const std::vector<uint8_t> frame(changed.begin(), changed.end());
    const Decoded decoded = i % kThorough == 0 ? CheckDecode(frame) : CheckVerdict(frame);
    if (decoded.behind_icrc) ++behind_icrc;
    if (decoded.accepted) {
      Packet packet;
      Parse(frame, {.check_icrc = false}, &packet);
      ++accepted[packet.opcode()];
    }
  }
  EXPECT_GE(behind_icrc, kOfPart / 2);
  EXPECT_EQ(accepted.size(), spec::kOpcodes.size());
  for (const auto& [opcode, count] : accepted) EXPECT_GT(count, 1000) << spec::Name(opcode);
  std::printf("%d of %d strings got behind the iCRC\n", behind_icrc, kOfPart);
}

INSTANTIATE_TEST_SUITE_P(Parts, Decoder, ::testing::Range(0, kParts));

}  // namespace
}  // namespace metaroce::packet
