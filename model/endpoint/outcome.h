// What a step of an endpoint does to the world, in order.
#ifndef METAROCE_MODEL_ENDPOINT_OUTCOME_H_
#define METAROCE_MODEL_ENDPOINT_OUTCOME_H_

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "model/serial.h"

namespace metaroce {

// A frame leaves by a plane.
struct FrameOut {
  std::vector<uint8_t> bytes;
  uint8_t plane = 0;

  bool operator==(const FrameOut&) const = default;
};

// Payload is written to memory (MSG-PLACE).
struct Placement {
  uint64_t address = 0;
  std::vector<uint8_t> data;

  bool operator==(const Placement&) const = default;
};

// The application is told that a receive is complete (MSG-RECEIVE-COMPLETION).
struct ReceiveCompletion {
  uint64_t id = 0;
  uint32_t length = 0;  // bytes
  std::optional<uint32_t> immediate;
  std::optional<uint32_t> invalidated;
  bool success = true;

  bool operator==(const ReceiveCompletion&) const = default;
};

struct Event {
  Nanoseconds at = 0;
  std::variant<FrameOut, Placement, ReceiveCompletion> what;

  bool operator==(const Event&) const = default;
};

using Outcome = std::vector<Event>;

}  // namespace metaroce

#endif  // METAROCE_MODEL_ENDPOINT_OUTCOME_H_
