#include "tools/metaroce/suite.h"

#include <filesystem>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "vectors/bundle/retired.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::cli {
absl::StatusOr<Suite> LoadSuite(const std::string& path, bool compare) {
  Suite suite;
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) {
    auto bundle = vectors::LoadBundle(path, vectors::SpecTables());
    if (!bundle.ok()) return bundle.status();
    const std::string difference = vectors::DifferenceOfText(*bundle, path, vectors::SpecTables());
    if (compare && !difference.empty()) suite.differences.push_back(difference);
    suite.bundle = true;
    suite.tree = std::move(bundle->tree);
    suite.retired = std::move(bundle->retired);
  } else {
    auto tree = vectors::LoadTree(path, vectors::SpecTables());
    if (!tree.ok()) return tree.status();
    auto retired = vectors::LoadRetired(path);
    if (!retired.ok()) return retired.status();
    suite.tree = *std::move(tree);
    suite.retired = *std::move(retired);
    if (compare) suite.differences = vectors::CompareWithManifest(path, suite.tree);
  }
  if (suite.tree.vectors.empty() && suite.tree.unreadable.empty()) {
    return absl::NotFoundError(absl::StrCat(path, " holds no vectors."));
  }
  return suite;
}

}  // namespace metaroce::cli
