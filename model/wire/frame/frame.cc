#include "model/wire/frame/frame.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "model/wire/frame/bytes.h"

namespace metaroce::frame {
namespace {

FrameFault Truncated(size_t offset, size_t present, size_t needed) {
  return {FrameReason::kTruncated, static_cast<uint16_t>(offset), static_cast<uint32_t>(present),
          static_cast<uint32_t>(needed)};
}

FrameFault Fault(FrameReason reason, size_t offset, uint32_t value, uint32_t bound) {
  return {reason, static_cast<uint16_t>(offset), value, bound};
}

// RFC 1071. Precondition: an even number of bytes, at most 60.
uint16_t OnesComplementSum(Bytes header) {
  uint64_t sum = 0;
  for (size_t i = 0; i + 1 < header.size(); i += 2) sum += LoadBe16(&header[i]);
  sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<uint16_t>((sum & 0xFFFF) + (sum >> 16));
}

// Checks 1 and 2. Sets the tags, ip_offset and ip_version.
FrameFault ParseEthernet(Bytes bytes, Frame& f) {
  if (bytes.size() < kEthernetHeaderLength) {
    return Truncated(0, bytes.size(), kEthernetHeaderLength);
  }
  size_t type_at = 12;
  uint16_t type = LoadBe16(&bytes[type_at]);
  while ((type == kEtherTypeVlan || type == kEtherTypeServiceVlan) && f.vlan_count < 2) {
    if (bytes.size() < type_at + 2 + kVlanTagLength) {
      return Truncated(type_at, bytes.size() - type_at, 2 + kVlanTagLength);
    }
    f.vlans[f.vlan_count++] = {type, LoadBe16(&bytes[type_at + 2])};
    type_at += kVlanTagLength;
    type = LoadBe16(&bytes[type_at]);
  }
  if (type != kEtherTypeIpv4 && type != kEtherTypeIpv6) {
    return Fault(FrameReason::kNotIp, type_at, type, 0);
  }
  f.ip_version = type == kEtherTypeIpv4 ? 4 : 6;
  f.ip_offset = static_cast<uint16_t>(type_at + 2);
  return {};
}

// The IP version of a frame without link layer. Link type 101 has it in the
// first byte: checks 3 and 4, as far as they come before it is known.
FrameFault FindRawIpVersion(Bytes bytes, Frame& f) {
  if (f.link == LinkType::kIpv4 || f.link == LinkType::kIpv6) {
    f.ip_version = f.link == LinkType::kIpv4 ? 4 : 6;
    return {};
  }
  if (bytes.size() < kIpv4MinHeaderLength) {
    return Truncated(0, bytes.size(), kIpv4MinHeaderLength);
  }
  const uint8_t version = bytes[0] >> 4;
  if (version != 4 && version != 6) return Fault(FrameReason::kIpHeader, 0, version, 0);
  f.ip_version = version;
  return {};
}

// Where the IP payload is and what it claims to be, for checks 8 and 9.
struct IpPayload {
  size_t length = 0;
  size_t protocol_at = 0;
};

// Checks 3 to 7 for IPv4.
FrameFault ParseIpv4(Bytes bytes, const FrameOptions& options, Frame& f, IpPayload& payload) {
  const size_t at = f.ip_offset;
  const size_t present = bytes.size() - at;
  if (present < kIpv4MinHeaderLength) return Truncated(at, present, kIpv4MinHeaderLength);
  const uint8_t* ip = &bytes[at];
  const uint32_t version = ip[0] >> 4;
  const uint32_t ihl = ip[0] & 0xF;
  const size_t header_length = ihl * 4;
  const uint16_t total_length = LoadBe16(ip + 2);
  if (version != 4) return Fault(FrameReason::kIpHeader, at, version, 4);
  if (ihl < 5) return Fault(FrameReason::kIpHeader, at, ihl, 5);
  if (total_length < header_length) {
    return Fault(FrameReason::kIpHeader, at + 2, total_length, header_length);
  }
  if (present < total_length) return Truncated(at, present, total_length);
  const uint16_t fragment = LoadBe16(ip + 6);
  if ((fragment & 0x3FFF) != 0) return Fault(FrameReason::kIpFragment, at + 6, fragment, 0);
  if (options.check_ip_checksum) {
    const Bytes header(ip, header_length);
    if (OnesComplementSum(header) != 0xFFFF) {
      return Fault(FrameReason::kIpChecksum, at + 10, LoadBe16(ip + 10),
                   Ipv4HeaderChecksum(header));
    }
  }
  f.traffic_class = ip[1];
  f.identification = LoadBe16(ip + 4);
  f.reserved_ip_flag = (fragment & 0x8000) != 0;
  f.dont_fragment = (fragment & 0x4000) != 0;
  f.ttl = ip[8];
  f.udp_offset = static_cast<uint16_t>(at + header_length);
  payload = {total_length - header_length, at + 9};
  return {};
}

// Checks 3 to 5 for IPv6.
FrameFault ParseIpv6(Bytes bytes, Frame& f, IpPayload& payload) {
  const size_t at = f.ip_offset;
  const size_t present = bytes.size() - at;
  if (present < kIpv6HeaderLength) return Truncated(at, present, kIpv6HeaderLength);
  const uint8_t* ip = &bytes[at];
  const uint32_t first = LoadBe32(ip);
  if (first >> 28 != 6) return Fault(FrameReason::kIpHeader, at, first >> 28, 6);
  const size_t payload_length = LoadBe16(ip + 4);
  if (present < kIpv6HeaderLength + payload_length) {
    return Truncated(at, present, kIpv6HeaderLength + payload_length);
  }
  f.traffic_class = static_cast<uint8_t>(first >> 20);
  f.flow_label = first & 0xFFFFF;
  f.ttl = ip[7];
  f.udp_offset = static_cast<uint16_t>(at + kIpv6HeaderLength);
  payload = {payload_length, at + 6};
  return {};
}

// Checks 8 and 9.
FrameFault ParseUdp(Bytes bytes, const IpPayload& payload, Frame& f) {
  const uint8_t protocol = bytes[payload.protocol_at];
  if (protocol != kIpProtocolUdp) {
    return Fault(FrameReason::kNotUdp, payload.protocol_at, protocol, kIpProtocolUdp);
  }
  const size_t at = f.udp_offset;
  if (payload.length < kUdpHeaderLength) {
    return Fault(FrameReason::kUdpLength, at, static_cast<uint32_t>(payload.length),
                 kUdpHeaderLength);
  }
  const uint8_t* udp = &bytes[at];
  const uint16_t length = LoadBe16(udp + 4);
  if (length < kUdpHeaderLength) {
    return Fault(FrameReason::kUdpLength, at + 4, length, kUdpHeaderLength);
  }
  if (length != payload.length) {
    return Fault(FrameReason::kUdpLength, at + 4, length, static_cast<uint32_t>(payload.length));
  }
  f.src_port = LoadBe16(udp);
  f.dst_port = LoadBe16(udp + 2);
  f.udp_length = length;
  f.udp_checksum = LoadBe16(udp + 6);
  f.payload_offset = static_cast<uint16_t>(at + kUdpHeaderLength);
  f.payload_length = static_cast<uint16_t>(length - kUdpHeaderLength);
  return {};
}

IpAddress AddressOf(Bytes bytes) {
  if (bytes.size() == 4) {
    std::array<uint8_t, 4> v4;
    std::copy(bytes.begin(), bytes.end(), v4.begin());
    return IpAddress::V4(v4);
  }
  std::array<uint8_t, 16> v6;
  std::copy(bytes.begin(), bytes.end(), v6.begin());
  return IpAddress::V6(v6);
}

MacAddress MacAt(const Frame& frame, Bytes bytes, size_t at) {
  MacAddress mac;
  if (frame.link == LinkType::kEthernet) std::copy_n(&bytes[at], 6, mac.bytes.begin());
  return mac;
}

}  // namespace

bool IsSupportedLinkType(uint32_t number) {
  return number == static_cast<uint32_t>(LinkType::kEthernet) ||
         number == static_cast<uint32_t>(LinkType::kRawIp) ||
         number == static_cast<uint32_t>(LinkType::kIpv4) ||
         number == static_cast<uint32_t>(LinkType::kIpv6);
}

const char* Name(FrameReason reason) {
  switch (reason) {
    case FrameReason::kNone:
      return "none";
    case FrameReason::kTruncated:
      return "frame-truncated";
    case FrameReason::kNotIp:
      return "not-ip";
    case FrameReason::kIpHeader:
      return "ip-header";
    case FrameReason::kIpFragment:
      return "ip-fragment";
    case FrameReason::kIpChecksum:
      return "ip-checksum";
    case FrameReason::kNotUdp:
      return "not-udp";
    case FrameReason::kUdpLength:
      return "udp-length";
  }
  return "none";
}

uint16_t Ipv4HeaderChecksum(Bytes header) {
  // Adding the inverse takes a value out of a one's-complement sum.
  const uint32_t sum =
      OnesComplementSum(header) + uint32_t{static_cast<uint16_t>(~LoadBe16(&header[10]))};
  return static_cast<uint16_t>(~((sum & 0xFFFF) + (sum >> 16)));
}

FrameFault ParseFrame(Bytes bytes, LinkType link, const FrameOptions& options, Frame* frame) {
  Frame f;
  f.link = link;
  FrameFault fault =
      link == LinkType::kEthernet ? ParseEthernet(bytes, f) : FindRawIpVersion(bytes, f);
  if (!fault.ok()) return fault;
  IpPayload payload;
  fault = f.ip_version == 4 ? ParseIpv4(bytes, options, f, payload) : ParseIpv6(bytes, f, payload);
  if (!fault.ok()) return fault;
  fault = ParseUdp(bytes, payload, f);
  if (!fault.ok()) return fault;
  *frame = f;
  return {};
}

IpAddress SourceAddress(const Frame& frame, Bytes bytes) {
  return AddressOf(SourceAddressBytes(frame, bytes));
}

IpAddress DestinationAddress(const Frame& frame, Bytes bytes) {
  return AddressOf(DestinationAddressBytes(frame, bytes));
}

MacAddress DestinationMac(const Frame& frame, Bytes bytes) { return MacAt(frame, bytes, 0); }

MacAddress SourceMac(const Frame& frame, Bytes bytes) { return MacAt(frame, bytes, 6); }

Bytes Ipv4OptionBytes(const Frame& frame, Bytes bytes) {
  if (frame.ip_version != 4) return {};
  return bytes.subspan(frame.ip_offset + kIpv4MinHeaderLength,
                       frame.ip_header_length() - kIpv4MinHeaderLength);
}

std::string ToString(const FrameFault& fault) {
  const char* name = Name(fault.reason);
  switch (fault.reason) {
    case FrameReason::kNone:
      return name;
    case FrameReason::kTruncated:
      return absl::StrFormat("%s: %d bytes are needed from byte %d on, %d are there.", name,
                             fault.bound, fault.offset, fault.value);
    case FrameReason::kNotIp:
      return absl::StrFormat(
          "%s: the EtherType at byte %d is 0x%04x%s, not IPv4 (0x0800) or IPv6 "
          "(0x86dd).",
          name, fault.offset, fault.value, fault.is_roce_v1() ? " (RoCE v1)" : "");
    case FrameReason::kIpHeader:
      return absl::StrFormat("%s: the field at byte %d holds %d.", name, fault.offset, fault.value);
    case FrameReason::kIpFragment:
      return absl::StrFormat("%s: flags and fragment offset at byte %d are 0x%04x.", name,
                             fault.offset, fault.value);
    case FrameReason::kIpChecksum:
      return absl::StrFormat(
          "%s: the IPv4 header checksum at byte %d is 0x%04x, correct is 0x%04x.", name,
          fault.offset, fault.value, fault.bound);
    case FrameReason::kNotUdp:
      return absl::StrFormat("%s: the IP protocol at byte %d is %d, not 17.", name, fault.offset,
                             fault.value);
    case FrameReason::kUdpLength:
      return absl::StrFormat("%s: the length at byte %d is %d, needed is %s%d.", name, fault.offset,
                             fault.value, fault.bound == kUdpHeaderLength ? "at least " : "",
                             fault.bound);
  }
  return name;
}

}  // namespace metaroce::frame
