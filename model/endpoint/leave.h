// The last steps of a packet that leaves, inline: every packet takes them. Not for use outside of
// this folder.
#ifndef METAROCE_MODEL_ENDPOINT_LEAVE_H_
#define METAROCE_MODEL_ENDPOINT_LEAVE_H_

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "model/endpoint/scope.h"

namespace metaroce::endpoint {

inline bool OfDataClass(spec::Opcode opcode) {
  static constexpr auto kOfDataClass = [] {
    std::array<bool, 256> table{};
    for (const spec::Opcode o : spec::kOpcodes) {
      table[static_cast<uint8_t>(o)] = spec::Info(o).opcode_class == spec::OpcodeClass::kData ||
                                       o == spec::Opcode::kProbe || o == spec::Opcode::kPathOpen;
    }
    return table;
  }();
  return kOfDataClass[static_cast<uint8_t>(opcode)];
}

// The port to a plane; of fewer ports than planes, the last.
inline const Port& OnPlane(const std::vector<Port>& ports, uint8_t plane) {
  const Port* port = ports.data() + plane;
  return port < ports.data() + ports.size() ? *port : ports.back();
}

inline void Emit(const Scope& s, const packet::Packet& p, Route route) {
  //= WIRE-ANSWER-ENTROPY
  //# leaves by the plane on which that packet arrived, or by any plane that is up if that one is
  //# down.
  if (((s.e.ports_up >> route.plane) & 1) == 0 && s.e.ports_up != 0) {
    route.plane = static_cast<uint8_t>(std::countr_zero(s.e.ports_up));
  }
  //= WIRE-TRAFFIC-CLASS
  //# DATA packets, PROBE and PATH_OPEN carry the code point `data_dscp` and the ECN code point
  // ECT(0).
  const uint64_t dscp = s.Constant(OfDataClass(p.opcode()) ? spec::Constant::kDataDscp
                                                           : spec::Constant::kControlDscp);
  const PacketOut out{p,
                      route,
                      OnPlane(s.e.settings.ports, route.plane),
                      OnPlane(s.c.peer_ports, route.plane),
                      static_cast<uint8_t>(dscp),
                      static_cast<uint8_t>(s.Constant(spec::Constant::kHopLimit)),
                      static_cast<uint16_t>(s.Constant(spec::Constant::kUdpPort))};
  s.step.sink->OnPacket(s.c.cid(), out);
}

// A packet of path `path`, on its epoch and route.
inline void SendOn(const Scope& s, const SendPath& on, uint8_t path, packet::Packet& p,
                   Nanoseconds sent) {
  p.headers.common.path = path;
  p.headers.common.epoch = on.epoch;
  p.headers.common.cid = s.c.peer.cid;
  p.headers.common.transmit_time = static_cast<uint32_t>(sent);
  p.headers.ctrl.tag = s.c.tag;
  Emit(s, p, on.route);
}

// Ethernet, FCS, preamble and gap (WIRE-OVERHEAD), and UDP.
inline constexpr uint32_t kBelowTransport = 38 + 8;

// The bytes that a packet takes on the wire.
inline uint16_t WireBytes(const Scope& s, const packet::Packet& p) {
  const uint32_t ip = s.e.settings.ports[0].ip.is_v4() ? 20 : 40;
  const uint32_t payload = (static_cast<uint32_t>(p.payload.size()) + 3) & ~uint32_t{3};
  return static_cast<uint16_t>(kBelowTransport + ip + spec::FixedBytes(p.opcode()) + payload + 4);
}

}  // namespace metaroce::endpoint

#endif  // METAROCE_MODEL_ENDPOINT_LEAVE_H_
