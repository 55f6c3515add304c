// What chapter 3 demands of a sender, beyond what the bytes can hold.
#include <string_view>

#include "model/wire/packet/bitmap.h"
#include "model/wire/packet/packet.h"
#include "model/wire/packet/structure.h"
#include "model/wire/packet/violation.h"

namespace metaroce::packet {
namespace {

namespace clause = spec::clause;
namespace constant = spec::constant;
using spec::Opcode;
using spec::OpcodeClass;

// `value` must be `bound`.
Finding MustBe(std::string_view field, uint64_t value, uint64_t bound, spec::Clause clause) {
  return Violation{field, value, "must be", bound, clause};
}

// Enumerated fields of NACK and CTRL; in the common header and the path blocks there is none whose
// values the structure leaves open.
Finding CheckEnums(const Packet& packet) {
  for (const spec::Layout id : packet.info().headers) {
    const spec::LayoutInfo& layout = spec::Info(id);
    if (id == spec::Layout::kConnect) continue;  // has `features`, a bit each
    for (size_t i = 0; i < layout.fields.size(); ++i) {
      const spec::FieldInfo& field = layout.fields[i];
      if (field.values == nullptr) continue;
      const uint64_t value = spec::GetField(packet.headers, id, i);
      if (!field.values->NameOf(value).empty()) continue;
      return Violation{field.name,
                       value,
                       "must be a value of its list, whose size is",
                       field.values->values.size(),
                       layout.clause,
                       layout.name};
    }
  }
  return {};
}

//= WIRE-PATH-ID
//# DATA, PROBE, PATH_OPEN, PATH_ACCEPT, PATH_REFUSE, PATH_CLOSE and PATH_CLOSE_REPLY name a path
//# and an epoch; ACK repeats path and epoch of its first block; all other packets carry `no_path`
//# and epoch 0.
bool NamesPath(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAck:
    case Opcode::kProbe:
    case Opcode::kPathOpen:
    case Opcode::kPathAccept:
    case Opcode::kPathRefuse:
    case Opcode::kPathClose:
    case Opcode::kPathCloseReply:
      return true;
    default:
      return false;
  }
}

//= WIRE-FLAGS
//# `ar`, `rtx`, `moved` and `se` have a meaning in DATA only. In other packets a sender writes them
//# as zero
inline Finding CheckNoFlags(const spec::Common& common) {
  if (!(common.ar || common.rtx || common.moved || common.se)) return {};
  if (common.ar != 0) return MustBe("common.ar", common.ar, 0, clause::kWireFlags);
  if (common.rtx != 0) return MustBe("common.rtx", common.rtx, 0, clause::kWireFlags);
  if (common.moved != 0) return MustBe("common.moved", common.moved, 0, clause::kWireFlags);
  return MustBe("common.se", common.se, 0, clause::kWireFlags);
}

inline Finding NoPathViolation(std::string_view field, uint64_t value) {
  return Violation{field, value, "must be a path id, at most", constant::kNoPath - 1,
                   clause::kWirePathId};
}

//= WIRE-VOID
//# Its `stream`, `msn`, `offset` and `length` are sent as zero and ignored.
Finding CheckVoid(const spec::Common& common, const spec::Data& data) {
  if (data.stream != 0) return MustBe("data.stream", data.stream, 0, clause::kWireVoid);
  if (data.msn != 0) return MustBe("data.msn", data.msn, 0, clause::kWireVoid);
  if (data.offset != 0) return MustBe("data.offset", data.offset, 0, clause::kWireVoid);
  if (data.length != 0) return MustBe("data.length", data.length, 0, clause::kWireVoid);
  if (common.se != 0) return MustBe("common.se", common.se, 0, clause::kWireFlags);
  return {};
}

// Requests and responses of one packet without payload.
[[gnu::noinline]] Finding CheckWithoutPayload(const Packet& packet) {
  const spec::Data& data = packet.headers.data;
  if (packet.opcode() == Opcode::kVoid) return CheckVoid(packet.headers.common, data);
  //= WIRE-DATA
  //# `offset` is zero in a Read request, an atomic and an atomic response.
  if (data.offset != 0) return MustBe("data.offset", data.offset, 0, clause::kWireData);
  if (packet.opcode() == Opcode::kReadRequest) return {};
  constexpr uint32_t kAtomicLength = 8;
  if (data.length != kAtomicLength) {
    return MustBe("data.length", data.length, kAtomicLength, clause::kWireData);
  }
  if (packet.opcode() == Opcode::kFetchAdd && packet.headers.atomic.compare != 0) {
    return MustBe("atomic.compare", packet.headers.atomic.compare, 0, clause::kWireAtomic);
  }
  return {};
}

bool IsLastByOpcode(Opcode opcode) {
  return opcode == Opcode::kWriteWithImmediate || opcode == Opcode::kSendWithImmediate ||
         opcode == Opcode::kSendWithInvalidate;
}

inline Finding CheckData(const Packet& packet) {
  const spec::Common& common = packet.headers.common;
  const spec::Data& data = packet.headers.data;
  if (common.path == constant::kNoPath) return NoPathViolation("common.path", common.path);
  if (FactsOf(packet).tail != spec::Tail::kPayload) return CheckWithoutPayload(packet);
  const uint64_t end = data.offset + uint64_t{packet.payload.size()};
  if (end > data.length) {
    return Violation{"data.offset + payload", end, "must be at most data.length, which is",
                     data.length, clause::kWireData};
  }
  if (end == data.length) return {};
  //= WIRE-FLAGS
  //# `se` is set only in the last packet of a message.
  if (common.se != 0) return MustBe("common.se", common.se, 0, clause::kWireFlags);
  if (!IsLastByOpcode(packet.opcode())) return {};
  return Violation{"data.offset + payload", end,
                   "must in the last packet of a message be data.length, which is", data.length,
                   packet.opcode() == Opcode::kWriteWithImmediate ? clause::kWireWriteImmediate
                                                                  : clause::kWireSend};
}

//= WIRE-PATH-BLOCK
//# Its length is the shortest of the table that covers the greatest path sequence received on this
//# path and epoch; bits not sent are 0.
inline Finding CheckBlock(const spec::PathBlock& block) {
  if (block.path == constant::kNoPath) {
    return NoPathViolation("path_block.path", block.path);
  }
  if (BitmapBit(block.bitmap, 0))
    return MustBe("bit 0 of path_block.bitmap", 1, 0, clause::kWirePathBlock);
  if (!IsShortestBitmapCode(block.bitmap_code, block.bitmap)) {
    return MustBe("path_block.bitmap_code", block.bitmap_code,
                  ShortestBitmapCode(BitmapWidth(block.bitmap)), clause::kWirePathBlock);
  }
  return {};
}

// Precondition of all here: StructureHolds(packet).
inline Finding CheckAck(const Packet& packet) {
  const spec::Common& common = packet.headers.common;
  const spec::PathBlock& first = packet.headers.path_block[0];
  if (common.path != first.path) {
    return Violation{"common.path", common.path, "must be that of the first path block,",
                     first.path, clause::kWirePathId};
  }
  if (common.epoch != first.epoch) {
    return Violation{"common.epoch", common.epoch, "must be that of the first path block,",
                     first.epoch, clause::kWirePathId};
  }
  //= WIRE-ACK
  //# A hint of zero is never sent
  if (packet.headers.ack.hint == 0) {
    return Violation{"ack.hint", 0, "must be at least", 1, clause::kWireAck};
  }
  for (size_t i = 0; i < packet.headers.ack.blocks; ++i) {
    if (Finding v = CheckBlock(packet.headers.path_block[i])) return v;
  }
  return {};
}

Finding CheckNack(const Packet& packet) {
  const spec::Headers& h = packet.headers;
  //= WIRE-NUMBER
  //# `number` is the path sequence in DATA, the serial in ACK, and zero in NACK.
  if (h.common.number != 0) return MustBe("common.number", h.common.number, 0, clause::kWireNumber);
  if (packet.opcode() == Opcode::kNackBadConnection && h.common.cid != 0) {
    return MustBe("common.cid", h.common.cid, 0, clause::kWireNackConnection);
  }
  //= WIRE-NACK-EPOCH
  //# `has_current` is 0 when the receiver has no epoch for it; then `current_epoch` is 0.
  if (packet.opcode() == Opcode::kNackBadEpoch && h.nack_epoch.has_current == 0 &&
      h.nack_epoch.current_epoch != 0) {
    return MustBe("nack_epoch.current_epoch", h.nack_epoch.current_epoch, 0,
                  clause::kWireNackEpoch);
  }
  return {};
}

// The union of the bits that the list of features names.
uint64_t KnownFeatures() {
  uint64_t known = 0;
  for (const spec::EnumValueInfo& value : spec::kFeatureValues) known |= value.value;
  return known;
}

Finding CheckCtrl(const Packet& packet) {
  const spec::Headers& h = packet.headers;
  switch (packet.opcode()) {
    case Opcode::kConnect:
      if (h.common.cid != 0) return MustBe("common.cid", h.common.cid, 0, clause::kWireConnect);
      [[fallthrough]];
    case Opcode::kConnectReply:
      if ((h.connect.features & ~KnownFeatures()) != 0) {
        return Violation{"connect.features", h.connect.features, "must have no bits but those of",
                         KnownFeatures(), clause::kWireConnect};
      }
      return {};
    case Opcode::kConnectReject:
      if (h.connect_reject.version_min <= h.connect_reject.version_max) return {};
      return Violation{"connect_reject.version_min", h.connect_reject.version_min,
                       "must be at most version_max, which is", h.connect_reject.version_max,
                       clause::kWireConnectReject};
    default:
      return {};
  }
}

// NACK and CTRL.
[[gnu::noinline]] Finding CheckControl(const Packet& packet) {
  const spec::Common& common = packet.headers.common;
  if (Finding v = CheckEnums(packet)) return v;
  if (NamesPath(packet.opcode())) {
    if (common.path == constant::kNoPath) return NoPathViolation("common.path", common.path);
  } else if (common.path != constant::kNoPath) {
    return MustBe("common.path", common.path, constant::kNoPath, clause::kWirePathId);
  } else if (common.epoch != 0) {
    return MustBe("common.epoch", common.epoch, 0, clause::kWirePathId);
  }
  return packet.info().opcode_class == OpcodeClass::kNack ? CheckNack(packet) : CheckCtrl(packet);
}

inline Finding CheckSender(const Packet& packet) {
  const OpcodeClass opcode_class = FactsOf(packet).opcode_class;
  if (opcode_class == OpcodeClass::kData) return CheckData(packet);
  if (Finding v = CheckNoFlags(packet.headers.common)) return v;
  if (opcode_class == OpcodeClass::kAck) return CheckAck(packet);
  return CheckControl(packet);
}

}  // namespace

absl::Status Validate(const Packet& packet) {
  if (!StructureHolds(packet)) return ToStatus(*CheckStructure(packet));
  if (const Finding v = CheckSender(packet)) return ToStatus(*v);
  return absl::OkStatus();
}

}  // namespace metaroce::packet
