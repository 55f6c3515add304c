// When DATA leaves: the pacer (section 8.7), the hint that bounds it (section 8.9), and the end of
// idleness (CC-WINDOW-IDLE).
#include "model/congestion/built_in.h"
#include "model/endpoint/congestion.h"

namespace metaroce::endpoint {
namespace {

using congestion::ConnectionState;
using congestion::PathState;

// False where another algorithm gives no pace.
bool Paced(const Scope& s) { return BuiltIn(s) || s.c.congestion.pace != 0; }

// T at this moment.
uint64_t ByteTime(const Scope& s) {
  ConnectionState& all = s.c.congestion;
  const uint64_t unit = s.c.local.hint_unit;
  if (!BuiltIn(s)) return congestion::ByteTimeOfRate(all.pace, unit);
  s.Hit(spec::clause::kCcPaceTime);
  if (HintLives(s.c, s.now())) return congestion::ByteTimeOfRate(all.hint, unit);
  if (all.hint != 0) {
    //= HINT-LIFE
    //# From that time on there is no hint until the next.
    //= CHOICE-LAZY
    //# State that changes by time alone and unseen (the end of a hint's life, a period of a count)
    //# is evaluated when the next packet that depends on it is built.
    s.Hit(spec::clause::kHintLife, spec::clause::kChoiceLazy);
    all.hint = 0;
  }
  //= CC-PACE-TIME
  //# without a hint, while no path is ACTIVE: T stays what it was at the last transmission.
  if (s.c.active() == 0) return all.last_byte_time;
  if (all.byte_time == 0) {
    //= CC-PACE-TIME
    //# with g = `pace_gain_slow_start` if an ACTIVE path has `slow` = 1 and else g = `pace_gain`
    const uint64_t gain = s.Constant(all.slow_paths > 0 ? spec::Constant::kPaceGainSlowStart
                                                        : spec::Constant::kPaceGain);
    all.byte_time = congestion::ByteTimeOfSpeed(all.speed, all.sum, WindowX(s.c, s.now()), gain,
                                                s.c.ip_mtu_bytes);
  }
  return all.byte_time;
}

//= CC-WINDOW-IDLE
//# A direction is idle while none of its DATA packets is in flight on any path and none waits
bool Idle(const Scope& s) {
  if (s.c.unacknowledged > 0 || Waits(s.c)) return false;
  for (const SendPath& path : s.c.out) {
    if (path.context && path.context->window.in_flight() > 0) return false;
  }
  return true;
}

void EndIdle(const Scope& s) {
  ConnectionState& all = s.c.congestion;
  const Nanoseconds idle = s.now() - all.idle_since;
  all.idle_since = kNever;
  s.Arm(kShrinkTimer, kNever);
  if (idle <= std::max(8 * all.srtt, s.Time(spec::Constant::kIdleRestartMin))) return;
  s.Hit(spec::clause::kCcWindowIdle);
  //= CC-WINDOW-IDLE
  //# and the hint is forgotten.
  all.hint = 0;
  all.byte_time = 0;
  const uint32_t n = s.c.active();
  for (size_t q = 0; q < s.c.out.size(); ++q) {
    if (!IsActive(s.c.out[q].state)) continue;
    PathState& path = s.c.out[q].context->congestion;
    const WindowBefore before = Before(path);
    const PathState was = path;
    congestion::Restart(path, n, s.now(), s.e.settings.profile);
    if (was.given) {
      path.w = was.w;
      path.slow = was.slow;
      path.alpha = was.alpha;
    }
    WindowChanged(s, static_cast<uint8_t>(q), before);
    Refresh(s, static_cast<uint8_t>(q));
  }
  if (BuiltIn(s)) return;
  congestion::Event event;
  event.kind = congestion::EventKind::kIdle;
  event.idle = idle;
  TellCustomAll(s, event);
}

}  // namespace

bool PacerAdmits(const Scope& s) {
  ConnectionState& all = s.c.congestion;
  if (all.idle_since != kNever && Waits(s.c)) EndIdle(s);
  if (!Paced(s) || all.pacer.Admits(s.now())) return true;
  //= CC-PACED
  //# All DATA packets pass it, retransmissions and VOID included.
  s.Hit(spec::clause::kCcPaced, spec::clause::kCcPace);
  if (Waits(s.c)) s.Arm(kPacerTimer, all.pacer.Due());
  return false;
}

void DataLeft(const Scope& s, SendContext& x, uint32_t bytes) {
  //= CC-LIMITED
  //# `limited` becomes 1 if (in flight + 1) << 16 is greater than `w`.
  if ((uint64_t{x.window.in_flight()} + 1) << 16 > x.congestion.w) {
    s.Hit(spec::clause::kCcLimited);
    x.congestion.limited = true;
  }
  if (!Paced(s)) return;
  ConnectionState& all = s.c.congestion;
  all.last_byte_time = ByteTime(s);
  all.pacer.Charge(s.now(), bytes, all.last_byte_time,
                   static_cast<uint32_t>(s.Constant(spec::Constant::kPaceBurst)), s.c.ip_mtu_bytes);
}

bool HintLives(const Connection& c, Nanoseconds now) {
  return c.congestion.hint != 0 && now < c.congestion.hint_until;
}

//= HINT-TAKE
//# The hint of a latest ACK [TAKE-SERIAL] replaces the one before. All ones means that there is no
//# hint; 0 is read as 1.
void TakeHint(const Scope& s, uint16_t hint) {
  ConnectionState& all = s.c.congestion;
  all.hint = hint == UINT16_MAX ? 0 : std::max<uint16_t>(1, hint);
  if (all.hint != 0) {
    s.Hit(spec::clause::kHintTake);
    //= HINT-LIFE
    //# A hint lives until max(8 * SRTT of the connection, `hint_life_min`) after the arrival of the
    //# ACK that brought it, with the SRTT as it is at [HINT-TAKE].
    all.hint_until = s.now() + std::max(8 * all.srtt, s.Time(spec::Constant::kHintLifeMin));
  }
  if (BuiltIn(s) || all.hint == all.told_hint) return;
  all.told_hint = all.hint;
  congestion::Event event;
  event.kind = congestion::EventKind::kHint;
  event.hint = all.hint;
  TellCustomAll(s, event);
}

void IdlePerhaps(const Scope& s) {
  if (s.c.congestion.idle_since != kNever || !Idle(s)) return;
  s.c.congestion.idle_since = s.now();
  s.Arm(kShrinkTimer, s.now() + s.Time(spec::Constant::kShrinkIdle));
}

}  // namespace metaroce::endpoint
