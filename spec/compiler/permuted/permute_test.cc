#include "spec/compiler/permuted/permute.h"

#include <string>

#include "gtest/gtest.h"
#include "spec/compiler/frontend/compile.h"

namespace metaroce::compiler {
namespace {

constexpr char kChapter[] =
    "# 1. Test\n\nStatus: final.\n\n**A-B** (MUST, OURS). Words.\n\n```textproto\n"
    "layout {\n  name: \"common\" clause: \"A-B\"\n  field { name: \"version\" bits: 4 }\n"
    "  field { name: \"opcode\" bits: 8 note: \"say \\\"so\\\"\" }\n  field { name: \"rest\" bits: "
    "20 }\n"
    "}\nlayout { name: \"one\" clause: \"A-B\" field { name: \"all\" bits: 32 } }\n```\n";

TEST(PermuteTest, FieldsAreTheSameInAnotherOrder) {
  const Spec before = Compile({{"1.md", kChapter}}).spec;
  const CompileResult after = Compile({{"99.md", PermutedChapter(before)}});
  ASSERT_TRUE(after.problems.empty()) << after.problems[0].ToString();
  ASSERT_EQ(after.spec.data().layout_size(), 2);
  const Layout& common = after.spec.data().layout(0);
  ASSERT_EQ(common.field_size(), 3);
  bool same = true;
  for (int i = 0; i < 3; ++i) {
    const Field& old = before.data().layout(0).field(i);
    same = same && old.name() == common.field(i).name();
    int found = 0;
    for (const Field& field : common.field()) {
      found += field.SerializeAsString() == old.SerializeAsString() ? 1 : 0;
    }
    EXPECT_EQ(found, 1) << old.name();
  }
  EXPECT_FALSE(same);
  EXPECT_EQ(after.spec.data().layout(1).SerializeAsString(),
            before.data().layout(1).SerializeAsString());
}

TEST(PermuteTest, TheChapterIsTheSameEveryTime) {
  const Spec spec = Compile({{"1.md", kChapter}}).spec;
  EXPECT_EQ(PermutedChapter(spec), PermutedChapter(spec));
}

}  // namespace
}  // namespace metaroce::compiler
