#include "model/ring.h"

#include <gtest/gtest.h>

#include <deque>

namespace metaroce {
namespace {

std::deque<int> Listed(const Ring<int>& ring) {
  std::deque<int> out;
  for (int x : ring) out.push_back(x);
  return out;
}

TEST(RingTest, HoldsWhatADequeHoldsAfterTheSameCalls) {
  Ring<int> ring;
  std::deque<int> deque;
  uint32_t dice = 1;
  for (int i = 0; i < 10000; ++i) {
    dice = dice * 1664525 + 1013904223;
    // More come than go, then more go than come.
    if (deque.empty() || (dice >> 16) % 100 < (i < 5000 ? 55u : 45u)) {
      ring.push_back(i);
      deque.push_back(i);
    } else {
      ASSERT_EQ(ring.front(), deque.front());
      ring.pop_front();
      deque.pop_front();
    }
    ASSERT_EQ(ring.size(), deque.size());
    if (i % 100 == 0) {
      ASSERT_EQ(Listed(ring), deque);
    }
  }
}

TEST(RingTest, ResizedHoldsTheFirstElementsAndThenNewOnes) {
  Ring<int> ring;
  for (int i = 0; i < 7; ++i) ring.push_back(i);
  for (int i = 0; i < 4; ++i) ring.pop_front();
  ring.resize(6);
  EXPECT_EQ(Listed(ring), (std::deque<int>{4, 5, 6, 0, 0, 0}));
  ring.resize(2);
  EXPECT_EQ(Listed(ring), (std::deque<int>{4, 5}));
  ring.resize(3);
  EXPECT_EQ(Listed(ring), (std::deque<int>{4, 5, 0}));
}

TEST(RingTest, EqualMeansTheSameElementsWhereverTheyLie) {
  Ring<int> a;
  Ring<int> b;
  for (int i = 0; i < 3; ++i) b.push_back(9);
  for (int i = 0; i < 3; ++i) b.pop_front();
  EXPECT_EQ(a, b);
  for (int i = 0; i < 5; ++i) {
    a.push_back(i);
    b.push_back(i);
  }
  EXPECT_EQ(a, b);
  b.pop_front();
  EXPECT_FALSE(a == b);
}

}  // namespace
}  // namespace metaroce
