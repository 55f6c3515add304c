#include "spec/compiler/quotes/quotes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace metaroce::compiler {
namespace {

struct Marks {
  absl::string_view cite;
  absl::string_view words;
};

Marks MarksOf(absl::string_view path) {
  if (absl::EndsWith(path, ".py")) return {"#=", "##"};
  return {"//=", "//#"};
}

// What stands behind the mark if the line is a mark and a blank, or a mark alone.
std::optional<absl::string_view> Behind(absl::string_view line, absl::string_view mark) {
  if (!absl::ConsumePrefix(&line, mark)) return std::nullopt;
  if (!line.empty() && line[0] != ' ') return std::nullopt;
  return absl::StripAsciiWhitespace(line);
}

// The words alone, one blank between them.
std::string Plain(absl::string_view text) {
  std::string kept;
  for (char c : text) {
    if (c != '`' && c != '*') kept.push_back(c);
  }
  return absl::StrJoin(absl::StrSplit(kept, absl::ByAnyChar(" \t\n\r"), absl::SkipEmpty()), " ");
}

bool IsWordCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

// Whether `words` stand in `text` as whole words.
bool Says(absl::string_view text, absl::string_view words) {
  if (words.empty()) return true;
  for (size_t at = text.find(words); at != absl::string_view::npos; at = text.find(words, at + 1)) {
    const size_t end = at + words.size();
    const bool begins = at == 0 || !IsWordCharacter(text[at - 1]) || !IsWordCharacter(words[0]);
    const bool ends =
        end == text.size() || !IsWordCharacter(text[end]) || !IsWordCharacter(words.back());
    if (begins && ends) return true;
  }
  return false;
}

// The sentence for a quote that the clause does not hold: it shows the first word that differs.
std::string Differs(absl::string_view id, absl::string_view text, absl::string_view words) {
  const std::vector<absl::string_view> list = absl::StrSplit(words, ' ');
  size_t good = 0;
  while (good < list.size() &&
         Says(text, absl::StrJoin(list.begin(), list.begin() + good + 1, " "))) {
    ++good;
  }
  // The rest alone may be there: then what differs stands between.
  const std::string first = good < list.size() ? std::string(list[good]) : "";
  if (good == 0) {
    return absl::StrCat("the clause ", id, " does not say '", words, "': no word is '", first,
                        "'.");
  }
  return absl::StrCat("the clause ", id, " does not say '", words, "': after '", list[good - 1],
                      "' it does not go on with '", first, "'.");
}

}  // namespace

Quotes FindQuotes(absl::string_view path, absl::string_view text) {
  const Marks marks = MarksOf(path);
  Quotes out;
  Quote* open = nullptr;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (std::optional<absl::string_view> id = Behind(line, marks.cite); id.has_value()) {
      out.quotes.push_back({std::string(*id), number, "", number});
      open = &out.quotes.back();
    } else if (std::optional<absl::string_view> words = Behind(line, marks.words);
               words.has_value() && open != nullptr) {
      if (open->words.empty()) open->words_line = number;
      open->words = Plain(absl::StrCat(open->words, " ", *words));
    } else if (words.has_value() && marks.words == "//#") {
      out.problems.push_back({std::string(path), number,
                              "words are quoted, but no clause is cited above them ('//= ID')."});
    } else {
      open = nullptr;
    }
  }
  return out;
}

std::vector<Problem> CheckQuotes(const Spec& spec, absl::Span<const SourceFile> sources) {
  // Text and freedom; no quote has a line break, so none goes from the one over into the other.
  absl::flat_hash_map<absl::string_view, std::string> texts;
  for (const Clause& clause : spec.clause()) {
    texts[clause.id()] = absl::StrCat(Plain(clause.text()), "\n", Plain(clause.freedom()));
  }
  std::vector<Problem> problems;
  for (const SourceFile& source : sources) {
    Quotes found = FindQuotes(source.path, source.text);
    for (Problem& problem : found.problems) problems.push_back(std::move(problem));
    for (const Quote& quote : found.quotes) {
      auto text = texts.find(quote.clause);
      if (text == texts.end()) {
        problems.push_back({source.path, quote.line,
                            absl::StrCat("there is no clause '", quote.clause, "' to quote.")});
      } else if (quote.words.empty()) {
        problems.push_back(
            {source.path, quote.line,
             absl::StrCat("the clause ", quote.clause, " is cited, but no words of it follow.")});
      } else if (!Says(text->second, quote.words)) {
        problems.push_back(
            {source.path, quote.words_line, Differs(quote.clause, text->second, quote.words)});
      }
    }
  }
  return problems;
}

}  // namespace metaroce::compiler
