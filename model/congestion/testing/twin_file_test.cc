// The reader of the twin's cases takes nothing but cases.
#include "model/congestion/testing/twin_file.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace metaroce::congestion {
namespace {

TEST(TwinFileTest, ACaseHasFieldsOnBothSides) {
  absl::StatusOr<Case> it = ParseCase("a=1 none= -> list=2,-3,4,5");
  ASSERT_TRUE(it.ok()) << it.status();
  EXPECT_EQ(it->in["a"], 1);
  EXPECT_EQ(it->in.Unread(), "none");
  EXPECT_TRUE(it->in.List("none").empty());
  EXPECT_EQ(it->in.Unread(), "");
  EXPECT_EQ(it->out.Records("list", 2), (std::vector<List>{{2, -3}, {4, 5}}));
}

TEST(TwinFileTest, WhatIsNoCaseIsRefused) {
  for (const char* line : {"",
                           "a=1",
                           "a=1 ->",
                           "a=1 -> ",
                           " -> a=1",
                           "a=1 -> b=2 -> c=3",
                           "a=1  b=2 -> c=3",
                           "a -> b=1",
                           "=1 -> b=1",
                           "a=1=2 -> b=1",
                           "a=1 a=1 -> b=1",
                           "a=x -> b=1",
                           "a=1, -> b=1",
                           "a=,1 -> b=1",
                           "a=01 -> b=1",
                           "a=+1 -> b=1",
                           "a=-0 -> b=1",
                           "a=1.5 -> b=1",
                           "a=9223372036854775808 -> b=1",
                           "a=1 -> b=1\r",
                           "# a=1 -> b=1"}) {
    EXPECT_FALSE(ParseCase(line).ok()) << line;
  }
}

TEST(TwinFileTest, WhatIsNotThereFails) {
  static absl::StatusOr<Case> it = ParseCase("list=1,2,3 -> a=1");
  ASSERT_TRUE(it.ok());
  EXPECT_NONFATAL_FAILURE(it->in.List("other"), "no field other");
  EXPECT_NONFATAL_FAILURE(it->in["list"], "list");
  EXPECT_NONFATAL_FAILURE(it->in.Records("list", 2), "list");
  EXPECT_FATAL_FAILURE(ForEachCase("no_such_rule", nullptr), "no_such_rule.txt");
}

TEST(TwinFileTest, AFieldThatNobodyAsksForFails) {
  const auto only_w = [](Fields& in, Fields& out) {
    in["w"];
    in["slow"];
    out["w"];
  };
  ::testing::TestPartResultArray failures;
  {
    ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    ForEachCase("rto", only_w);
  }
  EXPECT_EQ(failures.size(), 14);
}

}  // namespace
}  // namespace metaroce::congestion
