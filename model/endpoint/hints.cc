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

//= HINT-VALUE
//# Without the feature `hint` it is all ones.
bool HasFeature(const Scope& s) {
  return (s.c.local.features & static_cast<uint16_t>(spec::Feature::kHint)) != 0;
}

// The hint by what was brought to this moment.
uint16_t Hint(const Scope& s) {
  if (!HasFeature(s) || OnePeer(s)) return UINT16_MAX;
  s.Hit(spec::clause::kHintShares);
  //= HINT-VALUE
  //# Else it is clamp(share / U, 1, 65534), with the share of [HINT-SHARES].
  return static_cast<uint16_t>(
      std::clamp<uint64_t>(s.e.hints.Share(s.c.cid()) / s.c.local.hint_unit, 1, 65534));
}

}  // namespace

void HintArrival(const Scope& s, uint32_t bytes) {
  s.Hit(spec::clause::kHintArrival, spec::clause::kHintSweep, spec::clause::kHintPeriod);
  if (s.e.hints.ArriveAgain(s.c.cid(), bytes, s.now(), s.e.settings.profile)) return;
  congestion::Sender who;
  who.cid = s.c.cid();
  who.rtt = s.c.handshake_rtt;
  who.full_packet = s.c.ip_mtu_bytes;
  if (!s.e.hints.Arrive(who, bytes, s.now(), Capacity(s.e), s.e.settings.profile)) return;
  //= HINT-TELL
  //# As long as a connection has sent no ACK since it became active, all ones stands for the hint
  //# of its latest ACK.
  s.c.hint_sent = UINT16_MAX;
  //= HINT-TELL
  //# A connection that becomes active arms it for `hint_tell_delay` later, unless it runs.
  if (s.e.tell_runs) return;
  s.e.tell_runs = true;
  s.Arm(kTellTimer, s.now() + s.Time(spec::Constant::kHintTellDelay));
}

uint16_t HintValue(const Scope& s) {
  if (!HasFeature(s)) return UINT16_MAX;
  s.Hit(spec::clause::kHintValue, spec::clause::kHintCapacity);
  s.e.hints.Bring(s.now(), Capacity(s.e), s.e.settings.profile);
  return s.c.hint_sent = Hint(s);
}

//= HINT-TELL
//# When it expires, the steps of [HINT-VALUE] are taken, and of each active connection whose hint,
//# as an ACK would carry it now, is less than fifteen sixteenths of the hint of its latest ACK, an
//# ACK is due at once
std::vector<uint32_t> ToTell(const Scope& s) {
  s.Hit(spec::clause::kHintTell);
  s.e.tell_runs = false;
  s.e.hints.Bring(s.now(), Capacity(s.e), s.e.settings.profile);
  std::vector<uint32_t> slots;
  for (const congestion::Sender& sender : s.e.hints.senders()) {
    const std::optional<uint32_t> slot = s.e.SlotOf(sender.cid);
    METAROCE_CHECK(slot.has_value());
    const Scope other{s.e, *s.e.connections[*slot], s.step, *slot};
    if (16 * Hint(other) < 15 * other.c.hint_sent) slots.push_back(*slot);
  }
  return slots;
}

void TellExpires(const Scope& s) {
  for (const uint32_t slot : ToTell(s)) {
    const Scope other{s.e, *s.e.connections[slot], s.step, slot};
    //= HINT-TELL
    //# of the receive path that had the latest arrival, of several such the one with the lowest id
    if (const std::optional<uint8_t> path = LatestArrival(other)) AckNow(other, *path);
    if (slot != s.slot) s.e.touched.push_back(slot);
  }
}

void TellEnds(const Scope& s) {
  if (!s.c.timers.Armed(kTellTimer)) return;
  //= HINT-TELL
  //# It stops when the connection that armed it leaves the state OPEN.
  s.Arm(kTellTimer, kNever);
  s.e.tell_runs = false;
}

}  // namespace metaroce::endpoint
