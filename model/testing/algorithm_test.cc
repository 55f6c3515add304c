// Another algorithm in a sender: what it is told, in which order, and what of its answers is taken;
// and the hints of a receiver with several senders.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "model/endpoint/congestion.h"
#include "model/testing/crafted.h"

namespace metaroce::testing {
namespace {

using congestion::Event;
using congestion::EventKind;
using congestion::Outputs;

constexpr uint32_t kOne = 1 << 16;

// An algorithm of the test: it records what it is told and answers with what the test left.
struct Told {
  std::vector<Event> events;
  std::vector<uint64_t> counts;  // of the path's memory
  Outputs answer;
};
Told* told = nullptr;

Outputs Listen(absl::Span<const uint64_t>, const Event& event, congestion::Memory& path,
               congestion::Memory& all) {
  told->events.push_back(event);
  told->counts.push_back(++path[7]);
  ++all[7];
  Outputs out = told->answer;
  told->answer.another_entropy = false;
  return out;
}

class AlgorithmTest : public CraftedTest {
 protected:
  AlgorithmTest() { told = &told_; }
  ~AlgorithmTest() override { told = nullptr; }

  Pair::Options With(uint32_t paths) {
    Pair::Options options = Small(paths);
    listener_.name = "listener";
    listener_.step = &Listen;
    for (endpoint::Settings& settings : options.settings) {
      settings.windows = congestion::Settings();
    }
    options.settings[0].windows.kind = congestion::Kind::kCustom;
    options.settings[0].windows.custom = &listener_;
    return options;
  }
  void Begin(uint32_t paths) {
    pair_ = std::make_unique<Pair>(With(paths));
    ASSERT_TRUE(pair_->Open());
    serial_ = c().newest_serial.value();
    pair_->fate = [this](int from, const packet::Packet& p, Route) {
      if (from == 0 && spec::Info(p.opcode()).opcode_class == spec::OpcodeClass::kData) {
        const spec::Common& h = p.headers.common;
        sent_.push_back({h.path, h.number, p.headers.data.csn, h.transmit_time, p.opcode(), h.rtx,
                         h.moved, h.ar});
      }
      return Fate{.drop = from == 0};
    };
  }
  std::string Kinds() {
    static constexpr const char* kNames[] = {"UP",    "ACK", "LOSS", "ROUND", "HINT",
                                             "PROBE", "RTO", "DOWN", "IDLE"};
    std::string text;
    for (const Event& event : told_.events) {
      text += (text.empty() ? "" : " ") + std::string(kNames[static_cast<int>(event.kind)]);
    }
    told_.events.clear();
    return text;
  }
  spec::PathBlock All() {
    spec::PathBlock block = Block(0, x(0).window.next().value(), {}, sent_.back().time);
    block.arrivals = static_cast<uint16_t>(block.arrivals + x(0).window.in_flight());
    return block;
  }
  uint64_t Window() { return endpoint::WindowPackets(c(), pair_->now()); }

  Told told_;
  congestion::Algorithm listener_{};
};

// CUSTOM-EVENTS
TEST_F(AlgorithmTest, IsToldEachEventOnceInOrder) {
  Begin(1);
  EXPECT_EQ(Kinds(), "UP");
  Send(6);
  ASSERT_EQ(sent_.size(), 6u);  // it gave no pace
  const uint32_t s = sent_[0].sequence;
  Wait(5000);
  auto block = Block(0, s, {s + 1, s + 2}, sent_[2].time);
  block.arrivals += 2;
  ++block.ce;
  packet::Packet ack = Ack({block});
  ack.headers.ack.hint = 77;
  Arrives(ack);
  ASSERT_EQ(told_.events.size(), 4u);
  EXPECT_EQ(told_.events[0].acknowledged, 2u);
  EXPECT_EQ(told_.events[0].arrivals, 2u);
  EXPECT_EQ(told_.events[0].marks, 1u);
  EXPECT_GT(told_.events[0].sample, 0);
  EXPECT_EQ(told_.events[1].lost, 1u);
  EXPECT_EQ(told_.events[2].arrivals, 2u);
  EXPECT_EQ(told_.events[2].marks, 1u);
  EXPECT_EQ(told_.events[2].lost, 1u);
  EXPECT_EQ(told_.events[3].hint, 77u);
  EXPECT_EQ(Kinds(), "ACK LOSS ROUND HINT");
  // The same hint again is no event.
  ack = Ack({All()});
  ack.headers.ack.hint = 77;
  Arrives(ack);
  EXPECT_EQ(Kinds(), "ACK ROUND");
  Arrives({Block(0, sent_.back().sequence + 1, {}, sent_.back().time)});
  EXPECT_EQ(told_.events.back().hint, 0u);
  told_.events.clear();
  Wait(300000);
  Send(1);
  EXPECT_EQ(told_.events.back().kind, EventKind::kIdle);
  EXPECT_EQ(told_.events.back().idle, 300000);
  EXPECT_EQ(Kinds(), "IDLE");
  Wait(1500000);
  EXPECT_EQ(Kinds(), "PROBE DOWN RTO");
  Arrives({All()});
  EXPECT_EQ(told_.events[0].way, congestion::Way::kSuspect);
  EXPECT_EQ(Kinds().substr(0, 6), "UP ACK");
}

// CUSTOM-PURE
TEST_F(AlgorithmTest, ItsMemoryOfAPathBeginsAnewWithTheEpoch) {
  Begin(1);
  Send(1);
  Arrives({All()});
  Wait(100);
  EXPECT_GT((*x(0).congestion.memory)[7], 1u);
  const uint64_t all = (*c().congestion.memory)[7];
  pair_->fate = nullptr;
  pair_->Do(
      0, [&](Endpoint& e, const endpoint::Step& s) { return e.Drain(pair_->cid(0), 0, false, s); });
  pair_->Run(pair_->now() + 1000000);
  ASSERT_EQ(c().out[0].epoch, 1u);
  EXPECT_EQ((*x(0).congestion.memory)[7], 1u);
  EXPECT_EQ((*c().congestion.memory)[7], all + 2);
}

// CUSTOM-OUTPUTS
TEST_F(AlgorithmTest, ItsOutputsAreTakenWithinTheirBounds) {
  Begin(4);
  EXPECT_EQ(x(0).congestion.w, 8 * kOne);  // until it gives one, that of the text
  EXPECT_EQ(c().target, 4u);
  Send(1);
  told_.answer.w = 0;
  told_.answer.wp = 0;
  told_.answer.pace = 0;
  told_.answer.target = 0;
  Arrives({All()});
  EXPECT_EQ(x(0).congestion.w, 4096u);
  EXPECT_EQ(c().congestion.sum, 4096u);
  EXPECT_EQ(Window(), kOne);
  EXPECT_EQ(c().congestion.pace, 1u);
  EXPECT_EQ(c().target, 1u);
  Send(1);
  told_.answer.w = told_.answer.wp = told_.answer.pace = told_.answer.target = uint64_t{1} << 60;
  Arrives({All()});
  EXPECT_EQ(x(0).congestion.w, 256 * kOne);
  EXPECT_EQ(Window(), uint64_t{65280} << 16);
  EXPECT_EQ(c().congestion.pace, 25000u);
  EXPECT_EQ(c().target, 4u);
  // W is not bound by the sum of w, nor by a hint.
  EXPECT_EQ(c().congestion.sum, 256u * kOne);
}

TEST_F(AlgorithmTest, ItsPaceSpacesTheData) {
  Begin(1);
  told_.answer.pace = 100;  // 1.6 Gb/s: 1,870 ns a packet of 374 bytes
  told_.answer.w = 100 * kOne;
  Send(1);
  Arrives({All()});
  const size_t before = sent_.size();
  pair_->Post(0, Pair::Write(9, 0, 256 * 50));
  Wait(18700);
  EXPECT_NEAR(sent_.size() - before, 13, 1);
}

TEST_F(AlgorithmTest, AWishForAnotherEntropyIsGrantedByADrain) {
  Begin(1);
  Send(4);
  Wait(5000);
  const uint32_t s = sent_[0].sequence;
  told_.answer.another_entropy = true;
  Arrives({Block(0, s + 2, {}, sent_[1].time)});
  EXPECT_EQ(c().out[0].state, spec::PathState::kActiveToEpoch);
}

TEST_F(AlgorithmTest, ALowerTargetClosesAPathAtTheEndOfARound) {
  pair_ = std::make_unique<Pair>(With(4));
  told_.answer.target = 4;
  ASSERT_TRUE(pair_->Open());
  for (int i = 0; i < 40; ++i) pair_->Post(0, Pair::Write(i, 0, 25600));
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 10000000, [&] { return c().active() == 4; }));
  told_.answer.target = 2;
  ASSERT_TRUE(pair_->RunUntil(pair_->now() + 10000000, [&] { return pair_->Quiescent(); }));
  EXPECT_EQ(c().active(), 2u);
  EXPECT_EQ(pair_->log(0).rtx, 0u);
}

//= CUSTOM-BOUNDS
//# No algorithm changes when a packet is lost, what is sent again, a timer of chapter 7, or an
//# answer.
TEST_F(AlgorithmTest, NothingThatItAnswersMovesATimerOrALoss) {
  std::vector<std::string> runs;
  for (const uint64_t w : {uint64_t{0}, uint64_t{1} << 40}) {
    told_ = Told();
    sent_.clear();
    Begin(1);
    pair_->trace = true;
    Send(4);
    told_.answer.w = w;
    told_.answer.wp = w;
    told_.answer.pace = w + 1;
    Wait(3000);
    const uint32_t s = sent_[0].sequence;
    auto block = Block(0, s + 1, {s + 3}, sent_[3].time);
    block.arrivals += 2;
    Arrives({block});
    EXPECT_EQ(Count(spec::Counter::kLosses), 2u);
    Wait(2000000);
    EXPECT_GT(Count(spec::Counter::kRtoExpiries), 0u);
    // The pace alone moves the retransmission.
    std::string text;
    for (const auto& line : absl::StrSplit(pair_->text, '\n')) {
      if (absl::StrContains(line, "PROBE")) absl::StrAppend(&text, line, "\n");
    }
    runs.push_back(text);
  }
  EXPECT_EQ(runs[0], runs[1]);
}

// The algorithm that follows delay fills a route without marks and ends no epoch.
TEST(DelayAlgorithmTest, CarriesWorkOverManyPaths) {
  Pair::Options options = Small(4);
  for (endpoint::Settings& settings : options.settings) {
    ASSERT_TRUE(congestion::Choose("delay", {}, &settings.windows).ok());
  }
  Pair pair(options);
  ASSERT_TRUE(pair.Open());
  // A route of 40 Gb/s with a queue of its own.
  std::map<uint16_t, Nanoseconds> free;
  Nanoseconds most = 0;
  pair.fate = [&](int from, const packet::Packet& p, Route route) {
    if (from != 0 || p.payload.empty()) return Fate();
    Nanoseconds& at = free[route.entropy];
    at = std::max(at, pair.now()) + 75;
    most = std::max(most, at - pair.now());
    return Fate{.extra = at - pair.now()};
  };
  for (uint64_t i = 0; i < 300; ++i) pair.Post(0, Pair::Write(i, 0, 256 * 60));
  ASSERT_TRUE(pair.RunUntil(pair.now() + 1000000000, [&] { return pair.Quiescent(); }));
  EXPECT_EQ(pair.log(0).work.size(), 300u);
  EXPECT_EQ(pair.log(0).rtx, 0u);
  // It holds the queue near its target: 6 us, and up to 12 us for small windows.
  EXPECT_LT(most, 40000);
}

}  // namespace
}  // namespace metaroce::testing
