#include "model/fabric/calendar.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "model/fabric/hash.h"

namespace metaroce::fabric {
namespace {

TEST(CalendarOrderTest, EventsOfOneTimeLeaveAsTheyCame) {
  Calendar<> calendar;
  for (uint32_t i = 0; i < 100; ++i) calendar.Push(5000, i);
  for (uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(calendar.Pop().what, i);
    if (i == 50) calendar.Push(5000, 100);
  }
  EXPECT_EQ(calendar.Pop().what, 100u);
  EXPECT_TRUE(calendar.empty());
}

// Odd ones before even ones, however they come.
struct OddFirst {
  uint32_t operator()(uint32_t what) const { return what % 2 == 1 ? 0 : 1; }
};

TEST(CalendarOrderTest, OfOneTimeTheLowestRankLeavesFirst) {
  for (const Picoseconds at : std::initializer_list<Picoseconds>{5000, 90000000, 900000000000000}) {
    for (const uint32_t events : {6u, 60u}) {
      Calendar<OddFirst> calendar;
      for (uint32_t i = 0; i < events; ++i) {
        calendar.Push(at + 1, 1000 + i);
        calendar.Push(at, i);
      }
      for (const uint32_t first : {0u, 1000u}) {
        for (uint32_t i = 1; i < events; i += 2) ASSERT_EQ(calendar.Pop().what, first + i);
        for (uint32_t i = 0; i < events; i += 2) ASSERT_EQ(calendar.Pop().what, first + i);
      }
      EXPECT_TRUE(calendar.empty());
    }
  }
}

TEST(CalendarOrderTest, AnEventMayBePutBeforeOneThatWasLookedAt) {
  Calendar<> calendar;
  calendar.Push(90000000000, 1);
  EXPECT_EQ(calendar.Next(), 90000000000);
  calendar.Push(10, 2);
  EXPECT_EQ(calendar.Pop().what, 2u);
  EXPECT_EQ(calendar.now(), 10);
  EXPECT_EQ(calendar.Pop().what, 1u);
}

// Many events in few buckets, in no order and of few different times: all are put in order, those
// of one time as they came.
TEST(CalendarOrderTest, AFullBucketIsEmptiedInOrder) {
  uint64_t random = 3;
  Calendar<> calendar(20);
  std::multimap<Picoseconds, uint32_t> naive;
  for (uint32_t i = 0; i < 5000; ++i) {
    const auto at = static_cast<Picoseconds>(NextRandom(&random) % 64 * 100000);
    calendar.Push(at, i);
    naive.emplace(at, i);
  }
  Event event;
  for (const auto& [at, what] : naive) {
    EXPECT_FALSE(calendar.PopBefore(at, &event));
    ASSERT_TRUE(calendar.PopBefore(at + 1, &event));
    ASSERT_EQ(event.at, at);
    ASSERT_EQ(event.what, what);
  }
  EXPECT_FALSE(calendar.PopBefore(INT64_MAX, &event));
}

// Against a sorted map, with delays from nothing to days.
class CalendarTest : public ::testing::TestWithParam<uint32_t> {};

TEST_P(CalendarTest, EventsLeaveInTheOrderOfTimeThenOfArrival) {
  uint64_t random = 7;
  Calendar<> calendar(GetParam());
  std::multimap<Picoseconds, uint32_t> naive;  // equal keys stay in the order of insertion
  for (uint32_t i = 0; i < 200000; ++i) {
    if (naive.empty() || NextRandom(&random) % 100 < 52) {
      const uint64_t bits = NextRandom(&random) % 56;
      const auto delay =
          static_cast<Picoseconds>(NextRandom(&random) & ((uint64_t{1} << bits) - 1));
      calendar.Push(calendar.now() + delay, i);
      naive.emplace(calendar.now() + delay, i);
      continue;
    }
    ASSERT_EQ(calendar.size(), naive.size());
    if (i % 3 == 0) {
      ASSERT_EQ(calendar.Next(), naive.begin()->first);
    }
    const Event event = calendar.Pop();
    ASSERT_EQ(event.at, naive.begin()->first);
    ASSERT_EQ(event.what, naive.begin()->second);
    naive.erase(naive.begin());
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, CalendarTest, ::testing::Values(0, 8, 13, 30));

}  // namespace
}  // namespace metaroce::fabric
