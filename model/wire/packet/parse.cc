// The checks of section 4.2 behind the frame, in their order.
#include <cstdint>
#include <new>

#include "model/wire/frame/bytes.h"
#include "model/wire/frame/fast_path.h"
#include "model/wire/frame/icrc.h"
#include "model/wire/packet/option_list.h"
#include "model/wire/packet/packet.h"

namespace metaroce::packet {
namespace {

using spec::Reason;

constexpr size_t kMinUdpLength =
    frame::kUdpHeaderLength + spec::Common::kBytes + frame::kIcrcLength;

Reason ToReason(frame::FrameReason reason) {
  switch (reason) {
    case frame::FrameReason::kTruncated:
      return Reason::kFrameTruncated;
    case frame::FrameReason::kNotIp:
      return Reason::kNotIp;
    case frame::FrameReason::kIpFragment:
      return Reason::kIpFragment;
    case frame::FrameReason::kIpChecksum:
      return Reason::kIpChecksum;
    case frame::FrameReason::kNotUdp:
      return Reason::kNotUdp;
    case frame::FrameReason::kUdpLength:
      return Reason::kUdpLength;
    case frame::FrameReason::kIpHeader:
    case frame::FrameReason::kNone:
      break;
  }
  return Reason::kIpHeader;
}

// The room for tail and pad: `size` bytes at `data`, `offset` bytes into the frame.
struct Room {
  const uint8_t* data;
  size_t size;
  size_t offset;
};

constexpr const spec::LayoutInfo& kBlockLayout = spec::Info(spec::Layout::kPathBlock);
constexpr const spec::FieldInfo& kBitmapCode = kBlockLayout.fields[kBlockLayout.bitmap_selector];

// The bytes of the path block that begins at `block`, with its bitmap, by the code in its first
// PathBlock::kBytes bytes. PathBlock::Load would read the bitmap, which may not be there.
inline size_t BlockSize(const uint8_t* block) {
  size_t code = 0;
  for (size_t bit = kBitmapCode.bit_offset; bit < kBitmapCode.bit_offset + kBitmapCode.bits;
       ++bit) {
    code = code << 1 | (block[bit / 8] >> (7 - bit % 8) & 1);
  }
  return spec::PathBlock::kBytes + spec::kPathBlockBitmapLengths[code] / 8;
}
static_assert(spec::kPathBlockBitmapLengths.size() == kBitmapCode.max() + 1);

//= WIRE-TAIL-BLOCKS
//# The count is judged before the length.
inline ParseResult ParseBlocks(const Room& room, const spec::OpcodeInfo& info, Packet& packet) {
  const size_t count = packet.headers.ack.blocks;
  if (count < info.count_min || count > info.count_max) {
    return ParseResult::Failed(Reason::kBlockCount, packet.frame.payload_offset, count,
                               count < info.count_min ? info.count_min : info.count_max);
  }
  size_t used = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t header_end = used + spec::PathBlock::kBytes;
    if (header_end > room.size) {
      return ParseResult::Failed(Reason::kBlockLength, room.offset, room.size, header_end);
    }
    const size_t end = used + BlockSize(room.data + used);
    if (end > room.size) {
      return ParseResult::Failed(Reason::kBlockLength, room.offset, room.size, end);
    }
    // In place: an assignment would build it elsewhere and copy it.
    new (&packet.headers.path_block[i]) spec::PathBlock(spec::PathBlock::Load(room.data + used));
    used = end;
  }
  if (used != room.size) {
    return ParseResult::Failed(Reason::kBlockLength, room.offset, room.size, used);
  }
  return ParseResult::Accepted();
}

//= WIRE-TAIL-OPTIONS
//# Type 0 ends the list, and all bytes from its type field on are filler. The list also ends where
//# the room ends.
ParseResult ParseOptionList(const Room& room, Packet& packet) {
  size_t used = 0;
  while (true) {
    const OptionStep step = StepOption({room.data + used, room.size - used});
    if (step.kind == OptionStep::kEnd) break;
    if (step.kind == OptionStep::kOverruns) {
      return ParseResult::Failed(Reason::kOptions, room.offset + used, step.value_length,
                                 room.size - used);
    }
    used += step.total_length;
  }
  packet.options = {room.data, used};
  packet.filler_length = static_cast<uint32_t>(room.size - used);
  return ParseResult::Accepted();
}

// Check `length` behind `length-short` and the pad of tails without payload.
inline ParseResult ParseTail(const Room& room, const spec::OpcodeInfo& info, size_t pad,
                             Packet& packet) {
  packet.payload = {};
  packet.options = {};
  packet.filler_length = 0;
  if (info.tail == spec::Tail::kPayload) {
    if (pad != 0 && pad >= room.size) {
      return ParseResult::Failed(Reason::kLengthPad, packet.frame.payload_offset, pad,
                                 room.size == 0 ? 0 : room.size - 1);
    }
    packet.payload = {room.data, room.size - pad};
    return ParseResult::Accepted();
  }
  if (pad != 0) return ParseResult::Failed(Reason::kLengthPad, packet.frame.payload_offset, pad, 0);
  switch (info.tail) {
    case spec::Tail::kPathBlocks:
      return ParseBlocks(room, info, packet);
    case spec::Tail::kOptions:
      return ParseOptionList(room, packet);
    case spec::Tail::kFiller:
      packet.filler_length = static_cast<uint32_t>(room.size);
      return ParseResult::Accepted();
    default:
      if (room.size == 0) return ParseResult::Accepted();
      return ParseResult::Failed(Reason::kLengthLong, room.offset, room.size, 0);
  }
}

// The first of the checks `version`, `opcode` and `length-short` that fails. One does.
[[gnu::noinline]] ParseResult RefuseHeader(const Packet& packet) {
  const frame::Frame& f = packet.frame;
  const spec::Common& common = packet.headers.common;
  if (common.version != spec::constant::kWireVersion) {
    return ParseResult::Failed(Reason::kVersion, f.payload_offset, common.version,
                               spec::constant::kWireVersion);
  }
  if (!packet.info().known) {
    return ParseResult::Failed(Reason::kOpcodeUnknown, f.payload_offset, common.opcode, 0);
  }
  return ParseResult::Failed(Reason::kLengthShort, f.payload_offset, f.payload_length,
                             packet.info().fixed_bytes + frame::kIcrcLength);
}

// Checks `port` to `length`.
inline ParseResult ParseTransport(Bytes bytes, const ParseOptions& options, Packet& packet) {
  const frame::Frame& f = packet.frame;
  if (f.dst_port != options.udp_port) {
    return ParseResult::Failed(Reason::kNotMetaroce, f.udp_offset + size_t{2}, f.dst_port,
                               options.udp_port);
  }
  //= WIRE-LENGTH-UDP
  //# The UDP length is a multiple of four and at least the UDP header, the common header and the
  //# iCRC.
  if (f.udp_length % 4 != 0 || f.udp_length < kMinUdpLength) {
    return ParseResult::Failed(Reason::kPacketLength, f.udp_offset + size_t{4}, f.udp_length,
                               kMinUdpLength);
  }
  const uint8_t* transport = bytes.data() + f.payload_offset;
  // Of this only three fields are used, so no more is loaded.
  const spec::Common common = spec::Common::Load(transport);
  const spec::OpcodeInfo& info = spec::Info(static_cast<spec::Opcode>(common.opcode));
  const size_t needed = info.fixed_bytes + frame::kIcrcLength;
  //= WIRE-LENGTH-HEADERS
  //# A packet with less than no room is malformed (`length-short`).
  if (common.version != spec::constant::kWireVersion || !info.known || f.payload_length < needed) {
    packet.headers.common = spec::Common::Load(transport);
    return RefuseHeader(packet);
  }
  spec::LoadHeaders(static_cast<spec::Opcode>(common.opcode), transport, packet.headers);
  return ParseTail({transport + info.fixed_bytes, f.payload_length - needed,
                    size_t{f.payload_offset} + info.fixed_bytes},
                   info, common.pad, packet);
}

}  // namespace

ParseResult Parse(Bytes bytes, const ParseOptions& options, Packet* packet) {
  const frame::FrameOptions frame_options{options.check_ip_checksum};
  if (!frame::ParseUsualFrame(bytes, options.link, frame_options, &packet->frame)) {
    const frame::FrameFault fault =
        frame::ParseFrame(bytes, options.link, frame_options, &packet->frame);
    if (!fault.ok()) {
      return ParseResult::Failed(ToReason(fault.reason), fault.offset, fault.value, fault.bound);
    }
  }
  const ParseResult result = ParseTransport(bytes, options, *packet);
  if (!result.ok() || !options.check_icrc) return result;
  const uint32_t found = frame::LoadIcrc(packet->frame, bytes);
  const uint32_t right = frame::Icrc(packet->frame, bytes, frame::IcrcKind::kMetaRoce);
  if (found != right) {
    return ParseResult::Failed(Reason::kIcrc, packet->frame.end() - frame::kIcrcLength, found,
                               right);
  }
  return ParseResult::Accepted();
}

}  // namespace metaroce::packet
