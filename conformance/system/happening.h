// What happens at the two ends of a vector of level system, and what is expected of them.
#ifndef METAROCE_CONFORMANCE_SYSTEM_HAPPENING_H_
#define METAROCE_CONFORMANCE_SYSTEM_HAPPENING_H_

#include <cstdint>

#include "conformance/dut.pb.h"
#include "conformance/play/script.h"
#include "conformance/system/network.h"

namespace metaroce::conformance {

inline const char* NameOf(End end) { return end == End::kDut ? "the DUT" : "the peer"; }

// A stimulus that will be given.
struct Given {
  uint64_t at = 0;
  int step = 0;
  uint32_t k = 0;      // of its burst
  uint64_t began = 0;  // when that did
};

// Something that happened at one end: an event of it, or what it was given.
struct Happening {
  End end = End::kDut;
  bool given = false;
  Given step;  // given: of the vector, unless `arrives`
  bool arrives = false;
  dut::Event event;  // its time; given: the frame that arrives
};

// An expectation of the vector.
struct Expected {
  Waiting waiting;
  End end = End::kDut;
  bool memory = false;
  bool met = false;  // or, of `nothing`, over
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_SYSTEM_HAPPENING_H_
