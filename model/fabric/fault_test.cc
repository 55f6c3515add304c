// Scripted faults.
#include <gtest/gtest.h>

#include <string>

#include "model/fabric/fabric_for_test.h"

namespace metaroce::fabric {
namespace {

constexpr Picoseconds kMicrosecond = 1000000;

LinkSelector Only(LinkKind kind) {
  LinkSelector where;
  where.host_up = kind == LinkKind::kHostUp;
  where.host_down = kind == LinkKind::kHostDown;
  where.leaf_up = kind == LinkKind::kLeafUp;
  where.leaf_down = kind == LinkKind::kLeafDown;
  return where;
}

Fault Of(FaultKind kind, LinkKind link) {
  Fault fault;
  fault.kind = kind;
  fault.where = Only(link);
  return fault;
}

// The numbers of the packets that arrived of `count` from host 0 to host 1.
std::vector<uint64_t> Numbers(Net& net, int count, const What& what = {}) {
  for (int i = 0; i < count; ++i) net.Send(0, 1, 1000, what);
  std::vector<uint64_t> numbers;
  for (const Arrived& a : net.Run()) numbers.push_back(a.number);
  return numbers;
}

TEST(FaultTest, TheNthPacketOfALinkIsDropped) {
  Fault fault = Of(FaultKind::kDrop, LinkKind::kHostUp);
  fault.nth = {2, 5};
  Net net(LeafSpine(2), {fault});
  EXPECT_EQ(Numbers(net, 6), (std::vector<uint64_t>{1, 3, 4, 6}));
  EXPECT_EQ(net.lost, (std::vector<Loss>{Loss::kFault, Loss::kFault}));
}

TEST(FaultTest, APatternRepeats) {
  Fault fault = Of(FaultKind::kDrop, LinkKind::kHostDown);
  fault.pattern = "0110";
  Net net(LeafSpine(2), {fault});
  EXPECT_EQ(Numbers(net, 9), (std::vector<uint64_t>{1, 4, 5, 8, 9}));
}

TEST(FaultTest, AFaultCountsOnlyItsClasses) {
  Fault fault = Of(FaultKind::kDrop, LinkKind::kHostUp);
  fault.data = fault.control = false;
  fault.nth = {1};
  Net net(LeafSpine(2), {fault});
  net.Send(0, 1, 1000);
  net.Run();
  EXPECT_EQ(Numbers(net, 2, {.kind = PacketClass::kAck}), (std::vector<uint64_t>{3}));
}

TEST(FaultTest, ARateDropsAboutThatManyAndTheSameEveryTime) {
  Fault fault = Of(FaultKind::kDrop, LinkKind::kHostUp);
  fault.ppm = 100000;
  Net one(LeafSpine(2), {fault});
  Net two(LeafSpine(2), {fault});
  const std::vector<uint64_t> first = Numbers(one, 5000);
  EXPECT_NEAR(static_cast<double>(first.size()), 4500, 100);
  EXPECT_EQ(first, Numbers(two, 5000));
  Config other = LeafSpine(2);
  other.seed = 2;
  Net three(other, {fault});
  EXPECT_NE(first, Numbers(three, 5000));
}

TEST(FaultTest, AFaultOfOneDirectionLeavesTheOther) {
  Fault fault = Of(FaultKind::kDrop, LinkKind::kHostUp);
  fault.where.host = 0;
  fault.pattern = "1";
  Net net(LeafSpine(2), {fault});
  net.Send(0, 1, 1000);
  net.Send(1, 0, 1000);
  const std::vector<Arrived> arrived = net.Run();
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(arrived[0].to, 0);
}

TEST(FaultTest, ADuplicateFollowsItsOriginal) {
  Fault fault = Of(FaultKind::kDuplicate, LinkKind::kHostDown);
  fault.nth = {1};
  Net net(LeafSpine(2), {fault});
  net.Send(0, 1, 1000);
  const std::vector<Arrived> arrived = net.Run();
  ASSERT_EQ(arrived.size(), 2u);
  EXPECT_FALSE(arrived[0].copy);
  EXPECT_TRUE(arrived[1].copy);
  EXPECT_EQ(arrived[0].number, arrived[1].number);
  EXPECT_EQ(net.fabric().packets().alive(), 0u);
}

TEST(FaultTest, ADelayedPacketIsOvertaken) {
  Fault fault = Of(FaultKind::kDelay, LinkKind::kHostDown);
  fault.nth = {1};
  fault.extra = 100000;
  Net net(LeafSpine(2), {fault});
  EXPECT_EQ(Numbers(net, 2), (std::vector<uint64_t>{2, 1}));
}

TEST(FaultTest, ACorruptPacketArrivesAsSuch) {
  Fault fault = Of(FaultKind::kCorrupt, LinkKind::kLeafUp);
  fault.nth = {1};
  Net net(LeafSpine(2), {fault});
  net.Send(0, 1, 1000);
  const std::vector<Arrived> arrived = net.Run();
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_TRUE(arrived[0].corrupt);
}

// Packets of many entropies, sent from time `at` on; the spines that those took which arrived.
std::set<uint16_t> SpinesUsed(Net& net, int count) {
  for (int i = 0; i < count; ++i) {
    net.Send(0, 1, 1000, {.port = static_cast<uint16_t>(49152 + i)});
  }
  std::set<uint16_t> spines;
  for (const Arrived& a : net.Run(net.fabric().now() + 100 * kMicrosecond)) spines.insert(a.route);
  return spines;
}

TEST(FaultTest, ASilentDeadSpineSwallowsItsPackets) {
  Fault fault;
  fault.kind = FaultKind::kDown;
  fault.where.spine = 1;
  fault.silent = true;
  Net net(LeafSpine(4), {fault});
  net.Run(1);
  EXPECT_EQ(SpinesUsed(net, 64), (std::set<uint16_t>{0, 2, 3}));
  EXPECT_GT(net.lost.size(), 5u);
  EXPECT_TRUE(net.ports.empty());
}

TEST(FaultTest, RoutingGoesAroundADeadSpineThatItKnows) {
  Fault fault;
  fault.kind = FaultKind::kDown;
  fault.where.spine = 1;
  fault.converge = 5 * kMicrosecond;
  fault.until = 500 * kMicrosecond;
  Net net(LeafSpine(4), {fault});
  net.Run(6 * kMicrosecond);
  EXPECT_EQ(SpinesUsed(net, 64), (std::set<uint16_t>{0, 2, 3}));
  EXPECT_TRUE(net.lost.empty());
  net.Run(600 * kMicrosecond);
  EXPECT_EQ(SpinesUsed(net, 64), (std::set<uint16_t>{0, 1, 2, 3}));
}

TEST(FaultTest, WithoutAnyWayAPacketIsLost) {
  Fault fault;
  fault.kind = FaultKind::kDown;
  fault.where = Only(LinkKind::kLeafDown);
  Net net(LeafSpine(4), {fault});
  net.Run(1);
  EXPECT_TRUE(SpinesUsed(net, 4).empty());
  EXPECT_EQ(net.lost, std::vector<Loss>(4, Loss::kNoRoute));
}

TEST(FaultTest, AHostIsToldThatItsPortIsDownAndUp) {
  Fault fault = Of(FaultKind::kDown, LinkKind::kHostDown);
  fault.where.host = 1;
  fault.where.plane = 1;
  fault.from = 10 * kMicrosecond;
  fault.until = 20 * kMicrosecond;
  Config config = LeafSpine(2);
  config.planes = 2;
  Net net(config, {fault});
  net.Run();
  ASSERT_EQ(net.ports.size(), 2u);
  for (const Happened& port : net.ports) {
    EXPECT_EQ(port.index, 1u);
    EXPECT_EQ(port.plane, 1);
  }
  EXPECT_FALSE(net.ports[0].up);
  EXPECT_TRUE(net.ports[1].up);
}

TEST(FaultTest, AnotherRateHoldsForItsTime) {
  Fault fault = Of(FaultKind::kRate, LinkKind::kHostUp);
  fault.rate_mbps = 25000;
  fault.until = 100 * kMicrosecond;
  Net net(LeafSpine(2), {fault});
  net.Run(1);
  net.Send(0, 1, 1000);
  // 320 ns on the slow link, 80 on each of three others.
  EXPECT_EQ(net.Run(99 * kMicrosecond).at(0).at, 4 * kMicrosecond + 320000 + 3 * 80000);
  net.Run(101 * kMicrosecond);
  EXPECT_EQ(net.fabric().RateOf(net.fabric().HostUp(0, 0)), 100000u);
}

TEST(FaultTest, ARehashMovesFlows) {
  Fault fault;
  fault.kind = FaultKind::kRehash;
  fault.seed = 99;
  fault.from = 500 * kMicrosecond;
  Config config = LeafSpine(8);
  config.hash = HashFamily::kToeplitz;
  Net net(config, {fault});
  SpinesUsed(net, 64);
  net.Run(501 * kMicrosecond);
  SpinesUsed(net, 64);
  size_t moved = 0;
  for (uint16_t port = 49152; port < 49152 + 64; ++port) moved += net.route_of(port).size() - 1;
  EXPECT_GT(moved, 40u);
}

}  // namespace
}  // namespace metaroce::fabric
