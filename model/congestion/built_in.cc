#include "model/congestion/built_in.h"

namespace metaroce::congestion {

void BeginEpoch(PathState& path, Nanoseconds now) {
  PathState fresh;
  fresh.w = path.w;
  fresh.slow = path.slow;
  fresh.round_start = now;
  path = std::move(fresh);
}

//= CC-WINDOW-FIRST
//# When a connection opens, path 0 has `w` = `initial_window` << 16 and `slow` = 1.
uint32_t FirstWindow(const Profile& profile) {
  return static_cast<uint32_t>(profile[spec::Constant::kInitialWindow] << 16);
}

//= CC-WINDOW-ADDED
//# has `w` = clamp(m >> 1, `window_min`, 256 << 16), where m is the mean window [CC-MEAN] without
//# this path
uint32_t AddedWindow(uint64_t mean, const Profile& profile) { return Clamp(mean >> 1, profile); }

uint32_t AgainWindow(uint32_t w, uint64_t mean, bool drained, const Profile& profile) {
  //= CC-WINDOW-AGAIN
  //# `w` = clamp(max(w, m >> 1), `window_min`, 256 << 16), `slow` = 0;
  if (drained) return Clamp(std::max<uint64_t>(w, mean >> 1), profile);
  //= CC-WINDOW-AGAIN
  //# after any other end of the last epoch in which it was ACTIVE: `w` = max(w >> 2, 65536), `slow`
  //# = 1.
  return std::max<uint32_t>(w >> 2, 65536);
}

//= CC-WINDOW-IDLE
//# `w` becomes max(`window_min`, (`initial_window` << 16) / n), `slow` = 1, `first` = 1, and
//# `alpha`, `skip`, `clean`, `limited`, `limited_before`, `ce`, `arrived`, `lost` and
//# `marked_before` become 0, `round_start` = now;
void Restart(PathState& path, uint32_t n, Nanoseconds now, const Profile& profile) {
  path.w = std::max(static_cast<uint32_t>(profile[spec::Constant::kWindowMin]),
                    FirstWindow(profile) / n);
  path.slow = true;
  path.first = true;
  path.alpha = 0;
  path.skip = false;
  path.clean = 0;
  path.limited = false;
  path.limited_before = false;
  path.ce = 0;
  path.arrived = 0;
  path.lost = 0;
  path.marked_before = false;
  path.round_start = now;
}

bool Congested(const PathState& path, uint32_t in_flight, Nanoseconds last_rtt, Nanoseconds min_rtt,
               const Profile& profile) {
  //= CC-CONGESTED
  //# A path is congested when in flight is above 0 and one of these holds:
  if (in_flight == 0) return false;
  if (RunningMarked(path) || path.marked_before) return true;
  //= CC-CONGESTED
  //# `ever_marked` is 0 and the path's last RTT sample is greater than m + max(m >> 1,
  //# `delay_congested_min`), m its minRTT.
  const Nanoseconds extra =
      std::max(min_rtt >> 1, profile.Time(spec::Constant::kDelayCongestedMin));
  return !path.ever_marked && last_rtt > min_rtt + extra;
}

//= CC-SLOW-START-END
//# a block ends slow start when its m of [TAKE-COUNTERS] is above 0, or it declared a loss and the
//# path is congested, or 2 * `lost` is greater than `arrived` + `slow_start_losses`.
bool EndsSlowStart(const PathState& path, const Block& block, bool congested,
                   const Profile& profile) {
  return block.marks > 0 || (block.lost > 0 && congested) ||
         2 * uint64_t{path.lost} > path.arrived + profile[spec::Constant::kSlowStartLosses];
}

//= CC-SLOW-START-END
//# `slow` = 0, `w` = max(`window_min`, `w` >> 1), `alpha` = 32768, `first` = 1, `skip` = 1 and
//# `clean` = 0.
void EndSlowStart(PathState& path, const Profile& profile) {
  path.slow = false;
  path.w = std::max(static_cast<uint32_t>(profile[spec::Constant::kWindowMin]), path.w >> 1);
  path.alpha = 32768;
  path.first = true;
  path.skip = true;
  path.clean = 0;
}

//= CC-SLOW-START
//# While `slow` is 1, a block that newly acknowledges k records adds k << 16 to `w`, up to 256 <<
//# 16, if [CC-LIMITED] allows growth.
void GrowSlowly(PathState& path, uint32_t acknowledged) {
  if (!path.slow || !MayGrow(path)) return;
  path.w = std::min(kWindowMax, path.w + (acknowledged << 16));
}

//= CC-INCREASE
//# A = max(`increase_min`, (BDP(r, t) >> `increase_shift`) / max(1, n)).
uint64_t Increase(uint64_t rate, Nanoseconds t, uint32_t n, uint64_t kb, const Profile& profile) {
  return std::max(
      profile[spec::Constant::kIncreaseMin],
      (Bdp(rate, t, kb) >> profile[spec::Constant::kIncreaseShift]) / std::max<uint32_t>(1, n));
}

void EndRound(PathState& path, bool congested, uint64_t increase, const Profile& profile) {
  //= CC-ROUND-END
  //# At the end of a round, if `slow` is 1, nothing is done. Else, if `skip` is 1, `skip` becomes 0
  //# and nothing else is done.
  if (path.slow) return;
  if (path.skip) {
    path.skip = false;
    return;
  }
  //= CC-ROUND-END
  //# num = (`ce` << 16) + (`lost` << 16) if c is 1, else num = (`ce` << 16) + ((`lost` << 16) >>
  //# `loss_shift`).
  const uint64_t lost = uint64_t{path.lost} << 16;
  const uint64_t num =
      (uint64_t{path.ce} << 16) + (congested ? lost : lost >> profile[spec::Constant::kLossShift]);
  //= CC-ROUND-END
  //# F = 0 if `arrived` + `lost` is 0, else F = min(65536, num / (`arrived` + `lost`)).
  const uint64_t all = uint64_t{path.arrived} + path.lost;
  const int64_t f = static_cast<int64_t>(all == 0 ? 0 : std::min<uint64_t>(65536, num / all));
  //= CC-ROUND-END
  //# If `first` is 1: `alpha` = F and `first` = 0.
  const int64_t alpha = path.alpha;
  if (path.first) {
    path.alpha = static_cast<uint32_t>(f);
    path.first = false;
  } else {
    const spec::Constant shift =
        f > alpha ? spec::Constant::kAlphaUpShift : spec::Constant::kAlphaDownShift;
    path.alpha = static_cast<uint32_t>(alpha + ((f - alpha) >> profile[shift]));
  }
  //= CC-ROUND-END
  //# `w` = `w` - ((`w` * d) >> 17); `clean` = 0; `skip` = 1 if `ce` is above 0.
  const bool lossy = path.ce > 0 || path.lost > 0;
  uint64_t w = path.w;
  if (lossy) {
    const uint64_t d = path.ce == 0 && !congested
                           ? std::min<uint64_t>(path.alpha, static_cast<uint64_t>(f))
                           : path.alpha;
    w -= (w * d) >> 17;
    path.clean = 0;
    path.skip = path.ce > 0;
  }
  //= CC-ROUND-END
  //# a = ((A * (65536 - `alpha`)) >> 16) << min(`clean` / `clean_rounds`, `clean_doublings`); `w` =
  //# `w` + min(a, max(`w` >> 1, A)).
  if (MayGrow(path)) {
    if (!lossy) ++path.clean;
    const uint64_t doublings =
        std::min<uint64_t>(path.clean / profile[spec::Constant::kCleanRounds],
                           profile[spec::Constant::kCleanDoublings]);
    const uint64_t a = ((increase * (65536 - path.alpha)) >> 16) << doublings;
    w += std::min(a, std::max(w >> 1, increase));
  }
  //= CC-ROUND-END
  //# `w` = clamp(`w`, `window_min`, 256 << 16).
  path.w = Clamp(w, profile);
}

//= CC-ROUND-BEGIN
//# `history` becomes ((`history` << 1) + h) modulo 16, with h = 1 if `ce` is above 0 or `skip` was
//# 1 when the round ended, before [CC-ROUND-END], and else 0;
void NextRound(PathState& path, bool skipped, Nanoseconds now) {
  const uint8_t h = path.ce > 0 || skipped ? 1 : 0;
  path.history = static_cast<uint8_t>(((path.history << 1) + h) % 16);
  path.marked_before = RunningMarked(path);
  path.limited_before = path.limited;
  path.limited = false;
  path.ce = 0;
  path.arrived = 0;
  path.lost = 0;
  path.round_start = now;
}

//= CC-RTO
//# At an RTO_STAYS, `w` = min(`w`, max(`w` >> 2, 65536)) and `slow` = 0.
void RtoStays(PathState& path) {
  path.w = std::min(path.w, std::max<uint32_t>(path.w >> 2, 65536));
  path.slow = false;
}

}  // namespace metaroce::congestion
