// What two endpoints agree on, what they refuse to agree on, and what a delivery may rely on.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "model/testing/pair.h"
#include "model/testing/work.h"

namespace metaroce::testing {
namespace {

using spec::ConnectionCause;
using spec::ConnectionState;
using spec::Counter;
using spec::Opcode;

class AgreementTest : public ::testing::Test {
 protected:
  void Make(const Pair::Options& options) { pair_ = std::make_unique<Pair>(options); }
  static void Set(Pair::Options& options, int side, const char* name, uint64_t value) {
    ASSERT_TRUE(options.settings[side].profile.Set(name, value).ok());
  }
  // Side 0 asks side 1 for a connection; its cid.
  uint32_t Connect() {
    endpoint::ConnectCommand command;
    command.peer = pair_->at(1).state().settings.ports;
    return *pair_->at(0).Connect(command, pair_->step(0));
  }
  ConnectionState State(int side, uint32_t cid) {
    const endpoint::Connection* c = pair_->at(side).Find(cid);
    return c == nullptr ? ConnectionState::kClosed : c->state;
  }
  void Wait(Nanoseconds time) { pair_->Run(pair_->now() + time); }

  // A packet that side 0 sends to side 1.
  void Arrives(const packet::Packet& packet) { pair_->Arrives(1, packet, {50000, 0}); }

  std::unique_ptr<Pair> pair_;
};

//= PROFILE-NEGOTIATED
//# Where CONNECT and CONNECT_REPLY carry a value, that value holds for the connection and the
//# profile's does not.
//= CONNECT-NEGOTIATION
//# What both use holds in both directions.
TEST_F(AgreementTest, TheLesserOfTwoOffersHoldsInBothDirections) {
  Pair::Options options = Small(4);
  Set(options, 0, "mtu", 1024);
  Set(options, 1, "mtu", 512);
  Set(options, 0, "streams", 7);
  Set(options, 1, "streams", 9);
  Make(options);
  ASSERT_TRUE(pair_->Open());
  uint32_t longest = 0;
  pair_->fate = [&](int, const packet::Packet& p, Route) {
    longest = std::max(longest, static_cast<uint32_t>(p.payload.size()));
    return Fate();
  };
  for (int side = 0; side < 2; ++side) {
    EXPECT_EQ(pair_->connection(side).local.mtu, 512);
    EXPECT_EQ(pair_->connection(side).local.streams, 7);
    pair_->Post(side, Pair::Write(1, 4096 * static_cast<uint32_t>(side), 2000));
  }
  Wait(10000000);
  EXPECT_EQ(pair_->log(0).work.size(), 1u);
  EXPECT_EQ(pair_->log(1).work.size(), 1u);
  EXPECT_EQ(longest, 512u);
}

//= CONNECT-CROSSING
//# Two endpoints that send CONNECT to each other make two connections.
TEST_F(AgreementTest, TwoEndpointsThatConnectToEachOtherMakeTwoConnections) {
  Pair::Options options = Small(4);
  options.check = false;  // the ledger follows one connection
  Make(options);
  endpoint::ConnectCommand command;
  command.peer = pair_->at(0).state().settings.ports;
  Connect();
  ASSERT_TRUE(pair_->at(1).Connect(command, pair_->step(1)).ok());
  Wait(10000000);
  for (int side = 0; side < 2; ++side) {
    size_t open = 0;
    for (const auto& c : pair_->at(side).state().connections) {
      open += c != nullptr && c->state == ConnectionState::kOpen;
    }
    EXPECT_EQ(open, 2u) << side;
  }
}

TEST_F(AgreementTest, AnAcceptorThatTakesNoConnectionsSaysSoAndTheApplicationIsTold) {
  Pair::Options options = Small(4);
  options.settings[1].accepts = false;
  Make(options);
  const uint32_t cid = Connect();
  Wait(10000000);
  EXPECT_EQ(State(0, cid), ConnectionState::kQuarantine);
  ASSERT_EQ(pair_->log(0).ended.size(), 1u);
  EXPECT_EQ(pair_->log(0).ended[0].cause, ConnectionCause::kRejected);
  EXPECT_EQ(pair_->at(1).Count(Counter::kConnectsRejected), 1u);
  EXPECT_TRUE(pair_->at(1).state().connections.empty());
}

TEST_F(AgreementTest, ASizeThatIsNotLegalIsRejectedAndNothingIsKept) {
  Make(Small(4));
  for (const uint32_t range : {0u, 255u, 16777217u}) {
    packet::Packet connect = packet::NewPacket(Opcode::kConnect);
    connect.headers.common.path = spec::constant::kNoPath;
    connect.headers.connect.cid = 5;
    connect.headers.connect.mtu = 1024;
    connect.headers.connect.streams = 1;
    connect.headers.connect.open_messages = 1;
    connect.headers.connect.paths = 1;
    connect.headers.connect.planes = 1;
    connect.headers.connect.hint_unit = 1;
    connect.headers.connect.range = range;
    Arrives(connect);
  }
  EXPECT_EQ(pair_->at(1).Count(Counter::kConnectsRejected), 3u);
  EXPECT_TRUE(pair_->at(1).state().connections.empty());
}

TEST_F(AgreementTest, AReplyThatGrantsMoreThanWasOfferedIsIgnored) {
  Make(Small(4));
  const uint32_t cid = Connect();
  packet::Packet reply = packet::NewPacket(Opcode::kConnectReply);
  const endpoint::Connection& c = *pair_->at(0).Find(cid);
  reply.headers.common.cid = cid;
  reply.headers.common.path = spec::constant::kNoPath;
  reply.headers.common.number = c.connect_id.value();
  reply.headers.ctrl.tag = c.tag;
  reply.headers.connect = c.local;
  reply.headers.connect.cid = 9;
  reply.headers.connect.paths = static_cast<uint8_t>(c.local.paths + 1);
  endpoint::Arrival arrival;
  arrival.from = pair_->at(1).state().settings.ports[0].ip;
  pair_->at(0).ArrivePacket(reply, arrival, pair_->step(0));
  EXPECT_EQ(State(0, cid), ConnectionState::kConnecting);
  EXPECT_EQ(pair_->at(0).Count(Counter::kBadConnectReply), 1u);
  Wait(10000000);
  EXPECT_EQ(State(0, cid), ConnectionState::kOpen);
}

TEST_F(AgreementTest, TheHandshakeTakesOneRoundTripOfTheInitiator) {
  Make(Small(4));
  const Nanoseconds began = pair_->now();
  ASSERT_TRUE(pair_->Open());
  EXPECT_EQ(pair_->now() - began, 15000) << "three packets of 5 us each";
}

TEST_F(AgreementTest, DataOpensTheAcceptorWhoseConfirmationIsLost) {
  Pair::Options options = Small(1);
  options.check = false;  // nothing is registered yet: the Write is refused
  Make(options);
  pair_->fate = [](int, const packet::Packet& p, Route) {
    return Fate{.drop = p.opcode() == Opcode::kConnectConfirm};
  };
  const uint32_t cid = Connect();
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 1000000,
                              [&] { return State(0, cid) == ConnectionState::kOpen; }));
  WorkRequest empty;
  pair_->Post(0, empty);
  Wait(100000);
  ASSERT_NE(pair_->cid(1), 0u) << "it opened";
  EXPECT_EQ(State(1, pair_->cid(1)), ConnectionState::kOpen);
  EXPECT_EQ(pair_->log(0).work.size(), 1u);
}

TEST_F(AgreementTest, EachFirstNumberIsDrawnOnItsOwn) {
  Make(Small(1));
  ASSERT_TRUE(pair_->Open());
  std::set<uint32_t> drawn;
  for (int side = 0; side < 2; ++side) {
    const spec::Connect& body = pair_->connection(side).local;
    drawn.insert(
        {body.start_csn, body.start_msn, body.start_sequence, body.start_serial, body.start_index});
  }
  drawn.insert(pair_->connection(0).connect_id.value());
  drawn.insert(pair_->connection(0).tag);
  EXPECT_EQ(drawn.size(), 12u);
}

TEST_F(AgreementTest, PacketsOfAMessageGoOutInTheOrderOfTheirOffsets) {
  Make(Small(4));
  ASSERT_TRUE(pair_->Open());
  std::vector<uint32_t> offsets;
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    if (from == 0 && p.opcode() == Opcode::kWrite) offsets.push_back(p.headers.data.offset);
    return Fate();
  };
  pair_->Post(0, Pair::Write(1, 0, 10000));
  Wait(10000000);
  ASSERT_EQ(offsets.size(), 40u);
  EXPECT_TRUE(std::is_sorted(offsets.begin(), offsets.end()));
}

TEST_F(AgreementTest, AnEntropyInUseIsInNoDomain) {
  // Wants for every path the entropy of path 0.
  class Greedy : public Chooser {
   public:
    uint64_t Place(spec::Choice choice, const Places& places) override {
      if (choice != spec::Choice::kEntropy) return 0;
      ++asked;
      const std::optional<uint64_t> place = places.Find(entropy);
      found += place.has_value();
      return place.value_or(0);
    }
    uint64_t Number(spec::Choice, const Numbers& numbers) override { return numbers.by_default(); }
    uint16_t entropy = 0;
    uint32_t asked = 0;
    uint32_t found = 0;
  };
  Make(Small(4));
  ASSERT_TRUE(pair_->Open());
  Greedy greedy;
  greedy.entropy = pair_->connection(0).out[0].route.entropy;
  pair_->chooser[0] = &greedy;
  for (uint64_t i = 0; i < 60; ++i) pair_->Post(0, Pair::Write(i, 0, 2560));
  Wait(10000000);
  EXPECT_GE(greedy.asked, 3u);
  EXPECT_EQ(greedy.found, 0u);
  pair_->chooser[0] = nullptr;
}

//= MSG-DELIVER-SEES
//# What a request does at its delivery, and whatever follows from it, sees the bytes of all earlier
//# messages of its stream, and of its own, placed.
TEST_F(AgreementTest, AReceiveThatIsCompletedSeesTheBytesOfEveryEarlierMessage) {
  Make(Small(1));
  ASSERT_TRUE(pair_->Open());
  for (uint32_t i = 0; i < 2560; ++i) pair_->memory(0)[i] = static_cast<uint8_t>(i % 251 + 1);
  PostedReceive receive;
  receive.address = Pair::kBase + 8192;
  receive.length = 256;
  pair_->PostReceive(1, receive);
  pair_->Post(0, Pair::Write(0, 4096, 256));  // its ACK brings the credit
  Wait(1000000);
  // The first packet of the Write is lost once. Window and room are wide enough for all to leave
  // before that is known: the Send arrives before it.
  bool lost = false;
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    const bool first = from == 0 && p.opcode() == Opcode::kWrite && !lost;
    lost = lost || first;
    return Fate{.drop = first};
  };
  pair_->Post(0, Pair::Write(1, 0, 2560));
  WorkRequest send;
  send.id = 2;
  send.kind = WorkKind::kSend;
  send.length = 256;
  send.local = Pair::kBase;
  pair_->Post(0, send);
  ASSERT_TRUE(
      pair_->RunUntil(pair_->now() + 100000000, [&] { return !pair_->log(1).receives.empty(); }));
  EXPECT_TRUE(lost);
  const auto begin = [&](int side, uint32_t at) { return pair_->memory(side).begin() + at; };
  EXPECT_TRUE(std::equal(begin(0, 0), begin(0, 2560), begin(1, 0)));
  EXPECT_TRUE(std::equal(begin(0, 0), begin(0, 256), begin(1, 8192)));
}

//= MSG-READ-RIGHT
//# The responder may read the memory of an accepted Read until its response is acknowledged, even
//# if the key has ended since
TEST_F(AgreementTest, AReadThatWasAcceptedIsAnsweredAlthoughItsKeyHasEnded) {
  Make(Small(1));
  ASSERT_TRUE(pair_->Open());
  bool answered = false;
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    answered = answered || (from == 1 && p.opcode() == Opcode::kReadResponse);
    return Fate();
  };
  WorkRequest read = Pair::Write(1, 0, 100000);
  read.kind = WorkKind::kRead;
  pair_->Post(0, read);
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000, [&] { return answered; }));
  pair_->Do(1, [&](Endpoint& e, const endpoint::Step&) {
    return e.Deregister(pair_->cid(1), Pair::kRkey);
  });
  Wait(100000000);
  ASSERT_EQ(pair_->log(0).work.size(), 1u);
  EXPECT_EQ(pair_->log(0).work[0].status, spec::CompletionStatus::kSuccess);
  EXPECT_EQ(State(0, pair_->cid(0)), ConnectionState::kOpen);
}

TEST_F(AgreementTest, WhatArrivesAtAConnectionThatIsClosingIsToldSo) {
  Make(Small(1));
  ASSERT_TRUE(pair_->Open());
  uint32_t nacks = 0;
  // No DISCONNECT arrives, so the peer sends on.
  pair_->fate = [&](int, const packet::Packet& p, Route) {
    nacks += p.opcode() == Opcode::kNackClosing;
    return Fate{.drop = p.opcode() == Opcode::kDisconnect || p.opcode() == Opcode::kNackClosing};
  };
  pair_->Do(1, [&](Endpoint& e, const endpoint::Step& s) { return e.Close(pair_->cid(1), s); });
  pair_->Post(0, Pair::Write(1, 0, 2560));
  pair_->PostReceive(1, PostedReceive());
  EXPECT_EQ(pair_->log(1).receives.size(), 1u) << "it is flushed at once";
  Wait(50000);
  EXPECT_EQ(State(1, pair_->cid(1)), ConnectionState::kClosing);
  EXPECT_EQ(nacks, 1u) << "within error_nack_interval";
}

}  // namespace
}  // namespace metaroce::testing
