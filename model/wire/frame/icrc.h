// The invariant CRC of RoCEv2 packets, IBTA specification volume 1, annex A17,
// and of MetaRoCE packets, which use the same algorithm.
//
// CRC-32 (polynomial 0x04C11DB7, reflected, initial value all ones, result
// inverted) over, in this order:
//   * 8 bytes of 0xFF, in the place of the link layer,
//   * the IP header with its options, where 0xFF stands for what a router may
//     change (IPv4: TOS, TTL, header checksum; IPv6: traffic class, flow label,
//     hop limit),
//   * the UDP header, where 0xFFFF stands for the checksum,
//   * the UDP payload, transport headers, payload and pad, without its last
//     four bytes, which hold the CRC, least-significant byte first. Of RoCEv2,
//     byte 4 (FECN, BECN and reserved bits of the BTH) is taken as 0xFF; of
//     MetaRoCE nothing is masked.
// Ethernet header, VLAN tags and Ethernet padding are not covered.
#ifndef METAROCE_MODEL_WIRE_FRAME_ICRC_H_
#define METAROCE_MODEL_WIRE_FRAME_ICRC_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "model/wire/frame/frame.h"

namespace metaroce::frame {

enum class IcrcKind : uint8_t { kMetaRoce, kRoceV2 };

inline constexpr uint16_t kRoceV2Port = 4791;
inline constexpr size_t kIcrcLength = 4;

// True if the UDP payload has the four bytes of an iCRC.
inline bool HasIcrc(const Frame& frame) { return frame.payload_length >= kIcrcLength; }

// The CRC that the last four bytes of the UDP payload should hold; the bytes
// there now do not matter. Without them (HasIcrc is false) the CRC over the
// headers alone.
//
// Precondition of all here: `frame` was parsed from `bytes`.
uint32_t Icrc(const Frame& frame, Bytes bytes, IcrcKind kind);

// The CRC in the frame: the value that Icrc is compared with. Precondition:
// HasIcrc(frame).
uint32_t LoadIcrc(const Frame& frame, Bytes bytes);

// True if the frame has an iCRC and it is right.
bool IcrcOk(const Frame& frame, Bytes bytes, IcrcKind kind);

// Writes the right iCRC into the last four bytes of the UDP payload. Without
// them, writes nothing and returns false.
bool StoreIcrc(const Frame& frame, absl::Span<uint8_t> bytes, IcrcKind kind);

}  // namespace metaroce::frame

#endif  // METAROCE_MODEL_WIRE_FRAME_ICRC_H_
