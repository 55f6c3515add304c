#include "model/wire/frame/builder.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_format.h"
#include "model/wire/frame/bytes.h"

namespace metaroce::frame {
namespace {

constexpr size_t kMaxIpLength = 0xFFFF;
constexpr uint32_t kMaxFlowLabel = 0xFFFFF;
constexpr uint8_t kMaxDscp = 63;

size_t IpHeaderLength(const FrameSpec& spec) {
  return spec.src.is_v4() ? kIpv4MinHeaderLength + spec.options.length() : kIpv6HeaderLength;
}

// What the IP length field counts: IPv4 the header too, IPv6 only what follows.
size_t IpLength(const FrameSpec& spec, size_t payload_length) {
  const size_t header = spec.src.is_v4() ? IpHeaderLength(spec) : 0;
  return header + kUdpHeaderLength + payload_length;
}

inline bool InRange(const FrameSpec& spec, size_t payload_length) {
  return spec.vlan_count <= 2 && spec.src.version() == spec.dst.version() &&
         spec.dscp <= kMaxDscp && spec.ecn <= Ecn::kCe && spec.flow_label <= kMaxFlowLabel &&
         spec.wrong.ip_version.value_or(0) <= 15 && spec.wrong.ihl.value_or(0) <= 15 &&
         payload_length <= kMaxIpLength && IpLength(spec, payload_length) <= kMaxIpLength;
}

uint8_t TrafficClass(const FrameSpec& spec) {
  return static_cast<uint8_t>(spec.dscp << 2 | static_cast<uint8_t>(spec.ecn));
}

uint8_t* WriteEthernet(const FrameSpec& spec, uint8_t* out) {
  std::memcpy(out, spec.dst_mac.bytes.data(), 6);
  std::memcpy(out + 6, spec.src_mac.bytes.data(), 6);
  out += 12;
  for (size_t i = 0; i < spec.vlan_count; ++i, out += kVlanTagLength) {
    StoreBe16(out, spec.vlans[i].tpid);
    StoreBe16(out + 2, spec.vlans[i].tci);
  }
  StoreBe16(out,
            spec.wrong.ether_type.value_or(spec.src.is_v4() ? kEtherTypeIpv4 : kEtherTypeIpv6));
  return out + 2;
}

// The fixed header goes through five words in registers: a sum over bytes just
// written would wait for the stores.
uint8_t* WriteIpv4(const FrameSpec& spec, size_t payload_length, uint8_t* out) {
  const FrameOverrides& wrong = spec.wrong;
  const Bytes options = spec.options.bytes();
  const uint32_t version_ihl =
      wrong.ip_version.value_or(4) << 4 | wrong.ihl.value_or(IpHeaderLength(spec) / 4);
  const uint16_t length = wrong.ip_length.value_or(IpLength(spec, payload_length));
  //= WIRE-IP-FIELDS
  //# In IPv4 a sender sets DF, clears MF and the fragment offset
  const int flags = (spec.reserved_ip_flag ? 0x8000 : 0) | (spec.dont_fragment ? 0x4000 : 0);
  const uint16_t flags_offset = wrong.ip_flags_offset.value_or(flags);
  const uint8_t protocol = wrong.ip_protocol.value_or(kIpProtocolUdp);
  const uint32_t w0 = version_ihl << 24 | uint32_t{TrafficClass(spec)} << 16 | length;
  const uint32_t w1 = uint32_t{spec.identification} << 16 | flags_offset;
  const uint32_t w2 = uint32_t{spec.ttl} << 24 | uint32_t{protocol} << 16;
  const uint32_t w3 = LoadBe32(spec.src.bytes().data());
  const uint32_t w4 = LoadBe32(spec.dst.bytes().data());
  uint64_t sum = uint64_t{w0} + w1 + w2 + w3 + w4;
  for (size_t i = 0; i < options.size(); i += 4) sum += LoadBe32(&options[i]);
  const uint16_t checksum = wrong.ip_checksum.has_value() ? *wrong.ip_checksum : Complement(sum);
  StoreBe32(out, w0);
  StoreBe32(out + 4, w1);
  StoreBe32(out + 8, w2 | checksum);
  StoreBe32(out + 12, w3);
  StoreBe32(out + 16, w4);
  if (!options.empty()) std::memcpy(out + kIpv4MinHeaderLength, options.data(), options.size());
  return out + kIpv4MinHeaderLength + options.size();
}

uint8_t* WriteIpv6(const FrameSpec& spec, size_t payload_length, uint8_t* out) {
  StoreBe32(out, uint32_t{spec.wrong.ip_version.value_or(6)} << 28 |
                     uint32_t{TrafficClass(spec)} << 20 | spec.flow_label);
  StoreBe16(out + 4, spec.wrong.ip_length.value_or(IpLength(spec, payload_length)));
  out[6] = spec.wrong.ip_protocol.value_or(kIpProtocolUdp);
  out[7] = spec.ttl;
  std::memcpy(out + 8, spec.src.bytes().data(), 16);
  std::memcpy(out + 24, spec.dst.bytes().data(), 16);
  return out + kIpv6HeaderLength;
}

void WriteUdp(const FrameSpec& spec, size_t payload_length, uint8_t* out) {
  StoreBe16(out, spec.src_port);
  StoreBe16(out + 2, spec.dst_port);
  StoreBe16(out + 4, spec.wrong.udp_length.value_or(kUdpHeaderLength + payload_length));
  //= WIRE-UDP-CHECKSUM
  //# A sender writes zero into the UDP checksum, in IPv4 and in IPv6.
  StoreBe16(out + 6, spec.udp_checksum);
}

}  // namespace

absl::StatusOr<Ipv4Options> Ipv4Options::Of(Bytes bytes) {
  if (bytes.size() > kMaxLength) {
    return absl::InvalidArgumentError(
        absl::StrFormat("IPv4 options of %d bytes are longer than %d.", bytes.size(), kMaxLength));
  }
  Ipv4Options options;
  std::copy(bytes.begin(), bytes.end(), options.bytes_.begin());
  options.length_ = static_cast<uint8_t>((bytes.size() + 3) / 4 * 4);
  return options;
}

size_t HeadersLength(const FrameSpec& spec) {
  const size_t link = spec.ethernet ? kEthernetHeaderLength + spec.vlan_count * kVlanTagLength : 0;
  return link + IpHeaderLength(spec) + kUdpHeaderLength;
}

absl::Status Check(const FrameSpec& spec, size_t payload_length) {
  if (InRange(spec, payload_length)) return absl::OkStatus();
  if (spec.src.version() != spec.dst.version()) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "The source address %s and the destination address %s are not of one IP version.",
        spec.src.ToString(), spec.dst.ToString()));
  }
  const struct {
    const char* field;
    size_t value;
    size_t bound;
  } limits[] = {
      {"number of VLAN tags", spec.vlan_count, 2},
      {"DSCP", spec.dscp, kMaxDscp},
      {"ECN code point", static_cast<size_t>(spec.ecn), 3},
      {"flow label", spec.flow_label, kMaxFlowLabel},
      {"overriding IP version", spec.wrong.ip_version.value_or(0), 15},
      {"overriding IHL", spec.wrong.ihl.value_or(0), 15},
      {"UDP payload length", payload_length, kMaxIpLength},
      {"IP length", IpLength(spec, payload_length), kMaxIpLength},
  };
  for (const auto& limit : limits) {
    if (limit.value > limit.bound) {
      return absl::InvalidArgumentError(absl::StrFormat("The %s, %d, is greater than %d.",
                                                        limit.field, limit.value, limit.bound));
    }
  }
  return absl::InternalError("The frame cannot be built.");
}

size_t WriteHeaders(const FrameSpec& spec, size_t payload_length, absl::Span<uint8_t> out) {
  const size_t length = HeadersLength(spec);
  if (!InRange(spec, payload_length) || out.size() < length) return 0;
  uint8_t* p = out.data();
  if (spec.ethernet) p = WriteEthernet(spec, p);
  p = spec.src.is_v4() ? WriteIpv4(spec, payload_length, p) : WriteIpv6(spec, payload_length, p);
  WriteUdp(spec, payload_length, p);
  return length;
}

absl::StatusOr<std::vector<uint8_t>> BuildFrame(const FrameSpec& spec, Bytes payload) {
  if (absl::Status status = Check(spec, payload.size()); !status.ok()) return status;
  std::vector<uint8_t> frame(HeadersLength(spec) + payload.size());
  const size_t headers = WriteHeaders(spec, payload.size(), absl::MakeSpan(frame));
  std::copy(payload.begin(), payload.end(), frame.begin() + headers);
  return frame;
}

FrameSpec SpecOf(const Frame& frame, Bytes bytes) {
  FrameSpec spec;
  spec.ethernet = frame.link == LinkType::kEthernet;
  spec.dst_mac = DestinationMac(frame, bytes);
  spec.src_mac = SourceMac(frame, bytes);
  spec.vlan_count = frame.vlan_count;
  spec.vlans = frame.vlans;
  spec.src = SourceAddress(frame, bytes);
  spec.dst = DestinationAddress(frame, bytes);
  spec.dscp = frame.dscp();
  spec.ecn = frame.ecn();
  spec.ttl = frame.ttl;
  spec.flow_label = frame.flow_label;
  spec.identification = frame.identification;
  spec.dont_fragment = frame.dont_fragment;
  spec.reserved_ip_flag = frame.reserved_ip_flag;
  spec.src_port = frame.src_port;
  spec.dst_port = frame.dst_port;
  spec.udp_checksum = frame.udp_checksum;
  if (frame.ip_version == 4) {
    // An IHL of at most 15 leaves at most 40 bytes of options.
    spec.options = *Ipv4Options::Of(Ipv4OptionBytes(frame, bytes));
    const Bytes header = bytes.subspan(frame.ip_offset, frame.ip_header_length());
    const uint16_t found = LoadBe16(&header[10]);
    if (found != Ipv4HeaderChecksum(header)) spec.wrong.ip_checksum = found;
  }
  return spec;
}

}  // namespace metaroce::frame
