// The records of chapter 15 for the level `codec`: a frame as named values, and back
// [CONF-CODEC-FRAME, CONF-CODEC-PACKET, CONF-ENCODE, CONF-CANONICAL].
//
// BuildFromFields(Fields(x)) is x for each canonical frame x. Neither shares code with Parse and
// Serialize but the layers below the transport.
#ifndef METAROCE_MODEL_WIRE_PACKET_FIELDS_H_
#define METAROCE_MODEL_WIRE_PACKET_FIELDS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/wire/packet/dissect.h"

namespace metaroce::packet {

// The fields that Decode gives, in the order of the bytes. Precondition: `frame` was parsed from
// `bytes`. For a frame that Parse refuses, as many as can be told.
std::vector<NamedValue> Fields(const frame::Frame& frame, Bytes bytes);

// The one canonical frame with these fields; those that are not given have the defaults of the
// tables. InvalidArgumentError, with name, value and bound, where there is none: an unknown or
// doubled name, a field that a packet of this opcode has not, a number where data belongs or the
// other way round, a value too great, data of a wrong length, a gap in the indices, a derived
// field, or a frame that would not pass the checks on the bytes alone.
absl::StatusOr<std::vector<uint8_t>> BuildFromFields(absl::Span<const NamedValue> fields);

}  // namespace metaroce::packet

#endif  // METAROCE_MODEL_WIRE_PACKET_FIELDS_H_
