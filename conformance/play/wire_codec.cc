#include "conformance/play/wire_codec.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "model/wire/packet/fields.h"
#include "model/wire/packet/packet.h"
#include "spec/tables.h"
#include "vectors/json.h"
#include "vectors/records.h"

namespace metaroce::conformance {
namespace {

frame::Bytes BytesOf(absl::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string TextOf(const std::vector<uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

absl::StatusOr<std::string> WirePacketCodec::Encode(const vectors::Fields& fields) const {
  std::vector<packet::NamedValue> values;
  values.reserve(static_cast<size_t>(fields.field_size()));
  for (const vectors::Field& field : fields.field()) {
    packet::NamedValue value;
    value.name = field.name();
    switch (field.value_case()) {
      case vectors::Field::kNumber:
        value.value = field.number();
        break;
      case vectors::Field::kData:
        value.value = std::vector<uint8_t>(field.data().begin(), field.data().end());
        break;
      default:
        return absl::InvalidArgumentError(
            absl::StrCat("The field ", field.name(), " is neither a number nor data."));
    }
    values.push_back(std::move(value));
  }
  const absl::StatusOr<std::vector<uint8_t>> bytes = packet::BuildFromFields(values);
  if (!bytes.ok()) return bytes.status();
  return TextOf(*bytes);
}

absl::StatusOr<vectors::Fields> WirePacketCodec::Decode(absl::string_view frame) const {
  packet::Packet parsed{};
  const packet::ParseResult result = packet::Parse(BytesOf(frame), {}, &parsed);
  if (!result.ok()) return absl::FailedPreconditionError(result.name());
  vectors::Fields fields;
  std::vector<packet::NamedValue> values = packet::Fields(parsed.frame, BytesOf(frame));
  fields.mutable_field()->Reserve(static_cast<int>(values.size()));
  for (packet::NamedValue& value : values) {
    vectors::Field& field = *fields.add_field();
    field.set_name(std::move(value.name));
    if (const auto* number = std::get_if<uint64_t>(&value.value)) {
      field.set_number(*number);
    } else {
      field.set_data(TextOf(std::get<std::vector<uint8_t>>(value.value)));
    }
  }
  return fields;
}

std::optional<size_t> WirePacketCodec::ByteOf(absl::string_view frame,
                                              absl::string_view field) const {
  frame::Frame parsed;
  if (!frame::ParseFrame(BytesOf(frame), frame::LinkType::kEthernet, {}, &parsed).ok()) {
    return std::nullopt;
  }
  for (const packet::Part& part : packet::DissectFrame(parsed, BytesOf(frame))) {
    if (part.name == field) return part.bit_offset / 8;
  }
  return std::nullopt;
}

std::string WirePacketCodec::Title(const vectors::Fields& fields) const {
  const vectors::Field* opcode = vectors::FindField(fields, "common.opcode");
  if (opcode == nullptr) return "";
  std::string out = absl::StrCat("opcode ", opcode->number());
  for (const spec::Opcode known : spec::kOpcodes) {
    if (static_cast<uint64_t>(known) != opcode->number()) continue;
    const std::string_view name = spec::Name(known);
    out = absl::AsciiStrToUpper(absl::string_view(name.data(), name.size()));
  }
  const auto value = [&](absl::string_view name) -> std::string {
    const vectors::Field* field = vectors::FindField(fields, name);
    if (field == nullptr) return "";
    return field->has_taken() ? vectors::ToString(*field) : absl::StrCat(field->number());
  };
  const auto add = [&](absl::string_view word, absl::string_view name) {
    const std::string shown = value(name);
    if (!shown.empty()) absl::StrAppend(&out, " ", word, " ", shown);
  };
  if (value("common.path") != absl::StrCat(spec::constant::kNoPath)) {
    add("path", "common.path");
    add("epoch", "common.epoch");
  }
  add("number", "common.number");
  add("csn", "data.csn");
  for (const char* flag : {"rtx", "moved"}) {
    if (value(absl::StrCat("common.", flag)) == "1") absl::StrAppend(&out, " ", flag);
  }
  return out;
}

}  // namespace metaroce::conformance
