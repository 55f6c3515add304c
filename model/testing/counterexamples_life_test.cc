// Cases on which other rules of paths, messages and connections went wrong: what moves and what may
// not, what an answer is worth, what a lack of something costs. docs/findings.md lists them all.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "model/testing/pair.h"
#include "model/testing/work.h"

namespace metaroce::testing {
namespace {

using spec::ConnectionState;
using spec::Counter;
using spec::Opcode;
using spec::PathState;

bool IsData(const packet::Packet& p) {
  return spec::Info(p.opcode()).opcode_class == spec::OpcodeClass::kData;
}

class LifeTest : public ::testing::Test {
 protected:
  void Make(uint32_t paths, Pair::Options options) {
    pair_ = std::make_unique<Pair>(options);
    ASSERT_TRUE(pair_->Open());
    Work(100);
    ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000,
                                [&] { return pair_->Quiescent() && c().active() == paths; }));
  }
  void Make(uint32_t paths) { Make(paths, Small(paths)); }
  void Work(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) pair_->Post(0, Pair::Write(i, 0, 2560));
  }
  bool Quiet(Nanoseconds within) {
    return pair_->RunUntil(pair_->now() + within, [&] {
      return c().state != ConnectionState::kOpen || pair_->Quiescent();
    });
  }
  void Run(Nanoseconds time) { pair_->Run(pair_->now() + time); }
  endpoint::Connection& c() { return *pair_->at(0).state().connections[0]; }
  uint64_t Count(Counter counter) { return pair_->at(0).Count(counter); }
  // A packet of the peer arrives at side 0, whatever became of those that it sent.
  void Arrives(const packet::Packet& packet) {
    pair_->ArrivesAddressed(0, packet, c().out[0].route);
  }
  void BadEpoch(uint8_t path) {
    packet::Packet nack = packet::NewPacket(Opcode::kNackBadEpoch);
    nack.headers.nack_epoch = {path, c().out[path].epoch, 0, false, 0};
    Arrives(nack);
  }

  std::unique_ptr<Pair> pair_;
};

// The original is late, the moved copy is lost, and the buffer is in other use by then.
TEST_F(LifeTest, AMovedCopyThatIsLostAfterTheOriginalArrivedIsSentAgainAsVoid) {
  Make(2);
  const Nanoseconds until = pair_->now() + 1000000;
  uint32_t lost = 0;
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    Fate f;
    if (from != 0 || pair_->now() > until) return f;
    // The receiver does not learn of the next epoch of path 1, and takes what is late of the last.
    if (p.headers.common.path == 1) f.extra = 10000;
    f.drop = p.opcode() == Opcode::kPathOpen ||
             (IsData(p) && p.headers.common.moved && !p.headers.common.rtx);
    lost += f.drop && IsData(p);
    return f;
  };
  Work(1);
  Run(2000);
  const size_t done = pair_->log(0).work.size();
  BadEpoch(1);
  Run(23000);
  EXPECT_EQ(pair_->log(0).work.size(), done + 1);
  EXPECT_EQ(Count(Counter::kVoids), 0u);
  ASSERT_GT(lost, 0u);
  ASSERT_TRUE(Quiet(1000000000));
  EXPECT_EQ(c().state, ConnectionState::kOpen);
  EXPECT_EQ(Count(Counter::kVoids), lost);
  EXPECT_EQ(pair_->CheckQuiescent(), absl::OkStatus());
}

TEST_F(LifeTest, WhatASuspectPathHasInFlightStaysThereUntilItsEpochDies) {
  Make(2);
  const Nanoseconds until = pair_->now() + 500000;
  pair_->fate = [&](int, const packet::Packet&, Route) {
    return Fate{.drop = pair_->now() < until};
  };
  Work(20);
  Run(400000);
  EXPECT_EQ(c().suspect(), 2u);
  ASSERT_TRUE(Quiet(100000000));
  EXPECT_EQ(pair_->log(0).moved, 0u);
  EXPECT_EQ(pair_->log(0).rtx, pair_->log(0).data_dropped);
}

TEST_F(LifeTest, ANewPathNeedsTwoAnswersAndAPathThatWasActiveOne) {
  Pair::Options options = Small(2);
  pair_ = std::make_unique<Pair>(options);
  ASSERT_TRUE(pair_->Open());
  bool deaf = true;
  pair_->fate = [&](int, const packet::Packet& p, Route) {
    return Fate{.drop =
                    deaf && p.opcode() == Opcode::kProbe &&
                    p.headers.probe.reason == static_cast<uint8_t>(spec::ProbeReason::kActivate)};
  };
  Work(50);
  Run(20000000);
  // Many epochs were accepted and given up: none of them makes one answer enough.
  EXPECT_EQ(c().out[1].state, PathState::kOpening);
  EXPECT_GT(c().out[1].epoch, 3);
  deaf = false;
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 3000000000,
                              [&] { return c().out[1].state == PathState::kActive; }));
  deaf = true;
  BadEpoch(1);
  EXPECT_EQ(c().out[1].state, PathState::kOpening);
  Run(100000);
  EXPECT_EQ(c().out[1].state, PathState::kActive);
  // DENIED and lifted it is as new.
  pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) { return e.Deny(pair_->cid(0), 1, s); });
  Run(100000);
  pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) { return e.Lift(pair_->cid(0), 1, s); });
  Work(50);
  Run(1000000);
  EXPECT_EQ(c().out[1].state, PathState::kOpening);
}

TEST_F(LifeTest, APathBeginsAtMost64EpochsASecondAndTheConnectionLives) {
  Make(1);
  std::vector<Nanoseconds> opens;
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    if (from == 0 && p.opcode() == Opcode::kPathOpen) opens.push_back(pair_->now());
    return Fate{.drop = p.opcode() == Opcode::kPathAccept || IsData(p)};
  };
  Work(1);
  Run(1900000000);
  EXPECT_GT(opens.size(), 64u);
  EXPECT_LE(opens.size(), 128u);
  EXPECT_EQ(c().state, ConnectionState::kOpen);
}

TEST_F(LifeTest, ALackOfReceiveContextsMeansFewerPathsAndNoError) {
  Pair::Options options = Small(6);
  ASSERT_TRUE(options.settings[1].profile.Set("receive_contexts", 3).ok());
  pair_ = std::make_unique<Pair>(options);
  ASSERT_TRUE(pair_->Open());
  Work(300);
  ASSERT_TRUE(Quiet(1000000000));
  EXPECT_EQ(c().state, ConnectionState::kOpen);
  EXPECT_EQ(c().active(), 3u);
  EXPECT_GT(pair_->at(1).Count(Counter::kReceiveContextsEmpty), 0u);
}

TEST_F(LifeTest, ALackOfSendContextsTakesAPathFromTheLargestHolder) {
  Pair::Options options = Small(4);
  options.check = false;  // the ledger follows one connection
  ASSERT_TRUE(options.settings[0].profile.Set("send_contexts", 5).ok());
  Make(4, options);
  const uint32_t first = pair_->cid(0);
  endpoint::ConnectCommand command;
  command.peer = pair_->at(1).state().settings.ports;
  const auto second = pair_->at(0).Connect(command, pair_->step(0));
  ASSERT_TRUE(second.ok());
  Run(100000);
  ASSERT_EQ(pair_->cid(0), *second) << "it is open";
  const Region all{Pair::kBase, 1 << 20, Pair::kRkey, kRemoteWrite, true};
  ASSERT_TRUE(pair_->at(1).Register(pair_->cid(1), all).ok());
  const auto held = [&](uint32_t cid) {
    uint32_t count = 0;
    for (const SendPath& path : pair_->at(0).Find(cid)->out) count += bool(path.context);
    return count;
  };
  Work(100);
  Run(10000000);
  EXPECT_EQ(held(first) + held(*second), 5u);
  EXPECT_GT(Count(Counter::kReclaims), 0u);
}

TEST_F(LifeTest, AReceiveContextIsFreeFourSecondsAfterItsPeerFellSilent) {
  Make(4);
  pair_->fate = [](int from, const packet::Packet&, Route) { return Fate{.drop = from == 0}; };
  Run(3900000000);
  EXPECT_EQ(pair_->connection(1).open_in, 4u);
  Run(200000000);
  EXPECT_EQ(pair_->connection(1).open_in, 0u);
  EXPECT_EQ(pair_->at(1).state().shared_in, 0u);
}

TEST_F(LifeTest, AnIdleConnectionKeepsItsContextsByKeepalives) {
  Make(4);
  const uint64_t epochs = Count(Counter::kEpochsBegun);
  Run(20000000000);
  EXPECT_EQ(pair_->connection(1).open_in, 4u);
  EXPECT_EQ(Count(Counter::kEpochsBegun), epochs);
}

TEST_F(LifeTest, EachConnectTakesAnotherSourcePort) {
  pair_ = std::make_unique<Pair>(Small(1));
  std::set<uint16_t> ports;
  uint32_t connects = 0;
  pair_->fate = [&](int, const packet::Packet& p, Route route) {
    if (p.opcode() == Opcode::kConnect) {
      ++connects;
      ports.insert(route.entropy);
    }
    return Fate{.drop = true};
  };
  EXPECT_FALSE(pair_->Open());
  EXPECT_EQ(connects, 9u);
  EXPECT_EQ(ports.size(), 9u);
}

TEST_F(LifeTest, TheAcceptorSendsNoDataBeforeTheInitiatorWasHeard) {
  pair_ = std::make_unique<Pair>(Small(1));
  uint32_t data = 0;
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    data += from == 1 && IsData(p);
    return Fate{.drop = p.opcode() == Opcode::kConnectConfirm && pair_->now() < 20000000};
  };
  EXPECT_TRUE(pair_->Open());
  EXPECT_GE(pair_->now(), 4000000);
  EXPECT_EQ(data, 0u);
}

TEST_F(LifeTest, ReadsThatFillBothDirectionsAllEnd) {
  Make(2);
  for (int side = 0; side < 2; ++side) {
    for (uint64_t i = 0; i < 200; ++i) {
      WorkRequest read = Pair::Write(1000 + i, 4096, 4000);
      read.kind = WorkKind::kRead;
      read.stream = static_cast<uint16_t>(i % 9);
      pair_->Post(side, read);
    }
  }
  ASSERT_TRUE(Quiet(1000000000));
  EXPECT_EQ(pair_->log(0).work.size(), 300u);
  EXPECT_EQ(pair_->log(1).work.size(), 200u);
}

TEST_F(LifeTest, ANackThatIsLostIsRepeatedAndTheStatusIsTheTrueOne) {
  Make(1);
  bool dropped = false;
  pair_->fate = [&](int, const packet::Packet& p, Route) {
    const bool nack = spec::Info(p.opcode()).opcode_class == spec::OpcodeClass::kNack;
    Fate f{.drop = nack && !dropped};
    dropped = dropped || f.drop;
    return f;
  };
  WorkRequest bad = Pair::Write(777, 0, 100);
  bad.rkey = 0x666;
  pair_->Post(0, bad);
  Run(100000000);
  EXPECT_TRUE(dropped);
  EXPECT_EQ(c().state, ConnectionState::kError);
  EXPECT_EQ(pair_->log(0).work.back().status, spec::CompletionStatus::kRemoteAccess);
}

TEST_F(LifeTest, ARightEdgeThatHoldsTheSenderIsCountedAndMovesOn) {
  Pair::Options options = Small(2);
  for (auto& settings : options.settings) {
    ASSERT_TRUE(settings.profile.Set("csn_range", 256).ok());
    settings.windows.path_window = 256 << 16;
  }
  Make(2, options);
  std::optional<uint32_t> first;
  const Nanoseconds until = pair_->now() + 300000;
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    if (from != 0 || !IsData(p)) return Fate{};
    if (!first) first = p.headers.data.csn;
    return Fate{.drop = p.headers.data.csn == *first && pair_->now() < until};
  };
  Work(200);
  ASSERT_TRUE(Quiet(100000000));
  EXPECT_GT(Count(Counter::kCsnLimited), 0u);
  EXPECT_EQ(pair_->log(0).rtx, pair_->log(0).data_dropped);
}

TEST_F(LifeTest, AKeyEndsWhenItsSendIsDeliveredAndADuplicateOfAnEarlierWriteIsNotRefused) {
  Make(2);
  const Region region{Pair::kBase, 4096, 0x777, kRemoteWrite, true};
  ASSERT_TRUE(pair_->at(1).Register(pair_->cid(1), region).ok());
  pair_->PostReceive(1, {.id = 1, .address = Pair::kBase, .length = 100});
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    Fate f;
    if (from == 0 && p.opcode() == Opcode::kWrite) f.again = 100000;
    return f;
  };
  WorkRequest write = Pair::Write(500, 0, 100);
  write.rkey = 0x777;
  WorkRequest send = Pair::Write(501, 0, 100);
  send.kind = WorkKind::kSendInvalidate;
  send.word = 0x777;
  pair_->Post(0, write);
  pair_->Post(0, send);
  ASSERT_TRUE(Quiet(10000000));
  Run(1000000);
  EXPECT_EQ(c().state, ConnectionState::kOpen);
  ASSERT_EQ(pair_->log(1).receives.size(), 1u);
  EXPECT_EQ(pair_->log(1).receives[0].invalidated, 0x777u);
  write.id = 502;
  pair_->Post(0, write);
  Run(1000000);
  EXPECT_EQ(pair_->log(0).work.back().status, spec::CompletionStatus::kRemoteAccess);
}

// ACK-ACKNOWLEDGES: the second answer to a PROBE of p has q's block in front and answers no PROBE
// of q.
TEST_F(LifeTest, TheSecondAnswerToAProbeAnswersNoProbeOfThePathThatCarriesIt) {
  Make(2);
  Run(100000);
  std::vector<std::pair<int, int>> acks;  // path of the first block, of the second or -1
  pair_->fate = [&](int from, const packet::Packet& p, Route) {
    if (from == 1 && p.opcode() == Opcode::kAck) {
      acks.push_back({p.headers.path_block[0].path,
                      p.headers.ack.blocks > 1 ? p.headers.path_block[1].path : -1});
    }
    return Fate{.drop = true};
  };
  const auto probe = [&](uint8_t path, uint8_t attempt) {
    packet::Packet p = packet::NewPacket(Opcode::kProbe);
    p.headers.common.cid = pair_->cid(1);
    p.headers.common.path = path;
    p.headers.common.epoch = c().out[path].epoch;
    p.headers.common.number = attempt;
    p.headers.common.transmit_time = static_cast<uint32_t>(pair_->now());
    p.headers.ctrl.tag = c().tag;
    p.headers.probe = {static_cast<uint8_t>(spec::ProbeReason::kTail), attempt, 0};
    pair_->Arrives(1, p, c().out[path].route);
  };
  // Path 0 is asked twice; path 1 was heard last of the others.
  probe(1, 1);
  probe(0, 2);
  Run(10000);
  const std::multiset<std::pair<int, int>> all(acks.begin(), acks.end());
  EXPECT_EQ(all, (std::multiset<std::pair<int, int>>{{0, -1}, {1, -1}, {1, 0}}));
}

// ACK-PROBE-TWICE: the path that was to carry the second answer has begun another epoch meanwhile.
TEST_F(LifeTest, ASecondAnswerNeverLeavesByAPathWithoutAnArrival) {
  class Late : public Chooser {
   public:
    uint64_t Place(spec::Choice, const Places&) override { return 0; }
    uint64_t Number(spec::Choice choice, const Numbers& numbers) override {
      return choice == spec::Choice::kAckMoment ? 1000 : numbers.by_default();
    }
  };
  Make(2);
  Run(100000);
  Late late;
  pair_->chooser[1] = &late;
  std::vector<uint16_t> acks;
  pair_->fate = [&](int from, const packet::Packet& p, Route route) {
    if (from == 1 && p.opcode() == Opcode::kAck) acks.push_back(route.entropy);
    return Fate{.drop = true};
  };
  const auto arrives = [&](packet::Packet p, uint8_t path) {
    p.headers.common.cid = pair_->cid(1);
    p.headers.common.path = path;
    p.headers.common.transmit_time = static_cast<uint32_t>(pair_->now());
    p.headers.ctrl.tag = c().tag;
    pair_->Arrives(1, p, c().out[path].route);
  };
  packet::Packet probe = packet::NewPacket(Opcode::kProbe);
  probe.headers.common.epoch = c().out[0].epoch;
  probe.headers.probe = {static_cast<uint8_t>(spec::ProbeReason::kTail), 2, 0};
  arrives(probe, 0);
  Run(100);
  packet::Packet open = packet::NewPacket(Opcode::kPathOpen);
  open.headers.common.epoch = static_cast<uint8_t>(c().out[1].epoch + 1);
  open.headers.common.number = c().next_id.value();
  open.headers.path_open = {static_cast<uint8_t>(spec::OpenReason::kPlanned), 1, 0, 0};
  arrives(open, 1);
  ASSERT_FALSE(pair_->connection(1).in[1].context->books.has_arrival());
  Run(10000);
  EXPECT_EQ(acks, std::vector{c().out[0].route.entropy});
}

// CREDIT-PROBE-PATH: whatever place a choice takes, a repetition travels on another path.
TEST_F(LifeTest, ARepeatedCreditProbeTakesAnotherPathWhateverTheChoice) {
  class Last : public Chooser {
   public:
    uint64_t Place(spec::Choice choice, const Places& places) override {
      return choice == spec::Choice::kCreditPath ? places.count() - 1 : 0;
    }
    uint64_t Number(spec::Choice, const Numbers& numbers) override { return numbers.by_default(); }
  };
  Make(3);
  Last last;
  std::vector<uint16_t> entropies;
  pair_->fate = [&](int from, const packet::Packet& p, Route route) {
    const bool asks = from == 0 && p.opcode() == Opcode::kCreditProbe;
    if (asks) entropies.push_back(route.entropy);
    return Fate{.drop = asks};
  };
  pair_->chooser[0] = &last;
  WorkRequest send = Pair::Write(600, 0, 100);
  send.kind = WorkKind::kSend;
  pair_->Post(0, send);
  Run(20000000);
  ASSERT_GT(entropies.size(), 5u);
  for (size_t i = 1; i < entropies.size(); ++i) EXPECT_NE(entropies[i], entropies[i - 1]) << i;
}

}  // namespace
}  // namespace metaroce::testing
