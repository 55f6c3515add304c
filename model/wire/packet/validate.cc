// What chapter 3 demands of a sender, beyond what the bytes can hold.
#include "model/wire/packet/option_list.h"
#include "model/wire/packet/packet.h"
#include "model/wire/packet/violation.h"

namespace metaroce::packet {
namespace {

using spec::Opcode;
using spec::OpcodeClass;

// `value` must be `bound`.
Violation MustBe(const char* field, uint64_t value, uint64_t bound, const char* clause) {
  return {field, value, "must be", bound, clause};
}

bool IsOneOf(const spec::EnumInfo& list, uint64_t value) {
  for (size_t i = 0; i < list.count; ++i) {
    if (list.values[i].value == value) return true;
  }
  return false;
}

// Enumerated fields of NACK and CTRL; in the common header and the path blocks there is none whose
// values the structure leaves open.
Violation CheckEnums(const Packet& packet) {
  for (size_t l = 0; l < packet.info().layout_count; ++l) {
    const spec::LayoutId id = packet.info().layouts[l];
    const spec::LayoutInfo& layout = spec::kLayouts[static_cast<size_t>(id)];
    if (id == spec::LayoutId::kConnect) continue;  // has `features`, a bit each
    for (size_t i = 0; i < layout.field_count; ++i) {
      const spec::FieldInfo& field = layout.fields[i];
      if (field.enumeration == nullptr) continue;
      const uint64_t value = spec::GetField(packet.headers, id, i);
      if (IsOneOf(*field.enumeration, value)) continue;
      return {.field = field.name,
              .value = value,
              .relation = "must be a value of its list, whose size is",
              .bound = field.enumeration->count,
              .clause = layout.clause,
              .layout = layout.name};
    }
  }
  return {};
}

//= WIRE-PATH-ID
//# DATA, PROBE, PATH_OPEN, PATH_ACCEPT, PATH_REFUSE, PATH_CLOSE and PATH_CLOSE_REPLY name a path
//and # an epoch; ACK repeats path and epoch of its first block; all other packets carry `no_path`
//and epoch 0.
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
//as zero
inline Violation CheckNoFlags(const spec::Common& common) {
  if ((common.ar | common.rtx | common.moved | common.se) == 0) return {};
  if (common.ar != 0) return MustBe("common.ar", common.ar, 0, "WIRE-FLAGS");
  if (common.rtx != 0) return MustBe("common.rtx", common.rtx, 0, "WIRE-FLAGS");
  if (common.moved != 0) return MustBe("common.moved", common.moved, 0, "WIRE-FLAGS");
  return MustBe("common.se", common.se, 0, "WIRE-FLAGS");
}

inline Violation NoPathViolation(const char* field, uint64_t value) {
  return {field, value, "must be a path id, at most", spec::kNoPath - 1, "WIRE-PATH-ID"};
}

//= WIRE-VOID
//# Its
//# `stream`, `msn`, `offset` and `length` are sent as zero and ignored.
Violation CheckVoid(const spec::Common& common, const spec::Data& data) {
  if (data.stream != 0) return MustBe("data.stream", data.stream, 0, "WIRE-VOID");
  if (data.msn != 0) return MustBe("data.msn", data.msn, 0, "WIRE-VOID");
  if (data.offset != 0) return MustBe("data.offset", data.offset, 0, "WIRE-VOID");
  if (data.length != 0) return MustBe("data.length", data.length, 0, "WIRE-VOID");
  if (common.se != 0) return MustBe("common.se", common.se, 0, "WIRE-FLAGS");
  return {};
}

// Requests and responses of one packet without payload.
Violation CheckWithoutPayload(const Packet& packet) {
  const spec::Data& data = packet.headers.data;
  if (packet.opcode() == Opcode::kVoid) return CheckVoid(packet.headers.common, data);
  //= WIRE-DATA
  //# `offset` is zero in a Read request, an atomic and an atomic response.
  if (data.offset != 0) return MustBe("data.offset", data.offset, 0, "WIRE-DATA");
  if (packet.opcode() == Opcode::kReadRequest) return {};
  constexpr uint32_t kAtomicLength = 8;
  if (data.length != kAtomicLength) {
    return MustBe("data.length", data.length, kAtomicLength, "WIRE-DATA");
  }
  if (packet.opcode() == Opcode::kFetchAdd && packet.headers.atomic.compare != 0) {
    return MustBe("atomic.compare", packet.headers.atomic.compare, 0, "WIRE-ATOMIC");
  }
  return {};
}

bool IsLastByOpcode(Opcode opcode) {
  return opcode == Opcode::kWriteWithImmediate || opcode == Opcode::kSendWithImmediate ||
         opcode == Opcode::kSendWithInvalidate;
}

inline Violation CheckData(const Packet& packet) {
  const spec::Common& common = packet.headers.common;
  const spec::Data& data = packet.headers.data;
  if (common.path == spec::kNoPath) return NoPathViolation("common.path", common.path);
  if (packet.info().tail != spec::Tail::kPayload) return CheckWithoutPayload(packet);
  const uint64_t end = data.offset + uint64_t{packet.payload.size()};
  if (end > data.length) {
    return {"data.offset + payload", end, "must be at most data.length, which is", data.length,
            "WIRE-DATA"};
  }
  if (end == data.length) return {};
  //= WIRE-FLAGS
  //# `se` is set only in the last packet of a message.
  if (common.se != 0) return MustBe("common.se", common.se, 0, "WIRE-FLAGS");
  if (!IsLastByOpcode(packet.opcode())) return {};
  return {"data.offset + payload", end,
          "must in the last packet of a message be data.length, which is", data.length,
          packet.opcode() == Opcode::kWriteWithImmediate ? "WIRE-WRITE-IMMEDIATE" : "WIRE-SEND"};
}

//= WIRE-PATH-BLOCK
//# Its length is
//# the shortest of the table that covers the greatest path sequence received on this path and
//epoch; bits not sent are 0.
inline Violation CheckBlock(const PathBlock& block) {
  if (block.header.path == spec::kNoPath) {
    return NoPathViolation("path_block.path", block.header.path);
  }
  if (block.bitmap.bit(0)) return MustBe("bit 0 of path_block.bitmap", 1, 0, "WIRE-PATH-BLOCK");
  const size_t code = static_cast<size_t>(block.header.bitmap_code);
  const size_t shortest = ShortestBitmapCode(block.bitmap.width());
  if (code != shortest) {
    return MustBe("path_block.bitmap_code", code, shortest, "WIRE-PATH-BLOCK");
  }
  return {};
}

inline Violation CheckAck(const Packet& packet) {
  const spec::Common& common = packet.headers.common;
  const PathBlock& first = packet.blocks[0];
  if (common.path != first.header.path) {
    return {"common.path", common.path, "must be that of the first path block,", first.header.path,
            "WIRE-PATH-ID"};
  }
  if (common.epoch != first.header.epoch) {
    return {"common.epoch", common.epoch, "must be that of the first path block,",
            first.header.epoch, "WIRE-PATH-ID"};
  }
  //= WIRE-ACK
  //# A hint of zero
  //# is never sent
  if (packet.headers.ack.hint == 0) {
    return {"ack.hint", 0, "must be at least", 1, "WIRE-ACK"};
  }
  for (const PathBlock& block : packet.path_blocks()) {
    if (const Violation v = CheckBlock(block); v.broken()) return v;
  }
  return {};
}

Violation CheckNack(const Packet& packet) {
  const spec::Headers& h = packet.headers;
  //= WIRE-NUMBER
  //# `number` is the path sequence in DATA, the serial in ACK, and zero in NACK.
  if (h.common.number != 0) return MustBe("common.number", h.common.number, 0, "WIRE-NUMBER");
  if (packet.opcode() == Opcode::kNackBadConnection && h.common.cid != 0) {
    return MustBe("common.cid", h.common.cid, 0, "WIRE-NACK-CONNECTION");
  }
  //= WIRE-NACK-EPOCH
  //# `has_current` is 0 when the receiver has no epoch for it; then `current_epoch` is 0.
  if (packet.opcode() == Opcode::kNackBadEpoch && h.nack_epoch.has_current == 0 &&
      h.nack_epoch.current_epoch != 0) {
    return MustBe("nack_epoch.current_epoch", h.nack_epoch.current_epoch, 0, "WIRE-NACK-EPOCH");
  }
  return {};
}

// The union of the bits that the list of features names.
uint64_t KnownFeatures() {
  uint64_t known = 0;
  for (const spec::EnumValueInfo& value : spec::kFeatureValues) known |= value.value;
  return known;
}

Violation CheckCtrl(const Packet& packet) {
  const spec::Headers& h = packet.headers;
  switch (packet.opcode()) {
    case Opcode::kConnect:
      if (h.common.cid != 0) return MustBe("common.cid", h.common.cid, 0, "WIRE-CONNECT");
      [[fallthrough]];
    case Opcode::kConnectReply:
      if ((h.connect.features & ~KnownFeatures()) != 0) {
        return {"connect.features", h.connect.features, "must have no bits but those of",
                KnownFeatures(), "WIRE-CONNECT"};
      }
      return {};
    case Opcode::kConnectReject:
      if (h.connect_reject.version_min <= h.connect_reject.version_max) return {};
      return {"connect_reject.version_min", h.connect_reject.version_min,
              "must be at most version_max, which is", h.connect_reject.version_max,
              "WIRE-CONNECT-REJECT"};
    default:
      return {};
  }
}

// NACK and CTRL.
Violation CheckControl(const Packet& packet) {
  const spec::Common& common = packet.headers.common;
  if (const Violation v = CheckEnums(packet); v.broken()) return v;
  if (NamesPath(packet.opcode())) {
    if (common.path == spec::kNoPath) return NoPathViolation("common.path", common.path);
  } else if (common.path != spec::kNoPath) {
    return MustBe("common.path", common.path, spec::kNoPath, "WIRE-PATH-ID");
  } else if (common.epoch != 0) {
    return MustBe("common.epoch", common.epoch, 0, "WIRE-PATH-ID");
  }
  return packet.info().opcode_class == OpcodeClass::kNack ? CheckNack(packet) : CheckCtrl(packet);
}

Violation CheckSender(const Packet& packet) {
  if (packet.info().opcode_class == OpcodeClass::kData) return CheckData(packet);
  if (const Violation v = CheckNoFlags(packet.headers.common); v.broken()) return v;
  if (packet.info().opcode_class == OpcodeClass::kAck) return CheckAck(packet);
  return CheckControl(packet);
}

}  // namespace

absl::Status Validate(const Packet& packet) {
  if (const Violation v = CheckStructure(packet); v.broken()) return ToStatus(v);
  if (const Violation v = CheckSender(packet); v.broken()) return ToStatus(v);
  return absl::OkStatus();
}

}  // namespace metaroce::packet
