// What a path block of an ACK says of the books of an epoch, step by step (section 7.2). Who takes
// the steps, and what else follows, stands in model/endpoint/take.cc.
#ifndef METAROCE_MODEL_PATH_BLOCK_H_
#define METAROCE_MODEL_PATH_BLOCK_H_

#include <algorithm>
#include <cstdint>

#include "model/path/send_path.h"
#include "model/profile.h"
#include "spec/layouts.h"
#include "spec/tables.h"

namespace metaroce {

inline bool CarriesEcho(const spec::PathBlock& block) {
  //= TAKE-ECHO
  //# A block carries an echo unless `hold` is all ones and `echo` is 0.
  return block.hold != UINT32_MAX || block.echo != 0;
}

// The whole time of the echo of a block that carries one.
inline Nanoseconds WholeEcho(const SendContext& x, const spec::PathBlock& block) {
  //= TAKE-ECHO
  //# The echo stands for the whole time `latest` - d, where d is `latest` modulo 2^32 less `echo`,
  //# modulo 2^32.
  return x.latest - Nanoseconds{static_cast<uint32_t>(x.latest) - block.echo};
}

// True if a block of this epoch cannot be right: TAKE-BAD-BLOCK but for its second rule.
inline bool Contradicts(const SendContext& x, const spec::PathBlock& block) {
  //= WIRE-BITMAP-ZERO
  //# A block whose bitmap has bit 0 set is a bad block
  if ((block.bitmap[0] & 1) != 0) return true;
  const PathSeq base(block.base);
  //= TAKE-BAD-BLOCK
  //# `base` is beyond `next`, or a set bit of the bitmap stands for a path sequence that is not below
  //# `next`.
  if (base > x.window.next()) return true;
  for (uint32_t i = 4; i-- > 0;) {
    if (block.bitmap[i] == 0) continue;
    const uint32_t highest = i * 64 + 63 - static_cast<uint32_t>(__builtin_clzll(block.bitmap[i]));
    if (base + highest >= x.window.next()) return true;
    break;
  }
  //= TAKE-BAD-BLOCK
  //# It carries an echo, and the echo is later than `latest`, compared as times on the wire.
  //= TERM-TIME
  //# The first is later than the second if d > 0, older if d < 0.
  return CarriesEcho(block) && WireTime(block.echo) - ToWire(x.latest) > 0;
}

// a, m and u of TAKE-COUNTERS.
struct TakenCounts {
  uint16_t arrivals = 0;
  uint16_t marks = 0;
  uint8_t duplicates = 0;
};

inline TakenCounts TakeCounts(SendContext& x, const spec::PathBlock& block) {
  TakenCounts taken;
  //= TAKE-COUNTERS
  //# If a is from 1 to 2^15 - 1 the counters are taken
  const uint16_t arrivals = static_cast<uint16_t>(block.arrivals - x.arrivals);
  if (arrivals == 0 || arrivals >= 0x8000) return taken;
  taken.arrivals = arrivals;
  taken.marks = std::min(static_cast<uint16_t>(block.ce - x.ce), arrivals);
  taken.duplicates = static_cast<uint8_t>(block.duplicates - x.duplicates);
  x.arrivals = block.arrivals;
  x.ce = block.ce;
  x.duplicates = block.duplicates;
  return taken;
}

// Counts a and m into the running round.
inline void CountInRound(congestion::PathState& path, const TakenCounts& taken) {
  //= TAKE-COUNTERS
  //# `arrived` grows by a and `ce` of the round by m [CC-STATE]; `ever_marked` becomes 1 if m is
  //# above 0;
  path.arrived += taken.arrivals;
  path.ce += taken.marks;
  path.ever_marked = path.ever_marked || taken.marks > 0;
}

inline bool ToleranceEnds(const SendContext& x, Nanoseconds now, const Profile& profile) {
  //= TOLERANCE-END
  //# When a block is processed `tolerance_life` or more after the tolerance was last raised, the
  //# tolerance becomes 0
  return x.tolerance > 0 && now - x.tolerance_at >= profile.Time(spec::Constant::kToleranceLife);
}

inline void GrowTolerance(SendContext& x, Nanoseconds now, const Profile& profile) {
  //= TOLERANCE-GROW
  //# the tolerance becomes min(SRTT, max(`tolerance_step`, 2 * tolerance)), and the time is kept.
  x.tolerance = std::min(x.rtt.srtt(),
                         std::max(profile.Time(spec::Constant::kToleranceStep), 2 * x.tolerance));
  x.tolerance_at = now;
}

}  // namespace metaroce

#endif  // METAROCE_MODEL_PATH_BLOCK_H_
