// The life of a path at its sender (chapter 9): opening, the end of an epoch, draining.
#include <algorithm>
#include <bit>
#include <utility>

#include "model/congestion/count.h"
#include "model/endpoint/congestion.h"
#include "model/endpoint/leave.h"
#include "model/path/waits.h"

namespace metaroce::endpoint {
namespace {

using spec::Counter;
using spec::OpenReason;
using spec::PathState;

Nanoseconds SrttOf(const SendContext& x) { return x.rtt.srtt(); }

// What concerns the opening stays.
//
//= BOOK-FRESH
//# An epoch begins with no record, no loss, tolerance 0, no mark ever seen, and all counts of
//# [TAKE-COUNTERS] at 0.
void FreshBooks(const Scope& s, uint8_t path, PathSeq start, Nanoseconds opened) {
  SendContext& x = *s.c.out[path].context;
  SendContext fresh;
  fresh.opening = x.opening;
  fresh.window = TransmitWindow(start);
  fresh.rtt = Rtt(s.now());
  fresh.latest = fresh.heard = fresh.sampled = opened;
  fresh.congestion = std::move(x.congestion);
  fresh.probe_id = x.probe_id;
  fresh.probe_sent = x.probe_sent;
  fresh.counted_bytes = x.counted_bytes;
  s.Hit(spec::clause::kBookFresh);
  x = std::move(fresh);
}

void Forget(std::vector<uint8_t>& order, uint8_t path) {
  order.erase(std::remove(order.begin(), order.end(), path), order.end());
}

//= PLANE-AGAIN
//# A path is opened again on the plane of its last epoch if that is up, with attempt 1.
uint8_t NewPlane(const Scope& s, uint8_t path) {
  SendPath& p = s.c.out[path];
  const Opening& opening = p.context->opening;
  const bool last_up = ((s.c.up >> p.route.plane) & 1) != 0;
  if (p.balance_drain && opening.attempt == 1 && ((s.c.up >> p.next_plane) & 1) != 0) {
    return p.next_plane;
  }
  s.Hit(spec::clause::kPlaneAgain);
  //= PLANE-AGAIN
  //# With attempt 2 it takes another one by [PLANE-SPREAD] if another is up.
  const uint16_t others = static_cast<uint16_t>(s.c.up & ~(1u << p.route.plane));
  if (opening.attempt == 2 && others != 0) return PlaneFor(s, &p, others);
  //= PLANE-AGAIN
  //# With attempt 3 or more it takes the next higher up plane than the attempt before, after the
  //# highest the lowest.
  if (opening.attempt > 1) {
    uint8_t plane = p.route.plane;
    do {
      plane = static_cast<uint8_t>((plane + 1) % 16);
    } while (((s.c.up >> plane) & 1) == 0);
    return plane;
  }
  return opening.was_free || !last_up ? PlaneFor(s, &p, s.c.up) : p.route.plane;
}

// PATH-OPEN-WAIT.
void ArmOpen(const Scope& s, uint8_t path) {
  const Opening& opening = s.c.out[path].context->opening;
  Nanoseconds r = std::max(opening.srtt, NewestRtt(s, path));
  if (r == 0) r = s.c.handshake_rtt;
  //= PATH-OPEN-WAIT
  //# T = max(R + (R >> 2) + `open_extra`, `open_wait_min`).
  const Nanoseconds t = std::max(r + (r >> 2) + s.Time(spec::Constant::kOpenExtra),
                                 s.Time(spec::Constant::kOpenWaitMin));
  const Nanoseconds cap =
      s.c.active() > 0 ? s.Time(spec::Constant::kOpenWaitMax)
                       : std::max(2 * ConnectionSrtt(s), s.Time(spec::Constant::kOpenWaitAlone));
  s.Hit(spec::clause::kPathOpenWait);
  s.Arm(Scope::Of(path, kPathTimer), opening.sent + std::min(t << opening.k, cap));
}

//= PATH-OPEN-SHARE
//# its turn is max(t, the open turn), and the open turn becomes max(the open turn, t - `open_burst`
//# * g) + g
bool WaitsForTurn(const Scope& s, uint8_t path) {
  const uint64_t bits = s.Constant(spec::Constant::kOpenShare) * s.c.ip_mtu_bytes * 8;
  const auto gap = static_cast<Nanoseconds>(bits * 1000 / std::max<uint64_t>(1, PortsMbps(s)));
  const auto burst = static_cast<Nanoseconds>(s.Constant(spec::Constant::kOpenBurst));
  const Nanoseconds turn = s.e.open_turn;
  s.e.open_turn = std::max(turn, s.now() - burst * gap) + gap;
  s.Hit(spec::clause::kPathOpenShare);
  //= PATH-OPEN-SHARE
  //# but at t, if no path of the direction is ACTIVE then.
  if (turn <= s.now() || s.c.active() == 0) return false;
  s.c.out[path].context->opening.turn = true;
  s.Arm(Scope::Of(path, kPathTimer), turn);
  return true;
}

// Sends PATH_OPEN with the next epoch, or waits for PATH-RATE, for its turn or for a plane.
void BeginEpoch(const Scope& s, uint8_t path) {
  SendPath& p = s.c.out[path];
  Opening& opening = p.context->opening;
  constexpr Nanoseconds kSecond = 1000000000;
  opening.accepted = false;
  opening.unanswered = false;
  opening.probes = 0;
  opening.waits = true;
  //= PATH-OPEN-SHARE
  //# A turn that is not used is lost.
  const bool turn = std::exchange(opening.turn, false);
  s.Arm(Scope::Of(path, kPathTimer), kNever);
  if (s.c.up == 0) return;
  //= PATH-RATE
  //# one that would exceed the number waits until the second is over, and the path stays OPENING
  //# meanwhile.
  if (p.epochs_began < 0 || s.now() - p.epochs_began >= kSecond) {
    p.epochs_began = s.now();
    p.epochs = 0;
  }
  if (p.epochs >= s.Constant(spec::Constant::kEpochsPerSecond)) {
    s.Hit(spec::clause::kPathRate);
    return s.Arm(Scope::Of(path, kPathTimer), p.epochs_began + kSecond);
  }
  if (!turn && WaitsForTurn(s, path)) return;
  ++p.epochs;
  opening.waits = false;
  if (opening.attempt < 255) ++opening.attempt;
  p.route.plane = NewPlane(s, path);
  p.route.entropy = NewEntropy(s, path);
  //= PATH-EPOCH
  //# its number is the one before plus 1, modulo 256, also if the path was FREE in between.
  if (p.used) {
    s.Hit(spec::clause::kPathEpoch);
    ++p.epoch;
  }
  p.used = true;
  const PathSeq start(static_cast<uint32_t>(
      ChooseNumber(s.step.chooser, spec::Choice::kStartSequence, 0, UINT32_MAX, 0)));
  opening.id = NextId(s);
  opening.unanswered = true;
  opening.sent = std::max(s.now(), p.context->latest + 1);
  FreshBooks(s, path, start, opening.sent);
  packet::Packet open = packet::NewPacket(spec::Opcode::kPathOpen);
  open.headers.common.number = p.context->opening.id.value();
  //= WIRE-PATH-OPEN
  //# PATH_OPEN asks for the path and epoch of its common header and gives the first path sequence
  //# of the new epoch
  open.headers.path_open = {static_cast<uint8_t>(p.context->opening.reason),
                            p.context->opening.attempt, p.route.plane, start.value()};
  FullSize(s, open);
  s.Count(Counter::kEpochsBegun);
  s.Hit(spec::clause::kPathOpen, spec::clause::kPathOpenReason, spec::clause::kPathStartSequence);
  PathWasOpened(s, path, false);
  SendOn(s, p, path, open, p.context->opening.sent);
  ArmOpen(s, path);
}

//= PATH-OPEN-HURRY
//# each open timer of the direction that awaits the answer to a PATH_OPEN and whose deadline is more
//# than max(2 * SRTT of the connection, `open_wait_alone`) away is armed anew for that time from
//# now
void Hurry(const Scope& s) {
  const Nanoseconds latest =
      s.now() + std::max(2 * ConnectionSrtt(s), s.Time(spec::Constant::kOpenWaitAlone));
  for (size_t q = 0; q < s.c.out.size(); ++q) {
    const SendPath& other = s.c.out[q];
    if (other.state != PathState::kOpening || !other.context->opening.unanswered) continue;
    const uint32_t timer = Scope::Of(static_cast<uint8_t>(q), kPathTimer);
    if (s.c.timers.Of(timer) <= latest) continue;
    s.Hit(spec::clause::kPathOpenHurry);
    s.Arm(timer, latest);
  }
  //= PATH-OPEN-HURRY
  //# Each PATH_OPEN of the direction that awaits its turn [PATH-OPEN-SHARE] is then sent at once, in
  //# that order.
  for (size_t q = 0; q < s.c.out.size(); ++q) {
    const SendPath& other = s.c.out[q];
    if (other.state != PathState::kOpening || !other.context->opening.turn) continue;
    s.Hit(spec::clause::kPathOpenHurry);
    s.Arm(Scope::Of(static_cast<uint8_t>(q), kPathTimer), s.now());
  }
}

//= PATH-DEATH
//# At once its blocks are bad, its ladder stops, its retransmissions are withdrawn, and its records
//# are moved [PATH-MOVED] and forgotten.
void KillEpoch(const Scope& s, uint8_t path, bool counted) {
  SendContext& x = *s.c.out[path].context;
  LadderEvent(s, path, spec::LadderEvent::kEpochEnds);
  Forget(s.c.by_sample, path);
  const TransmitWindow& window = x.window;
  s.c.lost_waiting -= window.lost();
  for (PathSeq q = window.oldest(); q < window.next(); ++q) {
    const SendRecord& record = window.at(q);
    if (record.condition == Condition::kAcknowledged || !s.c.sent.Has(record.csn)) continue;
    //= PATH-MOVED
    //# Each record of a dead epoch that is not acknowledged and whose CSN is not below the
    //# cumulative CSN becomes a moved packet
    //= SEQ-CSN-HOME
    //# A CSN is unacknowledged on at most one path and epoch that is live.
    s.c.sent.Move(record.csn);
    s.Count(Counter::kPacketsMoved);
  }
  if (counted) s.Count(Counter::kEpochsDied);
  //= ERROR-PATH
  //# A fault that one path alone shows, however often, is no cause of ERROR while another path
  //# acknowledges what was moved from it.
  if (counted && s.c.active() > 0) s.Hit(spec::clause::kErrorPath);
  s.Hit(spec::clause::kPathDeath);
  x.opening.srtt = std::max<Nanoseconds>(SrttOf(x), 0);
  x.opening.drained = !counted;
  x.opening.accepted = false;
  x.opening.unanswered = false;
  const PathSeq next = window.next();
  FreshBooks(s, path, next, x.latest);
  s.Wake();
}

void Reopen(const Scope& s, uint8_t path, OpenReason reason) {
  SendContext& x = *s.c.out[path].context;
  x.opening.reason = reason;
  x.opening.was_free = false;
  x.opening.attempt = 0;
  BeginEpoch(s, path);
}

void FreeContext(const Scope& s, uint8_t path) {
  SendPath& p = s.c.out[path];
  s.Arm(Scope::Of(path, kPathTimer), kNever);
  s.Arm(Scope::Of(path, kKeepaliveTimer), kNever);
  Forget(s.c.by_sample, path);
  s.c.schedule.Leave(path);
  p.balance_drain = false;
  WindowGone(s, path);
  p.context.reset();
  if (path != 0) --s.e.shared_out;
}

void BecomeActive(const Scope& s, uint8_t path) {
  SendPath& p = s.c.out[path];
  SendContext& x = *p.context;
  s.Arm(Scope::Of(path, kPathTimer), kNever);
  x.opening.unanswered = false;
  x.opening.accepted = false;
  x.opening.was_free = false;
  x.news_at = s.now();
  s.c.refusals = 0;
  ArmKeepalive(s, path);
  //= PLANE-BALANCE
  //# and again each time that a path which it drained becomes ACTIVE on the plane it was to take.
  const bool balanced = p.balance_drain && p.route.plane == p.next_plane;
  p.balance_drain = false;
  if (balanced) Balance(s);
}

// PATH-REFUSED.
void BackOff(const Scope& s) {
  const uint32_t j = std::min<uint32_t>(s.c.refusals++, 20);
  const Nanoseconds wait = std::min(s.Time(spec::Constant::kRefuseBackoffMax),
                                    s.Time(spec::Constant::kRefuseBackoffMin) << j);
  s.c.backs_off = true;
  s.Hit(spec::clause::kPathRefused);
  s.Arm(kBackoffTimer, s.now() + wait);
}

OpenReason ReasonOf(spec::PathEvent event, const SendPath& p) {
  switch (event) {
    case spec::PathEvent::kDrained:
      return p.balance_drain ? OpenReason::kPort : OpenReason::kPlanned;
    case spec::PathEvent::kPlaneDown:
      return OpenReason::kPort;
    case spec::PathEvent::kBadEpoch:
      return OpenReason::kBadEpoch;
    default:
      return OpenReason::kFailed;
  }
}

bool EndsEpoch(spec::PathEvent event) {
  switch (event) {
    case spec::PathEvent::kLossLimit:
    case spec::PathEvent::kVerdictFailed:
    case spec::PathEvent::kRtoFailed:
    case spec::PathEvent::kPlaneDown:
    case spec::PathEvent::kDeny:
    case spec::PathEvent::kBadEpoch:
    case spec::PathEvent::kDrained:
      return true;
    default:
      return false;
  }
}

spec::CloseReason CloseReasonOf(spec::PathEvent event, const SendPath& p) {
  return event == spec::PathEvent::kDeny ? spec::CloseReason::kDenied : p.drain_reason;
}

// What an event does to a path that was and stays OPENING.
void StayOpening(const Scope& s, uint8_t path, spec::PathEvent event) {
  SendContext& x = *s.c.out[path].context;
  switch (event) {
    case spec::PathEvent::kAccepted:
      Probe(s, path, spec::ProbeReason::kActivate, 1);
      x.opening.probes = 1;
      s.Arm(Scope::Of(path, kPathTimer),
            x.latest + std::max(SrttOf(x), s.Time(spec::Constant::kActivateGapMin)));
      return;
    case spec::PathEvent::kOpenExpires:
      //= PATH-OPEN-AGAIN
      //# the epoch is given up, k grows by 1, to at most 20, and the path is opened again.
      s.Hit(spec::clause::kPathOpenAgain);
      if (x.opening.k < 20) ++x.opening.k;
      [[fallthrough]];
    case spec::PathEvent::kPlaneDown:
    case spec::PathEvent::kBadEpoch:
    case spec::PathEvent::kPlaneUp:
      Forget(s.c.by_sample, path);
      // An epoch that was accepted had a sample.
      if (SrttOf(x) > 0) x.opening.srtt = SrttOf(x);
      return BeginEpoch(s, path);
    default:
      return;
  }
}

// A path that was OPENING, ACTIVE or SUSPECT is now FREE or DENIED.
void Left(const Scope& s, uint8_t path, spec::PathEvent event) {
  SendPath& p = s.c.out[path];
  FreeContext(s, path);
  switch (event) {
    case spec::PathEvent::kRefused:
      return BackOff(s);
    case spec::PathEvent::kBadEpoch:
    case spec::PathEvent::kConnectionEnds:
      return;
    default:
      break;
  }
  // Without an epoch there is nothing to close.
  if (p.used) ClosePath(s, path, false, p.epoch, CloseReasonOf(event, p));
}

// RES-SEND-EMPTY: another connection may give a path back.
void ReclaimSend(const Scope& s) {
  s.Count(Counter::kSendContextsEmpty);
  const auto held = [](const Connection& c) {
    uint32_t count = 0;
    for (size_t q = 1; q < c.out.size(); ++q) count += bool(c.out[q].context);
    return count;
  };
  std::optional<uint32_t> holder;
  uint32_t most = 0;
  for (uint32_t slot = 0; slot < s.e.connections.size(); ++slot) {
    const Connection* c = s.e.connections[slot].get();
    if (c == nullptr) continue;
    for (const SendPath& path : c->out) {
      const bool reclaimed = path.drain_reason == spec::CloseReason::kReclaim;
      if (reclaimed && DrainsToClose(path.state)) return;
    }
    const uint32_t count = held(*c);
    const bool better =
        !holder || count > most || (count == most && c->cid() < s.e.connections[*holder]->cid());
    if (better) {
      holder = slot;
      most = count;
    }
  }
  //= RES-SEND-EMPTY
  //# the largest holder of the send pool holds at least two more than the connection that wants
  if (!holder || most < held(s.c) + 2) return;
  Connection& other = *s.e.connections[*holder];
  for (size_t q = other.out.size(); q-- > 1;) {
    if (other.out[q].state != PathState::kActive) continue;
    s.Hit(spec::clause::kResSendEmpty);
    s.Count(Counter::kReclaims);
    s.e.touched.push_back(*holder);
    other.out[q].drain_reason = spec::CloseReason::kReclaim;
    return PathEvent(Scope{s.e, other, s.step, *holder}, static_cast<uint8_t>(q),
                     spec::PathEvent::kDrainToClose);
  }
}

Rise RiseOf(PathState before, const SendContext& x) {
  if (IsSuspect(before)) return Rise::kHeard;
  return x.opening.was_free ? Rise::kAdded : Rise::kAgain;
}

congestion::Way WayOf(spec::PathEvent event, PathState after) {
  if (IsSuspect(after)) return congestion::Way::kSuspect;
  return EndsEpoch(event) && after == PathState::kOpening ? congestion::Way::kEpoch
                                                          : congestion::Way::kFree;
}

void OpenFree(const Scope& s, uint8_t path) {
  SendPath& p = s.c.out[path];
  SendContext& x = p.context.emplace();
  p.drain_reason = spec::CloseReason::kShrink;
  s.Hit(spec::clause::kResPools);
  if (path != 0) ++s.e.shared_out;
  x.latest = s.now() - 1;
  if (path == 0) x.congestion.slow = s.c.congestion.zero_slow;
  x.opening.reason = p.lifted ? OpenReason::kLifted : OpenReason::kAdded;
  x.opening.was_free = true;
  p.lifted = false;
  BeginEpoch(s, path);
}

}  // namespace

void PathEvent(const Scope& s, uint8_t path, spec::PathEvent event) {
  SendPath& p = s.c.out[path];
  const PathState before = p.state;
  //= PATH-STATES
  //# Each path of a direction has the machine `path` at its sender.
  Enter(s, &p.state, event);
  const PathState after = p.state;
  // Of nearly all blocks nothing follows here.
  const bool block = event == spec::PathEvent::kBlockNews || event == spec::PathEvent::kBlockOld;
  if (block && before == after) return;
  --s.c.in_state[static_cast<size_t>(before)];
  ++s.c.in_state[static_cast<size_t>(after)];
  if (IsActive(before) && !IsActive(after)) {
    WindowDown(s, path, WayOf(event, after));
    if (s.c.active() == 0) {
      // It alone was ACTIVE (RTT-OF-CONNECTION).
      s.c.last_srtt = SrttOf(*p.context);
      if (event != spec::PathEvent::kConnectionEnds) Hurry(s);
    }
  }
  if (!IsActive(before) && IsActive(after)) {
    WindowUp(s, path, RiseOf(before, *p.context));
  }
  const bool lived = IsActive(before) || IsSuspect(before);
  if (lived && EndsEpoch(event)) {
    Refresh(s, path);
    KillEpoch(s, path, event != spec::PathEvent::kDrained);
  }
  const bool asked = event == spec::PathEvent::kCloseAsked && before != after;
  if (asked) {
    p.drain_reason = spec::CloseReason::kReclaim;
    BackOff(s);
  }
  if (asked ||
      (event == spec::PathEvent::kDrainToClose && p.drain_reason == spec::CloseReason::kReclaim)) {
    //= RES-GIVEN-UP
    //# the connection's target [COUNT-OPEN-PATHS] becomes max(1, open paths less one), counted
    //# before
    s.Hit(spec::clause::kResGivenUp);
    const bool counted = before == PathState::kOpening || before == PathState::kActive ||
                         before == PathState::kActiveToEpoch;
    s.c.target = std::max<uint32_t>(2, s.c.open() + counted) - 1;
  }
  //= PATH-DENIED
  //# A DENIED path holds no context and is not opened before the denial is lifted.
  if (event == spec::PathEvent::kDeny) p.lifted = false;
  if (event == spec::PathEvent::kLift && after != before) p.lifted = true;

  if (before == PathState::kFree && after == PathState::kOpening) {
    OpenFree(s, path);
  } else if (before == PathState::kOpening && after == PathState::kOpening) {
    StayOpening(s, path, event);
  } else if (lived && after == PathState::kOpening) {
    Reopen(s, path, ReasonOf(event, p));
  } else if (before == PathState::kOpening && IsActive(after)) {
    BecomeActive(s, path);
  } else if (p.context && (after == PathState::kFree || after == PathState::kDenied)) {
    Left(s, path, event);
  }
  if (before != after) Refresh(s, path);
  if (event == spec::PathEvent::kDrainToEpoch || event == spec::PathEvent::kDrainToClose ||
      (event == spec::PathEvent::kCloseAsked && after != PathState::kFree)) {
    DrainedPerhaps(s, path);
  }
  if (event != spec::PathEvent::kConnectionEnds && before != after) OpenMore(s, false);
}

//= PATH-DRAIN
//# It has drained (DRAINED) when no record of it is unacknowledged, which may be at once.
void DrainedPerhaps(const Scope& s, uint8_t path) {
  const SendPath& p = s.c.out[path];
  const bool drains = p.state == PathState::kActiveToEpoch || p.state == PathState::kActiveToClose;
  if (drains && p.context->window.empty()) PathEvent(s, path, spec::PathEvent::kDrained);
}

void PathTimerExpires(const Scope& s, uint8_t path) {
  SendPath& p = s.c.out[path];
  if (p.state != PathState::kOpening) return LadderExpires(s, path);
  SendContext& x = *p.context;
  if (x.opening.waits) return BeginEpoch(s, path);
  const uint64_t all = s.Constant(spec::Constant::kActivateProbes);
  if (!x.opening.accepted || x.opening.probes >= all) {
    return PathEvent(s, path, spec::PathEvent::kOpenExpires);
  }
  //= PATH-ACTIVATE
  //# and again max(SRTT, `activate_gap_min`) after the one before, `activate_probes` in all.
  s.Hit(spec::clause::kPathActivate);
  Probe(s, path, spec::ProbeReason::kActivate, 1);
  ++x.opening.probes;
  s.Arm(Scope::Of(path, kPathTimer),
        x.latest + std::max(SrttOf(x), s.Time(spec::Constant::kActivateGapMin)));
}

//= PATH-NEVER-NONE
//# While a connection is OPEN and no path of its direction is OPENING, ACTIVE or SUSPECT, a FREE
//# path is opened (OPEN_WANTED) at once, or when the back-off ends.
void OpenMore(const Scope& s, bool after_ack) {
  if (s.c.state != spec::ConnectionState::kOpen || s.c.backs_off) return;
  const uint32_t open = s.c.open();
  const bool none = s.c.opening() + s.c.active() + s.c.suspect() == 0;
  const uint64_t window = WindowPackets(s.c, s.now());
  //= COUNT-OPEN
  //# a DATA packet of the direction has been acknowledged;
  const uint32_t planes = static_cast<uint32_t>(std::popcount(s.c.up));
  const bool more =
      after_ack && s.c.data_acknowledged && congestion::WantsPath(open, s.c.target, window, planes);
  if (!none && !more) return;
  std::vector<uint8_t> free;
  bool lacks_context = false;
  for (size_t q = 0; q < s.c.out.size(); ++q) {
    if (s.c.out[q].state != PathState::kFree) continue;
    lacks_context = q != 0 && !SharedFree(s.e, true);
    if (lacks_context) break;
    //= RES-RESERVED
    //# Path 0 is never refused for want of a context, and never asked to close.
    if (q == 0 && !SharedFree(s.e, true)) s.Hit(spec::clause::kResReserved);
    free.push_back(static_cast<uint8_t>(q));
    if (s.step.chooser == nullptr) break;
  }
  if (free.empty()) {
    //= COUNT-OPEN
    //# If only the last one fails, [RES-SEND-EMPTY] applies.
    //= RES-NO-ERROR
    //# A context that cannot be had is no error of a connection that is open
    if (lacks_context) {
      s.Hit(spec::clause::kResNoError, spec::clause::kResShared);
      ReclaimSend(s);
    }
    return;
  }
  //= COUNT-CHOICE
  //# An implementation may have fewer paths than the target
  if (!none && Moves(s) && ChooseName(s.step.chooser, spec::Choice::kPathCount) == 1) {
    return s.Hit(spec::clause::kCountChoice);
  }
  const uint64_t place = ChoosePlace(s.step.chooser, spec::Choice::kPathId, free.size(),
                                     [&](uint64_t i) { return free[i]; });
  //= PATH-OTHER-ID
  //# an implementation takes any FREE one.
  s.Hit(spec::clause::kPathOtherId, none ? spec::clause::kPathNeverNone : spec::clause::kCountOpen);
  PathEvent(s, free[place], spec::PathEvent::kOpenWanted);
}

void BackoffEnds(const Scope& s) {
  s.c.backs_off = false;
  OpenMore(s, false);
}

//= PATH-ANSWERS
//# or if no path of the direction is ACTIVE when the answer comes; else two.
void TakeAccept(const Scope& s, const packet::Packet& p) {
  const spec::Common& common = p.headers.common;
  if (common.path >= s.c.out.size()) return s.Count(Counter::kStalePathAnswer);
  SendPath& path = s.c.out[common.path];
  //= PATH-ACCEPT-MATCH
  //# A PATH_ACCEPT or PATH_REFUSE counts if its path is OPENING, its `number` is the latest id, its
  //# epoch is that of the latest PATH_OPEN, and that is unanswered.
  const bool counts = path.state == PathState::kOpening && path.context->opening.unanswered &&
                      path.context->opening.id == TransactionId(common.number) &&
                      path.epoch == common.epoch;
  if (!counts) {
    s.Hit(spec::clause::kPathAcceptMatch);
    return PathEvent(s, common.path, spec::PathEvent::kAnswerOld);
  }
  SendContext& x = *path.context;
  x.opening.unanswered = false;
  x.opening.accepted = true;
  s.Arm(Scope::Of(common.path, kPathTimer), kNever);
  TakeEdge(s, Csn(p.headers.path_accept.right_edge));
  const spec::Answer& answer = p.headers.answer;
  TakeSample(s, common.path, OpenedSample(s.now(), x.opening.sent, answer.echo, answer.hold),
             false);
  s.Hit(spec::clause::kPathAcceptTake, spec::clause::kRttOpened);
  const bool enough = !x.opening.was_free || s.c.active() == 0;
  PathEvent(s, common.path, enough ? spec::PathEvent::kAnswered : spec::PathEvent::kAccepted);
}

void SecondAnswer(const Scope& s, uint8_t path) { PathEvent(s, path, spec::PathEvent::kAnswered); }

void TakeRefuse(const Scope& s, const packet::Packet& p) {
  const spec::Common& common = p.headers.common;
  if (common.path >= s.c.out.size()) return s.Count(Counter::kStalePathAnswer);
  SendPath& path = s.c.out[common.path];
  const bool counts = path.state == PathState::kOpening && path.context->opening.unanswered &&
                      path.context->opening.id == TransactionId(common.number) &&
                      path.epoch == common.epoch;
  PathEvent(s, common.path, counts ? spec::PathEvent::kRefused : spec::PathEvent::kAnswerOld);
}

void TakeBadEpoch(const Scope& s, const packet::Packet& p) {
  const spec::NackEpoch& nack = p.headers.nack_epoch;
  if (nack.path >= s.c.out.size()) return s.Count(Counter::kStaleBadEpoch);
  const SendPath& path = s.c.out[nack.path];
  //= PATH-BAD-EPOCH
  //# if the epoch it names as offending is the live epoch of that path, or that of an OPENING path
  //# that was accepted, and `has_current` is 0 or `current_epoch` is another number.
  const bool live = path.context && path.epoch == nack.epoch &&
                    (path.state != PathState::kOpening || path.context->opening.accepted);
  const bool obeyed = live && (!nack.has_current || nack.current_epoch != nack.epoch);
  PathEvent(s, nack.path, obeyed ? spec::PathEvent::kBadEpoch : spec::PathEvent::kBadEpochOld);
}

//= CONNECT-PATH-ZERO
//# When a connection opens at an endpoint, path 0 of its direction is ACTIVE in epoch 0.
void OpenPathZero(const Scope& s, Route route, Nanoseconds rtt, Nanoseconds latest) {
  SendPath& p = s.c.out[0];
  SendContext& x = p.context.emplace();
  p.used = true;
  p.route = route;
  p.epochs_began = s.now();
  x.opening.was_free = false;
  FreshBooks(s, 0, PathSeq(s.c.local.start_sequence), latest);
  --s.c.in_state[static_cast<size_t>(p.state)];
  p.state = PathState::kActive;
  ++s.c.in_state[static_cast<size_t>(p.state)];
  x.news_at = s.now();
  TakeSample(s, 0, rtt, false);
  WindowUp(s, 0, Rise::kOpened);
  ArmKeepalive(s, 0);
  Refresh(s, 0);
}

}  // namespace metaroce::endpoint
