// Reads one chapter: Markdown to clauses, references and data blocks.
//
// The Markdown is parsed by cmark-gfm; what this file adds is the meaning of its blocks:
//
// * The chapter begins with a heading of level 1, its title, and a paragraph "Status: final." or
//   "Status: draft.". "Version: X.Y.Z." on a line of its own before the next heading gives the
//   version of the whole text.
// * A paragraph that begins with a strong UPPER-CASE-ID is a clause:
//   **ACK-ON-HOLE** (MUST, PUBLIC P-GAP; RFC 6298, unproven: why). The text.
//   Its text goes on over the paragraphs, lists, tables and quotes that follow, until a heading, a
//   clause, a fenced block, a rule, or a paragraph that begins with *Why.*, *Freedom.* or *Note.*.
//   Marks of the same form as unproven: no-vector, no-positive, no-negative (SPEC-UNSHOWN).
//   Why and freedom belong to the latest clause under the heading; a note is for the reader only.
// * [ACK-ON-HOLE] anywhere refers to a clause. Only ids with a hyphen are taken for references.
// * A fenced block whose info string is "textproto" is one Data message. It stands at top level.
#ifndef SPEC_COMPILER_FRONTEND_CHAPTER_H_
#define SPEC_COMPILER_FRONTEND_CHAPTER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/compiler/frontend/problem.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

struct ClauseReference {
  std::string id;
  int line;
};

struct DataBlock {
  int line;  // of the first line inside the fence
  std::string text;
};

struct ChapterText {
  Chapter chapter;
  std::vector<Clause> clauses;
  std::vector<ClauseReference> references;
  std::vector<DataBlock> blocks;
  std::string version;  // empty if the chapter gives none
  int version_line = 0;
};

// The longest chapter that is read; more is refused.
inline constexpr size_t kMaxChapterBytes = size_t{1} << 20;

// Reads `markdown`, chapter number `file` of `problems`. Always returns what could be read; what
// could not is in `problems`.
ChapterText ReadChapter(int file, absl::string_view markdown, Problems& problems);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_FRONTEND_CHAPTER_H_
