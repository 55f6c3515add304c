// Frames from field values: the inverse of ParseFrame.
//
// A FrameSpec with no override gives a frame that ParseFrame accepts and reads
// back the same. The overrides are for frames that are wrong on purpose: each
// puts a value in one field instead of the right one, and changes nothing else.
#ifndef METAROCE_MODEL_WIRE_FRAME_BUILDER_H_
#define METAROCE_MODEL_WIRE_FRAME_BUILDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/wire/frame/address.h"
#include "model/wire/frame/bytes.h"
#include "model/wire/frame/frame.h"

namespace metaroce::frame {

// IPv4 options, padded with zero (end of option list) to a multiple of four.
class Ipv4Options {
 public:
  static constexpr size_t kMaxLength = 40;

  Ipv4Options() = default;

  // InvalidArgumentError if `bytes` are more than 40.
  static absl::StatusOr<Ipv4Options> Of(Bytes bytes);

  // 0..40 bytes, a multiple of four; valid as long as this object.
  Bytes bytes() const { return {bytes_.data(), length_}; }
  size_t length() const { return length_; }

 private:
  uint8_t length_ = 0;
  std::array<uint8_t, kMaxLength> bytes_{};
};

// Values put in place of the right ones.
struct FrameOverrides {
  std::optional<uint16_t> ether_type;
  std::optional<uint8_t> ip_version;        // 0..15
  std::optional<uint8_t> ihl;               // IPv4, 0..15
  std::optional<uint16_t> ip_length;        // IPv4 total length, IPv6 payload length
  std::optional<uint16_t> ip_flags_offset;  // IPv4, the 16 bits of flags and fragment offset
  std::optional<uint16_t> ip_checksum;      // IPv4; without it, right for the other overrides
  std::optional<uint8_t> ip_protocol;
  std::optional<uint16_t> udp_length;
};

// What the frames of one flow have in common: Ethernet without a tag, IPv4 without options or IPv6.
struct Flow {
  MacAddress dst_mac;
  MacAddress src_mac;
  IpAddress src;  // both IPv4 or both IPv6
  IpAddress dst;
  uint8_t dscp = 0;  // 0..63
  Ecn ecn = Ecn::kNotEct;
  uint8_t ttl = 64;         // IPv6: hop limit
  uint32_t flow_label = 0;  // IPv6, 0..0xFFFFF
  uint16_t src_port = 0;
  uint16_t dst_port = 0;
};

// The headers of the frames of a flow, written once. A frame differs from them in its lengths, in
// the IPv4 checksum and, where entropies change, in the UDP source port and the flow label.
class FlowHeaders {
 public:
  explicit FlowHeaders(const Flow& flow);
  FlowHeaders() : FlowHeaders(Flow()) {}

  const Flow& flow() const { return flow_; }
  // Frames have this UDP source port from now on, and in IPv6 this flow label.
  void SetEntropy(uint16_t entropy);

 private:
  friend size_t HeadersLength(const FlowHeaders& headers);
  friend size_t WriteHeaders(const FlowHeaders& headers, size_t payload_length,
                             absl::Span<uint8_t> out);

  static constexpr size_t kMaxLength = 64;  // 62, and two bytes that are not copied

  Flow flow_;
  uint32_t length_ = 0;  // 0 if no frame of the flow can be written
  uint32_t sum_ = 0;     // IPv4: one's-complement sum of the header but for its length
  alignas(16) std::array<uint8_t, kMaxLength> bytes_{};
};

// Any frame.
struct FrameSpec : Flow {
  bool ethernet = true;    // false: the frame starts at the IP header
  uint8_t vlan_count = 0;  // 0..2, how many of `vlans` are there; outermost first
  std::array<VlanTag, 2> vlans{};

  uint16_t identification = 0;    // IPv4
  bool dont_fragment = true;      // IPv4
  bool reserved_ip_flag = false;  // IPv4
  Ipv4Options options{};          // IPv4

  uint16_t udp_checksum = 0;  // as it is; 0 means that there is none

  FrameOverrides wrong{};
};

// The bytes of Ethernet, IP and UDP headers, 28..kMaxHeadersLength.
size_t HeadersLength(const FrameSpec& spec);

// OK if `spec` can be built around that many bytes of UDP payload; otherwise
// InvalidArgumentError: a field out of the range above, addresses of two
// versions, or an IP length over 65535.
absl::Status Check(const FrameSpec& spec, size_t payload_length);

// Writes the headers of a frame with that many bytes of UDP payload to the
// beginning of `out`, where the payload should follow. Returns
// HeadersLength(spec). Returns 0 and writes nothing if Check is not OK or `out`
// is too short. Does not allocate.
size_t WriteHeaders(const FrameSpec& spec, size_t payload_length, absl::Span<uint8_t> out);

// The same for a flow, whose frames are nearly all: short, and to be inlined.
size_t HeadersLength(const Flow& flow);
size_t WriteHeaders(const Flow& flow, size_t payload_length, absl::Span<uint8_t> out);

size_t HeadersLength(const FlowHeaders& headers);
size_t WriteHeaders(const FlowHeaders& headers, size_t payload_length, absl::Span<uint8_t> out);

// The whole frame. The error is that of Check.
absl::StatusOr<std::vector<uint8_t>> BuildFrame(const FrameSpec& spec, Bytes payload);

// The spec that gives the headers of `frame` again, byte for byte; a wrong IPv4
// checksum that was let pass is an override in it. Precondition: `frame` was
// parsed from `bytes`.
FrameSpec SpecOf(const Frame& frame, Bytes bytes);

// The IPv4 checksum of words whose sum is `sum` (RFC 1071).
inline uint16_t Complement(uint64_t sum) {
  sum = (sum & 0xFFFFFFFF) + (sum >> 32);
  sum = (sum & 0xFFFF) + (sum >> 16 & 0xFFFF) + (sum >> 32);
  sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<uint16_t>(~((sum & 0xFFFF) + (sum >> 16)));
}

inline size_t HeadersLength(const Flow& flow) {
  return kEthernetHeaderLength + (flow.src.is_v4() ? kIpv4MinHeaderLength : kIpv6HeaderLength) +
         kUdpHeaderLength;
}

inline size_t WriteHeaders(const Flow& flow, size_t payload_length, absl::Span<uint8_t> out) {
  constexpr size_t kMaxLength = 0xFFFF - kIpv4MinHeaderLength - kUdpHeaderLength;
  const bool v4 = flow.src.is_v4();
  const size_t length = HeadersLength(flow);
  if (flow.dst.is_v4() != v4 || flow.dscp > 63 || flow.flow_label > 0xFFFFF ||
      payload_length > kMaxLength || out.size() < length) {
    return 0;
  }
  uint8_t* p = out.data();
  std::memcpy(p, flow.dst_mac.bytes.data(), 6);
  std::memcpy(p + 6, flow.src_mac.bytes.data(), 6);
  StoreBe16(p + 12, v4 ? kEtherTypeIpv4 : kEtherTypeIpv6);
  p += kEthernetHeaderLength;
  const uint32_t traffic_class = uint32_t{flow.dscp} << 2 | static_cast<uint32_t>(flow.ecn);
  const uint32_t udp_length = static_cast<uint32_t>(kUdpHeaderLength + payload_length);
  if (v4) {
    const uint32_t ip_length = static_cast<uint32_t>(kIpv4MinHeaderLength) + udp_length;
    const uint32_t first = 0x45000000 | traffic_class << 16 | ip_length;
    constexpr uint32_t kDontFragment = 0x4000;
    const uint32_t ttl_protocol = uint32_t{flow.ttl} << 24 | uint32_t{kIpProtocolUdp} << 16;
    const uint32_t src = LoadBe32(flow.src.bytes().data());
    const uint32_t dst = LoadBe32(flow.dst.bytes().data());
    const uint64_t sum = uint64_t{first} + kDontFragment + ttl_protocol + src + dst;
    StoreBe64(p, uint64_t{first} << 32 | kDontFragment);
    StoreBe64(p + 8, uint64_t{ttl_protocol | Complement(sum)} << 32 | src);
    StoreBe32(p + 16, dst);
    p += kIpv4MinHeaderLength;
  } else {
    const uint32_t first = 0x60000000 | traffic_class << 20 | flow.flow_label;
    StoreBe64(p,
              uint64_t{first} << 32 | udp_length << 16 | uint32_t{kIpProtocolUdp} << 8 | flow.ttl);
    std::memcpy(p + 8, flow.src.bytes().data(), 16);
    std::memcpy(p + 24, flow.dst.bytes().data(), 16);
    p += kIpv6HeaderLength;
  }
  StoreBe64(p, uint64_t{flow.src_port} << 48 | uint64_t{flow.dst_port} << 32 |
                   uint64_t{udp_length} << 16);
  return length;
}

inline FlowHeaders::FlowHeaders(const Flow& flow) : flow_(flow) {
  length_ = static_cast<uint32_t>(WriteHeaders(flow, 0, absl::MakeSpan(bytes_)));
  if (!flow.src.is_v4()) return;
  const uint8_t* ip = bytes_.data() + kEthernetHeaderLength;
  // Without the length of 28, and without the checksum.
  const uint64_t sum = uint64_t{LoadBe32(ip)} - (kIpv4MinHeaderLength + kUdpHeaderLength) +
                       LoadBe32(ip + 4) + (LoadBe32(ip + 8) & 0xFFFF0000) + LoadBe32(ip + 12) +
                       LoadBe32(ip + 16);
  sum_ = static_cast<uint16_t>(~Complement(sum));
}

inline void FlowHeaders::SetEntropy(uint16_t entropy) {
  if (flow_.src_port == entropy) return;
  const bool v4 = flow_.src.is_v4();
  flow_.src_port = entropy;
  flow_.flow_label = v4 ? 0 : entropy;
  uint8_t* ip = bytes_.data() + kEthernetHeaderLength;
  if (!v4) StoreBe32(ip, (LoadBe32(ip) & 0xFFF00000) | entropy);
  StoreBe16(ip + (v4 ? kIpv4MinHeaderLength : kIpv6HeaderLength), entropy);
}

inline size_t HeadersLength(const FlowHeaders& headers) { return headers.length_; }

inline size_t WriteHeaders(const FlowHeaders& headers, size_t payload_length,
                           absl::Span<uint8_t> out) {
  constexpr size_t kV4 = kEthernetHeaderLength + kIpv4MinHeaderLength + kUdpHeaderLength;
  constexpr size_t kV6 = kEthernetHeaderLength + kIpv6HeaderLength + kUdpHeaderLength;
  const size_t length = headers.length_;
  const uint32_t udp_length = static_cast<uint32_t>(kUdpHeaderLength + payload_length);
  if (payload_length > 0xFFFF - kIpv4MinHeaderLength - kUdpHeaderLength || out.size() < length) {
    return 0;
  }
  uint8_t* p = out.data();
  if (length == kV4) {
    const uint32_t ip_length = static_cast<uint32_t>(kIpv4MinHeaderLength) + udp_length;
    std::memcpy(p, headers.bytes_.data(), kV4);
    StoreBe16(p + kEthernetHeaderLength + 2, static_cast<uint16_t>(ip_length));
    const uint32_t sum = headers.sum_ + ip_length;  // of two numbers of 16 bits: one carry
    StoreBe16(p + kEthernetHeaderLength + 10, static_cast<uint16_t>(~(sum + (sum >> 16))));
  } else if (length == kV6) {
    std::memcpy(p, headers.bytes_.data(), kV6);
    StoreBe16(p + kEthernetHeaderLength + 4, static_cast<uint16_t>(udp_length));
  }
  // No frame of the flow can be written: its length is 0, and so is what is returned.
  if (length > 0) StoreBe16(p + length - 4, static_cast<uint16_t>(udp_length));
  return length;
}

}  // namespace metaroce::frame

#endif  // METAROCE_MODEL_WIRE_FRAME_BUILDER_H_
