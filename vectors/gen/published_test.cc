// The published vectors come out of their cases byte for byte, whatever compiled the generator:
// what `metaroce gen --check` does, without the rest of the command.
#include <gtest/gtest.h>

#include "vectors/gen/generate.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::vectors {
namespace {

TEST(PublishedTest, EveryVectorIsAsItsCaseGivesIt) {
  auto made = GenerateAll("vectors/cases", SpecTables());
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_GT(made->size(), 300u);
  ASSERT_EQ(AddKept("vectors", SpecTables(), &*made), absl::OkStatus());
  EXPECT_EQ(CheckAll(*made, "vectors"), absl::OkStatus());
}

}  // namespace
}  // namespace metaroce::vectors
