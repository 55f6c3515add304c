// Texts that nobody would write: the compiler says what is wrong with them and goes on living.
#include <cstddef>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "spec/compiler/frontend/compile.h"
#include "spec/compiler/frontend/refusal_testing.h"

namespace metaroce::compiler {
namespace {

constexpr int kRounds = 3000;

// One to four edits: a byte changed, a piece removed, doubled or moved, a number made huge.
std::string Mutate(std::string text, std::mt19937& engine) {
  const auto below = [&](size_t limit) { return limit == 0 ? 0 : engine() % limit; };
  for (size_t edits = 1 + below(4); edits > 0; --edits) {
    const size_t at = below(text.size());
    const size_t length = below(40);
    const std::string piece = text.substr(at, length);
    switch (below(6)) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(engine());
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, piece);
        break;
      case 3:
        text.erase(at, length);
        text.insert(below(text.size()), piece);
        break;
      case 4:
        text.insert(at, "99999999999999999999");
        break;
      default:
        text.insert(at, "4294967295");
    }
  }
  return text;
}

TEST(MutationTest, MutatedTextsAreCompiledOrRefusedWithAPlace) {
  std::mt19937 engine(20230);
  int refused = 0;
  for (int round = 0; round < kRounds; ++round) {
    const CompileResult result = Compile({{"base.md", Mutate(std::string(BaseChapter()), engine)}});
    refused += result.problems.empty() ? 0 : 1;
    for (const Problem& problem : result.problems) {
      EXPECT_EQ(problem.file, "base.md");
      EXPECT_GE(problem.line, 1);
      EXPECT_FALSE(problem.sentence.empty());
      EXPECT_EQ(problem.sentence.find('\0'), std::string::npos);
    }
  }
  // The edits are hard enough: most of them are found.
  EXPECT_GT(refused, kRounds / 2);
}

TEST(MutationTest, DeepNestingIsRefusedNotFollowed) {
  std::string quotes(100000, '>');
  EXPECT_EQ(ProblemsOfChapter("# 1. T\n\nStatus: final.\n\n" + quotes + " words\n"), "");
  std::string braces;
  for (int i = 0; i < 100000; ++i) braces += "machine { ";
  EXPECT_NE(ProblemsOfDataAlone(braces), "");
}

}  // namespace
}  // namespace metaroce::compiler
