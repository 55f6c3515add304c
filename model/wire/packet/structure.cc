#include "model/wire/packet/structure.h"

#include "model/wire/packet/option_list.h"

namespace metaroce::packet {
namespace {

namespace clause = spec::clause;

// The first field of the layout that is greater than its width, where `get` reads a field.
template <typename Get>
Finding FirstTooGreat(const spec::LayoutInfo& layout, Get get) {
  for (size_t i = 0; i < layout.fields.size(); ++i) {
    const spec::FieldInfo& field = layout.fields[i];
    if (field.reserved || get(i) <= field.max()) continue;
    return Violation{field.name, get(i), "must be at most", field.max(), clause::kWireBigEndian,
                     layout.name};
  }
  return {};
}

Finding FirstTooGreatHeader(const Packet& packet) {
  for (const spec::Layout id : packet.info().headers) {
    Finding v = FirstTooGreat(
        spec::Info(id), [&](size_t field) { return spec::GetField(packet.headers, id, field); });
    if (v) return v;
  }
  return {};
}

Finding CheckBlocks(const Packet& packet) {
  const size_t count = packet.headers.ack.blocks;
  const spec::OpcodeInfo& info = packet.info();
  if (count < info.count_min) {
    return Violation{"ack.blocks", count, "must be at least", info.count_min,
                     clause::kWireTailBlocks};
  }
  if (count > info.count_max) {
    return Violation{"ack.blocks", count, "must be at most", info.count_max,
                     clause::kWireTailBlocks};
  }
  for (const spec::PathBlock& block : packet.path_blocks()) {
    if (BlockFits(block)) continue;
    return Violation{"path_block.bitmap_code", block.bitmap_code, "must be at most",
                     spec::kPathBlockBitmapLengths.size() - 1, clause::kWirePathBlock};
  }
  return {};
}
// Whole options with nothing after them, as Parse gives them.
Finding CheckOptions(Bytes options) {
  const size_t size = options.size();
  while (!options.empty()) {
    const OptionStep step = StepOption(options);
    if (step.kind == OptionStep::kEnd) {
      return Violation{"length of the options", size, "must be the end of the list, which is at",
                       size - options.size(), clause::kWireTailOptions};
    }
    if (step.kind == OptionStep::kOverruns) {
      return Violation{"length of an option's value", step.value_length,
                       "must fit the options, whose bytes behind its beginning are", options.size(),
                       clause::kWireTailOptions};
    }
    options.remove_prefix(step.total_length);
  }
  return {};
}

Finding NotOfOpcode(std::string_view part, size_t size) {
  return Violation{part, size, "must be", 0, clause::kWireOpcodes};
}

Finding CheckTail(const Packet& packet) {
  const spec::Tail tail = packet.info().tail;
  const bool options = tail == spec::Tail::kOptions;
  if (tail == spec::Tail::kPathBlocks) {
    if (const Finding v = CheckBlocks(packet)) return v;
  }
  if (tail != spec::Tail::kPayload && !packet.payload.empty()) {
    return NotOfOpcode("length of the payload", packet.payload.size());
  }
  if (!packet.options.empty()) {
    if (!options) return NotOfOpcode("length of the options", packet.options.size());
    if (Finding v = CheckOptions(packet.options)) return v;
  }
  if (packet.filler_length == 0) return {};
  if (!options && tail != spec::Tail::kFiller) return NotOfOpcode("filler", packet.filler_length);
  if (packet.filler_length % 4 != 0) {
    return Violation{"filler", packet.filler_length, "must be a multiple of", 4,
                     clause::kWireLengthUdp};
  }
  return {};
}

}  // namespace

Finding CheckStructure(const Packet& packet) {
  if (!packet.info().known) {
    return Violation{"common.opcode", packet.headers.common.opcode,
                     "must be one of the table; their number is", spec::kOpcodes.size(),
                     clause::kWireOpcodes};
  }
  if (kNarrowBody[packet.headers.common.opcode] || !CommonFits(packet.headers.common)) {
    if (Finding v = FirstTooGreatHeader(packet)) return v;
  }
  return CheckTail(packet);
}

}  // namespace metaroce::packet
