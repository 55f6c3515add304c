// What the checks share: the Spec under test, where its items stand, and their names.
#ifndef SPEC_COMPILER_FRONTEND_CONTEXT_H_
#define SPEC_COMPILER_FRONTEND_CONTEXT_H_

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "spec/compiler/frontend/data_block.h"
#include "spec/compiler/frontend/problem.h"
#include "spec/compiler/names.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

// The longest name of an item.
inline constexpr size_t kMaxNameBytes = 64;

// Items of one kind by name. Only the first of a name is in it.
template <typename T>
class Index {
 public:
  const T* Find(absl::string_view name) const {
    auto found = items_.find(name);
    return found == items_.end() ? nullptr : found->second;
  }
  bool Has(absl::string_view name) const { return Find(name) != nullptr; }

  // The item already there under the name or under a name that is the same in code.
  const T* Add(absl::string_view name, const T& item) {
    auto [twin, is_new] = twins_.try_emplace(CamelCase(name), &item);
    if (!is_new) return twin->second;
    items_[name] = &item;
    return nullptr;
  }

 private:
  absl::flat_hash_map<absl::string_view, const T*> items_;
  absl::flat_hash_map<std::string, const T*> twins_;
};

struct Context {
  Context(const Spec& spec, const Places& places, Problems& problems)
      : spec(spec), places(places), problems(problems) {}

  const Spec& spec;
  const Places& places;
  Problems& problems;

  Index<Clause> clauses;
  Index<Layout> layouts;
  Index<Enum> enums;
  Index<Opcode> opcodes;
  Index<Check> checks;
  Index<Reason> reasons;
  Index<Constant> constants;
  Index<Derived> derived;
  Index<Choice> choices;
  Index<ProfileParameter> profile;
  Index<CrossRule> cross_rules;
  Index<Counter> counters;
  Index<Machine> machines;
  Index<Capability> capabilities;
  Index<Flag> flags;

  const Data& data() const { return spec.data(); }

  // Refuses at the line of the item.
  void Refuse(const google::protobuf::Message& item, std::string sentence) {
    problems.Add(places.Of(item), std::move(sentence));
  }

  // Refuses at the line of one field of the item (the item's line if the field is not set).
  void Refuse(const google::protobuf::Message& item, int field, std::string sentence) {
    problems.Add(places.Of(item, field), std::move(sentence));
  }
  void Refuse(const google::protobuf::Message& item, int field, int index, std::string sentence) {
    problems.Add(places.Of(item, field, index), std::move(sentence));
  }

  std::string Show(const google::protobuf::Message& item) const {
    return problems.Show(places.Of(item));
  }
};

// "the layout 'common'".
inline std::string The(absl::string_view kind, absl::string_view name) {
  return absl::StrCat("the ", kind, " '", name, "'");
}

// "the opcode 'write' names the unknown layout 'x'." or "... names no layout."
inline std::string NamesUnknown(absl::string_view who, absl::string_view kind,
                                absl::string_view name) {
  if (name.empty()) return absl::StrCat(who, " names no ", kind, ".");
  return absl::StrCat(who, " names the unknown ", kind, " '", name, "'.");
}

// Fills the indices; refuses malformed and duplicate names and clauses that are not there.
void CheckNames(Context& context);

void CheckLayouts(Context& context);  // layouts, enums
void CheckOpcodes(Context& context);  // classes, opcodes, reserved ranges
void CheckReasons(Context& context);  // checks, reasons
void CheckNumbers(Context& context);  // constants, profile, choices, cross rules, derived
void CheckMachines(Context& context);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_FRONTEND_CONTEXT_H_
