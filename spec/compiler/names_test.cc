#include "spec/compiler/names.h"

#include "gtest/gtest.h"

namespace metaroce::compiler {
namespace {

TEST(NamesTest, EverySpellingGivesTheSameNameInCode) {
  for (const char* name : {"ack_every", "ack-every", "ACK-EVERY", "ACK_EVERY"}) {
    EXPECT_EQ(CamelCase(name), "AckEvery");
    EXPECT_EQ(SnakeCase(name), "ack_every");
    EXPECT_EQ(ShoutCase(name), "ACK_EVERY");
  }
  EXPECT_EQ(CamelCase("64-bits"), "64Bits");
}

TEST(NamesTest, FormsAreToldApart) {
  EXPECT_TRUE(IsSnakeCase("reserved_0"));
  EXPECT_TRUE(IsKebabCase("too-short"));
  EXPECT_TRUE(IsKebabCase("64-bits"));
  EXPECT_TRUE(IsClauseId("ACK-ON-HOLE2"));
  EXPECT_TRUE(IsShoutCase("ACK_BLOCK"));
  EXPECT_FALSE(IsSnakeCase("0_reserved"));
  EXPECT_FALSE(IsSnakeCase("Reserved"));
  EXPECT_FALSE(IsSnakeCase("too-short"));
  EXPECT_FALSE(IsKebabCase("too_short"));
  EXPECT_FALSE(IsClauseId("ACK_ON"));
  EXPECT_FALSE(IsShoutCase("ACK-ON"));
}

TEST(NamesTest, SeparatorsStandSinglyBetweenWords) {
  for (const char* name : {"", "_", "_a", "a_", "a__b"}) EXPECT_FALSE(IsSnakeCase(name)) << name;
  EXPECT_FALSE(IsClauseId("A--B"));
  EXPECT_FALSE(IsKebabCase("-a"));
}

TEST(NamesTest, NamesThatAreNotAsciiAreRefused) {
  EXPECT_FALSE(IsSnakeCase("gr\xc3\xbc"));
  EXPECT_FALSE(IsSnakeCase("a\nb"));
  EXPECT_FALSE(IsSnakeCase("a b"));
}

TEST(NamesTest, KeywordsAreKnown) {
  for (const char* word : {"alignas", "class", "default", "register", "void", "xor_eq"}) {
    EXPECT_TRUE(IsCppKeyword(word)) << word;
  }
  EXPECT_FALSE(IsCppKeyword("path"));
}

}  // namespace
}  // namespace metaroce::compiler
