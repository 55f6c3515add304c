// A short way through ParseFrame for the frames that are nearly all: Ethernet without a VLAN tag,
// IPv4 without options, UDP.
#ifndef METAROCE_MODEL_WIRE_FRAME_FAST_PATH_H_
#define METAROCE_MODEL_WIRE_FRAME_FAST_PATH_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "model/wire/frame/bytes.h"
#include "model/wire/frame/frame.h"

namespace metaroce::frame {

// True, and `*frame` is what ParseFrame makes of `bytes`, if the frame is a usual one and passes
// all its checks. False says nothing: `*frame` is as it was, and ParseFrame decides.
inline bool ParseUsualFrame(Bytes bytes, LinkType link, const FrameOptions& options, Frame* frame) {
  constexpr size_t kIp = kEthernetHeaderLength;
  constexpr size_t kUdp = kIp + kIpv4MinHeaderLength;
  constexpr size_t kPayload = kUdp + kUdpHeaderLength;
  if (link != LinkType::kEthernet || bytes.size() < kPayload) return false;
  const uint8_t* ip = bytes.data() + kIp;
  const uint8_t* udp = bytes.data() + kUdp;
  if (LoadBe16(ip - 2) != kEtherTypeIpv4 || ip[0] != 0x45) return false;
  const uint16_t total_length = LoadBe16(ip + 2);
  const uint16_t fragment = LoadBe16(ip + 6);
  const uint16_t udp_length = LoadBe16(udp + 4);
  if (total_length > bytes.size() - kIp || (fragment & 0x3FFF) != 0 || ip[9] != kIpProtocolUdp ||
      udp_length < kUdpHeaderLength || udp_length + kIpv4MinHeaderLength != total_length) {
    return false;
  }
  if (options.check_ip_checksum) {
    // The order of bytes swaps the bytes of the sum (RFC 1071 section 1.2), and 0xFFFF has two
    // alike.
    uint32_t words[kIpv4MinHeaderLength / sizeof(uint32_t)];
    std::memcpy(words, ip, sizeof(words));
    uint64_t sum = uint64_t{words[0]} + words[1] + words[2] + words[3] + words[4];
    sum = (sum & 0xFFFFFFFF) + (sum >> 32);
    sum = (sum & 0xFFFF) + (sum >> 16);
    sum = (sum & 0xFFFF) + (sum >> 16);
    if (sum != 0xFFFF) return false;
  }
  const uint16_t identification = LoadBe16(ip + 4);
  const uint16_t src_port = LoadBe16(udp);
  const uint16_t dst_port = LoadBe16(udp + 2);
  const uint16_t udp_checksum = LoadBe16(udp + 6);
  const uint8_t traffic_class = ip[1];
  const uint8_t ttl = ip[8];
  // Field by field in their places: a copy of a Frame just built would wait for its parts.
  frame->link = LinkType::kEthernet;
  frame->vlan_count = 0;
  frame->vlans = {};
  frame->ip_version = 4;
  frame->traffic_class = traffic_class;
  frame->ttl = ttl;
  frame->flow_label = 0;
  frame->identification = identification;
  frame->dont_fragment = (fragment & 0x4000) != 0;
  frame->reserved_ip_flag = (fragment & 0x8000) != 0;
  frame->src_port = src_port;
  frame->dst_port = dst_port;
  frame->udp_length = udp_length;
  frame->udp_checksum = udp_checksum;
  frame->ip_offset = kIp;
  frame->udp_offset = kUdp;
  frame->payload_offset = kPayload;
  frame->payload_length = static_cast<uint16_t>(udp_length - kUdpHeaderLength);
  return true;
}

}  // namespace metaroce::frame

#endif  // METAROCE_MODEL_WIRE_FRAME_FAST_PATH_H_
