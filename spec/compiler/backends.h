// All backends by name.
#ifndef SPEC_COMPILER_BACKENDS_H_
#define SPEC_COMPILER_BACKENDS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/compiler/output.h"

namespace metaroce::compiler {

struct NamedBackend {
  absl::string_view name;  // as given to --backend
  Backend generate;
  absl::string_view makes;  // for the usage text
};

absl::Span<const NamedBackend> Backends();

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_BACKENDS_H_
