// The receiver's shares against values worked out by hand, and against a naive twin that looks at
// everything at every packet.
#include "model/congestion/hint.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace metaroce::congestion {
namespace {

std::vector<uint64_t> Shares(uint64_t capacity, const std::vector<uint64_t>& demands) {
  std::vector<Claim> claims;
  for (uint32_t i = 0; i < demands.size(); ++i) claims.push_back({demands[i], i, 0});
  WaterFill(capacity, &claims);
  std::vector<uint64_t> shares(demands.size());
  for (const Claim& claim : claims) shares[claim.cid] = claim.share;
  return shares;
}

constexpr uint64_t kNone = Claim::kNoDemand;

TEST(WaterFillTest, WhoAsksForLessLeavesTheRestToTheOthers) {
  EXPECT_EQ(Shares(300, {kNone}), (std::vector<uint64_t>{300}));
  EXPECT_EQ(Shares(300, {kNone, kNone, kNone}), (std::vector<uint64_t>{100, 100, 100}));
  EXPECT_EQ(Shares(300, {kNone, 40, kNone}), (std::vector<uint64_t>{130, 40, 130}));
  EXPECT_EQ(Shares(300, {200, 40, kNone}), (std::vector<uint64_t>{130, 40, 130}));
  EXPECT_EQ(Shares(300, {10, 20, 30}), (std::vector<uint64_t>{10, 20, 30}));
  // What a division leaves over goes to the last.
  EXPECT_EQ(Shares(100, {kNone, kNone, kNone}), (std::vector<uint64_t>{33, 33, 34}));
}

// No share is above an equal one unless all with less have what they ask for.
RC_GTEST_PROP(WaterFillProperty, IsFairAndSpendsNoMoreThanThereIs, ()) {
  const uint64_t capacity = *rc::gen::inRange<uint64_t>(1, 2000000);
  const auto demands = *rc::gen::nonEmpty(rc::gen::container<std::vector<uint64_t>>(
      rc::gen::oneOf(rc::gen::inRange<uint64_t>(1, 500000), rc::gen::just(kNone))));
  const std::vector<uint64_t> shares = Shares(capacity, demands);
  uint64_t sum = 0;
  for (uint64_t share : shares) sum += share;
  RC_ASSERT(sum <= capacity);
  for (size_t i = 0; i < shares.size(); ++i) {
    RC_ASSERT(shares[i] <= demands[i]);
    if (shares[i] == demands[i]) continue;
    RC_ASSERT(sum == capacity);
    for (size_t j = 0; j < shares.size(); ++j) RC_ASSERT(shares[j] <= shares[i] + shares.size());
  }
}

// HINT-ARRIVAL to HINT-VALUE, sentence by sentence.
class Twin {
 public:
  struct One {
    bool active = false;
    Nanoseconds rtt = 0, last = 0, began = 0;
    uint64_t s = 0, bytes = 0, r1 = 0, r2 = 0, low = 0, demand = kNone;
  };

  explicit Twin(const Profile& profile) : k_(profile) {}
  void Add(uint32_t cid, Nanoseconds rtt, uint64_t s) {
    all_[cid].rtt = rtt;
    all_[cid].s = s;
  }
  //= HINT-ARRIVAL
  //# in this order: [HINT-SWEEP]; [HINT-PERIOD] for its connection;
  void Arrive(uint32_t cid, uint64_t bytes, Nanoseconds now, uint64_t c) {
    Sweep(now, c);
    One& one = all_[cid];
    if (one.active) Period(one, now, c);
    if (!one.active) {
      const One fresh{true, one.rtt, 0, now, one.s};
      one = fresh;
    }
    one.bytes += bytes;
    one.last = now;
  }
  //= HINT-VALUE
  //# in this order: [HINT-SWEEP]; [HINT-PERIOD] for each active connection;
  uint64_t Value(uint32_t cid, Nanoseconds now, uint64_t c) {
    Sweep(now, c);
    for (auto& [id, one] : all_) {
      if (one.active) Period(one, now, c);
    }
    std::vector<std::pair<uint64_t, uint32_t>> order;  // demand, cid
    for (const auto& [id, one] : all_) {
      if (one.active) order.push_back({one.demand, id});
      if (!one.active && id == cid) order.push_back({kNone, id});
    }
    //= HINT-SHARES
    //# With c = C and k = N at first, each in turn gets its demand if it has one and it is at most c
    //# / k, else c / k;
    uint64_t k = order.size();
    while (true) {
      const auto next = *std::min_element(order.begin(), order.end());
      const bool all = next.first != kNone && next.first <= c / k;
      const uint64_t share = all ? next.first : c / k;
      if (next.second == cid) return share;
      c -= share;
      --k;
      order.erase(std::find(order.begin(), order.end(), next));
    }
  }
  void Forget(uint32_t cid) { all_[cid].active = false; }
  bool Active(uint32_t cid) { return all_[cid].active; }

 private:
  uint64_t N() const {
    uint64_t n = 0;
    for (const auto& [id, one] : all_) n += one.active;
    return n;
  }
  Nanoseconds Time(spec::Constant id) const { return k_.Time(id); }
  //= HINT-SWEEP
  //# With N counted at the beginning of the sweep,
  void Sweep(Nanoseconds now, uint64_t c) {
    const uint64_t n = N();
    for (auto& [id, one] : all_) {
      const Nanoseconds a = std::max(Time(spec::Constant::kHintIdleMin), 2 * one.rtt);
      const Nanoseconds b = static_cast<Nanoseconds>(4 * n * one.s * 8000 / c);
      if (one.active && now - one.last >= std::max(a, b)) one.active = false;
    }
  }
  //= HINT-PERIOD
  //# A period of a connection is max(`hint_period_min`, RTT) long.
  void Period(One& one, Nanoseconds now, uint64_t c) {
    const Nanoseconds period = std::max(Time(spec::Constant::kHintPeriodMin), one.rtt);
    while (one.began + period <= now) {
      one.r2 = one.r1;
      one.r1 = one.bytes * 8000 / static_cast<uint64_t>(period);
      one.bytes = 0;
      one.began += period;
      if (2 * one.r1 * N() < c) {
        ++one.low;
      } else {
        one.low = 0;
      }
      one.demand = kNone;
      if (one.low < k_[spec::Constant::kHintLowPeriods]) continue;
      const uint64_t m = std::max(one.r1, one.r2);
      one.demand = std::max(m + m / 2, c / (4 * N()));
    }
  }

  const Profile& k_;
  std::map<uint32_t, One> all_;
};

RC_GTEST_PROP(AllocatorProperty, AgreesWithANaiveTwin, ()) {
  const Profile profile;
  Allocator allocator;
  Twin twin(profile);
  std::vector<Sender> who(*rc::gen::inRange<size_t>(1, 8));
  for (uint32_t i = 0; i < who.size(); ++i) {
    who[i].cid = 10 - i;
    who[i].rtt = *rc::gen::element<Nanoseconds>(5000, 12000, 40000, 200000);
    who[i].full_packet = *rc::gen::element(374u, 4214u);
    twin.Add(who[i].cid, who[i].rtt, who[i].full_packet);
  }
  //= HINT-CAPACITY
  //# C is max(1, r * `hint_percent` / 100)
  uint64_t capacity = Allocator::Capacity(400000, profile);
  RC_ASSERT(capacity == 380000u);
  Nanoseconds now = 1;
  for (const uint32_t step :
       *rc::gen::container<std::vector<uint32_t>>(rc::gen::arbitrary<uint32_t>())) {
    static constexpr Nanoseconds kGaps[] = {0, 80, 900, 7000, 33000, 90000, 500000};
    now += kGaps[(step >> 3) % 7];
    const Sender& sender = who[(step >> 6) % who.size()];
    switch (step % 8) {
      case 0:
        if ((step >> 16) % 8 == 0) capacity = capacity == 380000 ? 95000 : 380000;
        break;
      case 1:
        if ((step >> 16) % 4 != 0) break;
        allocator.Forget(sender.cid);
        twin.Forget(sender.cid);
        break;
      case 2:
      case 3:
        allocator.Bring(now, capacity, profile);
        RC_ASSERT(allocator.Share(sender.cid) == twin.Value(sender.cid, now, capacity));
        break;
      default:
        for (uint32_t i = 0; i <= (step >> 16) % 40; ++i) {
          allocator.Arrive(sender, sender.full_packet, now, capacity, profile);
          twin.Arrive(sender.cid, sender.full_packet, now, capacity);
        }
        break;
    }
    for (const Sender& one : who) RC_ASSERT(allocator.Active(one.cid) == twin.Active(one.cid));
  }
}

// The first packet of a second sender halves the share in the very next ACK.
TEST(AllocatorTest, AShareIsRightFromTheFirstPacketOn) {
  const Profile profile;
  Allocator allocator;
  Sender a{.cid = 1, .rtt = 12000, .full_packet = 4214};
  Sender b{.cid = 2, .rtt = 12000, .full_packet = 4214};
  allocator.Arrive(a, 4214, 1000, 380000, profile);
  allocator.Bring(1000, 380000, profile);
  EXPECT_EQ(allocator.Share(1), 380000u);
  allocator.Arrive(b, 4214, 1001, 380000, profile);
  allocator.Bring(1001, 380000, profile);
  EXPECT_EQ(allocator.Share(1), 190000u);
  EXPECT_EQ(allocator.Share(2), 190000u);
}

// One of two sends at 10 Gb/s: after four low periods it keeps half more than that, but a quarter
// of an equal share at least, and the other has the rest.
TEST(AllocatorTest, WhoSendsLittleLeavesTheRestAfterFourPeriods) {
  const Profile profile;
  Allocator allocator;
  Sender a{.cid = 1, .rtt = 12000, .full_packet = 4214};
  Sender b{.cid = 2, .rtt = 12000, .full_packet = 4214};
  Nanoseconds now = 0;
  for (int i = 0; i < 5 * 32; ++i) {
    allocator.Arrive(a, 47500, now, 380000, profile);                 // 380 Gb/s
    if (i % 3 == 0) allocator.Arrive(b, 3750, now, 380000, profile);  // 10 Gb/s
    now += 1000;
    allocator.Bring(now, 380000, profile);
    if (now == 3 * 32000) {
      EXPECT_EQ(allocator.Share(2), 190000u);
    }
  }
  EXPECT_EQ(allocator.Share(2), 47500u);
  EXPECT_EQ(allocator.Share(1), 380000u - 47500u);
}

TEST(AllocatorTest, WhoIsSilentIsForgotten) {
  const Profile profile;
  Allocator allocator;
  Sender a{.cid = 1, .rtt = 12000, .full_packet = 4214};
  Sender b{.cid = 2, .rtt = 100000, .full_packet = 4214};
  allocator.Arrive(a, 4214, 0, 380000, profile);
  allocator.Arrive(b, 4214, 0, 380000, profile);
  allocator.Bring(63999, 380000, profile);
  EXPECT_TRUE(allocator.Active(1));
  allocator.Bring(64000, 380000, profile);
  EXPECT_FALSE(allocator.Active(1));
  EXPECT_TRUE(allocator.Active(2));
  allocator.Bring(200000, 380000, profile);
  EXPECT_FALSE(allocator.Active(2));
}

}  // namespace
}  // namespace metaroce::congestion
