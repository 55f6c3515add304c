// Whatever the model does, the check explains it: no false alarm.
#include <gtest/gtest.h>

#include <cstdlib>

#include "conformance/check/check.h"
#include "conformance/check/testing/scenario.h"

namespace metaroce::check {
namespace {

TEST(RandomTest, AThousandConnectionsWithEveryChoiceAndFaultAreExplained) {
  int alarms = 0;
  uint64_t packets = 0;
  uint64_t data = 0;
  uint64_t rtx = 0;
  uint64_t moved = 0;
  uint64_t probes = 0;
  const char* one = std::getenv("SEED");
  const uint64_t first = one == nullptr ? 1 : std::strtoull(one, nullptr, 10);
  const uint64_t last = one == nullptr ? 1000 : first;
  for (uint64_t seed = first; seed <= last; ++seed) {
    Scenario scenario(seed);
    scenario.Play();
    const std::vector<uint8_t> file = scenario.recorder().Pcapng();
    const auto trace = ReadTrace(file, spec::constant::kUdpPort);
    ASSERT_TRUE(trace.ok()) << trace.status();
    Profiles profiles;
    ASSERT_TRUE(ReadProfile(trace->profile, &profiles).ok());
    const auto result = Check(*trace, profiles);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_FALSE(result->verdict.has_value()) << "seed " << seed << "\n" << ToText(*result);
    if (result->verdict && ++alarms == 10) break;
    packets += result->packets;
    for (int side = 0; side < 2; ++side) {
      data += scenario.pair().log(side).data;
      rtx += scenario.pair().log(side).rtx;
      moved += scenario.pair().log(side).moved;
      probes += scenario.pair().log(side).probes;
    }
  }
  if (one != nullptr) return;
  // It was worth looking at.
  EXPECT_GT(packets, 100000u);
  EXPECT_GT(data, 10000u);
  EXPECT_GT(rtx, 500u);
  EXPECT_GT(moved, 500u);
  EXPECT_GT(probes, 2000u);
  RecordProperty("packets", static_cast<int>(packets));
}

}  // namespace
}  // namespace metaroce::check
