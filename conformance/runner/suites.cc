#include "conformance/runner/suites.h"

#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conformance/runner/suites_data.h"
#include "google/protobuf/text_format.h"

namespace metaroce::conformance {

absl::StatusOr<Suites> ParseSuites(const std::string& text) {
  Suites suites;
  if (!google::protobuf::TextFormat::ParseFromString(text, &suites)) {
    return absl::InvalidArgumentError("The table of suites is no message Suites.");
  }
  std::set<std::string> names;
  for (const Suite& suite : suites.suite()) {
    if (suite.name().empty() || suite.title().empty() ||
        suite.clause_size() + suite.flag_size() == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("The suite \"", suite.name(), "\" lacks a name, a title or any rule."));
    }
    if (!names.insert(suite.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("There are two suites \"", suite.name(), "\"."));
    }
  }
  return suites;
}

const Suites& AllSuites() {
  static const Suites* const kSuites = [] {
    absl::StatusOr<Suites> suites = ParseSuites(kSuitesText);
    if (!suites.ok()) std::abort();  // suites_test reads the same table
    return new Suites(*std::move(suites));
  }();
  return *kSuites;
}

const Suite* FindSuite(const Suites& suites, absl::string_view name) {
  for (const Suite& suite : suites.suite()) {
    if (suite.name() == name) return &suite;
  }
  return nullptr;
}

bool Contains(const Suite& suite, const vectors::Vector& vector) {
  for (const std::string& pattern : suite.clause()) {
    absl::string_view prefix = pattern;
    const bool any_end = absl::ConsumeSuffix(&prefix, "*");
    for (const std::string& clause : vector.clauses()) {
      if (any_end ? absl::StartsWith(clause, prefix) : clause == prefix) return true;
    }
  }
  for (const std::string& wanted : suite.flag()) {
    for (const std::string& flag : vector.flags()) {
      if (flag == wanted) return true;
    }
  }
  return false;
}

std::vector<std::string> SuitesOf(const Suites& suites, const vectors::Vector& vector) {
  std::vector<std::string> names;
  for (const Suite& suite : suites.suite()) {
    if (Contains(suite, vector)) names.push_back(suite.name());
  }
  return names;
}

}  // namespace metaroce::conformance
