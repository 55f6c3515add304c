// The records of CSNs against naive twins that keep every number whole and look at all of them:
// 10,000 random histories each, across the wrap.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "model/connection/csn_window.h"
#include "model/connection/sent_csns.h"

namespace metaroce {
namespace {

constexpr uint32_t kStarts[] = {0, 0xFFFFFFF0, 0xFFFFFE00, 0x7FFFFFF8};

TEST(CsnWindowProperty, AgreesWithASetOfAllCsnsReceived) {
  for (uint32_t seed = 0; seed < 10000; ++seed) {
    std::mt19937 dice(seed);
    const uint32_t start = kStarts[seed % 4];
    uint32_t range = 1 + dice() % 400;
    CsnWindow window(Csn(start), range);
    std::set<uint64_t> received;
    uint64_t edge = range;
    const auto cumulative = [&] {
      uint64_t c = 0;
      while (received.contains(c)) ++c;
      return c;
    };
    const auto wire = [&](uint64_t csn) { return Csn(start + static_cast<uint32_t>(csn)); };
    const uint32_t spread = 1 + dice() % 500;
    for (uint32_t i = 0; i < 80; ++i) {
      const uint64_t c = cumulative();
      if (dice() % 16 == 0) {
        range = 1 + dice() % 900;
        window.SetRange(range);
      } else {
        const uint64_t csn = c + dice() % (dice() % 3 == 0 ? 2 : spread);
        ASSERT_EQ(window.Granted(wire(csn)), csn < edge) << seed;
        ASSERT_EQ(window.Received(wire(csn)), received.contains(csn)) << seed;
        if (csn >= edge || received.contains(csn)) continue;
        window.Mark(wire(csn));
        received.insert(csn);
      }
      edge = std::max(edge, cumulative() + range);
      ASSERT_EQ(window.cumulative(), wire(cumulative())) << seed;
      ASSERT_EQ(window.right_edge(), wire(edge)) << seed;
      if (c > 0) {
        ASSERT_TRUE(window.Received(wire(c - 1)));
      }
    }
  }
}

TEST(SentCsnsProperty, AgreesWithAMapOfAllCsnsAssigned) {
  for (uint32_t seed = 0; seed < 10000; ++seed) {
    std::mt19937 dice(seed);
    const uint32_t start = kStarts[seed % 4];
    SentCsns sent{Csn(start)};
    std::map<uint64_t, SentCsn> naive;  // cumulative and beyond
    uint64_t cumulative = 0;
    uint64_t next = 0;
    const auto wire = [&](uint64_t csn) { return Csn(start + static_cast<uint32_t>(csn)); };
    for (uint32_t i = 0; i < 80; ++i) {
      switch (dice() % 5) {
        case 0:
        case 1: {
          SentCsn one;
          one.message = dice();
          ASSERT_EQ(sent.Append(one), wire(next));
          naive[next++] = one;
          break;
        }
        case 2: {  // the cumulative CSN moves
          const uint64_t to = cumulative + dice() % (next - cumulative + 1);
          std::vector<uint32_t> expected;
          for (; cumulative < to; ++cumulative) {
            if (!naive[cumulative].done) expected.push_back(naive[cumulative].message);
            naive.erase(cumulative);
          }
          std::vector<uint32_t> done;
          sent.Pass(wire(to), [&](const SentCsn& one) { done.push_back(one.message); });
          ASSERT_EQ(done, expected) << seed;
          break;
        }
        case 3: {  // an epoch dies: some of those that do not wait are moved
          for (auto& [csn, one] : naive) {
            if (one.waits || one.done || dice() % 4 != 0) continue;
            one.waits = one.moved = true;
            sent.Move(wire(csn));
          }
          break;
        }
        default: {  // a moved packet is sent, or one is done
          uint64_t lowest = next;
          for (const auto& [csn, one] : naive) {
            if (one.waits) lowest = std::min(lowest, csn);
          }
          if (lowest == next) {
            if (naive.empty()) break;
            naive.begin()->second.done = true;
            sent.at(wire(naive.begin()->first)).done = true;
            break;
          }
          ASSERT_EQ(sent.LowestMoved(), wire(lowest)) << seed;
          sent.Sent(wire(lowest));
          naive[lowest].waits = false;
          break;
        }
      }
      uint32_t waiting = 0;
      for (const auto& [csn, one] : naive) {
        waiting += one.waits;
        ASSERT_TRUE(sent.Has(wire(csn)));
        ASSERT_EQ(sent.at(wire(csn)), one) << seed;
      }
      ASSERT_EQ(sent.waiting(), waiting) << seed;
      ASSERT_EQ(sent.cumulative(), wire(cumulative));
      ASSERT_EQ(sent.next(), wire(next));
      ASSERT_EQ(sent.empty(), cumulative == next);
      ASSERT_FALSE(sent.Has(wire(next)));
    }
  }
}

}  // namespace
}  // namespace metaroce
