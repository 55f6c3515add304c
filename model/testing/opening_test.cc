// When paths are opened, for how long one waits for an answer, and what PATH_OPEN says (sections
// 8.11 and 9.3).
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "model/testing/pair.h"
#include "model/testing/work.h"

namespace metaroce::testing {
namespace {

using spec::Counter;
using spec::Opcode;
using spec::OpenReason;
using spec::PathState;

class OpeningTest : public ::testing::Test {
 protected:
  void Make(uint32_t paths) {
    pair_ = std::make_unique<Pair>(Small(paths));
    ASSERT_TRUE(pair_->Open());
  }
  void MakeAll(uint32_t paths) {
    Make(paths);
    Work(100);
    ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000,
                                [&] { return pair_->Quiescent() && c().active() == paths; }));
    Run(100000);
  }
  void Work(uint64_t count, uint32_t length = 2560) {
    for (uint64_t i = 0; i < count; ++i) pair_->Post(0, Pair::Write(i, 0, length));
  }
  void Run(Nanoseconds time) { pair_->Run(pair_->now() + time); }
  void Deny(uint8_t path) {
    pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) { return e.Deny(cid(), path, s); });
  }
  void Lift(uint8_t path) {
    pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) { return e.Lift(cid(), path, s); });
  }
  void Arrives(const packet::Packet& packet) {
    pair_->ArrivesAddressed(0, packet, c().out[0].route);
  }
  Nanoseconds OpenTimer(uint8_t path) {
    return c().timers.Of(endpoint::TimerOf(path, endpoint::kPathTimer)) - pair_->now();
  }
  uint32_t cid() { return pair_->cid(0); }
  endpoint::Connection& c() { return *pair_->at(0).state().connections[0]; }

  std::unique_ptr<Pair> pair_;
};

// COUNT-OPEN.
TEST_F(OpeningTest, AnAckOpensOnePath) {
  Make(6);
  std::vector<Nanoseconds> opens;
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    if (from == 0 && p.opcode() == Opcode::kPathOpen) opens.push_back(pair_->now());
    return Fate{};
  };
  Work(1, 100);
  Run(1000000);
  EXPECT_EQ(std::set<Nanoseconds>(opens.begin(), opens.end()).size(), opens.size());
  // The answers to the PROBEs of each open the next.
  EXPECT_EQ(opens.size(), 5u);
  EXPECT_EQ(c().active(), 6u);
}

TEST_F(OpeningTest, NothingButAnAckOpensAPathWhileOneIsOpen) {
  MakeAll(3);
  Deny(2);
  Run(100000);
  Lift(2);
  Deny(1);
  Run(100000);
  EXPECT_EQ(c().out[2].state, PathState::kFree);
  Work(1, 100);
  Run(100000);
  EXPECT_EQ(c().out[2].state, PathState::kActive);
}

//= PATH-OPEN-SHARE
//# It is sent at its turn; but at t, if no path of the direction is ACTIVE then.
TEST_F(OpeningTest, PathOpensTakeTheirPartOfThePortsAndNoMore) {
  Pair::Options options = Small(6);
  ASSERT_TRUE(options.settings[0].profile.Set("open_share", 1000).ok());
  options.settings[0].port_rates = endpoint::EveryPort(20000);
  ASSERT_TRUE(options.settings[0].profile.Set("open_burst", 2).ok());
  pair_ = std::make_unique<Pair>(options);
  ASSERT_TRUE(pair_->Open());
  std::vector<Nanoseconds> opens;
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    if (from == 0 && p.opcode() == Opcode::kPathOpen) opens.push_back(pair_->now());
    return Fate{};
  };
  Work(1, 100);
  Run(1000000);
  ASSERT_EQ(opens.size(), 5u);
  EXPECT_EQ(c().active(), 6u);
  // Three at once: two in credit, and the one whose turn it is. 1,000 full packets at 20 Gb/s.
  const Nanoseconds gap = Nanoseconds{1000} * 8 * c().ip_mtu_bytes / 20;
  EXPECT_LT(opens[2] - opens[0], gap);
  EXPECT_GE(opens[3] - opens[0], gap);
  EXPECT_GE(opens[4] - opens[3], gap - 1);
}

//= PATH-OPEN-HURRY
//# Each PATH_OPEN of the direction that awaits its turn [PATH-OPEN-SHARE] is then sent at once
TEST_F(OpeningTest, APathThatAwaitsItsTurnIsOpenedWhenTheLastActiveOneFallsSilent) {
  Pair::Options options = Small(4);
  ASSERT_TRUE(options.settings[0].profile.Set("open_share", 1000).ok());
  ASSERT_TRUE(options.settings[0].profile.Set("open_burst", 1).ok());
  options.settings[0].port_rates = endpoint::EveryPort(10);
  pair_ = std::make_unique<Pair>(options);
  ASSERT_TRUE(pair_->Open());
  uint32_t opens = 0;
  bool dark = false;
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    if (from == 0 && p.opcode() == Opcode::kPathOpen) ++opens;
    return Fate{.drop = dark};
  };
  Work(1, 100);
  Run(1000000);
  EXPECT_EQ(opens, 2u);
  ASSERT_EQ(c().active(), 3u);
  ASSERT_TRUE(c().out[3].context->opening.turn);
  EXPECT_GT(OpenTimer(3), 100000000);
  dark = true;
  Work(100);
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000, [&] { return c().active() == 0; }));
  Run(1);
  EXPECT_FALSE(c().out[3].context->opening.turn);
  EXPECT_GE(opens, 3u);
}

// PATH-OPEN-HURRY.
TEST_F(OpeningTest, APathThatIsBeingOpenedHurriesWhenTheLastActiveOneFallsSilent) {
  MakeAll(2);
  bool dark = false;
  pair_->fate = [&](int, const packet::Packet& p, Route) {
    return Fate{.drop = dark || p.opcode() == Opcode::kPathOpen};
  };
  packet::Packet nack = packet::NewPacket(Opcode::kNackBadEpoch);
  nack.headers.nack_epoch = {1, c().out[1].epoch, 0, false, 0};
  Arrives(nack);
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 2000000000, [&] {
    return c().out[1].state == PathState::kOpening && OpenTimer(1) > 100000000;
  }));
  dark = true;
  Work(1);
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 10000000, [&] { return c().active() == 0; }));
  EXPECT_EQ(c().suspect(), 1u);
  EXPECT_EQ(OpenTimer(1), 15625000);
  // A nearer deadline stays.
  dark = false;
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 10000000, [&] { return c().active() == 1; }));
  ASSERT_LT(OpenTimer(1), 15625000);
  const Nanoseconds before = c().timers.Of(endpoint::TimerOf(1, endpoint::kPathTimer));
  dark = true;
  Work(1);
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 10000000, [&] { return c().active() == 0; }));
  EXPECT_EQ(c().timers.Of(endpoint::TimerOf(1, endpoint::kPathTimer)), before);
}

// RTT-OF-CONNECTION.
TEST_F(OpeningTest, TheRttOfAConnectionWithoutAnActivePathIsTheOneItHadLast) {
  pair_ = std::make_unique<Pair>(Small(1));
  pair_->fate = [](int, const packet::Packet& p, Route) {
    Fate fate;
    if (p.opcode() == Opcode::kConnectReply) fate.extra = 3000000;
    return fate;
  };
  ASSERT_TRUE(pair_->Open());
  ASSERT_GT(c().handshake_rtt, 1000000);
  Work(100);
  Run(10000000);
  const Nanoseconds srtt = c().out[0].context->rtt.srtt();
  ASSERT_LT(srtt, 100000);
  pair_->fate = [](int, const packet::Packet&, Route) { return Fate{.drop = true}; };
  Work(1);
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 10000000, [&] { return c().active() == 0; }));
  EXPECT_EQ(c().last_srtt, srtt);
}

// PATH-OPEN-REASON: `lifted` if the path was DENIED when it was last not FREE.
TEST_F(OpeningTest, APathThatWasLiftedAndThenRefusedIsAddedTheNextTime) {
  MakeAll(2);
  std::vector<uint8_t> reasons;
  bool refuse = true;
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    const bool opens = from == 0 && p.opcode() == Opcode::kPathOpen;
    if (opens) reasons.push_back(p.headers.path_open.reason);
    return Fate{.drop = opens && refuse};
  };
  Deny(1);
  Run(100000);
  Lift(1);
  Work(1, 100);
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000,
                              [&] { return c().out[1].state == PathState::kOpening; }));
  packet::Packet answer = packet::NewPacket(Opcode::kPathRefuse);
  answer.headers.common.path = 1;
  answer.headers.common.epoch = c().out[1].epoch;
  answer.headers.common.number = c().out[1].context->opening.id.value();
  answer.headers.path_refuse.code = static_cast<uint8_t>(spec::RefuseCode::kNoContext);
  Arrives(answer);
  ASSERT_EQ(c().out[1].state, PathState::kFree);
  refuse = false;
  Run(2000000);
  Work(1, 100);
  Run(100000);
  EXPECT_EQ(c().out[1].state, PathState::kActive);
  ASSERT_GE(reasons.size(), 2u);
  EXPECT_EQ(reasons.front(), static_cast<uint8_t>(OpenReason::kLifted));
  EXPECT_EQ(reasons.back(), static_cast<uint8_t>(OpenReason::kAdded));
}

// PATH-OPEN-WAIT: the SRTT that the path had last is that of an epoch which was accepted, too.
TEST_F(OpeningTest, AnAcceptedEpochThatIsGivenUpLeavesItsRtt) {
  Make(2);
  pair_->fate = [&](int, const packet::Packet& p, Route route) {
    Fate fate;
    if (route.entropy != c().out[0].route.entropy) fate.extra = 400000;
    fate.drop = p.opcode() == Opcode::kProbe;
    return fate;
  };
  Work(10);
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000, [&] {
    return c().out[1].context && c().out[1].context->opening.accepted;
  }));
  const Nanoseconds srtt = c().out[1].context->rtt.srtt();
  ASSERT_GT(srtt, 400000);
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000, [&] {
    return c().out[1].context && !c().out[1].context->opening.accepted;
  }));
  EXPECT_EQ(c().out[1].context->opening.srtt, srtt);
}

}  // namespace
}  // namespace metaroce::testing
