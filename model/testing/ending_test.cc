// How connections end, each cause with its own status, and what is free afterwards.
#include <gtest/gtest.h>

#include "model/testing/pair.h"

namespace metaroce::testing {
namespace {

using spec::CompletionStatus;
using spec::ConnectionCause;
using spec::ConnectionState;
using spec::Counter;

class EndingTest : public ::testing::Test {
 protected:
  void Make(uint64_t rnr_retry = 7) {
    Pair::Options options;
    for (endpoint::Settings& settings : options.settings) {
      ASSERT_TRUE(settings.profile.Set("mtu", 256).ok());
      ASSERT_TRUE(settings.profile.Set("paths", 4).ok());
      ASSERT_TRUE(settings.profile.Set("rnr_retry", rnr_retry).ok());
      settings.target_paths = 4;
      settings.windows.path_window = 16 << 16;
    }
    pair_ = std::make_unique<Pair>(options);
    ASSERT_TRUE(pair_->Open());
    cid_ = pair_->cid(0);
  }
  ConnectionState State(int side) {
    const endpoint::Connection* c = pair_->at(side).Find(pair_->cid(side));
    return c == nullptr ? ConnectionState::kClosed : c->state;
  }
  static void ExpectAllFree(Pair& pair, int side) {
    EXPECT_EQ(pair.at(side).state().shared_in, 0u);
    EXPECT_EQ(pair.at(side).state().shared_out, 0u);
    EXPECT_EQ(pair.at(side).state().holding, 0u);
  }
  void ExpectAllFree(int side) { ExpectAllFree(*pair_, side); }
  std::vector<CompletionStatus> Statuses(int side) {
    std::vector<CompletionStatus> all;
    for (const auto& done : pair_->log(side).work) all.push_back(done.status);
    return all;
  }

  std::unique_ptr<Pair> pair_;
  uint32_t cid_ = 0;
};

TEST_F(EndingTest, ACloseEndsBothSidesAndItsCidsRestBeforeTheyAreFree) {
  Make();
  for (uint64_t i = 0; i < 50; ++i) pair_->Post(0, Pair::Write(i, 0, 1000));
  pair_->Run(pair_->now() + 1000000);
  ASSERT_TRUE(pair_->at(0).Close(cid_, pair_->step(0)).ok());
  EXPECT_EQ(State(0), ConnectionState::kClosing);
  pair_->Run(pair_->now() + 1000000);
  EXPECT_EQ(State(0), ConnectionState::kQuarantine);
  EXPECT_EQ(State(1), ConnectionState::kQuarantine);
  ExpectAllFree(0);
  ExpectAllFree(1);
  pair_->Run(pair_->now() + 3000000000);
  EXPECT_EQ(State(0), ConnectionState::kClosed);
  EXPECT_EQ(State(1), ConnectionState::kClosed);
  EXPECT_EQ(pair_->log(0).ended.at(0).cause, ConnectionCause::kClosed);
  EXPECT_EQ(pair_->log(1).ended.at(0).cause, ConnectionCause::kPeerClosing);
}

TEST_F(EndingTest, AKeyThatDoesNotExistEndsTheConnectionWithTheStatusOfThatWorkRequestAlone) {
  Make();
  WorkRequest bad = Pair::Write(1, 0, 100);
  bad.rkey = 0x666;
  pair_->Post(0, Pair::Write(0, 0, 100));
  pair_->Post(0, bad);
  pair_->Post(0, Pair::Write(2, 0, 100));
  pair_->Run(pair_->now() + 1000000);
  EXPECT_EQ(State(0), ConnectionState::kError);
  EXPECT_EQ(State(1), ConnectionState::kError);
  const std::vector<CompletionStatus> statuses = Statuses(0);
  ASSERT_EQ(statuses.size(), 3u);
  EXPECT_EQ(statuses[1], CompletionStatus::kRemoteAccess);
  EXPECT_EQ(statuses[2], CompletionStatus::kFlushed);
  EXPECT_EQ(pair_->log(0).ended.at(0).cause, ConnectionCause::kRemoteAccess);
  EXPECT_EQ(pair_->log(0).ended.at(0).code, static_cast<uint8_t>(spec::Reason::kRkey));
  EXPECT_EQ(pair_->log(1).ended.at(0).cause, ConnectionCause::kRefused);
  pair_->Run(pair_->now() + 20000000000);
  EXPECT_EQ(State(0), ConnectionState::kClosed);
  ExpectAllFree(1);
}

TEST_F(EndingTest, ASilentPeerEndsTheConnectionByTheClockOfLiveness) {
  Make();
  for (uint64_t i = 0; i < 50; ++i) pair_->Post(0, Pair::Write(i, 0, 1000));
  pair_->Run(pair_->now() + 15000);
  pair_->fate = [](int, const packet::Packet&, Route) { return Fate{.drop = true}; };
  pair_->Run(pair_->now() + 2100000000);
  EXPECT_EQ(State(0), ConnectionState::kError);
  ASSERT_FALSE(pair_->log(0).ended.empty());
  EXPECT_EQ(pair_->log(0).ended[0].cause, ConnectionCause::kLivenessTimeout);
}

TEST_F(EndingTest, APeerThatAnswersButTakesNoDataEndsTheConnectionByTheClockOfProgress) {
  Make();
  pair_->fate = [](int, const packet::Packet& p, Route) {
    return Fate{.drop = spec::Info(p.opcode()).opcode_class == spec::OpcodeClass::kData};
  };
  pair_->Post(0, Pair::Write(7, 0, 1000));
  pair_->Run(pair_->now() + 2100000000);
  EXPECT_EQ(State(0), ConnectionState::kError);
  EXPECT_EQ(Statuses(0), std::vector{CompletionStatus::kProgressTimeout});
}

TEST_F(EndingTest, APeerThatLostItsMemorySaysSo) {
  Make();
  pair_->Restart(1);
  pair_->Post(0, Pair::Write(7, 0, 1000));
  pair_->Run(pair_->now() + 1000000);
  EXPECT_EQ(Statuses(0), std::vector{CompletionStatus::kBadConnection});
}

TEST_F(EndingTest, TheSeventhRnrInARowFailsTheWorkRequestWhereRetryIsSix) {
  Make(6);
  WorkRequest send = Pair::Write(7, 0, 100);
  send.kind = WorkKind::kSend;
  pair_->Post(0, send);
  pair_->Run(pair_->now() + 100000000);
  EXPECT_EQ(Statuses(0), std::vector{CompletionStatus::kRnrExceeded});
  EXPECT_EQ(pair_->at(0).Count(Counter::kRnrReceived), 7u);
  EXPECT_EQ(pair_->log(0).data, 0u);
}

TEST_F(EndingTest, ASendWaitsForAReceiveForEverWhereRetryIsSevenAndGoesWhenItIsPosted) {
  Make(7);
  WorkRequest send = Pair::Write(7, 0, 100);
  send.kind = WorkKind::kSend;
  pair_->Post(0, send);
  pair_->Post(0, Pair::Write(8, 0, 100));
  pair_->Run(pair_->now() + 100000000);
  EXPECT_TRUE(Statuses(0).empty());  // the Write is done, but waits for its turn
  pair_->PostReceive(1, {.id = 5, .address = Pair::kBase, .length = 100});
  pair_->Run(pair_->now() + 100000);
  EXPECT_EQ(Statuses(0).size(), 2u);
  ASSERT_EQ(pair_->log(1).receives.size(), 1u);
  EXPECT_EQ(pair_->log(1).receives[0].id, 5u);
}

TEST_F(EndingTest, NewerCreditSetsTheCountOfRnrAnswersBackToZero) {
  Make(2);
  WorkRequest send = Pair::Write(7, 0, 100);
  send.kind = WorkKind::kSend;
  for (uint64_t receives = 1; receives <= 3; ++receives) {
    const uint64_t before = pair_->at(0).Count(Counter::kRnrReceived);
    pair_->Post(0, send);
    ASSERT_TRUE(pair_->RunUntil(pair_->now() + 10000000, [&] {
      return pair_->at(0).Count(Counter::kRnrReceived) == before + 2;
    }));
    pair_->PostReceive(1, {.id = receives, .address = Pair::kBase, .length = 100});
    pair_->Run(pair_->now() + 100000);
    ASSERT_EQ(Statuses(0).size(), receives);
    EXPECT_EQ(Statuses(0).back(), CompletionStatus::kSuccess);
  }
}

TEST_F(EndingTest, MemoryThatCannotBeReadIsAnErrorOfItsOwnWorkRequest) {
  Make();
  WorkRequest work = Pair::Write(7, 0, 100);
  work.local = 1;
  pair_->Post(0, work);
  pair_->Run(pair_->now() + 100000);
  EXPECT_EQ(Statuses(0), std::vector{CompletionStatus::kLocalAccess});
}

TEST_F(EndingTest, AnAtomicWhoseRequestIsDuplicatedIsExecutedOnce) {
  Make();
  pair_->fate = [](int, const packet::Packet& p, Route) {
    Fate f;
    if (p.opcode() == spec::Opcode::kFetchAdd) f.again = 3000;
    return f;
  };
  for (uint64_t i = 0; i < 10; ++i) {
    WorkRequest work;
    work.id = i;
    work.kind = WorkKind::kFetchAdd;
    work.length = 8;
    work.operand = 3;
    work.address = Pair::kBase + 64;
    work.local = Pair::kBase + 128 + 8 * i;
    work.rkey = Pair::kRkey;
    pair_->Post(0, work);
  }
  pair_->Run(pair_->now() + 1000000);
  EXPECT_EQ(Statuses(0).size(), 10u);
  EXPECT_EQ(pair_->memory(1)[64], 30);
  for (uint64_t i = 0; i < 10; ++i) EXPECT_EQ(pair_->memory(0)[128 + 8 * i], 3 * i);
}

TEST_F(EndingTest, AConnectThatNobodyAnswersFailsAfterItsRetries) {
  Pair::Options options;
  pair_ = std::make_unique<Pair>(options);
  uint32_t connects = 0;
  pair_->fate = [&](int, const packet::Packet& p, Route) {
    connects += p.opcode() == spec::Opcode::kConnect;
    return Fate{.drop = true};
  };
  EXPECT_FALSE(pair_->Open());
  EXPECT_EQ(connects, 9u);
  EXPECT_EQ(pair_->log(0).ended.at(0).cause, ConnectionCause::kConnectTimeout);
  ExpectAllFree(0);
}

TEST_F(EndingTest, AnAcceptorWhoseReplyIsLostAndWhoseInitiatorIsGoneForgets) {
  Pair pair(Pair::Options{});
  uint32_t replies = 0;
  pair.fate = [&](int from, const packet::Packet& p, Route) {
    if (p.opcode() == spec::Opcode::kConnectReply) ++replies;
    return Fate{.drop = from == 1};
  };
  endpoint::ConnectCommand command;
  command.peer = pair.at(1).state().settings.ports;
  const auto cid = pair.at(0).Connect(command, pair.step(0));
  ASSERT_TRUE(cid.ok());
  pair.Run(pair.now() + 1000000);
  ASSERT_EQ(pair.at(1).state().holding, 1u);
  // The initiator loses its memory: no CONNECT comes again.
  pair.Restart(0);
  pair.Run(pair.now() + 5000000000);
  EXPECT_GT(replies, 1u);
  ExpectAllFree(pair, 1);
  EXPECT_TRUE(pair.at(1).state().by_cid.empty());
}

// CONNECT-REJECTED.
TEST_F(EndingTest, ARejectionTellsItsCodeAndTheVersions) {
  Pair::Options options;
  options.settings[1].accepts = false;
  pair_ = std::make_unique<Pair>(options);
  EXPECT_FALSE(pair_->Open());
  const endpoint::Ended ended = pair_->log(0).ended.at(0);
  EXPECT_EQ(ended.cause, ConnectionCause::kRejected);
  EXPECT_EQ(ended.code, static_cast<uint8_t>(spec::RejectCode::kRefused));
  EXPECT_EQ(ended.version_min, spec::constant::kWireVersion);
  EXPECT_EQ(ended.version_max, spec::constant::kWireVersion);
}

// MSG-POST-REFUSED: CLOSED is none of the states in which work may be posted.
TEST_F(EndingTest, WorkForAConnectionThatIsClosedIsRefusedAndCounted) {
  Make();
  EXPECT_FALSE(pair_->at(0).Post(cid_ + 1, Pair::Write(1, 0, 100), pair_->step(0)).ok());
  EXPECT_EQ(pair_->at(0).Count(Counter::kPostsRefused), 1u);
}

// CONNECT-STATES: what is ignored with `drop_state` fails for the reason `state`.
TEST_F(EndingTest, AConnectThatComesAgainInClosingFailsForTheReasonState) {
  Pair::Options options;
  pair_ = std::make_unique<Pair>(options);
  packet::Packet connect;
  endpoint::Arrival arrival;
  pair_->fate = [&](int, const packet::Packet& p, Route route) {
    if (p.opcode() == spec::Opcode::kConnect) {
      connect = p;
      arrival.route = route;
    }
    return Fate{.drop = p.opcode() == spec::Opcode::kDisconnect};
  };
  ASSERT_TRUE(pair_->Open());
  connect.payload = {};
  connect.options = {};
  arrival.from = pair_->at(0).state().settings.ports[0].ip;
  ASSERT_TRUE(pair_->at(1).Close(pair_->cid(1), pair_->step(1)).ok());
  pair_->at(1).ArrivePacket(connect, arrival, pair_->step(1));
  EXPECT_EQ(pair_->at(1).Failed(spec::Reason::kState), 1u);
  EXPECT_EQ(pair_->at(1).Count(Counter::kDropState), 1u);
}

}  // namespace
}  // namespace metaroce::testing
