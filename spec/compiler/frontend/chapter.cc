#include "spec/compiler/frontend/chapter.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "spec/compiler/names.h"

namespace metaroce::compiler {
namespace {

struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
struct FreeParser {
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
};
struct FreeIterator {
  void operator()(cmark_iter* iterator) const { cmark_iter_free(iterator); }
};
using Node = std::unique_ptr<cmark_node, FreeNode>;

Node ParseMarkdown(absl::string_view markdown) {
  cmark_gfm_core_extensions_ensure_registered();
  std::unique_ptr<cmark_parser, FreeParser> parser(
      cmark_parser_new(CMARK_OPT_VALIDATE_UTF8 | CMARK_OPT_SOURCEPOS));
  cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension("table"));
  cmark_parser_feed(parser.get(), markdown.data(), markdown.size());
  return Node(cmark_parser_finish(parser.get()));
}

// Words of the text as a reader sees them; '\n' where the source has a line break. `lines` says on
// which line of the source the text from an offset on stands.
struct PlainText {
  std::string text;
  std::vector<std::pair<size_t, int>> lines;

  int LineAt(size_t offset) const {
    auto after = std::upper_bound(lines.begin(), lines.end(), offset,
                                  [](size_t at, const auto& entry) { return at < entry.first; });
    return after == lines.begin() ? 0 : std::prev(after)->second;
  }
};

const char* LiteralOf(cmark_node* node) {
  const char* literal = cmark_node_get_literal(node);
  return literal == nullptr ? "" : literal;
}

// The text of `node` and all below it.
PlainText TextOf(cmark_node* node) {
  PlainText out;
  std::unique_ptr<cmark_iter, FreeIterator> it(cmark_iter_new(node));
  for (cmark_event_type event = cmark_iter_next(it.get()); event != CMARK_EVENT_DONE;
       event = cmark_iter_next(it.get())) {
    if (event != CMARK_EVENT_ENTER) continue;
    cmark_node* at = cmark_iter_get_node(it.get());
    const cmark_node_type type = cmark_node_get_type(at);
    const bool is_block = (type & CMARK_NODE_TYPE_MASK) == CMARK_NODE_TYPE_BLOCK;
    if (is_block && !out.text.empty() && out.text.back() != '\n') out.text.push_back('\n');
    if (cmark_node_get_start_line(at) > 0) {
      out.lines.emplace_back(out.text.size(), cmark_node_get_start_line(at));
    }
    if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE || type == CMARK_NODE_CODE_BLOCK) {
      absl::StrAppend(&out.text, LiteralOf(at));
    } else if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK) {
      out.text.push_back('\n');
    }
  }
  return out;
}

// The words of `text` with one space between them.
std::string Fold(absl::string_view text) {
  return absl::StrJoin(absl::StrSplit(text, absl::ByAnyChar(" \t\n\v\f\r"), absl::SkipEmpty()),
                       " ");
}

// Adds `more` to `text` as a new sentence.
void Append(std::string* text, absl::string_view more) {
  if (!text->empty() && !more.empty()) text->push_back(' ');
  absl::StrAppend(text, more);
}

// "X.Y.Z" with decimal numbers.
bool IsVersion(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  if (parts.size() != 3) return false;
  for (absl::string_view part : parts) {
    if (part.empty() || part.size() > 9) return false;
    for (char c : part) {
      if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
    }
  }
  return true;
}

// What a paragraph begins with: the text of its first inline if that is of `type`.
std::optional<std::string> LeadOf(cmark_node* paragraph, cmark_node_type type) {
  if (cmark_node_get_type(paragraph) != CMARK_NODE_PARAGRAPH) return std::nullopt;
  cmark_node* first = cmark_node_first_child(paragraph);
  if (first == nullptr || cmark_node_get_type(first) != type) return std::nullopt;
  return Fold(TextOf(first).text);
}

// The id if the paragraph begins a clause. A strong word in capitals without a hyphen ("**MUST**")
// begins one only if a parenthesis follows.
std::optional<std::string> ClauseIdOf(cmark_node* paragraph) {
  std::optional<std::string> id = LeadOf(paragraph, CMARK_NODE_STRONG);
  if (!id.has_value() || !IsClauseId(*id)) return std::nullopt;
  if (absl::StrContains(*id, "-")) return id;
  const std::string text = Fold(TextOf(paragraph).text);
  if (absl::StartsWith(absl::string_view(text).substr(id->size()), " (")) return id;
  return std::nullopt;
}

std::optional<Level> LevelOf(absl::string_view word) {
  if (word == "MUST") return MUST;
  if (word == "SHOULD") return SHOULD;
  if (word == "MAY") return MAY;
  if (word == "INFO") return INFO;
  return std::nullopt;
}

// Reads "PUBLIC P-GAP", "IBTA", "IBTA annex A17", "RFC 6298", "OURS". The reference of an RFC holds
// the word RFC as well.
std::optional<Provenance> ProvenanceOf(absl::string_view words) {
  Provenance out;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(words, absl::MaxSplits(' ', 1));
  const absl::string_view rest = absl::StripAsciiWhitespace(parts.second);
  if (rest.empty() && (parts.first == "OURS" || parts.first == "IBTA")) {
    out.set_source(parts.first == "OURS" ? OURS : IBTA);
    return out;
  }
  if (rest.empty()) return std::nullopt;
  if (parts.first == "PUBLIC") {
    out.set_source(PUBLIC);
  } else if (parts.first == "IBTA") {
    out.set_source(IBTA);
  } else if (parts.first == "RFC") {
    out.set_source(RFC);
  } else {
    return std::nullopt;
  }
  out.set_reference(out.source() == RFC ? absl::StrCat("RFC ", rest) : std::string(rest));
  return out;
}

constexpr size_t kMaxIdBytes = 64;

constexpr absl::string_view kHeadForm = "as in '**ID** (MUST, PUBLIC P-GAP; RFC 6298). Text.'";

// Reads chapters block by block; `latest_` is the clause to which a following block may belong.
// What may stand behind the provenance in the head of a clause, each with its reason.
constexpr absl::string_view kUnproven = "unproven";
constexpr absl::string_view kNoVector = "no-vector";
constexpr absl::string_view kNoPositive = "no-positive";
constexpr absl::string_view kNoNegative = "no-negative";
constexpr absl::string_view kMarks[] = {kUnproven, kNoVector, kNoPositive, kNoNegative};

bool IsMarkByte(char c) { return absl::ascii_isalnum(c) || c == '-'; }

class Reader {
 public:
  Reader(int file, Problems& problems) : file_(file), problems_(problems) {}

  ChapterText Read(cmark_node* document) {
    ReadTop(document);
    for (cmark_node* node = cmark_node_first_child(document); node != nullptr;
         node = cmark_node_next(node)) {
      ReadReferences(node);
      ReadBlock(node);
    }
    CheckClausesHaveText();
    return std::move(out_);
  }

 private:
  enum class Section { kNone, kText, kWhy, kFreedom, kNote, kEnded };

  void Refuse(int line, std::string sentence) { problems_.Add({file_, line}, std::move(sentence)); }

  // The title and the lines "Status:" and "Version:" above the second heading.
  void ReadTop(cmark_node* document) {
    cmark_node* node = cmark_node_first_child(document);
    if (node == nullptr || cmark_node_get_type(node) != CMARK_NODE_HEADING ||
        cmark_node_get_heading_level(node) != 1 || cmark_node_get_start_line(node) != 1) {
      Refuse(1, "the first line of a chapter must be its title, as in '# 3. Wire format'.");
      return;
    }
    out_.chapter.set_title(Fold(TextOf(node).text));
    node = cmark_node_next(node);
    ReadStatus(node);
    for (; node != nullptr && cmark_node_get_type(node) != CMARK_NODE_HEADING;
         node = cmark_node_next(node)) {
      if (cmark_node_get_type(node) == CMARK_NODE_PARAGRAPH) ReadVersion(node);
    }
  }

  void ReadStatus(cmark_node* node) {
    const std::string text = node == nullptr ? "" : TextOf(node).text;
    const std::string first = Fold(text.substr(0, text.find('\n')));
    if (first == "Status: final.") {
      out_.chapter.set_final(true);
    } else if (first != "Status: draft.") {
      Refuse(node == nullptr ? 1 : cmark_node_get_start_line(node),
             "the first paragraph after the title must begin with the line 'Status: final.' or "
             "'Status: draft.'.");
    }
  }

  void ReadVersion(cmark_node* paragraph) {
    const PlainText plain = TextOf(paragraph);
    size_t offset = 0;
    for (absl::string_view whole : absl::StrSplit(plain.text, '\n')) {
      absl::string_view line = absl::StripAsciiWhitespace(whole);
      const int number = plain.LineAt(offset);
      offset += whole.size() + 1;
      if (!absl::ConsumePrefix(&line, "Version: ")) continue;
      absl::ConsumeSuffix(&line, ".");
      if (!IsVersion(line)) {
        Refuse(number, absl::StrCat("the version '", line, "' is not of the form X.Y.Z."));
      } else if (!out_.version.empty()) {
        Refuse(number, "the version is given twice.");
      } else {
        out_.version = std::string(line);
        out_.version_line = number;
      }
    }
  }

  void ReadReferences(cmark_node* node) {
    if (cmark_node_get_type(node) == CMARK_NODE_CODE_BLOCK) return;
    const PlainText plain = TextOf(node);
    const absl::string_view text = plain.text;
    for (size_t open = text.find('['); open != absl::string_view::npos;
         open = text.find('[', open + 1)) {
      const absl::string_view rest = text.substr(open + 1, kMaxIdBytes + 1);
      const size_t close = rest.find(']');
      if (close == absl::string_view::npos) continue;
      const absl::string_view id = rest.substr(0, close);
      if (!IsClauseId(id) || !absl::StrContains(id, "-")) continue;
      out_.references.push_back({std::string(id), plain.LineAt(open)});
    }
  }

  void ReadBlock(cmark_node* node) {
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_HEADING:
        heading_ = Fold(TextOf(node).text);
        latest_ = nullptr;
        section_ = Section::kNone;
        return;
      case CMARK_NODE_THEMATIC_BREAK:
        section_ = Section::kEnded;
        return;
      case CMARK_NODE_CODE_BLOCK:
        ReadCode(node);
        section_ = Section::kEnded;
        return;
      case CMARK_NODE_HTML_BLOCK:
        return;
      case CMARK_NODE_PARAGRAPH:
        ReadParagraph(node);
        return;
      default:
        RefuseNested(node);
        AddToSection(Fold(TextOf(node).text));
    }
  }

  void ReadCode(cmark_node* node) {
    const char* info = cmark_node_get_fence_info(node);
    if (info == nullptr || absl::string_view(info) != "textproto") return;
    out_.blocks.push_back({cmark_node_get_start_line(node) + 1, LiteralOf(node)});
  }

  // Clauses and data count at top level only; elsewhere they would be lost without a word.
  void RefuseNested(cmark_node* node) {
    std::unique_ptr<cmark_iter, FreeIterator> it(cmark_iter_new(node));
    for (cmark_event_type event = cmark_iter_next(it.get()); event != CMARK_EVENT_DONE;
         event = cmark_iter_next(it.get())) {
      if (event != CMARK_EVENT_ENTER) continue;
      cmark_node* at = cmark_iter_get_node(it.get());
      const int line = cmark_node_get_start_line(at);
      if (cmark_node_get_type(at) == CMARK_NODE_CODE_BLOCK) {
        const char* info = cmark_node_get_fence_info(at);
        if (info != nullptr && absl::string_view(info) == "textproto") {
          Refuse(line, "a textproto block must not stand inside a list or a quote.");
        }
      } else if (const std::optional<std::string> id = ClauseIdOf(at); id.has_value()) {
        Refuse(line, absl::StrCat("the clause ", *id, " must not stand inside a list or a quote."));
      }
    }
  }

  void ReadParagraph(cmark_node* node) {
    if (const std::optional<std::string> id = ClauseIdOf(node); id.has_value()) {
      ReadClause(*id, node);
      return;
    }
    const std::string text = Fold(TextOf(node).text);
    const std::optional<std::string> lead = LeadOf(node, CMARK_NODE_EMPH);
    if (latest_ != nullptr && lead.has_value()) {
      for (const auto& [word, section] :
           {std::pair{"Why.", Section::kWhy}, std::pair{"Freedom.", Section::kFreedom},
            std::pair{"Note.", Section::kNote}}) {
        if (*lead != word) continue;
        section_ = section;
        AddToSection(
            absl::StripLeadingAsciiWhitespace(absl::string_view(text).substr(lead->size())));
        return;
      }
    }
    AddToSection(text);
  }

  void AddToSection(absl::string_view text) {
    if (latest_ == nullptr) return;
    if (section_ == Section::kText) Append(latest_->mutable_text(), text);
    if (section_ == Section::kWhy) Append(latest_->mutable_why(), text);
    if (section_ == Section::kFreedom) Append(latest_->mutable_freedom(), text);
  }

  void ReadClause(const std::string& id, cmark_node* node) {
    clauses_.push_back(std::make_unique<Clause>());
    latest_ = clauses_.back().get();
    section_ = Section::kText;
    latest_->set_id(id);
    latest_->set_line(cmark_node_get_start_line(node));
    latest_->set_heading(heading_);
    if (id.size() > kMaxIdBytes) {
      Refuse(latest_->line(),
             absl::StrCat("the clause id ", id, " is longer than ", kMaxIdBytes, " characters."));
    }
    const std::string whole = Fold(TextOf(node).text);
    absl::string_view rest = absl::string_view(whole).substr(id.size());
    if (!absl::ConsumePrefix(&rest, " (") || !absl::StrContains(rest, ")")) {
      Refuse(latest_->line(),
             absl::StrCat("the clause ", id, " has no level and provenance, ", kHeadForm));
      Append(latest_->mutable_text(), absl::StripAsciiWhitespace(rest));
      return;
    }
    const size_t close = rest.find(')');
    ReadHead(rest.substr(0, close));
    rest.remove_prefix(close + 1);
    if (!absl::ConsumePrefix(&rest, ".")) {
      Refuse(latest_->line(),
             absl::StrCat("the head of the clause ", id, " must end with ').', ", kHeadForm));
    }
    Append(latest_->mutable_text(), absl::StripAsciiWhitespace(rest));
  }

  // Takes the marks from the end of what stands in the parentheses, each ", MARK: REASON".
  void ReadMarks(absl::string_view* head) {
    std::vector<std::pair<absl::string_view, absl::string_view>> found;
    for (size_t end = head->size(); end > 0;) {
      const size_t comma = head->rfind(", ", end - 1);
      if (comma == absl::string_view::npos) break;
      for (const absl::string_view mark : kMarks) {
        absl::string_view reason = head->substr(comma + 2);
        const bool whole =
            absl::ConsumePrefix(&reason, mark) && (reason.empty() || !IsMarkByte(reason[0]));
        if (!whole) continue;
        found.emplace_back(mark, reason);
        *head = head->substr(0, comma);
        break;
      }
      end = comma;
    }
    for (auto it = found.rbegin(); it != found.rend(); ++it) ReadMark(it->first, it->second);
  }

  void ReadMark(absl::string_view mark, absl::string_view reason) {
    if (!absl::ConsumePrefix(&reason, ":") || absl::StripAsciiWhitespace(reason).empty()) {
      Refuse(latest_->line(), absl::StrCat("the mark ", mark, " of the clause ", latest_->id(),
                                           " gives no reason, as in '", mark, ": why'."));
      return;
    }
    const std::string why(absl::StripAsciiWhitespace(reason));
    if (mark == kUnproven) {
      latest_->set_unproven(why);
      if (latest_->level() == INFO) {
        Refuse(latest_->line(), absl::StrCat("the clause ", latest_->id(),
                                             " is INFO: it prescribes nothing that could be "
                                             "unproven."));
      }
      return;
    }
    if (latest_->level() != MUST) {
      Refuse(latest_->line(),
             absl::StrCat("the clause ", latest_->id(), " is no MUST: it needs no vector, and no ",
                          "reason why it has none."));
    }
    for (const bool positive : {true, false}) {
      if (mark == (positive ? kNoNegative : kNoPositive)) continue;
      std::string* side =
          positive ? latest_->mutable_no_positive() : latest_->mutable_no_negative();
      if (!side->empty()) {
        Refuse(latest_->line(),
               absl::StrCat("the clause ", latest_->id(), " says twice why it ", "has no ",
                            positive ? "positive" : "negative", " vector."));
      }
      *side = why;
    }
  }

  // `head` is what stands in the parentheses: LEVEL, PROVENANCE[; PROVENANCE]...[, MARK: WHY]...
  void ReadHead(absl::string_view head) {
    const absl::string_view id = latest_->id();
    const size_t comma = head.find(',');
    const absl::string_view level = absl::StripAsciiWhitespace(head.substr(0, comma));
    if (const std::optional<Level> known = LevelOf(level); known.has_value()) {
      latest_->set_level(*known);
    } else {
      Refuse(latest_->line(), absl::StrCat("the level '", level, "' of the clause ", id,
                                           " is not one of MUST, SHOULD, MAY, INFO."));
    }
    // Behind the level, with its comma.
    absl::string_view rest = comma == absl::string_view::npos ? "" : head.substr(comma);
    ReadMarks(&rest);
    absl::ConsumePrefix(&rest, ",");
    rest = absl::StripAsciiWhitespace(rest);
    if (rest.empty()) {
      Refuse(latest_->line(), absl::StrCat("the clause ", id, " has no provenance, ", kHeadForm));
      return;
    }
    for (absl::string_view part : absl::StrSplit(rest, ';')) {
      part = absl::StripAsciiWhitespace(part);
      std::optional<Provenance> provenance = ProvenanceOf(part);
      if (provenance.has_value()) {
        *latest_->add_provenance() = *std::move(provenance);
      } else {
        Refuse(latest_->line(),
               absl::StrCat("the provenance '", part, "' of the clause ", id,
                            " is not one of 'PUBLIC id', 'IBTA [place]', 'RFC number', 'OURS'."));
      }
    }
  }

  void CheckClausesHaveText() {
    for (std::unique_ptr<Clause>& clause : clauses_) {
      if (clause->text().empty()) {
        Refuse(clause->line(), absl::StrCat("the clause ", clause->id(), " has no text."));
      }
      out_.clauses.push_back(std::move(*clause));
    }
  }

  const int file_;
  Problems& problems_;
  ChapterText out_;
  std::vector<std::unique_ptr<Clause>> clauses_;
  std::string heading_;
  Clause* latest_ = nullptr;
  Section section_ = Section::kNone;
};

}  // namespace

ChapterText ReadChapter(int file, absl::string_view markdown, Problems& problems) {
  if (markdown.size() > kMaxChapterBytes) {
    problems.Add({file, 0},
                 absl::StrCat("the chapter is longer than ", kMaxChapterBytes, " bytes."));
    return {};
  }
  const Node document = ParseMarkdown(markdown);
  return Reader(file, problems).Read(document.get());
}

}  // namespace metaroce::compiler
