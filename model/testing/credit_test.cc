// When a Send begins to wait for credit, its requester asks at once (CREDIT-PROBE-START).
#include <gtest/gtest.h>

#include "model/testing/pair.h"
#include "model/testing/work.h"

namespace metaroce::testing {
namespace {

using spec::Counter;

WorkRequest Work(uint64_t id, WorkKind kind, bool fenced = false) {
  WorkRequest work = Pair::Write(id, 0, 100);
  work.kind = kind;
  work.fenced = fenced;
  return work;
}

TEST(CreditTest, IsAskedForWhenTheFenceOfASendEnds) {
  Pair pair(Small(1));
  ASSERT_TRUE(pair.Open());
  pair.Post(0, Work(1, WorkKind::kRead));
  pair.Post(0, Work(2, WorkKind::kSend, true));
  ASSERT_EQ(pair.at(0).Count(Counter::kCreditProbes), 0u);
  ASSERT_TRUE(pair.RunUntil(pair.now() + 1000000, [&] { return pair.log(0).work.size() == 1; }));
  EXPECT_EQ(pair.at(0).Count(Counter::kCreditProbes), 1u);
  pair.Run(pair.now() + 1000000);
  EXPECT_GT(pair.at(0).Count(Counter::kRnrReceived), 0u);
  pair.PostReceive(1, {.id = 5, .address = Pair::kBase, .length = 100});
  pair.Run(pair.now() + 1000000);
  EXPECT_EQ(pair.log(0).work.size(), 2u);
}

TEST(CreditTest, IsAskedForWhenTheWindowOfOpenMessagesReachesASend) {
  Pair::Options options = Small(1);
  for (auto& settings : options.settings) {
    ASSERT_TRUE(settings.profile.Set("open_messages", 1).ok());
  }
  Pair pair(options);
  ASSERT_TRUE(pair.Open());
  pair.Post(0, Work(1, WorkKind::kWrite));
  pair.Post(0, Work(2, WorkKind::kSend));
  ASSERT_EQ(pair.at(0).Count(Counter::kCreditProbes), 0u);
  ASSERT_TRUE(pair.RunUntil(pair.now() + 1000000, [&] { return pair.log(0).work.size() == 1; }));
  EXPECT_EQ(pair.at(0).Count(Counter::kCreditProbes), 1u);
  pair.Run(pair.now() + 1000000);
  EXPECT_GT(pair.at(0).Count(Counter::kRnrReceived), 0u);
}

}  // namespace
}  // namespace metaroce::testing
