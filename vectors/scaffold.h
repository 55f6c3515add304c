// A vector to begin with.
#ifndef METAROCE_VECTORS_SCAFFOLD_H_
#define METAROCE_VECTORS_SCAFFOLD_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vectors/vector.pb.h"

namespace metaroce::vectors {

// A small vector of that level ("codec", "block" with a block's name, "endpoint", "system") that
// has no findings of lint.h and that a device which keeps the text passes; its texts say what to
// change. InvalidArgumentError if there is no such level or block, or `id` is no id.
absl::StatusOr<Vector> Scaffold(absl::string_view id, absl::string_view level,
                                absl::string_view block);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_SCAFFOLD_H_
