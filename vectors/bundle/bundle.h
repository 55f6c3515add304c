// A suite in one file.
//
//   line    "metaroce bundle 1 SHA256\n", the SHA-256 of the head in hexadecimal
//   head    a BundleHead (bundle.proto), with its length as a varint before it
//   vectors a Vector each, the same way, as the head lists them
//
// So each byte stands under exactly one checksum, and whatever reads length-delimited protobuf
// reads the file from behind its first line on. The same vectors give the same bytes.
#ifndef METAROCE_VECTORS_BUNDLE_BUNDLE_H_
#define METAROCE_VECTORS_BUNDLE_BUNDLE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vectors/bundle/bundle.pb.h"
#include "vectors/manifest.h"
#include "vectors/spec_index.h"

namespace metaroce::vectors {

inline constexpr size_t kMaxBundleBytes = size_t{256} << 20;

struct Bundle {
  std::string spec_version;
  std::string spec_hash;
  Tree tree;  // without texts; `findings` are those of lint.h
  RetiredList retired;
};

// The bundle of these vectors, which have no findings. FailedPreconditionError with the first
// finding of a vector or of the list.
absl::StatusOr<std::string> WriteBundle(const Tree& tree, const RetiredList& retired,
                                        const SpecIndex& index);

// InvalidArgumentError "file: member: sentence" for bytes that are no bundle, or one that is cut,
// longer than it says, does not have its checksums, has a member that nobody knows, or whose list
// of retired ids is wrong.
absl::StatusOr<Bundle> ReadBundle(absl::string_view bytes, absl::string_view file,
                                  const SpecIndex& index);

// ReadBundle of the file at `path`.
absl::StatusOr<Bundle> LoadBundle(const std::string& path, const SpecIndex& index);

// How the text of the bundle differs from this one, "file: member: sentence"; empty if it does not.
std::string DifferenceOfText(const Bundle& bundle, absl::string_view file, const SpecIndex& index);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_BUNDLE_BUNDLE_H_
