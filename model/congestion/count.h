// How many paths a direction aims at, and which of them should take another entropy (sections 8.11
// and 8.12).
#ifndef METAROCE_MODEL_CONGESTION_COUNT_H_
#define METAROCE_MODEL_CONGESTION_COUNT_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "model/congestion/units.h"
#include "model/congestion/window.h"
#include "model/profile.h"

namespace metaroce::congestion {

// The target of a connection that opens. `bdp` is that of the port share and the handshake RTT, in
// Q16.16; `most` is L.
inline uint32_t BaseTarget(uint64_t bdp, uint32_t most, const Profile& profile) {
  //= COUNT-BASE
  //# base = clamp(max((5 * b + 2^26 - 1) >> 26, `path_diversity`), 1, L)
  const uint64_t paths = (5 * bdp + (1 << 26) - 1) >> 26;
  return static_cast<uint32_t>(
      std::clamp<uint64_t>(std::max(paths, profile[spec::Constant::kPathDiversity]), 1, most));
}

// The most that the target may grow to, G. `bdp` is that of the reference rate and the minRTT.
inline uint32_t GrowthLimit(uint32_t base, uint64_t bdp, uint32_t most) {
  //= COUNT-GROW
  //# G = max(base, min(L, (2 * BDP(r, minRTT of the connection) + 2^24 - 1) >> 24))
  const uint64_t paths = (2 * bdp + (1 << 24) - 1) >> 24;
  return std::max(base, static_cast<uint32_t>(std::min<uint64_t>(most, paths)));
}

// Whether the windows are full enough that the target grows; n open paths.
inline bool WindowsFull(uint64_t sum, uint32_t n, bool slow) {
  //= COUNT-GROW
  //# If an ACTIVE path has `slow` = 1: if 4 * sum is at least (256 * n) << 16
  if (slow) return 4 * sum >= (uint64_t{256} * n) << 16;
  //= COUNT-GROW
  //# if 8 * sum is at least (1792 * n) << 16
  return 8 * sum >= (uint64_t{1792} * n) << 16;
}
inline uint32_t GrownTarget(uint32_t target, uint32_t limit, uint32_t n, bool slow) {
  //= COUNT-GROW
  //# the target becomes max(target, min(G, n + (n + 3) / 4)).
  return std::max(target, std::min(limit, slow ? 2 * n : n + (n + 3) / 4));
}

// Whether the time since the target grew, `e`, is long enough for it to grow again.
inline bool GrowthDue(Nanoseconds e, Nanoseconds srtt, bool slow) {
  //= COUNT-GROW
  //# and e is at least SRTT of the connection
  if (slow) return e >= srtt;
  //= COUNT-GROW
  //# and e is at least 2 * SRTT
  return e >= 2 * srtt;
}

// Whether the target and the window Wp want one more path than the `open` ones; `planes` are up.
inline bool WantsPath(uint32_t open, uint32_t target, uint64_t wp, uint32_t planes) {
  //= COUNT-OPEN
  //# the open paths are fewer than the target; (2 * o) << 16 is less than Wp, or o less than the
  //# number of planes that are up, with o the number of open paths;
  return open < target && (uint64_t{2 * open} << 16 < wp || open < planes);
}

// Counts a round with n ACTIVE paths; true if a path is to be closed.
inline bool CountNarrow(uint32_t* narrow, uint32_t n, uint64_t wp, const Profile& profile) {
  //= COUNT-SHRINK
  //# the direction's count `narrow`, 0 at first, grows by one if (2 * n) << 16 is greater than Wp, n
  //# the number of ACTIVE paths, and else becomes 0.
  *narrow = uint64_t{2 * n} << 16 > wp ? *narrow + 1 : 0;
  if (*narrow == 0 || *narrow < profile[spec::Constant::kShrinkRounds] * n) return false;
  *narrow = 0;
  return true;
}

// Whether one may be closed of `open` paths, `steady` of which are ACTIVE and do not drain; `least`
// is the base.
inline bool MayClose(uint32_t open, uint32_t least, uint32_t steady) {
  //= COUNT-SHRINK
  //# None is closed if the open paths are not more than base, or if that path is path 0 or the only
  //# ACTIVE one that does not drain.
  return open > least && steady > 1;
}
inline uint32_t TargetOfClose(uint32_t open, uint32_t least) {
  //= COUNT-SHRINK
  //# the target becomes max(base, open paths less one)
  return std::max(least, open - 1);
}

// n ACTIVE paths; `sum` is that of their windows.
inline bool PersistentlyMarked(const PathState& path, uint32_t n, uint64_t sum,
                               const Profile& profile) {
  //= REENTROPY-MARKED
  //# 2 or more bits of its `history` are set, `alpha` is `reentropy_alpha` or more, and 4 * `w` * n
  //# is at most 3 * sum.
  return std::popcount(path.history) >= 2 &&
         path.alpha >= profile[spec::Constant::kReentropyAlpha] &&
         uint64_t{4} * path.w * n <= 3 * sum;
}

}  // namespace metaroce::congestion

#endif  // METAROCE_MODEL_CONGESTION_COUNT_H_
