#include "conformance/runner/report.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "vectors/json_tree.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::JsonValue;

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

// "[ACK-DUE-HOLE MUST]".
std::string Bracket(const Divergence& divergence) {
  return absl::StrCat("[", divergence.clause, divergence.level.empty() ? "" : " ", divergence.level,
                      "]");
}

std::string Row(absl::string_view label, absl::string_view text) {
  return text.empty() ? "" : absl::StrFormat("  %-9s %s\n", label, text);
}

std::string DivergenceRows(const VectorResult& result, const PrintOptions& options) {
  const Divergence& divergence = result.divergence;
  std::string out = Row("received", divergence.received);
  absl::StrAppend(&out, Row("expected", divergence.expected), Row("got", divergence.got),
                  Row("state", divergence.state), Row("note", result.text));
  if (!options.replay_command.empty()) {
    absl::StrAppend(&out,
                    Row("replay", absl::StrCat(options.replay_command, " --only ", result.id)));
  }
  return out;
}

std::string Step(const Divergence& divergence) {
  return divergence.step == 0 ? "before step 1" : absl::StrCat("step ", divergence.step);
}

std::string WaiverText(const Waiver& waiver) {
  return absl::StrCat(vectors::Printable(waiver.reason), " (", vectors::Printable(waiver.owner),
                      ", until ", waiver.expires, ")");
}

std::string EscapeXml(absl::string_view text) {
  std::string out;
  for (const char c : vectors::MakeUtf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // XML 1.0 has no way to write the other control characters.
        out.push_back(static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c);
    }
  }
  return out;
}

// The child element of a test case, empty for PASS.
std::string JUnitOutcome(const VectorResult& result, const PrintOptions& options) {
  const std::string head = absl::StrCat(Step(result.divergence), " ", Bracket(result.divergence));
  switch (result.verdict) {
    case Verdict::kPass:
      return "";
    case Verdict::kFail:
      return absl::StrCat("<failure type=\"FAIL\" message=\"", EscapeXml(head), "\">",
                          EscapeXml(FormatResult(result, options)), "</failure>");
    case Verdict::kUnexpectedPass:
      return absl::StrCat("<failure type=\"UNEXPECTED_PASS\" message=\"it has a waiver\">",
                          EscapeXml(FormatResult(result, options)), "</failure>");
    case Verdict::kWaived:
      return absl::StrCat("<skipped message=\"",
                          EscapeXml(absl::StrCat("WAIVED ", head, ": ", WaiverText(result.waiver))),
                          "\"/>");
    case Verdict::kUnsupported:
      return absl::StrCat("<skipped message=\"",
                          EscapeXml(absl::StrCat("UNSUPPORTED: ", result.text)), "\"/>");
    case Verdict::kHarnessError:
      break;
  }
  return absl::StrCat("<error type=\"HARNESS_ERROR\" message=\"", EscapeXml(result.text), "\"/>");
}

void AddText(JsonValue& object, absl::string_view name, absl::string_view text) {
  if (!text.empty()) object.Add(name, JsonValue::String(text));
}

JsonValue ResultJson(const VectorResult& result) {
  JsonValue out = JsonValue::Object();
  out.Add("id", JsonValue::String(result.id));
  out.Add("path", JsonValue::String(result.path));
  out.Add("level", JsonValue::String(result.level));
  out.Add("verdict", JsonValue::String(Name(result.verdict)));
  if (result.verdict == Verdict::kFail || result.verdict == Verdict::kWaived) {
    const Divergence& divergence = result.divergence;
    out.Add("step", JsonValue::Number(static_cast<uint64_t>(divergence.step)));
    AddText(out, "clause", divergence.clause);
    AddText(out, "clause_level", divergence.level);
    AddText(out, "received", divergence.received);
    AddText(out, "expected", divergence.expected);
    AddText(out, "got", divergence.got);
    AddText(out, "state", divergence.state);
  }
  AddText(out, "text", result.text);
  if (!result.waiver.vector.empty()) {
    JsonValue waiver = JsonValue::Object();
    waiver.Add("reason", JsonValue::String(result.waiver.reason));
    waiver.Add("owner", JsonValue::String(result.waiver.owner));
    waiver.Add("expires", JsonValue::String(result.waiver.expires));
    out.Add("waiver", std::move(waiver));
  }
  return out;
}

JsonValue CountsJson(const Report& report, absl::string_view level) {
  JsonValue out = JsonValue::Object();
  const auto counts = report.Counts(level);
  for (const Verdict verdict : kAll) {
    out.Add(Name(verdict), JsonValue::Number(counts[static_cast<size_t>(verdict)]));
  }
  return out;
}

JsonValue ListJson(const std::vector<std::string>& texts) {
  JsonValue out = JsonValue::Array();
  for (const std::string& text : texts) out.Add(JsonValue::String(text));
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

}  // namespace

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
      return absl::StrCat(head, " ", Step(result.divergence), "  ", Bracket(result.divergence),
                          "\n", DivergenceRows(result, options));
    case Verdict::kWaived:
      return absl::StrCat(head, " ", Step(result.divergence), "  ", Bracket(result.divergence),
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

std::string WriteJUnit(const Report& report, const PrintOptions& options) {
  PrintOptions plain = options;
  plain.colour = false;
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"conformance\">\n";
  for (const absl::string_view level : kLevels) {
    const auto counts = report.Counts(level);
    if (Sum(counts) == 0) continue;
    const auto of = [&](Verdict verdict) { return counts[static_cast<size_t>(verdict)]; };
    absl::StrAppend(&out, "  <testsuite name=\"", level, "\" tests=\"", Sum(counts),
                    "\" failures=\"", of(Verdict::kFail) + of(Verdict::kUnexpectedPass),
                    "\" errors=\"", of(Verdict::kHarnessError), "\" skipped=\"",
                    of(Verdict::kWaived) + of(Verdict::kUnsupported), "\">\n");
    for (const VectorResult& result : report.results) {
      if (result.level != level) continue;
      absl::StrAppend(&out, "    <testcase classname=\"", level, "\" name=\"", EscapeXml(result.id),
                      "\" file=\"", EscapeXml(result.path), "\">", JUnitOutcome(result, plain),
                      "</testcase>\n");
    }
    absl::StrAppend(&out, "  </testsuite>\n");
  }
  if (!report.problems.empty() || !report.notes.empty()) {
    absl::StrAppend(&out, "  <testsuite name=\"run\" tests=\"", report.problems.size(),
                    "\" failures=\"0\" errors=\"", report.problems.size(), "\" skipped=\"0\">\n");
    if (!report.notes.empty()) absl::StrAppend(&out, "    <properties>\n");
    for (const std::string& note : report.notes) {
      absl::StrAppend(&out, "      <property name=\"note\" value=\"", EscapeXml(note), "\"/>\n");
    }
    if (!report.notes.empty()) absl::StrAppend(&out, "    </properties>\n");
    for (size_t i = 0; i < report.problems.size(); ++i) {
      absl::StrAppend(&out, "    <testcase classname=\"run\" name=\"problem-", i + 1,
                      "\"><error type=\"PROBLEM\" message=\"", EscapeXml(report.problems[i]),
                      "\"/></testcase>\n");
    }
    absl::StrAppend(&out, "  </testsuite>\n");
  }
  return absl::StrCat(out, "</testsuites>\n");
}

std::string WriteJson(const Report& report) {
  JsonValue dut = JsonValue::Object();
  dut.Add("name", JsonValue::String(report.dut.name));
  dut.Add("version", JsonValue::String(report.dut.version));
  dut.Add("spec_hash", JsonValue::String(report.dut.spec_hash));
  JsonValue capabilities = JsonValue::Array();
  for (const std::string& name : report.dut.capabilities) capabilities.Add(JsonValue::String(name));
  dut.Add("capabilities", std::move(capabilities));
  JsonValue profile = JsonValue::Object();
  for (const auto& [name, value] : report.dut.profile) profile.Add(name, JsonValue::Number(value));
  dut.Add("profile", std::move(profile));

  JsonValue out = JsonValue::Object();
  out.Add("spec_version", JsonValue::String(report.spec_version));
  out.Add("spec_hash", JsonValue::String(report.spec_hash));
  out.Add("dut", std::move(dut));
  out.Add("ok", JsonValue::Bool(report.ok()));
  JsonValue counts = JsonValue::Object();
  for (const absl::string_view level : kLevels) {
    if (Sum(report.Counts(level)) > 0) counts.Add(level, CountsJson(report, level));
  }
  counts.Add("all", CountsJson(report, ""));
  out.Add("counts", std::move(counts));
  JsonValue results = JsonValue::Array();
  for (const VectorResult& result : report.results) results.Add(ResultJson(result));
  out.Add("results", std::move(results));
  out.Add("notes", ListJson(report.notes));
  out.Add("problems", ListJson(report.problems));
  return vectors::WriteJson(out);
}

}  // namespace metaroce::conformance
