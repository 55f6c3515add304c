// Contexts that are given up, and paths that are closed (sections 9.5 and 13.2).
#include <gtest/gtest.h>

#include <vector>

#include "model/testing/pair.h"
#include "model/testing/work.h"

namespace metaroce::testing {
namespace {

using spec::CloseReason;
using spec::Counter;
using spec::Opcode;
using spec::PathState;

class ContextsTest : public ::testing::Test {
 protected:
  struct Close {
    uint32_t number = 0;
    uint8_t attempt = 0;
    uint8_t reason = 0;
  };
  void Make(uint32_t paths) {
    pair_ = std::make_unique<Pair>(Small(paths));
    ASSERT_TRUE(pair_->Open());
    Work(60);
    ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000,
                                [&] { return pair_->Quiescent() && c().active() == paths; }));
    Run(100000);
    // What closes a path is seen and lost.
    pair_->fate = [this](int from, const packet::Packet& p, Route) {
      const bool closes = from == 0 && p.opcode() == Opcode::kPathClose;
      const spec::PathClose& close = p.headers.path_close;
      if (closes) closes_.push_back({p.headers.common.number, close.attempt, close.reason});
      return Fate{.drop = closes};
    };
  }
  void Work(uint64_t count, uint32_t length = 2560) {
    for (uint64_t i = 0; i < count; ++i) pair_->Post(0, Pair::Write(i, 0, length));
  }
  void Run(Nanoseconds time) { pair_->Run(pair_->now() + time); }
  void Arrives(const packet::Packet& packet) {
    pair_->ArrivesAddressed(0, packet, c().out[0].route);
  }
  void Deny(uint8_t path) {
    const uint32_t cid = pair_->cid(0);
    pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) { return e.Deny(cid, path, s); });
  }
  void Lift(uint8_t path) {
    const uint32_t cid = pair_->cid(0);
    pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) { return e.Lift(cid, path, s); });
  }
  endpoint::Connection& c() { return *pair_->at(0).state().connections[0]; }

  std::unique_ptr<Pair> pair_;
  std::vector<Close> closes_;
};

// RES-SEND-EMPTY, RES-GIVEN-UP: two connections with six contexts have three each, and stay so.
TEST_F(ContextsTest, WhatAConnectionGivesUpTheOtherGetsAndKeeps) {
  Pair::Options options = Small(8);
  options.check = false;  // two connections of one side
  options.settings[0].target_paths = 5;
  options.settings[1].target_paths = 1;
  ASSERT_TRUE(options.settings[0].profile.Set("send_contexts", 6).ok());
  pair_ = std::make_unique<Pair>(options);
  ASSERT_TRUE(pair_->Open());
  const uint32_t first = pair_->cid(0);
  const auto work = [&](uint32_t cid) {
    ASSERT_TRUE(pair_->at(0).Post(cid, Pair::Write(1, 0, 2560), pair_->step(0)).ok());
  };
  for (int i = 0; i < 20; ++i) work(first);
  Run(1000000);
  ASSERT_EQ(pair_->at(0).Find(first)->open(), 5u);
  endpoint::ConnectCommand command;
  command.peer = pair_->at(1).state().settings.ports;
  ASSERT_TRUE(pair_->at(0).Connect(command, pair_->step(0)).ok());
  Run(100000);
  const uint32_t second = pair_->cid(0);
  ASSERT_NE(first, second);
  const Region all{Pair::kBase, 1 << 20, Pair::kRkey, kRemoteWrite, true};
  ASSERT_TRUE(pair_->at(1).Register(pair_->cid(1), all).ok());
  for (int i = 0; i < 40; ++i) {
    work(first);
    work(second);
    Run(200000);
  }
  EXPECT_EQ(pair_->at(0).Find(first)->open(), 3u);
  EXPECT_EQ(pair_->at(0).Find(second)->open(), 3u);
  EXPECT_EQ(pair_->at(0).Count(Counter::kReclaims), 2u);
}

TEST_F(ContextsTest, WithoutAFreePathNoContextIsWanted) {
  Pair::Options options = Small(2);
  options.settings[0].target_paths = 5;
  ASSERT_TRUE(options.settings[0].profile.Set("send_contexts", 2).ok());
  pair_ = std::make_unique<Pair>(options);
  ASSERT_TRUE(pair_->Open());
  Work(20);
  Run(10000000);
  EXPECT_EQ(c().active(), 2u);
  EXPECT_EQ(pair_->at(0).Count(Counter::kSendContextsEmpty), 0u);
}

// PATH-CLOSE-ASKED and RES-GIVEN-UP at the peer's wish.
TEST_F(ContextsTest, APathThatThePeerAsksToCloseIsNotOpenedAgain) {
  Make(3);
  packet::Packet ask = packet::NewPacket(Opcode::kPathClose);
  ask.headers.common.path = 2;
  ask.headers.common.epoch = c().out[2].epoch;
  ask.headers.path_close = {static_cast<uint8_t>(spec::CloseRole::kReceiver),
                            static_cast<uint8_t>(CloseReason::kReclaim), 1};
  Arrives(ask);
  EXPECT_EQ(c().target, 2u);
  Run(10000000);  // the back-off is over
  Work(50);
  Run(10000000);
  EXPECT_EQ(c().out[2].state, PathState::kFree);
  EXPECT_EQ(c().active(), 2u);
}

// A path that drains to be closed keeps its reason when the peer asks for the same.
TEST_F(ContextsTest, ACloseThatIsAskedForTwiceKeepsItsReason) {
  Make(2);
  const uint32_t cid = pair_->cid(0);
  Work(20);
  Run(1000);
  ASSERT_FALSE(c().out[1].context->window.empty());
  pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) { return e.Drain(cid, 1, true, s); });
  packet::Packet ask = packet::NewPacket(Opcode::kPathClose);
  ask.headers.common.path = 1;
  ask.headers.common.epoch = c().out[1].epoch;
  ask.headers.path_close.role = static_cast<uint8_t>(spec::CloseRole::kReceiver);
  Arrives(ask);
  EXPECT_EQ(c().target, 2u);
  Run(1000000);
  ASSERT_FALSE(closes_.empty());
  EXPECT_EQ(closes_[0].reason, static_cast<uint8_t>(CloseReason::kShrink));
}

// path_close WAITING, CLOSE_WANTED: the path was opened and had to wait for PATH-RATE.
TEST_F(ContextsTest, ACloseThatIsUnansweredIsReplacedByTheNext) {
  Make(2);
  while (c().out[1].epochs < 64) {
    packet::Packet nack = packet::NewPacket(Opcode::kNackBadEpoch);
    nack.headers.nack_epoch = {1, c().out[1].epoch, 0, false, 0};
    Arrives(nack);
    Run(100000);
    ASSERT_EQ(c().out[1].state, PathState::kActive);
  }
  Deny(1);
  Lift(1);
  Work(1, 100);
  Run(20000000);
  ASSERT_TRUE(c().out[1].context && c().out[1].context->opening.waits);
  ASSERT_GT(closes_.size(), 1u);
  const Close before = closes_.back();
  closes_.clear();
  Deny(1);
  ASSERT_EQ(closes_.size(), 1u);
  EXPECT_EQ(closes_[0].attempt, 1);
  EXPECT_GT(closes_[0].number, before.number);
  EXPECT_EQ(c().out[1].close->attempt, 1);
}

// CONNECTION_ENDS takes a path that is DENIED to FREE, and a LIFT is then one of a path that is
// not.
TEST_F(ContextsTest, ADenialEndsWithTheConnection) {
  Make(2);
  const uint32_t cid = pair_->cid(0);
  Deny(1);
  pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) { return e.Close(cid, s); });
  EXPECT_EQ(c().out[1].state, PathState::kFree);
  const uint64_t ignored = pair_->at(0).Count(Counter::kOperatorIgnored);
  Lift(1);
  EXPECT_EQ(pair_->at(0).Count(Counter::kOperatorIgnored), ignored + 1);
}

// RECEIVE-STATES: in ACCEPTED no packet of the peer could be an arrival.
TEST_F(ContextsTest, TheSilenceOfPathZeroCountsFromTheOpeningOfTheConnection) {
  Pair::Options options = Small(2);
  auto& profile = options.settings[1].profile;
  ASSERT_TRUE(profile.Set("accept_timeout", 60000000000).ok());
  ASSERT_TRUE(profile.Set("keepalive_interval", 1000000000).ok());
  ASSERT_TRUE(profile.Set("context_silence", 2000000000).ok());
  pair_ = std::make_unique<Pair>(options);
  bool open = false;
  pair_->fate = [&](int, const packet::Packet& p, Route) {
    return Fate{.drop = p.opcode() == Opcode::kConnectConfirm && !open};
  };
  endpoint::ConnectCommand command;
  command.peer = pair_->at(1).state().settings.ports;
  ASSERT_TRUE(pair_->at(0).Connect(command, pair_->step(0)).ok());
  Run(5000000000);
  const endpoint::Connection& acceptor = *pair_->at(1).state().connections.at(0);
  ASSERT_EQ(acceptor.state, spec::ConnectionState::kAccepted);
  open = true;
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 5000000000,
                              [&] { return acceptor.state == spec::ConnectionState::kOpen; }));
  EXPECT_TRUE(bool(acceptor.in[0].context));
  pair_->fate = [](int from, const packet::Packet&, Route) { return Fate{.drop = from == 0}; };
  Run(1900000000);
  EXPECT_TRUE(bool(acceptor.in[0].context));
  Run(200000000);
  EXPECT_FALSE(bool(acceptor.in[0].context));
}

// CHECK-PATH: path ids beyond those agreed leave the interval of path 0 alone.
TEST_F(ContextsTest, ANackOfAPathThatDoesNotExistDoesNotSilenceOneOfPathZero) {
  Make(2);
  uint32_t nacks = 0;
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    nacks += from == 0 && p.opcode() == Opcode::kNackBadEpoch;
    return Fate{.drop = true};
  };
  const auto probe = [&](uint8_t path) {
    packet::Packet p = packet::NewPacket(Opcode::kProbe);
    p.headers.common.path = path;
    p.headers.common.epoch = 77;
    p.headers.probe = {static_cast<uint8_t>(spec::ProbeReason::kTail), 1, 0};
    Arrives(p);
  };
  probe(200);
  EXPECT_EQ(nacks, 1u);
  probe(0);
  EXPECT_EQ(nacks, 2u);
  probe(0);
  probe(201);
  EXPECT_EQ(nacks, 2u);
}

}  // namespace
}  // namespace metaroce::testing
