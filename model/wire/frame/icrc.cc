#include "model/wire/frame/icrc.h"

#include <array>

#include "model/wire/frame/bytes.h"
#include "model/wire/frame/masked_crc.h"

namespace metaroce::frame {
namespace {

constexpr size_t kBthMaskedAt = 4;
constexpr size_t kMaxIpv4HeaderLength = 60;

//= WIRE-ICRC-MASK
//# For the computation these fields count as all ones
constexpr CrcMask MakeMask(int ip_version, size_t ip_header_length, IcrcKind kind) {
  CrcMask mask;
  if (ip_version == 4) {
    for (size_t i : {1, 8, 10, 11}) mask.Set(i, 0xFF);  // TOS, TTL, checksum
  } else {
    mask.Set(0, 0x0F);                                // traffic class
    for (size_t i : {1, 2, 3, 7}) mask.Set(i, 0xFF);  // the rest of it, flow label, hop limit
  }
  mask.Set(ip_header_length + 6, 0xFF);  // UDP checksum
  mask.Set(ip_header_length + 7, 0xFF);
  if (kind == IcrcKind::kRoceV2) {
    mask.Set(ip_header_length + kUdpHeaderLength + kBthMaskedAt, 0xFF);
  }
  return mask;
}

// IPv4 by the words of options, then IPv6.
constexpr size_t kIpv6Row = (kMaxIpv4HeaderLength - kIpv4MinHeaderLength) / 4 + 1;
using MaskTable = std::array<CrcMask, kIpv6Row + 1>;

constexpr MaskTable MakeMasks(IcrcKind kind) {
  MaskTable table{};
  for (size_t i = 0; i < kIpv6Row; ++i) table[i] = MakeMask(4, kIpv4MinHeaderLength + 4 * i, kind);
  table[kIpv6Row] = MakeMask(6, kIpv6HeaderLength, kind);
  return table;
}

constexpr MaskTable kMetaRoceMasks = MakeMasks(IcrcKind::kMetaRoce);
constexpr MaskTable kRoceV2Masks = MakeMasks(IcrcKind::kRoceV2);

const CrcMask& MaskOf(const Frame& frame, IcrcKind kind) {
  const MaskTable& table = kind == IcrcKind::kRoceV2 ? kRoceV2Masks : kMetaRoceMasks;
  return table[frame.ip_version == 4 ? (frame.ip_header_length() - kIpv4MinHeaderLength) / 4
                                     : kIpv6Row];
}

}  // namespace

//= WIRE-ICRC
//# The last four bytes of the UDP payload are the invariant CRC.
uint32_t Icrc(const Frame& frame, Bytes bytes, IcrcKind kind) {
  const size_t payload = HasIcrc(frame) ? frame.payload_length - kIcrcLength : 0;
  const size_t length = frame.ip_header_length() + kUdpHeaderLength + payload;
  //= WIRE-ICRC-PAD
  //# The iCRC covers the pad bytes.
  return MaskedCrc(bytes.data() + frame.ip_offset, length, MaskOf(frame, kind));
}

uint32_t LoadIcrc(const Frame& frame, Bytes bytes) {
  //= WIRE-ICRC-ORDER
  //# The iCRC is sent least significant byte first
  return LoadLe32(bytes.data() + frame.end() - kIcrcLength);
}

bool IcrcOk(const Frame& frame, Bytes bytes, IcrcKind kind) {
  return HasIcrc(frame) && LoadIcrc(frame, bytes) == Icrc(frame, bytes, kind);
}

bool StoreIcrc(const Frame& frame, absl::Span<uint8_t> bytes, IcrcKind kind) {
  if (!HasIcrc(frame)) return false;
  StoreLe32(bytes.data() + frame.end() - kIcrcLength, Icrc(frame, bytes, kind));
  return true;
}

}  // namespace metaroce::frame
