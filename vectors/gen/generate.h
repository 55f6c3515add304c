// All vectors of the published tree: those made from the cases, and those that are kept.
//
// A counter-example that `metaroce vector promote` wrote has the provenance `shrink` and comes from
// no case. Its file is the source, and stays as it is.
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
// first case that makes no sense, that the model contradicts, whose id another case has, or whose
// vector lint.h refuses.
absl::StatusOr<std::vector<StoredVector>> GenerateAll(const std::string& cases_root,
                                                      const SpecIndex& index);

// Adds the vectors below `root` that are kept, in the order of the paths. InvalidArgumentError
// "PATH: sentence" for one that lint.h refuses, that does not lie where it belongs, is not in
// canonical form, or has the id of another; for one, made or kept, whose id is retired; and for a
// file that cannot be read, which nobody may remove before somebody looked at it.
absl::Status AddKept(const std::string& root, const SpecIndex& index,
                     std::vector<StoredVector>* vectors);

// Writes them, and MANIFEST, below `root`, and removes vectors that are neither made nor kept.
absl::Status WriteAll(const std::vector<StoredVector>& vectors, const std::string& root);

// OK if `root` holds exactly these files with exactly these bytes. Otherwise
// FailedPreconditionError that names the first file that differs, and how.
absl::Status CheckAll(const std::vector<StoredVector>& vectors, const std::string& root);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_GEN_GENERATE_H_
