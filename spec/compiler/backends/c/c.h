// The C header generated from the text: for firmware, drivers, DPI-C and test benches in C or C++.
#ifndef SPEC_COMPILER_BACKENDS_C_C_H_
#define SPEC_COMPILER_BACKENDS_C_C_H_

#include <string>

#include "absl/status/statusor.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

// metaroce_spec.h: C99 and C++, freestanding (it includes <stdint.h> alone), no object code of its
// own. All names begin with mr_ or MR_. It holds
//   the version and hash of the text;
//   opcodes with class, tail and bytes of headers, enums, checks, reasons, states and events;
//   MR_CONST_* and MR_PROFILE_* (defaults, with MR_MIN_* and MR_MAX_* unless fixed) and
//   MR_DERIVED_*;
//   for each layout its bytes, for each field its first bit, bits, greatest value and a pair of
//   functions mr_LAYOUT_get_FIELD and mr_LAYOUT_set_FIELD on the bytes of the wire. A setter leaves
//   every other bit as it was and drops bits that the field has no room for;
//   for a bitmap its length by selector and functions to read and write one bit by weight.
//
// Errors: those of CheckSpec, and AlreadyExists where two items would get one name.
absl::StatusOr<std::string> GenerateCHeader(const Spec& spec);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_BACKENDS_C_C_H_
