// Texts that a person reads, held against files.
#ifndef METAROCE_CONFORMANCE_GOLDEN_FOR_TEST_H_
#define METAROCE_CONFORMANCE_GOLDEN_FOR_TEST_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "vectors/file.h"

namespace metaroce {

// Expects that the file `path`, from the root of the source tree, holds `text`. With
// METAROCE_UPDATE_GOLDEN set to that root, writes it instead.
inline void ExpectGolden(const std::string& path, const std::string& text) {
  const char* root = std::getenv("METAROCE_UPDATE_GOLDEN");
  if (root != nullptr) {
    ASSERT_TRUE(vectors::WriteFile(absl::StrCat(root, "/", path), text).ok());
    return;
  }
  const auto golden = vectors::ReadFile(path, size_t{1} << 20);
  ASSERT_TRUE(golden.ok()) << golden.status();
  EXPECT_EQ(text, *golden);
}

}  // namespace metaroce

#endif  // METAROCE_CONFORMANCE_GOLDEN_FOR_TEST_H_
