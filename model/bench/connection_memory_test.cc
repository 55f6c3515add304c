// What a connection with eight paths takes, besides the packets that wait: the difference between
// few and many connections, of all memory that is allocated.
#include <gtest/gtest.h>
#include <malloc.h>

#include <iostream>
#include <memory>

#include "model/bench/back_to_back.h"

namespace metaroce::bench {
namespace {

// Bytes, at each end.
constexpr int64_t kMost = 16 << 10;

int64_t Allocated() {
  const struct mallinfo2 all = mallinfo2();
  return static_cast<int64_t>(all.uordblks + all.hblkhd);
}

// Bytes of an endpoint for one connection, of a pair with so many.
template <typename Build>
int64_t BytesOfAnEnd(uint32_t few, uint32_t many, Build build) {
  int64_t used[2] = {};
  const uint32_t connections[2] = {few, many};
  for (int i = 0; i < 2; ++i) {
    const int64_t before = Allocated();
    const auto built = build(connections[i]);
    used[i] = Allocated() - before;
  }
  return (used[1] - used[0]) / (2 * int64_t{many - few});
}

TEST(ConnectionMemoryTest, AnEndOfAConnectionWithEightPathsTakesAtMost16KiB) {
  const int64_t bytes = BytesOfAnEnd(128, 512, [](uint32_t connections) {
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

}  // namespace
}  // namespace metaroce::bench
