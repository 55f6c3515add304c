// Nothing is allocated for a packet once the fabric, the simulator and the log of events have what
// the load needs: every call of operator new is counted.
#include <gtest/gtest.h>

#include "model/bench/counting_new.h"
#include "model/bench/fabric_load.h"

namespace metaroce::bench {
namespace {

uint64_t AllocationsOf(const char* name, uint64_t warm_up, uint64_t packets) {
  const FabricCase* c = FindFabricCase(name);
  EXPECT_NE(c, nullptr) << name;
  if (c == nullptr) return 1;
  const std::unique_ptr<FabricLoad> load = FabricLoad::Make(*c);
  load->Run(warm_up);
  const uint64_t before = allocations;
  EXPECT_GT(before, 0u);
  load->Run(packets);
  return allocations - before;
}

TEST(FabricAllocationTest, AStepOfTheFabricAllocatesNothing) {
  EXPECT_EQ(AllocationsOf("fabric-steps", 50000, 50000), 0u);
}

TEST(FabricAllocationTest, ALineOfTheLogAllocatesNothing) {
  EXPECT_EQ(AllocationsOf("fabric-steps-log", 50000, 20000), 0u);
}

TEST(FabricAllocationTest, ASimulatedPacketAllocatesNothing) {
  EXPECT_EQ(AllocationsOf("two-tier", 100000, 100000), 0u);
}

TEST(FabricAllocationTest, AWholeFrameAllocatesNothing) {
  EXPECT_EQ(AllocationsOf("two-tier-icrc", 100000, 20000), 0u);
}

TEST(FabricAllocationTest, APacketOfALogAllocatesNothing) {
  EXPECT_EQ(AllocationsOf("two-tier-log", 100000, 20000), 0u);
}

}  // namespace
}  // namespace metaroce::bench
