#include "model/state/state.h"

#include <random>
#include <string>

#include "gtest/gtest.h"
#include "model/congestion/custom.h"
#include "model/testing/pair.h"

namespace metaroce::state {
namespace {

using testing::Fate;
using testing::Pair;

// A run with loss, and work of every kind both ways; `between` is called every 20 microseconds.
template <typename F>
std::string Play(uint64_t seed, F between) {
  Pair::Options options;
  for (endpoint::Settings& settings : options.settings) {
    settings.target_paths = 4;
    // Every third run has windows that move, and hints; every third an algorithm that follows
    // delay.
    settings.hint = seed % 3 > 0;
    if (seed % 3 == 1) {
      EXPECT_TRUE(congestion::Choose("built-in", {}, &settings.windows).ok());
    }
    if (seed % 3 == 2) {
      EXPECT_TRUE(congestion::Choose("delay", {}, &settings.windows).ok());
    }
  }
  Pair pair(options);
  pair.trace = true;
  std::mt19937_64 random(seed);
  pair.fate = [&](int, const packet::Packet&, Route) {
    Fate fate;
    fate.drop = random() % 20 == 0;
    fate.extra = static_cast<Nanoseconds>(random() % 3000);
    return fate;
  };
  EXPECT_TRUE(pair.Open());
  for (uint64_t id = 1; id <= 24; ++id) {
    for (int side = 0; side < 2; ++side) {
      WorkRequest work = Pair::Write(id, static_cast<uint32_t>(8192 * (id - 1)), 6000);
      work.stream = static_cast<uint16_t>(id % 5);
      switch (id % 6) {
        case 1:
          work.kind = WorkKind::kSend;
          work.rkey = 0;
          work.address = 0;
          break;
        case 2:
          work.kind = WorkKind::kRead;
          break;
        case 3:
          work.kind = WorkKind::kFetchAdd;
          work.length = 8;
          work.operand = id;
          break;
        case 4:
          work.kind = WorkKind::kWriteImmediate;
          work.word = 7;
          break;
        default:
          work.fenced = id % 12 == 5;
      }
      pair.Post(side, work);
    }
  }
  const Nanoseconds end = pair.now() + 20000000;
  uint32_t receives = 0;
  while (pair.now() < end) {
    pair.Run(pair.now() + 20000);
    between(pair);
    if (receives < 8) {
      ++receives;
      for (int side = 0; side < 2; ++side) {
        pair.PostReceive(side, {receives, Pair::kBase + 0x80000 + 8192 * receives, 8192});
      }
    }
  }
  EXPECT_TRUE(pair.Quiescent());
  return pair.text;
}

endpoint::Endpoint Fresh(const endpoint::Endpoint& like) {
  return *endpoint::Endpoint::Make(like.state().settings);
}

std::string Bytes(const endpoint::Endpoint& endpoint) {
  std::string bytes;
  Save(endpoint, Counters::kWith, &bytes);
  return bytes;
}

// Any field that a list forgets changes what the endpoint does next.
TEST(StateTest, WhatIsRestoredBehavesAsWhatWasSaved) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const std::string plain = Play(seed, [](Pair&) {});
    const std::string restored = Play(seed, [](Pair& pair) {
      for (int side = 0; side < 2; ++side) {
        const std::string bytes = Bytes(pair.at(side));
        endpoint::Endpoint fresh = Fresh(pair.at(side));
        ASSERT_TRUE(Restore(bytes, Counters::kWith, &fresh).ok());
        ASSERT_EQ(Bytes(fresh), bytes);
        pair.at(side) = std::move(fresh);
      }
    });
    EXPECT_GT(plain.size(), 10000u);
    EXPECT_EQ(plain, restored) << seed;
  }
}

TEST(StateTest, ATreeOfNamesHoldsAllOfIt) {
  int trees = 0;
  Play(5, [&](Pair& pair) {
    if (++trees % 16 != 0) return;
    const Node node = ToProto(pair.at(0));
    endpoint::Endpoint fresh = Fresh(pair.at(0));
    Node parsed;
    ASSERT_TRUE(parsed.ParseFromString(node.SerializeAsString()));
    ASSERT_EQ(FromProto(parsed, &fresh), absl::OkStatus());
    EXPECT_EQ(Bytes(fresh), Bytes(pair.at(0)));
  });
  EXPECT_GT(trees, 100);
}

TEST(StateTest, PrintsNamesAndNoZeros) {
  Pair pair(Pair::Options{});
  ASSERT_TRUE(pair.Open());
  const std::string text = Print(pair.at(0));
  EXPECT_NE(text.find("\n  connections\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    range: "), std::string::npos) << text;
  EXPECT_NE(text.find(": never\n"), std::string::npos) << text;
  EXPECT_EQ(text.find(": 0\n"), std::string::npos) << text;
}

TEST(StateTest, RefusesWhatIsNoState) {
  Pair pair(Pair::Options{});
  ASSERT_TRUE(pair.Open());
  const std::string bytes = Bytes(pair.at(0));
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    // Cut, longer, or changed: a failure or some state, and no crash.
    std::string wrong = bytes.substr(0, random() % bytes.size());
    if (i % 3 == 0) wrong = bytes + std::string(1 + random() % 5, '\x01');
    if (i % 3 == 1) wrong = bytes;
    for (int n = 0; n < 3 && i % 3 == 1; ++n) {
      wrong[random() % wrong.size()] = static_cast<char>(random());
    }
    endpoint::Endpoint fresh = Fresh(pair.at(0));
    const absl::Status status = Restore(wrong, Counters::kWith, &fresh);
    EXPECT_TRUE(i % 3 == 1 || !status.ok());
  }
  Node node = ToProto(pair.at(0));
  node.mutable_child(1)->set_name("nonsense");
  endpoint::Endpoint fresh = Fresh(pair.at(0));
  EXPECT_EQ(FromProto(node, &fresh).message(),
            "Value 1 of \"\" is \"nonsense\"; \"ports_up\" should stand here.");
}

}  // namespace
}  // namespace metaroce::state
