// A failing vector made small: steps go as long as the device fails by the same clause.
#ifndef METAROCE_CONFORMANCE_PROMOTE_SHRINK_H_
#define METAROCE_CONFORMANCE_PROMOTE_SHRINK_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/play/codec.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::promote {

// Plays vectors to the device, in their order, and says which is the first that it fails by the
// clause; nothing if none is.
using FirstThatFails = std::function<absl::StatusOr<std::optional<size_t>>(
    const std::vector<const vectors::Vector*>& vectors)>;

struct Shrunk {
  vectors::Vector vector;
  std::set<int> made;  // indices of the steps of it that are the model's
  int attempts = 0;    // vectors that were tried
};

// A vector that fails like `vector`, that FaultOf does not refuse, and of which no stimulus with
// what is expected behind it, and no single expectation, can go. Where the rest of the steps no
// longer agrees with the model, its expectations are told anew (Retold). `made` are the
// indices of the steps that are the model's from the first, `last` that of the step at which the
// device fails. An error is one of `fails`.
absl::StatusOr<Shrunk> Shrink(const vectors::Vector& vector, const std::set<int>& made, int last,
                              const FirstThatFails& fails, const vectors::SpecIndex& index,
                              const conformance::PacketCodec& codec);

}  // namespace metaroce::promote

#endif  // METAROCE_CONFORMANCE_PROMOTE_SHRINK_H_
