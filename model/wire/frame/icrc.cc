#include "model/wire/frame/icrc.h"

#include <isa-l/crc.h>

#include <cstring>

#include "model/wire/frame/bytes.h"

namespace metaroce::frame {
namespace {

constexpr size_t kLinkPlaceholder = 8;
constexpr size_t kBthMaskedAt = 4;
constexpr size_t kMaxPrefix = kLinkPlaceholder + 60 + kUdpHeaderLength + kBthMaskedAt + 1;

void MaskIpAndUdp(const Frame& frame, uint8_t* ip) {
  if (frame.ip_version == 4) {
    ip[1] = 0xFF;  // TOS
    ip[8] = 0xFF;  // TTL
    ip[10] = ip[11] = 0xFF;
  } else {
    ip[0] |= 0x0F;
    ip[1] = ip[2] = ip[3] = 0xFF;
    ip[7] = 0xFF;  // hop limit
  }
  uint8_t* udp = ip + frame.ip_header_length();
  udp[6] = udp[7] = 0xFF;
}

}  // namespace

uint32_t Icrc(const Frame& frame, Bytes bytes, IcrcKind kind) {
  const size_t headers = frame.ip_header_length() + kUdpHeaderLength;
  const size_t covered_payload = HasIcrc(frame) ? frame.payload_length - kIcrcLength : 0;
  const uint8_t* ip = bytes.data() + frame.ip_offset;
  uint8_t prefix[kMaxPrefix];
  std::memset(prefix, 0xFF, kLinkPlaceholder);
  std::memcpy(prefix + kLinkPlaceholder, ip, headers);
  MaskIpAndUdp(frame, prefix + kLinkPlaceholder);
  size_t length = kLinkPlaceholder + headers;
  size_t consumed = 0;
  if (kind == IcrcKind::kRoceV2 && covered_payload > kBthMaskedAt) {
    std::memcpy(prefix + length, ip + headers, kBthMaskedAt);
    prefix[length + kBthMaskedAt] = 0xFF;
    consumed = kBthMaskedAt + 1;
  }
  const uint32_t crc = crc32_gzip_refl(0, prefix, length + consumed);
  return crc32_gzip_refl(crc, ip + headers + consumed, covered_payload - consumed);
}

uint32_t LoadIcrc(const Frame& frame, Bytes bytes) {
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
