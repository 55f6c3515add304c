// Names of the text turned into names of a programming language. Shared by all backends, so that a
// name is spelt the same way everywhere.
#ifndef SPEC_COMPILER_NAMES_H_
#define SPEC_COMPILER_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace metaroce::compiler {

// Words of a name are separated by '-' or '_'. Each function takes any of the text's spellings.

// "ack_every", "ack-every", "ACK-EVERY" -> "AckEvery".
std::string CamelCase(absl::string_view name);

// "ack-every", "ACK-EVERY" -> "ack_every".
std::string SnakeCase(absl::string_view name);

// "ack-every", "ack_every" -> "ACK_EVERY".
std::string ShoutCase(absl::string_view name);

// [a-z][a-z0-9]*(_[a-z0-9]+)*: layouts, fields, opcodes, enums, constants, counters, parameters.
bool IsSnakeCase(absl::string_view name);

// [a-z][a-z0-9]*(-[a-z0-9]+)*: enum values, checks, reasons, choices, capabilities. A digit may
// begin an enum value.
bool IsKebabCase(absl::string_view name);

// [A-Z][A-Z0-9]*(-[A-Z0-9]+)*: clause ids.
bool IsClauseId(absl::string_view name);

// [A-Z][A-Z0-9]*(_[A-Z0-9]+)*: states, events, flags.
bool IsShoutCase(absl::string_view name);

// A reserved word of C++ (C++20); generated members of that name get a final underscore.
bool IsCppKeyword(absl::string_view name);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_NAMES_H_
