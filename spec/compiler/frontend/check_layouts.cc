#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "spec/compiler/frontend/context.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {
namespace {

// What a field may name beside the enums of the text: all opcodes, all reasons.
constexpr absl::string_view kOpcodeEnum = "opcode";
constexpr absl::string_view kReasonEnum = "reason";

constexpr uint32_t kWordBits = 32;
constexpr uint32_t kMaxFieldBits = 64;
// Enough for any header; it bounds the tables a text can make.
constexpr uint64_t kMaxLayoutBits = 8192;
// Generated code holds a bitmap in four words of 64 bits.
constexpr uint32_t kMaxBitmapBits = 256;
constexpr uint32_t kMaxSelectorBits = 8;

const Field* FindField(const Layout& layout, const std::string& name) {
  for (const Field& field : layout.field()) {
    if (field.name() == name) return &field;
  }
  return nullptr;
}

bool Fits(uint64_t value, uint32_t bits) { return bits >= 64 || value >> bits == 0; }

void CheckValueFits(Context& context, const google::protobuf::Message& item, int number,
                    uint32_t value, const std::string& of, const Field& field,
                    const std::string& who) {
  if (Fits(value, field.bits())) return;
  context.Refuse(item, number,
                 absl::StrCat("the value ", value, " of ", of, " does not fit the ", field.bits(),
                              " bits of ", who, "."));
}

void CheckField(Context& context, const Layout& layout, const Field& field) {
  const std::string who = absl::StrCat("the field '", layout.name(), ".", field.name(), "'");
  if (field.bits() == 0 || field.bits() > kMaxFieldBits) {
    context.Refuse(
        field, Field::kBitsFieldNumber,
        absl::StrCat(who, " has ", field.bits(), " bits; a field has 1 to ", kMaxFieldBits, "."));
    return;
  }
  if (field.enum_().empty()) return;
  if (field.enum_() == kOpcodeEnum) {
    for (const Opcode& opcode : context.data().opcode()) {
      CheckValueFits(context, opcode, Opcode::kValueFieldNumber, opcode.value(),
                     The("opcode", opcode.name()), field, who);
    }
  } else if (field.enum_() == kReasonEnum) {
    for (const Reason& reason : context.data().reason()) {
      CheckValueFits(context, reason, Reason::kCodeFieldNumber, reason.code(),
                     The("reason", reason.name()), field, who);
    }
  } else if (const Enum* values = context.enums.Find(field.enum_())) {
    for (const EnumValue& value : values->value()) {
      CheckValueFits(context, value, EnumValue::kValueFieldNumber, value.value(),
                     absl::StrCat("'", values->name(), ".", value.name(), "'"), field, who);
    }
  } else {
    context.Refuse(field, Field::kEnumFieldNumber, NamesUnknown(who, "enum", field.enum_()));
  }
}

void CheckBitmap(Context& context, const Layout& layout) {
  const Bitmap& bitmap = layout.bitmap();
  const std::string who = absl::StrCat("the bitmap '", layout.name(), ".", bitmap.name(), "'");
  const Field* selector = FindField(layout, bitmap.selected_by());
  if (selector == nullptr) {
    context.Refuse(bitmap, Bitmap::kSelectedByFieldNumber,
                   NamesUnknown(who, "field", bitmap.selected_by()));
  } else if (selector->bits() > kMaxSelectorBits ||
             bitmap.lengths_size() != 1 << selector->bits()) {
    context.Refuse(bitmap, Bitmap::kLengthsFieldNumber, 0,
                   absl::StrCat(who, " has ", bitmap.lengths_size(), " lengths, but its selector '",
                                selector->name(), "' has ", selector->bits(), " bits."));
  }
  for (int i = 0; i < bitmap.lengths_size(); ++i) {
    const uint32_t length = bitmap.lengths(i);
    if (length % kWordBits == 0 && length <= kMaxBitmapBits) continue;
    context.Refuse(bitmap, Bitmap::kLengthsFieldNumber, i,
                   absl::StrCat("the length ", length, " of ", who, " is not a multiple of ",
                                kWordBits, " up to ", kMaxBitmapBits, "."));
  }
}

void CheckLayout(Context& context, const Layout& layout) {
  const std::string who = The("layout", layout.name());
  if (layout.field().empty()) {
    context.Refuse(layout, absl::StrCat(who, " has no fields."));
    return;
  }
  uint64_t bits = 0;
  for (const Field& field : layout.field()) {
    CheckField(context, layout, field);
    bits += field.bits();
  }
  if (bits % kWordBits != 0) {
    context.Refuse(layout,
                   absl::StrCat("the fields of ", who, " have ", bits, " bits together, which is ",
                                kWordBits - bits % kWordBits, " short of a whole 32-bit word."));
  }
  if (bits > kMaxLayoutBits) {
    context.Refuse(layout,
                   absl::StrCat("the fields of ", who, " have ", bits,
                                " bits together; a layout has at most ", kMaxLayoutBits, "."));
  }
  if (layout.has_bitmap()) CheckBitmap(context, layout);
}

void CheckEnum(Context& context, const Enum& item) {
  const std::string who = The("enum", item.name());
  if (item.name() == kOpcodeEnum || item.name() == kReasonEnum) {
    context.Refuse(
        item, absl::StrCat(who, " has a name that stands for all ", item.name(), "s of the text."));
  }
  if (item.value().empty()) context.Refuse(item, absl::StrCat(who, " has no values."));
  absl::flat_hash_map<uint32_t, const EnumValue*> numbers;
  for (const EnumValue& value : item.value()) {
    auto [other, is_new] = numbers.try_emplace(value.value(), &value);
    if (is_new) continue;
    context.Refuse(value, EnumValue::kValueFieldNumber,
                   absl::StrCat("the value ", value.value(), " of ", who, " has two names, '",
                                other->second->name(), "' and '", value.name(), "'."));
  }
}

}  // namespace

void CheckLayouts(Context& context) {
  for (const Layout& layout : context.data().layout()) CheckLayout(context, layout);
  for (const Enum& item : context.data().enum_()) CheckEnum(context, item);
}

}  // namespace metaroce::compiler
