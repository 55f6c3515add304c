// Words that no identifier of SystemVerilog may be.
#ifndef SPEC_COMPILER_BACKENDS_SYSTEMVERILOG_KEYWORDS_H_
#define SPEC_COMPILER_BACKENDS_SYSTEMVERILOG_KEYWORDS_H_

#include "absl/strings/string_view.h"

namespace metaroce::compiler {

// A reserved word of IEEE 1800-2017, annex B.
bool IsSystemVerilogKeyword(absl::string_view name);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_BACKENDS_SYSTEMVERILOG_KEYWORDS_H_
