#include "conformance/report/summary.h"

#include <map>
#include <string>
#include <utility>

namespace metaroce::conformance {
namespace {

size_t CountOf(const Summary& summary, Verdict verdict) {
  return summary.counts[static_cast<size_t>(verdict)];
}

Summary& Line(std::map<std::string, Summary>& lines, const std::string& name) {
  Summary& line = lines[name];
  if (line.name.empty()) {
    line.name = name;
    line.counts = {};
  }
  return line;
}

std::vector<Summary> Values(std::map<std::string, Summary>& lines) {
  std::vector<Summary> out;
  for (auto& [name, line] : lines) out.push_back(std::move(line));
  return out;
}

}  // namespace

std::vector<Summary> SummariseSuites(const Report& report) {
  std::map<std::string, Summary> lines;
  for (const VectorResult& result : report.results) {
    for (const std::string& suite : result.suites) {
      Summary& line = Line(lines, suite);
      ++line.counts[static_cast<size_t>(result.verdict)];
      if (result.verdict == Verdict::kFail) line.failures.push_back(result.id);
    }
  }
  constexpr Verdict kWorst[] = {Verdict::kFail,   Verdict::kUnexpectedPass, Verdict::kHarnessError,
                                Verdict::kWaived, Verdict::kPass,           Verdict::kUnsupported};
  for (auto& [name, line] : lines) {
    for (const Verdict verdict : kWorst) {
      if (CountOf(line, verdict) == 0) continue;
      line.verdict = Name(verdict);
      break;
    }
  }
  return Values(lines);
}

std::vector<Summary> SummariseClauses(const Report& report) {
  std::map<std::string, Summary> lines;
  for (const VectorResult& result : report.results) {
    const bool diverged = result.verdict == Verdict::kFail || result.verdict == Verdict::kWaived;
    for (const std::string& clause : result.clauses) {
      Summary& line = Line(lines, clause);
      if (!diverged) {
        ++line.counts[static_cast<size_t>(result.verdict)];
      } else if (clause != result.divergence.clause) {
        ++line.not_reached;
      }
    }
    if (!diverged) continue;
    Summary& line = Line(lines, result.divergence.clause);
    ++line.counts[static_cast<size_t>(result.verdict)];
    line.failures.push_back(result.id);
    if (line.verdict != Name(Verdict::kFail)) line.verdict = Name(result.verdict);
  }
  for (auto& [name, line] : lines) {
    const auto level = report.clause_levels.find(name);
    if (level != report.clause_levels.end()) line.level = level->second;
    if (!line.verdict.empty()) continue;
    const bool passed = CountOf(line, Verdict::kPass) + CountOf(line, Verdict::kUnexpectedPass) > 0;
    const bool unsupported_alone = line.not_reached + CountOf(line, Verdict::kHarnessError) == 0;
    line.verdict = passed ? "PASS" : unsupported_alone ? "UNSUPPORTED" : "NOT_REACHED";
  }
  return Values(lines);
}

}  // namespace metaroce::conformance
