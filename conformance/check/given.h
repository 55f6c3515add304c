// What a side was given, by the network, its application and its operator. All but the packets is
// what must have happened for the side to send what it sent.
#ifndef METAROCE_CONFORMANCE_CHECK_GIVEN_H_
#define METAROCE_CONFORMANCE_CHECK_GIVEN_H_

#include <cstddef>
#include <cstdint>

#include "conformance/check/trace.h"
#include "model/connection/outbound.h"

namespace metaroce::check {

// As many are kept of a side: more than a vector has steps.
inline constexpr size_t kMostGiven = 1024;

struct Given {
  enum class Kind : uint8_t { kPacket, kReceive, kWork, kClose, kDeny, kLift, kDrain, kPort };
  Kind kind = Kind::kPacket;
  Nanoseconds at = 0;
  const Record* record = nullptr;  // kPacket: as it arrived
  WorkRequest work;                // kWork: as far as its packets tell
  uint8_t number = 0;              // of the path, or of the plane
  bool on = false;                 // kDrain: to be closed. kPort: up
};

}  // namespace metaroce::check

#endif  // METAROCE_CONFORMANCE_CHECK_GIVEN_H_
