// The texts that people read, held against golden files: the table, JUnit's XML, the JSON report
// and the page. divergence_test.cc has the divergences.
#include "conformance/report/report.h"

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/golden_for_test.h"
#include "conformance/report/summary.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vectors/json_tree.h"

namespace metaroce::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void ExpectGolden(const std::string& name, const std::string& text) {
  metaroce::ExpectGolden(absl::StrCat("conformance/report/testdata/golden/", name), text);
}

VectorResult MakeResult(const std::string& id, const std::string& level, Verdict verdict) {
  VectorResult result;
  result.id = id;
  result.level = level;
  result.path = absl::StrCat(level, "/", id, ".json");
  result.verdict = verdict;
  if (verdict == Verdict::kFail || verdict == Verdict::kWaived) {
    result.divergence = {3,
                         "ACK-DUE-HOLE",
                         "MUST",
                         "kind = data",
                         "base = 1 & <2>",
                         "base = \"3\"",
                         "",
                         {{"base", "1", "3", true},
                          {"bitmap & <more>", "no bytes", "no bytes", false},
                          {"hold", "", "5", false}},
                         {{Mark::Kind::kStimulus, 100, 100, 1, "path 2", "WRITE number 0 & <x>"},
                          {Mark::Kind::kStimulus, 100, 100, 2, "path 3", "WRITE number 1"},
                          {Mark::Kind::kGot, 900, 900, 3, "path 2", "ACK \x1b number 3"},
                          {Mark::Kind::kExpected, 100, 1100, 3, "path 2", "ACK number 1"}}};
  }
  result.clauses = {"ACK-DUE-HOLE", level == "codec" ? "WIRE-ACK" : "ACK-DUE-FILL"};
  result.suites = {level == "codec" ? "wire" : "loss", "acknowledgement"};
  result.title = "What \"" + id + "\" is about";
  result.nanoseconds = 1000000 * (id.size() + 1);
  if (verdict == Verdict::kWaived || verdict == Verdict::kUnexpectedPass) {
    result.waiver = {id, "ACK-DUE-HOLE", "revision A counts <= 7", "phy team", "2026-12-31"};
  }
  if (verdict == Verdict::kUnsupported) result.text = "The DUT does not declare codec-encode.";
  if (verdict == Verdict::kHarnessError) result.text = "codec/x.json:3: This is \"no\" vector.";
  return result;
}

Report MakeReport() {
  Report report;
  report.dut.name = "mine";
  report.dut.version = "2.1";
  report.dut.spec_hash = "abc";
  report.dut.capabilities = {"codec-decode", "block-ack-generation"};
  report.dut.profile = {{"ack_max", 500}};
  report.spec_version = "9.8.7";
  report.spec_hash = "def";
  report.clause_levels = {{"ACK-DUE-HOLE", "MUST"}, {"ACK-DUE-FILL", "MUST"}, {"WIRE-ACK", "MUST"}};
  report.run.selected = 9;
  report.run.shard = "2/4";
  report.run.jobs = 2;
  report.run.loading_ns = 52345678;
  report.run.running_ns = 312345678;
  report.results = {MakeResult("passes", "codec", Verdict::kPass),
                    MakeResult("fails", "codec", Verdict::kFail),
                    MakeResult("is-waived", "block", Verdict::kWaived),
                    MakeResult("passes-after-all", "block", Verdict::kUnexpectedPass),
                    MakeResult("does-not-bind", "codec", Verdict::kUnsupported),
                    MakeResult("neither", "codec", Verdict::kUnsupported),
                    MakeResult("broken", "endpoint", Verdict::kHarnessError)};
  report.notes = {"The DUT was built from the text abc, the vectors from the text def."};
  report.problems = {"The DUT did not end within 2000 ms after Bye. (CONF-BYE)"};
  return report;
}

TEST(ReportTest, AWholeReportReadsAsInTheGoldenFile) {
  std::ostringstream out;
  PrintOptions options;
  options.replay_command = "metaroce replay --dut ./mine";
  PrintReport(MakeReport(), options, out);
  ExpectGolden("report.txt", out.str());
}

TEST(ReportTest, JUnitReadsAsInTheGoldenFile) {
  ExpectGolden("report.xml", WriteJUnit(MakeReport(), PrintOptions()));
}

TEST(ReportTest, JsonReadsAsInTheGoldenFile) {
  PrintOptions options;
  options.replay_command = "metaroce replay --dut ./mine";
  options.run_command = "metaroce replay --dut ./mine --shard 2/4";
  const std::string json = WriteJson(MakeReport(), options);
  ExpectGolden("report.json", json);
  EXPECT_TRUE(vectors::ParseJson(json).ok());
}

TEST(ReportTest, ThePageReadsAsInTheGoldenFile) {
  PrintOptions options;
  options.replay_command = "metaroce replay --dut './my <dut>'";
  options.run_command = options.replay_command + " --suite wire --shard 2/4";
  ExpectGolden("report.html", WriteHtml(MakeReport(), options));
}

TEST(ReportTest, EachClauseAndSuiteHasItsVerdict) {
  std::map<std::string, std::string> clauses;
  for (const Summary& line : SummariseClauses(MakeReport())) clauses[line.name] = line.verdict;
  EXPECT_EQ(clauses,
            (std::map<std::string, std::string>{
                {"ACK-DUE-HOLE", "FAIL"}, {"ACK-DUE-FILL", "PASS"}, {"WIRE-ACK", "PASS"}}));
  Report report = MakeReport();
  report.results.resize(2);
  report.results[0].verdict = Verdict::kUnsupported;
  for (const Summary& line : SummariseClauses(report)) {
    // The counts agree with the verdict: a vector that diverges elsewhere fails no other clause.
    const bool reached = line.name != "WIRE-ACK";
    EXPECT_EQ(line.verdict, reached ? "FAIL" : "NOT_REACHED");
    EXPECT_EQ(line.counts[static_cast<size_t>(Verdict::kFail)], reached ? 1u : 0u);
    EXPECT_EQ(line.not_reached, reached ? 0u : 1u);
  }
  for (const Summary& line : SummariseSuites(MakeReport())) {
    EXPECT_EQ(line.verdict, line.name == "loss" ? "UNEXPECTED_PASS" : "FAIL") << line.name;
  }
}

TEST(ReportTest, ColourComesOnlyWhenAskedFor) {
  std::ostringstream plain;
  PrintReport(MakeReport(), PrintOptions(), plain);
  EXPECT_THAT(plain.str(), Not(HasSubstr("\x1b")));
  PrintOptions options;
  options.colour = true;
  std::ostringstream coloured;
  PrintReport(MakeReport(), options, coloured);
  EXPECT_THAT(coloured.str(), HasSubstr("\x1b[31mFAIL\x1b[0m fails step 3"));
  EXPECT_THAT(WriteJUnit(MakeReport(), options), Not(HasSubstr("\x1b")));
}

TEST(ReportTest, ARunSucceedsOnlyWithoutFailuresAndProblems) {
  Report report;
  report.results = {MakeResult("a", "codec", Verdict::kPass),
                    MakeResult("b", "codec", Verdict::kWaived),
                    MakeResult("c", "codec", Verdict::kUnsupported)};
  EXPECT_TRUE(report.ok());
  EXPECT_FALSE(report.nothing_binds());
  for (const Verdict verdict : {Verdict::kFail, Verdict::kUnexpectedPass, Verdict::kHarnessError}) {
    Report bad = report;
    bad.results.push_back(MakeResult("d", "codec", verdict));
    EXPECT_FALSE(bad.ok());
  }
  report.problems.push_back("something");
  EXPECT_FALSE(report.ok());
  Report none;
  none.results = {MakeResult("c", "codec", Verdict::kUnsupported)};
  EXPECT_TRUE(none.nothing_binds());
}

}  // namespace
}  // namespace metaroce::conformance
