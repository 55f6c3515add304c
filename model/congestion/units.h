// Rates and windows in one measure: the full packets that a rate carries in a time (section 8.1).
#ifndef METAROCE_MODEL_CONGESTION_UNITS_H_
#define METAROCE_MODEL_CONGESTION_UNITS_H_

#include <algorithm>
#include <cstdint>

#include "model/serial.h"

namespace metaroce::congestion {

// Some products of section 8 need more than 64 bits with the widest units.
__extension__ typedef __int128 Wide;

// Of a connection with the agreed `hint_unit` (1 to 65535 Mb/s) and S bytes in a full packet.
constexpr uint64_t Kb(uint64_t unit, uint64_t full_packet) {
  //= CC-KB
  //# `KB` = (2^40 * U + 4000 * S) / (8000 * S).
  return ((unit << 40) + 4000 * full_packet) / (8000 * full_packet);
}

// The full packets, in Q16.16, that `rate` units carry in `t` >= 0 nanoseconds.
constexpr uint64_t Bdp(uint64_t rate, Nanoseconds t, uint64_t kb) {
  //= CC-BDP
  //# min(2^40, (((r * min(t, 2^30)) >> 8) * `KB`) >> 16).
  const uint64_t capped = static_cast<uint64_t>(std::min<Nanoseconds>(t, Nanoseconds{1} << 30));
  const Wide product = static_cast<Wide>((rate * capped) >> 8) * static_cast<Wide>(kb);
  return static_cast<uint64_t>(std::min<Wide>(Wide{1} << 40, product >> 16));
}

//= CC-SHARE
//# The port share of a connection is clamp((p / q) / U, 1, 65534).
constexpr uint32_t Share(uint64_t mbps, uint64_t connections, uint64_t unit) {
  return static_cast<uint32_t>(std::clamp<uint64_t>(mbps / connections / unit, 1, 65534));
}

}  // namespace metaroce::congestion

#endif  // METAROCE_MODEL_CONGESTION_UNITS_H_
