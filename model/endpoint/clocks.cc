// The two clocks of a connection, which alone end it by time (section 11.4).
#include "model/endpoint/scope.h"

namespace metaroce::endpoint {
namespace {

//= CLOCK-LIVENESS-PATH
//# That PROBE travels on a path that is ACTIVE, or on one that is SUSPECT if none is ACTIVE. If
//# there is neither, it is not sent.
void LivenessProbe(const Scope& s) {
  const bool active = s.c.active() > 0;
  std::vector<uint8_t> paths;
  const uint32_t n = static_cast<uint32_t>(s.c.out.size());
  for (uint32_t i = 1; i <= n; ++i) {
    const uint32_t q = (Behind(s.c.liveness_path, n) + i) % n;
    const spec::PathState state = s.c.out[q].state;
    if (active ? IsActive(state) : IsSuspect(state)) paths.push_back(static_cast<uint8_t>(q));
  }
  if (paths.empty()) return;
  const uint8_t path = paths[ChoosePlace(s.step.chooser, spec::Choice::kLivenessPath, paths.size(),
                                         [&](uint64_t place) { return paths[place]; })];
  s.c.liveness_path = path;
  s.Hit(spec::clause::kClockLiveness, spec::clause::kClockLivenessPath);
  Probe(s, path, spec::ProbeReason::kLiveness, 1);
}

}  // namespace

//= CLOCK-ONLY
//# In the state OPEN nothing but [CLOCK-PROGRESS], [CLOCK-LIVENESS] and [RNR-COUNT] ends a
//# connection by time or by a count of attempts.
void StartClocks(const Scope& s) {
  s.c.outstanding_since = s.now();
  s.c.liveness_from = std::max(s.now(), s.c.last_heard);
  s.c.liveness_k = 0;
  s.Arm(kLivenessTimer, s.c.liveness_from + s.Time(spec::Constant::kLivenessInterval));
}

//= CLOCK-PROGRESS
//# for the first transmission of the unacknowledged CSN that was first transmitted earliest, plus
//# `progress_timeout`.
void ProgressExpires(const Scope& s) {
  if (s.c.unacknowledged == 0) return;
  Csn oldest = s.c.sent.cumulative();
  while (s.c.sent.at(oldest).done) ++oldest;
  const SentCsn& sent = s.c.sent.at(oldest);
  const Nanoseconds due = sent.first_sent + s.Time(spec::Constant::kProgressTimeout);
  if (due > s.now()) return s.Arm(kProgressTimer, due);
  //= CLOCK-PROGRESS
  //# While nothing has been heard of the peer for `liveness_interval` or more, it does not expire
  if (s.now() - s.c.last_heard >= s.Time(spec::Constant::kLivenessInterval)) {
    //= CLOCK-PROGRESS
    //# A deadline that comes in that time is put off by half of `liveness_interval`
    return s.Arm(kProgressTimer, s.now() + s.Time(spec::Constant::kLivenessInterval) / 2);
  }
  s.Hit(spec::clause::kClockProgress);
  //= STATUS-NAMED
  //# Nor does a progress clock that expired for the CSN of a response.
  const bool response = s.c.outbound.at(sent.message).response;
  if (response) s.Hit(spec::clause::kStatusNamed);
  Err(s, spec::ConnectionEvent::kClockExpires, spec::ConnectionCause::kProgressTimeout, 0,
      response ? Outgoing::kNone : sent.message, spec::CompletionStatus::kProgressTimeout, nullptr);
}

//= CLOCK-LIVENESS
//# Let t be the later of the arrival of the latest packet of the connection that passed the check
//# `connection` and the moment since when work has been outstanding.
void LivenessExpires(const Scope& s) {
  if (!Outstanding(s.c)) {
    s.c.outstanding_since = kNever;
    return;
  }
  const Nanoseconds t = std::max(s.c.last_heard, s.c.outstanding_since);
  if (t != s.c.liveness_from) {
    s.c.liveness_from = t;
    s.c.liveness_k = 0;
  }
  const Nanoseconds interval = s.Time(spec::Constant::kLivenessInterval);
  const Nanoseconds end = t + s.Time(spec::Constant::kLivenessTimeout);
  if (s.now() >= end) {
    return Err(s, spec::ConnectionEvent::kClockExpires, spec::ConnectionCause::kLivenessTimeout, 0,
               s.c.outbound.Oldest(), spec::CompletionStatus::kLivenessTimeout, nullptr);
  }
  if (s.now() >= t + (s.c.liveness_k + 1) * interval) {
    ++s.c.liveness_k;
    LivenessProbe(s);
  }
  s.Arm(kLivenessTimer, std::min(end, t + (s.c.liveness_k + 1) * interval));
}

}  // namespace metaroce::endpoint
