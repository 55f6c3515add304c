#include "model/wire/packet/fields.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "model/wire/frame/builder.h"
#include "model/wire/frame/bytes.h"
#include "model/wire/frame/icrc.h"
#include "model/wire/packet/bits.h"

namespace metaroce::packet {
namespace {

constexpr size_t kLongestOption = 0xFFFF;

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

absl::Status Refuse(absl::string_view text) { return absl::InvalidArgumentError(text); }

// The given fields by name. Each is taken out when it is used; what remains at the end should not
// have been given. The first error sticks, and everything taken after it is a default.
class Record {
 public:
  explicit Record(absl::Span<const NamedValue> fields) {
    for (const NamedValue& field : fields) {
      if (!fields_.emplace(field.name, &field.value).second) {
        Fail(absl::StrCat(field.name, " is given twice."));
      }
    }
  }

  void Fail(absl::string_view text) {
    if (status_.ok()) status_ = Refuse(text);
  }
  const absl::Status& status() const { return status_; }

  bool Has(const std::string& name) const { return fields_.count(name) != 0; }
  bool HasPrefix(const std::string& prefix) const {
    const auto found = fields_.lower_bound(prefix);
    return found != fields_.end() && found->first.compare(0, prefix.size(), prefix) == 0;
  }

  uint64_t Number(const std::string& name, uint64_t max, uint64_t otherwise) {
    const FieldValue* value = Take(name);
    if (value == nullptr) return otherwise;
    const uint64_t* number = std::get_if<uint64_t>(value);
    if (number == nullptr) {
      Fail(absl::StrCat(name, " is data; it is a number."));
      return otherwise;
    }
    if (*number > max) {
      Fail(absl::StrFormat("%s is %d; the greatest value is %d.", name, *number, max));
      return otherwise;
    }
    return *number;
  }

  // Nothing if it is not given.
  std::optional<Bytes> Data(const std::string& name) {
    const FieldValue* value = Take(name);
    if (value == nullptr) return std::nullopt;
    const std::vector<uint8_t>* data = std::get_if<std::vector<uint8_t>>(value);
    if (data == nullptr) {
      Fail(absl::StrCat(name, " is a number; it is data."));
      return std::nullopt;
    }
    return Bytes(*data);
  }

  // Likewise, of one length.
  std::optional<Bytes> Data(const std::string& name, size_t size) {
    std::optional<Bytes> data = Data(name);
    if (data && data->size() != size) {
      Fail(absl::StrFormat("%s has %d bytes; it has to have %d.", name, data->size(), size));
      return std::nullopt;
    }
    return data;
  }

  // A name that nobody took.
  std::optional<std::string> Left() const {
    if (fields_.empty()) return std::nullopt;
    return fields_.begin()->first;
  }

 private:
  const FieldValue* Take(const std::string& name) {
    const auto found = fields_.find(name);
    if (found == fields_.end()) return nullptr;
    const FieldValue* value = found->second;
    fields_.erase(found);
    return value;
  }

  std::map<std::string, const FieldValue*> fields_;
  absl::Status status_;
};

frame::MacAddress TakeMac(Record& record, const std::string& name, uint8_t last) {
  frame::MacAddress mac = {{0x02, 0, 0, 0, 0, last}};
  if (const std::optional<Bytes> data = record.Data(name, mac.bytes.size())) {
    std::copy(data->begin(), data->end(), mac.bytes.begin());
  }
  return mac;
}

frame::IpAddress TakeAddress(Record& record, const std::string& name, int version, uint8_t last) {
  if (version == 4) {
    std::array<uint8_t, 4> v4 = {192, 0, 2, last};
    if (const std::optional<Bytes> data = record.Data(name, v4.size())) {
      std::copy(data->begin(), data->end(), v4.begin());
    }
    return frame::IpAddress::V4(v4);
  }
  std::array<uint8_t, 16> v6 = {0x20, 0x01, 0x0d, 0xb8};
  v6[15] = last;
  if (const std::optional<Bytes> data = record.Data(name, v6.size())) {
    std::copy(data->begin(), data->end(), v6.begin());
  }
  return frame::IpAddress::V6(v6);
}

bool HasSixteenBytes(absl::Span<const NamedValue> fields, absl::string_view name) {
  for (const NamedValue& field : fields) {
    const auto* data = std::get_if<std::vector<uint8_t>>(&field.value);
    if (field.name == name && data != nullptr && data->size() == 16) return true;
  }
  return false;
}

void TakeVlans(Record& record, frame::FrameSpec& spec) {
  for (size_t i = 0; i < spec.vlans.size(); ++i) {
    const std::string name = absl::StrCat("eth.vlan[", i, "]");
    if (!record.Has(name)) return;
    const uint64_t tag = record.Number(name, 0xFFFFFFFF, 0);
    const auto tpid = static_cast<uint16_t>(tag >> 16);
    if (tpid != frame::kEtherTypeVlan && tpid != frame::kEtherTypeServiceVlan) {
      record.Fail(
          absl::StrFormat("%s has the tag protocol identifier 0x%04x; it has to be 0x8100 "
                          "or 0x88a8.",
                          name, tpid));
    }
    spec.vlans[spec.vlan_count++] = {tpid, static_cast<uint16_t>(tag)};
  }
}

void TakeIpv4(Record& record, frame::FrameSpec& spec) {
  spec.identification = static_cast<uint16_t>(record.Number("ip.id", 0xFFFF, 0));
  spec.dont_fragment = record.Number("ip.df", 1, 1) != 0;
  const std::optional<Bytes> options = record.Data("ip.options");
  if (!options) return;
  if (options->empty() || options->size() > frame::Ipv4Options::kMaxLength ||
      options->size() % 4 != 0) {
    record.Fail(absl::StrFormat("ip.options has %d bytes; it has to have 4 to %d, a multiple of 4.",
                                options->size(), frame::Ipv4Options::kMaxLength));
    return;
  }
  spec.options = *frame::Ipv4Options::Of(*options);
}

// [CONF-CODEC-FRAME]
frame::FrameSpec TakeFrame(Record& record, spec::Opcode opcode, bool sixteen_bytes) {
  //= WIRE-TRAFFIC-CLASS
  //# DATA packets, PROBE and PATH_OPEN carry the code point `data_dscp` and the ECN code point
  //# ECT(0), which is 2. All other packets carry `control_dscp` and ECT(0).
  const bool data_class = spec::Info(opcode).opcode_class == spec::OpcodeClass::kData ||
                          opcode == spec::Opcode::kProbe || opcode == spec::Opcode::kPathOpen;
  frame::FrameSpec out;
  out.dst_mac = TakeMac(record, "eth.dst", 2);
  out.src_mac = TakeMac(record, "eth.src", 1);
  TakeVlans(record, out);
  const uint64_t version = record.Number("ip.version", 6, sixteen_bytes ? 6 : 4);
  if (version != 4 && version != 6) {
    record.Fail(absl::StrFormat("ip.version is %d; it has to be 4 or 6.", version));
  }
  out.src = TakeAddress(record, "ip.src", static_cast<int>(version), 1);
  out.dst = TakeAddress(record, "ip.dst", static_cast<int>(version), 2);
  out.dscp = static_cast<uint8_t>(record.Number(
      "ip.dscp", 63, data_class ? spec::constant::kDataDscp : spec::constant::kControlDscp));
  out.ecn =
      static_cast<frame::Ecn>(record.Number("ip.ecn", 3, static_cast<uint64_t>(frame::Ecn::kEct0)));
  out.ttl = static_cast<uint8_t>(record.Number("ip.ttl", 255, spec::constant::kHopLimit));
  out.src_port =
      static_cast<uint16_t>(record.Number("udp.source_port", 0xFFFF, spec::constant::kEntropyMin));
  out.dst_port = static_cast<uint16_t>(
      record.Number("udp.destination_port", 0xFFFF, spec::constant::kUdpPort));
  if (out.dst_port != spec::constant::kUdpPort) {
    record.Fail(absl::StrFormat("udp.destination_port is %d; it has to be %d.", out.dst_port,
                                spec::constant::kUdpPort));
  }
  out.udp_checksum = static_cast<uint16_t>(record.Number("udp.checksum", 0xFFFF, 0));
  if (version == 4) {
    TakeIpv4(record, out);
  } else {
    out.flow_label = static_cast<uint32_t>(record.Number("ip.flow_label", 0xFFFFF, out.src_port));
  }
  return out;
}

// Bytes of headers and tail that grow at the end.
class Writer {
 public:
  // The fields of a layout, under `prefix`. Returns where it begins.
  size_t Layout(const spec::LayoutInfo& layout, absl::string_view prefix, Record& record) {
    const size_t begin = bytes_.size();
    bytes_.resize(begin + layout.bytes);
    for (size_t i = 0; i < layout.fields.size(); ++i) {
      const spec::FieldInfo& field = layout.fields[i];
      if (field.reserved || IsDerived(layout, i)) continue;
      const bool version = &layout == &spec::kCommonLayout && field.name == "version";
      const std::string name = absl::StrCat(prefix, ".", Absl(field.name));
      const uint64_t value =
          record.Number(name, field.max(), version ? spec::constant::kWireVersion : 0);
      if (version && value != spec::constant::kWireVersion) {
        record.Fail(absl::StrFormat("%s is %d; it has to be %d.", name, value,
                                    spec::constant::kWireVersion));
      }
      Set(begin, field, value);
    }
    return begin;
  }

  // `begin`: where the field's layout begins.
  void Set(size_t begin, const spec::FieldInfo& field, uint64_t value) {
    SetBits(absl::MakeSpan(bytes_), begin * 8 + field.bit_offset, field.bits, value);
  }

  void Number16(uint64_t value) {
    bytes_.push_back(static_cast<uint8_t>(value >> 8));
    bytes_.push_back(static_cast<uint8_t>(value));
  }
  void Append(Bytes data) { bytes_.insert(bytes_.end(), data.begin(), data.end()); }
  // Zeros up to a multiple of four from the beginning. Returns how many.
  size_t Align() {
    const size_t zeros = (4 - bytes_.size() % 4) % 4;
    bytes_.resize(bytes_.size() + zeros);
    return zeros;
  }
  void Zeros(size_t count) { bytes_.resize(bytes_.size() + count); }

  std::vector<uint8_t>& bytes() { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

void TakeBitmap(const spec::LayoutInfo& layout, const std::string& prefix, size_t begin,
                Record& record, Writer& out) {
  const std::string name = absl::StrCat(prefix, ".", Absl(layout.bitmap_name));
  const Bytes bitmap = record.Data(name).value_or(Bytes());
  const auto& lengths = layout.bitmap_lengths;
  const auto found = std::find(lengths.begin(), lengths.end(), bitmap.size() * 8);
  if (found == lengths.end()) {
    record.Fail(
        absl::StrFormat("%s has %d bytes, a length that no code selects.", name, bitmap.size()));
    return;
  }
  out.Set(begin, layout.fields[layout.bitmap_selector],
          static_cast<uint64_t>(found - lengths.begin()));
  out.Append(bitmap);
}

void TakeBlocks(const spec::OpcodeInfo& info, size_t count_layout_begin, Record& record,
                Writer& out) {
  const spec::LayoutInfo& block = spec::Info(info.repeat);
  uint64_t count = 0;
  while (count < info.count_max) {
    const std::string prefix = absl::StrCat(Absl(block.name), "[", count, "]");
    if (!record.HasPrefix(prefix + ".")) break;
    const size_t begin = out.Layout(block, prefix, record);
    TakeBitmap(block, prefix, begin, record, out);
    ++count;
  }
  if (count < info.count_min) {
    record.Fail(absl::StrFormat("Fields of %d %ss are given; there have to be at least %d.", count,
                                Absl(block.name), info.count_min));
  }
  out.Set(count_layout_begin, spec::Info(info.count_layout).fields[info.count_field], count);
}

void TakeFiller(Record& record, Writer& out) {
  // No IP packet is longer; a greater number would only waste memory.
  const uint64_t filler = record.Number("filler", 0xFFFF, 0);
  if (filler % 4 != 0) {
    record.Fail(absl::StrFormat("filler is %d; it has to be a multiple of 4.", filler));
  }
  out.Zeros(filler);
}

void TakeOptions(Record& record, Writer& out) {
  for (size_t i = 0;; ++i) {
    const std::string prefix = absl::StrCat("option[", i, "]");
    if (!record.HasPrefix(prefix + ".")) break;
    const uint64_t type = record.Number(prefix + ".type", 0xFFFF, 0);
    const Bytes value = record.Data(prefix + ".value").value_or(Bytes());
    if (type == 0) {
      record.Fail(absl::StrCat(prefix, ".type has to be given, and not 0."));
    }
    if (value.size() > kLongestOption) {
      record.Fail(absl::StrFormat("%s.value has %d bytes; the greatest length is %d.", prefix,
                                  value.size(), kLongestOption));
    }
    out.Number16(type);
    out.Number16(value.size());
    out.Append(value);
    out.Align();
  }
  TakeFiller(record, out);
}

// Headers, tail and pad. All layouts are multiples of four bytes, so alignment counts from the
// beginning [WIRE-WORDS].
std::vector<uint8_t> TakeTransport(Record& record, const spec::OpcodeInfo& info) {
  Writer out;
  size_t count_layout_begin = 0;
  for (const spec::Layout id : info.headers) {
    const spec::LayoutInfo& layout = spec::Info(id);
    const size_t begin = out.Layout(layout, Absl(layout.name), record);
    if (id == info.count_layout) count_layout_begin = begin;
  }
  switch (info.tail) {
    case spec::Tail::kPayload: {
      out.Append(record.Data("payload").value_or(Bytes()));
      const size_t pad = out.Align();
      out.Set(0, spec::kCommonFields[*spec::kCommonLayout.FieldIndex("pad")], pad);
      break;
    }
    case spec::Tail::kPathBlocks:
      TakeBlocks(info, count_layout_begin, record, out);
      break;
    case spec::Tail::kOptions:
      TakeOptions(record, out);
      break;
    case spec::Tail::kFiller:
      TakeFiller(record, out);
      break;
    case spec::Tail::kEmpty:
      break;
  }
  return std::move(out.bytes());
}

absl::StatusOr<spec::Opcode> FindOpcode(absl::Span<const NamedValue> fields) {
  for (const NamedValue& field : fields) {
    if (field.name != "common.opcode") continue;
    const uint64_t* number = std::get_if<uint64_t>(&field.value);
    if (number == nullptr) return Refuse("common.opcode is data; it is a number.");
    if (*number > 255 || !spec::Info(static_cast<spec::Opcode>(*number)).known) {
      return Refuse(absl::StrFormat("common.opcode is %d, which is no opcode.", *number));
    }
    return static_cast<spec::Opcode>(*number);
  }
  return Refuse("common.opcode is not given.");
}

}  // namespace

std::vector<NamedValue> Fields(const frame::Frame& frame, Bytes bytes) {
  std::vector<Part> parts = DissectFrame(frame, bytes);
  std::vector<NamedValue> fields;
  fields.reserve(parts.size());
  for (Part& part : parts) {
    if (part.role == PartRole::kField) {
      fields.push_back({std::move(part.name), std::move(part.value)});
    }
  }
  return fields;
}

absl::StatusOr<std::vector<uint8_t>> BuildFromFields(absl::Span<const NamedValue> fields) {
  const absl::StatusOr<spec::Opcode> opcode = FindOpcode(fields);
  if (!opcode.ok()) return opcode.status();
  const spec::OpcodeInfo& info = spec::Info(*opcode);
  Record record(fields);
  const bool ipv6 = HasSixteenBytes(fields, "ip.src") || HasSixteenBytes(fields, "ip.dst");
  const frame::FrameSpec spec = TakeFrame(record, *opcode, ipv6);
  std::vector<uint8_t> transport = TakeTransport(record, info);
  if (!record.status().ok()) return record.status();
  if (const std::optional<std::string> left = record.Left()) {
    return Refuse(absl::StrCat(*left, " is no field that a frame with the opcode ", Absl(info.name),
                               " and the other fields given can have."));
  }
  transport.resize(transport.size() + frame::kIcrcLength);
  absl::StatusOr<std::vector<uint8_t>> bytes = frame::BuildFrame(spec, transport);
  if (!bytes.ok()) return bytes.status();
  frame::Frame frame;
  if (!frame::ParseFrame(*bytes, frame::LinkType::kEthernet, {}, &frame).ok() ||
      !frame::StoreIcrc(frame, absl::MakeSpan(*bytes), frame::IcrcKind::kMetaRoce)) {
    return absl::InternalError("A frame was built that does not parse.");
  }
  return bytes;
}

}  // namespace metaroce::packet
