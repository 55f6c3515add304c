// Covergroups generated from the text: what a bench has seen of its machines and choices.
#ifndef SPEC_COMPILER_BACKENDS_SYSTEMVERILOG_COVERGROUPS_H_
#define SPEC_COMPILER_BACKENDS_SYSTEMVERILOG_COVERGROUPS_H_

#include <string>

#include "absl/status/statusor.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

// metaroce_coverage_pkg.sv: package metaroce_coverage_pkg, for benches, beside metaroce_spec_pkg.
// It holds
//   for each machine M the covergroup M_cg: sample(state before, event) has a bin for each cell of
//   the table; an event that cannot come in a state is an illegal bin;
//   for each choice C the covergroup choice_C_cg: of a choice by names sample(taken) with a value
//   of choice_C_e; of a choice in a range sample(taken, greatest), with the greatest value that is
//   legal at that moment, has bins for the default, the least, the greatest and one between, and
//   an illegal bin for what is outside.
//
// Errors: those of CheckSpec, and AlreadyExists where two items would get one name.
absl::StatusOr<std::string> GenerateCovergroups(const Spec& spec);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_BACKENDS_SYSTEMVERILOG_COVERGROUPS_H_
