// 4,096 connections with 8,192 path contexts at each of two endpoints, all in use, in 256 MiB.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "model/bench/back_to_back.h"

namespace metaroce::bench {
namespace {

constexpr uint64_t kMiB = 1 << 20;

// Bytes of this process that are in memory; the test is a process of its own.
uint64_t Resident() {
  std::ifstream statm("/proc/self/statm");
  uint64_t size = 0;
  uint64_t resident = 0;
  statm >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

TEST(MemoryTest, ManyConnectionsWithAllContextsInUseFitIn256MiB) {
  Load load;
  load.connections = 4096;
  load.paths = 2;
  BackToBack pair(load);
  const absl::Status open = pair.Open();
  ASSERT_TRUE(open.ok()) << open;
  pair.Run(100000);
  // All that may be sent is on its way at once.
  pair.Fill();
  EXPECT_EQ(pair.BusyPaths(), 8192u);
  const spec::Constant pool = spec::Constant::kSendContexts;
  EXPECT_EQ(pair.at(0).state().settings.profile[pool], 8192u);
  const uint64_t resident = Resident();
  RecordProperty("resident_mib", static_cast<int>(resident / kMiB));
  EXPECT_GT(resident, 16 * kMiB);  // it was read
  EXPECT_LE(resident, 256 * kMiB);
}

}  // namespace
}  // namespace metaroce::bench
