// Compares the clauses quoted in source code with the text.
//
// Code that keeps a clause cites it above the line that does so, and quotes what it keeps:
//
//   //= ACK-ON-HOLE
//   //# the receiver MUST make an ACK of this path due at once
//
// The lines of //# are one quote, joined by blanks. It must stand word for word in the text of the
// clause or in its freedom (which says the default), not in its reason, from a word's beginning to
// a word's end. White space, backquotes and asterisks do not count. In Python the marks are #= and
// ##.
#ifndef SPEC_COMPILER_QUOTES_QUOTES_H_
#define SPEC_COMPILER_QUOTES_QUOTES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/compiler/frontend/compile.h"
#include "spec/compiler/frontend/problem.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

struct Quote {
  std::string clause;
  int line = 0;        // of the citation
  std::string words;   // white space folded; empty if no line of words follows
  int words_line = 0;  // of their first line
};

struct Quotes {
  std::vector<Quote> quotes;
  std::vector<Problem> problems;  // words that are under no citation
};

// All quotes in a file. `path` says which marks it has.
Quotes FindQuotes(absl::string_view path, absl::string_view text);

// What is wrong with the quotes in `sources`; each problem is "file:line: sentence".
std::vector<Problem> CheckQuotes(const Spec& spec, absl::Span<const SourceFile> sources);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_QUOTES_QUOTES_H_
