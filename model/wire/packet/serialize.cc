#include <cstring>

#include "absl/strings/str_format.h"
#include "model/wire/frame/icrc.h"
#include "model/wire/packet/option_list.h"
#include "model/wire/packet/packet.h"
#include "model/wire/packet/violation.h"

namespace metaroce::packet {
namespace {

size_t BitmapBitsOf(const PathBlock& block) {
  return BitmapBits(static_cast<size_t>(block.header.bitmap_code));
}

size_t TailLength(const Packet& packet) {
  size_t length = 0;
  switch (packet.info().tail) {
    case spec::Tail::kPayload:
      return RoundUp4(packet.payload.size());
    case spec::Tail::kPathBlocks:
      for (const PathBlock& block : packet.path_blocks()) {
        length += spec::PathBlock::kBytes + BitmapBitsOf(block) / 8;
      }
      return length;
    case spec::Tail::kOptions:
    case spec::Tail::kFiller:
      return packet.options.size() + packet.filler_length;
    default:
      return 0;
  }
}

// Options, their padding, and filler.
void WriteOptions(const Packet& packet, uint8_t* out) {
  Bytes rest = packet.options;
  while (!rest.empty()) {
    const OptionStep step = StepOption(rest);
    const size_t used = kOptionHeaderBytes + step.value_length;
    std::memcpy(out, rest.data(), used);
    std::memset(out + used, 0, step.total_length - used);
    out += step.total_length;
    rest.remove_prefix(step.total_length);
  }
  std::memset(out, 0, packet.filler_length);
}

void WriteTail(const Packet& packet, uint8_t* out) {
  switch (packet.info().tail) {
    case spec::Tail::kPayload: {
      const size_t size = packet.payload.size();
      if (size == 0) return;
      std::memcpy(out, packet.payload.data(), size);
      std::memset(out + size, 0, RoundUp4(size) - size);
      return;
    }
    case spec::Tail::kPathBlocks:
      for (const PathBlock& block : packet.path_blocks()) {
        block.header.Store(out);
        out += spec::PathBlock::kBytes;
        const size_t bits = BitmapBitsOf(block);
        StoreBitmap(block.bitmap, out, bits);
        out += bits / 8;
      }
      return;
    case spec::Tail::kOptions:
    case spec::Tail::kFiller:
      WriteOptions(packet, out);
      return;
    default:
      return;
  }
}

// Where the iCRC looks; the rest of a Frame does not concern it.
frame::Frame FrameOf(const frame::FrameSpec& spec, size_t headers_length, size_t payload_length) {
  frame::Frame f;
  f.ip_version = static_cast<uint8_t>(spec.src.version());
  const size_t ip_offset =
      spec.ethernet ? frame::kEthernetHeaderLength + size_t{spec.vlan_count} * frame::kVlanTagLength
                    : 0;
  f.ip_offset = static_cast<uint16_t>(ip_offset);
  f.payload_offset = static_cast<uint16_t>(headers_length);
  f.udp_offset = static_cast<uint16_t>(headers_length - frame::kUdpHeaderLength);
  f.payload_length = static_cast<uint16_t>(payload_length);
  return f;
}

}  // namespace

size_t TransportLength(const Packet& packet) {
  return packet.info().fixed_bytes + TailLength(packet) + frame::kIcrcLength;
}

absl::StatusOr<size_t> Serialize(const Packet& packet, const frame::FrameSpec& spec,
                                 absl::Span<uint8_t> out) {
  if (const Violation v = CheckStructure(packet); v.broken()) return ToStatus(v);
  const size_t length = TransportLength(packet);
  const size_t headers_length = frame::HeadersLength(spec);
  const size_t total = headers_length + length;
  if (out.size() < total) {
    return absl::InvalidArgumentError(
        absl::StrFormat("The frame has %d bytes, and there is room for %d.", total, out.size()));
  }
  if (frame::WriteHeaders(spec, length, out) == 0) return frame::Check(spec, length);
  uint8_t* transport = out.data() + headers_length;
  spec::StoreHeaders(packet.opcode(), packet.headers, transport);
  //= WIRE-TAIL-PAYLOAD
  //# A sender
  //# writes the pad bytes as zero and uses as few as make the room a multiple of four
  spec::Common common = packet.headers.common;
  common.version = spec::kWireVersion;
  common.pad = static_cast<uint8_t>(RoundUp4(packet.payload.size()) - packet.payload.size());
  common.Store(transport);
  WriteTail(packet, transport + packet.info().fixed_bytes);
  frame::StoreIcrc(FrameOf(spec, headers_length, length), out, frame::IcrcKind::kMetaRoce);
  return total;
}

absl::StatusOr<std::vector<uint8_t>> Serialize(const Packet& packet, const frame::FrameSpec& spec) {
  if (const Violation v = CheckStructure(packet); v.broken()) return ToStatus(v);
  const size_t length = TransportLength(packet);
  if (absl::Status status = frame::Check(spec, length); !status.ok()) return status;
  std::vector<uint8_t> bytes(frame::HeadersLength(spec) + length);
  const absl::StatusOr<size_t> written = Serialize(packet, spec, absl::MakeSpan(bytes));
  if (!written.ok()) return written.status();
  return bytes;
}

}  // namespace metaroce::packet
