// All vectors of the published tree, from the cases.
#ifndef METAROCE_VECTORS_GEN_GENERATE_H_
#define METAROCE_VECTORS_GEN_GENERATE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "vectors/manifest.h"
#include "vectors/spec_index.h"

namespace metaroce::vectors {

// Reads every .textproto below `cases_root` and makes its vectors, sorted by path. The same cases
// and the same text give the same bytes everywhere. InvalidArgumentError "FILE: ID: ..." for the
// first case that makes no sense, that the model contradicts, or whose vector lint.h refuses.
absl::StatusOr<std::vector<StoredVector>> GenerateAll(const std::string& cases_root,
                                                      const SpecIndex& index);

// Writes them, and MANIFEST, below `root`, and removes vectors that are no longer made.
absl::Status WriteAll(const std::vector<StoredVector>& vectors, const std::string& root);

// OK if `root` holds exactly these files with exactly these bytes. Otherwise
// FailedPreconditionError that names the first file that differs, and how.
absl::Status CheckAll(const std::vector<StoredVector>& vectors, const std::string& root);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_GEN_GENERATE_H_
