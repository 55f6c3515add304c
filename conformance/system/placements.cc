#include "conformance/system/placements.h"

#include <algorithm>

#include "model/wire/packet/bitmap.h"
#include "model/wire/packet/packet.h"

namespace metaroce::conformance {
namespace {

bool Read(absl::string_view frame, uint16_t udp_port, packet::Packet* p) {
  packet::ParseOptions options;
  options.udp_port = udp_port;
  const packet::Bytes bytes(reinterpret_cast<const uint8_t*>(frame.data()), frame.size());
  return packet::Parse(bytes, options, p).ok();
}

// Where a packet says that its payload goes (WIRE-ADDRESS).
std::optional<uint64_t> AddressOf(const packet::Packet& p) {
  const auto& headers = p.info().headers;
  if (std::find(headers.begin(), headers.end(), spec::Layout::kWriteTarget) == headers.end()) {
    return std::nullopt;
  }
  return p.headers.write_target.address + p.headers.data.offset;
}

}  // namespace

void Placements::Arrives(absl::string_view frame) {
  packet::Packet p;
  if (!Read(frame, udp_port_, &p)) return;
  if (p.info().opcode_class != spec::OpcodeClass::kData) return;
  const uint32_t csn = p.headers.data.csn;
  if (p.info().tail != spec::Tail::kPayload) {
    atomics_.insert(csn);
  } else if (!p.payload.empty() && placed_.count(csn) == 0) {
    arrived_[std::string(p.payload.begin(), p.payload.end())].emplace(csn, AddressOf(p));
    const spec::Common& common = p.headers.common;
    unplaced_[csn].push_back({common.path, common.epoch, common.number});
  }
}

//= CONF-SYSTEM-VERDICT
//# of the DATA packets of the peer that arrived and have just these bytes as their payload the
//# one with the lowest CSN that has no placement yet
Placements::Fault Placements::Place(uint64_t address, const std::string& data) {
  const auto arrived = arrived_.find(data);
  bool elsewhere = false;
  if (arrived != arrived_.end()) {
    Csns& csns = arrived->second;
    for (auto at = csns.begin(); at != csns.end();) {
      if (placed_.count(at->first) > 0) {
        at = csns.erase(at);
      } else if (at->second.value_or(address) != address) {
        elsewhere = true;
        ++at;
      } else {
        Take(at->first);
        csns.erase(at);
        return Fault::kNone;
      }
    }
  }
  // What an atomic stores stands in no packet.
  while (data.size() == 8 && !atomics_.empty()) {
    const uint32_t csn = *atomics_.begin();
    atomics_.erase(atomics_.begin());
    if (Take(csn)) return Fault::kNone;
  }
  return elsewhere ? Fault::kAddress : Fault::kNoPacket;
}

bool Placements::IsAck(absl::string_view frame) const {
  packet::Packet p;
  return Read(frame, udp_port_, &p) && p.opcode() == spec::Opcode::kAck;
}

//= CONF-PLACEMENT
//# A placement stands before every packet that acknowledges or answers it.
std::optional<uint32_t> Placements::Sends(absl::string_view frame) const {
  packet::Packet p;
  if (unplaced_.empty() || !Read(frame, udp_port_, &p) || p.opcode() != spec::Opcode::kAck) {
    return std::nullopt;
  }
  for (const auto& [csn, sequences] : unplaced_) {
    if (static_cast<int32_t>(csn - p.headers.ack.csn) < 0) return csn;
    for (const Sequence& sequence : sequences) {
      for (const spec::PathBlock& block : p.path_blocks()) {
        if (block.path != sequence.path || block.epoch != sequence.epoch) continue;
        const auto distance = static_cast<int32_t>(sequence.number - block.base);
        if (distance < 0) return csn;
        if (distance < 256 && packet::BitmapBit(block.bitmap, static_cast<size_t>(distance))) {
          return csn;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace metaroce::conformance
