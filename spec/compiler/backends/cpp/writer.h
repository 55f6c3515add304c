// What the parts of the C++ backend share.
#ifndef SPEC_COMPILER_BACKENDS_CPP_WRITER_H_
#define SPEC_COMPILER_BACKENDS_CPP_WRITER_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler::cpp {

// "ack_every" -> "kAckEvery".
std::string Enumerator(absl::string_view name);

// A member or parameter: "class" -> "class_".
std::string Member(absl::string_view name);

// A string literal.
std::string Quote(absl::string_view text);

// Words for a // comment: a final backslash would join the next line to it.
std::string Comment(absl::string_view text);

// "Clause::kAckOnHole", or "kNoClause" for the empty id.
std::string ClauseName(absl::string_view id);

// A number with a suffix that makes it unsigned; hexadecimal if it is a mask.
std::string Unsigned(uint64_t value);
std::string Hex(uint64_t value);

// The narrowest unsigned type of at least `bits` bits: "uint8_t" ... "uint64_t".
absl::string_view UnsignedType(uint32_t bits);

// Bytes of a layout without its bitmap.
uint32_t FixedBytes(const Layout& layout);

// Lookups in a Spec that the front end accepted: they find what they look for.
const Layout& LayoutNamed(const Spec& spec, absl::string_view name);
int FieldIndex(const Layout& layout, absl::string_view name);

// The layouts that opcodes repeat, in the order of the text, with the greatest count.
std::map<std::string, uint32_t> RepeatedLayouts(const Spec& spec);

// The four files.
std::string TablesHeader(const Spec& spec);
std::string TablesSource(const Spec& spec);
std::string LayoutsHeader(const Spec& spec);
std::string LayoutsSource(const Spec& spec);

// Parts of tables.h.
std::string EnumsPart(const Spec& spec);  // enum classes and their names
std::string WirePart(const Spec& spec);   // enums of the text, layouts, opcodes
std::string RulesPart(const Spec& spec);  // checks, reasons, numbers, choices, counters, flags
std::string MachinesPart(const Spec& spec);

}  // namespace metaroce::compiler::cpp

#endif  // SPEC_COMPILER_BACKENDS_CPP_WRITER_H_
