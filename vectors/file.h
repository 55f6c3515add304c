// Whole files, with a bound.
#ifndef METAROCE_VECTORS_FILE_H_
#define METAROCE_VECTORS_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace metaroce::vectors {

// The contents of the regular file at `path`. NotFoundError, PermissionDeniedError and so on as the
// operating system says; InvalidArgumentError if it is no regular file or longer than `limit`
// bytes.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t limit);

// Writes `contents` to a file beside `path` and renames it: nobody sees half of it. What is no
// regular file (a link, a device, a pipe) is not replaced but written through, without that
// promise.
absl::Status WriteFile(const std::string& path, absl::string_view contents);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_FILE_H_
