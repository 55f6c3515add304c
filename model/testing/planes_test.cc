// Planes: how paths spread over them, a plane that is up and delivers nothing, and PORT_STATUS
// without a path (section 9.10).
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "model/testing/pair.h"
#include "model/testing/work.h"

namespace metaroce::testing {
namespace {

using spec::ConnectionState;
using spec::Opcode;

class PlanesTest : public ::testing::Test {
 protected:
  void Make(uint32_t paths, size_t planes) {
    Pair::Options options = Small(paths);
    for (auto& settings : options.settings) settings.ports.resize(planes);
    pair_ = std::make_unique<Pair>(options);
  }
  void Open(uint32_t paths) {
    ASSERT_TRUE(pair_->Open());
    for (uint64_t i = 0; i < 100; ++i) pair_->Post(0, Pair::Write(i, 0, 2560));
    ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000,
                                [&] { return pair_->Quiescent() && c().active() == paths; }));
  }
  void SetPort(int side, uint8_t plane, bool up) {
    pair_->Do(side, [&](Endpoint& e, const endpoint::Step& s) { return e.SetPort(plane, up, s); });
  }
  void Run(Nanoseconds time) { pair_->Run(pair_->now() + time); }
  const endpoint::Connection& c() { return pair_->connection(0); }

  std::unique_ptr<Pair> pair_;
};

// PLANE-SPREAD: a path that is about to be opened is on no plane yet.
TEST_F(PlanesTest, PathsAreSpreadInAscendingOrder) {
  Make(6, 3);
  Open(6);
  for (size_t q = 0; q < 6; ++q) EXPECT_EQ(c().out[q].route.plane, q % 3) << q;
}

// PLANE-BALANCE, the case of its Why.
// CONNECT-ENTROPY: path 0 of each has the greatest window; one port would carry them all.
TEST_F(PlanesTest, ConnectionsBeginOnThePlanesInTurn) {
  Make(1, 3);
  std::vector<int> planes;
  pair_->fate = [&](int, const packet::Packet& p, Route route) {
    if (p.opcode() == Opcode::kConnect) planes.push_back(route.plane);
    return Fate{};
  };
  endpoint::ConnectCommand command;
  command.peer = pair_->at(1).state().settings.ports;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(pair_->at(0).Connect(command, pair_->step(0)).ok());
  }
  EXPECT_EQ(planes, (std::vector<int>{0, 1, 2, 0, 1, 2}));
}

TEST_F(PlanesTest, APlaneThatIsUpAndDeliversNothingDrawsOnePathAlone) {
  Make(4, 2);
  Open(4);
  SetPort(0, 1, false);
  Run(5000000);
  uint32_t drawn = 0;
  pair_->fate = [&](int from, const packet::Packet& p, Route route) {
    drawn += from == 0 && route.plane == 1 && p.opcode() == Opcode::kPathOpen;
    return Fate{.drop = route.plane == 1};
  };
  SetPort(0, 1, true);
  for (uint64_t i = 0; i < 20; ++i) {
    pair_->Post(0, Pair::Write(1000 + i, 0, 2560));
    Run(5000000);
  }
  EXPECT_EQ(drawn, 1u);
  EXPECT_EQ(c().active(), 4u);
  EXPECT_EQ(c().state, ConnectionState::kOpen);
}

// PORT-STATUS-ROUTE.
TEST_F(PlanesTest, WithoutAnActivePathEachPortStatusTakesAnotherRoute) {
  Make(1, 3);
  Open(1);
  std::vector<uint16_t> entropies;
  std::vector<uint8_t> planes;
  pair_->fate = [&](int from, const packet::Packet& p, Route route) {
    if (from == 0 && p.opcode() == Opcode::kPortStatus) {
      entropies.push_back(route.entropy);
      planes.push_back(route.plane);
    }
    return Fate{.drop = true};
  };
  const uint8_t lost = c().out[0].route.plane;
  SetPort(0, lost, false);
  Run(200000000);
  ASSERT_GE(entropies.size(), 6u);
  EXPECT_EQ(std::set<uint16_t>(entropies.begin(), entropies.end()).size(), entropies.size());
  for (size_t i = 0; i < planes.size(); ++i) {
    EXPECT_NE(planes[i], lost) << i;
    EXPECT_TRUE(i == 0 || planes[i] != planes[i - 1]) << i;
  }
}

// PLANE-UP.
TEST_F(PlanesTest, APortThatGoesDownBeforeTheAcceptorIsOpenIsNotUsed) {
  Make(4, 2);
  pair_->fate = [&](int, const packet::Packet& p, Route) {
    return Fate{.drop = p.opcode() == Opcode::kConnectConfirm && pair_->now() < 2000000};
  };
  endpoint::ConnectCommand command;
  command.peer = pair_->at(1).state().settings.ports;
  ASSERT_TRUE(pair_->at(0).Connect(command, pair_->step(0)).ok());
  Run(100000);
  ASSERT_EQ(pair_->at(1).state().connections.at(0)->state, ConnectionState::kAccepted);
  SetPort(1, 1, false);
  Run(20000000);
  ASSERT_EQ(pair_->connection(1).state, ConnectionState::kOpen);
  EXPECT_EQ(pair_->connection(1).up, 1);
  // The initiator has been told.
  EXPECT_EQ(c().up, 1);
}

// CONNECT-PLANES: an endpoint with more planes than its peer leaves the others to other
// connections.
TEST_F(PlanesTest, ADisconnectTakesNoPlaneThatTheConnectionDoesNotUse) {
  Pair::Options options = Small(1);
  options.settings[0].ports.resize(4);
  options.settings[1].ports.resize(2);
  pair_ = std::make_unique<Pair>(options);
  ASSERT_TRUE(pair_->Open());
  std::set<int> planes;
  pair_->fate = [&](int from, const packet::Packet& p, Route route) {
    if (from == 0 && p.opcode() == Opcode::kDisconnect) planes.insert(route.plane);
    return Fate{.drop = true};
  };
  const uint32_t cid = pair_->cid(0);
  pair_->Do(0, [&](Endpoint& e, const endpoint::Step& s) { return e.Close(cid, s); });
  Run(1000000000);
  EXPECT_EQ(planes, (std::set<int>{0, 1}));
}

}  // namespace
}  // namespace metaroce::testing
