// What makes a packet possible to write at all: see Serialize.
#ifndef METAROCE_MODEL_WIRE_PACKET_STRUCTURE_H_
#define METAROCE_MODEL_WIRE_PACKET_STRUCTURE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

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
  const spec::OpcodeInfo& info = packet.info();
  const bool usual_tail = info.tail == spec::Tail::kPayload || info.tail == spec::Tail::kPathBlocks;
  if (!usual_tail || kNarrowBody[packet.headers.common.opcode]) return !CheckStructure(packet);
  if (!CommonFits(packet.headers.common) || !packet.options.empty() || packet.filler_length != 0) {
    return false;
  }
  if (info.tail == spec::Tail::kPayload) return info.known;
  const size_t count = packet.headers.ack.blocks;
  if (count < info.count_min || count > info.count_max || !packet.payload.empty()) return false;
  const auto& blocks = packet.headers.path_block;
  return std::all_of(blocks.begin(), blocks.begin() + static_cast<ptrdiff_t>(count), BlockFits);
}

}  // namespace metaroce::packet

#endif  // METAROCE_MODEL_WIRE_PACKET_STRUCTURE_H_
