#include "spec/compiler/backends/cpp/writer.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "spec/compiler/names.h"

namespace metaroce::compiler::cpp {

std::string Enumerator(absl::string_view name) { return absl::StrCat("k", CamelCase(name)); }

std::string Member(absl::string_view name) {
  std::string member = SnakeCase(name);
  if (IsCppKeyword(member)) member.push_back('_');
  return member;
}

std::string Quote(absl::string_view text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

std::string Comment(absl::string_view text) { return absl::StrReplaceAll(text, {{"\\", "/"}}); }

std::string ClauseName(absl::string_view id) {
  return id.empty() ? "kNoClause" : absl::StrCat("Clause::", Enumerator(id));
}

std::string Unsigned(uint64_t value) { return absl::StrCat(value, "u"); }

std::string Hex(uint64_t value) { return absl::StrCat("0x", absl::Hex(value), "u"); }

absl::string_view UnsignedType(uint32_t bits) {
  if (bits <= 8) return "uint8_t";
  if (bits <= 16) return "uint16_t";
  return bits <= 32 ? "uint32_t" : "uint64_t";
}

uint32_t FixedBytes(const Layout& layout) {
  uint32_t bits = 0;
  for (const Field& field : layout.field()) bits += field.bits();
  return bits / 8;
}

const Layout& LayoutNamed(const Spec& spec, absl::string_view name) {
  for (const Layout& layout : spec.data().layout()) {
    if (layout.name() == name) return layout;
  }
  return Layout::default_instance();
}

int FieldIndex(const Layout& layout, absl::string_view name) {
  for (int i = 0; i < layout.field_size(); ++i) {
    if (layout.field(i).name() == name) return i;
  }
  return 0;
}

std::map<std::string, uint32_t> RepeatedLayouts(const Spec& spec) {
  std::map<std::string, uint32_t> counts;
  for (const Opcode& opcode : spec.data().opcode()) {
    if (opcode.tail() != PATH_BLOCKS) continue;
    uint32_t& count = counts[opcode.repeat()];
    count = std::max(count, opcode.count_max());
  }
  return counts;
}

}  // namespace metaroce::compiler::cpp
