// Switches and links: times, queues and marks, each worked out by hand.
#include "model/fabric/fabric.h"

#include <gtest/gtest.h>

#include <set>

#include "model/fabric/fabric_for_test.h"

namespace metaroce::fabric {
namespace {

// 100 Gb/s: a byte takes 80 ps.
Config OneSwitch() {
  Config config;
  config.hosts = 3;
  config.hosts_per_leaf = 3;
  config.host_link.rate_mbps = 100000;
  config.host_link.delay = 1000000;
  return config;
}

TEST(FabricTest, APacketTakesItsSerialisationAndDelayOnEachLink) {
  Net net(OneSwitch());
  net.Send(0, 1, 1000);
  const std::vector<Arrived> arrived = net.Run();
  ASSERT_EQ(arrived.size(), 1u);
  // Two links: 2 * (1000 * 80 + 1,000,000).
  EXPECT_EQ(arrived[0].at, 2160000);
}

TEST(FabricTest, PacketsOfOneLinkFollowEachOther) {
  Net net(OneSwitch());
  for (int i = 0; i < 3; ++i) net.Send(0, 1, 1000);
  const std::vector<Arrived> arrived = net.Run();
  ASSERT_EQ(arrived.size(), 3u);
  EXPECT_EQ(arrived[0].at, 2160000);
  EXPECT_EQ(arrived[1].at, 2240000);
  EXPECT_EQ(arrived[2].at, 2320000);
}

// At 30 Gb/s a byte takes 266 2/3 ps and 1,000 of them 266,666 2/3.
TEST(FabricTest, WhatADivisionLeavesOverIsCarriedOn) {
  Config config = OneSwitch();
  config.host_link.rate_mbps = 30000;
  config.host_link.delay = 0;
  Net net(config);
  for (int i = 0; i < 4; ++i) net.Send(0, 1, 1000);
  const std::vector<Arrived> arrived = net.Run();
  ASSERT_EQ(arrived.size(), 4u);
  EXPECT_EQ(arrived[1].sent, 266666);
  EXPECT_EQ(arrived[2].sent, 533333);
  EXPECT_EQ(arrived[3].sent, 800000);
}

TEST(FabricTest, APacketIsMarkedWhenItMakesTheQueueLongerThanTheStep) {
  Config config = OneSwitch();
  // Two senders at once: each pair of packets arrives in the time in which one leaves.
  for (const uint64_t step : {2000, 1999}) {
    config.host_link.marking.step = step;
    Net net(config);
    net.Send(0, 1, 1000);
    net.Send(2, 1, 1000);
    const std::vector<Arrived> arrived = net.Run();
    ASSERT_EQ(arrived.size(), 2u);
    EXPECT_FALSE(arrived[0].ce);
    // It finds 1,000 bytes and has 1,000: not more than 2,000, but more than 1,999.
    EXPECT_EQ(arrived[1].ce, step == 1999);
    EXPECT_EQ(net.fabric().CountsOf(net.fabric().HostDown(1, 0)).longest_bytes, 2000u);
  }
}

TEST(FabricTest, APacketThatIsNotCapableIsNeverMarked) {
  Config config = OneSwitch();
  config.host_link.marking.step = 10;
  Net net(config);
  net.Send(0, 1, 1000, {.ecn = frame::Ecn::kNotEct});
  net.Send(0, 1, 1000);
  const std::vector<Arrived> arrived = net.Run();
  EXPECT_FALSE(arrived[0].ce);
  EXPECT_TRUE(arrived[1].ce);
}

TEST(FabricTest, ARampMarksByChanceThatGrowsWithTheQueue) {
  Config config = OneSwitch();
  config.hosts = config.hosts_per_leaf = 20;
  config.host_link.marking = {true, UINT64_MAX, 2000, 18000, 1000000};
  uint64_t marks[20] = {};
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    config.seed = seed;
    Net net(config);
    for (uint32_t h = 1; h < 20; ++h) net.Send(h, 0, 1000);
    const std::vector<Arrived> arrived = net.Run();
    ASSERT_EQ(arrived.size(), 19u);
    for (size_t i = 0; i < 19; ++i) marks[i] += arrived[i].ce ? 1 : 0;
  }
  EXPECT_EQ(marks[1], 0u);                              // 2,000 bytes
  EXPECT_EQ(marks[18], 400u);                           // 19,000
  EXPECT_NEAR(static_cast<double>(marks[9]), 200, 50);  // 10,000: half way
  EXPECT_NEAR(static_cast<double>(marks[5]), 100, 45);  // 6,000: a quarter
}

TEST(FabricTest, APacketThatDoesNotFitIsDropped) {
  for (const uint64_t limit : {2000, 1999}) {
    Config config = OneSwitch();
    config.host_link.limit = limit;
    Net net(config);
    net.Send(0, 1, 1000);
    net.Send(2, 1, 1000);
    EXPECT_EQ(net.Run().size(), limit == 2000 ? 2u : 1u);
    EXPECT_EQ(net.lost.size(), limit == 2000 ? 0u : 1u);
    for (const Loss loss : net.lost) EXPECT_EQ(loss, Loss::kTail);
    EXPECT_EQ(net.fabric().packets().alive(), 0u);
  }
}

TEST(FabricTest, AnAckOvertakesDataInItsHostsPort) {
  Net net(OneSwitch());
  net.Send(0, 1, 1000);
  net.Send(0, 1, 1000);
  net.Send(0, 1, 100, {.kind = PacketClass::kAck});
  EXPECT_EQ(net.fabric().DataWaiting(0), 1u);
  const std::vector<Arrived> arrived = net.Run();
  ASSERT_EQ(arrived.size(), 3u);
  // The first was on its way out already.
  EXPECT_EQ(arrived[0].wire, 1000u);
  EXPECT_EQ(arrived[1].wire, 100u);
  EXPECT_EQ(arrived[2].wire, 1000u);
}

TEST(FabricTest, TheReceivedFrameHasPassedSwitches) {
  for (const bool ipv6 : {false, true}) {
    Config config = LeafSpine(4);
    config.ipv6 = ipv6;
    config.host_link.marking.step = 10;
    Net net(config);
    net.Send(0, 1, 1000);
    const std::vector<Arrived> arrived = net.Run();
    ASSERT_EQ(arrived.size(), 1u);
    EXPECT_EQ(arrived[0].ttl, 64 - 3);
    EXPECT_TRUE(arrived[0].ce);
    EXPECT_TRUE(arrived[0].parsed);  // the IPv4 checksum is right
  }
}

TEST(FabricTest, TheHashSpreadsEntropiesOverSpinesAndKeepsAFlowOnItsOwn) {
  for (const HashFamily family :
       {HashFamily::kCrc16, HashFamily::kCrc32c, HashFamily::kToeplitz, HashFamily::kXorFold}) {
    Config config = LeafSpine(4);
    config.hash = family;
    Net net(config);
    for (uint16_t i = 0; i < 256; ++i) {
      net.Send(0, 1, 1000, {.port = static_cast<uint16_t>(49152 + i)});
    }
    net.Send(0, 1, 1000, {.port = 49152});
    const std::vector<Arrived> arrived = net.Run();
    ASSERT_EQ(arrived.size(), 257u);
    std::map<uint16_t, int> on;
    for (const Arrived& a : arrived) ++on[a.route];
    EXPECT_EQ(on.size(), 4u);
    for (const auto& [spine, count] : on) EXPECT_GT(count, 30) << spine;
    EXPECT_EQ(net.route_of(49152).size(), 1u);
  }
}

TEST(FabricTest, PlanesAreApart) {
  Config config = LeafSpine(2);
  config.planes = 3;
  Net net(config);
  for (uint8_t plane = 0; plane < 3; ++plane) net.Send(0, 1, 1000, {.plane = plane});
  for (const Arrived& a : net.Run()) EXPECT_EQ(a.at, 4 * (80000 + 1000000));
  for (uint8_t plane = 0; plane < 3; ++plane) {
    EXPECT_EQ(net.fabric().CountsOf(net.fabric().HostDown(1, plane)).packets, 1u);
  }
}

}  // namespace
}  // namespace metaroce::fabric
