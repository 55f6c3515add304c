#include "model/wire/packet/dissect.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "model/wire/packet/bits.h"

namespace metaroce::packet {
namespace {

constexpr size_t kIcrcBytes = 4;
constexpr size_t kOptionHeader = 4;

absl::string_view Text(std::string_view s) { return {s.data(), s.size()}; }

// Most packets have no more parts.
constexpr size_t kManyParts = 56;

// Walks over bytes and collects parts. All sizes are checked by the callers against left().
class Collector {
 public:
  Collector(Bytes bytes, size_t begin, size_t end, std::vector<Part>& parts)
      : bytes_(bytes), at_(begin * 8), end_(end * 8), parts_(parts) {}

  size_t left() const { return (end_ - at_) / 8; }  // bytes
  size_t at() const { return at_ / 8; }
  void set_end(size_t end) { end_ = end * 8; }

  Part& Number(std::string name, size_t bits, PartRole role) {
    return Add(std::move(name), GetBits(bytes_, at_, bits), bits, role);
  }

  void Data(std::string name, size_t size, PartRole role) {
    const Bytes data = bytes_.subspan(at(), size);
    Add(std::move(name), std::vector<uint8_t>(data.begin(), data.end()), size * 8, role);
  }

  // The number is that of the bytes.
  void Count(std::string name, size_t size, PartRole role) {
    Add(std::move(name), uint64_t{size}, size * 8, role);
  }

  uint64_t Peek(size_t bits) const { return GetBits(bytes_, at_, bits); }

  // The fields of a layout, under `prefix`. False, and nothing is collected, if they are not there.
  bool Fields(const spec::LayoutInfo& layout, absl::string_view prefix);

  std::optional<uint64_t> Find(absl::string_view name) const {
    for (const Part& part : parts_) {
      if (part.name == name) return std::get<uint64_t>(part.value);
    }
    return std::nullopt;
  }

 private:
  Part& Add(std::string name, FieldValue value, size_t bits, PartRole role) {
    Part& part = parts_.emplace_back();
    part.name = std::move(name);
    part.value = std::move(value);
    part.bit_offset = at_;
    part.bits = bits;
    part.role = role;
    at_ += bits;
    return part;
  }

  Bytes bytes_;
  size_t at_;   // bits
  size_t end_;  // bits
  std::vector<Part>& parts_;
};

bool Collector::Fields(const spec::LayoutInfo& layout, absl::string_view prefix) {
  if (left() < layout.bytes) return false;
  for (size_t i = 0; i < layout.fields.size(); ++i) {
    const spec::FieldInfo& field = layout.fields[i];
    const PartRole role = field.reserved         ? PartRole::kIgnored
                          : IsDerived(layout, i) ? PartRole::kDerived
                                                 : PartRole::kField;
    Part& part = Number(absl::StrCat(prefix, ".", Text(field.name)), field.bits, role);
    part.info = &field;
    part.layout = &layout;
  }
  return true;
}

void DissectBlocks(const spec::OpcodeInfo& info, Collector& out) {
  const spec::LayoutInfo& count_layout = spec::Info(info.count_layout);
  const spec::LayoutInfo& block = spec::Info(info.repeat);
  const std::string count_name =
      absl::StrCat(Text(count_layout.name), ".", Text(count_layout.fields[info.count_field].name));
  const uint64_t count = out.Find(count_name).value_or(0);
  for (uint64_t i = 0; i < count; ++i) {
    const std::string prefix = absl::StrCat(Text(block.name), "[", i, "]");
    if (!out.Fields(block, prefix)) return;
    const uint64_t code =
        *out.Find(absl::StrCat(prefix, ".", Text(block.fields[block.bitmap_selector].name)));
    if (code >= block.bitmap_lengths.size()) return;
    const size_t size = block.bitmap_lengths[code] / 8;
    if (size > out.left()) return;
    out.Data(absl::StrCat(prefix, ".", Text(block.bitmap_name)), size, PartRole::kField);
  }
}

void DissectOptions(Collector& out) {
  for (size_t i = 0; out.left() >= kOptionHeader && out.Peek(16) != 0; ++i) {
    const size_t size = out.Peek(32) & 0xFFFF;
    if (size > out.left() - kOptionHeader) return;
    const std::string prefix = absl::StrCat("option[", i, "]");
    out.Number(absl::StrCat(prefix, ".type"), 16, PartRole::kField);
    out.Number(absl::StrCat(prefix, ".length"), 16, PartRole::kDerived);
    out.Data(absl::StrCat(prefix, ".value"), size, PartRole::kField);
    const size_t padding = std::min((4 - size % 4) % 4, out.left());
    if (padding != 0) out.Data(absl::StrCat(prefix, ".padding"), padding, PartRole::kIgnored);
  }
  out.Count("filler", out.left(), PartRole::kField);
}

void DissectTail(const spec::OpcodeInfo& info, Collector& out) {
  switch (info.tail) {
    case spec::Tail::kPayload: {
      const uint64_t pad = out.Find("common.pad").value_or(0);
      if (pad > out.left()) return;
      out.Data("payload", out.left() - pad, PartRole::kField);
      if (pad != 0) out.Data("pad", pad, PartRole::kIgnored);
      return;
    }
    case spec::Tail::kPathBlocks:
      return DissectBlocks(info, out);
    case spec::Tail::kOptions:
      return DissectOptions(out);
    case spec::Tail::kFiller:
      return out.Count("filler", out.left(), PartRole::kField);
    case spec::Tail::kEmpty:
      return;
  }
}

// The UDP payload from `begin` to `end`.
void DissectTransportInto(Bytes bytes, size_t begin, size_t end, std::vector<Part>& parts) {
  Collector out(bytes, begin, end, parts);
  if (out.Fields(spec::kCommonLayout, "common")) {
    const auto opcode = static_cast<spec::Opcode>(*out.Find("common.opcode"));
    const spec::OpcodeInfo& info = spec::Info(opcode);
    bool complete = info.known;
    for (size_t i = 1; complete && i < info.headers.size(); ++i) {
      const spec::LayoutInfo& layout = spec::Info(info.headers[i]);
      complete = out.Fields(layout, Text(layout.name));
    }
    if (out.left() >= kIcrcBytes) {
      out.set_end(end - kIcrcBytes);
      if (complete) DissectTail(info, out);
      Collector icrc(bytes, end - kIcrcBytes, end, parts);
      icrc.Number("icrc", kIcrcBytes * 8, PartRole::kDerived);
    }
  }
}

// The fields that count the path blocks of an opcode.
std::vector<std::pair<const spec::LayoutInfo*, size_t>> Counts() {
  std::vector<std::pair<const spec::LayoutInfo*, size_t>> counts;
  for (const spec::Opcode opcode : spec::kOpcodes) {
    const spec::OpcodeInfo& info = spec::Info(opcode);
    if (info.tail != spec::Tail::kPathBlocks) continue;
    const std::pair count(&spec::Info(info.count_layout), size_t{info.count_field});
    if (std::find(counts.begin(), counts.end(), count) == counts.end()) counts.push_back(count);
  }
  return counts;
}

void DissectEthernet(const frame::Frame& frame, Collector& out) {
  if (frame.link != frame::LinkType::kEthernet) return;
  out.Data("eth.dst", 6, PartRole::kField);
  out.Data("eth.src", 6, PartRole::kField);
  for (size_t i = 0; i < frame.vlan_count; ++i) {
    out.Number(absl::StrCat("eth.vlan[", i, "]"), 32, PartRole::kField);
  }
  out.Number("eth.type", 16, PartRole::kDerived);
}

void DissectIpv4(const frame::Frame& frame, Collector& out) {
  out.Number("ip.version", 4, PartRole::kField);
  out.Number("ip.header_length", 4, PartRole::kDerived);
  out.Number("ip.dscp", 6, PartRole::kField);
  out.Number("ip.ecn", 2, PartRole::kField);
  out.Number("ip.length", 16, PartRole::kDerived);
  out.Number("ip.id", 16, PartRole::kField);
  out.Number("ip.flags.reserved", 1, PartRole::kIgnored);
  out.Number("ip.df", 1, PartRole::kField);
  out.Number("ip.flags.mf", 1, PartRole::kDerived);
  out.Number("ip.fragment_offset", 13, PartRole::kDerived);
  out.Number("ip.ttl", 8, PartRole::kField);
  out.Number("ip.protocol", 8, PartRole::kDerived);
  out.Number("ip.checksum", 16, PartRole::kDerived);
  out.Data("ip.src", 4, PartRole::kField);
  out.Data("ip.dst", 4, PartRole::kField);
  const size_t options = frame.ip_header_length() - frame::kIpv4MinHeaderLength;
  if (options != 0) out.Data("ip.options", options, PartRole::kField);
}

void DissectIpv6(Collector& out) {
  out.Number("ip.version", 4, PartRole::kField);
  out.Number("ip.dscp", 6, PartRole::kField);
  out.Number("ip.ecn", 2, PartRole::kField);
  out.Number("ip.flow_label", 20, PartRole::kField);
  out.Number("ip.length", 16, PartRole::kDerived);
  out.Number("ip.protocol", 8, PartRole::kDerived);
  out.Number("ip.ttl", 8, PartRole::kField);
  out.Data("ip.src", 16, PartRole::kField);
  out.Data("ip.dst", 16, PartRole::kField);
}

}  // namespace

bool IsDerived(const spec::LayoutInfo& layout, size_t field) {
  if (&layout == &spec::kCommonLayout && layout.fields[field].name == "pad") return true;
  if (!layout.bitmap_lengths.empty() && field == layout.bitmap_selector) return true;
  static const auto* const kCounts = new std::vector(Counts());
  return std::find(kCounts->begin(), kCounts->end(), std::pair(&layout, field)) != kCounts->end();
}

std::vector<Part> DissectTransport(Bytes transport) {
  std::vector<Part> parts;
  parts.reserve(kManyParts);
  DissectTransportInto(transport, 0, transport.size(), parts);
  return parts;
}

std::vector<Part> DissectFrame(const frame::Frame& frame, Bytes bytes) {
  std::vector<Part> parts;
  parts.reserve(kManyParts);
  Collector out(bytes, 0, frame.payload_offset, parts);
  DissectEthernet(frame, out);
  if (frame.ip_version == 4) {
    DissectIpv4(frame, out);
  } else {
    DissectIpv6(out);
  }
  out.Number("udp.source_port", 16, PartRole::kField);
  out.Number("udp.destination_port", 16, PartRole::kField);
  out.Number("udp.length", 16, PartRole::kDerived);
  out.Number("udp.checksum", 16, PartRole::kField);
  DissectTransportInto(bytes, frame.payload_offset, frame.end(), parts);
  if (frame.end() < bytes.size()) {
    Collector padding(bytes, frame.end(), bytes.size(), parts);
    padding.Data("eth.padding", padding.left(), PartRole::kIgnored);
  }
  return parts;
}

}  // namespace metaroce::packet
