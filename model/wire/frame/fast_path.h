// A short way through ParseFrame for the frames that are nearly all: Ethernet without a VLAN tag,
// IPv4 without options, UDP.
#ifndef METAROCE_MODEL_WIRE_FRAME_FAST_PATH_H_
#define METAROCE_MODEL_WIRE_FRAME_FAST_PATH_H_

#include <cstddef>
#include <cstdint>

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
    // The sum of RFC 1071 does not depend on the order of bytes in a word.
    uint64_t sum = 0;
    for (size_t i = 0; i < kIpv4MinHeaderLength; i += 4) sum += LoadBe32(ip + i);
    sum = (sum & 0xFFFFFFFF) + (sum >> 32);
    sum = (sum & 0xFFFF) + (sum >> 16);
    sum = (sum & 0xFFFF) + (sum >> 16);
    if (sum != 0xFFFF) return false;
  }
  Frame f;
  f.traffic_class = ip[1];
  f.ttl = ip[8];
  f.identification = LoadBe16(ip + 4);
  f.reserved_ip_flag = (fragment & 0x8000) != 0;
  f.dont_fragment = (fragment & 0x4000) != 0;
  f.src_port = LoadBe16(udp);
  f.dst_port = LoadBe16(udp + 2);
  f.udp_length = udp_length;
  f.udp_checksum = LoadBe16(udp + 6);
  f.ip_offset = kIp;
  f.udp_offset = kUdp;
  f.payload_offset = kPayload;
  f.payload_length = static_cast<uint16_t>(udp_length - kUdpHeaderLength);
  *frame = f;
  return true;
}

}  // namespace metaroce::frame

#endif  // METAROCE_MODEL_WIRE_FRAME_FAST_PATH_H_
