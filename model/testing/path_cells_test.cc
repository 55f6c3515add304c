// Every cell of the machine `path` that a packet of the peer, a command of the operator, a port or
// the end of the connection enters: the event is brought about in each state, and the table says
// what must come of it. An event that is ignored changes nothing but its counter.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "model/state/state.h"
#include "model/testing/pair.h"
#include "model/testing/work.h"

namespace metaroce::testing {
namespace {

using spec::Opcode;
using spec::PathEvent;
using spec::PathState;

// The others come of acknowledgements and timers, which tests of their own bring about.
constexpr PathEvent kTried[] = {
    PathEvent::kAnswerOld, PathEvent::kDeny,        PathEvent::kLift,
    PathEvent::kBadEpoch,  PathEvent::kBadEpochOld, PathEvent::kCloseAsked,
    PathEvent::kPlaneDown, PathEvent::kPlaneUp,     PathEvent::kConnectionEnds,
};
constexpr uint8_t kPath = 1;

struct Place {
  PathState state;
  PathEvent event;
};

class PathCellTest : public ::testing::TestWithParam<Place> {
 protected:
  // Path 1 of side 0 is in `state`; what leaves any side from now on is lost.
  void BringTo(PathState state) {
    pair_ = std::make_unique<Pair>(Small(2));
    ASSERT_TRUE(pair_->Open());
    for (uint64_t i = 0; i < 60; ++i) pair_->Post(0, Pair::Write(i, 0, 2560));
    if (state == PathState::kOpening) {
      BringToAccepted();
    } else {
      ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000,
                                  [&] { return pair_->Quiescent() && c().active() == 2; }));
      Wait(1000000);
    }
    if (state == PathState::kFree) Drain(true);
    if (state == PathState::kDenied) Do(&Endpoint::Deny);
    if (state == PathState::kFree || state == PathState::kDenied) Wait(1000000);
    pair_->fate = [](int, const packet::Packet&, Route) { return Fate{.drop = true}; };
    pair_->Post(0, Pair::Write(60, 0, 20 * 256));
    SendAll();
    if (state == PathState::kActiveToEpoch || state == PathState::kSuspectToEpoch) Drain(false);
    if (state == PathState::kActiveToClose || state == PathState::kSuspectToClose) Drain(true);
    pair_->RunUntil(pair_->now() + 1000000, [&] { return State() == state; });
    SendAll();
    ASSERT_EQ(State(), state);
  }
  // Path 1 was FREE, and its first PATH_OPEN was accepted; the answers to its PROBEs are awaited.
  void BringToAccepted() {
    pair_->fate = [](int, const packet::Packet& p, Route) {
      return Fate{.drop = p.opcode() == Opcode::kProbe};
    };
    const auto accepted = [&] {
      return c().out[kPath].context && c().out[kPath].context->opening.accepted;
    };
    ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000, accepted));
  }
  endpoint::Connection& c() { return *pair_->at(0).state().connections[0]; }
  PathState State() { return c().out[kPath].state; }
  void Wait(Nanoseconds time) { pair_->Run(pair_->now() + time); }
  void SendAll() {
    while (pair_->at(0).NextDue() <= pair_->now() && pair_->at(0).Poll(pair_->step(0))) {
    }
  }
  void Do(absl::Status (Endpoint::*command)(uint32_t, uint8_t, const endpoint::Step&)) {
    pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) {
      return (e.*command)(pair_->cid(0), kPath, s);
    });
  }
  void Drain(bool to_close) {
    pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) {
      return e.Drain(pair_->cid(0), kPath, to_close, s);
    });
  }
  void SetPort(bool up) {
    pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) { return e.SetPort(0, up, s); });
  }
  // A packet of the peer about path 1 and an epoch of it.
  void Arrives(Opcode opcode, uint8_t epoch) {
    packet::Packet p = packet::NewPacket(opcode);
    p.headers.common.path = kPath;
    p.headers.common.epoch = epoch;
    if (opcode == Opcode::kPathClose) {
      p.headers.path_close.role = static_cast<uint8_t>(spec::CloseRole::kReceiver);
    }
    if (opcode == Opcode::kNackBadEpoch) {
      p.headers.nack_epoch.path = kPath;
      p.headers.nack_epoch.epoch = epoch;
    }
    pair_->ArrivesAddressed(0, p, c().last_route);
  }
  void BringAbout(PathEvent event) {
    const uint8_t epoch = c().out[kPath].epoch;
    switch (event) {
      case PathEvent::kAnswerOld:
        return Arrives(Opcode::kPathAccept, static_cast<uint8_t>(epoch + 9));
      case PathEvent::kBadEpoch:
        return Arrives(Opcode::kNackBadEpoch, epoch);
      case PathEvent::kBadEpochOld:
        return Arrives(Opcode::kNackBadEpoch, static_cast<uint8_t>(epoch + 9));
      case PathEvent::kCloseAsked:
        return Arrives(Opcode::kPathClose, epoch);
      case PathEvent::kDeny:
        return Do(&Endpoint::Deny);
      case PathEvent::kLift:
        return Do(&Endpoint::Lift);
      case PathEvent::kPlaneDown:
        return SetPort(false);
      case PathEvent::kPlaneUp:
        SetPort(false);
        return SetPort(true);
      default:
        pair_->Do(0,
                  [&](Endpoint& e, const endpoint::Step& s) { return e.Close(pair_->cid(0), s); });
    }
  }
  // Without what a packet that passes the check `connection` says of its sender: that it lives, and
  // by which way.
  std::string Saved() {
    c().last_heard = 0;
    c().last_route = Route();
    std::string bytes;
    state::Save(pair_->at(0), state::Counters::kWithout, &bytes);
    return bytes;
  }
  std::vector<uint64_t> Counts() {
    std::vector<uint64_t> all;
    for (const auto& counter : spec::Named<spec::Counter>::kAll) {
      all.push_back(pair_->at(0).Count(counter.value));
    }
    return all;
  }

  std::unique_ptr<Pair> pair_;
};

TEST_P(PathCellTest, DoesWhatTheTableSays) {
  const Place place = GetParam();
  const auto& cell = spec::Lookup(place.state, place.event);
  BringTo(place.state);
  const std::string saved = Saved();
  std::vector<uint64_t> counts = Counts();
  BringAbout(place.event);
  EXPECT_EQ(spec::Name(State()), spec::Name(cell.next));
  if (cell.kind != spec::CellKind::kIgnored) return;
  EXPECT_EQ(Saved(), saved);
  ++counts[static_cast<size_t>(*cell.counter)];
  EXPECT_EQ(Counts(), counts);
}

std::vector<Place> Places() {
  std::vector<Place> places;
  for (const auto& state : spec::Named<PathState>::kAll) {
    for (const PathEvent event : kTried) {
      const bool impossible = spec::Lookup(state.value, event).kind == spec::CellKind::kImpossible;
      if (!impossible) places.push_back({state.value, event});
    }
  }
  return places;
}

INSTANTIATE_TEST_SUITE_P(Machine, PathCellTest, ::testing::ValuesIn(Places()),
                         [](const ::testing::TestParamInfo<Place>& info) {
                           return std::string(spec::Name(info.param.state)) + "_On_" +
                                  std::string(spec::Name(info.param.event));
                         });

}  // namespace
}  // namespace metaroce::testing
