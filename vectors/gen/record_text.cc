#include "vectors/gen/record_text.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

constexpr size_t kMaxPattern = 65536;

std::optional<uint64_t> NumberFromText(absl::string_view text) {
  uint64_t value = 0;
  if (absl::StartsWith(text, "0x")) {
    text.remove_prefix(2);
    if (text.empty() || text.size() > 16) return std::nullopt;
    for (char c : text) {
      const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
      if (digit < 0) return std::nullopt;
      value = value << 4 | static_cast<uint64_t>(digit);
    }
    return value;
  }
  if (!absl::SimpleAtoi(text, &value)) return std::nullopt;
  return value;
}

}  // namespace

std::string Pattern(size_t length, uint64_t address) {
  std::string bytes(length, '\0');
  for (size_t i = 0; i < length; ++i) bytes[i] = static_cast<char>((address + i + 1) % 251);
  return bytes;
}

absl::StatusOr<std::string> DataFromText(absl::string_view text) {
  if (absl::ConsumePrefix(&text, "pattern:")) {
    const std::vector<absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('@', 1));
    uint32_t length = 0;
    uint64_t address = 0;
    if (parts.size() == 2 && !absl::SimpleAtoi(parts[1], &address)) {
      return absl::InvalidArgumentError(absl::StrCat("pattern:", text, " has no address."));
    }
    if (!absl::SimpleAtoi(parts[0], &length) || length > kMaxPattern) {
      return absl::InvalidArgumentError(absl::StrCat(
          "pattern:", text, " is no length; it must lie between 0 and ", kMaxPattern, "."));
    }
    return Pattern(length, address);
  }
  return Unhex(text);
}

absl::StatusOr<Field> FieldFromText(Record record, absl::string_view name, absl::string_view value,
                                    const SpecIndex& index) {
  const std::optional<FieldRule> rule = RuleOf(record, name, index);
  if (!rule) {
    return absl::InvalidArgumentError(
        absl::StrCat("the ", Name(record), " record has no field ", name, "."));
  }
  Field field;
  field.set_name(std::string(name));
  if (absl::ConsumePrefix(&value, "$")) {
    const std::vector<absl::string_view> parts = absl::StrSplit(value, absl::MaxSplits('+', 1));
    const std::optional<uint64_t> plus = parts.size() == 2 ? NumberFromText(parts[1]) : 0;
    if (!plus) return absl::InvalidArgumentError(absl::StrCat(parts[1], " is no number."));
    field.mutable_taken()->set_name(std::string(parts[0]));
    field.mutable_taken()->set_plus(*plus);
  } else if (rule->kind == ValueKind::kWord) {
    field.set_word(std::string(value));
  } else if (rule->kind == ValueKind::kData) {
    absl::StatusOr<std::string> data = DataFromText(value);
    if (!data.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, "=", value, ": ", data.status().message()));
    }
    field.set_data(*std::move(data));
  } else {
    const std::optional<uint64_t> number = NumberFromText(value);
    if (!number)
      return absl::InvalidArgumentError(absl::StrCat(name, "=", value, " is no number."));
    field.set_number(*number);
  }
  return field;
}

void SetField(const Field& field, Fields* fields) {
  for (Field& have : *fields->mutable_field()) {
    if (have.name() == field.name()) {
      have = field;
      return;
    }
  }
  *fields->add_field() = field;
}

absl::StatusOr<Fields> RecordFromText(Record record, absl::string_view text,
                                      const SpecIndex& index) {
  Fields fields;
  for (absl::string_view item : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::vector<absl::string_view> parts = absl::StrSplit(item, absl::MaxSplits('=', 1));
    if (parts.size() != 2) {
      return absl::InvalidArgumentError(absl::StrCat("\"", item, "\" has no \"=\"."));
    }
    absl::StatusOr<Field> field = FieldFromText(record, parts[0], parts[1], index);
    if (!field.ok()) return field.status();
    SetField(*field, &fields);
  }
  return fields;
}

}  // namespace metaroce::vectors
