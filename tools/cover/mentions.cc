#include "tools/cover/mentions.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "vectors/file.h"

namespace metaroce::cover {
namespace {

constexpr absl::string_view kFolders[] = {"conformance",   "fuzz",  "model",
                                          "spec/compiler", "tools", "vectors"};
constexpr size_t kLongestSource = size_t{1} << 20;

// "kAckOnHole" of "ACK-ON-HOLE", and of "ack-on-hole".
std::string Enumerator(absl::string_view words) {
  std::string out = "k";
  for (absl::string_view word : absl::StrSplit(words, absl::ByAnyChar("-_"))) {
    std::string lower = absl::AsciiStrToLower(word);
    if (!lower.empty()) lower[0] = absl::ascii_toupper(static_cast<unsigned char>(lower[0]));
    absl::StrAppend(&out, lower);
  }
  return out;
}

struct Names {
  absl::flat_hash_map<std::string, spec::Clause> ids;
  absl::flat_hash_map<std::string, spec::Clause> enumerators;
  absl::flat_hash_map<std::string, spec::Clause> reasons;  // by their enumerator
};

const Names& AllNames() {
  static const Names* const names = [] {
    auto* made = new Names;
    for (const auto& item : spec::Named<spec::Clause>::kAll) {
      const std::string id(spec::Info(item.value).id);
      made->ids[id] = item.value;
      made->enumerators[Enumerator(id)] = item.value;
    }
    for (const auto& item : spec::Named<spec::Reason>::kAll) {
      const spec::ReasonInfo& info = spec::Info(item.value);
      made->reasons[Enumerator(std::string(info.name))] = info.clause;
    }
    return made;
  }();
  return *names;
}

absl::string_view WordAt(absl::string_view text) {
  size_t end = 0;
  while (end < text.size() &&
         (absl::ascii_isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) {
    ++end;
  }
  return text.substr(0, end);
}

// Calls found(clause) for each name that follows `scope` in the line.
template <typename F>
void FindNames(absl::string_view line, absl::string_view scope,
               const absl::flat_hash_map<std::string, spec::Clause>& names, F found) {
  for (size_t at = line.find(scope); at != absl::string_view::npos; at = line.find(scope, at + 1)) {
    const auto it = names.find(std::string(WordAt(line.substr(at + scope.size()))));
    if (it != names.end()) found(it->second);
  }
}

// The name of the test that begins at lines[at], or nothing.
std::optional<std::string> TestAt(const std::vector<absl::string_view>& lines, size_t at,
                                  bool python) {
  if (python) {
    absl::string_view line = absl::StripAsciiWhitespace(lines[at]);
    if (!absl::ConsumePrefix(&line, "def ")) return std::nullopt;
    return std::string(WordAt(line));
  }
  for (absl::string_view macro : {"TEST(", "TEST_F(", "TEST_P(", "TYPED_TEST(", "RC_GTEST_PROP("}) {
    if (!absl::StartsWith(lines[at], macro)) continue;
    std::string head;
    for (size_t i = at; i < lines.size() && i < at + 3; ++i) absl::StrAppend(&head, lines[i]);
    head = head.substr(macro.size(), head.find(')') - macro.size());
    std::vector<std::string> words;
    for (absl::string_view word : absl::StrSplit(head, ',')) {
      words.emplace_back(WordAt(absl::StripAsciiWhitespace(word)));
    }
    if (words.size() > 2) words.resize(2);
    return absl::StrJoin(words, ".");
  }
  return std::nullopt;
}

bool IsTest(absl::string_view path) {
  return absl::EndsWith(path, "_test.cc") || absl::EndsWith(path, "_test.py");
}

// The test to which the citation at lines[at] belongs.
std::string TestOf(absl::string_view path, const std::vector<absl::string_view>& lines, size_t at,
                   bool python) {
  const absl::string_view words = python ? "##" : "//#";
  size_t behind = at + 1;
  while (behind < lines.size() &&
         absl::StartsWith(absl::StripAsciiWhitespace(lines[behind]), words)) {
    ++behind;
  }
  // Citations stand one behind the other above a test.
  const absl::string_view mark = python ? "#" : "//";
  while (behind < lines.size() &&
         absl::StartsWith(absl::StripAsciiWhitespace(lines[behind]), mark)) {
    ++behind;
  }
  if (behind < lines.size()) {
    if (std::optional<std::string> name = TestAt(lines, behind, python)) return *name;
  }
  for (size_t i = at; i-- > 0;) {
    if (std::optional<std::string> name = TestAt(lines, i, python)) return *name;
  }
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace

std::vector<Mention> MentionsIn(absl::string_view path, absl::string_view text) {
  const Names& names = AllNames();
  const bool python = absl::EndsWith(path, ".py");
  const bool test = IsTest(path);
  const absl::string_view mark = python ? "#= " : "//= ";
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  std::vector<Mention> out;
  for (size_t i = 0; i < lines.size(); ++i) {
    absl::string_view line = absl::StripAsciiWhitespace(lines[i]);
    const auto add = [&](spec::Clause clause) {
      const int number = static_cast<int>(i + 1);
      out.push_back({clause, std::string(path), number,
                     test ? TestOf(path, lines, i, python) : std::string()});
    };
    if (absl::ConsumePrefix(&line, mark)) {
      const auto it = names.ids.find(std::string(absl::StripAsciiWhitespace(line)));
      if (it != names.ids.end()) add(it->second);
      continue;
    }
    // A test that uses a name of code says nothing of what it demands.
    if (test || python || absl::StartsWith(line, "//")) continue;
    FindNames(line, "clause::", names.enumerators, add);
    FindNames(line, "Clause::", names.enumerators, add);
    FindNames(line, "Reason::", names.reasons, add);
  }
  return out;
}

absl::StatusOr<std::vector<Mention>> MentionsBelow(const std::string& root) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (absl::string_view folder : kFolders) {
    std::error_code error;
    fs::recursive_directory_iterator it(fs::path(root) / std::string(folder), error);
    for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
      const std::string name = it->path().filename().string();
      const bool source =
          absl::EndsWith(name, ".cc") || absl::EndsWith(name, ".h") || absl::EndsWith(name, ".py");
      if (!source || absl::StartsWith(name, ".") || !it->is_regular_file(error)) continue;
      // Not fs::relative, which follows symbolic links.
      const std::string below = it->path().lexically_relative(root).generic_string();
      if (!absl::StrContains(below, "/testdata/")) files.push_back(below);
    }
  }
  if (files.empty()) {
    return absl::NotFoundError(absl::StrCat("There is no source below ", root,
                                            "; --root must be the folder of the ", "project."));
  }
  std::sort(files.begin(), files.end());
  std::vector<Mention> out;
  for (const std::string& file : files) {
    auto text = vectors::ReadFile((fs::path(root) / file).string(), kLongestSource);
    if (!text.ok()) return text.status();
    for (Mention& mention : MentionsIn(file, *text)) out.push_back(std::move(mention));
  }
  return out;
}

}  // namespace metaroce::cover
