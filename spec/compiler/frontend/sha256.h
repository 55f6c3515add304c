// SHA-256 (FIPS 180-4), for naming a text by its contents. Not hardened against side channels.
#ifndef SPEC_COMPILER_FRONTEND_SHA256_H_
#define SPEC_COMPILER_FRONTEND_SHA256_H_

#include <string>

#include "absl/strings/string_view.h"

namespace metaroce::compiler {

// The digest of `bytes` as 64 lower-case hexadecimal digits.
std::string Sha256Hex(absl::string_view bytes);

// The same without what some processors bring for it. For tests.
std::string Sha256HexPlainly(absl::string_view bytes);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_FRONTEND_SHA256_H_
