// The registry: everything in the text, as one JSON document for tools in any language.
#ifndef SPEC_COMPILER_BACKENDS_JSON_JSON_H_
#define SPEC_COMPILER_BACKENDS_JSON_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

// The Spec in protobuf's JSON mapping with the names of spec.proto, one blank a level, in the
// order of the text, and a final newline. Numbers of 64 bits are strings, as that mapping has it.
// Fields that are zero or empty are left out.
absl::StatusOr<std::string> GenerateJson(const Spec& spec);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_BACKENDS_JSON_JSON_H_
