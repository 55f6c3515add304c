#include "model/testing/pair.h"

#include <gtest/gtest.h>

namespace metaroce::testing {
namespace {

using spec::CompletionStatus;
using spec::ConnectionState;
using spec::Counter;
using spec::OpcodeClass;

class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed * 2 + 1) {}
  uint32_t Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33);
  }
  bool Of(uint32_t per_thousand) { return Next() % 1000 < per_thousand; }

 private:
  uint64_t state_;
};

Pair::Options Small(uint32_t paths, bool codec = false) {
  Pair::Options options;
  options.codec = codec;
  for (endpoint::Settings& settings : options.settings) {
    EXPECT_TRUE(settings.profile.Set("mtu", 256).ok());
    EXPECT_TRUE(settings.profile.Set("paths", paths).ok());
    EXPECT_TRUE(settings.profile.Set("reads", 3).ok());
    settings.target_paths = paths;
    settings.windows.path_window = 16 << 16;
  }
  return options;
}

TEST(PairTest, TheHandshakeOpensBothEndsThroughTheCodec) {
  Pair pair(Small(1, true));
  ASSERT_TRUE(pair.Open());
  EXPECT_EQ(pair.connection(0).handshake_rtt, 10000);
  EXPECT_EQ(pair.connection(1).handshake_rtt, 10000);
  EXPECT_EQ(pair.connection(0).out[0].route.entropy, pair.connection(1).out[0].route.entropy);
}

TEST(PairTest, AWriteOfManyPacketsIsPlacedOnceAndCompleted) {
  Pair pair(Small(1, true));
  ASSERT_TRUE(pair.Open());
  for (uint32_t i = 0; i < 5000; ++i) pair.memory(0)[i] = static_cast<uint8_t>(i * 7);
  pair.Post(0, Pair::Write(1, 0, 5000));
  ASSERT_TRUE(pair.RunUntil(pair.now() + 10000000, [&] { return pair.Quiescent(); }));
  ASSERT_EQ(pair.log(0).work.size(), 1u);
  EXPECT_EQ(pair.log(0).work[0].status, CompletionStatus::kSuccess);
  EXPECT_TRUE(
      std::equal(pair.memory(0).begin(), pair.memory(0).begin() + 5000, pair.memory(1).begin()));
  EXPECT_EQ(pair.log(1).placed.size(), 20u);
  EXPECT_EQ(pair.log(0).rtx, 0u);
}

TEST(PairTest, MorePathsAreOpenedAfterTheFirstAcknowledgement) {
  Pair pair(Small(8));
  ASSERT_TRUE(pair.Open());
  for (uint64_t i = 0; i < 100; ++i) pair.Post(0, Pair::Write(i, 0, 2560));
  ASSERT_TRUE(pair.RunUntil(pair.now() + 10000000, [&] { return pair.Quiescent(); }));
  EXPECT_EQ(pair.connection(0).active(), 8u);
  EXPECT_EQ(pair.connection(1).open_in, 8u);
  EXPECT_EQ(pair.log(0).rtx + pair.log(0).moved, 0u);
}

// Work of every kind, in both directions, on several streams.
void PostAll(Pair& pair, uint32_t count) {
  for (int side = 0; side < 2; ++side) {
    for (uint32_t i = 0; i < count; ++i) {
      PostedReceive receive;
      receive.id = i;
      receive.address = Pair::kBase + 0x40000 + 4096 * (i % 32);
      receive.length = 4096;
      ASSERT_TRUE(pair.at(side).PostReceive(pair.cid(side), receive, pair.step(side)).ok());
    }
    for (uint32_t i = 0; i < count; ++i) {
      WorkRequest work = Pair::Write(i, 0, (i * 131) % 2000);
      work.stream = static_cast<uint16_t>(i % 5);
      work.kind = static_cast<WorkKind>(i % 8);
      if (work.kind == WorkKind::kSendInvalidate) work.kind = WorkKind::kSend;
      work.fenced = i % 11 == 0;
      work.address = Pair::kBase + 0x20000;
      work.local = Pair::kBase + 0x1000;
      if (IsAtomic(work.kind)) {
        work.length = 8;
        work.operand = 1;
      }
      if (HasResponse(work.kind)) work.local = Pair::kBase + 0x80000 + 2048 * (i % 64);
      pair.Post(side, work);
    }
  }
}

struct LossCase {
  uint32_t per_thousand;
  uint32_t paths;
};

class LossTest : public ::testing::TestWithParam<LossCase> {};

// Invariants 8 and 9: nothing is sent again but what was dropped, whatever ACK or CTRL is lost.
TEST_P(LossTest, RetransmissionsEqualDroppedDataOnFifoPaths) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Pair pair(Small(GetParam().paths));
    ASSERT_TRUE(pair.Open());
    Dice dice(seed);
    pair.fate = [&](int, const packet::Packet&, Route) {
      Fate f;
      f.drop = dice.Of(GetParam().per_thousand);
      return f;
    };
    PostAll(pair, 300);
    const bool done = pair.RunUntil(pair.now() + 20000000000, [&] {
      return pair.connection(0).state != ConnectionState::kOpen ||
             pair.connection(1).state != ConnectionState::kOpen || pair.Quiescent();
    });
    ASSERT_TRUE(done) << "seed " << seed;
    for (int side = 0; side < 2; ++side) {
      ASSERT_EQ(pair.connection(side).state, ConnectionState::kOpen) << "seed " << seed;
      EXPECT_EQ(pair.log(side).work.size(), 300u);
      for (const endpoint::WorkDone& done_work : pair.log(side).work) {
        ASSERT_EQ(done_work.status, CompletionStatus::kSuccess);
      }
      if (pair.at(side).Count(Counter::kEpochsDied) == 0) {
        EXPECT_EQ(pair.log(side).rtx, pair.log(side).data_dropped) << "seed " << seed;
        EXPECT_EQ(pair.log(side).moved, 0u);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, LossTest,
                         ::testing::Values(LossCase{0, 1}, LossCase{0, 8}, LossCase{1, 4},
                                           LossCase{10, 1}, LossCase{10, 8}, LossCase{100, 1},
                                           LossCase{100, 8}));

}  // namespace
}  // namespace metaroce::testing
