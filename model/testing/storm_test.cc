// Two endpoints in bad weather, every step held against the invariants of section 15.7: losses of
// everything, delays of every kind, routes that go dark. What is sent again equals what was
// dropped, epoch by epoch, and no connection errs.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "model/testing/pair.h"
#include "model/testing/work.h"

namespace metaroce::testing {
namespace {

using spec::ConnectionState;
using spec::Counter;

constexpr uint32_t kWork = 200;

bool Over(Pair& pair) {
  for (int side = 0; side < 2; ++side) {
    if (pair.connection(side).state != ConnectionState::kOpen) return true;
  }
  return pair.Quiescent();
}

bool IsData(const packet::Packet& p) {
  return spec::Info(p.opcode()).opcode_class == spec::OpcodeClass::kData;
}

// All work is done, what was sent again is what was dropped, and what was moved had a reason: its
// epoch died.
void ExpectGoodEnd(Pair& pair) {
  EXPECT_TRUE(AllSucceeded(pair, kWork));
  EXPECT_EQ(pair.CheckQuiescent(), absl::OkStatus());
  for (int side = 0; side < 2; ++side) {
    uint64_t moved = 0;
    uint64_t died_with_data = 0;
    for (int path = 0; path < 255; ++path) {
      for (const invariants::EpochCount& epoch :
           pair.ledger().Epochs(side, static_cast<uint8_t>(path))) {
        moved += epoch.moved;
        if (epoch.data == 0) continue;
        died_with_data += epoch.ended == spec::OpenReason::kFailed ||
                          epoch.ended == spec::OpenReason::kBadEpoch ||
                          epoch.ended == spec::OpenReason::kPort;
      }
    }
    const uint64_t died = pair.at(side).Count(Counter::kEpochsDied);
    EXPECT_EQ(moved, pair.log(side).moved);
    EXPECT_LE(moved, pair.at(side).Count(Counter::kPacketsMoved));
    EXPECT_LE(died, died_with_data + (pair.ledger().Epochs(side, 0).empty() ? 1 : 0));
    if (died == 0) {
      EXPECT_EQ(moved, 0u);
      EXPECT_EQ(pair.log(side).rtx, pair.log(side).data_dropped);
    }
  }
}

struct Loss {
  uint32_t per_ten_thousand;
  uint32_t paths;
};

class LossTest : public ::testing::TestWithParam<Loss> {};

// Invariants 8, 9: A1, A2, A3, A7a.
TEST_P(LossTest, OfEverythingIsRepairedByAsManyCopiesAsDataPacketsWereDropped) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    Pair pair(Small(GetParam().paths, seed == 1));
    ASSERT_TRUE(pair.Open());
    Dice dice(seed);
    pair.fate = [&](int, const packet::Packet&, Route) {
      return Fate{.drop = dice.Of(GetParam().per_ten_thousand)};
    };
    PostEveryKind(pair, kWork);
    ASSERT_TRUE(pair.RunUntil(pair.now() + 20000000000, [&] { return Over(pair); }));
    ExpectGoodEnd(pair);
    if (GetParam().per_ten_thousand >= 100) {
      EXPECT_GT(pair.log(0).data_dropped, 0u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, LossTest,
                         ::testing::Values(Loss{10, 1}, Loss{10, 2}, Loss{10, 8}, Loss{100, 1},
                                           Loss{100, 2}, Loss{100, 8}, Loss{1000, 1}, Loss{1000, 2},
                                           Loss{1000, 8}),
                         [](const auto& info) {
                           return std::to_string(info.param.per_ten_thousand) + "In10000On" +
                                  std::to_string(info.param.paths) + "Paths";
                         });

enum class Delay { kSkew, kJitter, kGrowth, kLongSkew };

struct Calm {
  Delay delay;
  uint32_t paths;
  uint32_t control_loss;  // of ACK, NACK and CTRL, in 10000
  const char* name;
};

class CalmTest : public ::testing::TestWithParam<Calm> {};

// Invariant 8: skew, jitter and queues are no loss, and neither is the loss of ACK or CTRL.
TEST_P(CalmTest, SendsNothingAgainAndMovesNothingUnlessAnEpochDied) {
  const Calm calm = GetParam();
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    Pair pair(Small(calm.paths));
    ASSERT_TRUE(pair.Open());
    Dice dice(seed);
    Nanoseconds queue = 0;
    pair.fate = [&](int, const packet::Packet& p, Route route) {
      Fate f;
      const uint32_t of_route = (route.entropy * 2654435761u) >> 8;
      switch (calm.delay) {
        case Delay::kSkew:
          f.extra = of_route % 40000;
          break;
        case Delay::kLongSkew:
          f.extra = of_route % 2 == 0 ? 0 : 750000;
          break;
        case Delay::kJitter:
          f.extra = dice.Below(60000);
          break;
        case Delay::kGrowth:
          queue += 200;
          f.extra = queue % 600000;
          break;
      }
      f.drop = !IsData(p) && dice.Of(calm.control_loss);
      return f;
    };
    PostEveryKind(pair, kWork);
    ASSERT_TRUE(pair.RunUntil(pair.now() + 20000000000, [&] { return Over(pair); }));
    ExpectGoodEnd(pair);
    EXPECT_EQ(pair.log(0).rtx + pair.log(1).rtx, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Weather, CalmTest,
                         ::testing::Values(Calm{Delay::kSkew, 8, 0, "Skew"},
                                           Calm{Delay::kLongSkew, 2, 0, "LongSkew"},
                                           Calm{Delay::kLongSkew, 8, 0, "LongSkewOn8"},
                                           Calm{Delay::kJitter, 1, 0, "Jitter"},
                                           Calm{Delay::kJitter, 8, 0, "JitterOn8"},
                                           Calm{Delay::kGrowth, 1, 0, "GrowingQueue"},
                                           Calm{Delay::kGrowth, 8, 0, "GrowingQueueOn8"},
                                           Calm{Delay::kSkew, 1, 5000, "HalfOfAllAcksLost"},
                                           Calm{Delay::kSkew, 8, 5000, "HalfOfAllAcksLostOn8"},
                                           Calm{Delay::kJitter, 2, 3000, "JitterAndAcksLost"}),
                         [](const auto& info) { return info.param.name; });

// Invariant 10: routes go dark in one direction or both, the network pauses for up to a second,
// everything is lost now and then; one route in four keeps delivering.
TEST(FaultTest, NoConnectionErrsWhileOneRouteInFourLives) {
  for (const uint32_t paths : {1u, 2u, 8u}) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(::testing::Message() << paths << " paths, seed " << seed);
      Pair pair(Small(paths));
      ASSERT_TRUE(pair.Open());
      Dice dice(seed);
      struct Fault {
        Nanoseconds from;
        Nanoseconds until;
        uint32_t routes;  // of 4; 4: all
        int direction;    // 2: both
        bool holds;       // packets wait for the end instead of being lost
      };
      std::vector<Fault> faults;
      Nanoseconds t = pair.now();
      for (int i = 0; i < 6; ++i) {
        t += dice.Below(400000);
        Fault f{t, t, 1 + dice.Below(3), static_cast<int>(dice.Below(3)), false};
        constexpr Nanoseconds kLengths[] = {20000, 200000, 3000000, 40000000, 300000000};
        f.until = t + kLengths[dice.Below(5)];
        if (i == 3) f = {t, t + (dice.Of(5000) ? 2000000 : 1000000000), 4, 2, true};
        if (i == 4) f = {t, t + (dice.Of(5000) ? 60000 : 150000000), 4, 2, false};
        if (f.routes == 4) t = f.until;
        faults.push_back(f);
      }
      pair.fate = [&](int from, const packet::Packet&, Route route) {
        Fate fate;
        fate.drop = dice.Of(50);
        const uint32_t route_class = ((route.entropy * 2654435761u) >> 16) % 4;
        for (const Fault& f : faults) {
          if (pair.now() < f.from || pair.now() >= f.until) continue;
          if (f.routes < 4 && (route_class >= f.routes)) continue;
          if (f.direction != 2 && f.direction != from) continue;
          if (f.holds) {
            fate.extra = f.until - pair.now();
          } else {
            fate.drop = true;
          }
        }
        return fate;
      };
      PostEveryKind(pair, kWork);
      ASSERT_TRUE(pair.RunUntil(pair.now() + 20000000000, [&] { return Over(pair); }));
      ExpectGoodEnd(pair);
    }
  }
}

}  // namespace
}  // namespace metaroce::testing
