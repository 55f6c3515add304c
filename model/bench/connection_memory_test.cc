// What a connection with eight paths takes, besides the packets that wait: the difference between
// few and many connections, of all memory that is allocated.
#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "model/bench/back_to_back.h"
#include "model/sim/scenario_file.h"
#include "model/sim/simulation.h"

namespace metaroce::bench {
namespace {

constexpr int64_t kMost = 16 << 10;  // bytes, at each end

int64_t Allocated() {
  const struct mallinfo2 all = mallinfo2();
  return static_cast<int64_t>(all.uordblks + all.hblkhd);
}

// Bytes of an endpoint for one connection, of a pair with so many.
template <typename Build>
int64_t BytesOfAnEnd(uint32_t few, uint32_t many, uint32_t factor, Build build) {
  int64_t used[2] = {};
  const uint32_t connections[2] = {few, many};
  for (int i = 0; i < 2; ++i) {
    const int64_t before = Allocated();
    const auto built = build(connections[i]);
    used[i] = Allocated() - before;
  }
  return (used[1] - used[0]) / (2 * int64_t{factor} * (many - few));
}

TEST(ConnectionMemoryTest, AnEndOfAConnectionWithEightPathsTakesAtMost16KiB) {
  const int64_t bytes = BytesOfAnEnd(128, 512, 1, [](uint32_t connections) {
    Load load;
    load.connections = connections;
    load.paths = 8;
    load.message_packets = 1;
    load.messages = 8;  // a packet for each path
    auto pair = std::make_unique<BackToBack>(load);
    const absl::Status open = pair->Open();
    EXPECT_TRUE(open.ok()) << open;
    pair->Run(100000);
    EXPECT_EQ(pair->ActivePaths(), 8 * connections);
    return pair;
  });
  RecordProperty("bytes", static_cast<int>(bytes));
  std::cout << bytes << " bytes\n";
  EXPECT_GT(bytes, 1000);
  EXPECT_LE(bytes, kMost);
}

// With what the simulator keeps of it.
TEST(ConnectionMemoryTest, AnEndOfASimulatedConnectionTakesAtMost16KiB) {
  const int64_t bytes = BytesOfAnEnd(2, 16, 16, [](uint32_t connections) {
    const absl::StatusOr<sim::Scenario> scenario = sim::ParseScenario(
        "memory",
        absl::StrCat("end_ns: 1000000000 window_ns: 1000000 fabric { hosts: 16 hosts_per_leaf: 4 } "
                     "endpoint { algorithm: FIXED target_paths: 8 path_window: 1 } "
                     "workload { pattern: PERMUTATION depth: 8 bytes: 4096 connections: ",
                     connections, " }"));
    EXPECT_TRUE(scenario.ok()) << scenario.status();
    auto made = sim::Simulation::Make(*scenario, {});
    EXPECT_TRUE(made.ok()) << made.status();
    EXPECT_TRUE((*made)->Run(1000000));
    EXPECT_EQ((*made)->flows().size(), 16 * connections);
    EXPECT_EQ((*made)->most_paths(), 8u);
    return *std::move(made);
  });
  RecordProperty("bytes", static_cast<int>(bytes));
  std::cout << bytes << " bytes\n";
  EXPECT_GT(bytes, 1000);
  EXPECT_LE(bytes, kMost);
}

}  // namespace
}  // namespace metaroce::bench
