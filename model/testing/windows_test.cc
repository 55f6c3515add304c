// The windows, the pace, the hint and the number of paths of a sender (chapter 8), first with a
// peer that is played by hand, then with a real one.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "model/endpoint/congestion.h"
#include "model/testing/crafted.h"

namespace metaroce::testing {
namespace {

using spec::Counter;
using spec::PathState;

constexpr uint32_t kOne = 1 << 16;

// Full packets of 256 bytes have 374 bytes on the wire.
class WindowsTest : public CraftedTest {
 protected:
  static Pair::Options Moving(uint32_t paths) {
    Pair::Options options = Small(paths);
    for (endpoint::Settings& settings : options.settings) {
      settings.windows = congestion::Settings();
    }
    return options;
  }
  // A connection with an RTT of 10 us that has just opened; what side 0 sends from now on arrives
  // nowhere.
  void Begin(const Pair::Options& options) {
    pair_ = std::make_unique<Pair>(options);
    ASSERT_TRUE(pair_->Open());
    serial_ = c().newest_serial.value();
    Deaf();
  }
  void Deaf() {
    pair_->fate = [this](int from, const packet::Packet& p, Route) {
      if (from == 0 && spec::Info(p.opcode()).opcode_class == spec::OpcodeClass::kData) {
        const spec::Common& h = p.headers.common;
        sent_.push_back({h.path, h.number, p.headers.data.csn, h.transmit_time, p.opcode(), h.rtx,
                         h.moved, h.ar});
        at_.push_back(pair_->now());
      }
      return Fate{.drop = from == 0};
    };
  }
  void Begin(uint32_t paths) { Begin(Moving(paths)); }

  // A block that acknowledges all that was sent on path 0, with so many marks.
  spec::PathBlock All(uint32_t marks = 0) {
    spec::PathBlock block = Block(0, sent_.back().sequence + 1, {}, sent_.back().time);
    block.arrivals = static_cast<uint16_t>(block.arrivals + x(0).window.in_flight());
    block.ce = static_cast<uint16_t>(block.ce + marks);
    return block;
  }
  void Post(uint32_t packets) {
    pair_->Post(0, Pair::Write(2000 + sent_.size(), 0, 256 * packets));
  }
  congestion::PathState& state() { return x(0).congestion; }
  uint64_t Window() { return endpoint::WindowPackets(c(), pair_->now()); }

  std::vector<Nanoseconds> at_;
};

// CC-WINDOW-FIRST
TEST_F(WindowsTest, AConnectionBeginsWithEightPacketsThatAreSpacedByThePacer) {
  Begin(1);
  Post(40);
  Wait(9000);
  ASSERT_EQ(sent_.size(), 8u);
  EXPECT_EQ(state().w, 8 * kOne);
  EXPECT_TRUE(state().slow);
  EXPECT_TRUE(state().limited);
  // Four at once, then one in the time in which 8 packets leave twice a round-trip time.
  for (int i = 0; i < 4; ++i) EXPECT_EQ(at_[i], at_[0]);
  for (int i = 4; i < 8; ++i) EXPECT_NEAR(at_[i] - at_[0], (i - 3) * 10000 / 16, 2) << i;
}

// CC-SLOW-START
TEST_F(WindowsTest, SlowStartAddsAPacketForEachThatIsAcknowledged) {
  Begin(1);
  Post(100);
  Wait(9000);
  Arrives({All()});
  EXPECT_EQ(state().w, 16 * kOne);
  Wait(9000);
  EXPECT_EQ(sent_.size(), 24u);
  Arrives({All()});
  EXPECT_EQ(state().w, 32 * kOne);
}

TEST_F(WindowsTest, SlowStartDoesNotGrowWhereTheWindowHoldsNothingBack) {
  Begin(1);
  Post(3);
  Wait(9000);
  Arrives({All()});
  EXPECT_EQ(state().w, 8 * kOne);
}

// CC-SLOW-START-END
TEST_F(WindowsTest, SlowStartEndsAtTheFirstMarkAndTheNextRoundIsSkipped) {
  Begin(1);
  Post(200);
  Wait(9000);
  Arrives({All(1)});
  EXPECT_FALSE(state().slow);
  EXPECT_EQ(state().w, 4 * kOne);
  EXPECT_EQ(state().alpha, 32768u);
  EXPECT_TRUE(state().skip);
  EXPECT_EQ(state().history, 1u);
  // All of these were sent before the cut could be seen.
  Wait(9000);
  Arrives({All(4)});
  EXPECT_EQ(state().w, 4 * kOne);
  EXPECT_FALSE(state().skip);
  EXPECT_EQ(state().history, 3u);
  // From here on rounds count: a clean one begins alpha anew, at 0, and grows by A.
  Wait(9000);
  Arrives({All()});
  const uint64_t a = congestion::Bdp(25000, c().congestion.min_rtt, congestion::Kb(16, 374)) / 32;
  EXPECT_EQ(state().alpha, 0u);
  EXPECT_EQ(state().w, 4 * kOne + a);
}

TEST_F(WindowsTest, AMarkedRoundCutsTheWindowAndTheSum) {
  Begin(1);
  Post(200);
  Wait(9000);
  state().slow = false;
  c().congestion.slow_paths = 0;
  Arrives({All(4)});
  EXPECT_EQ(state().alpha, 32768u);
  // Half of it is marked, so alpha is 1/2 and w falls by a quarter, and then grows by A / 2, at
  // most by half of w.
  EXPECT_GT(state().w, 6 * kOne);
  EXPECT_EQ(c().congestion.sum, state().w);
  EXPECT_TRUE(state().marked_before);
}

TEST_F(WindowsTest, ALossInSlowStartEndsItOnlyUnderCongestion) {
  Begin(1);
  Post(200);
  Wait(4000);
  const uint32_t s = sent_[0].sequence;
  // 5 us after they were sent: no sign of a queue.
  auto block = Block(0, s, {s + 1, s + 2, s + 3}, sent_[3].time);
  block.arrivals += 3;
  Arrives({block});
  EXPECT_EQ(Copies(0), 1u);
  EXPECT_TRUE(state().slow);
  EXPECT_EQ(state().lost + 0u, 0u);  // the round ended too
  Wait(60000);
  block = Block(0, s, {s + 1, s + 2, s + 3, s + 5}, sent_[5].time);
  block.arrivals += 1;
  Arrives({block});
  EXPECT_FALSE(state().slow);
}

// LADDER-MEMORY
TEST_F(WindowsTest, TheEchoOfAProbeEndsNoRound) {
  Begin(1);
  Post(4);
  Wait(60000);
  ASSERT_GE(pair_->log(0).probes, 1u);
  state().slow = false;
  c().congestion.slow_paths = 0;
  const Nanoseconds began = state().round_start;
  auto block = Block(0, sent_[0].sequence, {}, static_cast<uint32_t>(x(0).probe_sent));
  Arrives({block});
  EXPECT_EQ(state().round_start, began);
  EXPECT_GT(Count(Counter::kLosses), 0u);
  Wait(20000);
  Arrives({All()});
  EXPECT_GT(state().round_start, began);
}

// CC-RTO
TEST_F(WindowsTest, AnExpiryOfTheRtoCutsToAQuarterAndNotBelowOnePacket) {
  Begin(1);
  Post(100);
  Wait(9000);
  Arrives({All()});
  ASSERT_EQ(state().w, 16 * kOne);
  ASSERT_TRUE(
      pair_->RunUntil(pair_->now() + 100000000, [&] { return Count(Counter::kRtoExpiries) == 1; }));
  EXPECT_EQ(state().w, 4 * kOne);
  EXPECT_FALSE(state().slow);
  ASSERT_TRUE(
      pair_->RunUntil(pair_->now() + 100000000, [&] { return Count(Counter::kRtoExpiries) == 2; }));
  EXPECT_EQ(state().w, kOne);
  // It is SUSPECT: nothing of it is in the sum, and one packet is the least of the connection.
  EXPECT_EQ(c().congestion.sum, 0u);
  EXPECT_EQ(Window(), kOne);
  // When it is heard again it goes on with what it has.
  Arrives({All()});
  EXPECT_EQ(c().out[0].state, PathState::kActive);
  EXPECT_EQ(c().congestion.sum, state().w);
}

// CC-WINDOW-IDLE
TEST_F(WindowsTest, AfterAPauseEveryWindowBeginsAnew) {
  Begin(1);
  Post(60);
  Wait(9000);
  Arrives({All()});
  Wait(20000);
  Arrives({All()});
  Wait(20000);
  Arrives({All(1)});
  while (c().unacknowledged > 0 || c().outbound.HasUnsent()) {
    Wait(20000);
    Arrives({All()});
  }
  ASSERT_FALSE(state().slow);
  Wait(90000);
  Post(1);
  Wait(100);
  EXPECT_FALSE(state().slow);  // 90 us are no pause
  Arrives({All()});
  Wait(200000);
  state().w = 100 * kOne;
  c().congestion.sum = 100 * kOne;
  Post(100);
  Wait(100);
  EXPECT_TRUE(state().slow && state().first);
  EXPECT_EQ(state().w, 8 * kOne);
  EXPECT_EQ(state().alpha, 0u);
  EXPECT_EQ(c().congestion.sum, 8u * kOne);
}

class HintTest : public WindowsTest {
 protected:
  void Hinted(uint16_t hint, spec::PathBlock block) {
    packet::Packet ack = Ack({block});
    ack.headers.ack.hint = hint;
    Arrives(ack);
  }
};

// HINT-TAKE
TEST_F(HintTest, BoundsTheWindowAndThePace) {
  Begin(1);
  Post(400);
  Wait(9000);
  const uint16_t hint = 250;  // 4 Gb/s: 13.4 packets in 10 us
  Hinted(hint, All());
  EXPECT_EQ(c().congestion.hint, hint);
  const uint64_t b = congestion::Bdp(hint, c().congestion.min_rtt, c().congestion.kb);
  const uint64_t bound = b + b / 4 + kOne;
  state().w = 100 * kOne;
  c().congestion.sum = 100 * kOne;
  EXPECT_EQ(Window(), bound);
  EXPECT_EQ(endpoint::WindowBytes(c(), pair_->now()), bound * 374 / kOne);
  const size_t before = sent_.size();
  Wait(30000);
  Hinted(hint, All());
  Wait(9000);
  // 374 bytes at 4 Gb/s take 748 ns.
  ASSERT_GT(sent_.size(), before + 10);
  EXPECT_NEAR(at_.back() - at_[at_.size() - 2], 748, 1);
  Hinted(0, All());
  EXPECT_EQ(c().congestion.hint, 1u);
  Hinted(UINT16_MAX, Block(0, sent_.back().sequence + 1, {}, sent_.back().time));
  EXPECT_EQ(c().congestion.hint, 0u);
}

TEST_F(HintTest, IsNotTakenFromAnAckThatIsNotTheLatest) {
  Begin(1);
  Post(8);
  Wait(9000);
  packet::Packet late = Ack({All()});
  late.headers.ack.hint = 7;
  Hinted(9, All());
  Arrives(late);
  EXPECT_EQ(c().congestion.hint, 9u);
}

// HINT-LIFE
TEST_F(HintTest, DiesWhenItIsNotRepeated) {
  Begin(1);
  Post(8);
  Wait(9000);
  Hinted(16, All());
  const Nanoseconds until = pair_->now() + 100000;
  EXPECT_TRUE(endpoint::HintLives(c(), until - 1));
  EXPECT_FALSE(endpoint::HintLives(c(), until));
  pair_->Run(until);
  Post(1);
  Wait(100);
  EXPECT_EQ(c().congestion.hint, 0u);
}

// Both ends are real.
class PathsTest : public WindowsTest {
 protected:
  void Open(uint32_t paths, Nanoseconds delay = 5000, uint64_t diversity = 16) {
    Open(Moving(paths), delay, diversity);
  }
  void Open(Pair::Options options, Nanoseconds delay, uint64_t diversity) {
    options.delay = delay;
    options.memory = 1 << 22;
    for (endpoint::Settings& settings : options.settings) {
      ASSERT_TRUE(settings.profile.Set("path_diversity", diversity).ok());
      ASSERT_TRUE(settings.profile.Set("shrink_idle", 10000000).ok());
    }
    pair_ = std::make_unique<Pair>(options);
    ASSERT_TRUE(pair_->Open());
  }
  // So slow a port that two paths are enough, but the target is set to more.
  void OpenSlow(uint32_t target) {
    Pair::Options options = Moving(8);
    for (endpoint::Settings& settings : options.settings) {
      settings.port_rates = endpoint::EveryPort(10000);
    }
    Open(options, 5000, 2);
    c().target = target;
    ASSERT_EQ(c().congestion.base, 2u);
  }
  void Load(uint32_t messages, uint32_t packets = 100) {
    for (uint32_t i = 0; i < messages; ++i) pair_->Post(0, Pair::Write(i, 0, 256 * packets));
  }
  bool Done(Nanoseconds within) {
    return pair_->RunUntil(pair_->now() + within, [&] { return pair_->Quiescent(); });
  }
};

// CC-WINDOW-ADDED
TEST_F(PathsTest, PathsOpenOneByOneAfterTheFirstAcknowledgement) {
  Open(16);
  EXPECT_EQ(c().target, 16u);
  Load(20);
  pair_->Run(pair_->now() + 9000);
  EXPECT_EQ(c().open(), 1u);
  ASSERT_TRUE(Done(100000000));
  EXPECT_EQ(c().active(), 16u);
  EXPECT_EQ(pair_->log(0).rtx, 0u);
  uint64_t sum = 0;
  for (const SendPath& path : c().out) sum += path.context->congestion.w;
  EXPECT_EQ(c().congestion.sum, sum);
}

// COUNT-BASE
// COUNT-GROW
TEST_F(PathsTest, TheTargetDoublesInSlowStartWhereThePipeIsLong) {
  Pair::Options options = Moving(64);
  for (endpoint::Settings& settings : options.settings) {
    settings.port_rates = endpoint::EveryPort(2000);
  }
  Open(options, 750000, 1);
  // 1,003 packets: 5 path windows hold 1.25 of that, and 8 hold twice as much.
  EXPECT_EQ(c().target, 5u);
  Load(150);
  uint32_t most = 0;
  pair_->RunUntil(pair_->now() + 200000000, [&] {
    most = std::max(most, c().target);
    return pair_->Quiescent();
  });
  EXPECT_EQ(most, 8u);
  EXPECT_EQ(c().target, 8u);
}

// COUNT-SHRINK
TEST_F(PathsTest, AnIdleDirectionGivesItsPathsBackOneByOne) {
  OpenSlow(4);
  Load(20);
  ASSERT_TRUE(Done(100000000));
  ASSERT_EQ(c().active(), 4u);
  pair_->Run(pair_->now() + 11000000);
  EXPECT_EQ(c().active(), 3u);
  EXPECT_EQ(c().out[3].state, PathState::kFree);
  pair_->Run(pair_->now() + 10000000);
  EXPECT_EQ(c().active(), 2u);
  pair_->Run(pair_->now() + 100000000);
  EXPECT_EQ(c().active(), 2u);
  EXPECT_EQ(c().target, 2u);
}

TEST_F(PathsTest, PathsThatTheWindowDoesNotNeedAreClosed) {
  OpenSlow(6);
  // Every packet is marked: the windows fall to a sixteenth of a packet each.
  Load(20);
  ASSERT_TRUE(Done(100000000));
  ASSERT_EQ(c().active(), 6u);
  pair_->fate = [](int from, const packet::Packet&, Route) { return Fate{.mark = from == 0}; };
  Load(100);
  ASSERT_TRUE(Done(10000000000));
  EXPECT_EQ(c().active(), 2u);
  EXPECT_EQ(pair_->log(0).rtx, 0u);
}

// Path 0 drains for its next epoch: the other path is the last that takes new packets.
TEST_F(PathsTest, TheLastPathThatTakesNewPacketsIsNotClosed) {
  Pair::Options options = Moving(2);
  for (endpoint::Settings& settings : options.settings) {
    settings.port_rates = endpoint::EveryPort(2000);
  }
  Open(options, 5000, 1);
  ASSERT_EQ(c().congestion.base, 1u);
  c().target = 2;
  Load(400);
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000, [&] { return c().active() == 2; }));
  // All is marked, so that the windows fall below two packets a path.
  pair_->fate = [](int from, const packet::Packet&, Route) { return Fate{.mark = from == 0}; };
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000,
                              [&] { return c().congestion.sum < 3 * kOne && c().active() == 2; }));
  // What path 0 sends now is late, so that it drains for a while.
  const uint16_t entropy = c().out[0].route.entropy;
  pair_->fate = [entropy](int from, const packet::Packet&, Route route) {
    return Fate{.mark = from == 0, .extra = from == 0 && route.entropy == entropy ? 25000 : 0};
  };
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000, [&] {
    return x(0).window.in_flight() > 0 && x(0).latest == pair_->now();
  }));
  pair_->Do(
      0, [&](Endpoint& e, const endpoint::Step& s) { return e.Drain(pair_->cid(0), 0, false, s); });
  ASSERT_EQ(c().out[0].state, PathState::kActiveToEpoch);
  // At the end of the next round the count is full.
  c().congestion.narrow = 1000;
  ASSERT_TRUE(
      pair_->RunUntil(pair_->now() + 1000000, [&] { return c().congestion.narrow != 1000; }));
  // It was full, and not begun anew because the windows were wide.
  EXPECT_EQ(c().congestion.narrow, 0u);
  EXPECT_LE(c().congestion.sum, 4 * kOne);
  EXPECT_EQ(c().out[1].state, PathState::kActive);
}

// CC-WINDOW-AGAIN
TEST_F(PathsTest, APlannedChangeKeepsTheWindowAndADeadRouteAQuarter) {
  Open(4, 5000, 4);
  Load(200);
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000, [&] { return c().active() == 4; }));
  pair_->Run(pair_->now() + 100000);
  const uint32_t w = x(2).congestion.w;
  pair_->Do(
      0, [&](Endpoint& e, const endpoint::Step& s) { return e.Drain(pair_->cid(0), 2, false, s); });
  const uint8_t epoch = c().out[2].epoch;
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 10000000, [&] {
    return c().out[2].epoch != epoch && c().out[2].state == PathState::kActive;
  }));
  EXPECT_GE(x(2).congestion.w, w);
  EXPECT_FALSE(x(2).congestion.slow);
  EXPECT_EQ(x(2).congestion.history, 0u);
  Load(200);
  pair_->Run(pair_->now() + 100000);
  const uint16_t dead = c().out[1].route.entropy;
  pair_->fate = [&](int, const packet::Packet&, Route route) {
    return Fate{.drop = route.entropy == dead};
  };
  uint32_t before = 0;
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000, [&] {
    const bool back = c().out[1].route.entropy != dead && c().out[1].state == PathState::kActive;
    if (!back) before = x(1).congestion.w;
    return back;
  }));
  EXPECT_GT(Count(Counter::kEpochsDied), 0u);
  EXPECT_TRUE(x(1).congestion.slow || x(1).congestion.ever_marked);
  EXPECT_EQ(x(1).congestion.w, std::max(before >> 2, kOne));
}

// REENTROPY-CHOOSE
TEST_F(PathsTest, APathThatAloneIsMarkedTakesAnotherEntropy) {
  Open(4, 5000, 4);
  Load(100);
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000, [&] { return c().active() == 4; }));
  const uint16_t bad = c().out[2].route.entropy;
  uint32_t n = 0;
  pair_->fate = [&](int from, const packet::Packet&, Route route) {
    // The others are marked a little, so that no path holds more than the windows do.
    return Fate{.mark = from == 0 && (route.entropy == bad || ++n % 50 == 0)};
  };
  Load(2000);
  ASSERT_TRUE(
      pair_->RunUntil(pair_->now() + 100000000, [&] { return c().out[2].route.entropy != bad; }));
  EXPECT_EQ(Count(Counter::kEpochsDied), 0u);
  EXPECT_EQ(pair_->log(0).rtx, 0u);
  EXPECT_EQ(x(2).opening.changes, 1u);
  EXPECT_GT(x(2).opening.hold_until, pair_->now());
}

// Takes the default but where the test says otherwise.
class Choices : public Chooser {
 public:
  uint64_t Place(spec::Choice choice, const Places& places) override {
    const auto it = take.find(choice);
    return it == take.end() ? 0 : it->second(places);
  }
  uint64_t Number(spec::Choice, const Numbers& numbers) override { return numbers.by_default(); }

  std::map<spec::Choice, std::function<uint64_t(const Places&)>> take;
};

// REENTROPY-CHOICE
TEST_F(PathsTest, AnImplementationMayLeaveAMarkedPathWhereItIs) {
  Open(4, 5000, 4);
  Load(100);
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000, [&] { return c().active() == 4; }));
  const uint16_t bad = c().out[2].route.entropy;
  uint32_t n = 0;
  pair_->fate = [&](int from, const packet::Packet&, Route route) {
    return Fate{.mark = from == 0 && (route.entropy == bad || ++n % 50 == 0)};
  };
  uint32_t asked = 0;
  Choices never;
  never.take[spec::Choice::kReEntropy] = [&](const Places&) {
    ++asked;
    return 2;
  };
  pair_->chooser[0] = &never;
  Load(1000);
  ASSERT_TRUE(Done(1000000000));
  EXPECT_GT(asked, 0u);
  EXPECT_EQ(c().out[2].route.entropy, bad);
}

// COUNT-CHOICE
TEST_F(PathsTest, AnImplementationMayKeepFewerPaths) {
  Choices fewer;
  fewer.take[spec::Choice::kPathCount] = [](const Places&) { return 1; };
  Open(4, 5000, 4);
  pair_->chooser[0] = &fewer;
  Load(10);
  ASSERT_TRUE(Done(1000000000));
  EXPECT_EQ(c().target, 4u);
  EXPECT_EQ(c().active(), 1u);
}

// CC-STEER
TEST_F(PathsTest, APathThatIsFreshlyMarkedMayBeLeftOutWhileAnotherHasRoom) {
  Open(4, 5000, 4);
  Load(20);
  ASSERT_TRUE(Done(1000000000));
  const uint16_t bad = c().out[2].route.entropy;
  pair_->fate = [&](int from, const packet::Packet&, Route route) {
    return Fate{.mark = from == 0 && route.entropy == bad};
  };
  uint32_t left_out = 0;
  Choices unmarked;
  unmarked.take[spec::Choice::kNextPath] = [&](const Places& places) {
    for (uint64_t place = 0; place < places.count(); ++place) {
      const uint8_t path = static_cast<uint8_t>(places.Face(place));
      if (c().out[path].context->congestion.ce > 0) continue;
      left_out += place > 0;
      return place;
    }
    return uint64_t{0};
  };
  pair_->chooser[0] = &unmarked;
  Load(100);
  ASSERT_TRUE(Done(1000000000));
  EXPECT_GT(left_out, 0u);
}

}  // namespace
}  // namespace metaroce::testing
