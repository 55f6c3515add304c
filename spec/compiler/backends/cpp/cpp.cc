#include "spec/compiler/backends/cpp/cpp.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "spec/compiler/backends/cpp/writer.h"
#include "spec/compiler/names.h"

namespace metaroce::compiler {
namespace {

// Types of namespace metaroce::spec that are there whatever the text says.
constexpr absl::string_view kTypes[] = {"Clause",        "Layout",
                                        "Opcode",        "OpcodeClass",
                                        "CheckId",       "Reason",
                                        "Constant",      "Choice",
                                        "Counter",       "ProfileParameter",
                                        "Capability",    "Flag",
                                        "NamedValue",    "Named",
                                        "Name",          "FromName",
                                        "Level",         "Unit",
                                        "Tail",          "Disposition",
                                        "ClauseInfo",    "EnumInfo",
                                        "EnumValueInfo", "FieldInfo",
                                        "LayoutInfo",    "OpcodeInfo",
                                        "CheckInfo",     "ReasonInfo",
                                        "NumberInfo",    "DerivedInfo",
                                        "Upper",         "ChoiceInfo",
                                        "TermInfo",      "Relation",
                                        "CrossRuleInfo", "NoteInfo",
                                        "CellKind",      "Cell",
                                        "Headers",       "Info",
                                        "InfoOfValue",   "FixedBytes",
                                        "LoadHeaders",   "StoreHeaders",
                                        "LoadBody",      "StoreBody",
                                        "HeadersEqual",  "ReservedOpcodesInfo",
                                        "Clauses",       "GetField",
                                        "SetField",      "Bits",
                                        "LoadWord64",    "LoadWord32",
                                        "StoreWord64",   "StoreWord32",
                                        "ClassOf"};

// Layouts, enums and machines make types of one namespace.
absl::Status CheckTypeNames(const Spec& spec) {
  std::map<std::string, std::string> owners;
  for (absl::string_view type : kTypes) owners[std::string(type)] = "a type of every text";
  absl::Status status;
  const auto claim = [&](const std::string& type, const std::string& owner) {
    auto [other, is_new] = owners.try_emplace(type, owner);
    if (is_new || !status.ok()) return;
    status = absl::InvalidArgumentError(
        absl::StrCat("the C++ type ", type, " would be both ", other->second, " and ", owner, "."));
  };
  for (const Layout& layout : spec.data().layout()) {
    claim(CamelCase(layout.name()), absl::StrCat("the layout '", layout.name(), "'"));
  }
  for (const Enum& item : spec.data().enum_()) {
    claim(CamelCase(item.name()), absl::StrCat("the enum '", item.name(), "'"));
  }
  for (const Machine& machine : spec.data().machine()) {
    const std::string owner = absl::StrCat("the machine '", machine.name(), "'");
    claim(absl::StrCat(CamelCase(machine.name()), "State"), absl::StrCat("the states of ", owner));
    claim(absl::StrCat(CamelCase(machine.name()), "Event"), absl::StrCat("the events of ", owner));
  }
  return status;
}

}  // namespace

absl::StatusOr<std::vector<OutputFile>> GenerateCpp(const Spec& spec) {
  if (absl::Status status = CheckTypeNames(spec); !status.ok()) return status;
  std::vector<OutputFile> files;
  files.push_back({"tables.h", cpp::TablesHeader(spec)});
  files.push_back({"tables.cc", cpp::TablesSource(spec)});
  files.push_back({"layouts.h", cpp::LayoutsHeader(spec)});
  files.push_back({"layouts.cc", cpp::LayoutsSource(spec)});
  return files;
}

}  // namespace metaroce::compiler
