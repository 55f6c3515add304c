// The hint that an ACK carries: what the endpoint's ports are worth to one of those who send to it
// (section 8.10).
#include "model/endpoint/congestion.h"

namespace metaroce::endpoint {
namespace {

uint64_t Capacity(const State& e) {
  uint64_t mbps = 0;
  for (size_t plane = 0; plane < e.settings.ports.size(); ++plane) {
    if (((e.ports_up >> plane) & 1) != 0) mbps += e.settings.port_rates[plane];
  }
  return congestion::Allocator::Capacity(mbps, e.settings.profile);
}

// Every active connection, and c, has this peer.
bool PeerOfAll(const State& e, const Connection& c, const frame::IpAddress& ip) {
  const auto has = [&](const Connection& other) {
    return std::any_of(other.peer_ports.begin(), other.peer_ports.end(),
                       [&](const Port& port) { return port.ip == ip; });
  };
  if (!has(c)) return false;
  for (const congestion::Sender& sender : e.hints.senders()) {
    const std::optional<uint32_t> slot = e.SlotOf(sender.cid);
    if (!slot || !has(*e.connections[*slot])) return false;
  }
  return true;
}

//= HINT-VALUE
//# If some address is a peer address of every active connection, the hint is all ones.
bool OnePeer(const Scope& s) {
  const bool known = s.e.hints.Active(s.c.cid());
  if (known && s.e.hints.one_peer) return *s.e.hints.one_peer;
  const bool one = std::any_of(s.c.peer_ports.begin(), s.c.peer_ports.end(),
                               [&](const Port& port) { return PeerOfAll(s.e, s.c, port.ip); });
  if (known) s.e.hints.one_peer = one;
  return one;
}

}  // namespace

void HintArrival(const Scope& s, uint32_t bytes) {
  s.Hit(spec::clause::kHintArrival, spec::clause::kHintSweep, spec::clause::kHintPeriod);
  congestion::Sender who;
  who.cid = s.c.cid();
  who.rtt = s.c.handshake_rtt;
  who.full_packet = s.c.ip_mtu_bytes;
  s.e.hints.Arrive(who, bytes, s.now(), Capacity(s.e), s.e.settings.profile);
}

uint16_t HintValue(const Scope& s) {
  constexpr uint16_t kFeature = static_cast<uint16_t>(spec::Feature::kHint);
  //= HINT-VALUE
  //# Without the feature `hint` it is all ones.
  if ((s.c.local.features & kFeature) == 0) return UINT16_MAX;
  s.Hit(spec::clause::kHintValue, spec::clause::kHintCapacity);
  s.e.hints.Bring(s.now(), Capacity(s.e), s.e.settings.profile);
  if (OnePeer(s)) return UINT16_MAX;
  s.Hit(spec::clause::kHintShares);
  //= HINT-VALUE
  //# Else it is clamp(share / U, 1, 65534), with the share of [HINT-SHARES].
  return static_cast<uint16_t>(
      std::clamp<uint64_t>(s.e.hints.Share(s.c.cid()) / s.c.local.hint_unit, 1, 65534));
}

}  // namespace metaroce::endpoint
