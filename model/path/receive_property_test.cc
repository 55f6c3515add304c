// The receiver's books of a path against naive twins that remember everything and look at all of
// it: 20,000 random histories, across the wrap.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <set>
#include <vector>

#include "model/path/receive_path.h"
#include "model/path/receive_vector.h"

namespace metaroce {
namespace {

constexpr uint32_t kStarts[] = {0, 0xFFFFFFF0, 0xFFFFFF00, 0x7FFFFFF8};

// Whole path sequences from the start of the epoch on.
struct NaiveVector {
  std::set<int64_t> received;

  int64_t Base() const {
    int64_t base = 0;
    while (received.contains(base)) ++base;
    return base;
  }
  int64_t Greatest() const { return received.empty() ? Base() - 1 : *received.rbegin(); }
  Arrival Classify(int64_t s) const {
    const int64_t base = Base();
    if (s - base >= 256) return Arrival::kBeyondWindow;
    if (s < base || received.contains(s)) return Arrival::kDuplicate;
    if (s > Greatest() + 1) return Arrival::kHole;
    if (s == Greatest() + 1) return Arrival::kInOrder;
    return s == base ? Arrival::kFill : Arrival::kLate;
  }
};

void ExpectSame(const ReceiveVector& vector, const NaiveVector& naive, uint32_t start) {
  const int64_t base = naive.Base();
  ASSERT_EQ(vector.base().value(), static_cast<uint32_t>(start + base));
  for (uint32_t i = 0; i < 256; ++i) {
    ASSERT_EQ((vector.bitmap()[i / 64] >> (i % 64)) & 1, naive.received.contains(base + i)) << i;
  }
  const int64_t span = naive.Greatest() >= base ? naive.Greatest() - base + 1 : 0;
  ASSERT_EQ(vector.span(), span);
}

TEST(ReceiveVectorProperty, AgreesWithASetOfEverythingReceived) {
  for (uint32_t seed = 0; seed < 10000; ++seed) {
    std::mt19937 dice(seed);
    const uint32_t start = kStarts[seed % 4];
    ReceiveVector vector{PathSeq(start)};
    NaiveVector naive;
    const uint32_t spread = 1 + dice() % 300;
    for (uint32_t i = 0; i < 60; ++i) {
      const int64_t s = naive.Base() - 20 + dice() % (20 + spread);
      const PathSeq wire(static_cast<uint32_t>(start + s));
      const Arrival outcome = vector.Classify(wire);
      ASSERT_EQ(outcome, naive.Classify(s)) << seed;
      if (outcome == Arrival::kBeyondWindow || outcome == Arrival::kDuplicate) continue;
      vector.Mark(wire);
      naive.received.insert(s);
      ASSERT_NO_FATAL_FAILURE(ExpectSame(vector, naive, start)) << seed;
    }
  }
}

// ACK generation as section 6.2 has it, from the list of all that arrived.
struct NaivePath {
  struct Event {
    Nanoseconds at;
    uint32_t transmitted;
    bool probe;
  };
  NaiveVector vector;
  std::vector<Event> arrivals;     // all
  std::vector<Nanoseconds> since;  // of those no ACK has acknowledged
  std::vector<Nanoseconds> at_once;
  std::vector<Nanoseconds> probes;
  uint64_t data = 0, ce = 0, duplicates = 0;

  Nanoseconds Due(const AckLimits& limits) const {
    if (!probes.empty()) return probes.front();
    Nanoseconds due = kNever;
    for (Nanoseconds t : at_once) due = std::min(due, t);
    if (since.size() >= limits.every) due = std::min(due, since[limits.every - 1]);
    if (!since.empty()) due = std::min(due, since.front() + limits.delay_max);
    return due;
  }
};

TEST(AckGenerationProperty, AgreesWithAListOfAllArrivals) {
  for (uint32_t seed = 0; seed < 10000; ++seed) {
    std::mt19937 dice(seed);
    const uint32_t start = kStarts[seed % 4];
    AckLimits limits;
    limits.every = 1 + dice() % 9;
    limits.delay_max = dice() % 3 == 0 ? 0 : 1 + dice() % 9000;
    ReceivePath path(static_cast<uint8_t>(seed), PathSeq(start));
    NaivePath naive;
    Nanoseconds now = 1000 + (seed % 2) * 0xFFFFFF00ll;
    for (uint32_t i = 0; i < 50; ++i) {
      now += dice() % 3000;
      const uint32_t transmitted = dice();
      switch (dice() % 8) {
        case 0: {
          path.ArriveProbe(WireTime(transmitted), {}, now);
          naive.arrivals.push_back({now, transmitted, true});
          naive.probes.push_back(now);
          break;
        }
        case 1: {
          const bool answers = dice() % 4 != 0;
          path.Acknowledged(answers);
          naive.since.clear();
          naive.at_once.clear();
          // A PROBE that stays owed keeps the moment of the first of them.
          if (answers && !naive.probes.empty()) {
            const Nanoseconds first = naive.probes.front();
            naive.probes.erase(naive.probes.begin());
            if (!naive.probes.empty()) naive.probes.front() = first;
          }
          break;
        }
        default: {
          const int64_t s = naive.vector.Base() - 3 + dice() % (dice() % 20 == 0 ? 300 : 9);
          const bool ce = dice() % 4 == 0;
          const bool ar = dice() % 8 == 0;
          const bool refused = dice() % 10 == 0;
          const bool csn_duplicate = dice() % 10 == 0;
          const PathSeq wire(static_cast<uint32_t>(start + s));
          const Arrival outcome = path.Arrive(wire, WireTime(transmitted), ce, ar, {}, now, limits);
          ASSERT_EQ(outcome, naive.vector.Classify(s)) << seed;
          if (outcome == Arrival::kBeyondWindow) {
            naive.at_once.push_back(now);
            break;
          }
          naive.arrivals.push_back({now, transmitted, false});
          naive.since.push_back(now);
          ++naive.data;
          naive.ce += ce;
          if (ar) naive.at_once.push_back(now);
          if (outcome == Arrival::kDuplicate) {
            ++naive.duplicates;
            naive.at_once.push_back(now);
            break;
          }
          if (refused) break;
          path.Mark(wire, outcome, csn_duplicate, now);
          naive.vector.received.insert(s);
          if (outcome == Arrival::kHole || outcome == Arrival::kFill || csn_duplicate) {
            naive.at_once.push_back(now);
          }
          break;
        }
      }
      ASSERT_EQ(path.AckDue(), naive.Due(limits)) << seed;
      const Nanoseconds built = now + dice() % 100;
      const spec::PathBlock block = path.Block(7, built);
      ASSERT_EQ(block.path, 7);
      ASSERT_EQ(block.epoch, static_cast<uint8_t>(seed));
      ASSERT_EQ(block.base, static_cast<uint32_t>(start + naive.vector.Base()));
      ASSERT_EQ(block.arrivals, static_cast<uint16_t>(naive.data));
      ASSERT_EQ(block.ce, static_cast<uint16_t>(naive.ce));
      ASSERT_EQ(block.duplicates, static_cast<uint8_t>(naive.duplicates));
      if (naive.arrivals.empty()) {
        ASSERT_EQ(block.hold, UINT32_MAX);
        ASSERT_EQ(block.echo, 0u);
      } else {
        ASSERT_EQ(block.echo, naive.arrivals.back().transmitted);
        ASSERT_EQ(block.hold, static_cast<uint32_t>(built - naive.arrivals.back().at));
      }
      const int64_t span = naive.vector.Greatest() - naive.vector.Base() + 1;
      const uint32_t code = span <= 0 ? 0 : span <= 64 ? 1 : span <= 128 ? 2 : 3;
      ASSERT_EQ(uint32_t{block.bitmap_code}, code) << seed;
      ASSERT_NO_FATAL_FAILURE(ExpectSame(path.vector(), naive.vector, start)) << seed;
    }
  }
}

TEST(AckGenerationProperty, CountsWrapAtTheWidthOfTheirFields) {
  ReceivePath path(0, PathSeq(0xFFFF0000));
  const AckLimits limits;
  uint32_t marks = 0;
  for (uint32_t i = 0; i < 150000; ++i) {
    const PathSeq s(0xFFFF0000 + i);
    const bool ce = i % 3 != 0;
    marks += ce;
    path.Mark(s, path.Arrive(s, WireTime(i), ce, false, {}, i, limits), false, i);
  }
  for (uint32_t i = 0; i < 300; ++i) {
    path.Arrive(PathSeq(5), WireTime(i), false, false, {}, 150000, limits);
  }
  const spec::PathBlock block = path.Block(0, 150000);
  EXPECT_EQ(block.base, 0xFFFF0000 + 150000);
  EXPECT_EQ(block.arrivals, 150300 % 65536);
  EXPECT_EQ(block.ce, marks % 65536);
  EXPECT_EQ(block.duplicates, 300 % 256);
}

}  // namespace
}  // namespace metaroce
