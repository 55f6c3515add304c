// metaroce cover --vectors: which vectors show a MUST from which side.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/cover/sides.h"
#include "tools/metaroce/commands.h"
#include "vectors/file.h"
#include "vectors/manifest.h"
#include "vectors/spec_tables_index.h"
#include "vectors/text.h"

namespace metaroce::cli {
namespace {

using cover::KnownGap;
using cover::Sides;
using cover::SideTable;

constexpr size_t kLongestGaps = size_t{1} << 20;

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

// Gaps that are not in the list, and lines of the list that are no gaps.
std::vector<std::string> Differences(const SideTable& table, const std::string& file,
                                     const std::vector<KnownGap>& known) {
  std::vector<std::string> out;
  std::set<std::pair<spec::Clause, std::string>> listed;
  for (const KnownGap& gap : known) {
    listed.insert({gap.clause, gap.side});
    const std::vector<std::string> gaps = table.Gaps(gap.clause);
    if (std::find(gaps.begin(), gaps.end(), gap.side) == gaps.end()) {
      out.push_back(absl::StrCat(file, ":", gap.line, ": ", std::string(spec::Name(gap.clause)),
                                 " has a ", gap.side,
                                 " vector, or a reason for none: the line goes."));
    }
  }
  for (const auto& item : spec::Named<spec::Clause>::kAll) {
    const spec::ClauseInfo& info = spec::Info(item.value);
    const std::string place = absl::StrCat("spec/", std::string(info.chapter), ":", info.line, ": ",
                                           std::string(info.id), " ");
    for (const std::string& side : table.Gaps(item.value)) {
      if (listed.count({item.value, side}) > 0) continue;
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
  std::vector<KnownGap> known;
  absl::Status status = tree.status();
  if (status.ok() && !options.gaps.empty()) {
    const auto text = vectors::ReadFile(options.gaps, kLongestGaps);
    const auto read = text.ok() ? cover::ReadKnownGaps(*text) : text.status();
    if (read.ok()) {
      known = *read;
    } else if (text.ok()) {
      status = absl::InvalidArgumentError(
          absl::StrCat(options.gaps, ": ", std::string(read.status().message())));
    } else {
      status = text.status();
    }
  }
  if (!status.ok()) {
    streams.err << vectors::Printable(std::string(status.message())) << "\n";
    return kBadInput;
  }
  SideTable table;
  for (const vectors::StoredVector& stored : tree->vectors) table.Add(stored.vector);
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
  const std::vector<std::string> differences = Differences(table, options.gaps, known);
  for (const std::string& line : differences) streams.err << line << "\n";
  return differences.empty() ? kOk : kMismatch;
}

}  // namespace metaroce::cli
