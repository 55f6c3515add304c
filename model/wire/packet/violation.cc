#include "model/wire/packet/violation.h"

#include "absl/strings/str_format.h"
#include "model/wire/packet/option_list.h"

namespace metaroce::packet {
namespace {

uint64_t GreatestValue(uint8_t bits) {
  return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

// The first field of the layout that is greater than its width, where `get` reads a field.
template <typename Get>
Violation FirstTooGreat(spec::LayoutId id, Get get) {
  const spec::LayoutInfo& layout = spec::kLayouts[static_cast<size_t>(id)];
  for (size_t i = 0; i < layout.field_count; ++i) {
    const spec::FieldInfo& field = layout.fields[i];
    if (field.reserved || get(i) <= GreatestValue(field.bits)) continue;
    return {.field = field.name,
            .value = get(i),
            .relation = "must be at most",
            .bound = GreatestValue(field.bits),
            .clause = "WIRE-BIG-ENDIAN",
            .layout = layout.name};
  }
  return {};
}

Violation FirstTooGreat(const Packet& packet) {
  for (size_t i = 0; i < packet.info().layout_count; ++i) {
    const spec::LayoutId id = packet.info().layouts[i];
    const Violation v =
        FirstTooGreat(id, [&](size_t field) { return spec::GetField(packet.headers, id, field); });
    if (v.broken()) return v;
  }
  return {};
}

Violation CheckBlocks(const Packet& packet) {
  const size_t count = packet.headers.ack.blocks;
  const spec::OpcodeInfo& info = packet.info();
  if (count < info.count_min) {
    return {"ack.blocks", count, "must be at least", info.count_min, "WIRE-TAIL-BLOCKS"};
  }
  if (count > info.count_max) {
    return {"ack.blocks", count, "must be at most", info.count_max, "WIRE-TAIL-BLOCKS"};
  }
  for (const PathBlock& block : packet.path_blocks()) {
    if (block.header.Fits()) continue;
    return FirstTooGreat(spec::LayoutId::kPathBlock,
                         [&](size_t field) { return block.header.Get(field); });
  }
  return {};
}

// Whole options with nothing after them, as Parse gives them.
Violation CheckOptions(Bytes options) {
  const size_t size = options.size();
  while (!options.empty()) {
    const OptionStep step = StepOption(options);
    if (step.kind == OptionStep::kEnd) {
      return {"length of the options", size, "must be the end of the list, which is at",
              size - options.size(), "WIRE-TAIL-OPTIONS"};
    }
    if (step.kind == OptionStep::kOverruns) {
      return {"length of an option's value", step.value_length,
              "must fit the options, whose bytes behind its beginning are", options.size(),
              "WIRE-TAIL-OPTIONS"};
    }
    options.remove_prefix(step.total_length);
  }
  return {};
}

Violation CheckTail(const Packet& packet) {
  const spec::Tail tail = packet.info().tail;
  const bool options = tail == spec::Tail::kOptions;
  if (tail == spec::Tail::kPathBlocks) {
    if (const Violation v = CheckBlocks(packet); v.broken()) return v;
  }
  if (tail != spec::Tail::kPayload && !packet.payload.empty()) {
    return {"length of the payload", packet.payload.size(), "must be", 0, "WIRE-OPCODES"};
  }
  if (!packet.options.empty()) {
    if (!options) {
      return {"length of the options", packet.options.size(), "must be", 0, "WIRE-OPCODES"};
    }
    if (const Violation v = CheckOptions(packet.options); v.broken()) return v;
  }
  if (packet.filler_length == 0) return {};
  if (!options && tail != spec::Tail::kFiller) {
    return {"filler", packet.filler_length, "must be", 0, "WIRE-OPCODES"};
  }
  if (packet.filler_length % 4 != 0) {
    return {"filler", packet.filler_length, "must be a multiple of", 4, "WIRE-LENGTH-UDP"};
  }
  return {};
}

}  // namespace

absl::Status ToStatus(const Violation& v) {
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s%s%s is %d; it %s %d [%s].", v.layout == nullptr ? "" : v.layout,
      v.layout == nullptr ? "" : ".", v.field, v.value, v.relation, v.bound, v.clause));
}

Violation CheckStructure(const Packet& packet) {
  if (!packet.info().known) {
    return {"common.opcode", static_cast<uint8_t>(packet.opcode()),
            "must be one of the table; their number is", spec::kOpcodeCount, "WIRE-OPCODES"};
  }
  if (!spec::HeadersFit(packet.opcode(), packet.headers)) return FirstTooGreat(packet);
  return CheckTail(packet);
}

}  // namespace metaroce::packet
