// A rule that a packet to be sent breaks, before it becomes a sentence.
#ifndef METAROCE_MODEL_WIRE_PACKET_VIOLATION_H_
#define METAROCE_MODEL_WIRE_PACKET_VIOLATION_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "model/wire/packet/packet.h"

namespace metaroce::packet {

// `field` `relation` `bound` does not hold, by `clause`.
struct Violation {
  std::string_view field;     // "layout.field", or without layout if that is set below
  uint64_t value;             // what it is
  std::string_view relation;  // "must be", "must be at most", ...
  uint64_t bound;
  spec::Clause clause;
  std::string_view layout = {};
};

// Nothing is broken, or this is. Empty costs one byte to return, in a check that nearly always
// finds nothing.
using Finding = std::optional<Violation>;

// InvalidArgumentError with a full sentence.
absl::Status ToStatus(const Violation& violation);

}  // namespace metaroce::packet

#endif  // METAROCE_MODEL_WIRE_PACKET_VIOLATION_H_
