// The report as one page that needs no other file.
#include "tools/page/html.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/report/report.h"
#include "conformance/report/summary.h"
#include "conformance/report/timeline_svg.h"

namespace metaroce::conformance {
namespace {

using Cell = page::Html::Cell;
using Row = std::vector<Cell>;

constexpr Verdict kAll[kVerdicts] = {Verdict::kPass,        Verdict::kFail,
                                     Verdict::kWaived,      Verdict::kUnexpectedPass,
                                     Verdict::kUnsupported, Verdict::kHarnessError};

constexpr absl::string_view kLevels[] = {"codec", "block", "endpoint", "system"};

std::string StyleOf(absl::string_view verdict) {
  if (verdict == "PASS") return "good";
  const bool bad = verdict == "FAIL" || verdict == "UNEXPECTED_PASS" || verdict == "HARNESS_ERROR";
  return bad ? "bad" : "mild";
}

Cell NumberCell(uint64_t number) { return {absl::StrCat(number), "number", ""}; }

void AddCounts(const std::array<size_t, kVerdicts>& counts, Row* row) {
  size_t sum = 0;
  for (const Verdict verdict : kAll) {
    const size_t count = counts[static_cast<size_t>(verdict)];
    sum += count;
    row->push_back(NumberCell(count));
  }
  row->push_back(NumberCell(sum));
}

std::vector<std::string> CountsHead(std::vector<std::string> head) {
  for (const Verdict verdict : kAll) head.push_back(Name(verdict));
  head.push_back("total");
  return head;
}

void WriteHead(const Report& report, const PrintOptions& options, page::Html& html) {
  const bool good = report.ok() && !report.results.empty() && !report.nothing_binds();
  html.Heading(1, absl::StrCat("MetaRoCE conformance: ",
                               report.dut.name.empty() ? "the DUT" : report.dut.name));
  html.Paragraph(report.results.empty()   ? "No vector was played."
                 : report.nothing_binds() ? "No vector binds it."
                 : report.ok()            ? "The run succeeds."
                                          : "The run fails.",
                 good ? "good" : "bad");
  std::vector<Row> rows = {
      {{"device", "", ""}, {absl::StrCat(report.dut.name, " ", report.dut.version), "", ""}},
      {{"text of the device", "", ""},
       {report.dut.spec_hash.empty() ? "not told" : report.dut.spec_hash, "code", ""}},
      {{"text of the runner", "", ""},
       {absl::StrCat(report.spec_version, " ", report.spec_hash), "code", ""}},
      {{"capabilities", "", ""}, {absl::StrJoin(report.dut.capabilities, ", "), "", ""}},
      {{"played", "", ""},
       {absl::StrCat(report.results.size(), " of ", report.run.selected, " vectors",
                     report.run.shard.empty() ? "" : ", part ", report.run.shard, " in ",
                     Seconds(report.run.running_ns)),
        "", ""}},
  };
  if (!options.run_command.empty()) {
    rows.push_back({{"command", "", ""}, {options.run_command, "code", ""}});
  }
  html.Table({"", ""}, rows);
  for (const std::string& problem : report.problems) html.Paragraph(problem, "bad");
  for (const std::string& note : report.notes) html.Paragraph(note, "mild");
}

void WriteLevels(const Report& report, page::Html& html) {
  html.Heading(2, "Verdicts by level");
  std::vector<Row> rows;
  for (const absl::string_view level : kLevels) {
    const auto counts = report.Counts(level);
    if (counts == std::array<size_t, kVerdicts>{}) continue;
    rows.push_back({{std::string(level), "", ""}});
    AddCounts(counts, &rows.back());
  }
  rows.push_back({{"all", "", ""}});
  AddCounts(report.Counts(), &rows.back());
  html.Table(CountsHead({"level"}), rows);
}

void WriteSuites(const Report& report, page::Html& html) {
  html.Heading(2, "Verdicts by suite");
  std::vector<Row> rows;
  for (const Summary& line : SummariseSuites(report)) {
    rows.push_back({{line.name, "", ""}, {line.verdict, StyleOf(line.verdict), ""}});
    AddCounts(line.counts, &rows.back());
  }
  html.Table(CountsHead({"suite", "verdict"}), rows);
  html.Paragraph("A vector may belong to several suites.", "mild");
}

void WriteClauses(const Report& report, page::Html& html) {
  html.Heading(2, "Verdicts by clause", "clauses");
  std::vector<Row> rows;
  for (const Summary& line : SummariseClauses(report)) {
    Row row = {{line.name, "code", ""},
               {line.level, "", ""},
               {line.verdict, StyleOf(line.verdict), ""},
               NumberCell(line.counts[static_cast<size_t>(Verdict::kPass)])};
    const std::string first = line.failures.empty() ? "" : line.failures.front();
    const size_t more = line.failures.empty() ? 0 : line.failures.size() - 1;
    row.push_back({absl::StrCat(first, more > 0 ? absl::StrCat(" and ", more, " more") : ""), "",
                   first.empty() ? "" : absl::StrCat("#", first)});
    rows.push_back(std::move(row));
  }
  html.Table({"clause", "level", "verdict", "vectors that pass", "diverges in"}, rows);
  html.Paragraph(
      "NOT_REACHED: each vector that exercises the clause diverged at another one before.", "mild");
}

void WriteDivergence(const VectorResult& result, const PrintOptions& options, page::Html& html) {
  std::vector<Row> rows;
  for (const auto& [label, text] : DivergenceRows(result, options)) {
    rows.push_back({{label, "", ""}, {text, "code", ""}});
  }
  html.Table({"", ""}, rows);
  if (!result.divergence.sides.empty()) {
    std::vector<Row> sides;
    for (const Side& side : result.divergence.sides) {
      const std::string style = side.differs ? "bad" : "";
      sides.push_back(
          {{side.field, "code", ""}, {side.expected, style, ""}, {side.got, style, ""}});
    }
    html.Table({"field", "expected", "got"}, sides);
  }
  html.Append(TimelineSvg(result.divergence.marks));
}

void WriteFindings(const Report& report, const PrintOptions& options, page::Html& html) {
  bool any = false;
  for (const VectorResult& result : report.results) {
    if (result.verdict == Verdict::kPass || result.verdict == Verdict::kUnsupported) continue;
    if (!std::exchange(any, true)) html.Heading(2, "What did not pass");
    html.Heading(3, absl::StrCat(result.id, ": ", Name(result.verdict)), result.id);
    html.Paragraph(result.title);
    switch (result.verdict) {
      case Verdict::kFail:
        html.Paragraph(
            absl::StrCat("At ", StepText(result.divergence), " ", Bracket(result.divergence), "."),
            "bad");
        WriteDivergence(result, options, html);
        break;
      case Verdict::kWaived:
        html.Paragraph(
            absl::StrCat("At ", StepText(result.divergence), " ", Bracket(result.divergence),
                         "; waived: ", WaiverText(result.waiver), "."),
            "mild");
        WriteDivergence(result, options, html);
        break;
      case Verdict::kUnexpectedPass:
        html.Paragraph(absl::StrCat("It passes and has a waiver: ", WaiverText(result.waiver),
                                    ". Remove the waiver."),
                       "bad");
        break;
      default:
        html.Paragraph(result.text, "bad");
    }
  }
}

void WriteVectors(const Report& report, page::Html& html) {
  html.Heading(2, "Vectors");
  std::vector<Row> rows;
  for (const VectorResult& result : report.results) {
    const std::string verdict = Name(result.verdict);
    const bool shown = result.verdict != Verdict::kPass && result.verdict != Verdict::kUnsupported;
    rows.push_back(
        {{result.id, "code", shown ? absl::StrCat("#", result.id) : ""},
         {verdict, StyleOf(verdict), ""},
         {Seconds(result.nanoseconds), "number", ""},
         {result.verdict == Verdict::kUnsupported ? result.text : result.title, "", ""}});
  }
  html.Table({"vector", "verdict", "time", ""}, rows);
}

}  // namespace

std::string WriteHtml(const Report& report, const PrintOptions& options) {
  page::Html html(absl::StrCat("MetaRoCE conformance: ", report.dut.name));
  WriteHead(report, options, html);
  WriteLevels(report, html);
  WriteSuites(report, html);
  WriteFindings(report, options, html);
  WriteClauses(report, html);
  WriteVectors(report, html);
  return html.Take();
}

}  // namespace metaroce::conformance
