// What the endpoint works out for a connection, against the cases of the twin (twin.py): rates, the
// end of idleness, its window, the order of its paths, the life of a hint. Connections are made up
// here, without a peer and without packets.
//
// No test reads may_send.txt (CC-LIMITED, CC-MAY-SEND), ar.txt (CC-AR) and count_shrink.txt
// (COUNT-SHRINK), nor of reentropy.txt anything but `marked` (REENTROPY-EVALUATE, REENTROPY-CHOOSE,
// REENTROPY-HOLD-OFF): those rules need paths with packets on them.
#include <gtest/gtest.h>

#include <algorithm>

#include "model/congestion/testing/twin_file.h"
#include "model/endpoint/congestion.h"
#include "model/path/schedule.h"

namespace metaroce::endpoint {
namespace {

using congestion::Fields;
using congestion::List;
using congestion::U;
using congestion::U32;

//= CC-SHARE
//# The port share of a connection is clamp((p / q) / U, 1, 65534).
//= CC-REFERENCE
//# is the lesser of the hint, if there is one [HINT-LIFE], and the port share.
TEST(TwinConnectionTest, ReferenceRateOfAConnection) {
  congestion::ForEachCase("share", [](Fields& in, Fields& out) {
    State e;
    // All of it for the one connection that there is.
    uint64_t mbps = U(in["p"]) / U(in["q"]);
    e.settings.ports.resize(3);
    for (size_t plane = 0; plane < 3; ++plane) {
      e.settings.port_rates[plane] = static_cast<uint32_t>(std::min<uint64_t>(mbps, UINT32_MAX));
      mbps -= e.settings.port_rates[plane];
    }
    Connection c;
    c.up = 7;
    c.local.hint_unit = static_cast<uint16_t>(in["unit"]);
    const int64_t hint = in["hint"];
    c.congestion.hint = static_cast<uint16_t>(hint < 0 ? 0 : hint);
    c.congestion.hint_until = 1;
    const Step step;
    const Scope s{e, c, step, 0};
    EXPECT_EQ(PortShare(s), out["share"]);
    EXPECT_EQ(ReferenceRate(s), out["reference"]);
  });
}

// The hint is forgotten exactly when paths begin anew.
//
//= CC-WINDOW-IDLE
//# after the direction was idle for more than max(8 * SRTT of the connection, `idle_restart_min`)
TEST(TwinConnectionTest, EndOfIdleness) {
  congestion::ForEachCase("window_idle", [](Fields& in, Fields& out) {
    State e;
    e.settings.profile = congestion::With({"initial_window", "window_min", "idle_restart_min"},
                                          in.List("constants"));
    Connection c;
    c.lost_waiting = 1;
    c.congestion.hint = 1;
    c.congestion.srtt = in["srtt"];
    Step step;
    step.now = in["now"];
    c.congestion.idle_since = step.now - in["idle"];
    EXPECT_TRUE(PacerAdmits(Scope{e, c, step, 0}));
    EXPECT_EQ(c.congestion.hint == 0, congestion::Flag(out["again"]));
    EXPECT_EQ(c.congestion.idle_since, kNever);
    // twin_path_test.cc has what becomes of a path.
    in.Skip("path");
    in.Skip("n");
    out.Skip("path");
  });
}

// Each path in turn is the first of those that are left.
//
//= CC-SCHEDULER
//# The paths are ordered by in flight / `w`, lowest first:
TEST(TwinConnectionTest, OrderOfPaths) {
  congestion::ForEachCase("next_path", [](Fields& in, Fields& out) {
    Schedule schedule(256);
    for (const List& path : in.Records("paths", 3)) {
      schedule.Enter(U32(path[0]), U32(path[1]), U32(path[2]));
    }
    const int64_t latest = in["latest"];
    List order;
    while (schedule.size() > 0) {
      const uint32_t first = schedule.First(latest < 0 ? Schedule::kNobody : U32(latest));
      ASSERT_NE(first, Schedule::kNobody);
      order.push_back(first);
      schedule.Leave(first);
    }
    EXPECT_EQ(order, out.List("order"));
  });
}

//= CC-WINDOW
//# X = min(sum, H, `connection_window_max` << 16). Wp = max(65536, X). W = (Wp * S) >> 16.
TEST(TwinConnectionTest, ConnectionWindow) {
  congestion::ForEachCase("connection_window", [](Fields& in, Fields& out) {
    const Profile profile =
        congestion::With({"connection_window_max"}, in.List("connection_window_max"));
    Connection c;
    congestion::ConnectionState& all = c.congestion;
    for (const int64_t w : in.List("windows")) all.sum += U(in["copies"]) * U32(w);
    in["copies"];
    all.bound = profile[spec::Constant::kConnectionWindowMax] << 16;
    all.min_rtt = in["min_rtt"];
    all.kb = congestion::Kb(U(in["unit"]), U(in["s"]));
    c.ip_mtu_bytes = U32(in["s"]);
    if (const int64_t hint = in["hint"]; hint >= 0) {
      all.hint = static_cast<uint16_t>(hint);
      all.hint_until = 1;
      EXPECT_EQ(congestion::HintBound(congestion::Bdp(all.hint, all.min_rtt, all.kb)), U(out["h"]));
    } else {
      EXPECT_EQ(out["h"], -1);
    }
    EXPECT_EQ(WindowX(c, 0), U(out["x"]));
    EXPECT_EQ(WindowPackets(c, 0), U(out["wp"]));
    EXPECT_EQ(WindowBytes(c, 0), U(out["w"]));
  });
}

//= HINT-TAKE
//# All ones means that there is no hint; 0 is read as 1.
//= HINT-LIFE
//# A hint lives until max(8 * SRTT of the connection, `hint_life_min`) after the arrival of the
TEST(TwinConnectionTest, HintOfASender) {
  congestion::ForEachCase("hint_take", [](Fields& in, Fields& out) {
    State e;
    e.settings.profile = congestion::With({"hint_life_min"}, in.List("hint_life_min"));
    Connection c;
    List hints;
    for (const List& record : in.Records("steps", 4)) {
      Step step;
      step.now = record[0];
      c.congestion.srtt = record[1];
      const bool latest = record[2] == 1;  // what is not has no effect (TAKE-SERIAL)
      if (latest) TakeHint(Scope{e, c, step, 0}, static_cast<uint16_t>(record[3]));
      hints.push_back(HintLives(c, step.now) ? c.congestion.hint : -1);
    }
    EXPECT_EQ(hints, out.List("hints"));
  });
}

}  // namespace
}  // namespace metaroce::endpoint
