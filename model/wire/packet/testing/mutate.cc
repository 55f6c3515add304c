#include "model/wire/packet/testing/mutate.h"

#include <algorithm>
#include <iterator>

#include "model/wire/frame/bytes.h"
#include "model/wire/frame/frame.h"
#include "model/wire/frame/icrc.h"
#include "model/wire/packet/bits.h"
#include "spec/tables.h"

namespace metaroce::packet::testing {
namespace {

// Finds the layers of a frame whose IP checksum and lengths may be wrong, if it has the bytes of
// their headers at least. Without VLAN tags or options unless they are in order.
struct Places {
  size_t ip = 0;
  size_t udp = 0;
  bool v4 = true;
};

bool FindPlaces(const std::vector<uint8_t>& frame, Places& places) {
  size_t type = 12;
  while (type + 6 <= frame.size() &&
         (frame::LoadBe16(&frame[type]) == frame::kEtherTypeVlan ||
          frame::LoadBe16(&frame[type]) == frame::kEtherTypeServiceVlan)) {
    type += 4;
  }
  places.ip = type + 2;
  if (places.ip + frame::kIpv4MinHeaderLength + frame::kUdpHeaderLength > frame.size())
    return false;
  places.v4 = frame::LoadBe16(&frame[type]) == frame::kEtherTypeIpv4;
  const size_t header = places.v4 ? size_t{4} * (frame[places.ip] & 0xF) : frame::kIpv6HeaderLength;
  places.udp = places.ip + header;
  return header >= frame::kIpv4MinHeaderLength &&
         places.udp + frame::kUdpHeaderLength <= frame.size();
}

// Makes the lengths and the checksum of IPv4 agree with the size of the frame.
void SetLengths(std::vector<uint8_t>& frame, const Places& places) {
  const size_t udp_length = frame.size() - places.udp;
  frame::StoreBe16(&frame[places.udp + 4], static_cast<uint16_t>(udp_length));
  if (!places.v4) {
    frame::StoreBe16(&frame[places.ip + 4], static_cast<uint16_t>(udp_length));
    return;
  }
  const size_t header = places.udp - places.ip;
  frame::StoreBe16(&frame[places.ip + 2], static_cast<uint16_t>(header + udp_length));
  frame::StoreBe16(&frame[places.ip + 10], frame::Ipv4HeaderChecksum({&frame[places.ip], header}));
}

}  // namespace

void Mutator::Resize(std::vector<uint8_t>& frame) {
  Places places;
  if (!FindPlaces(frame, places)) return;
  const size_t begin = places.udp + frame::kUdpHeaderLength;
  const size_t step = Below(4) == 0 ? 1 : 4;
  frame.resize(std::max(begin, begin + step * Below((frame.size() - begin) / step + 4)));
  SetLengths(frame, places);
}

void Mutator::Mutate(std::vector<uint8_t>& frame) {
  constexpr size_t kHeaders = 140;
  for (size_t edits = 1 + Below(3); edits > 0; --edits) {
    switch (Below(8)) {
      case 0:
        frame.resize(Below(frame.size() + 8));
        break;
      case 1:
        if (!frame.empty()) frame[Below(frame.size())] ^= static_cast<uint8_t>(1 << Below(8));
        break;
      case 2:
        if (!frame.empty()) frame[Below(frame.size())] = Byte();
        break;
      case 3:
        if (frame.size() > 42) frame[Below(42)] += static_cast<uint8_t>(Below(9) - 4);
        break;
      case 4:
        Resize(frame);
        break;
      default:
        if (frame.size() > 42) {
          frame[42 + Below(std::min(frame.size(), kHeaders) - 42)] =
              Below(4) == 0 ? static_cast<uint8_t>(Below(8) * 0xFF / 7) : Byte();
        }
    }
  }
}

void Mutator::MutateFields(std::vector<uint8_t>& frame) {
  Places places;
  if (!FindPlaces(frame, places)) return;
  const size_t begin = places.udp + frame::kUdpHeaderLength;
  if (frame.size() < begin + spec::kCommonLayout.bytes) return;
  static constexpr size_t kKept[] = {*spec::kCommonLayout.FieldIndex("version"),
                                     *spec::kCommonLayout.FieldIndex("opcode"),
                                     *spec::kCommonLayout.FieldIndex("pad")};
  uint64_t values[std::size(kKept)];
  for (size_t i = 0; i < std::size(kKept); ++i) {
    const spec::FieldInfo& field = spec::kCommonFields[kKept[i]];
    values[i] = GetBits(frame, begin * 8 + field.bit_offset, field.bits);
  }
  for (size_t edits = 1 + Below(4); edits > 0; --edits) {
    frame[begin + Below(frame.size() - begin)] = Byte();
  }
  for (size_t i = 0; i < std::size(kKept); ++i) {
    const spec::FieldInfo& field = spec::kCommonFields[kKept[i]];
    SetBits(absl::MakeSpan(frame), begin * 8 + field.bit_offset, field.bits, values[i]);
  }
}

void Mutator::Mend(std::vector<uint8_t>& frame) {
  Places places;
  if (!FindPlaces(frame, places)) return;
  if (places.v4) {
    frame[places.ip + 6] = 0x40;
    frame[places.ip + 7] = 0;
  }
  frame[places.ip] = static_cast<uint8_t>((places.v4 ? 0x40 : 0x60) | (frame[places.ip] & 0x0F));
  frame[places.ip + (places.v4 ? 9 : 6)] = frame::kIpProtocolUdp;
  frame::StoreBe16(&frame[places.udp + 2], spec::constant::kUdpPort);
  const size_t transport = places.udp + frame::kUdpHeaderLength;
  frame.resize(std::max(transport + (frame.size() - transport) / 4 * 4,
                        transport + spec::kCommonLayout.bytes + frame::kIcrcLength));
  SetLengths(frame, places);
  const spec::FieldInfo& version = spec::kCommonFields[*spec::kCommonLayout.FieldIndex("version")];
  SetBits(absl::MakeSpan(frame), transport * 8 + version.bit_offset, version.bits,
          spec::constant::kWireVersion);
  frame::Frame parsed;
  if (frame::ParseFrame(frame, frame::LinkType::kEthernet, {}, &parsed).ok()) {
    frame::StoreIcrc(parsed, absl::MakeSpan(frame), frame::IcrcKind::kMetaRoce);
  }
}

}  // namespace metaroce::packet::testing
