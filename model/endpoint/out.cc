// Packets that leave: what every kind of them has in common.
#include "model/endpoint/leave.h"
#include "model/endpoint/scope.h"

namespace metaroce::endpoint {
using packet::Packet;
using spec::Opcode;

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

//= WIRE-FULL-SIZE
//# CONNECT, CONNECT_REPLY and PATH_OPEN are filled with zero bytes to the size of a full packet
void FullSize(const Scope& s, Packet& p) {
  const size_t full = spec::FixedBytes(Opcode::kWrite) + s.c.local.mtu;
  const size_t have = spec::FixedBytes(p.opcode()) + p.options.size();
  s.Hit(spec::clause::kWireFullSize);
  p.filler_length = have < full ? static_cast<uint32_t>((full - have) & ~size_t{3}) : 0;
}

}  // namespace metaroce::endpoint
