// metaroce cover --vectors: which vectors show a MUST from which side.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/cover/sides.h"
#include "tools/metaroce/commands.h"
#include "vectors/manifest.h"
#include "vectors/spec_tables_index.h"
#include "vectors/text.h"

namespace metaroce::cli {
namespace {

using cover::Sides;
using cover::SideTable;

// "12", "-  why" where no vector can show it, "GAP" where none does.
std::string Cell(size_t count, std::string_view reason) {
  if (!reason.empty()) return "-";
  return count == 0 ? "GAP" : absl::StrCat(count);
}

void PrintClause(const spec::ClauseInfo& info, const Sides& sides, std::ostream& out) {
  out << absl::StreamFormat("%-28s positive %4s  negative %4s", std::string(info.id),
                            Cell(sides.positive.size(), info.no_positive),
                            Cell(sides.negative.size(), info.no_negative));
  const std::string positive(info.no_positive);
  const std::string negative(info.no_negative);
  if (!positive.empty()) out << "  " << positive;
  if (!negative.empty() && negative != positive) out << "  " << negative;
  out << "\n";
}

// What lacks, and what contradicts a reason why it does.
std::vector<std::string> Problems(const SideTable& table) {
  std::vector<std::string> out;
  for (const auto& item : spec::Named<spec::Clause>::kAll) {
    const spec::ClauseInfo& info = spec::Info(item.value);
    const std::string place = absl::StrCat("spec/", std::string(info.chapter), ":", info.line, ": ",
                                           std::string(info.id), " ");
    for (const std::string& side : table.Gaps(item.value)) {
      out.push_back(absl::StrCat(place, "has no ", side, " vector and no reason for that."));
    }
    const std::string problem = table.Problem(item.value);
    if (!problem.empty()) out.push_back(absl::StrCat(place, problem, "."));
  }
  return out;
}

}  // namespace

int CoverVectors(const CoverOptions& options, const Streams& streams) {
  const auto tree =
      vectors::LoadTree(absl::StrCat(options.root, "/vectors"), vectors::SpecTables());
  if (!tree.ok()) {
    streams.err << vectors::Printable(std::string(tree.status().message())) << "\n";
    return kBadInput;
  }
  SideTable table;
  for (const vectors::StoredVector& stored : tree->vectors) table.Add(stored.vector);
  // What these show is not known.
  const std::vector<std::string> findings = tree->Findings();
  for (const std::string& finding : findings) streams.err << vectors::Printable(finding) << "\n";
  if (!findings.empty()) return kBadInput;
  size_t all = 0;
  size_t both = 0;
  size_t reasons = 0;
  size_t lacking = 0;
  size_t gaps = 0;
  for (const auto& item : spec::Named<spec::Clause>::kAll) {
    const spec::ClauseInfo& info = spec::Info(item.value);
    if (info.level != spec::Level::kMust) continue;
    ++all;
    const size_t lacks = table.Gaps(item.value).size();
    gaps += lacks;
    lacking += lacks > 0 ? 1 : 0;
    const bool marked = !info.no_positive.empty() || !info.no_negative.empty();
    both += lacks == 0 && !marked ? 1 : 0;
    reasons += lacks == 0 && marked ? 1 : 0;
    PrintClause(info, table.of(item.value), streams.out);
  }
  streams.out << absl::StreamFormat(
      "%d MUST clauses: %d shown from both sides, %d with a reason why not, %d lack a side (%d "
      "gaps)\n",
      all, both, reasons, lacking, gaps);
  const std::vector<std::string> problems = Problems(table);
  for (const std::string& line : problems) streams.err << line << "\n";
  return problems.empty() ? kOk : kMismatch;
}

}  // namespace metaroce::cli
