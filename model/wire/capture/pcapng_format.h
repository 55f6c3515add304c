// The numbers of the pcapng format (IETF draft-ietf-opsawg-pcapng) that the
// reader and the writer use.
#ifndef METAROCE_MODEL_WIRE_CAPTURE_PCAPNG_FORMAT_H_
#define METAROCE_MODEL_WIRE_CAPTURE_PCAPNG_FORMAT_H_

#include <cstddef>
#include <cstdint>

namespace metaroce::capture::pcapng {

// Block types.
inline constexpr uint32_t kSectionHeader = 0x0A0D0D0A;  // the same in both byte orders
inline constexpr uint32_t kInterfaceDescription = 1;
inline constexpr uint32_t kObsoletePacket = 2;
inline constexpr uint32_t kSimplePacket = 3;
inline constexpr uint32_t kEnhancedPacket = 6;

inline constexpr uint32_t kByteOrderMagic = 0x1A2B3C4D;
inline constexpr uint16_t kMajorVersion = 1;

// A block is type and length, body, length again.
inline constexpr size_t kBlockHeaderLength = 8;
inline constexpr size_t kBlockTrailerLength = 4;
inline constexpr size_t kMinBlockLength = kBlockHeaderLength + kBlockTrailerLength;

// The fixed part of the bodies.
inline constexpr size_t kSectionHeaderBody = 16;
inline constexpr size_t kInterfaceBody = 8;
inline constexpr size_t kSimplePacketBody = 4;
inline constexpr size_t kTimedPacketBody = 20;  // enhanced and obsolete packet

// Options.
inline constexpr size_t kOptionHeaderLength = 4;
inline constexpr uint16_t kEndOfOptions = 0;
inline constexpr uint16_t kComment = 1;
inline constexpr uint16_t kPacketFlags = 2;      // of a packet block
inline constexpr uint16_t kInterfaceName = 2;    // of an interface description
inline constexpr uint16_t kUserApplication = 4;  // of a section header
inline constexpr uint16_t kTimeResolution = 9;   // of an interface description
inline constexpr uint16_t kTimeOffset = 14;      // of an interface description

inline constexpr uint32_t kDirectionMask = 3;
inline constexpr uint32_t kInbound = 1;
inline constexpr uint32_t kOutbound = 2;

// Data and options are padded to a multiple of four.
constexpr size_t Padded(size_t length) { return (length + 3) / 4 * 4; }

}  // namespace metaroce::capture::pcapng

#endif  // METAROCE_MODEL_WIRE_CAPTURE_PCAPNG_FORMAT_H_
