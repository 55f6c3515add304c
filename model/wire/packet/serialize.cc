#include <cstring>

#include "absl/strings/str_format.h"
#include "model/wire/frame/icrc.h"
#include "model/wire/packet/option_list.h"
#include "model/wire/packet/packet.h"
#include "model/wire/packet/places.h"
#include "model/wire/packet/structure.h"
#include "model/wire/packet/violation.h"

namespace metaroce::packet {
namespace {

[[gnu::always_inline]] inline size_t TailLength(const Packet& packet) {
  size_t length = 0;
  switch (FactsOf(packet).tail) {
    case spec::Tail::kPayload:
      return RoundUp4(packet.payload.size());
    case spec::Tail::kPathBlocks:
      for (const spec::PathBlock& block : packet.path_blocks()) length += block.Size();
      return length;
    case spec::Tail::kOptions:
    case spec::Tail::kFiller:
      return packet.options.size() + packet.filler_length;
    default:
      return 0;
  }
}

// Options, their padding, and filler.
[[gnu::noinline]] void WriteOptions(const Packet& packet, uint8_t* out) {
  Bytes rest = packet.options;
  while (!rest.empty()) {
    const OptionStep step = StepOption(rest);
    const size_t used = kOptionHeaderBytes + step.value_length;
    std::memcpy(out, rest.data(), used);
    std::memset(out + used, 0, PaddingTo4(step.value_length));
    out += step.total_length;
    rest.remove_prefix(step.total_length);
  }
  std::memset(out, 0, packet.filler_length);
}

// Everything behind the headers but payload and pad.
void WriteTail(const Packet& packet, uint8_t* out) {
  switch (FactsOf(packet).tail) {
    case spec::Tail::kPathBlocks:
      for (const spec::PathBlock& block : packet.path_blocks()) {
        block.Store(out);
        out += block.Size();
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

// How the frame divides.
struct Parts {
  size_t headers;    // Ethernet to UDP
  size_t transport;  // the UDP payload
  size_t tail;       // of which tail and pad
};

// `Below` is what the layers below are written from: a frame::FrameSpec, a frame::Flow or
// frame::FlowHeaders.
template <typename Below>
inline Parts PartsOf(const Packet& packet, const Below& spec) {
  const size_t tail = TailLength(packet);
  return {frame::HeadersLength(spec), FactsOf(packet).min_bytes + tail, tail};
}

const frame::FrameSpec& SpecOf(const frame::FrameSpec& spec) { return spec; }
frame::FrameSpec SpecOf(const frame::Flow& flow) { return {flow}; }
frame::FrameSpec SpecOf(const frame::FlowHeaders& headers) { return {headers.flow()}; }

// All but payload, pad and iCRC. Precondition: StructureHolds(packet), and `out` has
// the room.
template <typename Below>
absl::Status WriteAllHeaders(const Packet& packet, const Below& spec, const Parts& parts,
                             absl::Span<uint8_t> out) {
  if (frame::WriteHeaders(spec, parts.transport, out) == 0) {
    return frame::Check(SpecOf(spec), parts.transport);
  }
  uint8_t* transport = out.data() + parts.headers;
  //= WIRE-RESERVED
  //# A sender writes every reserved bit as zero
  spec::StoreBody(packet.opcode(), packet.headers, transport);
  //= WIRE-TAIL-PAYLOAD
  //# A sender writes the pad bytes as zero and uses as few as make the room a multiple of four
  spec::Common common = packet.headers.common;
  common.version = spec::constant::kWireVersion;
  common.pad = static_cast<uint8_t>(PaddingTo4(packet.payload.size()));
  common.Store(transport);
  WriteTail(packet, transport + FactsOf(packet).min_bytes - frame::kIcrcLength);
  return absl::OkStatus();
}

[[gnu::noinline, gnu::cold]] absl::Status NoRoom(size_t needed, size_t present) {
  return absl::InvalidArgumentError(
      absl::StrFormat("%d bytes are to be written, and there is room for %d.", needed, present));
}

}  // namespace

size_t TransportLength(const Packet& packet) {
  return packet.info().fixed_bytes + TailLength(packet) + frame::kIcrcLength;
}

namespace {

template <typename Below>
[[gnu::always_inline]] inline absl::StatusOr<size_t> SerializeHeadersOn(const Packet& packet,
                                                                        const Below& spec,
                                                                        absl::Span<uint8_t> out) {
  if (!StructureHolds(packet)) return ToStatus(*CheckStructure(packet));
  const Parts parts = PartsOf(packet, spec);
  const size_t payload = FactsOf(packet).tail == spec::Tail::kPayload ? parts.tail : 0;
  const size_t length = parts.headers + parts.transport - frame::kIcrcLength - payload;
  if (out.size() < length) return NoRoom(length, out.size());
  if (absl::Status status = WriteAllHeaders(packet, spec, parts, out); !status.ok()) return status;
  return length;
}

}  // namespace

[[gnu::flatten]] absl::StatusOr<size_t> SerializeHeaders(const Packet& packet,
                                                         const frame::FrameSpec& spec,
                                                         absl::Span<uint8_t> out) {
  return SerializeHeadersOn(packet, spec, out);
}

[[gnu::flatten]] absl::StatusOr<size_t> SerializeHeaders(const Packet& packet,
                                                         const frame::Flow& flow,
                                                         absl::Span<uint8_t> out) {
  return SerializeHeadersOn(packet, flow, out);
}

[[gnu::flatten]] absl::StatusOr<size_t> SerializeHeaders(const Packet& packet,
                                                         const frame::FlowHeaders& flow,
                                                         absl::Span<uint8_t> out) {
  return SerializeHeadersOn(packet, flow, out);
}

absl::StatusOr<size_t> Serialize(const Packet& packet, const frame::FrameSpec& spec,
                                 absl::Span<uint8_t> out) {
  if (!StructureHolds(packet)) return ToStatus(*CheckStructure(packet));
  const Parts parts = PartsOf(packet, spec);
  const size_t length = parts.headers + parts.transport;
  if (out.size() < length) return NoRoom(length, out.size());
  if (absl::Status status = WriteAllHeaders(packet, spec, parts, out); !status.ok()) return status;
  if (!packet.payload.empty()) {
    uint8_t* payload = out.data() + parts.headers + packet.info().fixed_bytes;
    std::memcpy(payload, packet.payload.data(), packet.payload.size());
    std::memset(payload + packet.payload.size(), 0, parts.tail - packet.payload.size());
  }
  frame::StoreIcrc(PlacesOf(spec, parts.headers, parts.transport), out, frame::IcrcKind::kMetaRoce);
  return length;
}

absl::StatusOr<std::vector<uint8_t>> Serialize(const Packet& packet, const frame::FrameSpec& spec) {
  if (!StructureHolds(packet)) return ToStatus(*CheckStructure(packet));
  const Parts parts = PartsOf(packet, spec);
  if (absl::Status status = frame::Check(spec, parts.transport); !status.ok()) return status;
  std::vector<uint8_t> bytes(parts.headers + parts.transport);
  const absl::StatusOr<size_t> written = Serialize(packet, spec, absl::MakeSpan(bytes));
  if (!written.ok()) return written.status();
  return bytes;
}

}  // namespace metaroce::packet
