// The sender's structures against naive twins that do the same by looking at everything; 10,000
// histories each.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "model/deadlines.h"
#include "model/path/rtt.h"
#include "model/path/schedule.h"
#include "model/path/transmit_window.h"

namespace metaroce {
namespace {

// What a window of records is, without rings, lists or counts.
struct NaiveWindow {
  struct Entry {
    uint32_t csn;
    Nanoseconds sent;
    uint16_t bytes;
    Condition condition;
    uint32_t losses;
  };
  std::map<uint64_t, Entry> entries;  // by whole path sequence
  uint64_t next = 0;

  uint64_t Oldest() const {
    for (const auto& [s, e] : entries) {
      if (e.condition != Condition::kAcknowledged) return s;
    }
    return next;
  }
  uint32_t In(Condition condition) const {
    uint32_t n = 0;
    for (const auto& [s, e] : entries) n += e.condition == condition;
    return n;
  }
};

RC_GTEST_PROP(TransmitWindowProperty, AgreesWithANaiveTwinAcrossTheWrap, ()) {
  const uint32_t start = *rc::gen::element(0u, 0xFFFFFFF0u, 0xFFFFFF80u, 0x7FFFFFF8u);
  TransmitWindow window{PathSeq(start)};
  NaiveWindow naive;
  Nanoseconds now = 1000;
  uint32_t csn = 0;
  const auto steps = *rc::gen::container<std::vector<uint32_t>>(rc::gen::arbitrary<uint32_t>());
  for (const uint32_t step : steps) {
    now += 1 + step % 7;
    const uint64_t oldest = naive.Oldest();
    switch (step % 4) {
      case 0:
      case 1: {  // a packet is sent, for the first time or again
        const auto lost = std::find_if(naive.entries.begin(), naive.entries.end(), [](auto& e) {
          return e.second.condition == Condition::kLost;
        });
        if (step % 4 == 1 && lost != naive.entries.end()) {
          window.Resend(PathSeq(start + static_cast<uint32_t>(lost->first)), now, 200);
          lost->second.condition = Condition::kInFlight;
          lost->second.sent = now;
          lost->second.bytes = 200;
          break;
        }
        // Up to 40 new ones, as far as there is room.
        for (uint32_t n = 1 + (step >> 5) % 40; n > 0; --n) {
          RC_ASSERT(window.HasRoom() == (naive.next - oldest < TransmitWindow::kSize));
          if (!window.HasRoom()) break;
          const uint16_t bytes = static_cast<uint16_t>(100 + step % 50);
          window.Append(Csn(csn), ++now, bytes, false);
          naive.entries[naive.next++] = {csn++, now, bytes, Condition::kInFlight, 0};
        }
        break;
      }
      case 2: {  // a block: base somewhere, bits by a pattern
        const uint64_t base = oldest + (step >> 3) % (naive.next - oldest + 1);
        TransmitWindow::Bitmap bitmap = {};
        std::set<uint64_t> received;
        for (uint64_t s = base + 1; s < naive.next && s < base + 256; ++s) {
          if ((step * 2654435761u >> (s % 29)) % 3 != 0) continue;
          bitmap[(s - base) / 64] |= uint64_t{1} << ((s - base) % 64);
          received.insert(s);
        }
        const PathSeq wire_base(start + static_cast<uint32_t>(base));
        std::vector<uint32_t> expected;
        for (auto& [s, e] : naive.entries) {
          if (e.condition == Condition::kAcknowledged) continue;
          if (s < base || received.contains(s)) {
            e.condition = Condition::kAcknowledged;
            expected.push_back(e.csn);
          }
        }
        RC_ASSERT(window.WouldRelease(wire_base, bitmap) == !expected.empty());
        std::vector<uint32_t> released;
        window.Release(wire_base, bitmap, [&](Csn c) { released.push_back(c.value()); });
        RC_ASSERT(released == expected);
        break;
      }
      default: {  // an echo
        const Nanoseconds before = now - (step >> 3) % 200;
        std::vector<uint32_t> expected;
        for (auto& [s, e] : naive.entries) {
          if (e.condition != Condition::kInFlight || e.sent >= before) continue;
          e.condition = Condition::kLost;
          ++e.losses;
          expected.push_back(start + static_cast<uint32_t>(s));
        }
        std::array<PathSeq, TransmitWindow::kSize> lost;
        const uint32_t count = window.Lose(before, &lost);
        RC_ASSERT(count == expected.size());
        for (uint32_t i = 0; i < count; ++i) RC_ASSERT(lost[i].value() == expected[i]);
        break;
      }
    }
    RC_ASSERT(window.oldest().value() == start + static_cast<uint32_t>(naive.Oldest()));
    RC_ASSERT(window.next().value() == start + static_cast<uint32_t>(naive.next));
    RC_ASSERT(window.in_flight() == naive.In(Condition::kInFlight));
    RC_ASSERT(window.lost() == naive.In(Condition::kLost));
    uint64_t bytes = 0;
    for (const auto& [s, e] : naive.entries)
      bytes += e.condition == Condition::kInFlight ? e.bytes : 0;
    RC_ASSERT(window.flight_bytes() == bytes);
    if (window.in_flight() == 0) continue;
    for (const auto& [s, e] : naive.entries) {
      if (e.condition != Condition::kInFlight) continue;
      RC_ASSERT(window.LowestInFlight().csn.value() == e.csn);
      break;
    }
  }
}

//= CC-SCHEDULER
//# Among the paths on which the packet may be sent, an implementation takes any.
RC_GTEST_PROP(ScheduleProperty, TakesTheLeastLoadedInCyclicOrder, ()) {
  const uint32_t paths = *rc::gen::inRange(1u, 70u);
  Schedule schedule(paths);
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> naive;
  const auto steps = *rc::gen::container<std::vector<uint32_t>>(rc::gen::arbitrary<uint32_t>());
  for (const uint32_t step : steps) {
    const uint32_t id = step % paths;
    if (step % 3 == 0) {
      schedule.Leave(id);
      naive.erase(id);
    } else {
      const uint32_t in_flight = (step >> 8) % 5;
      const uint32_t w = ((step >> 11) % 3 + 1) << 16;
      schedule.Enter(id, in_flight, w);
      naive[id] = {in_flight, w};
    }
    const uint32_t latest = (step >> 16) % 5 == 0 ? Schedule::kNobody : (step >> 16) % paths;
    uint32_t best = Schedule::kNobody;
    for (uint32_t i = 0; i < paths; ++i) {
      const uint32_t q = latest == Schedule::kNobody ? i : (latest + 1 + i) % paths;
      if (!naive.contains(q)) continue;
      if (best == Schedule::kNobody || uint64_t{naive[q].first} * naive[best].second <
                                           uint64_t{naive[best].first} * naive[q].second) {
        best = q;
      }
    }
    RC_ASSERT(schedule.First(latest) == best);
    RC_ASSERT(schedule.size() == naive.size());
  }
}

RC_GTEST_PROP(DeadlinesProperty, TheEarliestComesFirstAndEqualOnesByTheirIds, ()) {
  Deadlines deadlines;
  std::map<uint32_t, Nanoseconds> naive;
  const auto steps = *rc::gen::container<std::vector<uint32_t>>(rc::gen::arbitrary<uint32_t>());
  for (const uint32_t step : steps) {
    const uint32_t id = step % 23;
    const Nanoseconds deadline = (step >> 8) % 16;
    switch ((step >> 16) % 3) {
      case 0:
        deadlines.Stop(id);
        naive.erase(id);
        break;
      case 1:
        deadlines.ArmBy(id, deadline);
        naive[id] = naive.contains(id) ? std::min(naive[id], deadline) : deadline;
        break;
      default:
        deadlines.Arm(id, deadline);
        naive[id] = deadline;
        break;
    }
    if (naive.empty()) {
      RC_ASSERT(deadlines.First() == kNever);
      continue;
    }
    const auto first = std::min_element(naive.begin(), naive.end(),
                                        [](auto& a, auto& b) { return a.second < b.second; });
    RC_ASSERT(deadlines.First() == first->second);
    RC_ASSERT(deadlines.FirstId() == first->first);
    RC_ASSERT(deadlines.Of(id) == (naive.contains(id) ? naive[id] : kNever));
  }
}

// All samples of an epoch, and what section 7.5 makes of them when it is read from the first one.
struct NaiveRtt {
  struct Sample {
    Nanoseconds r;
    bool of_block;
    Nanoseconds at;
  };
  Nanoseconds began;
  std::vector<Sample> samples;

  //= RTT-SMOOTH
  //# A path keeps SRTT times 8 (`s`) and RTTVAR times 4 (`v`), in nanoseconds.
  std::pair<Nanoseconds, Nanoseconds> Smooth() const {
    Nanoseconds s = 0;
    Nanoseconds v = 0;
    for (size_t i = 0; i < samples.size(); ++i) {
      const bool first_of_block =
          samples[i].of_block &&
          std::none_of(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(i),
                       [](const Sample& before) { return before.of_block; });
      if (i == 0 || first_of_block) {
        s = 8 * samples[i].r;
        v = 2 * samples[i].r;
        continue;
      }
      const Nanoseconds d = samples[i].r - s / 8;
      v = v + std::abs(d) - v / 4;
      s = s + d;
    }
    return {s / 8, v / 4};
  }
  //= RTT-MIN
  //# minRTT of a path is the least sample in two buckets.
  Nanoseconds Minimum(Nanoseconds bucket) const {
    Nanoseconds current_began = began;
    std::vector<Nanoseconds> former;
    std::vector<Nanoseconds> current;
    for (const Sample& sample : samples) {
      const Nanoseconds t = sample.at - current_began;
      if (t >= 2 * bucket) {
        former.clear();
        current.clear();
        current_began = sample.at;
      } else if (t >= bucket) {
        former = current;
        current.clear();
        current_began += bucket;
      }
      current.push_back(sample.r);
    }
    Nanoseconds least = kNever;
    for (Nanoseconds r : former) least = std::min(least, r);
    for (Nanoseconds r : current) least = std::min(least, r);
    return least;
  }
};

RC_GTEST_PROP(RttProperty, IsThatOfAllSamplesReadAgain, ()) {
  constexpr Nanoseconds kBucket = 5000;
  NaiveRtt naive{1000, {}};
  Rtt rtt(1000);
  Nanoseconds now = 1000;
  const auto steps = *rc::gen::container<std::vector<uint32_t>>(rc::gen::arbitrary<uint32_t>());
  for (const uint32_t step : steps) {
    now += (step >> 4) % (step % 16 == 0 ? 20000 : 900);
    const Nanoseconds r = 1 + (step >> 12) % 100000;
    const bool of_block = step % 3 != 0;
    naive.samples.push_back({r, of_block, now});
    rtt.Sample(r, of_block, now, kBucket);
    const auto [srtt, rttvar] = naive.Smooth();
    RC_ASSERT(rtt.srtt() == srtt);
    RC_ASSERT(rtt.rttvar() == rttvar);
    RC_ASSERT(rtt.minimum() == naive.Minimum(kBucket));
    RC_ASSERT(rtt.last() == r);
    RC_ASSERT(rtt.last_at() == now);
  }
}

}  // namespace
}  // namespace metaroce
