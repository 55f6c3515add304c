// What makes a packet possible to write at all: see Serialize.
#ifndef METAROCE_MODEL_WIRE_PACKET_STRUCTURE_H_
#define METAROCE_MODEL_WIRE_PACKET_STRUCTURE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/wire/frame/icrc.h"
#include "model/wire/packet/packet.h"
#include "model/wire/packet/violation.h"

namespace metaroce::packet {

// The first thing that makes it impossible, if there is one.
Finding CheckStructure(const Packet& packet);

// A field whose member in the generated struct can hold values that the field has no bits for. One
// bit is a bool.
constexpr bool IsNarrow(const spec::FieldInfo& field) {
  const bool whole = field.bits == 8 || field.bits == 16 || field.bits == 32 || field.bits == 64;
  return !field.reserved && field.bits != 1 && !whole;
}

constexpr size_t CountNarrow(const spec::LayoutInfo& layout) {
  return std::count_if(layout.fields.begin(), layout.fields.end(), IsNarrow);
}

// By opcode: some layout behind the common header has a narrow field. Few have.
inline constexpr std::array<bool, 256> kNarrowBody = [] {
  std::array<bool, 256> table{};
  for (const spec::Opcode opcode : spec::kOpcodes) {
    for (const spec::Layout layout : spec::Info(opcode).headers) {
      if (layout != spec::Layout::kCommon && CountNarrow(spec::Info(layout)) != 0) {
        table[static_cast<uint8_t>(opcode)] = true;
      }
    }
  }
  return table;
}();

// By opcode, in one word, what each packet is asked for.
struct alignas(8) OpcodeFacts {
  // Of the headers and the iCRC; more than any packet has, if the opcode is unknown.
  uint16_t min_bytes = 0xFFFF;
  spec::Tail tail = {};
  spec::OpcodeClass opcode_class = {};
  bool narrow_body = false;
};

inline constexpr std::array<OpcodeFacts, 256> kOpcodeFacts = [] {
  std::array<OpcodeFacts, 256> table{};
  for (const spec::Opcode opcode : spec::kOpcodes) {
    const spec::OpcodeInfo& info = spec::Info(opcode);
    table[static_cast<uint8_t>(opcode)] = {
        static_cast<uint16_t>(info.fixed_bytes + frame::kIcrcLength), info.tail, info.opcode_class,
        kNarrowBody[static_cast<uint8_t>(opcode)]};
  }
  return table;
}();

inline const OpcodeFacts& FactsOf(const Packet& packet) {
  return kOpcodeFacts[packet.headers.common.opcode];
}

inline constexpr size_t kMinPathBlocks = spec::Info(spec::Opcode::kAck).count_min;

consteval uint64_t MaxOfCommon(std::string_view field) {
  return spec::kCommonFields[*spec::kCommonLayout.FieldIndex(field)].max();
}

inline bool CommonFits(const spec::Common& common) {
  return common.version <= MaxOfCommon("version") && common.pad <= MaxOfCommon("pad") &&
         common.cid <= MaxOfCommon("cid");
}
static_assert(CountNarrow(spec::kCommonLayout) == 3, "CommonFits looks at three fields");

inline bool BlockFits(const spec::PathBlock& block) {
  return block.bitmap_code < spec::kPathBlockBitmapLengths.size();
}
static_assert(CountNarrow(spec::kPathBlockLayout) == 1 &&
                  IsNarrow(spec::kPathBlockFields[spec::kPathBlockLayout.bitmap_selector]),
              "BlockFits looks at one field");

// True if CheckStructure finds nothing. For DATA and ACK this is decided here.
inline bool StructureHolds(const Packet& packet) {
  const OpcodeFacts& facts = FactsOf(packet);
  const bool payload = facts.tail == spec::Tail::kPayload;
  if ((!payload && facts.tail != spec::Tail::kPathBlocks) || facts.narrow_body) {
    return !CheckStructure(packet);
  }
  if (!CommonFits(packet.headers.common) || !packet.options.empty() || packet.filler_length != 0) {
    return false;
  }
  if (payload) return true;
  const size_t count = packet.headers.ack.blocks;
  if (count < kMinPathBlocks || count > kMaxPathBlocks || !packet.payload.empty()) return false;
  // Not all_of: g++ takes that apart into four blocks at a time.
  for (size_t i = 0; i < count; ++i) {
    if (!BlockFits(packet.headers.path_block[i])) return false;
  }
  return true;
}

}  // namespace metaroce::packet

#endif  // METAROCE_MODEL_WIRE_PACKET_STRUCTURE_H_
