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
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/wire/frame/address.h"
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

struct FrameSpec {
  bool ethernet = true;  // false: the frame starts at the IP header
  MacAddress dst_mac;
  MacAddress src_mac;
  uint8_t vlan_count = 0;  // 0..2, how many of `vlans` are there; outermost first
  std::array<VlanTag, 2> vlans{};

  IpAddress src;  // both IPv4 or both IPv6
  IpAddress dst;
  uint8_t dscp = 0;  // 0..63
  Ecn ecn = Ecn::kNotEct;
  uint8_t ttl = 64;               // IPv6: hop limit
  uint32_t flow_label = 0;        // IPv6, 0..0xFFFFF
  uint16_t identification = 0;    // IPv4
  bool dont_fragment = true;      // IPv4
  bool reserved_ip_flag = false;  // IPv4
  Ipv4Options options;            // IPv4

  uint16_t src_port = 0;
  uint16_t dst_port = 0;
  uint16_t udp_checksum = 0;  // as it is; 0 means that there is none

  FrameOverrides wrong;
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

// The whole frame. The error is that of Check.
absl::StatusOr<std::vector<uint8_t>> BuildFrame(const FrameSpec& spec, Bytes payload);

// The spec that gives the headers of `frame` again, byte for byte; a wrong IPv4
// checksum that was let pass is an override in it. Precondition: `frame` was
// parsed from `bytes`.
FrameSpec SpecOf(const Frame& frame, Bytes bytes);

}  // namespace metaroce::frame

#endif  // METAROCE_MODEL_WIRE_FRAME_BUILDER_H_
