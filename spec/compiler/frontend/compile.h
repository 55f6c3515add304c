// Chapters in, one checked Spec out.
#ifndef SPEC_COMPILER_FRONTEND_COMPILE_H_
#define SPEC_COMPILER_FRONTEND_COMPILE_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "spec/compiler/frontend/problem.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

// A chapter as read from disk. `path` stands in problems; its last part names the chapter in the
// Spec, so that the Spec does not depend on where the files lie.
struct SourceFile {
  std::string path;
  std::string text;
};

struct CompileResult {
  Spec spec;                      // complete only if there are no problems
  std::vector<Problem> problems;  // in reading order
};

// Reads the chapters in the given order, joins their data, checks the whole (every refusal is a
// sentence in frontend/check_*.cc and chapter.cc) and gives it its hash.
CompileResult Compile(absl::Span<const SourceFile> chapters);

// The hash of the text (CONF-HASH); of two chapters with one name the later one counts.
std::string HashOf(absl::Span<const SourceFile> chapters);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_FRONTEND_COMPILE_H_
