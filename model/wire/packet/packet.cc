#include "model/wire/packet/packet.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_format.h"
#include "model/wire/frame/bytes.h"
#include "model/wire/packet/option_list.h"

namespace metaroce::packet {
namespace {

constexpr size_t kMaxOptionValue = 0xFFFF;

constexpr size_t GreatestFixedBytes() {
  size_t greatest = 0;
  for (const spec::OpcodeInfo& info : spec::kOpcodes) {
    greatest = std::max<size_t>(greatest, info.fixed_bytes);
  }
  return greatest;
}

bool SameHeaders(const Packet& a, const Packet& b) {
  // Stored with the fields that do not count made equal.
  uint8_t bytes[2][GreatestFixedBytes()];
  const Packet* packets[2] = {&a, &b};
  for (size_t i = 0; i < 2; ++i) {
    spec::StoreHeaders(a.opcode(), packets[i]->headers, bytes[i]);
    spec::Common common = packets[i]->headers.common;
    common.version = spec::kWireVersion;
    common.pad = 0;
    common.Store(bytes[i]);
  }
  return std::memcmp(bytes[0], bytes[1], a.info().fixed_bytes) == 0;
}

}  // namespace

absl::Span<const PathBlock> Packet::path_blocks() const {
  if (info().tail != spec::Tail::kPathBlocks) return {};
  return {blocks.data(), std::min<size_t>(headers.ack.blocks, kMaxPathBlocks)};
}

Packet NewPacket(spec::Opcode opcode) {
  Packet packet{};
  packet.headers.common.version = spec::kWireVersion;
  packet.headers.common.opcode = static_cast<decltype(spec::Common::opcode)>(opcode);
  return packet;
}

bool SamePacket(const Packet& a, const Packet& b) {
  if (a.opcode() != b.opcode() || a.info().known != b.info().known) return false;
  return (!a.info().known || SameHeaders(a, b)) && a.payload == b.payload &&
         a.options == b.options && a.filler_length == b.filler_length &&
         a.path_blocks() == b.path_blocks();
}

const char* ParseResult::name() const {
  if (ok()) return "ok";
  for (const spec::ReasonInfo& info : spec::kReasons) {
    if (info.code == code_) return info.name;
  }
  return "unknown";
}

std::string ParseResult::ToString() const {
  using spec::Reason;
  if (ok()) return "ok";
  switch (reason()) {
    case Reason::kIcrc:
      return absl::StrFormat("%s: the iCRC at byte %d is 0x%08x, correct is 0x%08x.", name(),
                             offset(), value(), bound());
    case Reason::kNotMetaroce:
      return absl::StrFormat("%s: the UDP destination port at byte %d is %d, not %d.", name(),
                             offset(), value(), bound());
    case Reason::kPacketLength:
      return absl::StrFormat(
          "%s: the UDP length at byte %d is %d, not a multiple of four of at least %d.", name(),
          offset(), value(), bound());
    case Reason::kVersion:
      return absl::StrFormat("%s: the version of the header at byte %d is %d, not %d.", name(),
                             offset(), value(), bound());
    case Reason::kOpcodeUnknown:
      return absl::StrFormat("%s: the opcode of the header at byte %d is 0x%02x.", name(), offset(),
                             value());
    case Reason::kLengthShort:
      return absl::StrFormat("%s: the UDP payload at byte %d has %d bytes, the opcode needs %d.",
                             name(), offset(), value(), bound());
    case Reason::kLengthPad:
      return absl::StrFormat("%s: the pad of the header at byte %d is %d, the greatest is %d.",
                             name(), offset(), value(), bound());
    case Reason::kLengthLong:
      return absl::StrFormat("%s: %d bytes stand before the iCRC from byte %d on, none may.",
                             name(), value(), offset());
    case Reason::kBlockCount:
      return absl::StrFormat("%s: the ACK at byte %d says %d path blocks, the bound is %d.", name(),
                             offset(), value(), bound());
    case Reason::kBlockLength:
      return absl::StrFormat("%s: the path blocks from byte %d on have %d bytes, they need %d.",
                             name(), offset(), value(), bound());
    case Reason::kOptions:
      return absl::StrFormat("%s: the option at byte %d has a value of %d bytes in a room of %d.",
                             name(), offset(), value(), bound());
    default:
      return absl::StrFormat("%s: at byte %d stands %d, the bound is %d.", name(), offset(),
                             value(), bound());
  }
}

bool NextOption(Bytes* list, Option* option) {
  const OptionStep step = StepOption(*list);
  if (step.kind != OptionStep::kOption) return false;
  *option = {frame::LoadBe16(list->data()), list->subspan(kOptionHeaderBytes, step.value_length)};
  list->remove_prefix(step.total_length);
  return true;
}

absl::Status AppendOption(const Option& option, std::vector<uint8_t>* list) {
  if (option.type == 0) {
    return absl::InvalidArgumentError(
        "The type of an option is 0, which ends the list [WIRE-TAIL-OPTIONS].");
  }
  if (option.value.size() > kMaxOptionValue) {
    return absl::InvalidArgumentError(
        absl::StrFormat("The value of an option has %d bytes, more than %d [WIRE-TAIL-OPTIONS].",
                        option.value.size(), kMaxOptionValue));
  }
  uint8_t header[kOptionHeaderBytes];
  frame::StoreBe16(header, option.type);
  frame::StoreBe16(header + 2, static_cast<uint16_t>(option.value.size()));
  list->insert(list->end(), header, header + kOptionHeaderBytes);
  list->insert(list->end(), option.value.begin(), option.value.end());
  list->resize(list->size() + RoundUp4(option.value.size()) - option.value.size());
  return absl::OkStatus();
}

frame::FrameSpec DefaultFrame(spec::Opcode opcode, uint16_t source_port, bool ipv6) {
  const bool data_class =
      spec::kOpcodes[static_cast<uint8_t>(opcode)].opcode_class == spec::OpcodeClass::kData ||
      opcode == spec::Opcode::kProbe || opcode == spec::Opcode::kPathOpen;
  frame::FrameSpec spec;
  spec.dst_mac = {{0x02, 0, 0, 0, 0, 0x02}};
  spec.src_mac = {{0x02, 0, 0, 0, 0, 0x01}};
  if (ipv6) {
    std::array<uint8_t, 16> address = {0x20, 0x01, 0x0d, 0xb8};
    address[15] = 1;
    spec.src = frame::IpAddress::V6(address);
    address[15] = 2;
    spec.dst = frame::IpAddress::V6(address);
    spec.flow_label = source_port;
  } else {
    spec.src = frame::IpAddress::V4({192, 0, 2, 1});
    spec.dst = frame::IpAddress::V4({192, 0, 2, 2});
  }
  spec.dscp = static_cast<uint8_t>(data_class ? spec::kDataDscp : spec::kControlDscp);
  spec.ecn = frame::Ecn::kEct0;
  spec.ttl = spec::kHopLimit;
  spec.src_port = source_port;
  spec.dst_port = spec::kUdpPort;
  return spec;
}

}  // namespace metaroce::packet
