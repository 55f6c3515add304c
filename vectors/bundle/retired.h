// Ids for ever: which vectors there were, and that none of them is changed into another.
#ifndef METAROCE_VECTORS_BUNDLE_RETIRED_H_
#define METAROCE_VECTORS_BUNDLE_RETIRED_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vectors/bundle/bundle.pb.h"
#include "vectors/lint.h"
#include "vectors/manifest.h"

namespace metaroce::vectors {

// The list of a tree, in its root.
inline constexpr char kRetiredFile[] = "retired.textproto";

// The list that `text` holds. InvalidArgumentError "file:line:column: sentence" if it is none.
absl::StatusOr<RetiredList> ParseRetired(absl::string_view text, absl::string_view file);

// The list in the root of a tree; an empty one if there is none.
absl::StatusOr<RetiredList> LoadRetired(const std::string& root);

// Whether vectors are those of a whole text or some of them.
enum class Vectors { kAll, kSome };

// What is wrong with the list beside these vectors: a name that is missing or doubled, an id that a
// vector has, successors in a circle, and, beside all vectors, a successor that is neither a vector
// nor retired.
std::vector<Finding> CheckRetired(const RetiredList& list, const std::vector<StoredVector>& vectors,
                                  Vectors which);

// How `now` breaks what `earlier` promised, "path: member: sentence" each: a vector that is gone
// and not retired, or that gives or expects something else, or binds other devices.
std::vector<std::string> CompareWithEarlier(const Tree& earlier, const Tree& now,
                                            const RetiredList& retired);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_BUNDLE_RETIRED_H_
