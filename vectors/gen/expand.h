// Cases made into vectors.
#ifndef METAROCE_VECTORS_GEN_EXPAND_H_
#define METAROCE_VECTORS_GEN_EXPAND_H_

#include "absl/status/statusor.h"
#include "vectors/gen/case.pb.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::vectors {

// The vector of one case. InvalidArgumentError "ID: step N: sentence" where the case makes no
// sense, and where the model contradicts what the case demands.
absl::StatusOr<Vector> Expand(const CaseFile& file, const Case& c, const SpecIndex& index);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_GEN_EXPAND_H_
