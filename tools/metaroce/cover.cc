// metaroce cover: which code keeps a clause, and which test would notice if it did not.
#include "tools/cover/cover.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/cover/mentions.h"
#include "tools/metaroce/commands.h"
#include "vectors/file.h"
#include "vectors/json_tree.h"
#include "vectors/manifest.h"
#include "vectors/spec_tables_index.h"
#include "vectors/text.h"

namespace metaroce::cli {
namespace {

using cover::ClauseCover;
using cover::Cover;
using cover::Mention;
using vectors::JsonValue;

constexpr size_t kLongestHits = size_t{64} << 20;

std::string Text(std::string_view text) { return std::string(text); }

std::string PlaceOf(const Mention& mention) {
  return absl::StrCat(mention.file, ":", mention.line);
}

uint64_t StepsOf(const ClauseCover& clause) {
  uint64_t steps = 0;
  for (const auto& [test, count] : clause.hits) steps += count;
  return steps;
}

// The tests with the most hits first.
std::vector<std::pair<std::string, uint64_t>> ByCount(const ClauseCover& clause) {
  std::vector<std::pair<std::string, uint64_t>> tests(clause.hits.begin(), clause.hits.end());
  std::stable_sort(tests.begin(), tests.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return tests;
}

bool Wanted(const CoverOptions& options, const spec::ClauseInfo& info) {
  if (!options.clause.empty() && !absl::EqualsIgnoreCase(options.clause, Text(info.id))) {
    return false;
  }
  if (options.chapter.empty()) return true;
  const std::string chapter = Text(info.chapter);  // "06-acknowledgement.md"
  std::string wanted = absl::AsciiStrToLower(options.chapter);
  if (wanted.size() == 1 && absl::ascii_isdigit(static_cast<unsigned char>(wanted[0]))) {
    wanted = absl::StrCat("0", wanted);
  }
  return absl::StartsWith(chapter, absl::StrCat(wanted, "-"));
}

void PrintList(std::ostream& out, const char* what, const std::vector<std::string>& items) {
  for (size_t i = 0; i < items.size(); ++i) {
    out << absl::StreamFormat("  %-8s %s\n", i == 0 ? what : "", items[i]);
  }
}

// All that is known of one clause.
void PrintWhole(const spec::ClauseInfo& info, const ClauseCover& clause, const std::string& problem,
                std::ostream& out) {
  out << Text(info.id) << "  " << Text(spec::Name(info.level)) << "  spec/" << Text(info.chapter)
      << ":" << info.line << "\n";
  if (!info.unproven.empty()) PrintList(out, "unproven", {Text(info.unproven)});
  std::vector<std::string> lines;
  for (const Mention& mention : clause.code) lines.push_back(PlaceOf(mention));
  PrintList(out, "code", lines);
  lines.clear();
  for (const auto& [test, count] : ByCount(clause)) {
    lines.push_back(absl::StrFormat("%s, %d steps", test, count));
  }
  PrintList(out, "hit by", lines);
  lines.clear();
  for (const Mention& mention : clause.tests) {
    lines.push_back(absl::StrCat(mention.test, " (", PlaceOf(mention), ")"));
  }
  PrintList(out, "cited by", lines);
  PrintList(out, "vector", clause.vectors);
  if (!problem.empty()) PrintList(out, "PROBLEM", {problem});
}

// One line.
void PrintLine(const spec::ClauseInfo& info, const ClauseCover& clause, std::ostream& out) {
  out << absl::StreamFormat("%-28s %-6s code %2d  tests %2d  hits %8d  vectors %3d", Text(info.id),
                            Text(spec::Name(info.level)), clause.code.size(),
                            clause.hits.size() + clause.tests.size(), StepsOf(clause),
                            clause.vectors.size());
  if (!info.unproven.empty()) out << "  unproven: " << Text(info.unproven);
  out << "\n";
}

JsonValue ToJson(const spec::ClauseInfo& info, const ClauseCover& clause,
                 const std::string& problem) {
  JsonValue value = JsonValue::Object();
  value.Add("clause", JsonValue::String(Text(info.id)));
  value.Add("level", JsonValue::String(Text(spec::Name(info.level))));
  value.Add("place", JsonValue::String(absl::StrCat("spec/", Text(info.chapter), ":", info.line)));
  if (!info.unproven.empty()) value.Add("unproven", JsonValue::String(Text(info.unproven)));
  JsonValue code = JsonValue::Array();
  for (const Mention& mention : clause.code) code.Add(JsonValue::String(PlaceOf(mention)));
  value.Add("code", std::move(code));
  JsonValue hits = JsonValue::Array();
  for (const auto& [test, count] : ByCount(clause)) {
    JsonValue hit = JsonValue::Object();
    hit.Add("test", JsonValue::String(test));
    hit.Add("steps", JsonValue::Number(count));
    hits.Add(std::move(hit));
  }
  value.Add("hits", std::move(hits));
  JsonValue tests = JsonValue::Array();
  for (const Mention& mention : clause.tests) {
    JsonValue test = JsonValue::Object();
    test.Add("test", JsonValue::String(mention.test));
    test.Add("place", JsonValue::String(PlaceOf(mention)));
    tests.Add(std::move(test));
  }
  value.Add("tests", std::move(tests));
  JsonValue named = JsonValue::Array();
  for (const std::string& id : clause.vectors) named.Add(JsonValue::String(id));
  value.Add("vectors", std::move(named));
  if (!problem.empty()) value.Add("problem", JsonValue::String(problem));
  return value;
}

// How many clauses of a level there are, and what is known of them.
struct Sum {
  size_t all = 0;
  size_t code = 0;
  size_t tested = 0;
  size_t unproven = 0;
};

absl::Status Load(const CoverOptions& options, Cover* cover) {
  auto mentions = cover::MentionsBelow(options.root);
  if (!mentions.ok()) return mentions.status();
  cover->AddMentions(*mentions);
  auto tree = vectors::LoadTree(absl::StrCat(options.root, "/vectors"), vectors::SpecTables());
  if (!tree.ok()) return tree.status();
  cover->AddVectors(tree->vectors);
  for (const std::string& file : options.hits) {
    auto text = vectors::ReadFile(file, kLongestHits);
    if (!text.ok()) return text.status();
    const absl::Status status = cover->AddHits(*text);
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(file, ": ", std::string(status.message())));
    }
  }
  return absl::OkStatus();
}

void PrintSums(const std::array<Sum, 4>& sums, bool has_hits, std::ostream& out) {
  for (const auto& item : spec::Named<spec::Level>::kAll) {
    const Sum& sum = sums[static_cast<size_t>(item.value)];
    if (sum.all == 0) continue;
    out << absl::StreamFormat("%-6s %3d clauses, %3d named by code, %3d tested, %3d unproven\n",
                              Text(item.name), sum.all, sum.code, sum.tested, sum.unproven);
  }
  if (!has_hits) out << "No hits were given (--hits): that a test is missing was not judged.\n";
}

}  // namespace

int CoverClauses(const CoverOptions& options, const Streams& streams) {
  Cover cover;
  const absl::Status status = Load(options, &cover);
  if (!status.ok()) {
    streams.err << vectors::Printable(std::string(status.message())) << "\n";
    return kBadInput;
  }
  JsonValue list = JsonValue::Array();
  std::vector<std::string> problems;
  std::array<Sum, 4> sums = {};
  size_t shown = 0;
  for (const auto& item : spec::Named<spec::Clause>::kAll) {
    const spec::ClauseInfo& info = spec::Info(item.value);
    if (!Wanted(options, info)) continue;
    ++shown;
    const ClauseCover& clause = cover.of(item.value);
    const std::string problem = cover.Problem(item.value);
    if (!problem.empty()) {
      problems.push_back(absl::StrCat("spec/", Text(info.chapter), ":", info.line, ": ",
                                      Text(info.id), " ", problem, "."));
    }
    Sum& sum = sums[static_cast<size_t>(info.level)];
    ++sum.all;
    sum.code += clause.code.empty() ? 0 : 1;
    sum.tested += clause.Tested() ? 1 : 0;
    sum.unproven += info.unproven.empty() ? 0 : 1;
    if (options.json) {
      list.Add(ToJson(info, clause, problem));
    } else if (!options.clause.empty()) {
      PrintWhole(info, clause, problem, streams.out);
    } else {
      PrintLine(info, clause, streams.out);
    }
  }
  if (shown == 0) {
    streams.err << "the text has no such " << (options.clause.empty() ? "chapter \"" : "clause \"")
                << vectors::Printable(vectors::Shorten(
                       options.clause.empty() ? options.chapter : options.clause, 80))
                << "\".\n";
    return kBadInput;
  }
  if (options.json) {
    streams.out << vectors::WriteJson(list);
  } else if (options.clause.empty()) {
    PrintSums(sums, cover.has_hits(), streams.out);
  }
  for (const std::string& problem : problems) streams.err << problem << "\n";
  return problems.empty() ? kOk : kMismatch;
}

}  // namespace metaroce::cli
