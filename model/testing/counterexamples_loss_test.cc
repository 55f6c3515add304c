// Cases on which other rules of loss, acknowledgement and timers went wrong: what an ACK may say,
// and what a sender must not conclude from it. docs/findings.md lists them all.
#include <gtest/gtest.h>

#include "model/testing/crafted.h"

namespace metaroce::testing {
namespace {

using spec::Counter;

using AckTest = CraftedTest;

TEST_F(AckTest, StaleRepeatedAckResendsNothing) {
  Make(1);
  Send(9);
  const uint32_t s = sent_[0].sequence;
  const auto block = Block(0, s + 5, {s + 6, s + 7, s + 8}, sent_[8].time);
  Wait(1000);
  Arrives({block});
  EXPECT_EQ(Copies(5), 1u);
  for (int i = 0; i < 5; ++i) Arrives({block});
  EXPECT_EQ(Copies(5), 1u);
  EXPECT_EQ(Count(Counter::kLosses), 1u);
}

TEST_F(AckTest, LateAckOfOriginalDoesNotResendTheCopyInFlight) {
  Make(1);
  Send(10);
  const uint32_t s = sent_[0].sequence;
  Wait(1000);
  Arrives({Block(0, s + 5, {s + 6, s + 7, s + 8}, sent_[8].time)});
  ASSERT_EQ(Copies(5), 1u);
  Wait(1000);
  Arrives({Block(0, s + 5, {s + 6, s + 7, s + 8, s + 9}, sent_[9].time)});
  EXPECT_EQ(Copies(5), 1u);
  EXPECT_EQ(x(0).window.in_flight(), 1u);
}

TEST_F(AckTest, ALostCopyIsFoundByTheEchoOfWhatWasSentAfterIt) {
  Make(1);
  Send(3);
  const uint32_t s = sent_[0].sequence;
  Wait(1000);
  Arrives({Block(0, s, {s + 1, s + 2}, sent_[2].time)});
  ASSERT_EQ(Copies(0), 1u);
  Wait(1000);
  Send(1);
  Arrives({Block(0, s, {s + 1, s + 2, s + 3}, sent_.back().time)});
  EXPECT_EQ(Copies(0), 2u);
}

TEST_F(AckTest, ATimerNeverSendsDataAgain) {
  Make(1);
  Send(3);
  Wait(50000000);
  EXPECT_EQ(sent_.size(), 3u);
  EXPECT_EQ(Count(Counter::kRetransmissions), 0u);
}

TEST_F(AckTest, ALostPacketIsSentAgainThoughTheWindowIsFull) {
  Make(1);
  Send(10);
  const uint32_t s = sent_[0].sequence;
  x(0).congestion.w = 1 << 16;
  c().congestion.sum = 1 << 16;
  Wait(1000);
  Arrives({Block(0, s + 2, {s + 3}, sent_[3].time)});
  EXPECT_EQ(Copies(2), 1u);
  EXPECT_EQ(x(0).window.in_flight(), 7u);
}

TEST_F(AckTest, TheCumulativeCsnCompletesWorkAndReleasesNoRecord) {
  Make(1);
  Send(4);
  packet::Packet ack = Ack({Block(0, sent_[0].sequence, {}, static_cast<uint32_t>(x(0).heard))});
  ack.headers.ack.csn = c().sent.next().value();
  Arrives(ack);
  EXPECT_EQ(Completed(), 1u);
  EXPECT_EQ(x(0).window.in_flight(), 4u);
}

TEST_F(AckTest, APacketThatIsLostBelowTheCumulativeCsnIsSentAgainAsVoid) {
  Make(1);
  Send(4);
  const uint32_t s = sent_[0].sequence;
  Wait(1000);
  packet::Packet ack = Ack({Block(0, s + 1, {s + 2, s + 3}, sent_[3].time)});
  ack.headers.ack.csn = c().sent.next().value();
  Arrives(ack);
  ASSERT_EQ(Copies(1), 1u);
  EXPECT_EQ(sent_.back().opcode, spec::Opcode::kVoid);
  EXPECT_EQ(sent_.back().csn, sent_[1].csn);
  EXPECT_EQ(Count(Counter::kVoids), 1u);
}

TEST_F(AckTest, DuplicatesRaiseTheToleranceAndTenSecondsWithoutOneEndIt) {
  Make(1);
  Send(8);
  const uint32_t s = sent_[0].sequence;
  Wait(1000);
  auto block = Block(0, s + 1, {}, sent_[0].time);
  ++block.arrivals;
  ++block.duplicates;
  Arrives({block});
  EXPECT_EQ(x(0).tolerance, 1000);
  block.base = s + 2;
  block.echo = sent_[1].time;
  ++block.arrivals;
  ++block.duplicates;
  Arrives({block});
  EXPECT_EQ(x(0).tolerance, 2000);
  // What was sent 2 us or less before the echo is not lost.
  Arrives({Block(0, s + 2, {s + 3, s + 7}, sent_[7].time)});
  EXPECT_EQ(Count(Counter::kLosses), 0u);
  for (int i = 0; i < 10; ++i) {
    block = Block(0, s + 2, {}, sent_[7].time);
    ++block.arrivals;
    ++block.duplicates;
    Arrives({block});
  }
  EXPECT_EQ(x(0).tolerance, x(0).rtt.srtt());
  x(0).tolerance_at -= 10000000000;
  Arrives({Block(0, s + 3, {}, sent_[7].time)});
  EXPECT_EQ(x(0).tolerance, 0);
}

TEST_F(AckTest, ASecondBlockAndASecondAckOfOneEchoGiveNoSample) {
  Make(2);
  Send(6);
  uint8_t p = sent_[0].path;
  uint8_t q = static_cast<uint8_t>(1 - p);
  const auto of = [&](uint8_t path) {
    for (const SentData& s : sent_) {
      if (s.path == path) return s;
    }
    return sent_[0];
  };
  Wait(3000);
  const Nanoseconds before = x(q).rtt.last_at();
  Arrives(
      {Block(p, of(p).sequence + 1, {}, of(p).time), Block(q, of(q).sequence + 1, {}, of(q).time)});
  EXPECT_EQ(x(p).rtt.last_at(), pair_->now());
  EXPECT_EQ(x(q).rtt.last_at(), before);
  Wait(1000);
  const Nanoseconds sampled = x(p).rtt.last_at();
  Arrives({Block(p, of(p).sequence + 1, {}, of(p).time)});
  EXPECT_EQ(x(p).rtt.last_at(), sampled);
}

TEST_F(AckTest, ABadBlockIsIgnoredAloneAndAVoidAckAltogether) {
  Make(1);
  Send(6);
  const uint32_t s = sent_[0].sequence;
  Wait(1000);
  auto unsent = Block(0, s + 7, {}, sent_[0].time);
  auto other_epoch = Block(0, s + 6, {}, sent_[0].time);
  ++other_epoch.epoch;
  auto no_path = Block(0, s + 6, {}, sent_[0].time);
  no_path.path = 77;
  const uint64_t bad = Count(Counter::kBadBlock);
  Arrives({unsent, other_epoch, Block(0, s + 2, {}, sent_[1].time), no_path});
  EXPECT_EQ(Count(Counter::kBadBlock), bad + 3);
  EXPECT_EQ(x(0).window.in_flight(), 4u);
  packet::Packet ack = Ack({Block(0, s + 6, {}, sent_[5].time)});
  ack.headers.ack.csn = c().sent.next().value() + 1;
  Arrives(ack);
  EXPECT_EQ(Count(Counter::kVoidAcks), 1u);
  EXPECT_EQ(x(0).window.in_flight(), 4u);
}

TEST_F(AckTest, OlderCountersChangeNothing) {
  Make(1);
  Send(6);
  const uint32_t s = sent_[0].sequence;
  auto newer = Block(0, s + 3, {}, sent_[2].time);
  newer.arrivals += 3;
  newer.ce += 1;
  auto older = newer;
  older.arrivals -= 2;
  older.ce -= 1;
  Wait(1000);
  Arrives({newer});
  const uint16_t arrivals = x(0).arrivals;
  Arrives({older});
  EXPECT_EQ(x(0).arrivals, arrivals);
  EXPECT_EQ(x(0).ce, newer.ce);
}

TEST_F(AckTest, AnEchoFromBeforeTheWrapOfTheClockIsUnderstood) {
  Make(1);
  Wait((int64_t{1} << 32) - pair_->now() - 2);
  ASSERT_EQ(c().state, spec::ConnectionState::kOpen);
  Send(6);
  ASSERT_GT(sent_[0].time, 0xFFFFFFF0u);
  ASSERT_LT(sent_[5].time, 10u);
  const uint32_t s = sent_[0].sequence;
  Wait(1000);
  Arrives({Block(0, s + 1, {s + 2, s + 3}, sent_[3].time)});
  EXPECT_EQ(Copies(1), 1u);
  EXPECT_EQ(Count(Counter::kLosses), 1u);
}

//= CC-AR
//# A DATA packet has `ar` set exactly when one of these holds, counted with the packet itself:
TEST_F(AckTest, ThePacketThatLeavesAPathWithoutRoomAsksForAnAck) {
  Make(1);
  x(0).congestion.w = 3 << 16;
  c().congestion.sum = 3 << 16;
  Send(10);
  ASSERT_EQ(sent_.size(), 3u);
  EXPECT_TRUE(sent_[2].ar);
}

TEST_F(AckTest, AForgedNackBadConnectionEndsNothingAndATrueOneDoes) {
  Make(1);
  Send(1);
  packet::Packet nack = packet::NewPacket(spec::Opcode::kNackBadConnection);
  nack.headers.nack_connection = {c().peer.cid, sent_[0].sequence, sent_[0].time + 1};
  Arrives(nack);
  EXPECT_EQ(c().state, spec::ConnectionState::kOpen);
  EXPECT_EQ(Count(Counter::kStaleBadConnection), 1u);
  --nack.headers.nack_connection.transmit_time;
  Arrives(nack);
  EXPECT_EQ(c().state, spec::ConnectionState::kError);
}

TEST_F(AckTest, ANackOfAnEpochThatIsNotLiveIsIgnoredAndOneOfTheLiveEpochOpensTheNext) {
  Make(2);
  Send(2);
  packet::Packet nack = packet::NewPacket(spec::Opcode::kNackBadEpoch);
  nack.headers.common.cid = pair_->cid(0);
  nack.headers.ctrl.tag = c().tag;
  const uint8_t epoch = c().out[1].epoch;
  for (const auto& [offending, has, current] :
       {std::tuple{epoch + 5, false, 0}, std::tuple{epoch - 1, true, epoch + 0},
        std::tuple{epoch + 0, true, epoch + 0}}) {
    nack.headers.nack_epoch = {1, static_cast<uint8_t>(offending), static_cast<uint8_t>(current),
                               has, 0};
    Arrives(nack);
    EXPECT_EQ(c().out[1].state, spec::PathState::kActive);
  }
  EXPECT_EQ(Count(Counter::kStaleBadEpoch), 3u);
  nack.headers.nack_epoch = {1, epoch, 0, false, 0};
  Arrives(nack);
  EXPECT_EQ(c().out[1].state, spec::PathState::kOpening);
  EXPECT_EQ(c().out[1].epoch, static_cast<uint8_t>(epoch + 1));
}

TEST_F(AckTest, TheSenderStopsAtTheOldestUnacknowledgedPlus256) {
  pair_ = std::make_unique<Pair>([] {
    Pair::Options options = Small(1);
    for (auto& settings : options.settings) settings.windows.path_window = 256 << 16;
    return options;
  }());
  ASSERT_TRUE(pair_->Open());
  std::optional<uint32_t> first;
  int32_t furthest = 0;
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    const bool data = spec::Info(p.opcode()).opcode_class == spec::OpcodeClass::kData;
    if (from != 0 || !data) return Fate{};
    if (!first) first = p.headers.common.number;
    furthest = std::max(furthest, static_cast<int32_t>(p.headers.common.number - *first));
    return Fate{.drop = p.headers.common.number == *first};
  };
  for (uint64_t i = 0; i < 100; ++i) pair_->Post(0, Pair::Write(i, 0, 2560));
  pair_->Run(pair_->now() + 60000);
  EXPECT_EQ(furthest, 255);
  EXPECT_GE(pair_->log(0).rtx, 2u);
}

TEST_F(AckTest, OnALongPathATailLossIsFoundByAProbeAndMakesNoPathSuspect) {
  Pair::Options options = Small(1);
  options.delay = 750000;
  pair_ = std::make_unique<Pair>(options);
  ASSERT_TRUE(pair_->Open());
  bool dropped = false;
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    const bool data = spec::Info(p.opcode()).opcode_class == spec::OpcodeClass::kData;
    Fate f{.drop = from == 0 && data && !dropped};
    dropped = dropped || f.drop;
    return f;
  };
  pair_->Post(0, Pair::Write(1, 0, 100));
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 20000000, [&] { return pair_->Quiescent(); }));
  EXPECT_EQ(pair_->log(0).rtx, 1u);
  EXPECT_EQ(Count(Counter::kVerdictsSuspect), 0u);
}

TEST_F(AckTest, TheOnlyAckThatIsLostCostsAProbeAndNoCopy) {
  pair_ = std::make_unique<Pair>(Small(1));
  ASSERT_TRUE(pair_->Open());
  bool dropped = false;
  pair_->fate = [&](int, const packet::Packet& p, Route) {
    Fate f{.drop = p.opcode() == spec::Opcode::kAck && !dropped};
    dropped = dropped || f.drop;
    return f;
  };
  pair_->Post(0, Pair::Write(1, 0, 1000));
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 20000000, [&] { return pair_->Quiescent(); }));
  EXPECT_TRUE(dropped);
  EXPECT_GE(pair_->log(0).probes, 1u);
  EXPECT_EQ(pair_->log(0).rtx, 0u);
}

}  // namespace
}  // namespace metaroce::testing
