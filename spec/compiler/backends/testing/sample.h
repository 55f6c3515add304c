// The sample Spec of sample.textproto, for tests of the backends.
#ifndef SPEC_COMPILER_BACKENDS_TESTING_SAMPLE_H_
#define SPEC_COMPILER_BACKENDS_TESTING_SAMPLE_H_

#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

// Ends the program where the file is missing or no Spec.
Spec Sample();

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_BACKENDS_TESTING_SAMPLE_H_
