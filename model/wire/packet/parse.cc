// The checks of section 4.2 behind the frame, in their order.
#include <cstdint>

#include "model/wire/frame/bytes.h"
#include "model/wire/frame/fast_path.h"
#include "model/wire/frame/icrc.h"
#include "model/wire/packet/option_list.h"
#include "model/wire/packet/packet.h"
#include "model/wire/packet/structure.h"

namespace metaroce::packet {
namespace {

using spec::Reason;

constexpr size_t kMinUdpLength =
    frame::kUdpHeaderLength + spec::Common::kBytes + frame::kIcrcLength;

//= CHECK-REASONS
//# The reasons are a closed list.
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

// Where the room for tail and pad begins in the frame. Only a refusal asks.
size_t RoomOffset(const Packet& packet) {
  return size_t{packet.frame.payload_offset} + packet.info().fixed_bytes;
}

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
[[gnu::always_inline]] inline ParseResult ParseBlocks(Bytes room, Packet& packet) {
  const size_t count = packet.headers.ack.blocks;
  if (count < kMinPathBlocks || count > kMaxPathBlocks) {
    return ParseResult::Failed(Reason::kBlockCount, packet.frame.payload_offset, count,
                               count < kMinPathBlocks ? kMinPathBlocks : kMaxPathBlocks);
  }
  size_t used = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t header_end = used + spec::PathBlock::kBytes;
    if (header_end > room.size()) {
      return ParseResult::Failed(Reason::kBlockLength, RoomOffset(packet), room.size(), header_end);
    }
    const size_t end = used + BlockSize(room.data() + used);
    if (end > room.size()) {
      return ParseResult::Failed(Reason::kBlockLength, RoomOffset(packet), room.size(), end);
    }
    packet.headers.path_block[i].LoadFrom(room.data() + used);
    used = end;
  }
  if (used != room.size()) {
    return ParseResult::Failed(Reason::kBlockLength, RoomOffset(packet), room.size(), used);
  }
  return ParseResult::Accepted();
}

//= WIRE-TAIL-OPTIONS
//# Type 0 ends the list, and all bytes from its type field on are filler. The list also ends where
//# the room ends.
[[gnu::noinline]] ParseResult ParseOptionList(Bytes room, Packet& packet) {
  size_t used = 0;
  while (true) {
    const OptionStep step = StepOption({room.data() + used, room.size() - used});
    if (step.kind == OptionStep::kEnd) break;
    if (step.kind == OptionStep::kOverruns) {
      return ParseResult::Failed(Reason::kOptions, RoomOffset(packet) + used, step.value_length,
                                 room.size() - used);
    }
    used += step.total_length;
  }
  packet.options = {room.data(), used};
  packet.filler_length = static_cast<uint32_t>(room.size() - used);
  return ParseResult::Accepted();
}

// Check `length` behind `length-short` and the pad of tails without payload.
//
//= CHECK-LENGTH
//# The lengths fit the opcode by the rules of section 3.3
inline ParseResult ParseTail(Bytes room, spec::Tail tail, size_t pad, Packet& packet) {
  packet.options = {};
  packet.filler_length = 0;
  if (tail == spec::Tail::kPayload) {
    if (pad != 0 && pad >= room.size()) {
      return ParseResult::Failed(Reason::kLengthPad, packet.frame.payload_offset, pad,
                                 room.size() == 0 ? 0 : room.size() - 1);
    }
    packet.payload = {room.data(), room.size() - pad};
    return ParseResult::Accepted();
  }
  packet.payload = {};
  //= WIRE-PAD
  //# Where the tail is not PAYLOAD, `pad` is zero. Another value is malformed (`length-pad`).
  if (pad != 0) return ParseResult::Failed(Reason::kLengthPad, packet.frame.payload_offset, pad, 0);
  if (tail == spec::Tail::kPathBlocks) return ParseBlocks(room, packet);
  switch (tail) {
    case spec::Tail::kOptions:
      return ParseOptionList(room, packet);
    case spec::Tail::kFiller:
      //= WIRE-TAIL-FILLER
      //# Where the tail is FILLER, the room is filler: a sender writes zero bytes, a receiver
      //# ignores them.
      packet.filler_length = static_cast<uint32_t>(room.size());
      return ParseResult::Accepted();
    default:
      //= WIRE-TAIL-EMPTY
      //# More is malformed (`length-long`).
      if (room.size() == 0) return ParseResult::Accepted();
      return ParseResult::Failed(Reason::kLengthLong, RoomOffset(packet), room.size(), 0);
  }
}

// The first of the checks `version`, `opcode` and `length-short` that fails. One does.
[[gnu::noinline, gnu::cold]] ParseResult RefuseHeader(const Packet& packet) {
  const frame::Frame& f = packet.frame;
  const spec::Common& common = packet.headers.common;
  //= CHECK-VERSION
  //# The version is `wire_version` (`version`).
  if (common.version != spec::constant::kWireVersion) {
    return ParseResult::Failed(Reason::kVersion, f.payload_offset, common.version,
                               spec::constant::kWireVersion);
  }
  //= WIRE-OPCODES
  //# receiver drops the packet (`opcode-unknown`) before it computes any length from the opcode.
  //= CHECK-OPCODE
  //# The opcode is in the table of chapter 3 (`opcode-unknown`).
  if (!packet.info().known) {
    return ParseResult::Failed(Reason::kOpcodeUnknown, f.payload_offset, common.opcode, 0);
  }
  return ParseResult::Failed(Reason::kLengthShort, f.payload_offset, f.payload_length,
                             packet.info().fixed_bytes + frame::kIcrcLength);
}

// Checks `port` to `length`.
[[gnu::always_inline]] inline ParseResult ParseTransport(Bytes bytes, const ParseOptions& options,
                                                         Packet& packet) {
  const frame::Frame& f = packet.frame;
  //= WIRE-UDP-PORT
  //# A packet is a MetaRoCE packet when it is UDP and its destination port is the parameter
  //= CHECK-PORT
  //# The UDP destination port is `udp_port`; else the packet is not ours
  if (f.dst_port != options.udp_port) {
    return ParseResult::Failed(Reason::kNotMetaroce, f.udp_offset + size_t{2}, f.dst_port,
                               options.udp_port);
  }
  //= WIRE-LENGTH-UDP
  //# The UDP length is a multiple of four and at least the UDP header, the common header and the
  //# iCRC.
  //= CHECK-PACKET-LENGTH
  //# The UDP length is a multiple of four and at least 28
  if (f.udp_length % 4 != 0 || f.udp_length < kMinUdpLength) {
    return ParseResult::Failed(Reason::kPacketLength, f.udp_offset + size_t{4}, f.udp_length,
                               kMinUdpLength);
  }
  const uint8_t* transport = bytes.data() + f.payload_offset;
  //= WIRE-COMMON
  //# Every packet begins with the common header.
  packet.headers.common.LoadFrom(transport);
  const OpcodeFacts& facts = FactsOf(packet);
  //= WIRE-LENGTH-HEADERS
  //# A packet with less than no room is malformed (`length-short`).
  if (packet.headers.common.version != spec::constant::kWireVersion ||
      f.payload_length < facts.min_bytes) {
    return RefuseHeader(packet);
  }
  spec::LoadBody(packet.opcode(), transport, packet.headers);
  const size_t fixed = facts.min_bytes - frame::kIcrcLength;
  return ParseTail(Bytes(transport + fixed, size_t{f.payload_length} - facts.min_bytes), facts.tail,
                   packet.headers.common.pad, packet);
}

// Checks `port` to `icrc`.
[[gnu::always_inline]] inline ParseResult ParseAboveUdp(Bytes bytes, const ParseOptions& options,
                                                        Packet& packet) {
  const ParseResult result = ParseTransport(bytes, options, packet);
  if (!result.ok() || !options.check_icrc) return result;
  const uint32_t found = frame::LoadIcrc(packet.frame, bytes);
  const uint32_t right = frame::Icrc(packet.frame, bytes, frame::IcrcKind::kMetaRoce);
  //= WIRE-ICRC-CHECK
  //# A receiver drops a packet whose iCRC is wrong
  //= CHECK-ICRC
  //# The iCRC is right by section 3.10
  if (found != right) {
    return ParseResult::Failed(Reason::kIcrc, packet.frame.end() - frame::kIcrcLength, found,
                               right);
  }
  return ParseResult::Accepted();
}

// All checks, of a frame that is not as ParseUsualIpv4 wants it.
[[gnu::noinline, gnu::flatten]] ParseResult ParseOther(Bytes bytes, const ParseOptions& options,
                                                       Packet& packet) {
  if (!frame::ParseUsualIpv6(bytes, options.link, &packet.frame)) {
    const frame::FrameOptions frame_options{options.check_ip_checksum};
    const frame::FrameFault fault =
        frame::ParseFrame(bytes, options.link, frame_options, &packet.frame);
    if (!fault.ok()) {
      return ParseResult::Failed(ToReason(fault.reason), fault.offset, fault.value, fault.bound);
    }
  }
  return ParseAboveUdp(bytes, options, packet);
}

}  // namespace

// The calls in it are inlined: each is short beside what it costs to pass its arguments.
//
//= CHECK-TOTAL
//# Every sequence of bytes either passes all checks or fails exactly one.
[[gnu::flatten]] ParseResult Parse(Bytes bytes, const ParseOptions& options, Packet* packet) {
  if (!frame::ParseUsualIpv4(bytes, options.link, {options.check_ip_checksum}, &packet->frame)) {
    return ParseOther(bytes, options, *packet);
  }
  return ParseAboveUdp(bytes, options, *packet);
}

}  // namespace metaroce::packet
