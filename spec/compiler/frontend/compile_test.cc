// What a whole text becomes.
#include "spec/compiler/frontend/compile.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace metaroce::compiler {
namespace {

SourceFile Chapter(absl::string_view path, absl::string_view body) {
  return {std::string(path), absl::StrCat("# 1. Test\n\nStatus: final.\n\n", body)};
}

Spec CompileWell(const std::vector<SourceFile>& chapters) {
  CompileResult result = Compile(chapters);
  for (const Problem& problem : result.problems) ADD_FAILURE() << problem.ToString();
  return result.spec;
}

constexpr char kOne[] =
    "**A-B** (MUST, OURS). See [C-D].\n\n```textproto\n"
    "counter { name: \"one\" clause: \"C-D\" }\n```\n";
constexpr char kTwo[] =
    "**C-D** (MAY, OURS). See [A-B].\n\n```textproto\n"
    "counter { name: \"two\" clause: \"A-B\" }\n```\n\n```textproto\n"
    "counter { name: \"three\" clause: \"A-B\" }\n```\n";

TEST(CompileTest, JoinsTheBlocksOfAllChaptersInOrder) {
  const Spec spec = CompileWell({Chapter("spec/01.md", kOne), Chapter("spec/02.md", kTwo)});
  ASSERT_EQ(spec.data().counter_size(), 3);
  EXPECT_EQ(spec.data().counter(0).name(), "one");
  EXPECT_EQ(spec.data().counter(1).name(), "two");
  EXPECT_EQ(spec.data().counter(2).name(), "three");
  ASSERT_EQ(spec.clause_size(), 2);
  EXPECT_EQ(spec.clause(1).id(), "C-D");
  EXPECT_EQ(spec.clause(1).chapter(), "02.md");
  EXPECT_EQ(spec.clause(1).line(), 5u);
  ASSERT_EQ(spec.chapter_size(), 2);
  EXPECT_EQ(spec.chapter(0).file(), "01.md");
}

TEST(CompileTest, VersionIsThatOfTheChapterThatGivesIt) {
  EXPECT_EQ(CompileWell({Chapter("a.md", ""), Chapter("b.md", "Version: 1.2.3.\n")}).version(),
            "1.2.3");
  EXPECT_EQ(CompileWell({Chapter("a.md", "")}).version(), "0.0.0");
}

TEST(CompileTest, RefusesASecondVersion) {
  const CompileResult result =
      Compile({Chapter("a.md", "Version: 1.2.3.\n"), Chapter("b.md", "Version: 1.2.3.\n")});
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(result.problems[0].ToString(), "b.md:5: another chapter gives the version already.");
}

TEST(CompileTest, HashDoesNotDependOnTheFolder) {
  EXPECT_EQ(CompileWell({Chapter("spec/a.md", "Words.\n")}).hash(),
            CompileWell({Chapter("/elsewhere/a.md", "Words.\n")}).hash());
}

//= CONF-HASH
//# for each file of the text, in ascending order of their names byte by byte, the name, a byte 0x0A,
//# the number of bytes of the file as decimal digits, a byte 0x0A, and the bytes of the file.
TEST(CompileTest, HashIsThatOfTheFilesInTheOrderOfTheirNames) {
  const SourceFile two = {"spec/02.md", "# 2. Two\n\nStatus: final.\n"};
  const SourceFile annex = {"spec/a.md", "# A. Annex\n\nStatus: final.\n"};
  // printf '02.md\n25\n# 2. Two\n\nStatus: final.\na.md\n27\n# A. Annex\n\nStatus: final.\n' |
  // sha256sum
  const std::string hash = "bb6bc65d8ddfe61b9892a9c0b24aa974707ca1ed85f63db592b8c7c8f3ae5e86";
  EXPECT_EQ(CompileWell({two, annex}).hash(), hash);
  EXPECT_EQ(CompileWell({annex, two}).hash(), hash);
}

TEST(CompileTest, HashChangesWithEveryWordOfAClauseAndEveryNumber) {
  const auto hash = [](absl::string_view word, int number) {
    return CompileWell({Chapter("a.md", absl::StrCat("**A-B** (MUST, OURS). The ", word,
                                                     ".\n\n```textproto\nconstant { name: \"n\" "
                                                     "default: ",
                                                     number, " max: 9 clause: \"A-B\" }\n```\n"))})
        .hash();
  };
  EXPECT_EQ(hash("sender", 5), hash("sender", 5));
  EXPECT_NE(hash("sender", 5), hash("receiver", 5));
  EXPECT_NE(hash("sender", 5), hash("sender", 6));
}

TEST(CompileTest, NoChaptersAreAnEmptySpec) {
  const Spec spec = CompileWell({});
  EXPECT_EQ(spec.clause_size(), 0);
  EXPECT_EQ(spec.version(), "0.0.0");
}

TEST(CompileTest, ReportsEveryProblemInReadingOrder) {
  const CompileResult result = Compile({
      Chapter("a.md",
              "See [X-Y].\n\n**A-B** (MUST, OURS). So.\n\n```textproto\nflag { name: \"x\" "
              "}\n```\n"),
      Chapter("b.md", "**A-B** (MUST, OURS). So.\n"),
  });
  std::vector<std::string> lines;
  for (const Problem& problem : result.problems) lines.push_back(problem.ToString());
  EXPECT_EQ(lines,
            (std::vector<std::string>{
                "a.md:5: there is no clause X-Y to refer to.",
                "a.md:10: the name of the flag 'x' is not of UPPER_CASE words joined by '_'.",
                "b.md:5: the clause A-B is already defined at a.md:7."}));
}

}  // namespace
}  // namespace metaroce::compiler
