#include "conformance/runner/selection.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::StoredVector;
using vectors::Tree;
using vectors::Unreadable;

constexpr size_t kMaxShards = 1000;

bool Matches(absl::string_view pattern, absl::string_view id) {
  if (!absl::EndsWith(pattern, "*")) return id == pattern;
  return absl::StartsWith(id, pattern.substr(0, pattern.size() - 1));
}

bool NamedBy(const std::vector<std::string>& patterns, absl::string_view id) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(),
                                         [&](const std::string& p) { return Matches(p, id); });
}

bool HasLevel(const std::vector<vectors::Level>& levels, absl::string_view name) {
  return levels.empty() || std::any_of(levels.begin(), levels.end(), [&](vectors::Level level) {
           return LevelName(level) == name;
         });
}

// The id of a file that cannot be read, as far as its name tells.
std::string IdOf(const Unreadable& file) { return Stem(file.path); }
std::string LevelOf(const Unreadable& file) { return file.path.substr(0, file.path.find('/')); }

}  // namespace

absl::StatusOr<Shard> ParseShard(absl::string_view text) {
  const size_t slash = text.find('/');
  Shard shard;
  if (slash == absl::string_view::npos || !absl::SimpleAtoi(text.substr(0, slash), &shard.index) ||
      !absl::SimpleAtoi(text.substr(slash + 1), &shard.count) || shard.index < 1 ||
      shard.index > shard.count || shard.count > kMaxShards) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", vectors::Printable(vectors::Shorten(text, 40)),
                     "\" is no part of a whole, such as 2/4; a whole has at most ", kMaxShards,
                     " parts, and the first is 1."));
  }
  return shard;
}

std::string LevelName(vectors::Level level) {
  return absl::AsciiStrToLower(vectors::Level_Name(level));
}

std::string Stem(absl::string_view path) {
  const size_t slash = path.rfind('/');
  const absl::string_view name = slash == absl::string_view::npos ? path : path.substr(slash + 1);
  return std::string(name.substr(0, name.rfind(".json")));
}

absl::Status CheckSelection(const Selection& selection, const Tree& tree, const Suites& suites) {
  for (const std::string& pattern : selection.only) {
    const bool found =
        std::any_of(tree.vectors.begin(), tree.vectors.end(),
                    [&](const StoredVector& v) { return Matches(pattern, v.vector.id()); }) ||
        std::any_of(tree.unreadable.begin(), tree.unreadable.end(),
                    [&](const Unreadable& file) { return Matches(pattern, IdOf(file)); });
    if (!found) {
      return absl::InvalidArgumentError(
          absl::StrCat("There is no vector ", vectors::Printable(pattern), "."));
    }
  }
  for (const std::string& name : selection.suites) {
    if (FindSuite(suites, name) != nullptr) continue;
    std::vector<std::string> names;
    for (const Suite& suite : suites.suite()) names.push_back(suite.name());
    return absl::InvalidArgumentError(
        absl::StrCat("There is no suite ", vectors::Printable(vectors::Shorten(name, 60)),
                     "; there are ", absl::StrJoin(names, ", "), "."));
  }
  return absl::OkStatus();
}

Selected Select(const Selection& selection, const Tree& tree, const Suites& suites) {
  Selected out;
  size_t number = 0;  // of what the lists name
  const auto own_part = [&] {
    return number++ % selection.shard.count == selection.shard.index - 1;
  };
  for (const Unreadable& file : tree.unreadable) {
    if (!selection.suites.empty() || !HasLevel(selection.levels, LevelOf(file)) ||
        !NamedBy(selection.only, IdOf(file))) {
      continue;
    }
    if (own_part()) out.unreadable.push_back(&file);
  }
  for (const StoredVector& stored : tree.vectors) {
    if (!HasLevel(selection.levels, LevelName(stored.vector.level())) ||
        !NamedBy(selection.only, stored.vector.id())) {
      continue;
    }
    const bool wanted =
        selection.suites.empty() ||
        std::any_of(selection.suites.begin(), selection.suites.end(), [&](const std::string& name) {
          const Suite* suite = FindSuite(suites, name);
          return suite != nullptr && Contains(*suite, stored.vector);
        });
    if (wanted && own_part()) out.vectors.push_back(&stored);
  }
  return out;
}

}  // namespace metaroce::conformance
