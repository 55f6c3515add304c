// Planes and ports (section 9.10).
#include <bit>

#include "model/endpoint/scope.h"

namespace metaroce::endpoint {
namespace {

using packet::Packet;
using spec::Counter;
using spec::Opcode;

uint16_t MaskOf(const Connection& c) { return static_cast<uint16_t>((1u << c.local.planes) - 1); }

// Open paths on each plane, but for the path `except`.
std::array<uint32_t, 16> PathsByPlane(const Connection& c, const SendPath* except) {
  std::array<uint32_t, 16> count = {};
  for (const SendPath& path : c.out) {
    if (path.context && &path != except) ++count[path.route.plane % 16];
  }
  return count;
}

// The `i`-th plane, in cyclic order, to which the own port is up; plane 0 if there is none.
uint8_t OwnPlane(const Scope& s, uint32_t i) {
  const uint16_t own = s.e.ports_up & MaskOf(s.c);
  if (own == 0) return 0;
  uint8_t plane = 0;
  for (i %= static_cast<uint32_t>(std::popcount(own));; ++plane) {
    if (((own >> plane) & 1) != 0 && i-- == 0) return plane;
  }
}

//= PORT-STATUS-ROUTE
//# The transmissions of PORT_STATUS take entropy and plane of the ACTIVE paths in ascending order
//# of id, each of the next, in cyclic order
Route PortRoute(const Scope& s) {
  const uint32_t n = static_cast<uint32_t>(s.c.out.size());
  for (uint32_t i = 1; i <= n; ++i) {
    const uint32_t q = (Behind(s.c.port_path, n) + i) % n;
    if (!IsActive(s.c.out[q].state)) continue;
    s.c.port_path = static_cast<uint8_t>(q);
    s.Hit(spec::clause::kPortStatusRoute);
    return s.c.out[q].route;
  }
  //= PORT-STATUS-ROUTE
  //# if none is ACTIVE, transmission i, counted from 0, takes the entropy of index i of
  //# [ENTROPY-CHOICE] and, of the planes to which the own port is up, the one in place i in cyclic
  //# order.
  return {DefaultEntropy(s, s.c.port_tries), OwnPlane(s, s.c.port_tries)};
}

void SendPortStatus(const Scope& s) {
  Packet p = packet::NewPacket(Opcode::kPortStatus);
  p.headers.common.path = spec::constant::kNoPath;
  p.headers.common.number = s.c.port_id.value();
  //= WIRE-PORT-STATUS
  //# PORT_STATUS carries the planes of its sender that are up
  p.headers.port_status = {s.c.port_version, static_cast<uint16_t>(s.e.ports_up & MaskOf(s.c))};
  s.c.port_sent = s.now();
  Answer(s, p, PortRoute(s));
  //= PORT-STATUS-REPEAT
  //# min(`port_status_wait_max`, max(2 * SRTT of the connection, `port_status_wait_min`) << i)
  //# after transmission i, counted from 0.
  const Nanoseconds first =
      std::max(2 * ConnectionSrtt(s), s.Time(spec::Constant::kPortStatusWaitMin));
  s.Arm(kPortTimer, s.now() + std::min(s.Time(spec::Constant::kPortStatusWaitMax),
                                       first << std::min<uint32_t>(s.c.port_tries, 20)));
  ++s.c.port_tries;
}

}  // namespace

//= PLANE-UP
//# If no plane is up by that rule, those are up to which the endpoint's own port is up.
uint16_t PlanesUp(const State& e, const Connection& c) {
  const uint16_t own = e.ports_up & MaskOf(c);
  const uint16_t both = own & c.peer_up;
  return both != 0 ? both : own;
}

//= PLANE-SPREAD
//# on which the fewest other OPENING, ACTIVE and SUSPECT paths of the direction are.
uint8_t PlaneFor(const Scope& s, const SendPath* path, uint16_t planes) {
  const std::array<uint32_t, 16> count = PathsByPlane(s.c, path);
  //= PLANE-SPREAD
  //# where several have equally few, the place in ascending order of number, in cyclic order
  //# beginning behind the plane that this clause gave last at this endpoint, on whatever connection;
  std::vector<uint8_t> fewest;
  for (uint32_t i = 1; i <= 16; ++i) {
    const uint8_t plane = static_cast<uint8_t>((s.e.latest_plane + i) % 16);
    if (((planes >> plane) & 1) == 0) continue;
    if (!fewest.empty() && count[plane] > count[fewest[0]]) continue;
    if (!fewest.empty() && count[plane] < count[fewest[0]]) fewest.clear();
    fewest.push_back(plane);
  }
  s.Hit(spec::clause::kPlaneSpread);
  s.e.latest_plane = fewest[ChoosePlace(s.step.chooser, spec::Choice::kPlane, fewest.size(),
                                        [&](uint64_t place) { return fewest[place]; })];
  return s.e.latest_plane;
}

//= PLANE-LOST
//# When a plane is no longer up, each path of the connection with an epoch on it has the event
//# PLANE_DOWN, in ascending order of id.
void PlanesChanged(const Scope& s) {
  const uint16_t before = s.c.up;
  s.c.up = PlanesUp(s.e, s.c);
  if (s.c.up != before) s.Hit(spec::clause::kPlaneUp);
  for (size_t q = 0; q < s.c.out.size(); ++q) {
    const SendPath& path = s.c.out[q];
    if (!path.context) continue;
    const bool waits = path.state == spec::PathState::kOpening && path.context->opening.waits;
    const bool down = ((s.c.up >> path.route.plane) & 1) == 0;
    if (!waits && down && s.c.up != before) {
      s.Hit(spec::clause::kPlaneLost);
      PathEvent(s, static_cast<uint8_t>(q), spec::PathEvent::kPlaneDown);
    } else if (waits && before == 0 && s.c.up != 0) {
      PathEvent(s, static_cast<uint8_t>(q), spec::PathEvent::kPlaneUp);
    }
  }
  if ((s.c.up & ~before) != 0) Balance(s);
}

//= PLANE-BALANCE
//# the ACTIVE path with the highest id on the fullest plane that does not drain drains for its next
//# epoch, and takes the emptiest plane; of equal planes the lowest.
void Balance(const Scope& s) {
  if (std::popcount(s.c.up) < 2) return;
  //= PATH-DRAIN-ONE
  //# At most one path of a direction drains for its next epoch.
  if (s.c.draining_to_epoch() > 0) return s.Hit(spec::clause::kPathDrainOne);
  const std::array<uint32_t, 16> count = PathsByPlane(s.c, nullptr);
  int fullest = -1;
  int emptiest = -1;
  for (int plane = 0; plane < 16; ++plane) {
    if (((s.c.up >> plane) & 1) == 0) continue;
    if (fullest < 0 || count[plane] > count[fullest]) fullest = plane;
    if (emptiest < 0 || count[plane] < count[emptiest]) emptiest = plane;
  }
  if (count[fullest] < count[emptiest] + 2) return;
  for (size_t q = s.c.out.size(); q-- > 0;) {
    SendPath& path = s.c.out[q];
    if (path.state != spec::PathState::kActive || path.route.plane != fullest) continue;
    path.balance_drain = true;
    path.next_plane = static_cast<uint8_t>(emptiest);
    s.Hit(spec::clause::kPlaneBalance);
    return PathEvent(s, static_cast<uint8_t>(q), spec::PathEvent::kDrainToEpoch);
  }
}

//= PORT-STATUS
//# PORT_STATUS with the state of all its planes and the next version is sent on that connection.
void PortChanged(const Scope& s) {
  Enter(s, &s.c.port_status, spec::PortStatusEvent::kPortChanges);
  ++s.c.port_version;
  s.c.port_id = NextId(s);
  s.c.port_tries = 0;
  SendPortStatus(s);
}

void PortExpires(const Scope& s) {
  const bool spent = s.c.port_tries >= s.Constant(spec::Constant::kPortStatusTries);
  Enter(s, &s.c.port_status,
        spent ? spec::PortStatusEvent::kTriesSpent : spec::PortStatusEvent::kRepeatExpires);
  if (!spent) SendPortStatus(s);
}

void TakePortStatus(const Scope& s, const Packet& p, const Arrival& a) {
  const spec::PortStatus& status = p.headers.port_status;
  Packet ack = packet::NewPacket(Opcode::kPortStatusAck);
  ack.headers.common.path = spec::constant::kNoPath;
  ack.headers.common.number = p.headers.common.number;
  ack.headers.port_status_ack.version = status.version;
  Answer(s, ack, a.route);
  //= PORT-STATUS-TAKE
  //# If the version is newer than the newest taken (0 at first) its planes are taken
  if (static_cast<int32_t>(status.version - s.c.peer_version) <= 0) {
    return s.Count(Counter::kStalePortStatus);
  }
  s.Hit(spec::clause::kPortStatusTake);
  s.c.peer_version = status.version;
  s.c.peer_up = status.up;
  PlanesChanged(s);
}

void TakePortStatusAck(const Scope& s, const Packet& p) {
  const bool matched = s.c.port_status == spec::PortStatusState::kWaiting &&
                       p.headers.port_status_ack.version == s.c.port_version &&
                       TransactionId(p.headers.common.number) == s.c.port_id;
  Enter(s, &s.c.port_status,
        matched ? spec::PortStatusEvent::kAckMatched : spec::PortStatusEvent::kAckOther);
  //= PORT-STATUS-STATES
  //# ACK_MATCHED is a PORT_STATUS_ACK with the latest version and the transaction id of the
  //# unanswered PORT_STATUS.
  s.Hit(spec::clause::kPortStatusStates);
  if (matched) s.Arm(kPortTimer, kNever);
}

}  // namespace metaroce::endpoint
