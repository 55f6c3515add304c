#include "vectors/spec_tables_index.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "vectors/records.h"

namespace metaroce::vectors {
namespace {

TEST(SpecTablesIndexTest, KnowsTheNamesOfTheText) {
  const SpecIndex& index = SpecTables();
  EXPECT_EQ(index.hash().size(), 64u);
  EXPECT_EQ(index.ClauseLevel("CONF-VERDICT"), "MUST");
  EXPECT_EQ(index.ClauseLevel("SPEC-STANDING"), "INFO");
  EXPECT_FALSE(index.ClauseLevel("CONF-NONE").has_value());
  EXPECT_TRUE(index.HasCodecReason("icrc"));
  EXPECT_FALSE(index.HasCodecReason("rkey"));  // decided by the connection's state
  EXPECT_TRUE(index.HasChoice("ack-moment"));
  EXPECT_TRUE(index.Parameter("ack_max")->profile);
  EXPECT_TRUE(index.Parameter("ack_delay_max")->nanoseconds);
  EXPECT_TRUE(index.Parameter("udp_port").has_value());
  EXPECT_EQ(index.LayoutFieldBits("common", "cid"), 24);
  EXPECT_FALSE(index.LayoutFieldBits("common", "reserved_0").has_value());
  EXPECT_FALSE(index.LayoutFieldBits("none", "cid").has_value());
}

TEST(SpecTablesIndexTest, EveryBlockHasItsCapabilities) {
  for (const BlockInfo& block : Blocks()) {
    EXPECT_TRUE(SpecTables().HasCapability(block.capability)) << block.name;
    if (!block.default_capability.empty()) {
      EXPECT_TRUE(SpecTables().HasCapability(block.default_capability)) << block.name;
    }
  }
}

// The rows "| record | `field`, ... | value |" of the table in a block's clause.
std::multimap<std::string, std::pair<std::string, std::string>> BlockTable(
    const std::string& clause) {
  std::ifstream file("spec/15-conformance.md");
  std::multimap<std::string, std::pair<std::string, std::string>> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (absl::StartsWith(line, "**")) inside = absl::StartsWith(line, "**" + clause + "**");
    const std::vector<std::string> cells = absl::StrSplit(line, " | ");
    if (!inside || cells.size() != 3 || cells[1].find('`') == std::string::npos) continue;
    for (const auto& name : absl::StrSplit(cells[1], ", ")) {
      std::string field(absl::StripAsciiWhitespace(name));
      field.erase(std::remove(field.begin(), field.end(), '`'), field.end());
      rows.emplace(cells[0].substr(2), std::make_pair(field, cells[2]));
    }
  }
  return rows;
}

// Chapter 15 and block_records.cc must name the same fields with the same kinds of value.
TEST(SpecTablesIndexTest, TheRecordsOfTheBlocksAreThoseOfTheText) {
  for (const BlockInfo& block : Blocks()) {
    const auto rows = BlockTable(absl::StrCat("CONF-", absl::AsciiStrToUpper(block.name)));
    EXPECT_EQ(rows.size(), NamesOf(block.config).size() + NamesOf(block.input).size() +
                               NamesOf(block.output).size())
        << block.name;
    for (const auto& [record, row] : rows) {
      const std::string field = absl::StrReplaceAll(row.first, {{"[i]", "[0]"}});
      const std::string& value = row.second;
      const Record which = record == "configuration" ? block.config
                           : record == "input"       ? block.input
                                                     : block.output;
      const auto rule = RuleOf(which, field, SpecTables());
      ASSERT_TRUE(rule.has_value()) << block.name << " " << record << " " << field;
      if (absl::StartsWith(value, "number,")) {
        EXPECT_TRUE(absl::StrContains(value, absl::StrCat(" ", rule->bits, " bit"))) << field;
      } else if (absl::StartsWith(value, "data")) {
        EXPECT_EQ(rule->kind, ValueKind::kData) << field;
      } else if (absl::StartsWith(value, "word")) {
        EXPECT_EQ(rule->kind, ValueKind::kWord) << field;
        // Words that another chapter lists are compared below.
        if (absl::StrContains(value, "[")) continue;
        for (const absl::string_view word : rule->words) {
          EXPECT_TRUE(absl::StrContains(value, absl::StrCat("`", word, "`")))
              << field << " " << word;
        }
      }
    }
  }
}

TEST(SpecTablesIndexTest, AListHasAtMostSixteenMembers) {
  const Record input = FindBlock("pacer")->input;
  EXPECT_TRUE(RuleOf(input, "path[15].w", SpecTables()).has_value());
  for (const char* name : {"path[16].w", "path[00].w", "path[].w", "path.w", "path[0].z", "w"}) {
    EXPECT_FALSE(RuleOf(input, name, SpecTables()).has_value()) << name;
  }
}

TEST(SpecTablesIndexTest, TheOutcomesOfAReceiveVectorAreThoseOfTheText) {
  std::ifstream file("spec/06-acknowledgement.md");
  std::set<std::string> outcomes = {"probe"};
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (absl::StartsWith(line, "**")) inside = absl::StartsWith(line, "**ACK-VECTOR-OUTCOME**");
    if (inside && absl::StartsWith(line, "| `")) {
      outcomes.insert(line.substr(3, line.find('`', 3) - 3));
    }
  }
  const auto rule = RuleOf(FindBlock("receive-vector")->output, "outcome", SpecTables());
  ASSERT_TRUE(rule.has_value());
  std::set<std::string> words;
  for (const absl::string_view word : rule->words) words.insert(std::string(word));
  EXPECT_EQ(words, outcomes);
}

}  // namespace
}  // namespace metaroce::vectors
