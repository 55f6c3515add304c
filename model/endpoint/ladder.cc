// The timers of an epoch: probes, verdict, RTO, keepalive; and the round-trip times they count by
// (sections 7.5, 7.6, 9.7).
#include <cstring>

#include "model/endpoint/congestion.h"
#include "model/endpoint/leave.h"
#include "model/path/waits.h"

namespace metaroce::endpoint {
namespace {

using spec::Counter;
using spec::LadderState;

void ArmLadder(const Scope& s, uint8_t path, Nanoseconds deadline) {
  s.Arm(Scope::Of(path, kPathTimer), deadline);
}

//= RTT-R
//# R of a path is the greater of its SRTT and the newest RTT of its ACTIVE siblings, or its SRTT if
// there is none.
Nanoseconds R(const Scope& s, uint8_t path) {
  return std::max(s.c.out[path].context->rtt.srtt(), NewestRtt(s, path));
}

void ArmFirst(const Scope& s, uint8_t path) {
  s.Hit(spec::clause::kLadderFirst);
  const SendContext& x = *s.c.out[path].context;
  const Nanoseconds b = std::max(x.news_at, x.window.LowestInFlight().sent);
  ArmLadder(s, path, b + FirstProbeWait(R(s, path), s.e.settings.profile));
}

// A sibling that is ACTIVE or SUSPECT has heard an echo not earlier than `since`, and its latest
// burst, if it had one, began not later than `no_burst`.
bool SiblingHeard(const Scope& s, uint8_t path, Nanoseconds since, Nanoseconds no_burst) {
  for (size_t q = 0; q < s.c.out.size(); ++q) {
    const SendPath& sibling = s.c.out[q];
    if (q == path || !(IsActive(sibling.state) || IsSuspect(sibling.state))) continue;
    const SendContext& x = *sibling.context;
    if (x.heard >= since && x.ladder.first_probe <= no_burst) return true;
  }
  return false;
}

bool SiblingCongested(const Scope& s, uint8_t path) {
  for (size_t q = 0; q < s.c.out.size(); ++q) {
    const SendPath& sibling = s.c.out[q];
    if (q != path && IsActive(sibling.state) && PathCongested(s, static_cast<uint8_t>(q))) {
      return true;
    }
  }
  return false;
}

//= LADDER-WITNESS
//# on the ACTIVE sibling with the latest news, whether it has data in flight or not; of siblings
//# with news at the same time, on the one with the lowest id;
void Witness(const Scope& s, uint8_t path) {
  std::optional<uint8_t> best;
  for (size_t q = 0; q < s.c.out.size(); ++q) {
    if (q == path || !IsActive(s.c.out[q].state)) continue;
    if (!best || s.c.out[q].context->news_at > s.c.out[*best].context->news_at) {
      best = static_cast<uint8_t>(q);
    }
  }
  if (!best) return;
  s.Hit(spec::clause::kLadderWitness);
  Probe(s, *best, spec::ProbeReason::kWitness, 1);
}

//= LADDER-REVERSE
//# When a burst begins the former one is judged: if it was one-legged, the count of one-legged
//# bursts grows by one, else it becomes 0.
void JudgeBurst(const Scope& s, uint8_t path) {
  Ladder& ladder = s.c.out[path].context->ladder;
  if (!ladder.burst_known) return;
  ladder.burst_known = false;
  if (!ladder.ended_by_second || ladder.first_echoed) {
    ladder.one_legged = 0;
    return;
  }
  s.Hit(spec::clause::kLadderReverse);
  s.Count(Counter::kOneLeggedBursts);
  ++ladder.one_legged;
  const bool may = s.c.out[path].state == spec::PathState::kActive && s.c.draining_to_epoch() == 0;
  if (ladder.one_legged < 2 || !may) return;
  ladder.one_legged = 0;
  PathEvent(s, path, spec::PathEvent::kDrainToEpoch);
}

// The n-th PROBE of a burst.
void Burst(const Scope& s, uint8_t path, uint32_t n) {
  if (n == 1) JudgeBurst(s, path);
  SendContext& x = *s.c.out[path].context;
  s.Hit(spec::clause::kLadderBurst);
  Probe(s, path, spec::ProbeReason::kTail, n);
  if (n == 1) {
    x.ladder.first_probe = x.latest;
    x.ladder.burst_known = true;
    x.ladder.ended_by_second = false;
    x.ladder.first_echoed = false;
    TellProbe(s, path);
  }
  if (n < 3) {
    //= LADDER-BURST
    //# from transmission to deadline, computed when the timer is armed.
    return ArmLadder(s, path, x.latest + ProbeGap(x.rtt, s.e.settings.profile));
  }
  //= LADDER-VERDICT
  //# R is computed then.
  ArmLadder(s, path, x.latest + VerdictWait(x.rtt, R(s, path), s.e.settings.profile));
  Witness(s, path);
}

//= RTO-WAIT
//# If an ACTIVE path exists in the direction when it is armed
void ArmRto(const Scope& s, uint8_t path) {
  s.Hit(spec::clause::kRtoWait);
  const SendContext& x = *s.c.out[path].context;
  const Nanoseconds wait = RtoWait(x.rtt, x.ladder.k + 1, s.c.active() == 0, s.e.settings.profile);
  ArmLadder(s, path, s.now() + wait);
}

void Verdict(const Scope& s, uint8_t path) {
  SendContext& x = *s.c.out[path].context;
  //= LADDER-VERDICT
  //# a sibling that is ACTIVE or SUSPECT has a `heard` later than this path's `first_probe` and has
  //# begun no burst since the last news of this path
  if (SiblingHeard(s, path, x.ladder.first_probe + 1, x.news_at) && !SiblingCongested(s, path)) {
    s.Count(Counter::kVerdictsFailed);
    LadderEvent(s, path, spec::LadderEvent::kVerdictFailed);
    return PathEvent(s, path, spec::PathEvent::kVerdictFailed);
  }
  s.Count(Counter::kVerdictsSuspect);
  PathEvent(s, path, spec::PathEvent::kVerdictSuspect);
  x.ladder.k = 0;
  x.ladder.siblings_lived = SiblingHeard(s, path, x.probe_sent, kNever);
  LadderEvent(s, path, spec::LadderEvent::kVerdictSuspect);
}

void RtoExpires(const Scope& s, uint8_t path) {
  SendContext& x = *s.c.out[path].context;
  ++x.ladder.k;
  s.Count(Counter::kRtoExpiries);
  //= RTO-EXPIRES
  //# they live, and they lived at the expiry before (at the verdict, if k is 1); or they do not
  //# live, and no path of the direction is OPENING.
  const bool live = SiblingHeard(s, path, x.probe_sent, kNever);
  const bool failed = live ? x.ladder.siblings_lived : s.c.opening() == 0;
  x.ladder.siblings_lived = live;
  if (x.ladder.k >= s.Constant(spec::Constant::kRtoGiveUp) && failed) {
    LadderEvent(s, path, spec::LadderEvent::kRtoFailed);
    return PathEvent(s, path, spec::PathEvent::kRtoFailed);
  }
  PathEvent(s, path, spec::PathEvent::kRtoStays);
  WindowAtRto(s, path);
  Probe(s, path, spec::ProbeReason::kRto, std::min<uint32_t>(255, 3 + x.ladder.k));
  Witness(s, path);
  LadderEvent(s, path, spec::LadderEvent::kRtoStays);
}

}  // namespace

//= LADDER-STATES
//# The ladder of an epoch is the machine `ladder`.
void LadderEvent(const Scope& s, uint8_t path, spec::LadderEvent event) {
  LadderState& state = s.c.out[path].context->ladder.state;
  const LadderState before = state;
  Enter(s, &state, event);
  switch (event) {
    case spec::LadderEvent::kFlightBegins:
      if (before == LadderState::kIdle) ArmFirst(s, path);
      return;
    case spec::LadderEvent::kNews:
      return ArmFirst(s, path);
    case spec::LadderEvent::kOld:
      //= LADDER-RUNS-ON
      //# Once a burst has begun the ladder climbs until news comes or the epoch ends
      if (state == LadderState::kWait) ArmFirst(s, path);
      return;
    case spec::LadderEvent::kNewsEmpty:
    case spec::LadderEvent::kOldEmpty:
    case spec::LadderEvent::kEpochEnds:
    case spec::LadderEvent::kVerdictFailed:
    case spec::LadderEvent::kRtoFailed:
      if (state == LadderState::kIdle && before != LadderState::kIdle) ArmLadder(s, path, kNever);
      return;
    case spec::LadderEvent::kExpires:
      s.Hit(spec::clause::kLadderStates);
      return Burst(s, path,
                   static_cast<uint32_t>(state) - static_cast<uint32_t>(LadderState::kWait));
    case spec::LadderEvent::kVerdictSuspect:
    case spec::LadderEvent::kRtoStays:
      return ArmRto(s, path);
  }
}

void LadderExpires(const Scope& s, uint8_t path) {
  switch (s.c.out[path].context->ladder.state) {
    case LadderState::kBurst3:
      return Verdict(s, path);
    case LadderState::kRto:
      return RtoExpires(s, path);
    default:
      return LadderEvent(s, path, spec::LadderEvent::kExpires);
  }
}

void NewsEndsBurst(const Scope& s, uint8_t path, bool first_block) {
  Ladder& ladder = s.c.out[path].context->ladder;
  //= LADDER-RESET
  //# News ends a burst and the RTO: the count k of [RTO-WAIT] becomes 0
  ladder.k = 0;
  if (ladder.state <= LadderState::kWait) return;
  ladder.ended_by_second = !first_block;
}

void FirstBlockEcho(const Scope& s, uint8_t path, Nanoseconds echo) {
  Ladder& ladder = s.c.out[path].context->ladder;
  if (ladder.burst_known && echo >= ladder.first_probe) ladder.first_echoed = true;
}

void Probe(const Scope& s, uint8_t path, spec::ProbeReason reason, uint32_t attempt) {
  SendContext& x = *s.c.out[path].context;
  packet::Packet p = packet::NewPacket(spec::Opcode::kProbe);
  //= WIRE-PROBE
  //# PROBE names path and epoch in its common header and carries the reason, the attempt, and
  //# `acks_seen`
  p.headers.probe.reason = static_cast<uint8_t>(reason);
  p.headers.probe.attempt = static_cast<uint8_t>(attempt);
  s.Hit(spec::clause::kWireAcksSeen);
  p.headers.probe.acks_seen = s.c.acks_seen;
  x.probe_id = NextId(s);
  p.headers.common.number = x.probe_id.value();
  x.probe_sent = Stamp(s, x);
  x.probes.Add(x.probe_sent, static_cast<uint32_t>(s.Constant(spec::Constant::kProbeMemory)));
  s.Count(Counter::kProbesSent);
  SendOn(s, s.c.out[path], path, p, x.probe_sent);
  ArmKeepalive(s, path);
}

//= PATH-KEEPALIVE
//# On an ACTIVE path with nothing in flight a PROBE with the reason `keepalive` and the attempt 1
//# is sent `keepalive_interval` after `latest`
void ArmKeepalive(const Scope& s, uint8_t path) {
  const SendContext& x = *s.c.out[path].context;
  if (!IsActive(s.c.out[path].state) || x.window.in_flight() > 0) return;
  s.c.timers.ArmBy(Scope::Of(path, kKeepaliveTimer),
                   x.latest + s.Time(spec::Constant::kKeepaliveInterval));
}

void KeepaliveExpires(const Scope& s, uint8_t path) {
  if (!s.c.out[path].context) return;
  const SendContext& x = *s.c.out[path].context;
  if (!IsActive(s.c.out[path].state) || x.window.in_flight() > 0) return;
  const Nanoseconds due = x.latest + s.Time(spec::Constant::kKeepaliveInterval);
  if (due > s.now()) return s.Arm(Scope::Of(path, kKeepaliveTimer), due);
  s.Hit(spec::clause::kPathKeepalive);
  Probe(s, path, spec::ProbeReason::kKeepalive, 1);
}

//= RTT-NEWEST
//# The newest RTT among some paths is the last sample of the path whose last sample came last; of
//# two that came at the same time, that of the path with the lower id.
Nanoseconds NewestRtt(const Scope& s, uint8_t except) {
  for (uint8_t q : s.c.by_sample) {
    if (q == except || !IsActive(s.c.out[q].state)) continue;
    const Rtt& rtt = s.c.out[q].context->rtt;
    const bool old = s.now() - rtt.last_at() > s.Time(spec::Constant::kSiblingRttAge);
    return old ? 0 : rtt.last();
  }
  return 0;
}

void TakeSample(const Scope& s, uint8_t path, Nanoseconds sample, bool of_block) {
  s.c.out[path].context->rtt.Sample(sample, of_block, s.now(),
                                    s.Time(spec::Constant::kMinRttBucket));
  // The path moves to the front, behind those of this very moment with a lower id.
  std::vector<uint8_t>& order = s.c.by_sample;
  size_t at = 0;
  while (at < order.size() && order[at] < path &&
         s.c.out[order[at]].context->rtt.last_at() == s.now()) {
    ++at;
  }
  if (order.empty()) return order.push_back(path);
  const auto* old = static_cast<uint8_t*>(std::memchr(order.data() + at, path, order.size() - at));
  const size_t from = old == nullptr ? order.size() : static_cast<size_t>(old - order.data());
  if (old == nullptr) order.push_back(path);
  std::memmove(order.data() + at + 1, order.data() + at, from - at);
  order[at] = path;
}

//= RTT-OF-CONNECTION
//# SRTT and minRTT of a connection are the greatest SRTT and the greatest minRTT over its ACTIVE
//# paths; while none is ACTIVE, the values they had last.
Nanoseconds ConnectionSrtt(const Scope& s) {
  Nanoseconds srtt = 0;
  for (const SendPath& path : s.c.out) {
    if (IsActive(path.state)) srtt = std::max(srtt, path.context->rtt.srtt());
  }
  return srtt > 0 ? srtt : s.c.last_srtt;
}

}  // namespace metaroce::endpoint
