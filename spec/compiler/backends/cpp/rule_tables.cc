// The part of tables.h that describes behaviour: checks, reasons, numbers, choices, machines.
#include <cstdint>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "spec/compiler/backends/cpp/writer.h"
#include "spec/compiler/names.h"

namespace metaroce::compiler::cpp {
namespace {

absl::string_view Bool(bool value) { return value ? "true" : "false"; }

std::string Begin(absl::string_view type, int count, absl::string_view name) {
  return absl::StrCat("inline constexpr std::array<", type, ", ", count, "> ", name, " = {{\n");
}

// "constexpr const X& Info(Key)" over a table in the order of the enum.
std::string InfoByIndex(absl::string_view type, absl::string_view key, absl::string_view table) {
  return absl::StrCat("constexpr const ", type, "& Info(", key, " item) {\n  return ", table,
                      "[static_cast<size_t>(item)];\n}\n\n");
}

std::string Checks(const Spec& spec) {
  std::string out = absl::StrCat("// In the order in which a receiver makes them.\n",
                                 Begin("CheckInfo", spec.data().check_size(), "kChecks"));
  for (const Check& item : spec.data().check()) {
    absl::StrAppend(&out, "    {", Quote(item.name()), ", ", ClauseName(item.clause()), ", ",
                    Bool(item.stateless()), ", ", Quote(item.note()), "},\n");
  }
  absl::StrAppend(&out, "}};\n", InfoByIndex("CheckInfo", "CheckId", "kChecks"));
  return out;
}

std::string Reasons(const Spec& spec) {
  std::string out = Begin("ReasonInfo", spec.data().reason_size(), "kReasons");
  for (const Reason& item : spec.data().reason()) {
    const std::string nack =
        item.nack().empty() ? "std::nullopt" : absl::StrCat("Opcode::", Enumerator(item.nack()));
    absl::StrAppend(&out, "    {", Quote(item.name()), ", Reason::", Enumerator(item.name()),
                    ", CheckId::", Enumerator(item.check()),
                    ", Disposition::", Enumerator(Disposition_Name(item.disposition())), ", ", nack,
                    ", Counter::", Enumerator(item.counter()), ",\n     ",
                    ClauseName(item.clause()), ", ", Quote(item.note()), "},\n");
  }
  absl::StrAppend(&out,
                  "}};\n// By code; null for a code that is not in the list.\n"
                  "inline constexpr std::array<const ReasonInfo*, 256> kReasonByCode = [] {\n"
                  "  std::array<const ReasonInfo*, 256> table = {};\n"
                  "  for (const ReasonInfo& info : kReasons) {\n"
                  "    table[static_cast<uint8_t>(info.reason)] = &info;\n  }\n"
                  "  return table;\n}();\n"
                  "// Of a reason that has a name.\n"
                  "constexpr const ReasonInfo& Info(Reason reason) {\n"
                  "  return *kReasonByCode[static_cast<uint8_t>(reason)];\n}\n\n");
  return out;
}

template <typename T>
std::string NumberTable(const google::protobuf::RepeatedPtrField<T>& items, absl::string_view key,
                        absl::string_view table, absl::string_view space,
                        bool (*is_fixed)(const T&)) {
  std::string out = absl::StrCat("namespace ", space, " {\n");
  for (const T& item : items) {
    absl::StrAppend(&out, "inline constexpr uint64_t ", Enumerator(item.name()), " = ",
                    Unsigned(item.default_()), ";\n");
  }
  absl::StrAppend(&out, "}  // namespace ", space, "\n", Begin("NumberInfo", items.size(), table));
  for (const T& item : items) {
    absl::StrAppend(&out, "    {", Quote(item.name()), ", ", Unsigned(item.default_()), ", ",
                    Unsigned(item.min()), ", ", Unsigned(item.max()), ", ", Bool(is_fixed(item)),
                    ", Unit::", Enumerator(Unit_Name(item.unit())), ", ", ClauseName(item.clause()),
                    ", ", Quote(item.note()), "},\n");
  }
  absl::StrAppend(&out, "}};\n", InfoByIndex("NumberInfo", key, table));
  return out;
}

std::string Numbers(const Spec& spec) {
  return absl::StrCat(
      "// The defaults of the constants; a fixed one is part of the protocol.\n",
      NumberTable<Constant>(spec.data().constant(), "Constant", "kConstants", "constant",
                            [](const Constant& item) { return item.fixed(); }),
      "// The defaults of what an implementation declares.\n",
      NumberTable<ProfileParameter>(spec.data().profile(), "ProfileParameter", "kProfileParameters",
                                    "profile", [](const ProfileParameter&) { return false; }));
}

std::string DerivedNumbers(const Spec& spec) {
  std::string names = "// Numbers that follow from the layouts.\nnamespace derived {\n";
  std::string table = Begin("DerivedInfo", spec.data().derived_size(), "kDerived");
  for (const Derived& item : spec.data().derived()) {
    uint64_t value = item.plus();
    for (const std::string& layout : item.layout()) value += FixedBytes(LayoutNamed(spec, layout));
    absl::StrAppend(&names, "inline constexpr uint64_t ", Enumerator(item.name()), " = ",
                    Unsigned(value), ";\n");
    absl::StrAppend(&table, "    {", Quote(item.name()), ", ", Unsigned(value), ", ",
                    ClauseName(item.clause()), "},\n");
  }
  return absl::StrCat(names, "}  // namespace derived\n", table, "}};\n\n");
}

template <typename T>
const T* FindNamed(const google::protobuf::RepeatedPtrField<T>& items, absl::string_view name) {
  for (const T& item : items) {
    if (item.name() == name) return &item;
  }
  return nullptr;
}

template <typename T>
uint64_t DefaultOf(const google::protobuf::RepeatedPtrField<T>& items, absl::string_view name) {
  const T* item = FindNamed(items, name);
  return item == nullptr ? 0 : item->default_();
}

// "min, max, Upper::kX, name, Unit::kY, default".
std::string RangeColumns(const Spec& spec, const Choice& choice) {
  const Range& range = choice.range();
  std::string max = "std::numeric_limits<uint64_t>::max()";
  absl::string_view upper = "kExpression";
  std::string name = range.max_expression();
  if (range.has_max()) {
    max = Unsigned(range.max());
    upper = "kNumber";
  } else if (range.has_max_profile()) {
    name = range.max_profile();
    max = Unsigned(DefaultOf(spec.data().profile(), name));
    upper = "kProfile";
  } else if (range.has_max_constant()) {
    name = range.max_constant();
    max = Unsigned(DefaultOf(spec.data().constant(), name));
    upper = "kConstant";
  }
  uint64_t value = 0;
  (void)absl::SimpleAtoi(choice.default_(), &value);  // the front end saw that it is a number
  return absl::StrCat(Unsigned(range.min()), ", ", max, ", Upper::", upper, ", ", Quote(name),
                      ", Unit::", Enumerator(Unit_Name(range.unit())), ", ", Unsigned(value));
}

std::string NamesColumns(const Choice& choice) {
  int index = 0;
  while (index + 1 < choice.names().name_size() &&
         choice.names().name(index) != choice.default_()) {
    ++index;
  }
  return absl::StrCat("0, ", choice.names().name_size() - 1,
                      ", Upper::kNumber, \"\", Unit::kNone, ", index);
}

std::string Choices(const Spec& spec) {
  std::string names;
  std::string table = Begin("ChoiceInfo", spec.data().choice_size(), "kChoices");
  for (const Choice& item : spec.data().choice()) {
    const std::string domain = absl::StrCat("k", CamelCase(item.name()), "Names");
    absl::StrAppend(&names, "inline constexpr std::array<std::string_view, ",
                    item.names().name_size(), "> ", domain, " = {{");
    for (const std::string& name : item.names().name()) {
      absl::StrAppend(&names, Quote(name), ", ");
    }
    absl::StrAppend(&names, "}};\n");
    absl::StrAppend(&table, "    {", Quote(item.name()), ", ", ClauseName(item.clause()), ", ",
                    domain, ", ", item.has_range() ? RangeColumns(spec, item) : NamesColumns(item),
                    ",\n     ", Quote(item.determined_by()), ", ", Quote(item.note()), "},\n");
  }
  return absl::StrCat(names, table, "}};\n", InfoByIndex("ChoiceInfo", "Choice", "kChoices"));
}

template <typename T>
int IndexNamed(const google::protobuf::RepeatedPtrField<T>& items, absl::string_view name) {
  for (int i = 0; i < items.size(); ++i) {
    if (items[i].name() == name) return i;
  }
  return -1;
}

std::string TermArray(const Spec& spec, const google::protobuf::RepeatedPtrField<Term>& terms,
                      const std::string& name) {
  std::string out = Begin("TermInfo", terms.size(), name);
  for (const Term& term : terms) {
    const int constant = IndexNamed(spec.data().constant(), term.name());
    const int profile = IndexNamed(spec.data().profile(), term.name());
    const bool is_number = term.name().empty();
    const uint64_t factor = term.factor() == 0 && !is_number ? 1 : term.factor();
    absl::StrAppend(
        &out,
        "    {TermInfo::Kind::", is_number ? "kNumber" : (constant >= 0 ? "kConstant" : "kProfile"),
        ", ", is_number ? 0 : (constant >= 0 ? constant : profile), ", ", Unsigned(factor), "},\n");
  }
  absl::StrAppend(&out, "}};\n");
  return out;
}

absl::string_view RelationName(absl::string_view relation) {
  if (relation == "<=") return "kLessOrEqual";
  return relation == "<" ? "kLess" : "kEqual";
}

std::string CrossRules(const Spec& spec) {
  std::string terms;
  std::string table = Begin("CrossRuleInfo", spec.data().cross_rule_size(), "kCrossRules");
  for (const CrossRule& rule : spec.data().cross_rule()) {
    const std::string left = absl::StrCat("k", CamelCase(rule.name()), "Left");
    const std::string right = absl::StrCat("k", CamelCase(rule.name()), "Right");
    absl::StrAppend(&terms, TermArray(spec, rule.left(), left),
                    TermArray(spec, rule.right(), right));
    absl::StrAppend(&table, "    {", Quote(rule.name()), ", ", ClauseName(rule.clause()), ", ",
                    left, ", Relation::", RelationName(rule.relation()), ", ", right, ",\n     ",
                    Quote(rule.sentence()), "},\n");
  }
  return absl::StrCat(terms, table, "}};\n\n");
}

template <typename T>
std::string Notes(const google::protobuf::RepeatedPtrField<T>& items, absl::string_view key,
                  absl::string_view table) {
  std::string out = Begin("NoteInfo", items.size(), table);
  for (const T& item : items) {
    absl::StrAppend(&out, "    {", Quote(item.name()), ", ", ClauseName(item.clause()), ", ",
                    Quote(item.note()), "},\n");
  }
  absl::StrAppend(&out, "}};\n", InfoByIndex("NoteInfo", key, table));
  return out;
}

// The transition that fills a cell.
const Transition& CellOf(const Machine& machine, const std::string& state,
                         const std::string& event) {
  for (const Transition& on : machine.on()) {
    bool has_state = false;
    bool has_event = false;
    for (const std::string& name : on.state()) has_state |= name == state;
    for (const std::string& name : on.event()) has_event |= name == event;
    if (has_state && has_event) return on;
  }
  return Transition::default_instance();
}

std::string OneCell(const Machine& machine, const std::string& state, const std::string& event) {
  const Transition& on = CellOf(machine, state, event);
  const std::string type = absl::StrCat(CamelCase(machine.name()), "State");
  absl::string_view kind = "kActs";
  if (!on.ignored().empty()) kind = "kIgnored";
  if (!on.impossible().empty()) kind = "kImpossible";
  const std::string counter =
      on.ignored().empty() ? "std::nullopt" : absl::StrCat("Counter::", Enumerator(on.ignored()));
  return absl::StrCat("{CellKind::", kind, ", ", type,
                      "::", Enumerator(on.next().empty() ? state : on.next()), ", ", counter, ", ",
                      ClauseName(on.clause().empty() ? machine.clause() : on.clause()), ", ",
                      Quote(on.effect()), ", ", Quote(on.impossible()), "}");
}

}  // namespace

std::string RulesPart(const Spec& spec) {
  const Data& data = spec.data();
  return absl::StrCat(Checks(spec), Reasons(spec), Numbers(spec), DerivedNumbers(spec),
                      Choices(spec), CrossRules(spec),
                      Notes(data.counter(), "Counter", "kCounters"),
                      Notes(data.capability(), "Capability", "kCapabilities"),
                      Notes(data.flag(), "Flag", "kFlags"));
}

std::string MachinesPart(const Spec& spec) {
  std::string out;
  for (const Machine& machine : spec.data().machine()) {
    const std::string name = CamelCase(machine.name());
    const std::string cell = absl::StrCat("Cell<", name, "State>");
    absl::StrAppend(&out, "// kXMatrix[state][event].\ninline constexpr std::array<std::array<",
                    cell, ", ", machine.event_size(), ">, ", machine.state_size(), "> k", name,
                    "Matrix = {{\n");
    for (const std::string& state : machine.state()) {
      absl::StrAppend(&out, "    {{  // ", state, "\n");
      for (const std::string& event : machine.event()) {
        absl::StrAppend(&out, "        ", OneCell(machine, state, event), ",  // ", event, "\n");
      }
      absl::StrAppend(&out, "    }},\n");
    }
    absl::StrAppend(&out, "}};\nconstexpr const ", cell, "& Lookup(", name, "State state, ", name,
                    "Event event) {\n  return k", name,
                    "Matrix[static_cast<size_t>(state)][static_cast<size_t>(event)];\n}\n\n");
  }
  return out;
}

}  // namespace metaroce::compiler::cpp
