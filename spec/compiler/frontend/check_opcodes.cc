#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "spec/compiler/frontend/context.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {
namespace {

constexpr uint32_t kMaxOpcode = 255;
// The class of an opcode is its top two bits.
constexpr uint32_t kClassShift = 6;
constexpr uint32_t kMaxClass = 3;
// Longest header stack; it bounds the generated tables.
constexpr int kMaxHeaders = 8;
constexpr absl::string_view kOpcodeField = "opcode";

const Field* FindField(const Layout& layout, absl::string_view name) {
  for (const Field& field : layout.field()) {
    if (field.name() == name) return &field;
  }
  return nullptr;
}

class OpcodeChecker {
 public:
  explicit OpcodeChecker(Context& context) : context_(context) {}

  void Run() {
    CheckClasses();
    CheckReserved();
    CheckCommonHeader();
    for (const Opcode& opcode : context_.data().opcode()) CheckOpcode(opcode);
  }

 private:
  void CheckClasses() {
    absl::flat_hash_map<uint32_t, const OpcodeClassRule*> values;
    for (const OpcodeClassRule& rule : context_.data().opcode_class()) {
      const std::string& name = OpcodeClass_Name(rule.class_());
      if (rule.class_() == CLASS_UNSPECIFIED) {
        context_.Refuse(rule, "an opcode class has no name.");
        continue;
      }
      if (rule.value() > kMaxClass) {
        context_.Refuse(rule, OpcodeClassRule::kValueFieldNumber,
                        absl::StrCat("the value ", rule.value(), " of the opcode class ", name,
                                     " is greater than ", kMaxClass, "."));
      }
      auto [same_value, new_value] = values.try_emplace(rule.value(), &rule);
      if (!new_value) {
        context_.Refuse(
            rule, OpcodeClassRule::kValueFieldNumber,
            absl::StrCat("the opcode classes ", OpcodeClass_Name(same_value->second->class_()),
                         " and ", name, " both have the value ", rule.value(), "."));
      }
      if (!classes_.try_emplace(rule.class_(), &rule).second) {
        context_.Refuse(rule, absl::StrCat("the opcode class ", name, " is defined twice."));
      }
    }
  }

  void CheckReserved() {
    for (const ReservedOpcodes& range : context_.data().reserved_opcodes()) {
      if (range.first() > range.last() || range.last() > kMaxOpcode) {
        context_.Refuse(range,
                        absl::StrCat("the reserved opcodes ", range.first(), " to ", range.last(),
                                     " are not a range within 0 to ", kMaxOpcode, "."));
        continue;
      }
      for (uint32_t value = range.first(); value <= range.last(); ++value) {
        if (reserved_[value] != nullptr) {
          context_.Refuse(range,
                          absl::StrCat("the opcode value ", value, " is already reserved at ",
                                       context_.Show(*reserved_[value]), "."));
          break;
        }
        reserved_[value] = &range;
      }
    }
  }

  // The first layout of the text is the common header; its field "opcode" tells opcodes apart.
  void CheckCommonHeader() {
    const Data& data = context_.data();
    if (data.opcode().empty()) return;
    if (data.layout().empty()) {
      context_.Refuse(data.opcode(0), "there are opcodes, but no layout of the common header.");
      return;
    }
    const Layout& common = data.layout(0);
    const Field* field = FindField(common, kOpcodeField);
    if (field == nullptr) {
      context_.Refuse(
          common, absl::StrCat("the first layout, '", common.name(),
                               "', is the common header and needs a field '", kOpcodeField, "'."));
    } else {
      opcode_bits_ = field->bits();
    }
  }

  void CheckOpcode(const Opcode& opcode) {
    CheckValue(opcode);
    CheckClass(opcode);
    CheckHeaders(opcode);
    if (opcode.tail() == TAIL_UNSPECIFIED) {
      context_.Refuse(opcode, absl::StrCat(The("opcode", opcode.name()), " has no tail."));
    } else if (opcode.tail() == PATH_BLOCKS) {
      CheckRepeat(opcode);
    } else if (!opcode.repeat().empty() || !opcode.count_field().empty() ||
               opcode.count_min() != 0 || opcode.count_max() != 0) {
      context_.Refuse(opcode, absl::StrCat(The("opcode", opcode.name()),
                                           " repeats a layout, but its tail is not PATH_BLOCKS."));
    }
  }

  void CheckValue(const Opcode& opcode) {
    const std::string who = The("opcode", opcode.name());
    const uint32_t value = opcode.value();
    const auto refuse = [&](std::string sentence) {
      context_.Refuse(opcode, Opcode::kValueFieldNumber, std::move(sentence));
    };
    if (value > kMaxOpcode) {
      refuse(absl::StrCat(who, " is unreachable: its value ", value, " is greater than ",
                          kMaxOpcode, "."));
      return;
    }
    if (opcode_bits_ < 8 && value >> opcode_bits_ != 0) {
      refuse(absl::StrCat(who, " is unreachable: its value ", value, " does not fit the ",
                          opcode_bits_, " bits of the common header's field '", kOpcodeField,
                          "'."));
    }
    if (const Opcode*& other = values_[value]; other == nullptr) {
      other = &opcode;
    } else {
      refuse(absl::StrCat(who, " is unreachable: its value ", value, " is that of ",
                          The("opcode", other->name()), " at ", context_.Show(*other), "."));
    }
    if (reserved_[value] != nullptr) {
      refuse(absl::StrCat("the value ", value, " of ", who, " is reserved at ",
                          context_.Show(*reserved_[value]), "."));
    }
  }

  void CheckClass(const Opcode& opcode) {
    const std::string who = The("opcode", opcode.name());
    if (opcode.class_() == CLASS_UNSPECIFIED) {
      context_.Refuse(opcode, absl::StrCat(who, " has no class."));
      return;
    }
    auto rule = classes_.find(opcode.class_());
    if (rule == classes_.end()) {
      context_.Refuse(
          opcode, Opcode::kClassFieldNumber,
          absl::StrCat(who, " is unreachable: its class ", OpcodeClass_Name(opcode.class_()),
                       " is not defined by any opcode_class."));
      return;
    }
    if (opcode.value() > kMaxOpcode || opcode.value() >> kClassShift == rule->second->value()) {
      return;
    }
    context_.Refuse(
        opcode, Opcode::kValueFieldNumber,
        absl::StrCat("the top two bits of the value ", opcode.value(), " of ", who, " are ",
                     opcode.value() >> kClassShift, ", but its class ",
                     OpcodeClass_Name(opcode.class_()), " is ", rule->second->value(), "."));
  }

  void CheckHeaders(const Opcode& opcode) {
    const std::string who = The("opcode", opcode.name());
    if (context_.data().layout().empty()) return;
    const std::string& common = context_.data().layout(0).name();
    if (opcode.header().empty() || opcode.header(0) != common) {
      context_.Refuse(opcode, Opcode::kHeaderFieldNumber, 0,
                      absl::StrCat("the headers of ", who,
                                   " do not begin with the common header, '", common, "'."));
    }
    if (opcode.header_size() > kMaxHeaders) {
      context_.Refuse(opcode, absl::StrCat(who, " has more than ", kMaxHeaders, " headers."));
    }
    absl::flat_hash_set<absl::string_view> seen;
    for (int i = 0; i < opcode.header_size(); ++i) {
      const std::string& name = opcode.header(i);
      const auto refuse = [&](std::string sentence) {
        context_.Refuse(opcode, Opcode::kHeaderFieldNumber, i, std::move(sentence));
      };
      const Layout* layout = context_.layouts.Find(name);
      if (layout == nullptr) {
        refuse(NamesUnknown(who, "layout", name));
      } else if (layout->has_bitmap()) {
        refuse(absl::StrCat(who, " has the layout '", name,
                            "' in its headers, but the length of that layout varies."));
      }
      if (!seen.insert(name).second) {
        refuse(absl::StrCat(who, " has the layout '", name, "' twice."));
      }
    }
  }

  void CheckRepeat(const Opcode& opcode) {
    const std::string who = The("opcode", opcode.name());
    if (!context_.layouts.Has(opcode.repeat())) {
      context_.Refuse(
          opcode, Opcode::kRepeatFieldNumber,
          NamesUnknown(absl::StrCat("the tail PATH_BLOCKS of ", who), "layout", opcode.repeat()));
    }
    bool is_header = false;
    for (const std::string& header : opcode.header()) is_header |= header == opcode.repeat();
    if (is_header) {
      context_.Refuse(opcode, Opcode::kRepeatFieldNumber,
                      absl::StrCat(who, " repeats the layout '", opcode.repeat(),
                                   "', which is one of its headers."));
    }
    if (opcode.count_max() == 0 || opcode.count_min() > opcode.count_max()) {
      context_.Refuse(opcode, Opcode::kCountMaxFieldNumber,
                      absl::StrCat(who, " repeats ", opcode.count_min(), " to ", opcode.count_max(),
                                   " layouts, which is no range."));
    }
    CheckCountField(opcode);
  }

  void CheckCountField(const Opcode& opcode) {
    const std::string who = The("opcode", opcode.name());
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(opcode.count_field(), absl::MaxSplits('.', 1));
    bool is_header = false;
    for (const std::string& header : opcode.header()) is_header |= header == parts.first;
    const Layout* layout = is_header ? context_.layouts.Find(parts.first) : nullptr;
    const Field* field = layout == nullptr ? nullptr : FindField(*layout, parts.second);
    if (field == nullptr || field->reserved()) {
      context_.Refuse(opcode, Opcode::kCountFieldFieldNumber,
                      absl::StrCat("the count field '", opcode.count_field(), "' of ", who,
                                   " is not a field 'layout.field' of its headers."));
    } else if (field->bits() < 32 && opcode.count_max() >> field->bits() != 0) {
      context_.Refuse(
          opcode, Opcode::kCountMaxFieldNumber,
          absl::StrCat("the greatest count ", opcode.count_max(), " of ", who, " does not fit the ",
                       field->bits(), " bits of '", opcode.count_field(), "'."));
    }
  }

  Context& context_;
  absl::flat_hash_map<int, const OpcodeClassRule*> classes_;
  std::array<const ReservedOpcodes*, kMaxOpcode + 1> reserved_ = {};
  std::array<const Opcode*, kMaxOpcode + 1> values_ = {};
  uint32_t opcode_bits_ = 8;
};

}  // namespace

void CheckOpcodes(Context& context) { OpcodeChecker(context).Run(); }

}  // namespace metaroce::compiler
