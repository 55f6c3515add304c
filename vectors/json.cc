#include "vectors/json.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "vectors/file.h"
#include "vectors/json_tree.h"
#include "vectors/json_writer.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Integers from here on are strings in JSON.
constexpr uint64_t kFirstInString = uint64_t{1} << 53;

// True if `value` is a number in one of its two forms. Each number has exactly one.
bool NumberFromJson(const JsonValue& value, uint64_t& number) {
  if (value.kind == JsonValue::Kind::kNumber) {
    number = value.number;
    return number < kFirstInString;
  }
  return value.kind == JsonValue::Kind::kString && !value.text.empty() &&
         absl::ascii_isdigit(value.text[0]) && absl::SimpleAtoi(value.text, &number) &&
         number >= kFirstInString && absl::StrCat(number) == value.text;
}

bool IsWord(absl::string_view text) {
  if (text.empty() || !absl::ascii_islower(text[0])) return false;
  for (const char c : text) {
    if (!absl::ascii_islower(c) && !absl::ascii_isdigit(c) && c != '-') return false;
  }
  return true;
}

// Reads "$name" or "$name + 1"; false if it is neither.
bool TakenFromJson(absl::string_view text, Taken& taken) {
  if (!absl::ConsumePrefix(&text, "$")) return false;
  const std::vector<absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits(" + ", 1));
  uint64_t plus = 0;
  if (!IsWord(parts[0])) return false;
  if (parts.size() == 2) {
    if (!absl::SimpleAtoi(parts[1], &plus) || absl::StrCat(plus) != parts[1] || plus == 0) {
      return false;
    }
    taken.set_plus(plus);
  }
  taken.set_name(std::string(parts[0]));
  return true;
}

bool IsParameterName(absl::string_view text) {
  if (text.empty() || !absl::ascii_islower(text[0])) return false;
  for (const char c : text) {
    if (!absl::ascii_islower(c) && !absl::ascii_isdigit(c) && c != '_') return false;
  }
  return true;
}

class Reader {
 public:
  explicit Reader(absl::string_view file) : file_(file) {}

  absl::Status Read(const JsonValue& value, absl::string_view place, Message& out) {
    const Descriptor* type = out.GetDescriptor();
    if (type == Fields::descriptor()) return ReadFields(value, place, static_cast<Fields&>(out));
    if (type == Bound::descriptor()) return ReadBound(value, place, static_cast<Bound&>(out));
    if (value.kind != JsonValue::Kind::kObject) return WrongType(value, place, "an object");
    for (const auto& [name, member] : value.members) {
      const FieldDescriptor* field = type->FindFieldByName(name);
      if (field == nullptr) {
        return Refuse(member, place,
                      absl::StrCat("\"", Printable(Shorten(name, 40)), "\" is no member of ",
                                   place.empty() ? "a vector" : "this object", "."));
      }
      const auto* one_of = field->real_containing_oneof();
      if (one_of != nullptr && out.GetReflection()->HasOneof(out, one_of)) {
        const auto* other = out.GetReflection()->GetOneofFieldDescriptor(out, one_of);
        return Refuse(
            member, place,
            absl::StrCat("\"", name, "\" and \"", other->name(), "\" exclude each other."));
      }
      absl::Status status = ReadMember(member, Join(place, name), *field, out);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  static std::string Join(absl::string_view place, absl::string_view name) {
    return place.empty() ? std::string(name) : absl::StrCat(place, ".", name);
  }

  absl::Status Refuse(const JsonValue& value, absl::string_view place,
                      absl::string_view sentence) const {
    return absl::InvalidArgumentError(absl::StrCat(file_, ":", value.Place(), ": ",
                                                   Printable(Shorten(place, 120)),
                                                   place.empty() ? "" : ": ", sentence));
  }

  absl::Status WrongType(const JsonValue& value, absl::string_view place,
                         absl::string_view wanted) const {
    return Refuse(value, place, absl::StrCat("This is ", Name(value.kind), ", not ", wanted, "."));
  }

  absl::Status ReadMember(const JsonValue& value, const std::string& place,
                          const FieldDescriptor& field, Message& out) {
    if (!field.is_repeated()) return ReadSingle(value, place, field, out);
    if (value.kind != JsonValue::Kind::kArray) return WrongType(value, place, "an array");
    for (size_t i = 0; i < value.items.size(); ++i) {
      absl::Status status =
          ReadSingle(value.items[i], absl::StrCat(place, "[", i, "]"), field, out);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadSingle(const JsonValue& value, const std::string& place,
                          const FieldDescriptor& field, Message& out) {
    const Reflection& reflection = *out.GetReflection();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE: {
        Message* child = field.is_repeated() ? reflection.AddMessage(&out, &field)
                                             : reflection.MutableMessage(&out, &field);
        return Read(value, place, *child);
      }
      case FieldDescriptor::CPPTYPE_BOOL:
        if (value.kind != JsonValue::Kind::kBool) return WrongType(value, place, "a boolean");
        reflection.SetBool(&out, &field, value.boolean);
        return absl::OkStatus();
      case FieldDescriptor::CPPTYPE_ENUM:
        return ReadEnum(value, place, field, out);
      case FieldDescriptor::CPPTYPE_STRING:
        return ReadString(value, place, field, out);
      default:
        return ReadNumber(value, place, field, out);
    }
  }

  absl::Status ReadEnum(const JsonValue& value, const std::string& place,
                        const FieldDescriptor& field, Message& out) {
    if (value.kind != JsonValue::Kind::kString) return WrongType(value, place, "a string");
    const EnumValueDescriptor* found = nullptr;
    std::string names;
    for (int i = 1; i < field.enum_type()->value_count(); ++i) {  // 0 stands for none
      const EnumValueDescriptor* candidate = field.enum_type()->value(i);
      const std::string name = absl::AsciiStrToLower(candidate->name());
      if (name == value.text) found = candidate;
      absl::StrAppend(&names, names.empty() ? "" : ", ", name);
    }
    if (found == nullptr) {
      return Refuse(
          value, place,
          absl::StrCat("\"", Printable(Shorten(value.text, 40)), "\" is none of ", names, "."));
    }
    out.GetReflection()->SetEnum(&out, &field, found);
    return absl::OkStatus();
  }

  absl::Status ReadString(const JsonValue& value, const std::string& place,
                          const FieldDescriptor& field, Message& out) {
    if (value.kind != JsonValue::Kind::kString) return WrongType(value, place, "a string");
    std::string text = value.text;
    if (field.type() == FieldDescriptor::TYPE_BYTES) {
      absl::StatusOr<std::string> bytes = Unhex(text);
      if (!bytes.ok()) return Refuse(value, place, bytes.status().message());
      text = *std::move(bytes);
    } else if (text.empty()) {
      return Refuse(value, place, "This is empty.");
    }
    if (field.is_repeated()) {
      out.GetReflection()->AddString(&out, &field, text);
    } else {
      out.GetReflection()->SetString(&out, &field, text);
    }
    return absl::OkStatus();
  }

  absl::Status ReadNumber(const JsonValue& value, const std::string& place,
                          const FieldDescriptor& field, Message& out) {
    uint64_t number = 0;
    if (!NumberFromJson(value, number)) {
      std::string shown;
      if (value.kind == JsonValue::Kind::kNumber) {
        shown = absl::StrCat(value.number);
      } else if (value.kind == JsonValue::Kind::kString) {
        shown = absl::StrCat("\"", Printable(Shorten(value.text, 40)), "\"");
      } else {
        return WrongType(value, place, "a number");
      }
      return Refuse(
          value, place,
          absl::StrCat(shown,
                       " is no number: an integer below 2^53, or from there to 2^64 - 1 a "
                       "string of its decimal digits."));
    }
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
      out.GetReflection()->SetUInt64(&out, &field, number);
      return absl::OkStatus();
    }
    if (number > std::numeric_limits<uint32_t>::max()) {
      return Refuse(value, place, absl::StrCat(number, " is above 4294967295."));
    }
    out.GetReflection()->SetUInt32(&out, &field, static_cast<uint32_t>(number));
    return absl::OkStatus();
  }

  absl::Status ReadFields(const JsonValue& value, absl::string_view place, Fields& out) {
    if (value.kind != JsonValue::Kind::kObject) return WrongType(value, place, "an object");
    for (const auto& [name, member] : value.members) {
      Field& field = *out.add_field();
      field.set_name(name);
      uint64_t number = 0;
      if (NumberFromJson(member, number)) {
        field.set_number(number);
        continue;
      }
      const std::string where = Join(place, name);
      if (member.kind != JsonValue::Kind::kString) {
        return Refuse(member, where,
                      absl::StrCat("This is ", Name(member.kind),
                                   ", not an unsigned integer (from 2^53 on in a string), data "
                                   "(\"0x...\"), a word or a name taken over (\"$...\")."));
      }
      if (IsWord(member.text)) {
        field.set_word(member.text);
        continue;
      }
      Taken taken;
      if (TakenFromJson(member.text, taken)) {
        *field.mutable_taken() = std::move(taken);
        continue;
      }
      absl::StatusOr<std::string> bytes = Unhex(member.text);
      if (!bytes.ok()) {
        return Refuse(member, where,
                      absl::StrCat("\"", Printable(Shorten(member.text, 40)),
                                   "\" is neither a number from 2^53 on, nor data (\"0x\" and two "
                                   "digits 0 to f a byte), nor a word, nor a name taken over "
                                   "(\"$name\" or \"$name + 1\")."));
      }
      field.set_data(*std::move(bytes));
    }
    return absl::OkStatus();
  }

  absl::Status ReadBound(const JsonValue& value, absl::string_view place, Bound& out) {
    uint64_t number = 0;
    if (NumberFromJson(value, number)) {
      out.add_term()->set_nanoseconds(number);
      return absl::OkStatus();
    }
    if (value.kind != JsonValue::Kind::kString) {
      return WrongType(value, place, "a number or a sum of names");
    }
    for (const absl::string_view part : absl::StrSplit(value.text, " + ")) {
      if (IsParameterName(part)) {
        out.add_term()->set_parameter(std::string(part));
      } else if (!part.empty() && absl::ascii_isdigit(part[0]) && absl::SimpleAtoi(part, &number) &&
                 absl::StrCat(number) == part) {
        out.add_term()->set_nanoseconds(number);
      } else {
        return Refuse(value, place,
                      absl::StrCat("\"", Printable(Shorten(value.text, 40)),
                                   "\" is no sum of names and integers joined by \" + \"."));
      }
    }
    for (const Term& term : out.term()) {
      if (term.kind_case() == Term::kParameter) return absl::OkStatus();
    }
    return Refuse(value, place, "A bound without a name is not written as a string.");
  }

  std::string file_;
};

void Write(const Message& message, JsonWriter& out);

void WriteNumber(uint64_t number, JsonWriter& out) {
  if (number < kFirstInString) return out.Number(number);
  out.String(absl::StrCat(number));
}

void WriteFields(const Fields& fields, JsonWriter& out) {
  out.OpenObject();
  for (const Field& field : fields.field()) {
    out.Name(field.name());
    switch (field.value_case()) {
      case Field::kNumber:
        WriteNumber(field.number(), out);
        break;
      case Field::kData:
        out.HexString(field.data());
        break;
      default:
        out.String(ToString(field));
    }
  }
  out.Close();
}

void WriteBound(const Bound& bound, JsonWriter& out) {
  if (bound.term_size() == 1 && bound.term(0).kind_case() == Term::kNanoseconds) {
    return WriteNumber(bound.term(0).nanoseconds(), out);
  }
  out.String(ToString(bound));
}

// The field, or its element `index` if it is repeated.
void WriteSingle(const Message& message, const Reflection& reflection, const FieldDescriptor& field,
                 int index, JsonWriter& out) {
  const bool repeated = index >= 0;
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return Write(repeated ? reflection.GetRepeatedMessage(message, &field, index)
                            : reflection.GetMessage(message, &field),
                   out);
    case FieldDescriptor::CPPTYPE_BOOL:
      return out.Bool(reflection.GetBool(message, &field));
    case FieldDescriptor::CPPTYPE_ENUM:
      return out.String(absl::AsciiStrToLower(reflection.GetEnum(message, &field)->name()));
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string room;
      const std::string& text =
          repeated ? reflection.GetRepeatedStringReference(message, &field, index, &room)
                   : reflection.GetStringReference(message, &field, &room);
      return field.type() == FieldDescriptor::TYPE_BYTES ? out.HexString(text) : out.String(text);
    }
    case FieldDescriptor::CPPTYPE_UINT32:
      return WriteNumber(reflection.GetUInt32(message, &field), out);
    default:
      return WriteNumber(reflection.GetUInt64(message, &field), out);
  }
}

// The fields that a message has, in the order of their declaration.
void Write(const Message& message, JsonWriter& out) {
  const Descriptor* type = message.GetDescriptor();
  if (type == Fields::descriptor()) return WriteFields(static_cast<const Fields&>(message), out);
  if (type == Bound::descriptor()) return WriteBound(static_cast<const Bound&>(message), out);
  const Reflection& reflection = *message.GetReflection();
  out.OpenObject();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor& field = *type->field(i);
    if (!field.is_repeated()) {
      if (!reflection.HasField(message, &field)) continue;
      out.Name(field.name());
      WriteSingle(message, reflection, field, -1, out);
      continue;
    }
    const int size = reflection.FieldSize(message, &field);
    if (size == 0) continue;
    out.Name(field.name());
    out.OpenArray();
    for (int k = 0; k < size; ++k) WriteSingle(message, reflection, field, k, out);
    out.Close();
  }
  out.Close();
}

}  // namespace

//= CONF-VECTOR
//# A vector is one JSON file.
//= CONF-VECTOR-STRICT
//# A reader of vectors refuses a file with an unknown or doubled member
absl::StatusOr<Vector> LoadVector(absl::string_view text, absl::string_view file) {
  JsonLimits limits;
  limits.bytes = kMaxVectorBytes;
  absl::StatusOr<JsonValue> tree = ParseJson(text, limits);
  if (!tree.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(file, ":", tree.status().message()));
  }
  Vector vector;
  absl::Status status = Reader(file).Read(*tree, "", vector);
  if (!status.ok()) return status;
  return vector;
}

absl::StatusOr<Vector> LoadVectorFile(const std::string& path) {
  absl::StatusOr<std::string> text = ReadFile(path, kMaxVectorBytes);
  if (!text.ok()) return text.status();
  return LoadVector(*text, path);
}

std::string WriteVector(const Vector& vector) {
  JsonWriter out;
  Write(vector, out);
  return out.Take();
}

std::string ToString(const Bound& bound) {
  return absl::StrJoin(bound.term(), " + ", [](std::string* out, const Term& term) {
    if (term.kind_case() == Term::kParameter) {
      absl::StrAppend(out, term.parameter());
    } else {
      absl::StrAppend(out, term.nanoseconds());
    }
  });
}

std::string ToString(const Field& field) {
  switch (field.value_case()) {
    case Field::kNumber:
      return absl::StrCat(field.number());
    case Field::kData:
      return Hex(field.data());
    case Field::kWord:
      return field.word();
    case Field::kTaken:
      return absl::StrCat("$", field.taken().name(), field.taken().plus() == 0 ? "" : " + ",
                          field.taken().plus() == 0 ? "" : absl::StrCat(field.taken().plus()));
    case Field::VALUE_NOT_SET:
      break;
  }
  return "nothing";
}

}  // namespace metaroce::vectors
