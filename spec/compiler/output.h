// What a backend hands back, and what every backend is.
#ifndef SPEC_COMPILER_OUTPUT_H_
#define SPEC_COMPILER_OUTPUT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

// A file to be written, with its path relative to the output folder.
struct OutputFile {
  std::string path;
  std::string contents;
};

// A backend is a pure function of a Spec that the front end accepted. It may refuse a Spec that its
// target language cannot express (InvalidArgument, a full sentence naming the offending item).
using Backend = absl::StatusOr<std::vector<OutputFile>> (*)(const Spec& spec);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_OUTPUT_H_
