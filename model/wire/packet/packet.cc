#include "model/wire/packet/packet.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_format.h"
#include "model/wire/frame/bytes.h"
#include "model/wire/packet/bitmap.h"
#include "model/wire/packet/option_list.h"

namespace metaroce::packet {
namespace {

constexpr size_t kMaxOptionValue = 0xFFFF;

// True if the headers are equal but for the two fields that follow from the rest.
bool SameHeaders(const Packet& a, const Packet& b) {
  spec::Headers headers = b.headers;
  headers.common.version = a.headers.common.version;
  headers.common.pad = a.headers.common.pad;
  return spec::HeadersEqual(a.opcode(), a.headers, headers);
}

// The padding between options is ignored, as a receiver does.
bool SameOptions(Bytes a, Bytes b) {
  Option option_a;
  Option option_b;
  while (NextOption(&a, &option_a)) {
    if (!NextOption(&b, &option_b) || option_a.type != option_b.type ||
        option_a.value != option_b.value) {
      return false;
    }
  }
  return a.size() == b.size();
}

// What a bitmap has beyond the length of its code is not part of the packet.
bool SameBlock(const spec::PathBlock& a, const spec::PathBlock& b) {
  if (a.bitmap_code != b.bitmap_code) return false;
  spec::PathBlock cut[2] = {a, b};
  for (spec::PathBlock& block : cut) {
    for (size_t i = block.BitmapBits(); i < block.bitmap.size() * kBitsPerWord; ++i) {
      block.bitmap[i / kBitsPerWord] &= ~(uint64_t{1} << (i % kBitsPerWord));
    }
  }
  return cut[0] == cut[1];
}

}  // namespace

Packet NewPacket(spec::Opcode opcode) {
  Packet packet{};
  packet.headers.common.version = spec::constant::kWireVersion;
  packet.headers.common.opcode = static_cast<uint8_t>(opcode);
  return packet;
}

bool SamePacket(const Packet& a, const Packet& b) {
  if (a.opcode() != b.opcode() || !SameHeaders(a, b)) return false;
  const auto blocks_a = a.path_blocks();
  const auto blocks_b = b.path_blocks();
  return a.payload == b.payload && SameOptions(a.options, b.options) &&
         a.filler_length == b.filler_length &&
         std::equal(blocks_a.begin(), blocks_a.end(), blocks_b.begin(), blocks_b.end(), SameBlock);
}

absl::string_view ParseResult::name() const {
  if (ok()) return "ok";
  const std::string_view name = spec::Name(reason());
  return {name.data(), name.size()};
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
  list->resize(list->size() + PaddingTo4(option.value.size()));
  return absl::OkStatus();
}

frame::FrameSpec DefaultFrame(spec::Opcode opcode, uint16_t source_port, bool ipv6) {
  const bool data_class = spec::Info(opcode).opcode_class == spec::OpcodeClass::kData ||
                          opcode == spec::Opcode::kProbe || opcode == spec::Opcode::kPathOpen;
  frame::FrameSpec out;
  out.dst_mac = {{0x02, 0, 0, 0, 0, 0x02}};
  out.src_mac = {{0x02, 0, 0, 0, 0, 0x01}};
  if (ipv6) {
    std::array<uint8_t, 16> address = {0x20, 0x01, 0x0d, 0xb8};
    address[15] = 1;
    out.src = frame::IpAddress::V6(address);
    address[15] = 2;
    out.dst = frame::IpAddress::V6(address);
    out.flow_label = source_port;
  } else {
    out.src = frame::IpAddress::V4({192, 0, 2, 1});
    out.dst = frame::IpAddress::V4({192, 0, 2, 2});
  }
  out.dscp =
      static_cast<uint8_t>(data_class ? spec::constant::kDataDscp : spec::constant::kControlDscp);
  out.ecn = frame::Ecn::kEct0;
  out.ttl = spec::constant::kHopLimit;
  out.src_port = source_port;
  out.dst_port = spec::constant::kUdpPort;
  return out;
}

}  // namespace metaroce::packet
