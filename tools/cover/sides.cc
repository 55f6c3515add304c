#include "tools/cover/sides.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"

namespace metaroce::cover {
namespace {

using vectors::Expectation;

bool Rejects(const Expectation& expect) {
  const auto& outcomes = expect.one_of().outcomes();
  return expect.has_reject() || std::any_of(outcomes.begin(), outcomes.end(), Rejects);
}

// A rejection, and that nothing comes, are no effect.
bool IsEffect(const Expectation& expect) {
  return expect.kind_case() != Expectation::KIND_NOT_SET && !Rejects(expect) &&
         !expect.has_nothing();
}

}  // namespace

//= CONF-SIDE
//# A vector names the clauses of its list and of its steps, and shows each from one side or both.
void SideTable::Add(const vectors::Vector& vector) {
  std::set<std::string> named(vector.clauses().begin(), vector.clauses().end());
  const std::set<std::string> listed(vector.negative().begin(), vector.negative().end());
  bool effect = false;
  bool rejects = false;
  for (const vectors::Step& step : vector.steps()) {
    if (!step.clause().empty()) named.insert(step.clause());
    effect = effect || IsEffect(step.expect());
    rejects = rejects || Rejects(step.expect());
  }
  for (const std::string& id : named) {
    const auto clause = spec::FromName<spec::Clause>(id);
    if (!clause.has_value()) continue;
    Sides& sides = sides_[static_cast<size_t>(*clause)];
    if (effect) sides.positive.push_back(vector.id());
    if (rejects || listed.count(id) > 0) sides.negative.push_back(vector.id());
  }
}

std::vector<std::string> SideTable::Gaps(spec::Clause clause) const {
  const spec::ClauseInfo& info = spec::Info(clause);
  std::vector<std::string> gaps;
  if (info.level != spec::Level::kMust) return gaps;
  if (of(clause).positive.empty() && info.no_positive.empty()) gaps.push_back("positive");
  if (of(clause).negative.empty() && info.no_negative.empty()) gaps.push_back("negative");
  return gaps;
}

std::string SideTable::Problem(spec::Clause clause) const {
  const spec::ClauseInfo& info = spec::Info(clause);
  for (const bool positive : {true, false}) {
    const bool marked = !(positive ? info.no_positive : info.no_negative).empty();
    const std::vector<std::string>& shown = positive ? of(clause).positive : of(clause).negative;
    if (!marked || shown.empty()) continue;
    return absl::StrCat("is marked to have no ", positive ? "positive" : "negative",
                        " vector, and ", shown.front(), " is one");
  }
  return "";
}

}  // namespace metaroce::cover
