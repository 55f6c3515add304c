// A rule that a packet to be sent breaks, before it becomes a sentence.
#ifndef METAROCE_MODEL_WIRE_PACKET_VIOLATION_H_
#define METAROCE_MODEL_WIRE_PACKET_VIOLATION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "model/wire/packet/packet.h"

namespace metaroce::packet {

// `field` `relation` `bound` does not hold, by `clause`. All null: nothing is broken.
struct Violation {
  const char* field = nullptr;     // "layout.field" without its layout if that is not null
  uint64_t value = 0;              // what it is
  const char* relation = nullptr;  // "must be", "must be at most", ...
  uint64_t bound = 0;
  const char* clause = nullptr;
  const char* layout = nullptr;

  bool broken() const { return field != nullptr; }
};

// InvalidArgumentError with a full sentence. Precondition: violation.broken().
absl::Status ToStatus(const Violation& violation);

// What makes a packet impossible to write: see Serialize.
Violation CheckStructure(const Packet& packet);

}  // namespace metaroce::packet

#endif  // METAROCE_MODEL_WIRE_PACKET_VIOLATION_H_
