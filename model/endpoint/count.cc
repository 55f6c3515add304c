// How many paths a direction aims at, and which of them takes another entropy (sections 8.11 and
// 8.12).
#include "model/congestion/count.h"

#include <bit>

#include "model/endpoint/congestion.h"

namespace metaroce::endpoint {
namespace {

uint32_t MostPaths(const Scope& s) {
  //= COUNT-BASE
  //# L the lesser of the agreed `paths` and `send_contexts`
  return static_cast<uint32_t>(
      std::min<uint64_t>(s.c.local.paths, s.Constant(spec::Constant::kSendContexts)));
}

//= COUNT-SHRINK
//# To close one path, the ACTIVE path with the highest id that does not drain drains to be closed
//# (reason `shrink`), and the target becomes max(base, open paths less one), both counted before.
void CloseOne(const Scope& s, uint32_t least) {
  const uint32_t open = s.c.open();
  const uint32_t steady = s.c.in_state[static_cast<size_t>(spec::PathState::kActive)];
  if (!congestion::MayClose(open, least, steady)) return;
  for (size_t q = s.c.out.size(); q-- > 1;) {
    if (s.c.out[q].state != spec::PathState::kActive) continue;
    s.Hit(spec::clause::kCountShrink);
    s.c.target = congestion::TargetOfClose(open, least);
    s.c.out[q].drain_reason = spec::CloseReason::kShrink;
    return PathEvent(s, static_cast<uint8_t>(q), spec::PathEvent::kDrainToClose);
  }
}

// X equals the sum of the windows.
bool WindowsBind(const Scope& s) { return WindowX(s.c, s.now()) == s.c.congestion.sum; }

// The path that takes another entropy by the rule, if one does.
std::optional<uint8_t> Worst(const Scope& s) {
  const congestion::ConnectionState& all = s.c.congestion;
  std::optional<uint8_t> worst;
  for (size_t q = 0; q < s.c.out.size(); ++q) {
    if (s.c.out[q].state != spec::PathState::kActive) continue;
    const SendContext& x = *s.c.out[q].context;
    if (s.now() < x.opening.hold_until) continue;
    if (!congestion::PersistentlyMarked(x.congestion, s.c.active(), all.sum,
                                        s.e.settings.profile)) {
      continue;
    }
    if (!worst || x.congestion.alpha > s.c.out[*worst].context->congestion.alpha) {
      worst = static_cast<uint8_t>(q);
    }
  }
  return worst;
}

//= REENTROPY-CHOICE
//# An implementation may choose another path or none.
std::optional<uint8_t> ByChoice(const Scope& s, uint8_t rule) {
  if (s.step.chooser == nullptr) return rule;
  const uint64_t name = ChooseName(s.step.chooser, spec::Choice::kReEntropy);
  if (name == 0) return rule;
  s.Hit(spec::clause::kReentropyChoice);
  if (name == 2) return std::nullopt;
  for (size_t q = 0; q < s.c.out.size(); ++q) {
    if (q != rule && s.c.out[q].state == spec::PathState::kActive) return static_cast<uint8_t>(q);
  }
  return std::nullopt;
}

//= REENTROPY-CHOOSE
//# If 4 times the limited rounds are more than 3 times the rounds, X equals sum, and no path of the
//# direction drains for its next epoch
void ChooseEntropyOfPath(const Scope& s) {
  const congestion::ConnectionState& all = s.c.congestion;
  if (4 * uint64_t{all.limited_rounds} <= 3 * uint64_t{all.rounds}) return;
  if (s.c.draining_to_epoch() > 0 || !WindowsBind(s)) return;
  const std::optional<uint8_t> worst = Worst(s);
  if (!worst) return;
  const std::optional<uint8_t> path = ByChoice(s, *worst);
  if (!path) return;
  //= REENTROPY-HOLD-OFF
  //# A path so chosen has a hold-off of (`reentropy_hold_off` * SRTT of the connection) << j from
  //# that time on.
  Opening& opening = s.c.out[*path].context->opening;
  const uint32_t j = static_cast<uint32_t>(
      std::min<uint64_t>(opening.changes, s.Constant(spec::Constant::kReentropyDoublings)));
  const Nanoseconds hold_off = s.Time(spec::Constant::kReentropyHoldOff) * all.srtt;
  opening.hold_until = s.now() + (hold_off << j);
  if (opening.changes < UINT8_MAX) ++opening.changes;
  s.Hit(spec::clause::kReentropyChoose, spec::clause::kReentropyHoldOff);
  PathEvent(s, *path, spec::PathEvent::kDrainToEpoch);
}

//= REENTROPY-EVALUATE
//# At the end of each round of an ACTIVE path the direction's count of rounds grows by one, and its
//# count of limited rounds by `limited_before`, which is now that of the round that ended.
void CountForEntropy(const Scope& s, const congestion::PathState& path) {
  congestion::ConnectionState& all = s.c.congestion;
  ++all.rounds;
  all.limited_rounds += path.limited_before;
  if (all.rounds < s.Constant(spec::Constant::kReentropyRounds) * s.c.active()) return;
  s.Hit(spec::clause::kReentropyEvaluate);
  ChooseEntropyOfPath(s);
  all.rounds = 0;
  all.limited_rounds = 0;
}

void CountForShrink(const Scope& s) {
  congestion::ConnectionState& all = s.c.congestion;
  const bool closes = congestion::CountNarrow(&all.narrow, s.c.active(),
                                              WindowPackets(s.c, s.now()), s.e.settings.profile);
  if (!closes) return;
  CloseOne(s, all.base);
}

}  // namespace

uint64_t PortsMbps(const Scope& s) {
  uint64_t mbps = 0;
  for (size_t plane = 0; plane < s.e.settings.ports.size(); ++plane) {
    if (((s.c.up >> plane) & 1) != 0) mbps += s.e.settings.port_rates[plane];
  }
  return mbps;
}

uint32_t PortShare(const Scope& s) {
  //= CC-SHARE
  //# q is the number of the endpoint's connections that use one of these planes and in whose own
  //# direction a DATA packet waits [CC-WAITS], this connection counted in any case.
  uint64_t q = (s.c.waits_on & s.c.up) != 0 ? 0 : 1;
  for (const auto& [planes, connections] : s.e.waiting) {
    if ((planes & s.c.up) != 0) q += connections;
  }
  s.Hit(spec::clause::kCcShare);
  return congestion::Share(PortsMbps(s), q, s.c.local.hint_unit);
}

//= CC-REFERENCE
//# The reference rate of a connection is the lesser of the hint, if there is one [HINT-LIFE], and
//# the port share.
uint32_t ReferenceRate(const Scope& s) {
  s.Hit(spec::clause::kCcReference);
  const uint32_t share = PortShare(s);
  return HintLives(s.c, s.now()) ? std::min<uint32_t>(s.c.congestion.hint, share) : share;
}

uint32_t TargetAtOpening(const Scope& s, Nanoseconds rtt) {
  s.Hit(spec::clause::kCountBase);
  return congestion::BaseTarget(congestion::Bdp(PortShare(s), rtt, s.c.congestion.kb), MostPaths(s),
                                s.e.settings.profile);
}

//= COUNT-GROW
//# When an ACK has been processed and the direction is path-limited
void GrowTarget(const Scope& s) {
  congestion::ConnectionState& all = s.c.congestion;
  if (all.target != 0) return;  // another algorithm gives it
  const uint32_t n = s.c.open();
  const bool slow = all.slow_paths > 0;
  if (!congestion::WindowsFull(all.sum, n, slow)) return;
  if (!congestion::GrowthDue(s.now() - all.grown_at, all.srtt, slow)) return;
  //= CC-BOUND
  //# A direction is path-limited while X equals sum and a DATA packet waits [CC-WAITS].
  if (!WindowsBind(s) || !Waits(s.c)) return;
  const uint32_t limit = congestion::GrowthLimit(
      all.base, congestion::Bdp(ReferenceRate(s), all.min_rtt, all.kb), MostPaths(s));
  const uint32_t target = congestion::GrownTarget(s.c.target, limit, n, slow);
  //= COUNT-GROW
  //# A target that is set to what it was has not grown.
  if (target == s.c.target) return;
  s.Hit(spec::clause::kCountGrow);
  s.c.target = target;
  all.grown_at = s.now();
}

void RoundCounts(const Scope& s, uint8_t path) {
  const SendPath& out = s.c.out[path];
  if (!IsActive(out.state)) return;
  if (BuiltIn(s)) {
    CountForEntropy(s, out.context->congestion);
    return CountForShrink(s);
  }
  if (s.c.congestion.target == 0) return CountForShrink(s);
  //= CUSTOM-OUTPUTS
  //# At the end of a round at which the open paths are more than a target that was given, one path
  //# is closed
  CloseOne(s, s.c.congestion.target);
}

//= COUNT-SHRINK
//# While the direction is idle, one path is closed at each full `shrink_idle` of idle time.
void ShrinkExpires(const Scope& s) {
  if (s.c.congestion.idle_since == kNever || s.c.state != spec::ConnectionState::kOpen) return;
  s.Arm(kShrinkTimer, s.now() + s.Time(spec::Constant::kShrinkIdle));
  if (s.c.congestion.target == 0) CloseOne(s, s.c.congestion.base);
}

}  // namespace metaroce::endpoint
