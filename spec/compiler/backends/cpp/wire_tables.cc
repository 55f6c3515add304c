// The part of tables.h that describes packets: enums of the text, layouts, opcodes.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "spec/compiler/backends/cpp/writer.h"
#include "spec/compiler/names.h"

namespace metaroce::compiler::cpp {
namespace {

std::string OneEnum(absl::string_view name, const std::vector<EnumValue>& values) {
  const std::string table = absl::StrCat("k", CamelCase(name), "Values");
  std::string out = absl::StrCat("inline constexpr std::array<EnumValueInfo, ", values.size(), "> ",
                                 table, " = {{\n");
  for (const EnumValue& value : values) {
    absl::StrAppend(&out, "    {", Quote(value.name()), ", ", value.value(), ", ",
                    ClauseName(value.clause()), ", ", Quote(value.note()), "},\n");
  }
  absl::StrAppend(&out, "}};\ninline constexpr EnumInfo k", CamelCase(name), "Enum = {",
                  Quote(name), ", ", table, "};\n");
  return out;
}

EnumValue MakeValue(const std::string& name, uint32_t value, const std::string& clause,
                    const std::string& note) {
  EnumValue out;
  out.set_name(name);
  out.set_value(value);
  out.set_clause(clause);
  out.set_note(note);
  return out;
}

std::string EnumTables(const Spec& spec) {
  std::string out =
      "// The enums of the text; kOpcodeEnum and kReasonEnum hold all opcodes and reasons.\n";
  std::vector<EnumValue> opcodes;
  for (const Opcode& item : spec.data().opcode()) {
    opcodes.push_back(MakeValue(item.name(), item.value(), item.clause(), item.note()));
  }
  std::vector<EnumValue> reasons;
  for (const Reason& item : spec.data().reason()) {
    reasons.push_back(MakeValue(item.name(), item.code(), item.clause(), item.note()));
  }
  absl::StrAppend(&out, OneEnum("opcode", opcodes), OneEnum("reason", reasons));
  std::string list;
  for (const Enum& item : spec.data().enum_()) {
    absl::StrAppend(&out, OneEnum(item.name(), {item.value().begin(), item.value().end()}));
    absl::StrAppend(&list, "    &k", CamelCase(item.name()), "Enum,\n");
  }
  absl::StrAppend(&out, "inline constexpr std::array<const EnumInfo*, ", spec.data().enum__size(),
                  "> kEnums = {{\n", list, "}};\n\n");
  return out;
}

std::string LayoutTable(const Layout& layout) {
  const std::string name = CamelCase(layout.name());
  std::string out = absl::StrCat("inline constexpr std::array<FieldInfo, ", layout.field_size(),
                                 "> k", name, "Fields = {{\n");
  uint32_t offset = 0;
  for (const Field& field : layout.field()) {
    const std::string values =
        field.enum_().empty() ? "nullptr" : absl::StrCat("&k", CamelCase(field.enum_()), "Enum");
    absl::StrAppend(&out, "    {", Quote(field.name()), ", ", offset, ", ", field.bits(), ", ",
                    field.reserved() ? "true" : "false",
                    ", Unit::", Enumerator(Unit_Name(field.unit())), ", ", values, ", ",
                    Quote(field.all_ones()), ", ", Quote(field.serial()), ", ", Quote(field.note()),
                    "},\n");
    offset += field.bits();
  }
  const Bitmap& bitmap = layout.bitmap();
  absl::StrAppend(&out, "}};\ninline constexpr std::array<uint16_t, ", bitmap.lengths_size(), "> k",
                  name, "BitmapLengths = {{");
  for (uint32_t length : bitmap.lengths()) absl::StrAppend(&out, length, ", ");
  absl::StrAppend(&out, "}};\ninline constexpr LayoutInfo k", name, "Layout = {\n    ",
                  Quote(layout.name()), ", ", Quote(layout.title()), ", ",
                  ClauseName(layout.clause()), ", ", FixedBytes(layout), ", k", name, "Fields, ",
                  Quote(bitmap.name()), ", ",
                  layout.has_bitmap() ? FieldIndex(layout, bitmap.selected_by()) : 0, ", k", name,
                  "BitmapLengths};\n");
  return out;
}

std::string LayoutTables(const Spec& spec) {
  std::string out;
  std::string list;
  for (const Layout& layout : spec.data().layout()) {
    absl::StrAppend(&out, LayoutTable(layout));
    absl::StrAppend(&list, "    &k", CamelCase(layout.name()), "Layout,\n");
  }
  absl::StrAppend(&out, "inline constexpr std::array<const LayoutInfo*, ",
                  spec.data().layout_size(), "> kLayouts = {{\n", list, "}};\n",
                  "constexpr const LayoutInfo& Info(Layout layout) {\n"
                  "  return *kLayouts[static_cast<size_t>(layout)];\n}\n\n");
  return out;
}

std::string OpcodeRow(const Spec& spec, const Opcode& opcode) {
  uint32_t fixed = 0;
  for (const std::string& header : opcode.header()) {
    fixed += FixedBytes(LayoutNamed(spec, header));
  }
  std::string repeat = "Layout{}, Layout{}, 0";
  if (opcode.tail() == PATH_BLOCKS) {
    const std::string& path = opcode.count_field();
    const size_t dot = path.find('.');
    const std::string layout = path.substr(0, dot);
    repeat = absl::StrCat("Layout::", Enumerator(opcode.repeat()), ", Layout::", Enumerator(layout),
                          ", ", FieldIndex(LayoutNamed(spec, layout), path.substr(dot + 1)));
  }
  return absl::StrCat("  {\n    OpcodeInfo& info = table[", opcode.value(),
                      "];\n    info = {true, Opcode::", Enumerator(opcode.name()),
                      ", OpcodeClass::", Enumerator(OpcodeClass_Name(opcode.class_())), ", ",
                      Quote(opcode.name()), ", ", ClauseName(opcode.clause()), ",\n            k",
                      CamelCase(opcode.name()), "Headers, ", fixed,
                      ", Tail::", Enumerator(Tail_Name(opcode.tail())), ", ", repeat, ", ",
                      opcode.count_min(), ", ", opcode.count_max(), ",\n            ",
                      Quote(opcode.note()), "};\n  }\n");
}

std::string OpcodeTables(const Spec& spec) {
  std::string out;
  std::vector<const Opcode*> sorted;
  for (const Opcode& opcode : spec.data().opcode()) sorted.push_back(&opcode);
  std::sort(sorted.begin(), sorted.end(),
            [](const Opcode* a, const Opcode* b) { return a->value() < b->value(); });
  std::string rows;
  std::string list;
  for (const Opcode* opcode : sorted) {
    absl::StrAppend(&out, "inline constexpr std::array<Layout, ", opcode->header_size(), "> k",
                    CamelCase(opcode->name()), "Headers = {{");
    for (const std::string& header : opcode->header()) {
      absl::StrAppend(&out, "Layout::", Enumerator(header), ", ");
    }
    absl::StrAppend(&out, "}};\n");
    absl::StrAppend(&rows, OpcodeRow(spec, *opcode));
    absl::StrAppend(&list, "    Opcode::", Enumerator(opcode->name()), ",\n");
  }
  absl::StrAppend(
      &out, "// All opcodes in the order of their values.\n",
      "inline constexpr std::array<Opcode, ", sorted.size(), "> kOpcodes = {{\n", list, "}};\n\n",
      "constexpr OpcodeClass ClassOf(uint8_t opcode) { return OpcodeClass{static_cast<uint8_t>("
      "opcode >> 6)}; }\n\n"
      "// By value, the unknown ones too.\n"
      "inline constexpr std::array<OpcodeInfo, 256> kOpcodeTable = [] {\n"
      "  std::array<OpcodeInfo, 256> table = {};\n"
      "  for (size_t value = 0; value < table.size(); ++value) {\n"
      "    table[value].opcode = Opcode{static_cast<uint8_t>(value)};\n"
      "    table[value].opcode_class = ClassOf(static_cast<uint8_t>(value));\n"
      "    table[value].clause = kNoClause;\n  }\n",
      rows, "  return table;\n}();\n",
      "constexpr const OpcodeInfo& Info(Opcode opcode) {\n"
      "  return kOpcodeTable[static_cast<uint8_t>(opcode)];\n}\n\n");
  absl::StrAppend(&out, "inline constexpr std::array<ReservedOpcodesInfo, ",
                  spec.data().reserved_opcodes_size(), "> kReservedOpcodes = {{\n");
  for (const ReservedOpcodes& range : spec.data().reserved_opcodes()) {
    absl::StrAppend(&out, "    {", range.first(), ", ", range.last(), ", ",
                    ClauseName(range.clause()), ", ", Quote(range.note()), "},\n");
  }
  absl::StrAppend(&out, "}};\n\n");
  return out;
}

}  // namespace

std::string WirePart(const Spec& spec) {
  return absl::StrCat(EnumTables(spec), LayoutTables(spec), OpcodeTables(spec));
}

}  // namespace metaroce::compiler::cpp
