// Packets that the peer's endpoint would not send, and commands at odd moments: what is answered,
// what is ignored, and what is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "model/testing/pair.h"
#include "model/testing/work.h"

namespace metaroce::testing {
namespace {

using spec::CompletionStatus;
using spec::ConnectionState;
using spec::Counter;
using spec::Opcode;
using spec::PathState;

class AnswersTest : public ::testing::Test {
 protected:
  // All paths are ACTIVE and nothing is in flight. Packets that leave side 0 are kept.
  void Make(uint32_t paths, Pair::Options options) {
    pair_ = std::make_unique<Pair>(options);
    ASSERT_TRUE(pair_->Open());
    for (uint64_t i = 0; i < 60; ++i) pair_->Post(0, Pair::Write(i, 0, 2560));
    ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000,
                                [&] { return pair_->Quiescent() && c().active() == paths; }));
    Wait(100000);
    pair_->fate = [this](int from, const packet::Packet& p, Route) {
      if (from == 0) left_.push_back(p.opcode());
      return Fate();
    };
  }
  void Make(uint32_t paths) { Make(paths, Small(paths)); }
  void Wait(Nanoseconds time) { pair_->Run(pair_->now() + time); }
  endpoint::Connection& c() { return *pair_->at(0).state().connections[0]; }
  uint64_t Count(Counter counter) { return pair_->at(0).Count(counter); }
  size_t Left(Opcode opcode) const {
    return static_cast<size_t>(std::count(left_.begin(), left_.end(), opcode));
  }
  // A packet of the peer arrives at side 0.
  void Arrives(const packet::Packet& packet) { pair_->ArrivesAddressed(0, packet, c().last_route); }
  static packet::Packet Request(Opcode opcode, uint8_t path, uint8_t epoch, TransactionId id) {
    packet::Packet p = packet::NewPacket(opcode);
    p.headers.common.path = path;
    p.headers.common.epoch = epoch;
    p.headers.common.number = id.value();
    return p;
  }
  CompletionStatus LastStatus() { return pair_->log(0).work.back().status; }

  std::unique_ptr<Pair> pair_;
  std::vector<Opcode> left_;
};

TEST_F(AnswersTest, ASendWhoseKeyCannotEndIsRefusedAsAnOperation) {
  Make(1);
  WorkRequest send = Pair::Write(99, 0, 100);
  send.kind = WorkKind::kSendInvalidate;
  send.word = 0x777;
  pair_->PostReceive(1, {.id = 5, .address = Pair::kBase, .length = 100});
  pair_->Post(0, send);
  Wait(1000000);
  EXPECT_EQ(LastStatus(), CompletionStatus::kRemoteOperation);
  EXPECT_EQ(pair_->at(1).Failed(spec::Reason::kRemoteOperation), 1u);
  ASSERT_EQ(pair_->log(1).receives.size(), 1u);
  EXPECT_EQ(pair_->log(1).receives[0].status, CompletionStatus::kFlushed);
}

TEST_F(AnswersTest, ANackOfAResponseConcernsNoWorkRequest) {
  Make(1);
  pair_->fate = [](int, const packet::Packet&, Route) { return Fate{.drop = true}; };
  pair_->Post(0, Pair::Write(99, 0, 100));
  packet::Packet nack = packet::NewPacket(Opcode::kNackInvalidRequest);
  nack.headers.common.path = spec::constant::kNoPath;
  nack.headers.nack_request.opcode = static_cast<uint8_t>(Opcode::kReadResponse);
  nack.headers.nack_request.stream = 0;
  nack.headers.nack_request.msn = c().local.start_msn + 60;
  Arrives(nack);
  EXPECT_EQ(c().state, ConnectionState::kError);
  EXPECT_EQ(LastStatus(), CompletionStatus::kFlushed);
}

TEST_F(AnswersTest, OnlyTheReceiveOfASolicitedSendIsMarkedSo) {
  Make(1);
  for (uint64_t i = 0; i < 2; ++i) {
    pair_->PostReceive(1, {.id = i, .address = Pair::kBase, .length = 1000});
    WorkRequest send = Pair::Write(i, 0, 1000);
    send.kind = WorkKind::kSend;
    send.solicited = i == 1;
    pair_->Post(0, send);
  }
  Wait(10000000);
  ASSERT_EQ(pair_->log(1).receives.size(), 2u);
  EXPECT_FALSE(pair_->log(1).receives[0].solicited);
  EXPECT_TRUE(pair_->log(1).receives[1].solicited);
}

TEST_F(AnswersTest, ACreditThatNobodyAskedForIsCountedAndNoMore) {
  Make(1);
  packet::Packet credit = Request(Opcode::kCredit, spec::constant::kNoPath, 0, c().next_id);
  credit.headers.credit.credit = c().outbound.credit().value();
  Arrives(credit);
  EXPECT_EQ(Count(Counter::kStaleCreditAnswer), 1u);
  EXPECT_EQ(c().credit, spec::CreditState::kIdle);
}

TEST_F(AnswersTest, ACreditAnswerThatBringsNothingIsCountedAndNoMore) {
  Make(1);
  const auto answer = [&](TransactionId id) {
    packet::Packet credit = Request(Opcode::kCredit, spec::constant::kNoPath, 0, id);
    credit.headers.credit.credit = c().outbound.credit().value();
    Arrives(credit);
  };
  pair_->fate = [](int, const packet::Packet&, Route) { return Fate{.drop = true}; };
  WorkRequest send = Pair::Write(99, 0, 100);
  send.kind = WorkKind::kSend;
  pair_->Post(0, send);
  ASSERT_EQ(c().credit, spec::CreditState::kProbing);
  answer(c().credit_id);
  answer(c().next_id);
  EXPECT_EQ(c().credit, spec::CreditState::kProbing);
  EXPECT_EQ(Count(Counter::kStaleCreditAnswer), 2u);
  packet::Packet rnr = Request(Opcode::kRnr, spec::constant::kNoPath, 0, c().credit_id);
  rnr.headers.credit.credit = c().outbound.credit().value();
  Arrives(rnr);
  ASSERT_EQ(c().credit, spec::CreditState::kWaiting);
  answer(c().credit_id);
  EXPECT_EQ(c().credit, spec::CreditState::kWaiting);
  EXPECT_EQ(Count(Counter::kStaleCreditAnswer), 3u);
}

TEST_F(AnswersTest, APortStatusAckThatMatchesNoneIsCountedAndNoMore) {
  Make(1);
  const auto ack = [&](uint32_t version) {
    packet::Packet p = Request(Opcode::kPortStatusAck, spec::constant::kNoPath, 0, c().port_id);
    p.headers.port_status_ack.version = version;
    Arrives(p);
  };
  ack(c().port_version);
  EXPECT_EQ(c().port_status, spec::PortStatusState::kIdle);
  EXPECT_EQ(Count(Counter::kStalePortStatusAck), 1u);
  pair_->fate = [](int, const packet::Packet&, Route) { return Fate{.drop = true}; };
  for (const bool up : {false, true}) {
    pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) { return e.SetPort(0, up, s); });
  }
  ASSERT_EQ(c().port_status, spec::PortStatusState::kWaiting);
  ack(c().port_version - 1);
  EXPECT_EQ(c().port_status, spec::PortStatusState::kWaiting);
  EXPECT_EQ(Count(Counter::kStalePortStatusAck), 2u);
}

TEST_F(AnswersTest, APathCloseReplyThatMatchesNoneIsCountedAndNoMore) {
  Make(2);
  Arrives(Request(Opcode::kPathCloseReply, 1, c().out[1].epoch, c().next_id));
  EXPECT_EQ(Count(Counter::kStalePathAnswer), 1u);
  pair_->fate = [](int, const packet::Packet&, Route) { return Fate{.drop = true}; };
  pair_->Do(
      0, [&](Endpoint& e, const endpoint::Step& s) { return e.Drain(pair_->cid(0), 1, true, s); });
  ASSERT_TRUE(c().out[1].close);
  Arrives(Request(Opcode::kPathCloseReply, 1, c().out[1].epoch, c().next_id));
  EXPECT_TRUE(c().out[1].close);
  EXPECT_EQ(Count(Counter::kStalePathAnswer), 2u);
}

TEST_F(AnswersTest, AConnectThatComesTwiceIsAnsweredTwiceAndMakesOneConnection) {
  pair_ = std::make_unique<Pair>(Small(1));
  uint32_t replies = 0;
  pair_->fate = [&](int, const packet::Packet& p, Route) {
    replies += p.opcode() == Opcode::kConnectReply;
    return Fate{.again = p.opcode() == Opcode::kConnect ? 3000 : 0};
  };
  ASSERT_TRUE(pair_->Open());
  Wait(1000000);
  EXPECT_EQ(replies, 2u);
  EXPECT_EQ(pair_->at(1).state().connections.size(), 1u);
}

TEST_F(AnswersTest, ADisconnectBeforeThePeerIsKnownSaysThatThereIsNoConnection) {
  pair_ = std::make_unique<Pair>(Small(1));
  pair_->fate = [this](int from, const packet::Packet& p, Route) {
    if (from == 0) left_.push_back(p.opcode());
    return Fate{.drop = true};
  };
  endpoint::ConnectCommand command;
  command.peer = pair_->at(1).state().settings.ports;
  const uint32_t cid = *pair_->at(0).Connect(command, pair_->step(0));
  packet::Packet disconnect = Request(Opcode::kDisconnect, spec::constant::kNoPath, 0, {});
  disconnect.headers.common.cid = cid;
  disconnect.headers.ctrl.tag = c().tag;
  endpoint::Arrival arrival;
  arrival.from = command.peer[0].ip;
  pair_->at(0).ArrivePacket(disconnect, arrival, pair_->step(0));
  EXPECT_EQ(c().state, ConnectionState::kQuarantine);
  EXPECT_EQ(left_, (std::vector{Opcode::kConnect, Opcode::kNackBadConnection}));
}

TEST_F(AnswersTest, APathOpenThatIsTooOldOpensNothingAndTooManyAreRefused) {
  Make(2);
  ASSERT_FALSE(c().in[1].context);
  Arrives(Request(Opcode::kPathOpen, 1, 0, c().closed_id));
  EXPECT_FALSE(c().in[1].context);
  EXPECT_EQ(Count(Counter::kStalePathOpen), 1u);
  EXPECT_EQ(Left(Opcode::kPathRefuse) + Left(Opcode::kPathAccept), 0u);
  TransactionId id = c().closed_id + 1000;
  for (uint32_t i = 0; i < 200; ++i) {
    Arrives(Request(Opcode::kPathOpen, 1, static_cast<uint8_t>(i), id));
    ++id;
  }
  EXPECT_EQ(Left(Opcode::kPathAccept), 192u);
  EXPECT_EQ(Left(Opcode::kPathRefuse), 8u);
}

TEST_F(AnswersTest, APathThatThePeerWantsBackIsClosedAndPathZeroNever) {
  Make(3);
  packet::Packet close = Request(Opcode::kPathClose, 0, c().out[0].epoch, c().closed_id + 1);
  close.headers.path_close.role = static_cast<uint8_t>(spec::CloseRole::kReceiver);
  Arrives(close);
  EXPECT_EQ(Count(Counter::kStalePathClose), 1u);
  EXPECT_EQ(c().out[0].state, PathState::kActive);
  close.headers.common.path = 2;
  close.headers.common.epoch = c().out[2].epoch;
  Arrives(close);
  EXPECT_EQ(c().out[2].state, PathState::kFree);
  EXPECT_EQ(Left(Opcode::kPathCloseReply), 2u);
  EXPECT_EQ(Left(Opcode::kPathClose), 1u);
}

TEST_F(AnswersTest, WhereNoPathIsLeftAnotherIsOpenedAtOnce) {
  Pair::Options options = Small(2);
  options.settings[0].target_paths = 1;
  // Nothing has been acknowledged yet, so that COUNT-OPEN opens nothing.
  pair_ = std::make_unique<Pair>(options);
  ASSERT_TRUE(pair_->Open());
  pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) { return e.Deny(pair_->cid(0), 0, s); });
  EXPECT_EQ(c().out[0].state, PathState::kDenied);
  EXPECT_EQ(c().out[1].state, PathState::kOpening);
  Wait(1000000);
  EXPECT_EQ(c().out[1].state, PathState::kActive);
}

TEST_F(AnswersTest, PathZeroHasItsContextWhateverOthersHold) {
  Pair::Options options = Small(1);
  ASSERT_TRUE(options.settings[0].profile.Set("send_contexts", 1).ok());
  Make(1, options);
  const auto zero = [&](auto command) {
    pair_->Do(
        0, [&](Endpoint& e, const endpoint::Step& s) { return (e.*command)(pair_->cid(0), 0, s); });
  };
  zero(&Endpoint::Deny);
  EXPECT_FALSE(c().out[0].context);
  zero(&Endpoint::Lift);
  Wait(10000000);
  EXPECT_EQ(c().out[0].state, PathState::kActive);
}

TEST_F(AnswersTest, OnePathOfADirectionDrainsForItsNextEpoch) {
  Make(3);
  // Nothing is acknowledged, so that a drain takes time.
  pair_->fate = [](int from, const packet::Packet&, Route) { return Fate{.drop = from == 1}; };
  for (uint64_t i = 0; i < 3; ++i) pair_->Post(0, Pair::Write(i, 0, 2560));
  Wait(1000);
  const auto drain = [&](uint8_t path) {
    return pair_->at(0).Drain(pair_->cid(0), path, false, pair_->step(0));
  };
  EXPECT_TRUE(drain(1).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(drain(2)));
  EXPECT_EQ(c().out[1].state, PathState::kActiveToEpoch);
  EXPECT_EQ(c().out[2].state, PathState::kActive);
}

}  // namespace
}  // namespace metaroce::testing
