#include "spec/compiler/quotes/quotes.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "spec/compiler/frontend/compile.h"

namespace metaroce::compiler {
namespace {

constexpr char kChapter[] =
    "# 1. Test\n\nStatus: final.\n\n"
    "**ACK-ON-HOLE** (MUST, OURS). When a packet opens a hole, the `receiver` MUST make\n"
    "an ACK of this *path* due at once.\n\n*Why.* Repairs are late otherwise.\n\n"
    "*Freedom.* `ack-moment`: the default is at once.\n\n"
    "**ACK-NEVER** (MUST, OURS). Nothing.\n";

Spec TestSpec() {
  CompileResult result = Compile({{"spec/1.md", kChapter}});
  EXPECT_TRUE(result.problems.empty());
  return result.spec;
}

// The problems of one file, one a line.
std::string Check(absl::string_view path, absl::string_view text) {
  std::string out;
  for (const Problem& problem : CheckQuotes(TestSpec(), {{std::string(path), std::string(text)}})) {
    absl::StrAppend(&out, problem.ToString(), "\n");
  }
  return out;
}

TEST(QuotesTest, AcceptsWordsOfTheClauseOverSeveralLines) {
  EXPECT_EQ(Check("a.cc",
                  "int a;\n  //= ACK-ON-HOLE\n  //# the receiver MUST   make an ACK\n"
                  "  //# of this path due at once\n"),
            "");
}

TEST(QuotesTest, MarksOfEmphasisAndCodeDoNotCount) {
  EXPECT_EQ(Check("a.h", "//= ACK-ON-HOLE\n//# the `receiver` MUST make an ACK of this *path*\n"),
            "");
}

TEST(QuotesTest, WordsOfTheFreedomMayBeQuoted) {
  EXPECT_EQ(Check("a.h", "//= ACK-ON-HOLE\n//# the default is at once\n"), "");
}

TEST(QuotesTest, AChangedWordIsFound) {
  EXPECT_EQ(Check("a.cc", "//= ACK-ON-HOLE\n//# the receiver MUST make an ACK of that path due\n"),
            "a.cc:2: the clause ACK-ON-HOLE does not say 'the receiver MUST make an ACK of that "
            "path due': after 'of' it does not go on with 'that'.\n");
}

TEST(QuotesTest, CaseCounts) {
  EXPECT_EQ(Check("a.cc", "//= ACK-ON-HOLE\n//# the receiver must make\n"),
            "a.cc:2: the clause ACK-ON-HOLE does not say 'the receiver must make': after "
            "'receiver' it does not go on with 'must'.\n");
}

TEST(QuotesTest, PartsOfWordsAreNoWords) {
  EXPECT_EQ(Check("a.cc", "//= ACK-ON-HOLE\n//# a packet open\n"),
            "a.cc:2: the clause ACK-ON-HOLE does not say 'a packet open': after 'packet' it does "
            "not go on with 'open'.\n");
  EXPECT_EQ(Check("a.cc", "//= ACK-ON-HOLE\n//# ceiver MUST\n"),
            "a.cc:2: the clause ACK-ON-HOLE does not say 'ceiver MUST': no word is 'ceiver'.\n");
}

TEST(QuotesTest, WordsOfAnotherClauseOrOfTheReasonDoNotCount) {
  EXPECT_NE(Check("a.cc", "//= ACK-NEVER\n//# the receiver MUST make\n"), "");
  EXPECT_NE(Check("a.cc", "//= ACK-ON-HOLE\n//# Repairs are late otherwise.\n"), "");
}

TEST(QuotesTest, AClauseThatIsGoneIsFound) {
  EXPECT_EQ(Check("a.cc", "\n//= ACK-GONE\n//# Nothing.\n"),
            "a.cc:2: there is no clause 'ACK-GONE' to quote.\n");
}

TEST(QuotesTest, ACitationNeedsWordsAndWordsNeedACitation) {
  EXPECT_EQ(Check("a.cc", "//= ACK-NEVER\nint a;\n//# Nothing.\n"),
            "a.cc:3: words are quoted, but no clause is cited above them ('//= ID').\n"
            "a.cc:1: the clause ACK-NEVER is cited, but no words of it follow.\n");
}

TEST(QuotesTest, SeveralClausesAreCheckedEachForItself) {
  EXPECT_EQ(Check("a.cc", "//= ACK-NEVER\n//# Nothing.\n//= ACK-ON-HOLE\n//# Nothing.\n"),
            "a.cc:4: the clause ACK-ON-HOLE does not say 'Nothing.': no word is 'Nothing.'.\n");
}

TEST(QuotesTest, OtherCommentsAreNotMarks) {
  EXPECT_EQ(Check("a.cc", "//======\n//#include <x>\n// = A\nx = 1;  //= late\n"), "");
}

TEST(QuotesTest, PythonHasItsOwnMarks) {
  EXPECT_EQ(Check("a.py", "## A comment.\nx //= 2\n#= ACK-NEVER\n## Nothing.\n"), "");
  EXPECT_EQ(Check("a.py", "#= ACK-NEVER\n## Something.\n"),
            "a.py:2: the clause ACK-NEVER does not say 'Something.': no word is 'Something.'.\n");
}

}  // namespace
}  // namespace metaroce::compiler
