// The vectors of a tree, and the list of their checksums.
//
// A vector lies at LEVEL/.../ID.json below the root of the tree, one of level block at
// block/BLOCK/.../ID.json. MANIFEST, in the root, has a line for each: the SHA-256 of the file in
// hexadecimal, two blanks, and its path below the root; sorted by path. `sha256sum -c MANIFEST`
// reads it.
#ifndef METAROCE_VECTORS_MANIFEST_H_
#define METAROCE_VECTORS_MANIFEST_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::vectors {

struct StoredVector {
  std::string path;  // below the root, with '/'
  std::string text;  // of the file
  Vector vector;
  std::vector<std::string> findings;  // of lint.h, a doubled id, a wrong place: "path: sentence"
};

// A file that is no vector.
struct Unreadable {
  std::string path;
  std::string sentence;
  std::string text;  // of the file, as far as it could be read
};

struct Tree {
  std::vector<StoredVector> vectors;   // sorted by path; those that could be read
  std::vector<Unreadable> unreadable;  // sorted by path

  // All findings and all that is unreadable, "path: sentence" each.
  std::vector<std::string> Findings() const;
};

// The most files that are read.
inline constexpr size_t kMaxFiles = 20000;

// Reads every .json file in the folders codec, block, endpoint and system below `root`. Other files
// are no business of it. An error only if `root` is no folder or has more than kMaxFiles.
absl::StatusOr<Tree> LoadTree(const std::string& root, const SpecIndex& index);

// Why the vector does not belong at `path` below the root; empty if it does.
std::string FaultOfPlace(absl::string_view path, const Vector& vector);

// Where the vector belongs below the root if it is put into no further folder: "codec/ID.json".
std::string DefaultPath(const Vector& vector);

// The text of MANIFEST for these vectors.
std::string WriteManifest(const std::vector<StoredVector>& vectors);

// OK if `manifest` names exactly these vectors with these checksums, in order. Otherwise
// FailedPreconditionError that names the first vector that differs, and how.
absl::Status CheckManifest(absl::string_view manifest, const std::vector<StoredVector>& vectors);

// How the vectors of `tree`, which was loaded from `root`, differ from the MANIFEST there: a file
// with another checksum, one that MANIFEST lacks, one that it has and that is not there, no
// MANIFEST at all. A sentence each, in the order of the paths, the first few and then how many
// more.
std::vector<std::string> CompareWithManifest(const std::string& root, const Tree& tree);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_MANIFEST_H_
