#include "model/sim/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "model/sim/recorder.h"
#include "model/sim/results.h"
#include "model/sim/scenario_file.h"
#include "model/sim/spread.h"

namespace metaroce::sim {
namespace {

std::unique_ptr<Simulation> Make(const std::string& text) {
  const absl::StatusOr<Scenario> scenario = ParseScenario("test", text);
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  auto made = Simulation::Make(*scenario, {});
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

Results ResultsOf(const std::string& text) {
  const std::unique_ptr<Simulation> simulation = Make(text);
  while (simulation->Run(100000)) {
  }
  return Summarise(*simulation);
}

TEST(SimulationTest, AllWorkIsDoneAndEveryPacketIsCountedOnce) {
  const Results r = ResultsOf("workload { messages: 50 bytes: 20000 depth: 4 }");
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.messages, 50u);
  // 20,000 bytes are five packets.
  EXPECT_EQ(r.classes[0].sent, 250u);
  EXPECT_EQ(r.again + r.spurious + r.data_lost, 0u);
  // 4 * 4,096 + 3,616 of payload, and 118 around each packet.
  EXPECT_EQ(r.flows[0].unique, 50u * (20000 + 5 * 118));
}

TEST(SimulationTest, EachKindOfWorkIsDone) {
  for (const char* kind : {"WRITE", "WRITE_WITH_IMMEDIATE", "SEND", "READ"}) {
    const Results r =
        ResultsOf(std::string("workload { messages: 40 bytes: 10000 kind: ") + kind + " }");
    EXPECT_TRUE(r.complete) << kind;
    EXPECT_EQ(r.messages, 40u) << kind;
    EXPECT_EQ(r.failed, 0u) << kind;
    EXPECT_GE(r.flows[0].unique, 40u * 10000) << kind;
  }
}

TEST(SimulationTest, ALinkIsFilledAndNotMore) {
  const Results r = ResultsOf(
      "end_ns: 2000000 endpoint { algorithm: FIXED path_window: 32 } workload { depth: 32 }"
      "fabric { hosts: 2 hosts_per_leaf: 2 spines: 0 }");
  EXPECT_GT(r.goodput_ppm, 990000u);
  // What is on its way when the half begins may be one packet more than when it ends.
  EXPECT_LE(r.goodput_ppm, 1001000u);
  EXPECT_EQ(r.flows.size(), 1u);
  EXPECT_EQ(r.jain_ppm, 1000000u);
}

TEST(SimulationTest, WhatIsLostIsSentAgainOnceWhileAcksAreSafe) {
  const Results r = ResultsOf(
      "end_ns: 100000000 workload { messages: 200 depth: 16 }"
      "fault { packet: DATA ppm: 20000 }");
  EXPECT_TRUE(r.complete);
  EXPECT_GT(r.data_lost, 50u);
  EXPECT_EQ(r.again, r.data_lost);
  EXPECT_EQ(r.spurious, 0u);
}

TEST(SimulationTest, ACorruptPacketIsRefusedByTheCodecAndSentAgain) {
  const Results r = ResultsOf(
      "end_ns: 100000000 workload { messages: 50 } fault { kind: CORRUPT packet: DATA nth: 20 "
      "link: HOST_DOWN }");
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.corrupt, 1u);
  EXPECT_EQ(r.again, 1u);
  EXPECT_EQ(r.spurious, 0u);
}

TEST(SimulationTest, ADuplicateIsHadAlready) {
  const Results r = ResultsOf(
      "workload { messages: 50 } fault { kind: DUPLICATE packet: DATA nth: 20 nth: 30 link: "
      "HOST_DOWN }");
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.duplicated, 2u);
  EXPECT_EQ(r.spurious, 2u);
  EXPECT_EQ(r.again, 0u);
}

// Path 0 of a connection has the greatest window. If all were on one plane, or left a dead one for
// the same other, a port would be full while the rest are not.
TEST(SimulationTest, ManyConnectionsFillAllPlanesAndThoseThatAreLeft) {
  const std::string text =
      "end_ns: 1000000 fabric { hosts: 2 spines: 2 planes: 4 host_link { rate_mbps: 100000 } }"
      "endpoint { constant { name: 'paths' value: 4 } constant { name: 'path_diversity' value: 4 } "
      "}"
      "workload { connections: 128 depth: 1 }";
  EXPECT_GT(ResultsOf(text).goodput_ppm, 950000u);
  const Results r =
      ResultsOf(text +
                "line_mbps: 300000 fault { kind: DOWN plane: 1 from_ns: 400000 silent: true }"
                "expect { recover_max_ns: 60000 }");
  EXPECT_GT(r.goodput_ppm, 900000u);
  EXPECT_TRUE(r.met());
  // What died with its epoch was moved. A PROBE that overtook DATA in a port would have made losses
  // of DATA that arrived.
  EXPECT_EQ(r.again, r.moved);
  EXPECT_EQ(r.spurious, 0u);
}

//= COUNT-OPEN
//# or o less than the number of planes that are up
TEST(SimulationTest, ANarrowConnectionHasAPathOnEachPlane) {
  const Results r = ResultsOf(
      "end_ns: 700000 fabric { hosts: 9 hosts_per_leaf: 9 spines: 0 planes: 4 }"
      "workload { pattern: INCAST senders: 512 }");
  // The last ones may await their turn.
  EXPECT_LT(std::count_if(r.flows.begin(), r.flows.end(),
                          [](const FlowResult& flow) { return flow.active[0] < 4; }),
            52);
}

TEST(SimulationTest, SendersOfAnIncastHaveTheirShareSoon) {
  const Results r = ResultsOf(
      "end_ns: 300000 fabric { hosts: 8 spines: 8 } workload { pattern: INCAST senders: 7 }"
      "expect { hint_max_ns: 30000 }");
  EXPECT_TRUE(r.met());
  EXPECT_GT(r.hinted, 0);
  // Without hints they never have.
  EXPECT_EQ(ResultsOf("end_ns: 100000 fabric { hosts: 8 spines: 8 } endpoint { hint: false }"
                      "workload { pattern: INCAST senders: 7 }")
                .hinted,
            kNever);
}

TEST(SimulationTest, PatternsMakeTheirConnections) {
  const auto flows = [](const std::string& workload) {
    return Make("fabric { hosts: 6 } workload { " + workload + " }")->flows();
  };
  EXPECT_EQ(flows("connections: 3").size(), 3u);
  for (const Flow& f : flows("pattern: INCAST senders: 5 to: 2")) EXPECT_EQ(f.host[1], 2);
  EXPECT_EQ(flows("pattern: INCAST senders: 12 to: 2").size(), 12u);
  std::set<uint32_t> images;
  for (const Flow& f : flows("pattern: PERMUTATION")) {
    EXPECT_NE(f.host[0], f.host[1]);
    images.insert(f.host[1]);
  }
  EXPECT_EQ(images.size(), 6u);
  std::set<std::pair<uint32_t, uint32_t>> pairs;
  for (const Flow& f : flows("pattern: ALL_TO_ALL")) pairs.insert({f.host[0], f.host[1]});
  EXPECT_EQ(pairs.size(), 30u);
}

TEST(SimulationTest, AStepOfARingWaitsForTheOneBefore) {
  const Results r = ResultsOf(
      "fabric { hosts: 4 } end_ns: 100000000 workload { pattern: RING bytes: 100000 } "
      "fault { host: 2 link: HOST_UP packet: DATA nth: 3 }");
  EXPECT_TRUE(r.complete);
  EXPECT_EQ(r.messages, 4u * 6);
  // Six steps of some 2 us of sending and 4 us of way each, at the least.
  EXPECT_GT(r.end - r.first_work, 36000);
}

TEST(SimulationTest, OnAndOffAreKept) {
  const Results r = ResultsOf(
      "end_ns: 1000000 window_ns: 25000 workload { on_ns: 100000 off_ns: 100000 depth: 16 }");
  // The first work is posted some 15 us after the beginning, and 16 messages take some 25.
  ASSERT_GT(r.windows.size(), 16u);
  EXPECT_GT(r.windows[2], 500000u);
  EXPECT_EQ(r.windows[5], 0u);
  EXPECT_EQ(r.windows[6], 0u);
  EXPECT_GT(r.windows[9], 500000u);
  EXPECT_EQ(r.windows[13], 0u);
}

TEST(SimulationTest, AHostIsToldOfItsPortAndPathsLeaveTheDeadPlane) {
  const Results r = ResultsOf(
      "end_ns: 3000000 fabric { planes: 2 } workload { depth: 16 }"
      "fault { kind: DOWN plane: 1 host: 0 from_ns: 500000 }");
  EXPECT_EQ(r.failed, 0u);
  EXPECT_GT(r.goodput_ppm, 450000u);
  for (const PathResult& p : r.paths) {
    if (std::string(p.state) != "ACTIVE") continue;
    EXPECT_EQ(p.plane, 0) << int{p.path};
  }
}

TEST(SimulationTest, ResultsFollowFromTheSeedAlone) {
  const std::string text =
      "seed: 5 end_ns: 500000 fault { ppm: 5000 from_ns: 30000 } workload { depth: 16 }";
  const std::string first = ToText(ResultsOf(text), 16);
  EXPECT_EQ(first, ToText(ResultsOf(text), 16));
  EXPECT_NE(first, ToText(ResultsOf("seed: 6" + text.substr(7)), 16));
}

TEST(SimulationTest, WhoListensChangesNothing) {
  const std::string text =
      "end_ns: 300000 fault { ppm: 5000 from_ns: 30000 } workload { depth: 16 }";
  auto made = Simulation::Make(*ParseScenario("test", text), {.sample = 1000});
  ASSERT_TRUE(made.ok());
  Recorder recorder(**made, {.samples = true});
  (*made)->set_listener(&recorder);
  while ((*made)->Run(1000)) {
  }
  EXPECT_EQ(ToText(Summarise(**made), 16), ToText(ResultsOf(text), 16));
  EXPECT_GT(recorder.samples().size(), 200u);
}

// A fault that strikes when nothing is sent any more shows nothing.
TEST(SimulationTest, NothingRecoversFromWhatWasNotSeen) {
  const std::string goal =
      "fault { kind: DOWN spine: 1 from_ns: 5000000 } expect { recover_max_ns: ";
  const Results late = ResultsOf("workload { messages: 5 } " + goal + "10000000 }");
  EXPECT_TRUE(late.complete);
  ASSERT_EQ(late.verdicts.size(), 1u);
  EXPECT_TRUE(late.verdicts[0].never);
  EXPECT_FALSE(late.met());
  // No window is full, or there was no work.
  for (const char* short_run : {"window_ns: 9000000 end_ns: 8000000", "end_ns: 5001"}) {
    const Results r = ResultsOf(std::string(short_run) +
                                " workload { } fault { kind: DOWN spine: 1 from_ns: 5000 } "
                                "expect { recover_max_ns: 10000000 }");
    EXPECT_FALSE(r.met()) << short_run;
  }
  // The same with work that goes on.
  EXPECT_TRUE(ResultsOf("end_ns: 6000000 workload { depth: 32 } " + goal + "900000 }").met());
}

// Within a leaf no spine is crossed; a connection that sends both ways has two directions.
TEST(SimulationTest, RoutesAreThoseOfWhatCrossesThem) {
  const std::string fabric =
      "end_ns: 300000 fabric { hosts: 4 hosts_per_leaf: 2 spines: 2 planes: 2 }";
  const Results r = ResultsOf(fabric +
                              "workload { from: 0 to: 1 } workload { from: 2 to: 3 kind: READ }"
                              "workload { from: 0 to: 2 kind: WRITE kind: READ }");
  EXPECT_EQ(r.routes.ends, 2u);
  EXPECT_EQ(r.routes.sharing, 2u);
  EXPECT_EQ(r.routes.routes, 4u);
  EXPECT_NE(ToText(r, 0).find("4; directions with DATA: 2, "), std::string::npos) << ToText(r, 0);
  const Results inside = ResultsOf(fabric + "workload { from: 0 to: 1 }");
  EXPECT_EQ(inside.routes.ends, 0u);
  EXPECT_EQ(ToText(inside, 0).find("routes"), std::string::npos);
  // Without spines the planes are the routes.
  EXPECT_EQ(
      ResultsOf("end_ns: 300000 fabric { hosts_per_leaf: 2 spines: 0 planes: 2 } workload { }")
          .routes.routes,
      2u);
}

TEST(PlotTest, AFaultIsMarkedWithItsTimesAndThoseOfOneTimeTogether) {
  const auto scenario = ParseScenario(
      "x",
      "fault { kind: RATE } fault { kind: DOWN from_ns: 5000 until_ns: 9000 } fault { ppm: 1 "
      "from_ns: 5000 }");
  ASSERT_TRUE(scenario.ok());
  const std::vector<Mark> marks = MarksOf(*scenario);
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_EQ(marks[0].at, 5000);
  EXPECT_EQ(marks[0].word, "DOWN, DROP");
  EXPECT_EQ(marks[1].at, 9000);
  EXPECT_EQ(marks[1].word, "end of DOWN");
}

// The lines of the last panel, RTT, of two samples without an RTT and two with one.
TEST(PlotTest, APathWithoutAnRttHasNoLine) {
  std::vector<Sample> samples;
  for (Nanoseconds t = 0; t < 4; ++t) {
    PathSample path;
    path.path = 17;
    path.sent = 1;
    path.rtt = t < 2 ? 0 : 5000;
    samples.push_back({t * 1000, {path}});
  }
  const std::string svg = ToSvg(samples, {{2000, "DOWN"}}, "a title");
  const auto points = [&](size_t from) {
    const size_t begin = svg.find("points=\"", from);
    return svg.substr(begin + 8, svg.find('"', begin + 8) - begin - 8);
  };
  const size_t last = svg.rfind("<polyline");
  EXPECT_EQ(std::count(svg.begin() + static_cast<std::ptrdiff_t>(last), svg.end(), ','), 2);
  EXPECT_EQ(points(last).find(' '), points(last).rfind(' '));
  // The eighteenth path has the colour of the second, with dashes of its own.
  EXPECT_NE(svg.find("stroke-dasharray=\"2 2\"", last), std::string::npos);
  EXPECT_NE(svg.find(">DOWN<"), std::string::npos);
}

TEST(SimulationTest, AGoalIsMetOrMissed) {
  const Results r = ResultsOf(
      "workload { messages: 5 } expect { complete: true goodput_min_ppm: 999999 failed_max: 0 }");
  ASSERT_EQ(r.verdicts.size(), 3u);
  EXPECT_FALSE(r.verdicts[0].met);
  EXPECT_TRUE(r.verdicts[1].met);
  EXPECT_TRUE(r.verdicts[2].met);
  EXPECT_FALSE(r.met());
}

TEST(MetricsTest, JainIsOneForEqualsAndOneInNForOneAlone) {
  EXPECT_EQ(Jain({7, 7, 7, 7}), 1000000u);
  EXPECT_EQ(Jain({7, 0, 0, 0}), 250000u);
  EXPECT_EQ(Jain({}), 0u);
  EXPECT_EQ(Jain({1000000000000, 1000000000000}), 1000000u);
}

TEST(MetricsTest, AQuantileIsWithinASixteenth) {
  Distribution d;
  for (uint64_t i = 1; i <= 10000; ++i) d.Add(i);
  EXPECT_EQ(d.mean(), 5000u);
  EXPECT_EQ(d.max(), 10000u);
  EXPECT_GE(d.Quantile(500000), 5000u);
  EXPECT_LE(d.Quantile(500000), 5000u * 17 / 16);
  EXPECT_GE(d.Quantile(990000), 9900u);
}

TEST(MetricsTest, PiecesKeepTheirSumWhenTheyGrow) {
  Pieces pieces;
  for (Nanoseconds t = 0; t < 10000000; t += 1000) pieces.Add(t, 1);
  EXPECT_EQ(pieces.Since(0), 10000u);
  EXPECT_NEAR(static_cast<double>(pieces.Since(5000000)), 5000, 600);
}

// 72 paths over eight routes: the theory of random choice says 13.6 and 5.0.
TEST(SpreadTest, PathsLieOnRoutesAsIfByChance) {
  for (const auto family : {fabric::HashFamily::kCrc16, fabric::HashFamily::kCrc32c,
                            fabric::HashFamily::kToeplitz, fabric::HashFamily::kXorFold}) {
    const Spread s = SpreadOf({72}, 8, 300, family, false)[0];
    EXPECT_GT(s.fullest, 300u * 9);
    EXPECT_LT(s.fullest, 300u * 16);
    EXPECT_GT(s.emptiest, 300u * 3);
    EXPECT_EQ(SpreadOf({1}, 8, 300, family, true)[0].empty, 300u);
  }
}

}  // namespace
}  // namespace metaroce::sim
