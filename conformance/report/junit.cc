// The report as JUnit writes it, for the tools that read that.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/report/report.h"
#include "tools/page/xml.h"

namespace metaroce::conformance {
namespace {

constexpr absl::string_view kLevels[] = {"codec", "block", "endpoint", "system"};

size_t Sum(const std::array<size_t, kVerdicts>& counts) {
  size_t sum = 0;
  for (const size_t count : counts) sum += count;
  return sum;
}

// Seconds with three decimals.
std::string TimeAttribute(uint64_t nanoseconds) {
  const std::string text = Seconds(nanoseconds);
  return text.substr(0, text.find(' '));
}

// The child element of a test case, empty for PASS.
std::string JUnitOutcome(const VectorResult& result, const PrintOptions& options) {
  const std::string head =
      absl::StrCat(StepText(result.divergence), " ", Bracket(result.divergence));
  switch (result.verdict) {
    case Verdict::kPass:
      return "";
    case Verdict::kFail:
      return absl::StrCat("<failure type=\"FAIL\" message=\"", page::Escape(head), "\">",
                          page::Escape(FormatResult(result, options)), "</failure>");
    case Verdict::kUnexpectedPass:
      return absl::StrCat("<failure type=\"UNEXPECTED_PASS\" message=\"it has a waiver\">",
                          page::Escape(FormatResult(result, options)), "</failure>");
    case Verdict::kWaived:
      return absl::StrCat(
          "<skipped message=\"",
          page::Escape(absl::StrCat("WAIVED ", head, ": ", WaiverText(result.waiver))), "\"/>");
    case Verdict::kUnsupported:
      return absl::StrCat("<skipped message=\"",
                          page::Escape(absl::StrCat("UNSUPPORTED: ", result.text)), "\"/>");
    case Verdict::kHarnessError:
      break;
  }
  return absl::StrCat("<error type=\"HARNESS_ERROR\" message=\"", page::Escape(result.text),
                      "\"/>");
}

}  // namespace

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
      absl::StrAppend(&out, "    <testcase classname=\"", level, "\" name=\"",
                      page::Escape(result.id), "\" file=\"", page::Escape(result.path),
                      "\" time=\"", TimeAttribute(result.nanoseconds), "\">",
                      JUnitOutcome(result, plain), "</testcase>\n");
    }
    absl::StrAppend(&out, "  </testsuite>\n");
  }
  if (!report.problems.empty() || !report.notes.empty()) {
    absl::StrAppend(&out, "  <testsuite name=\"run\" tests=\"", report.problems.size(),
                    "\" failures=\"0\" errors=\"", report.problems.size(), "\" skipped=\"0\">\n");
    if (!report.notes.empty()) absl::StrAppend(&out, "    <properties>\n");
    for (const std::string& note : report.notes) {
      absl::StrAppend(&out, "      <property name=\"note\" value=\"", page::Escape(note), "\"/>\n");
    }
    if (!report.notes.empty()) absl::StrAppend(&out, "    </properties>\n");
    for (size_t i = 0; i < report.problems.size(); ++i) {
      absl::StrAppend(&out, "    <testcase classname=\"run\" name=\"problem-", i + 1,
                      "\"><error type=\"PROBLEM\" message=\"", page::Escape(report.problems[i]),
                      "\"/></testcase>\n");
    }
    absl::StrAppend(&out, "  </testsuite>\n");
  }
  return absl::StrCat(out, "</testsuites>\n");
}

}  // namespace metaroce::conformance
