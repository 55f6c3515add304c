#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "spec/compiler/frontend/context.h"
#include "spec/compiler/names.h"

namespace metaroce::compiler {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

// How the names of a kind are written.
struct Form {
  bool (*is)(absl::string_view);
  absl::string_view words;
};
constexpr Form kSnake{IsSnakeCase, "lower_case words joined by '_'"};
constexpr Form kKebab{IsKebabCase, "lower-case words joined by '-'"};
constexpr Form kShout{IsShoutCase, "UPPER_CASE words joined by '_'"};

// False if the name cannot be used.
bool CheckForm(Context& context, const Message& item, int field, int index, absl::string_view kind,
               absl::string_view name, Form form) {
  if (name.empty()) {
    context.Refuse(item, field, index, absl::StrCat("a ", kind, " has no name."));
    return false;
  }
  if (name.size() > kMaxNameBytes) {
    context.Refuse(item, field, index,
                   absl::StrCat("the name of ", The(kind, name), " is longer than ", kMaxNameBytes,
                                " characters."));
    return false;
  }
  if (!form.is(name)) {
    context.Refuse(item, field, index,
                   absl::StrCat("the name of ", The(kind, name), " is not of ", form.words, "."));
    return false;
  }
  return true;
}

std::string AlreadyThere(Context& context, absl::string_view kind, absl::string_view name,
                         absl::string_view other_name, const Message& other) {
  if (name == other_name) {
    return absl::StrCat(The(kind, name), " is already defined at ", context.Show(other), ".");
  }
  return absl::StrCat(The(kind, name), " and ", The(kind, other_name), " at ", context.Show(other),
                      " have the same name in code.");
}

template <typename T>
void AddAll(Context& context, const google::protobuf::RepeatedPtrField<T>& items,
            absl::string_view kind, Form form, Index<T>& index) {
  for (const T& item : items) {
    if (!CheckForm(context, item, T::kNameFieldNumber, -1, kind, item.name(), form)) continue;
    if (const T* other = index.Add(item.name(), item); other != nullptr) {
      context.Refuse(item, AlreadyThere(context, kind, item.name(), other->name(), *other));
    }
  }
}

// Named items inside an item: fields of a layout, values of an enum.
template <typename T>
void CheckInner(Context& context, const google::protobuf::RepeatedPtrField<T>& items,
                absl::string_view kind, Form form) {
  Index<T> index;
  AddAll(context, items, kind, form, index);
}

void CheckWords(Context& context, const Message& item, int field,
                const google::protobuf::RepeatedPtrField<std::string>& words,
                absl::string_view kind, absl::string_view owner, Form form) {
  Index<std::string> index;
  for (int i = 0; i < words.size(); ++i) {
    if (!CheckForm(context, item, field, i, kind, words[i], form)) continue;
    if (index.Add(words[i], words[i]) != nullptr) {
      context.Refuse(item, field, i, absl::StrCat(owner, " has ", The(kind, words[i]), " twice."));
    }
  }
}

void IndexClauses(Context& context) {
  for (const Clause& clause : context.spec.clause()) {
    const Clause* other = context.clauses.Add(clause.id(), clause);
    if (other == nullptr) continue;
    if (other->id() == clause.id()) {
      context.Refuse(clause, absl::StrCat("the clause ", clause.id(), " is already defined at ",
                                          context.Show(*other), "."));
    } else {
      context.Refuse(clause, absl::StrCat("the clauses ", clause.id(), " and ", other->id(), " at ",
                                          context.Show(*other), " have the same name in code."));
    }
  }
}

void IndexData(Context& context) {
  const Data& data = context.data();
  AddAll(context, data.layout(), "layout", kSnake, context.layouts);
  AddAll(context, data.enum_(), "enum", kSnake, context.enums);
  AddAll(context, data.opcode(), "opcode", kSnake, context.opcodes);
  AddAll(context, data.check(), "check", kKebab, context.checks);
  AddAll(context, data.reason(), "reason", kKebab, context.reasons);
  AddAll(context, data.constant(), "constant", kSnake, context.constants);
  AddAll(context, data.derived(), "derived number", kSnake, context.derived);
  AddAll(context, data.choice(), "choice", kKebab, context.choices);
  AddAll(context, data.profile(), "profile parameter", kSnake, context.profile);
  AddAll(context, data.cross_rule(), "cross rule", kKebab, context.cross_rules);
  AddAll(context, data.counter(), "counter", kSnake, context.counters);
  AddAll(context, data.machine(), "machine", kSnake, context.machines);
  AddAll(context, data.capability(), "capability", kKebab, context.capabilities);
  AddAll(context, data.flag(), "flag", kShout, context.flags);
}

void CheckInnerNames(Context& context) {
  for (const Layout& layout : context.data().layout()) {
    CheckInner(context, layout.field(), "field", kSnake);
    if (!layout.has_bitmap()) continue;
    const Bitmap& bitmap = layout.bitmap();
    CheckForm(context, bitmap, Bitmap::kNameFieldNumber, -1, "bitmap", bitmap.name(), kSnake);
    for (const Field& field : layout.field()) {
      if (field.name() != bitmap.name()) continue;
      context.Refuse(
          bitmap, absl::StrCat("the bitmap '", bitmap.name(), "' of ", The("layout", layout.name()),
                               " has the name of a field."));
    }
  }
  for (const Enum& item : context.data().enum_()) {
    CheckInner(context, item.value(), "enum value", kKebab);
  }
  for (const Choice& choice : context.data().choice()) {
    if (!choice.has_names()) continue;
    CheckWords(context, choice.names(), Names::kNameFieldNumber, choice.names().name(), "name",
               The("choice", choice.name()), kKebab);
  }
  for (const Machine& machine : context.data().machine()) {
    const std::string owner = The("machine", machine.name());
    CheckWords(context, machine, Machine::kStateFieldNumber, machine.state(), "state", owner,
               kShout);
    CheckWords(context, machine, Machine::kEventFieldNumber, machine.event(), "event", owner,
               kShout);
  }
}

// Constants and profile parameters stand in the same sums.
void CheckConstantsAndProfileDiffer(Context& context) {
  for (const ProfileParameter& parameter : context.data().profile()) {
    const Constant* constant = context.constants.Find(parameter.name());
    if (constant == nullptr) continue;
    context.Refuse(parameter,
                   absl::StrCat(The("profile parameter", parameter.name()),
                                " has the name of the constant at ", context.Show(*constant), "."));
  }
}

// Items that may do without a clause of their own: they belong to one that has it, or are notes.
bool MayLackClause(const Message& item) {
  const google::protobuf::Descriptor* type = item.GetDescriptor();
  return type == EnumValue::descriptor() || type == Transition::descriptor() ||
         type == Flag::descriptor();
}

// Visits `message` and all below it: each field called "clause" names a clause of the prose.
void CheckClauseFields(Context& context, const Message& message) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  const FieldDescriptor* clause = message.GetDescriptor()->FindFieldByName("clause");
  if (clause != nullptr) {
    const std::string id = reflection.GetString(message, clause);
    if (id.empty() && !MayLackClause(message)) {
      context.Refuse(message,
                     absl::StrCat("this ", message.GetDescriptor()->name(), " names no clause."));
    } else if (!id.empty() && !context.clauses.Has(id)) {
      context.Refuse(message, clause->number(), absl::StrCat("there is no clause ", id, "."));
    }
  }
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      CheckClauseFields(context, reflection.GetMessage(message, field));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      CheckClauseFields(context, reflection.GetRepeatedMessage(message, field, i));
    }
  }
}

}  // namespace

void CheckNames(Context& context) {
  IndexClauses(context);
  IndexData(context);
  CheckInnerNames(context);
  CheckConstantsAndProfileDiffer(context);
  CheckClauseFields(context, context.data());
}

}  // namespace metaroce::compiler
