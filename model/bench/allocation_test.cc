// Nothing is allocated for a packet once the endpoints have what the load needs: every call of
// operator new is counted.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "model/bench/back_to_back.h"

namespace {

uint64_t allocations = 0;

void* Allocate(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

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
