// The vectors that --vectors names: a tree, or a bundle.
#ifndef METAROCE_TOOLS_METAROCE_SUITE_H_
#define METAROCE_TOOLS_METAROCE_SUITE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "vectors/bundle/bundle.h"
#include "vectors/manifest.h"

namespace metaroce::cli {

struct Suite {
  vectors::Tree tree;
  vectors::RetiredList retired;
  bool bundle = false;
  // Why these are not the vectors that were published with the text of this program, a sentence
  // each; empty if they are.
  std::vector<std::string> differences;
};

// An error if there is nothing of the kind, no vector in it, or a bundle that is refused. With
// `compare`, what a tree's MANIFEST and a bundle's text say against it becomes `differences`.
absl::StatusOr<Suite> LoadSuite(const std::string& path, bool compare);

}  // namespace metaroce::cli

#endif  // METAROCE_TOOLS_METAROCE_SUITE_H_
