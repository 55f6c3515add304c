// Samples of a path, and the waits that are computed from its round-trip times (sections 7.5, 7.6).
// Nanoseconds.
#ifndef METAROCE_MODEL_PATH_WAITS_H_
#define METAROCE_MODEL_PATH_WAITS_H_

#include <algorithm>
#include <cstdint>

#include "model/path/rtt.h"
#include "model/profile.h"
#include "model/serial.h"
#include "spec/tables.h"

namespace metaroce {

// An arrival at `now` of what echoes a time on the wire that was held for `hold`.
inline int32_t RoundTrip(Nanoseconds now, uint32_t echo, uint32_t hold) {
  return static_cast<int32_t>(static_cast<uint32_t>(now) - echo - hold);
}

// True if the first block of an ACK gives a sample; `echo` is whole, and `sampled` the newest that
// gave one.
inline bool GivesSample(bool has_echo, Nanoseconds echo, Nanoseconds sampled, uint32_t hold,
                        int32_t round_trip) {
  //= RTT-SAMPLE
  //# carries an echo newer than `sampled`, `hold` is not all ones, and the arrival time of the ACK
  //# less `echo` less `hold`, as a signed number of 32 bits, is greater than 0.
  return has_echo && echo > sampled && hold != UINT32_MAX && round_trip > 0;
}

// The first sample of an epoch whose PATH_OPEN was transmitted at `opened`.
inline Nanoseconds OpenedSample(Nanoseconds now, Nanoseconds opened, uint32_t echo, uint32_t hold) {
  const int32_t sample = RoundTrip(now, echo, hold);
  if (hold != UINT32_MAX && sample > 0 && WireTime(echo) == ToWire(opened)) return sample;
  //= RTT-OPENED
  //# Else the first sample is the time from the transmission of the PATH_OPEN to the arrival of the
  //# PATH_ACCEPT.
  return std::max<Nanoseconds>(1, now - opened);
}

// From b to the deadline of the first PROBE; r is R.
inline Nanoseconds FirstProbeWait(Nanoseconds r, const Profile& profile) {
  //= LADDER-FIRST
  //# The deadline of the first PROBE is b + R + (R >> 2) + `probe_delay`.
  return r + (r >> 2) + profile.Time(spec::Constant::kProbeDelay);
}

inline Nanoseconds ProbeGap(const Rtt& rtt, const Profile& profile) {
  //= LADDER-BURST
  //# Their gaps are max(SRTT >> 2, `probe_gap_min`)
  return std::max(rtt.srtt() >> 2, profile.Time(spec::Constant::kProbeGapMin));
}

inline Nanoseconds VerdictWait(const Rtt& rtt, Nanoseconds r, const Profile& profile) {
  //= LADDER-VERDICT
  //# The verdict falls R + max(R >> 2, 4 * RTTVAR) + `probe_delay` after the transmission of the
  //# third PROBE
  return r + std::max(r >> 2, 4 * rtt.rttvar()) + profile.Time(spec::Constant::kProbeDelay);
}

// The wait before expiry k >= 1 of the RTO; `alone` if no path of the direction is ACTIVE.
inline Nanoseconds RtoWait(const Rtt& rtt, uint32_t k, bool alone, const Profile& profile) {
  const Nanoseconds max = profile.Time(spec::Constant::kRtoMax);
  //= RTO-WAIT
  //# If none does, it is min(`rto_max`, max(2 * SRTT, `rto_alone_min`)).
  if (alone)
    return std::min(max, std::max(2 * rtt.srtt(), profile.Time(spec::Constant::kRtoAloneMin)));
  //= RTO-WAIT
  //# RTO = clamp(SRTT + max(`rto_variance_min`, 4 * RTTVAR) + `probe_delay`, `rto_min`, `rto_max`).
  const Nanoseconds variance =
      std::max(profile.Time(spec::Constant::kRtoVarianceMin), 4 * rtt.rttvar());
  const Nanoseconds rto =
      std::min(std::max(rtt.srtt() + variance + profile.Time(spec::Constant::kProbeDelay),
                        profile.Time(spec::Constant::kRtoMin)),
               max);
  //= RTO-WAIT
  //# it is min(`rto_max`, RTO << (k - 1))
  return k > 20 ? max : std::min(max, rto << (k - 1));
}

}  // namespace metaroce

#endif  // METAROCE_MODEL_PATH_WAITS_H_
