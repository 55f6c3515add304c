// Each invariant is seen to be broken when it is: states and logs that no endpoint makes.
#include <gtest/gtest.h>

#include "model/invariants/ledger.h"
#include "model/invariants/state.h"
#include "model/invariants/step.h"
#include "model/testing/pair.h"

namespace metaroce::invariants {
namespace {

using metaroce::testing::Pair;

// A pair with packets in flight on two paths.
class InvariantsTest : public ::testing::Test {
 protected:
  InvariantsTest() : pair_(Two()) {
    EXPECT_TRUE(pair_.Open());
    for (uint64_t i = 0; i < 40; ++i) pair_.Post(0, Pair::Write(i, 0, 2560));
    EXPECT_TRUE(pair_.RunUntil(pair_.now() + 10000000, [&] { return pair_.Quiescent(); }));
    EXPECT_EQ(c().active(), 2u);
    for (uint64_t i = 0; i < 40; ++i) pair_.Post(0, Pair::Write(i, 0, 2560));
    pair_.Run(pair_.now() + 4000);
  }
  static Pair::Options Two() {
    Pair::Options options;
    for (endpoint::Settings& settings : options.settings) {
      EXPECT_TRUE(settings.profile.Set("mtu", 256).ok());
      EXPECT_TRUE(settings.profile.Set("paths", 2).ok());
      settings.target_paths = 2;
      settings.windows.path_window = 16 << 16;
    }
    return options;
  }
  endpoint::State& e() { return pair_.at(0).state(); }
  endpoint::Connection& c() { return *e().connections[0]; }
  SendContext& x(size_t path) { return *c().out[path].context; }
  void ExpectBroken(const absl::Status& status, const char* invariant) {
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.message().find(invariant), absl::string_view::npos) << status;
  }
  // What a step that changes the state by `change` and is said to be an ACK of path 0 breaks.
  template <typename F>
  absl::Status Step(F change) {
    packet::Packet ack = packet::NewPacket(spec::Opcode::kAck);
    ack.headers.common.cid = c().cid();
    ack.headers.ack.blocks = 1;
    ack.headers.path_block[0].path = 0;
    StepCheck step;
    step.BeforePacket(e(), ack);
    change();
    return step.After(e());
  }

  Pair pair_;
};

TEST_F(InvariantsTest, AStateThatTheModelMadeKeepsAll) {
  EXPECT_TRUE(CheckState(e()).ok());
  EXPECT_TRUE(Step([] {}).ok());
  EXPECT_TRUE(Step([&] { x(0).heard += 5; }).ok());
}

TEST_F(InvariantsTest, ACsnWithTwoHomesIsFound) {
  const Csn csn = x(0).window.at(x(0).window.oldest()).csn;
  c().flight_bytes += 100;
  x(1).window.Append(csn, x(1).latest + 1, 100, false);
  ExpectBroken(CheckState(e()), "INVARIANT-HOME");
}

TEST_F(InvariantsTest, ACsnThatIsNowhereIsFound) {
  c().sent.Append(SentCsn());
  ++c().unacknowledged;
  ExpectBroken(CheckState(e()), "INVARIANT-HOME");
}

TEST_F(InvariantsTest, AContextThatIsNotCountedIsFound) {
  ++e().shared_out;
  ExpectBroken(CheckState(e()), "INVARIANT-CONTEXTS");
}

TEST_F(InvariantsTest, AConnectionThatWaitsAndIsNotCountedIsFound) {
  ++e().waiting[1];
  ExpectBroken(CheckState(e()), "CC-SHARE");
}

TEST_F(InvariantsTest, BytesThatAreNotCountedAreFound) {
  c().flight_bytes += 1;
  ExpectBroken(CheckState(e()), "CC-FLIGHT");
}

TEST_F(InvariantsTest, APathThatWaitsWithoutATimerIsFound) {
  c().timers.Stop(endpoint::TimerOf(0, endpoint::kPathTimer));
  ExpectBroken(CheckState(e()), "RES-NO-DEADLOCK");
}

//= TAKE-OTHERS-UNTOUCHED
//# A block, a timer or a plane event of one path changes nothing of another path's RTT, minRTT,
//# tolerance, ladder, w, alpha, counts or records.
TEST_F(InvariantsTest, AStepThatChangesTheBooksOfAnotherPathIsFound) {
  ExpectBroken(Step([&] { x(1).tolerance = 1; }), "INVARIANT-BOOKS-APART");
  ExpectBroken(Step([&] { x(1).rtt.Sample(5, true, pair_.now(), 1000000); }),
               "INVARIANT-BOOKS-APART");
  ExpectBroken(Step([&] { ++x(1).ladder.k; }), "INVARIANT-BOOKS-APART");
  ExpectBroken(Step([&] {
                 c().timers.Arm(endpoint::TimerOf(1, endpoint::kPathTimer),
                                pair_.now() + 123456789);
               }),
               "INVARIANT-BOOKS-APART");
}

TEST_F(InvariantsTest, AWitnessMayTravelOnAnotherPath) {
  EXPECT_TRUE(Step([&] { x(1).latest += 9; }).ok());
}

TEST_F(InvariantsTest, AReceiverThatGoesBackIsFound) {
  endpoint::State& receiver = pair_.at(1).state();
  endpoint::Connection& r = *receiver.connections[0];
  const auto step = [&](auto change) {
    StepCheck check;
    check.BeforePacket(receiver, packet::NewPacket(spec::Opcode::kWrite));
    change();
    return check.After(receiver);
  };
  ExpectBroken(
      step([&] { r.received = CsnWindow(Csn(r.received.cumulative().value() - 1), 4096); }),
      "INVARIANT-MONOTONE");
  r.in[0].context->books = ReceivePath(0, PathSeq(7));
  ExpectBroken(step([&] { r.in[0].context->books = ReceivePath(0, PathSeq(6)); }),
               "INVARIANT-MONOTONE");
}

packet::Packet Data(uint8_t path, uint32_t sequence, uint32_t csn, bool rtx, bool moved) {
  packet::Packet p = packet::NewPacket(spec::Opcode::kWrite);
  p.headers.common.path = path;
  p.headers.common.number = sequence;
  p.headers.common.rtx = rtx;
  p.headers.common.moved = moved;
  p.headers.data.csn = csn;
  return p;
}

TEST_F(InvariantsTest, TheLedgerFindsACopyWithoutADrop) {
  Ledger ledger;
  EXPECT_TRUE(ledger.Sent(0, c(), Data(0, 1, 10, false, false), true).ok());
  EXPECT_TRUE(ledger.Sent(0, c(), Data(0, 1, 10, true, false), false).ok());
  ExpectBroken(ledger.Sent(0, c(), Data(0, 1, 10, true, false), false),
               "INVARIANT-NO-CAUSE-NO-COPY");
}

TEST_F(InvariantsTest, TheLedgerFindsADropWithoutACopy) {
  Ledger ledger;
  const uint8_t epoch = c().out[0].epoch;
  packet::Packet p = Data(0, 1, 10, false, false);
  p.headers.common.epoch = epoch;
  EXPECT_TRUE(ledger.Sent(0, c(), p, true).ok());
  ExpectBroken(ledger.Quiescent(0, c()), "INVARIANT-COPIES-EQUAL-DROPS");
}

TEST_F(InvariantsTest, TheLedgerFindsAMovedPacketWhoseEpochLives) {
  Ledger ledger;
  packet::Packet p = Data(0, 1, 10, false, false);
  p.headers.common.epoch = c().out[0].epoch;
  EXPECT_TRUE(ledger.Sent(0, c(), p, false).ok());
  ExpectBroken(ledger.Sent(0, c(), Data(1, 5, 10, false, true), false),
               "INVARIANT-NO-CAUSE-NO-COPY");
}

TEST_F(InvariantsTest, TheLedgerFindsAPathSequenceThatIsLeftOutOrStandsForAnotherCsn) {
  Ledger ledger;
  EXPECT_TRUE(ledger.Sent(0, c(), Data(0, 1, 10, false, false), true).ok());
  ExpectBroken(ledger.Sent(0, c(), Data(0, 3, 11, false, false), false), "INVARIANT-HOME");
  ExpectBroken(ledger.Sent(0, c(), Data(0, 1, 11, true, false), false), "INVARIANT-HOME");
}

TEST_F(InvariantsTest, TheLedgerFindsAPayloadThatIsPlacedTwice) {
  Ledger ledger;
  const std::vector<uint8_t> bytes(16);
  packet::Packet p = Data(0, 1, 10, false, false);
  p.headers.write_target = {100, 1};
  p.payload = bytes;
  ledger.Processes(1, &p);
  EXPECT_TRUE(ledger.Placed(1, 100, p.payload).ok());
  ExpectBroken(ledger.Placed(1, 100, p.payload), "INVARIANT-PLACED-ONCE");
  p.headers.data.csn = 11;
  ExpectBroken(ledger.Placed(1, 101, p.payload), "INVARIANT-BYTES");
}

//= ERROR-ONCE
//# Each work request and each receive is completed exactly once
TEST_F(InvariantsTest, TheLedgerFindsACompletionOutOfOrderAndOneTooMany) {
  Ledger ledger;
  ledger.Posted(0, Pair::Write(1, 0, 1));
  ledger.Posted(0, Pair::Write(2, 0, 1));
  ExpectBroken(ledger.Completed(0, {.id = 2}), "INVARIANT-COMPLETIONS");
  EXPECT_TRUE(ledger.Completed(0, {.id = 2}).ok());
  ExpectBroken(ledger.Completed(0, {.id = 3}), "INVARIANT-COMPLETIONS");
}

TEST_F(InvariantsTest, TheLedgerFindsMoreMarksThanArrivals) {
  Ledger ledger;
  packet::Packet ack = packet::NewPacket(spec::Opcode::kAck);
  ack.headers.ack.blocks = 1;
  ack.headers.path_block[0].arrivals = 5;
  ack.headers.path_block[0].ce = 6;
  ExpectBroken(ledger.Sent(0, c(), ack, false), "INVARIANT-COUNTERS");
}

}  // namespace
}  // namespace metaroce::invariants
