// For tests that the front end refuses a text: small texts in, exact sentences out.
#ifndef SPEC_COMPILER_FRONTEND_REFUSAL_TESTING_H_
#define SPEC_COMPILER_FRONTEND_REFUSAL_TESTING_H_

#include <ostream>
#include <string>

#include "absl/strings/string_view.h"

namespace metaroce::compiler {

struct Refusal {
  const char* name;      // what is wrong, CamelCase: the name of the test
  const char* text;      // of one chapter "t.md", or of one data block in it
  const char* problems;  // one a line, as they are printed
};

inline void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

// A chapter without problems that has an item of each kind.
absl::string_view BaseChapter();

// What is printed when `chapter` is compiled alone as "t.md".
std::string ProblemsOfChapter(absl::string_view chapter);

// The same for a chapter whose only content is the clause C-A and a textproto block of `data`,
// which begins on line 10. Before it stands the chapter "base.md", which has no problems and
// defines one item of each kind (kBase in the .cc file).
std::string ProblemsOfData(absl::string_view data);

// The same without "base.md".
std::string ProblemsOfDataAlone(absl::string_view data);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_FRONTEND_REFUSAL_TESTING_H_
