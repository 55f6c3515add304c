// The rules of a direction and of a receiver against the cases of the twin (twin.py): the pacer,
// the allotted rates, the number of paths and their entropies, sections 8.7 and 8.10 to 8.12.
//
// Of hint_value.txt hints of all ones are not looked at, which say that all senders are one host;
// of pace_time.txt p, which the model does not keep; of reentropy.txt all but `marked`, as
// twin_connection_test.cc says. The time since the target grew (`e` of count_grow.txt) is judged
// here and not by the model.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "model/congestion/count.h"
#include "model/congestion/hint.h"
#include "model/congestion/pacer.h"
#include "model/congestion/testing/twin_file.h"
#include "model/congestion/units.h"

namespace metaroce::congestion {
namespace {

//= CC-PACE-TIME
//# T is the time of a byte in units of 2^-22 ns, at least 1:
TEST(TwinDirectionTest, PaceTime) {
  ForEachCase("pace_time", [](Fields& in, Fields& out) {
    const List gains = in.List("gains");
    ASSERT_EQ(gains.size(), 2u);
    const uint64_t copies = U(in["copies"]);
    uint64_t sum = 0, speed = 0;
    bool slow = false;
    for (const List& path : in.Records("paths", 3)) {
      sum += copies * U(path[0]);
      speed += copies * Speed(U32(path[0]), path[1]);
      slow = slow || Flag(path[2]);
    }
    EXPECT_EQ(speed, U(out["v"]));
    EXPECT_EQ(ByteTimeOfSpeed(speed, sum, U(in["x"]), U(gains[slow ? 0 : 1]), U(in["s"])),
              U(out["without_hint"]));
    EXPECT_EQ(ByteTimeOfRate(U(in["hint"]), U(in["unit"])), U(out["with_hint"]));
    out.Skip("p");
  });
}

// `due` is exactly `rest` parts of 2^-22 ns after `whole`: a packet of that many parts takes it to
// `whole` + 2, and one of a part more beyond. With a burst as long as that none is held to the time
// at which it leaves.
void ExpectDue(const Pacer& pacer, Nanoseconds whole, uint64_t rest) {
  EXPECT_EQ(pacer.Due(), whole + (rest > 0 ? 1 : 0));
  const uint64_t to_the_next_but_one = (uint64_t{2} << Pacer::kBits) - rest;
  Pacer up_to = pacer;
  up_to.Charge(0, 1, to_the_next_but_one, UINT32_MAX, UINT32_MAX);
  EXPECT_EQ(up_to.Due(), whole + 2);
  Pacer beyond = pacer;
  beyond.Charge(0, 1, to_the_next_but_one + 1, UINT32_MAX, UINT32_MAX);
  EXPECT_EQ(beyond.Due(), whole + 3);
}

//= CC-PACE
//# A DATA packet of b bytes of wire size is admitted at time t when `due` is at most t << 22.
TEST(TwinDirectionTest, Pace) {
  ForEachCase("pace", [](Fields& in, Fields& out) {
    const uint32_t burst = U32(in["pace_burst"]);
    const uint32_t s = U32(in["s"]);
    const auto sends = in.Records("sends", 3);
    const auto after = out.Records("after", 3);
    ASSERT_EQ(sends.size(), after.size());
    ASSERT_FALSE(sends.empty());
    Pacer pacer;
    for (size_t i = 0; i < sends.size(); ++i) {
      SCOPED_TRACE(i);
      const Nanoseconds waits = sends[i][0];
      const Nanoseconds goes = pacer.Admits(waits) ? waits : pacer.Due();
      ASSERT_EQ(goes, after[i][0]);
      ASSERT_TRUE(pacer.Admits(goes));
      ASSERT_TRUE(goes == waits || !pacer.Admits(goes - 1));
      pacer.Charge(goes, U32(sends[i][1]), U(sends[i][2]), burst, s);
      ExpectDue(pacer, after[i][1], U(after[i][2]));
    }
  });
}

//= HINT-CAPACITY
//# C is max(1, r * `hint_percent` / 100)
//= HINT-SHARES
//# each in turn gets its demand if it has one and it is at most c / k,
TEST(TwinDirectionTest, HintShares) {
  ForEachCase("hint_shares", [](Fields& in, Fields& out) {
    const Profile profile = With({"hint_percent"}, in.List("hint_percent"));
    const uint64_t capacity = Allocator::Capacity(U(in["rate"]), profile);
    EXPECT_EQ(capacity, U(out["capacity"]));
    std::vector<Claim> claims;
    for (const List& record : in.Records("demands", 2)) {
      claims.push_back({record[1] < 0 ? Claim::kNoDemand : U(record[1]), U32(record[0]), 0});
    }
    WaterFill(capacity, &claims);
    std::map<uint32_t, uint64_t> shares;
    for (const Claim& claim : claims) shares[claim.cid] = claim.share;
    List got;
    for (const List& record : in.Records("demands", 2)) {
      got.push_back(static_cast<int64_t>(shares.at(U32(record[0]))));
    }
    EXPECT_EQ(got, out.List("shares"));
  });
}

// The state of a sender after a step, as hint_value.txt has it: active r1 r2 low demand.
List StateOf(const Allocator& allocator, uint32_t cid) {
  for (const Sender& sender : allocator.senders()) {
    if (sender.cid != cid) continue;
    const bool wants = sender.demand != Claim::kNoDemand;
    return {1, static_cast<int64_t>(sender.r1), static_cast<int64_t>(sender.r2), sender.low,
            wants ? static_cast<int64_t>(sender.demand) : -1};
  }
  return {0};
}

//= HINT-ARRIVAL
//# in this order: [HINT-SWEEP]; [HINT-PERIOD] for its connection;
//= HINT-SWEEP
//# With N counted at the beginning of the sweep, each active connection whose last arrival is
//= HINT-PERIOD
//# While its running period is over, which it is from its end on, it is closed
//= HINT-VALUE
//# it counts as active without demand for this computation alone.
TEST(TwinDirectionTest, HintValue) {
  int with_a_share = 0;
  ForEachCase("hint_value", [&](Fields& in, Fields& out) {
    const Profile profile =
        With({"hint_percent", "hint_idle_min", "hint_period_min", "hint_low_periods"},
             in.List("constants"));
    const uint64_t capacity = Allocator::Capacity(U(in["rate"]), profile);
    std::map<uint32_t, Sender> senders;
    std::map<uint32_t, uint64_t> units;
    for (const List& record : in.Records("connections", 6)) {
      const uint32_t cid = U32(record[0]);
      senders[cid] = Sender{.cid = cid, .rtt = record[1], .full_packet = U32(record[3])};
      units[cid] = U(record[2]);
    }
    const auto steps = in.Records("steps", 3);
    const auto after = out.Records("after", 7);
    ASSERT_EQ(steps.size(), after.size());
    ASSERT_FALSE(steps.empty());
    Allocator allocator;
    for (size_t i = 0; i < steps.size(); ++i) {
      SCOPED_TRACE(i);
      const uint32_t cid = U32(steps[i][1]);
      const int64_t hint = after[i][0];
      if (const uint32_t bytes = U32(steps[i][2]); bytes > 0) {
        allocator.Arrive(senders.at(cid), bytes, steps[i][0], capacity, profile);
        EXPECT_EQ(hint, -1);
      } else {
        allocator.Bring(steps[i][0], capacity, profile);
        const uint64_t share = allocator.Share(cid) / units.at(cid);
        if (hint != UINT16_MAX) {
          ASSERT_EQ(std::clamp<uint64_t>(share, 1, 65534), U(hint));
          ++with_a_share;
        }
      }
      ASSERT_EQ(allocator.senders().size(), U(after[i][1]));
      List state(after[i].begin() + 2, after[i].end());
      if (state[0] == 0) state.resize(1);  // the rest has no meaning
      ASSERT_EQ(StateOf(allocator, cid), state);
    }
  });
  EXPECT_GT(with_a_share, 20);
}

//= COUNT-BASE
//# base = clamp(max((5 * b + 2^26 - 1) >> 26, `path_diversity`), 1, L)
TEST(TwinDirectionTest, CountBase) {
  ForEachCase("count_base", [](Fields& in, Fields& out) {
    const Profile profile = With({"path_diversity"}, in.List("path_diversity"));
    const uint64_t bdp = Bdp(U(in["share"]), in["rtt"], Kb(U(in["unit"]), U(in["s"])));
    EXPECT_EQ(BaseTarget(bdp, U32(in["most"]), profile), out["base"]);
  });
}

//= COUNT-GROW
//# A target that is set to what it was has not grown.
TEST(TwinDirectionTest, CountGrow) {
  ForEachCase("count_grow", [](Fields& in, Fields& out) {
    const uint32_t n = U32(in["n"]);
    const bool slow = Flag(in["slow"]);
    const uint64_t bdp = Bdp(U(in["rate"]), in["min_rtt"], Kb(U(in["unit"]), U(in["s"])));
    const uint32_t limit = GrowthLimit(U32(in["base"]), bdp, U32(in["most"]));
    uint32_t target = U32(in["target"]);
    //= COUNT-GROW
    //# and e is at least 2 * SRTT of the connection
    const bool late = in["e"] >= (slow ? 1 : 2) * in["srtt"];
    if (WindowsFull(U(in["sum"]), n, slow) && late) target = GrownTarget(target, limit, n, slow);
    EXPECT_EQ(target, out["target"]);
  });
}

//= REENTROPY-MARKED
//# 2 or more bits of its `history` are set, `alpha` is `reentropy_alpha` or more
TEST(TwinDirectionTest, ReentropyMarked) {
  ForEachCase("reentropy", [](Fields& in, Fields& out) {
    const Profile profile =
        With({"reentropy_rounds", "reentropy_alpha", "reentropy_hold_off", "reentropy_doublings"},
             in.List("constants"));
    const auto paths = in.Records("paths", 7);
    uint64_t sum = 0;
    for (const List& path : paths) sum += U(path[1]);
    List marked;
    for (const List& record : paths) {
      PathState path;
      path.w = U32(record[1]);
      path.alpha = U32(record[2]);
      path.history = static_cast<uint8_t>(record[3]);
      marked.push_back(PersistentlyMarked(path, static_cast<uint32_t>(paths.size()), sum, profile));
    }
    EXPECT_EQ(marked, out.List("marked"));
    for (const char* name :
         {"rounds", "limited", "limited_before", "x", "other_drains", "now", "srtt"}) {
      in.Skip(name);
    }
    for (const char* name : {"chosen", "hold_off_until", "rounds", "limited"}) out.Skip(name);
  });
}

}  // namespace
}  // namespace metaroce::congestion
