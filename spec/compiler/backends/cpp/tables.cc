// tables.h as a whole, and tables.cc.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "spec/compiler/backends/cpp/writer.h"
#include "spec/compiler/names.h"

namespace metaroce::compiler::cpp {
namespace {

// One enum class: its type name, its underlying type, and (text's name, value) of each enumerator.
struct EnumClass {
  std::string type;
  absl::string_view underlying;
  std::vector<std::pair<std::string, uint64_t>> values;
};

std::string Define(const EnumClass& item) {
  std::string out = absl::StrCat("enum class ", item.type, " : ", item.underlying, " {\n");
  for (const auto& [name, value] : item.values) {
    absl::StrAppend(&out, "  ", Enumerator(name), " = ", value, ",\n");
  }
  absl::StrAppend(&out, "};\ntemplate <>\nstruct Named<", item.type, "> {\n",
                  "  static constexpr std::array<NamedValue<", item.type, ">, ", item.values.size(),
                  "> kAll = {{\n");
  for (const auto& [name, value] : item.values) {
    absl::StrAppend(&out, "      {", Quote(name), ", ", item.type, "::", Enumerator(name), "},\n");
  }
  absl::StrAppend(&out, "  }};\n};\n\n");
  return out;
}

// Items numbered in the order of the text.
template <typename T>
std::string Numbered(absl::string_view type, absl::string_view underlying,
                     const google::protobuf::RepeatedPtrField<T>& items) {
  EnumClass out{std::string(type), underlying, {}};
  for (const T& item : items) out.values.emplace_back(item.name(), out.values.size());
  return Define(out);
}

std::string Words(const std::string& type,
                  const google::protobuf::RepeatedPtrField<std::string>& words) {
  EnumClass out{type, "uint8_t", {}};
  for (const std::string& word : words) out.values.emplace_back(word, out.values.size());
  return Define(out);
}

// The bits of the widest field that names the enum, at least those of its greatest value.
uint32_t BitsOf(const Spec& spec, const Enum& item) {
  uint32_t bits = 1;
  for (const Layout& layout : spec.data().layout()) {
    for (const Field& field : layout.field()) {
      if (field.enum_() == item.name()) bits = std::max(bits, field.bits());
    }
  }
  for (const EnumValue& value : item.value()) {
    while (bits < 32 && value.value() >> bits != 0) ++bits;
  }
  return bits;
}

std::string TextEnums(const Spec& spec) {
  std::string out;
  for (const Enum& item : spec.data().enum_()) {
    EnumClass type{CamelCase(item.name()), UnsignedType(BitsOf(spec, item)), {}};
    for (const EnumValue& value : item.value()) {
      type.values.emplace_back(value.name(), value.value());
    }
    absl::StrAppend(&out, Define(type));
  }
  return out;
}

std::string ClauseNames(const Spec& spec) {
  std::string out = "// Every clause by name: code that cites a clause does not outlive it.\n";
  absl::StrAppend(&out, "namespace clause {\n");
  for (const Clause& clause : spec.clause()) {
    absl::StrAppend(&out, "inline constexpr Clause ", Enumerator(clause.id()), " = ",
                    ClauseName(clause.id()), ";\n");
  }
  absl::StrAppend(&out, "}  // namespace clause\n\n");
  return out;
}

std::string ProvenanceText(const Clause& clause) {
  return absl::StrJoin(clause.provenance(), "; ", [](std::string* out, const Provenance& item) {
    if (item.source() == RFC) {
      absl::StrAppend(out, item.reference());
    } else {
      absl::StrAppend(out, Source_Name(item.source()), item.reference().empty() ? "" : " ",
                      item.reference());
    }
  });
}

bool IsFinal(const Spec& spec, absl::string_view file) {
  for (const Chapter& chapter : spec.chapter()) {
    if (chapter.file() == file) return chapter.final();
  }
  return false;
}

}  // namespace

std::string EnumsPart(const Spec& spec) {
  const Data& data = spec.data();
  std::string out;
  EnumClass clauses{"Clause", "uint16_t", {}};
  for (const Clause& clause : spec.clause()) {
    clauses.values.emplace_back(clause.id(), clauses.values.size());
  }
  EnumClass classes{"OpcodeClass", "uint8_t", {}};
  for (const OpcodeClassRule& rule : data.opcode_class()) {
    classes.values.emplace_back(OpcodeClass_Name(rule.class_()), rule.value());
  }
  EnumClass opcodes{"Opcode", "uint8_t", {}};
  for (const Opcode& opcode : data.opcode()) {
    opcodes.values.emplace_back(opcode.name(), opcode.value());
  }
  EnumClass reasons{"Reason", "uint8_t", {}};
  for (const Reason& reason : data.reason()) {
    reasons.values.emplace_back(reason.name(), reason.code());
  }
  absl::StrAppend(&out, Define(clauses), ClauseNames(spec), Define(classes), Define(opcodes),
                  Numbered("Layout", "uint8_t", data.layout()),
                  Numbered("CheckId", "uint8_t", data.check()), Define(reasons),
                  Numbered("Constant", "uint16_t", data.constant()),
                  Numbered("ProfileParameter", "uint16_t", data.profile()),
                  Numbered("Choice", "uint16_t", data.choice()),
                  Numbered("Counter", "uint16_t", data.counter()),
                  Numbered("Capability", "uint16_t", data.capability()),
                  Numbered("Flag", "uint16_t", data.flag()), TextEnums(spec));
  for (const Machine& machine : data.machine()) {
    absl::StrAppend(&out, Words(absl::StrCat(CamelCase(machine.name()), "State"), machine.state()),
                    Words(absl::StrCat(CamelCase(machine.name()), "Event"), machine.event()));
  }
  return out;
}

std::string TablesHeader(const Spec& spec) {
  return absl::StrCat(
      "// Generated from the chapters of spec/ by spec_compiler.\n"
      "#ifndef SPEC_TABLES_H_\n#define SPEC_TABLES_H_\n\n"
      "#include <array>\n#include <cstddef>\n#include <cstdint>\n#include <limits>\n"
      "#include <optional>\n#include <span>\n#include <string_view>\n\n"
      "#include \"spec/compiler/runtime/types.h\"\n\n"
      "namespace metaroce::spec {\n\n"
      "inline constexpr std::string_view kVersion = ",
      Quote(spec.version()), ";\n",
      "// SHA-256 of the whole text as data. Defined elsewhere: with each word of the text it is\n"
      "// another, and few who include this look at it.\n"
      "extern const std::string_view kHash;\n\n",
      EnumsPart(spec), "inline constexpr size_t kClauseCount = ", spec.clause_size(),
      ";\n// In the order of the text.\nstd::span<const ClauseInfo> Clauses();\n",
      "const ClauseInfo& Info(Clause clause);\n\n", WirePart(spec), RulesPart(spec),
      MachinesPart(spec), "}  // namespace metaroce::spec\n\n#endif  // SPEC_TABLES_H_\n");
}

std::string TablesSource(const Spec& spec) {
  std::string out = absl::StrCat(
      "// Generated from the chapters of spec/ by spec_compiler.\n#include \"spec/tables.h\"\n\n"
      "namespace metaroce::spec {\nnamespace {\n\n",
      "constexpr std::array<ClauseInfo, ", spec.clause_size(), "> kClauses = {{\n");
  for (const Clause& clause : spec.clause()) {
    absl::StrAppend(
        &out, "    {", Quote(clause.id()), ", Level::", Enumerator(Level_Name(clause.level())),
        ", ", Quote(ProvenanceText(clause)), ", ", Quote(clause.unproven()), ", ",
        Quote(clause.no_positive()), ", ", Quote(clause.no_negative()), ", ",
        IsFinal(spec, clause.chapter()) ? "true" : "false", ", ", Quote(clause.chapter()), ", ",
        clause.line(), ", ", Quote(clause.heading()), ",\n     ", Quote(clause.text()), ",\n     ",
        Quote(clause.why()), ",\n     ", Quote(clause.freedom()), "},\n");
  }
  absl::StrAppend(&out,
                  "}};\n\n// For a value that is no clause.\n"
                  "constexpr ClauseInfo kNoInfo = {};\n\n}  // namespace\n\n"
                  "constinit const std::string_view kHash = ",
                  Quote(spec.hash()),
                  ";\n\n"
                  "std::span<const ClauseInfo> Clauses() { return kClauses; }\n\n"
                  "const ClauseInfo& Info(Clause clause) {\n"
                  "  const size_t index = static_cast<size_t>(clause);\n"
                  "  return index < kClauses.size() ? kClauses[index] : kNoInfo;\n}\n\n"
                  "}  // namespace metaroce::spec\n");
  return out;
}

}  // namespace metaroce::compiler::cpp
