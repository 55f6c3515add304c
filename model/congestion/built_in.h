// The windows of paths as the algorithm of this text moves them (sections 8.2 to 8.5). Functions of
// their arguments alone; who calls them when stands in model/endpoint/congestion.cc.
#ifndef METAROCE_MODEL_CONGESTION_BUILT_IN_H_
#define METAROCE_MODEL_CONGESTION_BUILT_IN_H_

#include <algorithm>
#include <cstdint>

#include "model/congestion/units.h"
#include "model/congestion/window.h"
#include "model/profile.h"

namespace metaroce::congestion {

inline constexpr uint32_t kWindowMax = 256 << 16;

// w between its bounds.
inline uint32_t Clamp(uint64_t w, const Profile& profile) {
  return static_cast<uint32_t>(
      std::clamp<uint64_t>(w, profile[spec::Constant::kWindowMin], kWindowMax));
}

// The first state of an epoch, but for w and `slow`.
void BeginEpoch(PathState& path, Nanoseconds now);

// Where w begins: of path 0; of a path that was not ACTIVE since it was FREE; of one that was.
// `mean` is the mean window of the others.
uint32_t FirstWindow(const Profile& profile);
uint32_t AddedWindow(uint64_t mean, const Profile& profile);
uint32_t AgainWindow(uint32_t w, uint64_t mean, bool drained, const Profile& profile);

// After the direction was idle; n paths are ACTIVE.
void Restart(PathState& path, uint32_t n, Nanoseconds now, const Profile& profile);

inline bool RunningMarked(const PathState& path) {
  //= CC-CONGESTED
  //# The running round is marked when `ce` is above 0 and 2 * `ce` is at least `arrived`.
  return path.ce > 0 && 2 * path.ce >= path.arrived;
}
// `in_flight` packets; the last sample and the minRTT of the path.
bool Congested(const PathState& path, uint32_t in_flight, Nanoseconds last_rtt, Nanoseconds min_rtt,
               const Profile& profile);

inline bool MayGrow(const PathState& path) {
  //= CC-LIMITED
  //# A window grows only if `limited` or `limited_before` is 1.
  return path.limited || path.limited_before;
}

// True if this block, whose marks and losses are counted already, ends slow start.
bool EndsSlowStart(const PathState& path, const Block& block, bool congested,
                   const Profile& profile);
void EndSlowStart(PathState& path, const Profile& profile);
void GrowSlowly(PathState& path, uint32_t acknowledged);

// A of CC-INCREASE: `rate` and `t` as that clause says, n ACTIVE paths.
uint64_t Increase(uint64_t rate, Nanoseconds t, uint32_t n, uint64_t kb, const Profile& profile);
// CC-ROUND-END. `increase` is A.
void EndRound(PathState& path, bool congested, uint64_t increase, const Profile& profile);
// CC-ROUND-BEGIN. `skipped`: `skip` was set when the round ended.
void NextRound(PathState& path, bool skipped, Nanoseconds now);

void RtoStays(PathState& path);

}  // namespace metaroce::congestion

#endif  // METAROCE_MODEL_CONGESTION_BUILT_IN_H_
