#include "tools/cover/cover.h"

#include <algorithm>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace metaroce::cover {
namespace {

const absl::flat_hash_map<std::string, spec::Clause>& ById() {
  static const auto* const ids = [] {
    auto* made = new absl::flat_hash_map<std::string, spec::Clause>;
    for (const auto& item : spec::Named<spec::Clause>::kAll) {
      (*made)[std::string(spec::Info(item.value).id)] = item.value;
    }
    return made;
  }();
  return *ids;
}

}  // namespace

Cover::Cover() : clauses_(spec::kClauseCount) {}

void Cover::AddMentions(const std::vector<Mention>& mentions) {
  for (const Mention& mention : mentions) {
    ClauseCover& clause = clauses_[static_cast<size_t>(mention.clause)];
    std::vector<Mention>& list = mention.test.empty() ? clause.code : clause.tests;
    const bool again =
        !list.empty() && list.back().file == mention.file && list.back().line == mention.line;
    if (!again) list.push_back(mention);
  }
}

void Cover::AddVectors(const std::vector<vectors::StoredVector>& all) {
  for (const vectors::StoredVector& stored : all) {
    std::set<std::string> named(stored.vector.clauses().begin(), stored.vector.clauses().end());
    for (const vectors::Step& step : stored.vector.steps()) {
      if (!step.clause().empty()) named.insert(step.clause());
    }
    for (const std::string& id : named) {
      const auto it = ById().find(id);
      if (it == ById().end()) continue;
      clauses_[static_cast<size_t>(it->second)].vectors.push_back(stored.vector.id());
    }
  }
  for (ClauseCover& clause : clauses_) std::sort(clause.vectors.begin(), clause.vectors.end());
}

absl::Status Cover::AddHits(absl::string_view text) {
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const std::vector<absl::string_view> parts = absl::StrSplit(line, '\t');
    uint64_t count = 0;
    if (parts.size() != 3 || parts[0].empty() || !absl::SimpleAtoi(parts[2], &count)) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, ": it is not of the form TEST<tab>CLAUSE<tab>COUNT."));
    }
    const auto it = ById().find(std::string(parts[1]));
    if (it == ById().end()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", number, ": the text has no clause \"",
                                                     parts[1].substr(0, 80), "\"."));
    }
    clauses_[static_cast<size_t>(it->second)].hits[std::string(parts[0])] += count;
    has_hits_ = true;
  }
  return absl::OkStatus();
}

std::string Cover::Problem(spec::Clause clause) const {
  const spec::ClauseInfo& info = spec::Info(clause);
  if (info.level == spec::Level::kInfo) return "";
  const ClauseCover& cover = of(clause);
  if (!info.unproven.empty()) {
    if (!cover.hits.empty()) {
      return absl::StrCat("is marked unproven, and ", cover.hits.begin()->first, " hits it");
    }
    if (!cover.tests.empty()) {
      return absl::StrCat("is marked unproven, and ", cover.tests[0].test, " cites it");
    }
    if (!cover.vectors.empty()) {
      return absl::StrCat("is marked unproven, and the vector ", cover.vectors[0], " names it");
    }
    return "";
  }
  const bool untested = has_hits_ && !cover.Tested();
  if (cover.code.empty() && untested) return "is named by no code and hit by no test";
  if (cover.code.empty()) return "is named by no code";
  return untested ? "is hit by no test" : "";
}

}  // namespace metaroce::cover
