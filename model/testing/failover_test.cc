// Paths that die, in one direction or both, and planes that go: left without an error.
#include <gtest/gtest.h>

#include <set>

#include "model/testing/pair.h"

namespace metaroce::testing {
namespace {

using spec::ConnectionState;
using spec::Counter;
using spec::PathState;

class FailoverTest : public ::testing::Test {
 protected:
  void Make(uint32_t paths, size_t planes = 1, bool check = true) {
    Pair::Options options;
    options.check = check;
    for (endpoint::Settings& settings : options.settings) {
      ASSERT_TRUE(settings.profile.Set("mtu", 256).ok());
      ASSERT_TRUE(settings.profile.Set("paths", paths).ok());
      settings.target_paths = paths;
      settings.windows.path_window = 16 << 16;
      settings.ports.resize(planes);
    }
    pair_ = std::make_unique<Pair>(options);
    ASSERT_TRUE(pair_->Open());
    Work(100);
    ASSERT_TRUE(Done(10000000));
    ASSERT_EQ(c().active(), paths);
  }

  void Work(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) pair_->Post(0, Pair::Write(i, 0, 2560));
  }
  bool Done(Nanoseconds within) {
    return pair_->RunUntil(pair_->now() + within, [&] {
      return c().state != ConnectionState::kOpen || pair_->Quiescent();
    });
  }
  const endpoint::Connection& c() { return pair_->connection(0); }
  uint64_t Count(Counter counter) { return pair_->at(0).Count(counter); }
  void ExpectSuccess(size_t count) {
    ASSERT_EQ(c().state, ConnectionState::kOpen);
    ASSERT_EQ(pair_->log(0).work.size(), count);
    for (const auto& done : pair_->log(0).work) {
      ASSERT_EQ(done.status, spec::CompletionStatus::kSuccess);
    }
  }

  std::unique_ptr<Pair> pair_;
};

TEST_F(FailoverTest, ADeadRouteOfEightIsLeftAndWhatItHadMovesToTheOthers) {
  Make(8);
  const uint16_t dead = c().out[3].route.entropy;
  pair_->fate = [&](int, const packet::Packet&, Route route) {
    return Fate{.drop = route.entropy == dead};
  };
  Work(1000);
  ASSERT_TRUE(Done(50000000));
  ExpectSuccess(1100);
  EXPECT_EQ(Count(Counter::kEpochsDied), 1u);
  EXPECT_GT(pair_->log(0).moved, 0u);
  EXPECT_EQ(pair_->log(0).rtx, 0u);
  pair_->Run(pair_->now() + 10000000);
  EXPECT_EQ(c().out[3].state, PathState::kActive);
  EXPECT_NE(c().out[3].route.entropy, dead);
}

TEST_F(FailoverTest, ADeadReverseDirectionAloneEndsNoEpochAndIsLeftByADrain) {
  Make(4);
  const uint16_t dead = c().out[2].route.entropy;
  pair_->fate = [&](int from, const packet::Packet&, Route route) {
    return Fate{.drop = from == 1 && route.entropy == dead};
  };
  Work(3000);
  ASSERT_TRUE(Done(100000000));
  ExpectSuccess(3100);
  EXPECT_EQ(Count(Counter::kEpochsDied), 0u);
  EXPECT_EQ(pair_->log(0).moved, 0u);
  EXPECT_EQ(pair_->log(0).rtx, 0u);
  EXPECT_GE(Count(Counter::kOneLeggedBursts), 2u);
  EXPECT_NE(c().out[2].route.entropy, dead);
}

// Delays that differ from route to route, so that the paths fall silent and are heard again one by
// one.
Nanoseconds Skew(Route route) { return (route.entropy * 2654435761u >> 16) % 16000; }

struct Silence {
  Nanoseconds length;
  bool skew;
  bool dark;  // everything is dropped; else the network holds it back until the end
};

class SilenceTest : public FailoverTest, public ::testing::WithParamInterface<Silence> {};

// D-2: no path is judged by a sibling's news that only says that the peer is heard again.
TEST_P(SilenceTest, OfThePeerCostsAtMostOneEpochAndNoError) {
  const Silence silence = GetParam();
  for (Nanoseconds phase = 0; phase < 16000; phase += 1300) {
    Make(8, 1, false);
    const auto delay = [&](Route route) { return silence.skew ? Skew(route) : 0; };
    pair_->fate = [&](int, const packet::Packet&, Route route) {
      return Fate{.extra = delay(route)};
    };
    Work(1000);
    pair_->Run(pair_->now() + 20000 + phase);
    const Nanoseconds until = pair_->now() + silence.length;
    pair_->fate = [&](int, const packet::Packet&, Route route) {
      Fate f{.extra = delay(route)};
      if (pair_->now() >= until) return f;
      f.drop = silence.dark;
      f.extra += until - pair_->now();
      return f;
    };
    ASSERT_TRUE(Done(silence.length + 200000000));
    ExpectSuccess(1100);
    ASSERT_LE(Count(Counter::kEpochsDied), 1u) << "phase " << phase;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Lengths, SilenceTest,
    ::testing::Values(Silence{60000, true, true}, Silence{80000, true, true},
                      Silence{100000, true, false}, Silence{1500000, false, true},
                      Silence{2000000, false, true}, Silence{2000000, true, true},
                      Silence{2500000, false, true}, Silence{2000000, false, false},
                      Silence{20000000, true, false}, Silence{20000000, false, true},
                      Silence{1000000000, true, true}, Silence{1000000000, true, false}),
    [](const auto& info) {
      return std::to_string(info.param.length / 1000) + "Microseconds" +
             (info.param.dark ? "Dark" : "Held") + (info.param.skew ? "Skewed" : "");
    });

TEST_F(FailoverTest, TheOnlyPathFindsANewRouteWhenItsOwnIsDead) {
  Make(1);
  const uint16_t dead = c().out[0].route.entropy;
  pair_->fate = [&](int, const packet::Packet&, Route route) {
    return Fate{.drop = route.entropy == dead};
  };
  Work(100);
  ASSERT_TRUE(Done(200000000));
  ExpectSuccess(200);
  EXPECT_EQ(Count(Counter::kEpochsDied), 1u);
}

TEST_F(FailoverTest, ARouteThatDropsBigPacketsAloneEndsTheEpochByTheLossLimit) {
  Make(2);
  const uint16_t narrow = c().out[1].route.entropy;
  pair_->fate = [&](int, const packet::Packet& p, Route route) {
    return Fate{.drop =
                    route.entropy == narrow && (p.payload.size() > 200 || p.filler_length > 200)};
  };
  Work(300);
  ASSERT_TRUE(Done(200000000));
  ExpectSuccess(400);
  EXPECT_GE(Count(Counter::kEpochsDied), 1u);
  EXPECT_EQ(Count(Counter::kVerdictsFailed), 0u);
}

TEST_F(FailoverTest, APlaneThatGoesDownIsLeftAtOnceAndAgainUsedWhenItIsUp) {
  Make(4, 2);
  std::set<int> planes;
  for (const SendPath& path : c().out) planes.insert(path.route.plane);
  EXPECT_EQ(planes.size(), 2u);
  Work(500);
  pair_->Run(pair_->now() + 20000);
  ASSERT_TRUE(pair_->at(0).SetPort(1, false, pair_->step(0)).ok());
  for (const SendPath& path : c().out) {
    EXPECT_TRUE(path.state == PathState::kFree || path.route.plane == 0);
  }
  ASSERT_TRUE(Done(50000000));
  ExpectSuccess(600);
  EXPECT_EQ(pair_->connection(1).peer_up, 1);
  ASSERT_TRUE(pair_->at(0).SetPort(1, true, pair_->step(0)).ok());
  Work(500);
  ASSERT_TRUE(Done(50000000));
  pair_->Run(pair_->now() + 5000000);
  int on_one = 0;
  for (const SendPath& path : c().out) on_one += path.context && path.route.plane == 1;
  EXPECT_EQ(on_one, 2);
}

TEST_F(FailoverTest, ADeniedPathHasNoContextAtEitherEndUntilTheDenialIsLifted) {
  Make(4);
  Work(500);
  pair_->Run(pair_->now() + 20000);
  ASSERT_TRUE(pair_->at(0).Deny(pair_->cid(0), 2, pair_->step(0)).ok());
  EXPECT_EQ(c().out[2].state, PathState::kDenied);
  ASSERT_TRUE(Done(50000000));
  pair_->Run(pair_->now() + 1000000);
  EXPECT_FALSE(bool(pair_->connection(1).in[2].context));
  EXPECT_EQ(c().active(), 3u);
  ASSERT_TRUE(pair_->at(0).Lift(pair_->cid(0), 2, pair_->step(0)).ok());
  Work(100);
  ASSERT_TRUE(Done(50000000));
  ExpectSuccess(700);
  pair_->Run(pair_->now() + 1000000);
  EXPECT_EQ(c().active(), 4u);
}

TEST_F(FailoverTest, APlannedChangeOfEntropyMovesNothing) {
  Make(4);
  const uint16_t before = c().out[1].route.entropy;
  Work(500);
  pair_->Run(pair_->now() + 20000);
  ASSERT_TRUE(pair_->at(0).Drain(pair_->cid(0), 1, false, pair_->step(0)).ok());
  ASSERT_TRUE(Done(50000000));
  ExpectSuccess(600);
  EXPECT_EQ(pair_->log(0).moved + pair_->log(0).rtx, 0u);
  EXPECT_EQ(Count(Counter::kEpochsDied), 0u);
  EXPECT_NE(c().out[1].route.entropy, before);
}

}  // namespace
}  // namespace metaroce::testing
