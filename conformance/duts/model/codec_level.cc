#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/duts/model/levels.h"
#include "model/wire/frame/frame.h"
#include "model/wire/frame/icrc.h"
#include "model/wire/packet/fields.h"
#include "model/wire/packet/packet.h"

namespace metaroce::conformance {
namespace {

frame::Bytes AsBytes(absl::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

absl::string_view AsText(absl::Span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class CodecLevel : public ModelDut::Level {
 public:
  explicit CodecLevel(Seed seed) : seed_(seed) {}

  absl::Status Apply(const dut::Apply& apply, dut::Answer* answer) override {
    switch (apply.stimulus_case()) {
      case dut::Apply::kDecode:
        Decode(apply.decode().frame(), answer);
        return absl::OkStatus();
      case dut::Apply::kEncode:
        return Encode(apply.encode(), answer);
      default:
        return absl::InvalidArgumentError("the level codec takes Decode and Encode only.");
    }
  }

 private:
  void Decode(const std::string& frame, dut::Answer* answer) const;
  absl::Status Encode(const dut::Encode& encode, dut::Answer* answer) const;
  std::string Spoilt(std::string frame) const;

  Seed seed_;
};

// With a seeded defect the device believes in an iCRC without the pad: it writes that one and
// takes no other. A frame that is right by the text becomes wrong, and the other way round.
std::string CodecLevel::Spoilt(std::string text) const {
  if (seed_ != Seed::kPadOutsideIcrc) return text;
  frame::Frame frame;
  packet::Packet packet;
  packet::ParseOptions options;
  options.check_icrc = false;
  if (!packet::Parse(AsBytes(text), options, &packet).ok()) return text;
  frame = packet.frame;
  const size_t pad = packet.headers.common.pad;
  if (pad == 0) return text;
  // The difference between the two checksums, applied to the one in the frame.
  std::vector<uint8_t> without(text.begin(), text.end());
  without.erase(without.begin() + static_cast<ptrdiff_t>(frame.end() - 4 - pad),
                without.begin() + static_cast<ptrdiff_t>(frame.end() - 4));
  frame::Frame shorter = frame;
  shorter.payload_length = static_cast<uint16_t>(frame.payload_length - pad);
  const uint32_t change = frame::Icrc(frame, AsBytes(text), frame::IcrcKind::kMetaRoce) ^
                          frame::Icrc(shorter, without, frame::IcrcKind::kMetaRoce);
  for (size_t i = 0; i < 4; ++i) {
    text[frame.end() - 4 + i] ^= static_cast<char>(change >> (8 * i));
  }
  return text;
}

void CodecLevel::Decode(const std::string& frame, dut::Answer* answer) const {
  const std::string text = Spoilt(frame);
  packet::Packet packet;
  const packet::ParseResult result = packet::Parse(AsBytes(text), packet::ParseOptions(), &packet);
  //= CONF-DECODE
  //# If one fails it answers `Reject` with the reason.
  if (!result.ok()) {
    answer->mutable_reject()->set_code(std::string(result.name()));
    return;
  }
  FieldList* out = answer->mutable_done()->add_event()->mutable_fields()->mutable_field();
  const std::vector<packet::NamedValue> values = packet::Fields(packet.frame, AsBytes(text));
  out->Reserve(static_cast<int>(values.size()));
  for (const packet::NamedValue& value : values) {
    if (const uint64_t* number = std::get_if<uint64_t>(&value.value)) {
      AddNumber(value.name, *number, out);
    } else {
      AddData(value.name, AsText(std::get<std::vector<uint8_t>>(value.value)), out);
    }
  }
}

//= CONF-ENCODE
//# The DUT answers with the event `packet`: the one canonical frame with these fields.
absl::Status CodecLevel::Encode(const dut::Encode& encode, dut::Answer* answer) const {
  const absl::Status status = CheckRecord(vectors::Record::kCodec, encode.field());
  if (!status.ok()) return status;
  std::vector<packet::NamedValue> fields;
  fields.reserve(static_cast<size_t>(encode.field_size()));
  for (const dut::Field& field : encode.field()) {
    if (field.value_case() == dut::Field::kData) {
      const frame::Bytes data = AsBytes(field.data());
      fields.push_back({field.name(), std::vector<uint8_t>(data.begin(), data.end())});
    } else {
      fields.push_back({field.name(), field.number()});
    }
  }
  //= CONF-CODEC-DERIVED
  //# What follows from other fields is no field of a record
  absl::StatusOr<std::vector<uint8_t>> frame = packet::BuildFromFields(fields);
  if (!frame.ok()) return frame.status();
  answer->mutable_done()->add_event()->mutable_packet()->set_frame(
      Spoilt(std::string(AsText(*frame))));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<ModelDut::Level>> MakeCodecLevel(const dut::Reset& reset,
                                                                Seed seed) {
  if (!reset.config().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the configuration has ", reset.config_size(),
                     " fields; at the level codec it is empty (CONF-DECODE)."));
  }
  return std::make_unique<CodecLevel>(seed);
}

}  // namespace metaroce::conformance
