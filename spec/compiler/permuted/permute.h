// A second text with other layouts, to prove that layouts are data.
#ifndef SPEC_COMPILER_PERMUTED_PERMUTE_H_
#define SPEC_COMPILER_PERMUTED_PERMUTE_H_

#include <string>

#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

// A chapter, as Markdown, with the clauses of `spec` by name and all its data, but the fields of
// each layout in another order: fields then cross bytes and words. The order is the same on every
// machine. Every layout of two or more different fields differs from the one in `spec`.
std::string PermutedChapter(const Spec& spec);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_PERMUTED_PERMUTE_H_
