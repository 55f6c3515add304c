// Short ways through ParseFrame for the frames that are nearly all: Ethernet without a VLAN tag,
// IPv4 without options or IPv6, UDP.
//
// True, and `*frame` is what ParseFrame makes of `bytes`, if the frame is a usual one and passes
// all its checks. False says nothing: `*frame` is as it was, and ParseFrame decides.
#ifndef METAROCE_MODEL_WIRE_FRAME_FAST_PATH_H_
#define METAROCE_MODEL_WIRE_FRAME_FAST_PATH_H_

#include <cstddef>
#include <cstdint>

#include "model/wire/frame/bytes.h"
#include "model/wire/frame/frame.h"

namespace metaroce::frame {

// The fields of `*frame` above IP; those of IP are the caller's. All that is known when this is
// compiled, or stands in one word of the frame, is one store.
[[gnu::always_inline]] inline void FillUsualFrame(size_t udp_at, uint8_t ip_version, uint64_t udp,
                                                  Frame* frame) {
  frame->link = LinkType::kEthernet;
  frame->vlan_count = 0;
  frame->ip_version = ip_version;
  frame->vlans = {};
  frame->ip_offset = kEthernetHeaderLength;
  frame->udp_offset = static_cast<uint16_t>(udp_at);
  frame->payload_offset = static_cast<uint16_t>(udp_at + kUdpHeaderLength);
  frame->udp_checksum = static_cast<uint16_t>(udp);
  frame->udp_length = static_cast<uint16_t>(udp >> 16);
  frame->dst_port = static_cast<uint16_t>(udp >> 32);
  frame->src_port = static_cast<uint16_t>(udp >> 48);
  frame->payload_length = static_cast<uint16_t>((udp >> 16) - kUdpHeaderLength);
}

// Of an EtherType right behind the Ethernet header, and no fewer bytes than `shortest`.
[[gnu::always_inline]] inline bool IsUsual(Bytes bytes, LinkType link, uint16_t ether_type,
                                           size_t shortest) {
  return link == LinkType::kEthernet && bytes.size() >= shortest &&
         LoadBe16(bytes.data() + kEthernetHeaderLength - 2) == ether_type;
}

// True if the one's-complement sum (RFC 1071) of the words whose plain sum is `sum`, not 0, is
// 0xFFFF: if `sum` is a multiple of that, and so its product with the inverse modulo 2^64 is small.
// The order of the bytes in the words does not matter.
[[gnu::always_inline]] inline bool FoldsToOnes(uint64_t sum) {
  constexpr uint64_t kInverse = 0xFFFEFFFEFFFEFFFF;
  static_assert(kInverse * 0xFFFF == 1);
  return sum * kInverse <= ~uint64_t{0} / 0xFFFF;
}

// IPv4 without options.
[[gnu::always_inline]] inline bool ParseUsualIpv4(Bytes bytes, LinkType link,
                                                  const FrameOptions& options, Frame* frame) {
  constexpr size_t kUdp = kEthernetHeaderLength + kIpv4MinHeaderLength;
  if (!IsUsual(bytes, link, kEtherTypeIpv4, kUdp + kUdpHeaderLength)) return false;
  const uint8_t* ip = bytes.data() + kEthernetHeaderLength;
  // Version 4, IHL 5; no fragment.
  constexpr uint64_t kFixed = 0xFF00000000003FFF;
  const uint64_t first = LoadBe64(ip);  // to flags and fragment offset
  const uint64_t udp = LoadBe64(bytes.data() + kUdp);
  const auto total_length = static_cast<uint16_t>(first >> 32);
  const auto udp_length = static_cast<uint16_t>(udp >> 16);
  if ((first & kFixed) != uint64_t{0x45} << 56 || ip[9] != kIpProtocolUdp ||
      total_length > bytes.size() - kEthernetHeaderLength || udp_length < kUdpHeaderLength ||
      udp_length + kIpv4MinHeaderLength != total_length) {
    return false;
  }
  if (options.check_ip_checksum &&
      !FoldsToOnes(uint64_t{LoadLe32(ip)} + LoadLe32(ip + 4) + LoadLe32(ip + 8) +
                   LoadLe32(ip + 12) + LoadLe32(ip + 16))) {
    return false;
  }
  FillUsualFrame(kUdp, 4, udp, frame);
  frame->flow_label = 0;
  frame->identification = static_cast<uint16_t>(first >> 16);
  frame->traffic_class = static_cast<uint8_t>(first >> 48);
  frame->ttl = ip[8];
  frame->dont_fragment = (first >> 14 & 1) != 0;
  frame->reserved_ip_flag = (first >> 15 & 1) != 0;
  return true;
}

[[gnu::always_inline]] inline bool ParseUsualIpv6(Bytes bytes, LinkType link, Frame* frame) {
  constexpr size_t kUdp = kEthernetHeaderLength + kIpv6HeaderLength;
  if (!IsUsual(bytes, link, kEtherTypeIpv6, kUdp + kUdpHeaderLength)) return false;
  const uint64_t first = LoadBe64(bytes.data() + kEthernetHeaderLength);  // to the hop limit
  const uint64_t udp = LoadBe64(bytes.data() + kUdp);
  const auto payload_length = static_cast<uint16_t>(first >> 16);
  const auto udp_length = static_cast<uint16_t>(udp >> 16);
  if (first >> 60 != 6 || static_cast<uint8_t>(first >> 8) != kIpProtocolUdp ||
      payload_length > bytes.size() - kUdp || udp_length < kUdpHeaderLength ||
      udp_length != payload_length) {
    return false;
  }
  FillUsualFrame(kUdp, 6, udp, frame);
  frame->flow_label = static_cast<uint32_t>(first >> 32 & 0xFFFFF);
  frame->identification = 0;
  frame->traffic_class = static_cast<uint8_t>(first >> 52);
  frame->ttl = static_cast<uint8_t>(first);
  frame->dont_fragment = false;
  frame->reserved_ip_flag = false;
  return true;
}

}  // namespace metaroce::frame

#endif  // METAROCE_MODEL_WIRE_FRAME_FAST_PATH_H_
