// The layers below the transport: Ethernet, IPv4 or IPv6, UDP.
//
// ParseFrame is total: every byte string gives either a Frame, which says where
// the UDP payload is and what the layers around it hold, or one FrameReason.
// Nothing is copied; a Frame holds offsets into the bytes it was parsed from.
//
// Supported: Ethernet II with up to two VLAN tags (802.1Q 0x8100, 802.1ad
// 0x88A8), or no link layer at all; IPv4 with options; IPv6 without extension
// headers; UDP. The UDP checksum is not checked.
//
// The checks, in this order; the first that fails is the reason:
//
//   1 frame-truncated  the bytes end inside the Ethernet header or a VLAN tag
//   2 not-ip           the EtherType behind at most two tags is not IPv4 or IPv6
//   3 frame-truncated  the bytes end inside the fixed IP header (IPv6: 40 bytes;
//                      IPv4, or neither of the two: 20)
//   4 ip-header        the version is not what the EtherType or link type says
//                      (link type 101: neither 4 nor 6), then IHL < 5, then
//                      total length < 4 IHL
//   5 frame-truncated  the bytes end before the IP total length (IPv6: 40 +
//                      payload length)
//   6 ip-fragment      IPv4: MF is set or the fragment offset is not 0
//   7 ip-checksum      IPv4: the one's-complement sum of the header is not 0xFFFF
//                      (RFC 1071), so both forms of zero are right
//   8 not-udp          the protocol (next header) is not 17; so is every IPv6
//                      packet with an extension header, a fragment included
//   9 udp-length       the IP payload is shorter than 8 bytes, the UDP length is
//                      less than 8, or it is not the length of the IP payload
//
// Bytes after the IP packet are Ethernet padding and are ignored.
#ifndef METAROCE_MODEL_WIRE_FRAME_FRAME_H_
#define METAROCE_MODEL_WIRE_FRAME_FRAME_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "absl/types/span.h"
#include "model/wire/frame/address.h"

namespace metaroce::frame {

using Bytes = absl::Span<const uint8_t>;

// What the first byte of a frame belongs to. The numbers are the link types of
// pcap and pcapng (LINKTYPE_ETHERNET, _RAW, _IPV4, _IPV6).
enum class LinkType : uint16_t {
  kEthernet = 1,
  kRawIp = 101,
  kIpv4 = 228,
  kIpv6 = 229,
};

// True for the numbers above.
bool IsSupportedLinkType(uint32_t number);

inline constexpr uint16_t kEtherTypeIpv4 = 0x0800;
inline constexpr uint16_t kEtherTypeIpv6 = 0x86DD;
inline constexpr uint16_t kEtherTypeVlan = 0x8100;         // 802.1Q
inline constexpr uint16_t kEtherTypeServiceVlan = 0x88A8;  // 802.1ad
inline constexpr uint16_t kEtherTypeRoceV1 = 0x8915;
inline constexpr uint8_t kIpProtocolUdp = 17;

inline constexpr size_t kEthernetHeaderLength = 14;
inline constexpr size_t kVlanTagLength = 4;
inline constexpr size_t kIpv4MinHeaderLength = 20;
inline constexpr size_t kIpv6HeaderLength = 40;
inline constexpr size_t kUdpHeaderLength = 8;
// Two tags and IPv4 with 40 bytes of options.
inline constexpr size_t kMaxHeadersLength =
    kEthernetHeaderLength + 2 * kVlanTagLength + 60 + kUdpHeaderLength;

enum class FrameReason : uint8_t {
  kNone,  // the frame is supported and well-formed down to UDP
  kTruncated,
  kNotIp,
  kIpHeader,
  kIpFragment,
  kIpChecksum,
  kNotUdp,
  kUdpLength,
};

// "none", "frame-truncated", "not-ip", "ip-header", "ip-fragment",
// "ip-checksum", "not-udp", "udp-length".
const char* Name(FrameReason reason);

// Explicit congestion notification, RFC 3168 section 5.
enum class Ecn : uint8_t { kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3 };

struct VlanTag {
  uint16_t tpid = kEtherTypeVlan;
  uint16_t tci = 0;  // priority 3 bits, DEI 1 bit, VLAN id 12 bits

  friend auto operator<=>(const VlanTag&, const VlanTag&) = default;
};

// A frame that passed all checks. Offsets count from the first byte parsed. In an order that lets
// the parser store several at once: what is the same in all usual frames, then the UDP header from
// its end, which is one word.
struct Frame {
  LinkType link = LinkType::kEthernet;
  uint8_t vlan_count = 0;  // 0..2, how many of `vlans` hold a tag; outermost first
  uint8_t ip_version = 4;  // 4 or 6
  std::array<VlanTag, 2> vlans{};
  uint16_t ip_offset = 0;   // 0, 14, 18 or 22
  uint16_t udp_offset = 0;  // the end of the IP header with its options
  uint16_t payload_offset = 0;
  uint32_t flow_label = 0;  // IPv6, 20 bits; 0 for IPv4

  uint16_t udp_checksum = 0;
  uint16_t udp_length = 0;  // UDP header and payload
  uint16_t dst_port = 0;
  uint16_t src_port = 0;

  uint16_t payload_length = 0;    // udp_length - 8
  uint16_t identification = 0;    // IPv4; 0 for IPv6
  uint8_t traffic_class = 0;      // IPv4 TOS or IPv6 traffic class: DSCP 6 bits, ECN 2 bits
  uint8_t ttl = 0;                // IPv6: hop limit
  bool dont_fragment = false;     // IPv4; false for IPv6
  bool reserved_ip_flag = false;  // IPv4: the bit above DF; false for IPv6

  uint8_t dscp() const { return traffic_class >> 2; }
  Ecn ecn() const { return static_cast<Ecn>(traffic_class & 3); }
  size_t ip_header_length() const { return size_t{udp_offset} - ip_offset; }
  // The end of the IP packet; Ethernet padding begins here.
  size_t end() const { return size_t{payload_offset} + payload_length; }
};
static_assert(std::is_trivially_copyable_v<Frame>);

// What a failed check looked at.
enum class FrameField : uint8_t {
  kBytes,  // how many there are
  kEtherType,
  kIpVersion,
  kIhl,
  kIpTotalLength,  // IPv4
  kIpFlags,        // IPv4, flags and fragment offset, 16 bits
  kIpChecksum,     // IPv4
  kIpProtocol,     // IPv6: next header
  kIpPayload,      // how many bytes of it there are
  kUdpLength,
};

// The first failed check: where, what was there, and what it was held against.
struct FrameFault {
  FrameReason reason = FrameReason::kNone;
  FrameField field = FrameField::kBytes;
  // Of the field in the frame. kBytes: of the header or packet of which the end is
  // not there; kIpPayload: of the payload.
  uint16_t offset = 0;
  // Of the field. kBytes: how many there are from `offset` on.
  uint32_t value = 0;
  // What `value` should be (kIpVersion: 0 stands for 4 or 6; kIpChecksum,
  // kIpProtocol; kUdpLength, if `value` is 8 or more: the length of the IP
  // payload) or the least it should be (kBytes, kIhl, kIpTotalLength, kIpPayload,
  // kUdpLength, if `value` is less than 8). Otherwise 0.
  uint32_t bound = 0;

  bool ok() const { return reason == FrameReason::kNone; }
  // RoCE v1 is not IP; tools name it rather than call it unknown.
  bool is_roce_v1() const { return reason == FrameReason::kNotIp && value == kEtherTypeRoceV1; }
};

// One sentence for a person: reason, place, value and bound. "none" if ok.
std::string ToString(const FrameFault& fault);

struct FrameOptions {
  // False: check 7 passes whatever the IPv4 header checksum is. The iCRC does
  // not cover it, and published frames have been seen with it zeroed.
  bool check_ip_checksum = true;
};

// Parses `bytes` as above. If the result is ok, `*frame` is filled, and
// frame->end() <= bytes.size(); otherwise `*frame` is as it was.
FrameFault ParseFrame(Bytes bytes, LinkType link, const FrameOptions& options, Frame* frame);

// The parts of a parsed frame. Precondition: `frame` was parsed from `bytes`.
inline Bytes Payload(const Frame& frame, Bytes bytes) {
  return bytes.subspan(frame.payload_offset, frame.payload_length);
}
// 4 or 16 bytes.
inline Bytes SourceAddressBytes(const Frame& frame, Bytes bytes) {
  return frame.ip_version == 4 ? bytes.subspan(frame.ip_offset + size_t{12}, 4)
                               : bytes.subspan(frame.ip_offset + size_t{8}, 16);
}
inline Bytes DestinationAddressBytes(const Frame& frame, Bytes bytes) {
  return frame.ip_version == 4 ? bytes.subspan(frame.ip_offset + size_t{16}, 4)
                               : bytes.subspan(frame.ip_offset + size_t{24}, 16);
}
namespace internal {
inline IpAddress AddressOf(Bytes bytes) {
  if (bytes.size() == 4) return IpAddress::V4({bytes[0], bytes[1], bytes[2], bytes[3]});
  std::array<uint8_t, 16> v6;
  std::copy(bytes.begin(), bytes.end(), v6.begin());
  return IpAddress::V6(v6);
}
inline MacAddress MacAt(const Frame& frame, Bytes bytes, size_t at) {
  MacAddress mac;
  if (frame.link == LinkType::kEthernet) std::memcpy(mac.bytes.data(), bytes.data() + at, 6);
  return mac;
}
}  // namespace internal
inline IpAddress SourceAddress(const Frame& frame, Bytes bytes) {
  if (frame.ip_version != 4) return internal::AddressOf(SourceAddressBytes(frame, bytes));
  const uint8_t* ip = bytes.data() + frame.ip_offset;
  return IpAddress::V4({ip[12], ip[13], ip[14], ip[15]});
}
inline IpAddress DestinationAddress(const Frame& frame, Bytes bytes) {
  return internal::AddressOf(DestinationAddressBytes(frame, bytes));
}
// All zero if the frame has no link layer.
inline MacAddress SourceMac(const Frame& frame, Bytes bytes) {
  return internal::MacAt(frame, bytes, 6);
}
inline MacAddress DestinationMac(const Frame& frame, Bytes bytes) {
  return internal::MacAt(frame, bytes, 0);
}
// IPv4 options as they are, 0..40 bytes; empty for IPv6.
Bytes Ipv4OptionBytes(const Frame& frame, Bytes bytes);

// The one's-complement sum of RFC 1071, complemented, over `header` with the
// checksum field (bytes 10 and 11) taken as zero. Precondition: 20..60 bytes, a
// multiple of four, not all zero apart from that field.
uint16_t Ipv4HeaderChecksum(Bytes header);

}  // namespace metaroce::frame

#endif  // METAROCE_MODEL_WIRE_FRAME_FRAME_H_
