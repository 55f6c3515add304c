// The C++ tables and header code generated from the text.
#ifndef SPEC_COMPILER_BACKENDS_CPP_CPP_H_
#define SPEC_COMPILER_BACKENDS_CPP_CPP_H_

#include <vector>

#include "absl/status/statusor.h"
#include "spec/compiler/output.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

// Four files, all in namespace metaroce::spec:
//
//   tables.h    version and hash of the text; an enum class for each kind of item; constexpr tables
//               of all but the clauses (types in spec/compiler/runtime/types.h);
//               clause::kX, constant::kX, profile::kX (defaults), derived::kX; an enum class for
//               each enum of the text, kXEnum tables; XState, XEvent and kXMatrix of each machine.
//   tables.cc   the clauses with their words.
//   layouts.h   a struct for each layout with Load and Store; struct Headers and the functions that
//               load and store the headers of an opcode.
//   layouts.cc  access to fields by index, for printing and for tests.
//
// They are included as "spec/tables.h" and "spec/layouts.h". InvalidArgument if two items would get
// the same name of a type.
absl::StatusOr<std::vector<OutputFile>> GenerateCpp(const Spec& spec);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_BACKENDS_CPP_CPP_H_
