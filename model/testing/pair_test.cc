#include "model/testing/pair.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "model/state/state.h"
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

// The number and the connection of every packet.
struct Numbers : endpoint::Sink {
  void OnPacket(uint32_t cid, const endpoint::PacketOut& out) override {
    packets.emplace_back(cid, out.packet.headers.common.number);
  }
  std::vector<std::pair<uint32_t, uint32_t>> packets;
};

// What is left after `endpoint` did all that it may do at the moment of `step`, at most `most` at
// once.
std::string After(Endpoint endpoint, endpoint::Step step, uint32_t most, Numbers* numbers) {
  step.sink = numbers;
  while (most == 1 ? endpoint.Poll(step) : endpoint.Poll(step, most) > 0) {
  }
  std::string bytes;
  state::Save(endpoint, state::Counters::kWith, &bytes);
  return bytes;
}

class PairAtOnceTest : public ::testing::TestWithParam<congestion::Kind> {};

TEST_P(PairAtOnceTest, ManyThingsAtOnceAreTheSameAsOneAfterTheOther) {
  Pair::Options options = Small(4);
  options.check = false;  // that knows one connection
  for (endpoint::Settings& settings : options.settings) settings.windows.kind = GetParam();
  Pair pair(options);
  ASSERT_TRUE(pair.Open());
  const std::vector<endpoint::Port> peer = pair.at(1).state().settings.ports;
  pair.Do(0, [&](Endpoint& e, const endpoint::Step& step) {
    return e.Connect({.peer = peer}, step).status();
  });
  ASSERT_TRUE(pair.RunUntil(pair.now() + 1000000, [&] {
    const endpoint::Connection* second = pair.at(0).Find(2);
    return second != nullptr && second->state == spec::ConnectionState::kOpen;
  }));
  const Region all{Pair::kBase, pair.memory(1).size(), Pair::kRkey, kRemoteWrite, true};
  ASSERT_TRUE(pair.at(1).Register(2, all).ok());
  // Every seventh packet is lost, so that timers and retransmissions come between.
  uint32_t left = 0;
  pair.fate = [&](int, const packet::Packet&, Route) { return Fate{.drop = ++left % 7 == 0}; };
  size_t sent = 0;
  for (uint64_t i = 0; i < 200; ++i) {
    pair.Do(0, [&](Endpoint& e, const endpoint::Step& step) {
      return e.Post(static_cast<uint32_t>(i % 3 == 0 ? 2 : 1), Pair::Write(i, 0, 2560), step);
    });
    for (int side = 0; side < 2; ++side) {
      Numbers one;
      const std::string after = After(pair.at(side), pair.step(side), 1, &one);
      for (const uint32_t most : {2u, 5u, 1000u}) {
        Numbers many;
        EXPECT_EQ(After(pair.at(side), pair.step(side), most, &many), after);
        EXPECT_EQ(many.packets, one.packets);
      }
      sent += one.packets.size();
    }
    pair.Run(pair.now() + 3000);
  }
  EXPECT_GT(sent, 200u);
}

INSTANTIATE_TEST_SUITE_P(, PairAtOnceTest,
                         ::testing::Values(congestion::Kind::kFixed, congestion::Kind::kBuiltIn));

}  // namespace
}  // namespace metaroce::testing
