// An algorithm that follows delay and not marks, to show that the interface of section 8.13 bears
// one.
//
// After G. Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
// Datacenter", SIGCOMM 2020, Algorithm 1 and section 3.5 (scaling with the number of flows), path
// by path and in integers. minRTT of the path stands for the base and the hops of its target delay.
// Its pacing of windows below one packet is left out: such a path sends when nothing is in flight
// on it.
#ifndef METAROCE_MODEL_CONGESTION_DELAY_H_
#define METAROCE_MODEL_CONGESTION_DELAY_H_

#include "model/congestion/custom.h"

namespace metaroce::congestion {

// "delay".
extern const Algorithm kDelay;

// 1 / sqrt(w), both in Q16.16, w above 0, rounded down.
uint64_t InverseRoot(uint64_t w);
// The delay at which w neither grows nor falls. `values` are the parameters.
Nanoseconds TargetDelay(absl::Span<const uint64_t> values, uint32_t w, Nanoseconds min_rtt);

}  // namespace metaroce::congestion

#endif  // METAROCE_MODEL_CONGESTION_DELAY_H_
