// The checks of section 4.2 behind the frame, in their order.
#include <cstdint>

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

// Every value of the selecting field has a length, so a bitmap code needs no check.
static_assert(kBitmapInfo.count ==
              size_t{1} << spec::kLayouts[static_cast<size_t>(spec::LayoutId::kPathBlock)]
                               .fields[kBitmapInfo.selector]
                               .bits);

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

//= WIRE-TAIL-BLOCKS
//# The count is judged before the length.
inline ParseResult ParseBlocks(const Room& room, Packet& packet) {
  const size_t count = packet.headers.ack.blocks;
  const spec::OpcodeInfo& info = packet.info();
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
    PathBlock& block = packet.blocks[i];
    block.header = spec::PathBlock::Load(room.data + used);
    const size_t bits = BitmapBits(static_cast<size_t>(block.header.bitmap_code));
    used = header_end + bits / 8;
    if (used > room.size) {
      return ParseResult::Failed(Reason::kBlockLength, room.offset, room.size, used);
    }
    block.bitmap = LoadBitmap(room.data + header_end, bits);
  }
  if (used != room.size) {
    return ParseResult::Failed(Reason::kBlockLength, room.offset, room.size, used);
  }
  return ParseResult::Accepted();
}

//= WIRE-TAIL-OPTIONS
//# Type 0 ends the list,
//# and all bytes from its type field on are filler. The list also ends where the room ends.
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
inline ParseResult ParseTail(const Room& room, Packet& packet) {
  const size_t pad = packet.headers.common.pad;
  const spec::Tail tail = packet.info().tail;
  packet.payload = {};
  packet.options = {};
  packet.filler_length = 0;
  if (tail == spec::Tail::kPayload) {
    if (pad != 0 && pad >= room.size) {
      return ParseResult::Failed(Reason::kLengthPad, packet.frame.payload_offset, pad,
                                 room.size == 0 ? 0 : room.size - 1);
    }
    packet.payload = {room.data, room.size - pad};
    return ParseResult::Accepted();
  }
  if (pad != 0) return ParseResult::Failed(Reason::kLengthPad, packet.frame.payload_offset, pad, 0);
  switch (tail) {
    case spec::Tail::kPathBlocks:
      return ParseBlocks(room, packet);
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

// Checks `port` to `length`.
inline ParseResult ParseTransport(Bytes bytes, const ParseOptions& options, Packet& packet) {
  const frame::Frame& f = packet.frame;
  if (f.dst_port != options.udp_port) {
    return ParseResult::Failed(Reason::kNotMetaroce, f.udp_offset + size_t{2}, f.dst_port,
                               options.udp_port);
  }
  //= WIRE-LENGTH-UDP
  //# The UDP length is a multiple of
  //# four and at least the UDP header, the common header and the iCRC.
  if (f.udp_length % 4 != 0 || f.udp_length < kMinUdpLength) {
    return ParseResult::Failed(Reason::kPacketLength, f.udp_offset + size_t{4}, f.udp_length,
                               kMinUdpLength);
  }
  const uint8_t* transport = bytes.data() + f.payload_offset;
  packet.headers.common = spec::Common::Load(transport);
  const spec::Common& common = packet.headers.common;
  if (common.version != spec::kWireVersion) {
    return ParseResult::Failed(Reason::kVersion, f.payload_offset, common.version,
                               spec::kWireVersion);
  }
  const spec::OpcodeInfo& info = packet.info();
  if (!info.known) {
    return ParseResult::Failed(Reason::kOpcodeUnknown, f.payload_offset,
                               static_cast<uint8_t>(common.opcode), 0);
  }
  //= WIRE-LENGTH-HEADERS
  //# A packet with less than no room is malformed (`length-short`).
  const size_t needed = info.fixed_bytes + frame::kIcrcLength;
  if (f.payload_length < needed) {
    return ParseResult::Failed(Reason::kLengthShort, f.payload_offset, f.payload_length, needed);
  }
  spec::LoadHeaders(packet.opcode(), transport, packet.headers);
  return ParseTail({transport + info.fixed_bytes, f.payload_length - needed,
                    size_t{f.payload_offset} + info.fixed_bytes},
                   packet);
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
