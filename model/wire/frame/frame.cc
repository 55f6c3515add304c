#include "model/wire/frame/frame.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/wire/frame/bytes.h"

namespace metaroce::frame {
namespace {

constexpr size_t kEtherTypeAt = 12;
constexpr uint16_t kFragmentMask = 0x3FFF;  // MF and the fragment offset

// What the checks find out; small enough for registers, for the parser is on the
// path of every packet. A Frame is written only when all is well.
struct Layers {
  size_t vlan_count = 0;
  bool v4 = true;
  size_t ip_at = 0;
  size_t udp_at = 0;
  size_t protocol_at = 0;
  size_t ip_payload_length = 0;
};

// Each check below returns true, or false with `fault` set.
[[gnu::cold]] bool Fail(FrameFault& fault, FrameReason reason, FrameField field, size_t offset,
                        size_t value, size_t bound) {
  fault = {reason, field, static_cast<uint16_t>(offset), static_cast<uint32_t>(value),
           static_cast<uint32_t>(bound)};
  return false;
}

bool Truncated(FrameFault& fault, size_t offset, size_t present, size_t needed) {
  return Fail(fault, FrameReason::kTruncated, FrameField::kBytes, offset, present, needed);
}

// RFC 1071, of the words with their bytes swapped, which gives the sum with its
// bytes swapped. Precondition: a multiple of four bytes, 20..60.
uint16_t OnesComplementSum(Bytes header) {
  const uint8_t* p = header.data();
  uint64_t sum = uint64_t{LoadLe32(p)} + LoadLe32(p + 4) + LoadLe32(p + 8) + LoadLe32(p + 12) +
                 LoadLe32(p + 16);
  for (size_t i = kIpv4MinHeaderLength; i < header.size(); i += 4) sum += LoadLe32(p + i);
  sum = (sum & 0xFFFFFFFF) + (sum >> 32);
  sum = (sum & 0xFFFF) + (sum >> 16 & 0xFFFF) + (sum >> 32);
  sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<uint16_t>((sum & 0xFFFF) + (sum >> 16));
}

// Checks 1 and 2.
bool CheckEthernet(Bytes bytes, Layers& l, FrameFault& fault) {
  if (bytes.size() < kEthernetHeaderLength) {
    return Truncated(fault, 0, bytes.size(), kEthernetHeaderLength);
  }
  size_t type_at = kEtherTypeAt;
  uint16_t type = LoadBe16(&bytes[type_at]);
  while ((type == kEtherTypeVlan || type == kEtherTypeServiceVlan) && l.vlan_count < 2) {
    if (bytes.size() < type_at + 2 + kVlanTagLength) {
      return Truncated(fault, type_at, bytes.size() - type_at, 2 + kVlanTagLength);
    }
    ++l.vlan_count;
    type_at += kVlanTagLength;
    type = LoadBe16(&bytes[type_at]);
  }
  if (type != kEtherTypeIpv4 && type != kEtherTypeIpv6) {
    return Fail(fault, FrameReason::kNotIp, FrameField::kEtherType, type_at, type, 0);
  }
  l.v4 = type == kEtherTypeIpv4;
  l.ip_at = type_at + 2;
  return true;
}

// The IP version of a frame without link layer. Link type 101 has it in the
// first byte: checks 3 and 4, as far as they come before it is known.
bool CheckRawIp(Bytes bytes, LinkType link, Layers& l, FrameFault& fault) {
  l.v4 = link != LinkType::kIpv6;
  if (link == LinkType::kIpv4 || link == LinkType::kIpv6) return true;
  if (bytes.size() < kIpv4MinHeaderLength) {
    return Truncated(fault, 0, bytes.size(), kIpv4MinHeaderLength);
  }
  const uint8_t version = bytes[0] >> 4;
  if (version != 4 && version != 6)
    return Fail(fault, FrameReason::kIpHeader, FrameField::kIpVersion, 0, version, 0);
  l.v4 = version == 4;
  return true;
}

// Checks 3 to 7 for IPv4.
bool CheckIpv4(Bytes bytes, const FrameOptions& options, Layers& l, FrameFault& fault) {
  const size_t at = l.ip_at;
  const size_t present = bytes.size() - at;
  if (present < kIpv4MinHeaderLength) return Truncated(fault, at, present, kIpv4MinHeaderLength);
  const uint8_t* ip = bytes.data() + at;
  const uint32_t version = ip[0] >> 4;
  const uint32_t ihl = ip[0] & 0xF;
  const size_t header_length = ihl * 4;
  const size_t total_length = LoadBe16(ip + 2);
  if (version != 4)
    return Fail(fault, FrameReason::kIpHeader, FrameField::kIpVersion, at, version, 4);
  if (ihl < 5) return Fail(fault, FrameReason::kIpHeader, FrameField::kIhl, at, ihl, 5);
  if (total_length < header_length) {
    return Fail(fault, FrameReason::kIpHeader, FrameField::kIpTotalLength, at + 2, total_length,
                header_length);
  }
  if (present < total_length) return Truncated(fault, at, present, total_length);
  const uint16_t fragment = LoadBe16(ip + 6);
  if ((fragment & kFragmentMask) != 0) {
    return Fail(fault, FrameReason::kIpFragment, FrameField::kIpFlags, at + 6, fragment, 0);
  }
  const Bytes header(ip, header_length);
  if (options.check_ip_checksum && OnesComplementSum(header) != 0xFFFF) {
    return Fail(fault, FrameReason::kIpChecksum, FrameField::kIpChecksum, at + 10,
                LoadBe16(ip + 10), Ipv4HeaderChecksum(header));
  }
  l.udp_at = at + header_length;
  l.protocol_at = at + 9;
  l.ip_payload_length = total_length - header_length;
  return true;
}

// Checks 3 to 5 for IPv6.
bool CheckIpv6(Bytes bytes, Layers& l, FrameFault& fault) {
  const size_t at = l.ip_at;
  const size_t present = bytes.size() - at;
  if (present < kIpv6HeaderLength) return Truncated(fault, at, present, kIpv6HeaderLength);
  const uint8_t* ip = bytes.data() + at;
  if (ip[0] >> 4 != 6)
    return Fail(fault, FrameReason::kIpHeader, FrameField::kIpVersion, at, ip[0] >> 4, 6);
  l.ip_payload_length = LoadBe16(ip + 4);
  if (present - kIpv6HeaderLength < l.ip_payload_length) {
    return Truncated(fault, at, present, kIpv6HeaderLength + l.ip_payload_length);
  }
  l.udp_at = at + kIpv6HeaderLength;
  l.protocol_at = at + 6;
  return true;
}

// Checks 8 and 9.
bool CheckUdp(Bytes bytes, const Layers& l, FrameFault& fault) {
  const uint8_t protocol = bytes[l.protocol_at];
  if (protocol != kIpProtocolUdp) {
    return Fail(fault, FrameReason::kNotUdp, FrameField::kIpProtocol, l.protocol_at, protocol,
                kIpProtocolUdp);
  }
  if (l.ip_payload_length < kUdpHeaderLength) {
    return Fail(fault, FrameReason::kUdpLength, FrameField::kIpPayload, l.udp_at,
                l.ip_payload_length, kUdpHeaderLength);
  }
  const uint16_t length = LoadBe16(bytes.data() + l.udp_at + 4);
  if (length < kUdpHeaderLength) {
    return Fail(fault, FrameReason::kUdpLength, FrameField::kUdpLength, l.udp_at + 4, length,
                kUdpHeaderLength);
  }
  if (length != l.ip_payload_length) {
    return Fail(fault, FrameReason::kUdpLength, FrameField::kUdpLength, l.udp_at + 4, length,
                l.ip_payload_length);
  }
  return true;
}

// Precondition: `bytes` passed all checks, which gave `l`.
void Fill(Bytes bytes, LinkType link, const Layers& l, Frame& f) {
  const uint8_t* tags = bytes.data() + kEtherTypeAt;
  const uint8_t* ip = bytes.data() + l.ip_at;
  const uint8_t* udp = bytes.data() + l.udp_at;
  f.link = link;
  f.vlan_count = static_cast<uint8_t>(l.vlan_count);
  f.vlans = {};
  if (l.vlan_count > 0) f.vlans[0] = {LoadBe16(tags), LoadBe16(tags + 2)};
  if (l.vlan_count > 1) f.vlans[1] = {LoadBe16(tags + 4), LoadBe16(tags + 6)};
  f.ip_version = l.v4 ? 4 : 6;
  if (l.v4) {
    f.traffic_class = ip[1];
    f.ttl = ip[8];
    f.flow_label = 0;
    f.identification = LoadBe16(ip + 4);
    f.dont_fragment = (ip[6] & 0x40) != 0;
    f.reserved_ip_flag = (ip[6] & 0x80) != 0;
  } else {
    const uint32_t first = LoadBe32(ip);
    f.traffic_class = static_cast<uint8_t>(first >> 20);
    f.ttl = ip[7];
    f.flow_label = first & 0xFFFFF;
    f.identification = 0;
    f.dont_fragment = false;
    f.reserved_ip_flag = false;
  }
  f.src_port = LoadBe16(udp);
  f.dst_port = LoadBe16(udp + 2);
  f.udp_length = LoadBe16(udp + 4);
  f.udp_checksum = LoadBe16(udp + 6);
  f.ip_offset = static_cast<uint16_t>(l.ip_at);
  f.udp_offset = static_cast<uint16_t>(l.udp_at);
  f.payload_offset = static_cast<uint16_t>(l.udp_at + kUdpHeaderLength);
  f.payload_length = static_cast<uint16_t>(f.udp_length - kUdpHeaderLength);
}

// What comes behind the name of the reason.
std::string Sentence(const FrameFault& fault) {
  const auto [reason, field, at, value, bound] = fault;
  switch (field) {
    case FrameField::kBytes:
      return absl::StrFormat("of %d bytes needed from byte %d on, %d are there.", bound, at, value);
    case FrameField::kEtherType:
      return absl::StrFormat(
          "the EtherType at byte %d is 0x%04x%s, not IPv4 (0x0800) or IPv6 "
          "(0x86dd).",
          at, value, fault.is_roce_v1() ? " (RoCE v1)" : "");
    case FrameField::kIpVersion:
      return absl::StrFormat("the IP version at byte %d is %d, not %s.", at, value,
                             bound == 0 ? "4 or 6" : absl::StrCat(bound));
    case FrameField::kIhl:
      return absl::StrFormat("the IHL at byte %d is %d, less than %d.", at, value, bound);
    case FrameField::kIpTotalLength:
      return absl::StrFormat("the IPv4 total length at byte %d is %d, less than %d.", at, value,
                             bound);
    case FrameField::kIpFlags:
      return absl::StrFormat(
          "the flags and fragment offset at byte %d are 0x%04x, which is a "
          "fragment.",
          at, value);
    case FrameField::kIpChecksum:
      return absl::StrFormat("the IPv4 header checksum at byte %d is 0x%04x, not 0x%04x.", at,
                             value, bound);
    case FrameField::kIpProtocol:
      return absl::StrFormat("the IP protocol at byte %d is %d, not %d.", at, value, bound);
    case FrameField::kIpPayload:
      return absl::StrFormat("the IP payload at byte %d has %d bytes, less than %d.", at, value,
                             bound);
    case FrameField::kUdpLength:
      return value < kUdpHeaderLength
                 ? absl::StrFormat("the UDP length at byte %d is %d, less than %d.", at, value,
                                   bound)
                 : absl::StrFormat(
                       "the UDP length at byte %d is %d, but the IP payload has %d "
                       "bytes.",
                       at, value, bound);
  }
  return "";
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
  const uint16_t sum = OnesComplementSum(header);
  const uint16_t field = LoadLe16(&header[10]);
  const uint32_t without = uint32_t{sum} + static_cast<uint16_t>(~field);
  const uint16_t swapped = static_cast<uint16_t>(~((without & 0xFFFF) + (without >> 16)));
  return static_cast<uint16_t>(swapped << 8 | swapped >> 8);
}

FrameFault ParseFrame(Bytes bytes, LinkType link, const FrameOptions& options, Frame* frame) {
  Layers l;
  FrameFault fault;
  //= CHECK-FRAME
  //# The rules in their order; the first that is broken gives the reason
  const bool ok = (link == LinkType::kEthernet ? CheckEthernet(bytes, l, fault)
                                               : CheckRawIp(bytes, link, l, fault)) &&
                  (l.v4 ? CheckIpv4(bytes, options, l, fault) : CheckIpv6(bytes, l, fault)) &&
                  CheckUdp(bytes, l, fault);
  if (!ok) return fault;
  Fill(bytes, link, l, *frame);
  return {};
}

Bytes Ipv4OptionBytes(const Frame& frame, Bytes bytes) {
  if (frame.ip_version != 4) return {};
  return bytes.subspan(frame.ip_offset + kIpv4MinHeaderLength,
                       frame.ip_header_length() - kIpv4MinHeaderLength);
}

std::string ToString(const FrameFault& fault) {
  if (fault.ok()) return Name(fault.reason);
  return absl::StrCat(Name(fault.reason), ": ", Sentence(fault));
}

}  // namespace metaroce::frame
