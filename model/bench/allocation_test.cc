// Nothing is allocated for a packet once the endpoints have what the load needs: every call of
// operator new is counted.
#include <gtest/gtest.h>

#include "model/bench/back_to_back.h"
#include "model/bench/counting_new.h"

namespace metaroce::bench {
namespace {

uint64_t AllocationsOf(const Load& load, uint64_t packets) {
  BackToBack pair(load);
  const absl::Status open = pair.Open();
  EXPECT_TRUE(open.ok()) << open;
  // Rings and slabs grow until the load has been seen whole.
  pair.Run(packets);
  const uint64_t before = allocations;
  pair.Run(packets);
  EXPECT_EQ(pair.resent(), 0u);
  return allocations - before;
}

TEST(AllocationTest, ThePairItselfAllocates) {
  const uint64_t before = allocations;
  BackToBack pair({});
  EXPECT_GT(allocations, before);
}

TEST(AllocationTest, APacketOnOnePathAllocatesNothing) { EXPECT_EQ(AllocationsOf({}, 20000), 0u); }

TEST(AllocationTest, APacketOnManyPathsAllocatesNothing) {
  Load load;
  load.paths = 72;
  EXPECT_EQ(AllocationsOf(load, 40000), 0u);
}

TEST(AllocationTest, APacketOfManyConnectionsAllocatesNothing) {
  Load load;
  load.connections = 64;
  load.paths = 2;
  EXPECT_EQ(AllocationsOf(load, 40000), 0u);
}

TEST(AllocationTest, AMessageOfOnePacketAllocatesNothing) {
  Load load;
  load.message_packets = 1;
  load.mtu = 256;
  EXPECT_EQ(AllocationsOf(load, 20000), 0u);
}

}  // namespace
}  // namespace metaroce::bench
