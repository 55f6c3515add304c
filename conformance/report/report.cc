#include "conformance/report/report.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

constexpr Verdict kAll[kVerdicts] = {Verdict::kPass,        Verdict::kFail,
                                     Verdict::kWaived,      Verdict::kUnexpectedPass,
                                     Verdict::kUnsupported, Verdict::kHarnessError};

constexpr absl::string_view kLevels[] = {"codec", "block", "endpoint", "system"};

const char* Colour(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "\x1b[32m";
    case Verdict::kWaived:
    case Verdict::kUnsupported:
      return "\x1b[33m";
    default:
      return "\x1b[31m";
  }
}

std::string Paint(absl::string_view text, Verdict verdict, bool colour) {
  return colour ? absl::StrCat(Colour(verdict), text, "\x1b[0m") : std::string(text);
}

std::string Row(absl::string_view label, absl::string_view text) {
  return text.empty() ? "" : absl::StrFormat("  %-9s %s\n", label, text);
}

std::string RowsText(const VectorResult& result, const PrintOptions& options) {
  std::string out;
  for (const auto& [label, text] : DivergenceRows(result, options)) {
    absl::StrAppend(&out, Row(label, text));
  }
  return out;
}

size_t Sum(const std::array<size_t, kVerdicts>& counts) {
  size_t sum = 0;
  for (const size_t count : counts) sum += count;
  return sum;
}

std::string TableRow(absl::string_view name, const std::array<size_t, kVerdicts>& counts,
                     bool colour) {
  std::string out = absl::StrFormat("%-9s", name);
  for (const Verdict verdict : kAll) {
    const size_t count = counts[static_cast<size_t>(verdict)];
    const std::string cell = absl::StrFormat(
        "%*d", static_cast<int>(absl::string_view(Name(verdict)).size()) + 2, count);
    absl::StrAppend(&out, count > 0 ? Paint(cell, verdict, colour) : cell);
  }
  return absl::StrCat(out, absl::StrFormat("%7d\n", Sum(counts)));
}

// "played in 0.310 s, read in 0.050 s; the longest is icrc-pad with 0.020 s"; empty if no time was
// taken.
std::string TimeLine(const Report& report) {
  if (report.run.running_ns == 0 || report.results.empty()) return "";
  const auto longest = std::max_element(
      report.results.begin(), report.results.end(),
      [](const VectorResult& a, const VectorResult& b) { return a.nanoseconds < b.nanoseconds; });
  return absl::StrCat("time: played in ", Seconds(report.run.running_ns), " by ", report.run.jobs,
                      report.run.jobs == 1 ? " process" : " processes", ", read in ",
                      Seconds(report.run.loading_ns), "; longest ", longest->id, " ",
                      Seconds(longest->nanoseconds), "\n");
}

}  // namespace

std::vector<std::pair<std::string, std::string>> DivergenceRows(const VectorResult& result,
                                                                const PrintOptions& options) {
  const Divergence& divergence = result.divergence;
  std::vector<std::pair<std::string, std::string>> rows = {{"received", divergence.received},
                                                           {"expected", divergence.expected},
                                                           {"got", divergence.got},
                                                           {"state", divergence.state},
                                                           {"note", result.text}};
  if (!options.replay_command.empty()) {
    rows.emplace_back("replay", absl::StrCat(options.replay_command, " --only ", result.id));
  }
  rows.erase(
      std::remove_if(rows.begin(), rows.end(), [](const auto& row) { return row.second.empty(); }),
      rows.end());
  return rows;
}

std::string StepText(const Divergence& divergence) {
  return divergence.step == 0 ? "before step 1" : absl::StrCat("step ", divergence.step);
}

std::string Bracket(const Divergence& divergence) {
  return absl::StrCat("[", divergence.clause, divergence.level.empty() ? "" : " ", divergence.level,
                      "]");
}

std::string WaiverText(const Waiver& waiver) {
  return absl::StrCat(vectors::Printable(waiver.reason), " (", vectors::Printable(waiver.owner),
                      ", until ", waiver.expires, ")");
}

std::string Seconds(uint64_t nanoseconds) {
  const uint64_t milliseconds = (nanoseconds + 500000) / 1000000;
  return absl::StrFormat("%d.%03d s", milliseconds / 1000, milliseconds % 1000);
}

const char* Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "PASS";
    case Verdict::kFail:
      return "FAIL";
    case Verdict::kWaived:
      return "WAIVED";
    case Verdict::kUnexpectedPass:
      return "UNEXPECTED_PASS";
    case Verdict::kUnsupported:
      return "UNSUPPORTED";
    case Verdict::kHarnessError:
      break;
  }
  return "HARNESS_ERROR";
}

std::array<size_t, kVerdicts> Report::Counts(absl::string_view level) const {
  std::array<size_t, kVerdicts> counts = {};
  for (const VectorResult& result : results) {
    if (level.empty() || result.level == level) ++counts[static_cast<size_t>(result.verdict)];
  }
  return counts;
}

bool Report::ok() const {
  const auto counts = Counts();
  return problems.empty() && counts[static_cast<size_t>(Verdict::kFail)] == 0 &&
         counts[static_cast<size_t>(Verdict::kUnexpectedPass)] == 0 &&
         counts[static_cast<size_t>(Verdict::kHarnessError)] == 0;
}

bool Report::nothing_binds() const {
  return !results.empty() && Counts()[static_cast<size_t>(Verdict::kUnsupported)] == results.size();
}

std::string FormatResult(const VectorResult& result, const PrintOptions& options) {
  const std::string head =
      absl::StrCat(Paint(Name(result.verdict), result.verdict, options.colour), " ", result.id);
  switch (result.verdict) {
    case Verdict::kFail:
      return absl::StrCat(head, " ", StepText(result.divergence), "  ", Bracket(result.divergence),
                          "\n", RowsText(result, options));
    case Verdict::kWaived:
      return absl::StrCat(head, " ", StepText(result.divergence), "  ", Bracket(result.divergence),
                          "\n", Row("waiver", WaiverText(result.waiver)));
    case Verdict::kUnexpectedPass:
      return absl::StrCat(head, "  [", vectors::Printable(result.waiver.clause), "]\n",
                          Row("waiver", WaiverText(result.waiver)),
                          Row("remedy", "remove the waiver: the vector passes"));
    case Verdict::kHarnessError:
      return absl::StrCat(head, "\n", Row("reason", result.text));
    case Verdict::kPass:
    case Verdict::kUnsupported:
      break;
  }
  return "";
}

void PrintReport(const Report& report, const PrintOptions& options, std::ostream& out) {
  for (const VectorResult& result : report.results) {
    const std::string text = FormatResult(result, options);
    if (!text.empty()) out << text << "\n";
  }
  PrintTable(report, options, out);
}

void PrintTable(const Report& report, const PrintOptions& options, std::ostream& out) {
  std::string text = absl::StrFormat("%-9s", "");
  for (const Verdict verdict : kAll) absl::StrAppend(&text, "  ", Name(verdict));
  absl::StrAppend(&text, "  total\n");
  for (const absl::string_view level : kLevels) {
    const auto counts = report.Counts(level);
    if (Sum(counts) > 0) absl::StrAppend(&text, TableRow(level, counts, options.colour));
  }
  absl::StrAppend(&text, TableRow("all", report.Counts(), options.colour));
  std::map<std::string, size_t> unsupported;
  for (const VectorResult& result : report.results) {
    if (result.verdict == Verdict::kUnsupported) ++unsupported[result.text];
  }
  for (const auto& [reason, count] : unsupported) {
    absl::StrAppend(&text, count, " UNSUPPORTED: ", reason, "\n");
  }
  absl::StrAppend(&text, TimeLine(report));
  for (const std::string& note : report.notes) absl::StrAppend(&text, "note: ", note, "\n");
  for (const std::string& problem : report.problems) {
    absl::StrAppend(&text, "problem: ", problem, "\n");
  }
  const std::string dut = absl::StrCat(report.dut.name.empty() ? "the DUT" : report.dut.name,
                                       report.dut.version.empty() ? "" : " ", report.dut.version);
  const absl::string_view outcome = report.results.empty()   ? "no vector was played"
                                    : report.nothing_binds() ? "no vector binds it"
                                    : report.ok()            ? "the run succeeds"
                                                             : "the run fails";
  absl::StrAppend(&text, dut, ": ", outcome, "\n");
  out << text;
}

}  // namespace metaroce::conformance
