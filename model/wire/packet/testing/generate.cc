#include "model/wire/packet/testing/generate.h"

#include <algorithm>
#include <array>

#include "model/wire/packet/bitmap.h"

namespace metaroce::packet::testing {
namespace {

using spec::Opcode;

uint64_t AnyValue(const spec::FieldInfo& field, const Draw& draw) {
  switch (draw() % 8) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return field.max();
    case 3:
      return field.max() - 1;
    default:
      return draw() & field.max();
  }
}

std::vector<uint8_t> AnyBytes(size_t size, const Draw& draw) {
  std::vector<uint8_t> bytes(size);
  uint64_t word = 0;
  for (size_t i = 0; i < size; ++i) {
    if (i % 8 == 0) word = draw();
    bytes[i] = static_cast<uint8_t>(word >> (i % 8 * 8));
  }
  return bytes;
}

spec::PathBlock AnyBlock(const Draw& draw) {
  spec::PathBlock block{};
  for (size_t i = 0; i < spec::kPathBlockFields.size(); ++i) {
    block.Set(i, AnyValue(spec::kPathBlockFields[i], draw));
  }
  const uint64_t density = draw() % 3;
  for (size_t bit = 0; bit < block.BitmapBits(); ++bit) {
    if (density == 1 ? draw() % 32 == 0 : draw() % 2 < density) SetBitmapBit(block.bitmap, bit);
  }
  return block;
}

size_t AnyPayloadSize(const Draw& draw) {
  switch (draw() % 8) {
    case 0:
      return 0;
    case 1:
      return 1 + draw() % 8;
    case 2:
      return 4096 - draw() % 4;
    default:
      return draw() % 300;
  }
}

std::vector<uint8_t> AnyOptions(const Draw& draw) {
  std::vector<uint8_t> list;
  for (uint64_t left = draw() % 4; left > 0; --left) {
    const std::vector<uint8_t> value = AnyBytes(draw() % 20, draw);
    const Option option{static_cast<uint16_t>(1 + draw() % 0xFFFF), value};
    if (!AppendOption(option, &list).ok()) break;
  }
  return list;
}

// Gives the packet a last payload of a message, or one before the last.
void FitMessage(Packet& p, const Draw& draw) {
  spec::Data& data = p.headers.data;
  const auto size = static_cast<uint32_t>(p.payload.size());
  data.offset = std::min<uint32_t>(data.offset, 0xFFFFFFFF - size);
  const bool last = p.opcode() == Opcode::kWriteWithImmediate ||
                    p.opcode() == Opcode::kSendWithImmediate ||
                    p.opcode() == Opcode::kSendWithInvalidate || draw() % 2 == 0;
  if (last) {
    data.length = data.offset + size;
  } else {
    data.length = std::max(data.length, data.offset + size);
    if (data.length != data.offset + size) p.headers.common.se = false;
  }
}

void FitData(Packet& p, const Draw& draw) {
  spec::Headers& h = p.headers;
  if (h.common.path == spec::constant::kNoPath) h.common.path = 0;
  if (p.info().tail == spec::Tail::kPayload) return FitMessage(p, draw);
  h.data.offset = 0;
  switch (p.opcode()) {
    case Opcode::kReadRequest:
      return;
    case Opcode::kVoid:
      h.data.stream = 0;
      h.data.msn = 0;
      h.data.length = 0;
      h.common.se = false;
      return;
    case Opcode::kFetchAdd:
      h.atomic.compare = 0;
      [[fallthrough]];
    default:
      h.data.length = 8;
  }
}

void FitAck(Packet& p) {
  spec::Headers& h = p.headers;
  if (h.ack.hint == 0) h.ack.hint = 1;
  for (size_t i = 0; i < h.ack.blocks; ++i) {
    spec::PathBlock& block = h.path_block[i];
    if (block.path == spec::constant::kNoPath) block.path = 0;
    block.bitmap[0] &= ~uint64_t{1};
    Shorten(block);
  }
  h.common.path = h.path_block[0].path;
  h.common.epoch = h.path_block[0].epoch;
}

// Enumerated fields get the nearest value of their list, counted modulo its size.
void FitEnums(Packet& p) {
  for (const spec::Layout id : p.info().headers) {
    const auto& fields = spec::Info(id).fields;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].values == nullptr || id == spec::Layout::kCommon) continue;
      const auto& values = fields[i].values->values;
      const uint64_t value = spec::GetField(p.headers, id, i);
      if (id == spec::Layout::kConnect) {
        spec::SetField(p.headers, id, i, value % 4);  // two features, a bit each
      } else if (fields[i].values->NameOf(value).empty()) {
        spec::SetField(p.headers, id, i, values[value % values.size()].value);
      }
    }
  }
}

void FitControl(Packet& p) {
  spec::Headers& h = p.headers;
  FitEnums(p);
  switch (p.opcode()) {
    case Opcode::kProbe:
    case Opcode::kPathOpen:
    case Opcode::kPathAccept:
    case Opcode::kPathRefuse:
    case Opcode::kPathClose:
    case Opcode::kPathCloseReply:
      if (h.common.path == spec::constant::kNoPath) h.common.path = 0;
      break;
    default:
      h.common.path = spec::constant::kNoPath;
      h.common.epoch = 0;
  }
  if (p.info().opcode_class == spec::OpcodeClass::kNack) h.common.number = 0;
  if (p.opcode() == Opcode::kConnect || p.opcode() == Opcode::kNackBadConnection) h.common.cid = 0;
  if (p.opcode() == Opcode::kNackBadEpoch && !h.nack_epoch.has_current) {
    h.nack_epoch.current_epoch = 0;
  }
  if (p.opcode() == Opcode::kConnectReject) {
    h.connect_reject.version_max =
        std::max(h.connect_reject.version_min, h.connect_reject.version_max);
  }
}

}  // namespace

OwnedPacket AnyPacket(Opcode opcode, const Draw& draw) {
  OwnedPacket out{NewPacket(opcode), nullptr};
  Packet& p = out.packet;
  for (const spec::Layout id : p.info().headers) {
    const auto& fields = spec::Info(id).fields;
    for (size_t i = 0; i < fields.size(); ++i) {
      spec::SetField(p.headers, id, i, AnyValue(fields[i], draw));
    }
  }
  p.headers.common.version = spec::constant::kWireVersion;
  p.headers.common.opcode = static_cast<uint8_t>(opcode);
  p.headers.common.pad = 0;
  switch (p.info().tail) {
    case spec::Tail::kPayload:
      out.bytes =
          std::make_shared<const std::vector<uint8_t>>(AnyBytes(AnyPayloadSize(draw), draw));
      p.payload = *out.bytes;
      break;
    case spec::Tail::kPathBlocks:
      p.headers.ack.blocks = static_cast<uint8_t>(1 + draw() % kMaxPathBlocks);
      for (size_t i = 0; i < p.headers.ack.blocks; ++i) p.headers.path_block[i] = AnyBlock(draw);
      break;
    case spec::Tail::kOptions:
      out.bytes = std::make_shared<const std::vector<uint8_t>>(AnyOptions(draw));
      p.options = *out.bytes;
      [[fallthrough]];
    case spec::Tail::kFiller:
      p.filler_length = static_cast<uint32_t>(draw() % 8 * 4);
      break;
    case spec::Tail::kEmpty:
      break;
  }
  return out;
}

OwnedPacket AnySendable(Opcode opcode, const Draw& draw) {
  OwnedPacket out = AnyPacket(opcode, draw);
  Packet& p = out.packet;
  if (p.info().opcode_class == spec::OpcodeClass::kData) {
    FitData(p, draw);
    return out;
  }
  p.headers.common.ar = p.headers.common.rtx = false;
  p.headers.common.moved = p.headers.common.se = false;
  if (p.info().opcode_class == spec::OpcodeClass::kAck) {
    FitAck(p);
  } else {
    FitControl(p);
  }
  return out;
}

frame::FrameSpec AnyFrame(const Draw& draw) {
  frame::FrameSpec out;
  for (frame::MacAddress* mac : {&out.dst_mac, &out.src_mac}) {
    const uint64_t word = draw();
    for (size_t i = 0; i < mac->bytes.size(); ++i)
      mac->bytes[i] = static_cast<uint8_t>(word >> 8 * i);
  }
  out.vlan_count = static_cast<uint8_t>(draw() % 3);
  for (size_t i = 0; i < out.vlan_count; ++i) {
    out.vlans[i] = {draw() % 2 == 0 ? frame::kEtherTypeVlan : frame::kEtherTypeServiceVlan,
                    static_cast<uint16_t>(draw())};
  }
  for (frame::IpAddress* address : {&out.src, &out.dst})
    *address = frame::IpAddress::V4({10, 0, 0, static_cast<uint8_t>(draw())});
  if (draw() % 2 == 0) {
    for (frame::IpAddress* address : {&out.src, &out.dst}) {
      std::array<uint8_t, 16> v6{};
      const std::vector<uint8_t> bytes = AnyBytes(v6.size(), draw);
      std::copy(bytes.begin(), bytes.end(), v6.begin());
      *address = frame::IpAddress::V6(v6);
    }
    out.flow_label = static_cast<uint32_t>(draw() & 0xFFFFF);
  } else {
    out.identification = static_cast<uint16_t>(draw());
    out.dont_fragment = draw() % 4 != 0;
    const size_t words = draw() % 4 == 0 ? draw() % 11 : 0;
    const std::vector<uint8_t> options = AnyBytes(words * 4, draw);
    out.options = *frame::Ipv4Options::Of(options);
  }
  out.dscp = static_cast<uint8_t>(draw() % 64);
  out.ecn = static_cast<frame::Ecn>(draw() % 4);
  out.ttl = static_cast<uint8_t>(draw());
  out.src_port = static_cast<uint16_t>(draw());
  out.dst_port = spec::constant::kUdpPort;
  out.udp_checksum = draw() % 2 == 0 ? 0 : static_cast<uint16_t>(draw());
  return out;
}

}  // namespace metaroce::packet::testing
