// The rules of a path against the cases of the twin (twin.py): sections 8.1 to 8.5.
//
// twin_direction_test.cc has those of a direction, twin_connection_test.cc what the endpoint works
// out: of share.txt `reference`, of window_idle.txt whether a path begins anew (`again`). Nothing
// looks at `slow` of window_again.txt. In which order a block calls the functions of the model is
// written down here once more, as CC-ROUND has it.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "model/congestion/built_in.h"
#include "model/congestion/testing/twin_file.h"
#include "model/congestion/units.h"
#include "model/profile.h"
#include "spec/tables.h"

namespace metaroce::congestion {
namespace {

//= CC-MEAN
//# the mean window is sum / n, or 0 if n is 0.
uint64_t Mean(const List& windows) {
  if (windows.empty()) return 0;
  return U(std::accumulate(windows.begin(), windows.end(), int64_t{0})) / windows.size();
}

// PATH_FIELDS of twin_path_cases.py.
constexpr size_t kPathFields = 15;
PathState PathOf(const List& v) {
  PathState path;
  if (v.size() != kPathFields) {
    ADD_FAILURE() << "a path of " << v.size() << " fields";
    return path;
  }
  path.w = U32(v[0]);
  path.alpha = U32(v[1]);
  path.slow = Flag(v[2]);
  path.first = Flag(v[3]);
  path.skip = Flag(v[4]);
  path.clean = U32(v[5]);
  path.limited = Flag(v[6]);
  path.limited_before = Flag(v[7]);
  path.round_start = v[8];
  path.ce = U32(v[9]);
  path.arrived = U32(v[10]);
  path.lost = U32(v[11]);
  path.marked_before = Flag(v[12]);
  path.ever_marked = Flag(v[13]);
  path.history = static_cast<uint8_t>(v[14]);
  return path;
}
List Values(const PathState& path) {
  return {path.w,       path.alpha,   path.slow,           path.first,       path.skip,
          path.clean,   path.limited, path.limited_before, path.round_start, path.ce,
          path.arrived, path.lost,    path.marked_before,  path.ever_marked, path.history};
}

//= CC-S
//# S of a connection is the derived number `full_packet_ipv4` or `full_packet_ipv6`
//= CC-KB
//# `KB` = (2^40 * U + 4000 * S) / (8000 * S).
//= CC-BDP
//# min(2^40, (((r * min(t, 2^30)) >> 8) * `KB`) >> 16).
TEST(TwinPathTest, BdpOfARate) {
  ForEachCase("bdp", [](Fields& in, Fields& out) {
    const bool v4 = in["ip"] == 4;
    const int64_t most = v4 ? spec::derived::kFullPacketIpv4 : spec::derived::kFullPacketIpv6;
    EXPECT_EQ(most - 4096 + in["mtu"], out["s"]);
    const uint64_t kb = Kb(U(in["unit"]), U(out["s"]));
    EXPECT_EQ(kb, U(out["kb"]));
    EXPECT_EQ(Bdp(U(in["rate"]), in["time"], kb), U(out["bdp"]));
  });
}

//= CC-SHARE
//# The port share of a connection is clamp((p / q) / U, 1, 65534).
TEST(TwinPathTest, PortShare) {
  ForEachCase("share", [](Fields& in, Fields& out) {
    EXPECT_EQ(Share(U(in["p"]), U(in["q"]), U(in["unit"])), U(out["share"]));
    in.Skip("hint");
    out.Skip("reference");
  });
}

//= CC-WINDOW-FIRST
//# When a connection opens, path 0 has `w` = `initial_window` << 16 and `slow` = 1.
//= CC-WINDOW-ADDED
//# has `w` = clamp(m >> 1, `window_min`, 256 << 16)
TEST(TwinPathTest, WindowAdded) {
  ForEachCase("window_added", [](Fields& in, Fields& out) {
    const Profile profile = With({"initial_window", "window_min"}, in.List("constants"));
    EXPECT_EQ(FirstWindow(profile), out["first"]);
    EXPECT_EQ(AddedWindow(Mean(in.List("others")), profile), out["added"]);
  });
}

//= CC-WINDOW-AGAIN
//# after any other end of the last epoch in which it was ACTIVE: `w` = max(w >> 2, 65536)
TEST(TwinPathTest, WindowAgain) {
  ForEachCase("window_again", [](Fields& in, Fields& out) {
    const Profile profile = With({"window_min"}, in.List("window_min"));
    const bool drained = Flag(in["drained"]);
    EXPECT_EQ(AgainWindow(U32(in["w"]), Mean(in.List("others")), drained, profile), out["w"]);
    out.Skip("slow");
  });
}

//= CC-WINDOW-IDLE
//# `w` becomes max(`window_min`, (`initial_window` << 16) / n), `slow` = 1, `first` = 1
TEST(TwinPathTest, WindowIdle) {
  ForEachCase("window_idle", [](Fields& in, Fields& out) {
    const Profile profile =
        With({"initial_window", "window_min", "idle_restart_min"}, in.List("constants"));
    PathState path = PathOf(in.List("path"));
    Restart(path, U32(in["n"]), in["now"], profile);
    EXPECT_EQ(Values(path), out.List("path"));
    in.Skip("idle");
    in.Skip("srtt");
    out.Skip("again");
  });
}

//= CC-CONGESTED
//# A path is congested when in flight is above 0 and one of these holds:
TEST(TwinPathTest, PathCongested) {
  ForEachCase("congested", [](Fields& in, Fields& out) {
    const Profile profile = With({"delay_congested_min"}, in.List("delay_congested_min"));
    PathState path;
    path.ce = U32(in["ce"]);
    path.arrived = U32(in["arrived"]);
    path.marked_before = Flag(in["marked_before"]);
    path.ever_marked = Flag(in["ever_marked"]);
    EXPECT_EQ(RunningMarked(path), Flag(out["marked"]));
    EXPECT_EQ(Congested(path, U32(in["in_flight"]), in["sample"], in["min_rtt"], profile),
              Flag(out["congested"]));
  });
}

//= CC-SLOW-START
//# While `slow` is 1, a block that newly acknowledges k records adds k << 16 to `w`
//= CC-SLOW-START-END
//# While `slow` is 1, a block ends slow start when its m of [TAKE-COUNTERS] is above 0
TEST(TwinPathTest, SlowStart) {
  ForEachCase("slow_start", [](Fields& in, Fields& out) {
    const Profile profile =
        With({"slow_start_losses", "window_min"}, {in["slow_start_losses"], in["window_min"]});
    PathState path;
    path.w = U32(in["w"]);
    path.slow = true;
    path.limited = Flag(in["limited"]);
    path.limited_before = Flag(in["limited_before"]);
    path.arrived = U32(in["arrived"]);
    path.lost = U32(in["lost"]);
    path.ce = U32(in["m"]);
    Block block;
    block.marks = path.ce;
    block.lost = U32(in["declared"]);
    const bool ends = EndsSlowStart(path, block, Flag(in["congested"]), profile);
    EXPECT_EQ(ends, Flag(out["ends"]));
    if (ends) {
      NextRound(path, path.skip, 0);
      EndSlowStart(path, profile);
    }
    GrowSlowly(path, U32(in["acknowledged"]));
    EXPECT_EQ(path.w, out["w"]);
  });
}

// What CC-INCREASE asks of the connection.
struct Pipe {
  explicit Pipe(Fields& in)
      : rate(U(in["rate"])),
        kb(Kb(U(in["unit"]), U(in["s"]))),
        min_rtt(in["connection_min_rtt"]),
        n(U32(in["n"])) {}

  //= CC-INCREASE
  //# t the lesser of the connection's minRTT and 2 * minRTT of the path
  uint64_t IncreaseOf(Nanoseconds path_min_rtt, const Profile& profile) const {
    return Increase(rate, std::min(min_rtt, 2 * path_min_rtt), n, kb, profile);
  }

  uint64_t rate, kb;
  Nanoseconds min_rtt;
  uint32_t n;
};

//= CC-INCREASE
//# A = max(`increase_min`, (BDP(r, t) >> `increase_shift`) / max(1, n)).
TEST(TwinPathTest, IncreaseOfAPath) {
  ForEachCase("increase", [](Fields& in, Fields& out) {
    const Profile profile = With({"increase_shift", "increase_min"}, in.List("constants"));
    EXPECT_EQ(Pipe(in).IncreaseOf(in["path_min_rtt"], profile), U(out["a"]));
  });
}

// BLOCK_FIELDS of twin_path_cases.py. Returns 1 if a round ended, 2 if slow start ended too.
//
//= CC-ROUND
//# A round of a path ends with a block that carries the echo of DATA [LADDER-MEMORY] not older than
//# `round_start`
int TakeBlock(PathState& path, const List& v, const Pipe& pipe, const Profile& profile) {
  const Nanoseconds now = v[0];
  const Nanoseconds echo = v[1];
  Block block;
  block.acknowledged = U32(v[2]);
  block.arrivals = U32(v[3]);
  block.marks = U32(v[4]);
  block.lost = U32(v[5]);
  path.limited = path.limited || Flag(v[9]);
  path.arrived += block.arrivals;
  path.ce += block.marks;
  path.ever_marked = path.ever_marked || block.marks > 0;
  path.lost += block.lost;
  const bool congested = Congested(path, U32(v[6]), v[7], v[8], profile);
  const bool skipped = path.skip;
  int ended = 0;
  if (path.slow && EndsSlowStart(path, block, congested, profile)) {
    NextRound(path, skipped, now);
    EndSlowStart(path, profile);
    ended = 2;
  } else if (echo >= path.round_start) {
    EndRound(path, congested, pipe.IncreaseOf(v[8], profile), profile);
    NextRound(path, skipped, now);
    ended = 1;
  }
  GrowSlowly(path, block.acknowledged);
  return ended;
}

void CheckBlocks(Fields& in, Fields& out) {
  const Profile profile = With(
      {"window_min", "delay_congested_min", "slow_start_losses", "loss_shift", "alpha_up_shift",
       "alpha_down_shift", "clean_rounds", "clean_doublings", "increase_shift", "increase_min"},
      in.List("constants"));
  const Pipe pipe(in);
  PathState path = PathOf(in.List("path"));
  const auto blocks = in.Records("blocks", 10);
  const auto after = out.Records("after", 1 + kPathFields);
  ASSERT_EQ(blocks.size(), after.size());
  ASSERT_FALSE(blocks.empty());
  for (size_t i = 0; i < blocks.size(); ++i) {
    List got = {TakeBlock(path, blocks[i], pipe, profile)};
    const List values = Values(path);
    got.insert(got.end(), values.begin(), values.end());
    ASSERT_EQ(got, after[i]) << "block " << i;
  }
}

//= CC-ROUND-END
//# At the end of a round, if `slow` is 1, nothing is done.
//= CC-ROUND-BEGIN
//# When a round begins after another: `history` becomes ((`history` << 1) + h) modulo 16
TEST(TwinPathTest, OneBlock) { ForEachCase("block", CheckBlocks); }
TEST(TwinPathTest, Blocks) { ForEachCase("blocks", CheckBlocks); }

//= CC-RTO
//# At an RTO_STAYS, `w` = min(`w`, max(`w` >> 2, 65536)) and `slow` = 0.
TEST(TwinPathTest, Rto) {
  ForEachCase("rto", [](Fields& in, Fields& out) {
    PathState path;
    path.w = U32(in["w"]);
    path.slow = Flag(in["slow"]);
    RtoStays(path);
    EXPECT_EQ(path.w, out["w"]);
    EXPECT_EQ(path.slow, Flag(out["slow"]));
  });
}

}  // namespace
}  // namespace metaroce::congestion
