// The SystemVerilog package generated from the text: for RTL and test benches.
#ifndef SPEC_COMPILER_BACKENDS_SYSTEMVERILOG_SYSTEMVERILOG_H_
#define SPEC_COMPILER_BACKENDS_SYSTEMVERILOG_SYSTEMVERILOG_H_

#include <string>

#include "absl/status/statusor.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

// metaroce_spec_pkg.sv: package metaroce_spec_pkg, synthesisable. It holds
//   SPEC_VERSION and SPEC_HASH;
//   opcode_e, class_e, tail_e, check_e, reason_e, and for each enum, machine's states and events an
//   enumeration NAME_e, NAME_state_e, NAME_event_e whose values begin with that name in capitals;
//   CONST_* and PROFILE_* (defaults, with MIN_* and MAX_* unless fixed) and DERIVED_*, as wide as
//   the greatest value needs;
//   for each layout L a packed struct L_t, its first member in the most significant bits, so that
//   the struct's most significant bit is the first on the wire; L_BITS and L_BYTES; for a layout
//   with a bitmap, L_t is the part before it and for each length N > 0 there are L_BITMAP_N_t and
//   L_N_t, which is L_t and that bitmap together, and the function L_BITMAP_bits(selector);
//   for each opcode O the packed struct O_headers_t of its headers in wire order;
//   the functions opcode_known, opcode_header_bytes and opcode_tail.
// Members are plain logic vectors: a field can carry values that its enumeration does not name.
// A member whose name is a reserved word of SystemVerilog gets a final underscore.
//
// Errors: those of CheckSpec, and AlreadyExists where two items would get one name.
absl::StatusOr<std::string> GenerateSystemVerilog(const Spec& spec);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_BACKENDS_SYSTEMVERILOG_SYSTEMVERILOG_H_
