// A history that the explorer found, made into a vector of level endpoint: one side is the device.
#ifndef METAROCE_FUZZ_PROMOTE_FROM_HISTORY_H_
#define METAROCE_FUZZ_PROMOTE_FROM_HISTORY_H_

#include "absl/status/statusor.h"
#include "conformance/play/codec.h"
#include "fuzz/explore/search.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::explore {

// What side 0 or 1 was given in the history, with the expectations that the model of this program
// has. The words that a person says of it are to be changed. UnimplementedError if a vector cannot
// begin as the scenario does; InvalidArgumentError if the history is empty or too long.
absl::StatusOr<vectors::Vector> AsVector(const Scenario& scenario, const Result& result, int side,
                                         const vectors::SpecIndex& index,
                                         const conformance::PacketCodec& codec);

}  // namespace metaroce::explore

#endif  // METAROCE_FUZZ_PROMOTE_FROM_HISTORY_H_
