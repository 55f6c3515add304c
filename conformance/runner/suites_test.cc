// The table of suites names only what the text has, and the published vectors are in it.
#include "conformance/runner/suites.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/tables.h"
#include "vectors/manifest.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::conformance {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

bool AnyClause(absl::string_view pattern) {
  absl::string_view prefix = pattern;
  const bool any_end = absl::ConsumeSuffix(&prefix, "*");
  for (const spec::ClauseInfo& clause : spec::Clauses()) {
    const absl::string_view id = View(clause.id);
    if (any_end ? absl::StartsWith(id, prefix) : id == prefix) return true;
  }
  return false;
}

TEST(SuitesTest, NameOnlyClausesAndFlagsOfTheText) {
  for (const Suite& suite : AllSuites().suite()) {
    for (const std::string& pattern : suite.clause()) {
      EXPECT_TRUE(AnyClause(pattern)) << suite.name() << ": " << pattern;
    }
    for (const std::string& flag : suite.flag()) {
      EXPECT_TRUE(vectors::SpecTables().HasFlag(flag)) << suite.name() << ": " << flag;
    }
  }
}

TEST(SuitesTest, EachPromiseAndEachPartOfTheTextHasOne) {
  for (const char* name : {"entropy", "ack-return", "bookkeeping", "resilience", "loss",
                           "congestion", "messages", "errors", "life-cycle", "wrap-around"}) {
    EXPECT_NE(FindSuite(AllSuites(), name), nullptr) << name;
  }
  EXPECT_EQ(FindSuite(AllSuites(), "entropies"), nullptr);
}

TEST(SuitesTest, EachPublishedVectorBelongsToOneAtLeastAndEachSuiteHasVectors) {
  const auto tree = vectors::LoadTree("vectors", vectors::SpecTables());
  ASSERT_TRUE(tree.ok()) << tree.status();
  std::set<std::string> used;
  for (const vectors::StoredVector& stored : tree->vectors) {
    const std::vector<std::string> names = SuitesOf(AllSuites(), stored.vector);
    EXPECT_FALSE(names.empty()) << stored.path;
    used.insert(names.begin(), names.end());
  }
  for (const Suite& suite : AllSuites().suite()) EXPECT_THAT(used, Contains(suite.name()));
}

TEST(SuitesTest, AVectorBelongsByAClauseOrAFlagAndMayBelongToSeveral) {
  vectors::Vector vector;
  vector.add_clauses("ACK-HOLD");
  EXPECT_THAT(SuitesOf(AllSuites(), vector),
              ::testing::ElementsAre("ack-return", "acknowledgement"));
  vector.add_flags("SERIAL_WRAP");
  EXPECT_THAT(SuitesOf(AllSuites(), vector), Contains("wrap-around"));
}

TEST(SuitesTest, ATableThatMakesNoSenseIsRefused) {
  EXPECT_THAT(std::string(ParseSuites("suite { name: 7 }").status().message()),
              HasSubstr("no message"));
  EXPECT_THAT(std::string(ParseSuites("suite { name: \"x\" title: \"t\" }").status().message()),
              HasSubstr("\"x\" lacks"));
  const std::string one = "suite { name: \"x\" title: \"t\" flag: \"F\" } ";
  EXPECT_THAT(std::string(ParseSuites(one + one).status().message()), HasSubstr("two suites"));
}

}  // namespace
}  // namespace metaroce::conformance
