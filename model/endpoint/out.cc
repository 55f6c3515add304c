// Packets that leave: what every kind of them has in common.
#include <bit>

#include "model/endpoint/scope.h"

namespace metaroce::endpoint {
namespace {

using packet::Packet;
using spec::Opcode;

// Ethernet, FCS, preamble and gap (WIRE-OVERHEAD), and UDP.
constexpr uint32_t kBelow = 38 + 8;

bool OfDataClass(Opcode opcode) {
  return spec::Info(opcode).opcode_class == spec::OpcodeClass::kData || opcode == Opcode::kProbe ||
         opcode == Opcode::kPathOpen;
}

// The port to a plane; of fewer ports than planes, the last.
const Port& OnPlane(const std::vector<Port>& ports, uint8_t plane) {
  const Port* port = ports.data() + plane;
  return port < ports.data() + ports.size() ? *port : ports.back();
}

void Emit(const Scope& s, const Packet& p, Route route) {
  //= WIRE-ANSWER-ENTROPY
  //# leaves by the plane on which that packet arrived, or by any plane that is up if that one is
  //# down.
  if (((s.e.ports_up >> route.plane) & 1) == 0 && s.e.ports_up != 0) {
    route.plane = static_cast<uint8_t>(std::countr_zero(s.e.ports_up));
  }
  PacketOut out{p,
                route,
                OnPlane(s.e.settings.ports, route.plane),
                OnPlane(s.c.peer_ports, route.plane),
                0,
                static_cast<uint8_t>(s.Constant(spec::Constant::kHopLimit)),
                static_cast<uint16_t>(s.Constant(spec::Constant::kUdpPort))};
  //= WIRE-TRAFFIC-CLASS
  //# DATA packets, PROBE and PATH_OPEN carry the code point `data_dscp` and the ECN code point
  // ECT(0).
  out.dscp = static_cast<uint8_t>(s.Constant(
      OfDataClass(p.opcode()) ? spec::Constant::kDataDscp : spec::Constant::kControlDscp));
  s.step.sink->OnPacket(s.c.cid(), out);
}

}  // namespace

TransactionId NextId(const Scope& s) {
  //= SEQ-TRANSACTION
  //# Each CTRL request that is not a repetition carries the successor of the transaction id before
  //# it, in its connection and direction.
  s.Hit(spec::clause::kSeqTransaction);
  const TransactionId id = s.c.next_id;
  ++s.c.next_id;
  return id;
}

//= WIRE-TAG
//# Every NACK and CTRL packet but NACK_BAD_CONNECTION carries the connection's tag
[[gnu::flatten]] void Answer(const Scope& s, Packet& p, Route route) {
  p.headers.common.cid = s.c.peer.cid;
  p.headers.common.transmit_time = static_cast<uint32_t>(s.now());
  p.headers.ctrl.tag = s.c.tag;
  Emit(s, p, route);
}

[[gnu::flatten]] void SendOn(const Scope& s, uint8_t path, Packet& p, Nanoseconds sent) {
  p.headers.common.path = path;
  p.headers.common.epoch = s.c.out[path].epoch;
  p.headers.common.cid = s.c.peer.cid;
  p.headers.common.transmit_time = static_cast<uint32_t>(sent);
  p.headers.ctrl.tag = s.c.tag;
  Emit(s, p, s.c.out[path].route);
}

uint16_t WireBytes(const Scope& s, const Packet& p) {
  const uint32_t ip = s.e.settings.ports[0].ip.is_v4() ? 20 : 40;
  const uint32_t payload = (static_cast<uint32_t>(p.payload.size()) + 3) & ~uint32_t{3};
  return static_cast<uint16_t>(kBelow + ip + spec::FixedBytes(p.opcode()) + payload + 4);
}

//= WIRE-FULL-SIZE
//# CONNECT, CONNECT_REPLY and PATH_OPEN are filled with zero bytes to the size of a full packet
void FullSize(const Scope& s, Packet& p) {
  const size_t full = spec::FixedBytes(Opcode::kWrite) + s.c.local.mtu;
  const size_t have = spec::FixedBytes(p.opcode()) + p.options.size();
  s.Hit(spec::clause::kWireFullSize);
  p.filler_length = have < full ? static_cast<uint32_t>((full - have) & ~size_t{3}) : 0;
}

}  // namespace metaroce::endpoint
