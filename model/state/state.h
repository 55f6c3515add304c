// The state of an endpoint as a plain value: saved and restored, compared, hashed, printed, and as
// a protobuf. All of it goes through the lists of fields.h.
#ifndef METAROCE_MODEL_STATE_STATE_H_
#define METAROCE_MODEL_STATE_STATE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "model/endpoint/endpoint.h"
#include "model/state/tree.pb.h"

namespace metaroce::state {

// Whether the counters of the text are part of the state: they tell what was, and change nothing
// of what follows.
enum class Counters : uint8_t { kWithout, kWith };

// Appends the state to `*out`. Two endpoints of equal settings whose bytes are equal behave alike.
void Save(const endpoint::Endpoint& endpoint, Counters counters, std::string* out);

// Gives `*endpoint`, which has the settings of the one that was saved, that state. With
// Counters::kWithout its counters stay. InvalidArgumentError if the bytes are no state; then
// `*endpoint` is not to be used.
absl::Status Restore(absl::string_view bytes, Counters counters, endpoint::Endpoint* endpoint);

// A line for each value that is not zero, indented by its place.
std::string Print(const endpoint::Endpoint& endpoint);

Node ToProto(const endpoint::Endpoint& endpoint);
// InvalidArgumentError with the place if a name is not the one of the list.
absl::Status FromProto(const Node& node, endpoint::Endpoint* endpoint);

}  // namespace metaroce::state

#endif  // METAROCE_MODEL_STATE_STATE_H_
