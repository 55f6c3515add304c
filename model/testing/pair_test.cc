#include "model/testing/pair.h"

#include <gtest/gtest.h>

#include "model/testing/work.h"

namespace metaroce::testing {
namespace {

using spec::CompletionStatus;

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

}  // namespace
}  // namespace metaroce::testing
