// Which NACK_BAD_CONNECTION ends a connection: one that names what its owner sent and is not
// answered, and no other (NACK-BAD-CONNECTION-MATCH).
#include <gtest/gtest.h>

#include <map>

#include "model/testing/crafted.h"

namespace metaroce::testing {
namespace {

using spec::ConnectionState;
using spec::Counter;
using spec::Opcode;

class BadConnectionTest : public CraftedTest {
 protected:
  struct Sent {
    uint32_t number = 0;
    uint32_t time = 0;
  };
  // As CraftedTest::Make; from now on the latest packet of each kind is kept.
  void MakeAndWatch(uint32_t paths) {
    Make(paths);
    pair_->fate = [this](int from, const packet::Packet& p, Route) {
      const spec::Common& h = p.headers.common;
      if (from == 0) latest_[p.opcode()] = {h.number, h.transmit_time};
      return Fate{.drop = true};
    };
  }
  void Answered(Sent sent) {
    packet::Packet nack = packet::NewPacket(Opcode::kNackBadConnection);
    nack.headers.nack_connection = {c().peer.cid, sent.number, sent.time};
    Arrives(nack);
  }
  // Only the latest transmission of what was sent is answered.
  void ExpectEndedBy(Opcode opcode) {
    ASSERT_TRUE(latest_.contains(opcode));
    const Sent sent = latest_[opcode];
    const uint64_t stale = Count(Counter::kStaleBadConnection);
    Answered({sent.number, sent.time + 1});
    Answered({sent.number + 1, sent.time});
    EXPECT_EQ(Count(Counter::kStaleBadConnection), stale + 2);
    EXPECT_EQ(c().state, ConnectionState::kOpen);
    Answered(sent);
    EXPECT_EQ(c().state, ConnectionState::kError);
    EXPECT_EQ(pair_->log(0).ended.at(0).cause, spec::ConnectionCause::kBadConnection);
  }

  std::map<Opcode, Sent> latest_;
};

TEST_F(BadConnectionTest, WithNumberAndTimeZeroEndsNoConnectionThatHasSentNoProbe) {
  MakeAndWatch(1);
  ASSERT_EQ(pair_->log(0).probes, 0u);
  Send(1);
  Answered({0, 0});
  EXPECT_EQ(c().state, ConnectionState::kOpen);
  EXPECT_EQ(Count(Counter::kStaleBadConnection), 1u);
}

TEST_F(BadConnectionTest, OfTheLatestProbeCountsInAFurtherEpochToo) {
  MakeAndWatch(2);
  Send(1);
  Wait(100000);
  ASSERT_TRUE(latest_.contains(Opcode::kProbe));
  const Sent probe = latest_[Opcode::kProbe];
  const uint8_t path = x(0).probe_id.value() == probe.number ? 0 : 1;
  packet::Packet bad = packet::NewPacket(Opcode::kNackBadEpoch);
  bad.headers.common.cid = pair_->cid(0);
  bad.headers.ctrl.tag = c().tag;
  bad.headers.nack_epoch = {path, c().out[path].epoch, 0, false, 0};
  Arrives(bad);
  ASSERT_EQ(c().out[path].state, spec::PathState::kOpening);
  Answered({probe.number, 0});
  EXPECT_EQ(c().state, ConnectionState::kOpen);
  Answered(probe);
  EXPECT_EQ(c().state, ConnectionState::kError);
}

TEST_F(BadConnectionTest, OfACreditProbeCounts) {
  MakeAndWatch(1);
  WorkRequest send = Pair::Write(1, 0, 100);
  send.kind = WorkKind::kSend;
  pair_->Post(0, send);
  Wait(3000000);  // it is repeated
  ExpectEndedBy(Opcode::kCreditProbe);
}

TEST_F(BadConnectionTest, OfAPortStatusCounts) {
  MakeAndWatch(1);
  pair_->Do(0, [](Endpoint& e, const endpoint::Step& s) { return e.SetPort(0, false, s); });
  Wait(3000000);
  ExpectEndedBy(Opcode::kPortStatus);
}

TEST_F(BadConnectionTest, OfAPathCloseCounts) {
  MakeAndWatch(2);
  const uint32_t cid = pair_->cid(0);
  pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) { return e.Deny(cid, 1, s); });
  Wait(3000000);
  ExpectEndedBy(Opcode::kPathClose);
}

// STATUS-TOLD: only the end by CONNECT-FORGET is not told.
TEST(AcceptorTest, IsToldThatItsInitiatorIsGone) {
  Pair pair(Pair::Options{});
  pair.fate = [](int from, const packet::Packet& p, Route) {
    return Fate{.drop = from == 0 && p.opcode() != Opcode::kConnect &&
                        p.opcode() != Opcode::kNackBadConnection};
  };
  endpoint::ConnectCommand command;
  command.peer = pair.at(1).state().settings.ports;
  ASSERT_TRUE(pair.at(0).Connect(command, pair.step(0)).ok());
  pair.Run(pair.now() + 7000);
  ASSERT_EQ(pair.at(1).state().holding, 1u);
  pair.Restart(0);
  pair.Run(pair.now() + 1000000);
  EXPECT_EQ(pair.at(1).state().holding, 0u);
  ASSERT_EQ(pair.log(1).ended.size(), 1u);
  EXPECT_EQ(pair.log(1).ended[0].cause, spec::ConnectionCause::kBadConnection);
}

}  // namespace
}  // namespace metaroce::testing
