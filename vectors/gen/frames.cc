#include "vectors/gen/frames.h"

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "model/wire/frame/builder.h"
#include "model/wire/frame/frame.h"
#include "model/wire/frame/icrc.h"
#include "model/wire/packet/fields.h"
#include "model/wire/packet/packet.h"
#include "model/wire/packet/raw.h"
#include "vectors/gen/record_text.h"

namespace metaroce::vectors {
namespace {

using ByteVector = std::vector<uint8_t>;

frame::Bytes AsBytes(absl::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string AsText(absl::Span<const uint8_t> bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

packet::NamedValue ToNamed(const Field& field) {
  if (field.value_case() == Field::kData) {
    const frame::Bytes data = AsBytes(field.data());
    return {field.name(), ByteVector(data.begin(), data.end())};
  }
  return {field.name(), field.number()};
}

absl::StatusOr<frame::Frame> ParseDown(absl::string_view bytes) {
  frame::Frame parsed;
  const frame::FrameFault fault =
      frame::ParseFrame(AsBytes(bytes), frame::LinkType::kEthernet, frame::FrameOptions(), &parsed);
  if (!fault.ok()) return absl::InvalidArgumentError(frame::ToString(fault));
  return parsed;
}

// A frame taken apart so that it can be spoilt: what stands below the transport, the transport with
// its iCRC, and what happens when it is put together again.
struct Parts {
  frame::FrameSpec below;
  ByteVector transport;
  bool keep_icrc = false;
  bool swap_icrc = false;
  uint32_t icrc_xor = 0;
  std::string append;
  uint32_t cut_frame = 0;
  uint32_t checksum_xor = 0;
};

absl::Status ChangeInFlight(absl::string_view text, const SpecIndex& index, Fields* decoded,
                            Parts* parts) {
  absl::StatusOr<Fields> changes = RecordFromText(Record::kCodec, text, index);
  if (!changes.ok()) return changes.status();
  for (const Field& change : changes->field()) SetField(change, decoded);
  absl::StatusOr<std::string> changed = CanonicalFrame(*decoded);
  if (!changed.ok()) return changed.status();
  absl::StatusOr<frame::Frame> parsed = ParseDown(*changed);
  if (!parsed.ok()) return parsed.status();
  parts->below = frame::SpecOf(*parsed, AsBytes(*changed));
  parts->keep_icrc = true;
  return absl::OkStatus();
}

absl::Status SetBits(absl::string_view text, Parts* parts) {
  const size_t equals = text.find('=');
  uint32_t value = 0;
  if (equals == absl::string_view::npos || !absl::SimpleAtoi(text.substr(equals + 1), &value)) {
    return absl::InvalidArgumentError(absl::StrCat("bits: \"", text, "\" is no name=number."));
  }
  return packet::SetPart({std::string(text.substr(0, equals)), uint64_t{value}},
                         absl::MakeSpan(parts->transport));
}

absl::Status InsertTail(absl::string_view text, Parts* parts) {
  absl::StatusOr<std::string> data = DataFromText(text);
  if (!data.ok()) return data.status();
  const frame::Bytes bytes = AsBytes(*data);
  parts->transport.insert(parts->transport.end() - 4, bytes.begin(), bytes.end());
  return absl::OkStatus();
}

void OverrideBelow(const Wrong& wrong, Parts* parts) {
  frame::FrameOverrides& o = parts->below.wrong;
  if (wrong.has_udp_length()) o.udp_length = static_cast<uint16_t>(wrong.udp_length());
  if (wrong.has_ip_length()) o.ip_length = static_cast<uint16_t>(wrong.ip_length());
  if (wrong.has_ether_type()) o.ether_type = static_cast<uint16_t>(wrong.ether_type());
  if (wrong.has_ip_protocol()) o.ip_protocol = static_cast<uint8_t>(wrong.ip_protocol());
  if (wrong.has_ip_version()) o.ip_version = static_cast<uint8_t>(wrong.ip_version());
  if (wrong.has_ihl()) o.ihl = static_cast<uint8_t>(wrong.ihl());
  if (wrong.has_fragment()) o.ip_flags_offset = static_cast<uint16_t>(wrong.fragment());
  if (wrong.has_ip_checksum_xor()) parts->checksum_xor ^= wrong.ip_checksum_xor();
}

absl::Status Apply(const Wrong& wrong, const SpecIndex& index, Fields* decoded, Parts* parts) {
  if (!wrong.bits().empty()) {
    if (absl::Status status = SetBits(wrong.bits(), parts); !status.ok()) return status;
  }
  if (!wrong.insert_tail().empty()) {
    if (absl::Status status = InsertTail(wrong.insert_tail(), parts); !status.ok()) return status;
  }
  if (wrong.has_cut_tail()) {
    const size_t cut = std::min<size_t>(wrong.cut_tail(), parts->transport.size() - 4);
    parts->transport.erase(parts->transport.end() - 4 - static_cast<ptrdiff_t>(cut),
                           parts->transport.end() - 4);
  }
  if (wrong.has_transport_byte() && wrong.transport_byte() < parts->transport.size()) {
    parts->transport[wrong.transport_byte()] = static_cast<uint8_t>(wrong.value());
  }
  if (!wrong.in_flight().empty()) {
    if (absl::Status s = ChangeInFlight(wrong.in_flight(), index, decoded, parts); !s.ok())
      return s;
  }
  OverrideBelow(wrong, parts);
  if (!wrong.append().empty()) {
    absl::StatusOr<std::string> data = DataFromText(wrong.append());
    if (!data.ok()) return data.status();
    parts->append += *data;
  }
  parts->keep_icrc |= wrong.keep_icrc();
  parts->swap_icrc |= wrong.swap_icrc();
  parts->icrc_xor ^= wrong.icrc_xor();
  parts->cut_frame += wrong.cut_frame();
  return absl::OkStatus();
}

// The iCRC is that of the frame without the overrides: a frame they spoil is refused before it.
absl::Status StoreRightIcrc(Parts* parts) {
  if (parts->transport.size() < frame::kIcrcLength) return absl::OkStatus();
  frame::FrameSpec right = parts->below;
  right.wrong = frame::FrameOverrides();
  absl::StatusOr<ByteVector> bytes = frame::BuildFrame(right, parts->transport);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<frame::Frame> parsed = ParseDown(AsText(*bytes));
  if (!parsed.ok()) return parsed.status();
  frame::StoreIcrc(*parsed, absl::MakeSpan(*bytes), frame::IcrcKind::kMetaRoce);
  parts->transport.assign(bytes->begin() + parsed->payload_offset,
                          bytes->begin() + static_cast<ptrdiff_t>(parsed->end()));
  return absl::OkStatus();
}

absl::StatusOr<std::string> PutTogether(Parts* parts) {
  if (!parts->keep_icrc) {
    if (absl::Status status = StoreRightIcrc(parts); !status.ok()) return status;
  }
  const size_t size = parts->transport.size();
  if (size >= frame::kIcrcLength) {
    uint8_t* icrc = parts->transport.data() + size - frame::kIcrcLength;
    for (size_t i = 0; i < 4; ++i) icrc[i] ^= static_cast<uint8_t>(parts->icrc_xor >> (8 * i));
    if (parts->swap_icrc) std::reverse(icrc, icrc + frame::kIcrcLength);
  }
  absl::StatusOr<ByteVector> bytes = frame::BuildFrame(parts->below, parts->transport);
  if (!bytes.ok()) return bytes.status();
  if (parts->checksum_xor != 0) {
    // The checksum stands in bytes 10 and 11 of the IPv4 header (RFC 791).
    const size_t ip = frame::HeadersLength(parts->below) - frame::kUdpHeaderLength -
                      frame::kIpv4MinHeaderLength - parts->below.options.length();
    (*bytes)[ip + 10] ^= static_cast<uint8_t>(parts->checksum_xor >> 8);
    (*bytes)[ip + 11] ^= static_cast<uint8_t>(parts->checksum_xor);
  }
  std::string text = AsText(*bytes) + parts->append;
  text.resize(text.size() - std::min<size_t>(text.size(), parts->cut_frame));
  return text;
}

}  // namespace

//= CONF-CANONICAL
//# For a canonical frame x, Encode of the fields that Decode gives is x.
absl::StatusOr<std::string> CanonicalFrame(const Fields& fields) {
  std::vector<packet::NamedValue> named;
  for (const Field& field : fields.field()) named.push_back(ToNamed(field));
  absl::StatusOr<ByteVector> bytes = packet::BuildFromFields(named);
  if (!bytes.ok()) return bytes.status();
  return AsText(*bytes);
}

absl::StatusOr<Fields> FieldsOf(absl::string_view bytes) {
  absl::StatusOr<frame::Frame> parsed = ParseDown(bytes);
  if (!parsed.ok()) return parsed.status();
  Fields fields;
  for (const packet::NamedValue& value : packet::Fields(*parsed, AsBytes(bytes))) {
    Field* field = fields.add_field();
    field->set_name(value.name);
    if (const uint64_t* number = std::get_if<uint64_t>(&value.value)) {
      field->set_number(*number);
    } else {
      field->set_data(AsText(std::get<ByteVector>(value.value)));
    }
  }
  return fields;
}

std::string ModelVerdict(absl::string_view bytes) {
  packet::Packet parsed;
  return std::string(packet::Parse(AsBytes(bytes), packet::ParseOptions(), &parsed).name());
}

absl::StatusOr<MadeFrame> MakeFrame(const FrameRecipe& recipe, const SpecIndex& index) {
  // Another destination port makes a frame that is not canonical: it is put in afterwards.
  Fields fields;
  std::optional<uint16_t> port;
  for (const Field& field : recipe.fields.field()) {
    if (field.name() == "udp.destination_port") {
      port = static_cast<uint16_t>(field.number());
    } else {
      *fields.add_field() = field;
    }
  }
  absl::StatusOr<std::string> canonical = CanonicalFrame(fields);
  if (!canonical.ok()) return canonical.status();
  absl::StatusOr<frame::Frame> parsed = ParseDown(*canonical);
  if (!parsed.ok()) return parsed.status();
  absl::StatusOr<Fields> decoded = FieldsOf(*canonical);
  if (!decoded.ok()) return decoded.status();

  Parts parts;
  parts.below = frame::SpecOf(*parsed, AsBytes(*canonical));
  if (port) parts.below.dst_port = *port;
  const frame::Bytes transport = frame::Payload(*parsed, AsBytes(*canonical));
  parts.transport.assign(transport.begin(), transport.end());
  for (const Wrong& wrong : *recipe.wrong) {
    if (absl::Status s = Apply(wrong, index, &*decoded, &parts); !s.ok()) return s;
  }
  if (recipe.byte && *recipe.byte < parts.transport.size()) {
    parts.transport[*recipe.byte] = recipe.value;
  }
  if (recipe.cut && *recipe.cut > parts.transport.size()) {
    return absl::InvalidArgumentError(absl::StrCat("cut: the UDP payload has ",
                                                   parts.transport.size(),
                                                   " bytes, and it is to end "
                                                   "after ",
                                                   *recipe.cut, "."));
  }
  if (recipe.cut) parts.transport.resize(*recipe.cut);
  absl::StatusOr<std::string> bytes = PutTogether(&parts);
  if (!bytes.ok()) return bytes.status();
  return MadeFrame{*std::move(bytes), *std::move(decoded)};
}

}  // namespace metaroce::vectors
