// The windows of paths and of a direction as events move them (sections 8.2 to 8.6).
#include "model/endpoint/congestion.h"

#include "model/congestion/built_in.h"

namespace metaroce::endpoint {
namespace {

using congestion::EventKind;
using congestion::Kind;

// What the connection keeps of its paths' round-trip times, after one went or fell.
void Rescan(Connection& c) {
  Nanoseconds least = 0;
  Nanoseconds smooth = 0;
  for (size_t q = 0; q < c.out.size(); ++q) {
    if (!IsActive(c.out[q].state) || !c.out[q].context) continue;
    const Rtt& rtt = c.out[q].context->rtt;
    least = std::max(least, rtt.minimum());
    if (rtt.srtt() <= smooth) continue;
    smooth = rtt.srtt();
    c.congestion.srtt_path = static_cast<uint8_t>(q);
  }
  // While none is ACTIVE, the values they had last.
  if (least == 0) return;
  c.congestion.min_rtt = least;
  c.congestion.srtt = smooth;
}

// A sample came on an ACTIVE path.
void Sampled(const Scope& s, uint8_t path) {
  SendContext& x = *s.c.out[path].context;
  congestion::ConnectionState& all = s.c.congestion;
  const Nanoseconds srtt = x.rtt.srtt();
  bool rescan = path == all.srtt_path && srtt < all.srtt;
  if (srtt >= all.srtt) {
    all.srtt = srtt;
    all.srtt_path = path;
  }
  if (x.rtt.minimum() != x.congestion.min_rtt) {
    rescan = rescan || x.congestion.min_rtt >= all.min_rtt;
    all.min_rtt = std::max(all.min_rtt, x.rtt.minimum());
    x.congestion.min_rtt = x.rtt.minimum();
    WindowChanged(s, path, Before(x.congestion));
  }
  if (rescan) Rescan(s.c);
}

//= CC-MEAN
//# sum is the sum of `w` over the ACTIVE paths of the direction, n is their number, and the mean
//# window is sum / n, or 0 if n is 0.
//
// Without a path that has just become ACTIVE and is not in the sum yet.
uint64_t MeanOfOthers(const Connection& c) {
  const uint32_t n = c.active() - 1;
  return n == 0 ? 0 : c.congestion.sum / n;
}

//= CC-WINDOW-ADDED
//# and the `slow` that path 0 has or had last.
bool SlowOfPathZero(const Connection& c) {
  return c.out[0].context ? c.out[0].context->congestion.slow : c.congestion.zero_slow;
}

void FirstWindow(const Scope& s, SendContext& x, Rise rise) {
  const Profile& profile = s.e.settings.profile;
  congestion::PathState& path = x.congestion;
  switch (rise) {
    case Rise::kOpened:
      s.Hit(spec::clause::kCcWindowFirst);
      path.w = congestion::FirstWindow(profile);
      path.slow = true;
      return;
    case Rise::kAdded:
      s.Hit(spec::clause::kCcWindowAdded);
      path.slow = SlowOfPathZero(s.c);
      path.w = congestion::AddedWindow(MeanOfOthers(s.c), profile);
      return;
    case Rise::kAgain:
      s.Hit(spec::clause::kCcWindowAgain);
      path.w = congestion::AgainWindow(path.w, MeanOfOthers(s.c), x.opening.drained, profile);
      path.slow = !x.opening.drained;
      return;
    case Rise::kHeard:
      return;
  }
}

congestion::Way WayOf(Rise rise) {
  if (rise == Rise::kHeard) return congestion::Way::kSuspect;
  return rise == Rise::kAgain ? congestion::Way::kEpoch : congestion::Way::kFree;
}

bool CongestedNow(const Scope& s, const SendContext& x, uint32_t in_flight) {
  return congestion::Congested(x.congestion, in_flight, x.rtt.last(), x.rtt.minimum(),
                               s.e.settings.profile);
}

// A of CC-INCREASE where the end of this round may need it.
uint64_t IncreaseOf(const Scope& s, const SendContext& x) {
  const congestion::PathState& path = x.congestion;
  if (path.slow || path.skip || !congestion::MayGrow(path)) return 0;
  //= CC-INCREASE
  //# r is the reference rate, t the lesser of the connection's minRTT and 2 * minRTT of the path, n
  //# the number of ACTIVE paths of the direction.
  s.Hit(spec::clause::kCcIncrease, spec::clause::kCcBdp, spec::clause::kCcKb);
  const Nanoseconds t = std::min(s.c.congestion.min_rtt, 2 * x.rtt.minimum());
  return congestion::Increase(ReferenceRate(s), t, s.c.active(), s.c.congestion.kb,
                              s.e.settings.profile);
}

// Step 6 of TAKE-BLOCK. True if the round ended.
bool EndRoundPerhaps(const Scope& s, uint8_t path, Nanoseconds echo,
                     const congestion::Block& block) {
  const Profile& profile = s.e.settings.profile;
  SendContext& x = *s.c.out[path].context;
  congestion::PathState& state = x.congestion;
  const bool congested = CongestedNow(s, x, block.in_flight);
  const bool skipped = state.skip;
  const bool slow_ends =
      state.slow && !state.given && congestion::EndsSlowStart(state, block, congested, profile);
  //= CC-ROUND
  //# A round of a path ends with a block that carries the echo of DATA [LADDER-MEMORY] not older
  //# than `round_start`
  if (!slow_ends) {
    if (echo < state.round_start) return false;
    if (x.probes.Has(echo)) {
      //= LADDER-MEMORY
      //# An echo that equals one of them is the echo of a PROBE; every other echo is the echo of
      //# DATA.
      s.Hit(spec::clause::kLadderMemory);
      return false;
    }
  }
  s.Hit(spec::clause::kCcRound, spec::clause::kCcRoundBegin);
  if (congested) s.Hit(spec::clause::kCcCongested);
  if (!slow_ends && !state.given) {
    s.Hit(spec::clause::kCcRoundEnd);
    congestion::EndRound(state, congested, IncreaseOf(s, x), profile);
  }
  congestion::Event event;
  event.kind = EventKind::kRound;
  event.arrivals = state.arrived;
  event.marks = state.ce;
  event.lost = state.lost;
  event.limited = state.limited;
  congestion::NextRound(state, skipped, s.now());
  if (slow_ends) {
    s.Hit(spec::clause::kCcSlowStartEnd);
    congestion::EndSlowStart(state, profile);
  }
  if (!BuiltIn(s)) TellCustom(s, path, event);
  return true;
}

}  // namespace

uint64_t BoundX(const Connection& c, Nanoseconds now) {
  const congestion::ConnectionState& all = c.congestion;
  if (all.wp != 0) return all.wp;
  //= CC-WINDOW
  //# X = min(sum, H, `connection_window_max` << 16).
  const uint64_t x = std::min(all.sum, all.bound);
  //= CC-WINDOW
  //# without a hint H is no bound.
  if (!HintLives(c, now)) return x;
  return std::min(x, congestion::HintBound(congestion::Bdp(all.hint, all.min_rtt, all.kb)));
}

void BeginCongestion(const Scope& s, Nanoseconds rtt) {
  congestion::ConnectionState& all = s.c.congestion;
  const congestion::Settings& windows = s.e.settings.windows;
  if (windows.kind == Kind::kFixed) {
    all.bound = windows.connection_window;
    s.c.target = s.e.settings.target_paths;
    return;
  }
  all.bound = s.Constant(spec::Constant::kConnectionWindowMax) << 16;
  all.kb = congestion::Kb(s.c.local.hint_unit, s.c.ip_mtu_bytes);
  all.min_rtt = rtt;
  all.srtt = rtt;
  all.idle_since = s.now();
  all.grown_at = s.now();
  all.base = TargetAtOpening(s, rtt);
  s.c.target = all.base;
  if (windows.kind == Kind::kCustom) {
    s.Hit(spec::clause::kCustomAllowed, spec::clause::kCustomPure);
    all.memory.emplace();
    all.memory->fill(0);
  }
  s.Arm(kShrinkTimer, s.now() + s.Time(spec::Constant::kShrinkIdle));
}

void WindowChanged(const Scope& s, uint8_t path, const WindowBefore& before) {
  if (!IsActive(s.c.out[path].state)) return;
  congestion::PathState& state = s.c.out[path].context->congestion;
  congestion::ConnectionState& all = s.c.congestion;
  all.sum += uint64_t{state.w} - before.w;
  all.slow_paths += uint32_t{state.slow} - before.slow;
  const uint64_t speed = congestion::Speed(state.w, state.min_rtt);
  all.speed += speed - state.speed;
  state.speed = speed;
  all.byte_time = 0;
}

void WindowUp(const Scope& s, uint8_t path, Rise rise) {
  SendContext& x = *s.c.out[path].context;
  congestion::PathState& state = x.congestion;
  congestion::ConnectionState& all = s.c.congestion;
  if (!Moves(s)) {
    state.w = s.e.settings.windows.path_window;
    if (rise != Rise::kHeard) state.since_ar = 0;
    all.sum += state.w;
    return;
  }
  // The rest of the state is that of the epoch, which lives on if the path was SUSPECT.
  if (rise != Rise::kHeard) {
    congestion::BeginEpoch(state, s.now());
    FirstWindow(s, x, rise);
    if (!BuiltIn(s)) state.memory.emplace().fill(0);
  }
  state.min_rtt = x.rtt.minimum();
  all.sum += state.w;
  all.slow_paths += state.slow;
  state.speed = congestion::Speed(state.w, state.min_rtt);
  all.speed += state.speed;
  all.byte_time = 0;
  Rescan(s.c);
  if (BuiltIn(s)) return;
  congestion::Event event;
  event.kind = EventKind::kPathUp;
  event.way = WayOf(rise);
  TellCustom(s, path, event);
}

void WindowDown(const Scope& s, uint8_t path, congestion::Way way) {
  congestion::PathState& state = s.c.out[path].context->congestion;
  congestion::ConnectionState& all = s.c.congestion;
  all.sum -= state.w;
  if (!Moves(s)) return;
  all.slow_paths -= state.slow;
  all.speed -= state.speed;
  state.speed = 0;
  all.byte_time = 0;
  Rescan(s.c);
  if (BuiltIn(s) || s.c.state != spec::ConnectionState::kOpen) return;
  congestion::Event event;
  event.kind = EventKind::kPathDown;
  event.way = way;
  TellCustom(s, path, event);
}

void WindowGone(const Scope& s, uint8_t path) {
  if (path == 0) s.c.congestion.zero_slow = s.c.out[0].context->congestion.slow;
}

void TellAckBlock(const Scope& s, uint8_t path, const congestion::Block& block) {
  congestion::Event event;
  event.kind = EventKind::kAckBlock;
  event.acknowledged = block.acknowledged;
  event.arrivals = block.arrivals;
  event.marks = block.marks;
  event.sample = block.sample;
  TellCustom(s, path, event);
}

void TellLoss(const Scope& s, uint8_t path, uint32_t lost) {
  congestion::Event event;
  event.kind = EventKind::kLoss;
  event.lost = lost;
  TellCustom(s, path, event);
}

void TakeWindows(const Scope& s, uint8_t path, Nanoseconds echo, const congestion::Block& block) {
  SendPath& out = s.c.out[path];
  SendContext& x = *out.context;
  congestion::PathState& state = x.congestion;
  if (!IsActive(out.state) && !IsSuspect(out.state)) return;
  if (block.sample > 0 && IsActive(out.state)) Sampled(s, path);
  const uint8_t epoch = out.epoch;
  WindowBefore before = Before(state);
  if (EndRoundPerhaps(s, path, echo, block)) {
    WindowChanged(s, path, before);
    RoundCounts(s, path);
    // It may have been drained, closed, or opened again.
    if (!out.context || out.epoch != epoch) return;
    before = Before(state);
  }
  if (state.slow && !state.given && block.acknowledged > 0) {
    s.Hit(spec::clause::kCcSlowStart);
    congestion::GrowSlowly(state, block.acknowledged);
    WindowChanged(s, path, before);
  }
  if (state.wish) GrantWish(s, path);
}

bool PathCongested(const Scope& s, uint8_t path) {
  if (!Moves(s)) return false;
  const SendContext& x = *s.c.out[path].context;
  const bool congested = CongestedNow(s, x, x.window.in_flight());
  if (congested) s.Hit(spec::clause::kCcCongested);
  return congested;
}

void WindowAtRto(const Scope& s, uint8_t path) {
  if (!Moves(s)) return;
  SendContext& x = *s.c.out[path].context;
  if (!x.congestion.given) {
    s.Hit(spec::clause::kCcRto);
    const WindowBefore before = Before(x.congestion);
    congestion::RtoStays(x.congestion);
    WindowChanged(s, path, before);
  }
  if (BuiltIn(s)) return;
  congestion::Event event;
  event.kind = EventKind::kRto;
  event.k = x.ladder.k;
  TellCustom(s, path, event);
}

void TellProbe(const Scope& s, uint8_t path) {
  if (!Moves(s) || BuiltIn(s)) return;
  congestion::Event event;
  event.kind = EventKind::kProbe;
  TellCustom(s, path, event);
  Refresh(s, path);
}

}  // namespace metaroce::endpoint
