// What is read from the Markdown of a chapter.
#include "spec/compiler/frontend/chapter.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "spec/compiler/frontend/problem.h"

namespace metaroce::compiler {
namespace {

ChapterText Read(absl::string_view body) {
  Problems problems({"t.md"});
  ChapterText chapter =
      ReadChapter(0, absl::StrCat("# 3. Wire format\n\nStatus: final.\n\n", body), problems);
  for (const Problem& problem : problems.Sorted()) ADD_FAILURE() << problem.ToString();
  return chapter;
}

Clause ReadClause(absl::string_view body) {
  ChapterText chapter = Read(body);
  EXPECT_EQ(chapter.clauses.size(), 1u);
  return chapter.clauses.empty() ? Clause() : chapter.clauses[0];
}

TEST(ChapterTest, TitleAndStatusComeFromTheTop) {
  const ChapterText chapter = Read("Words.\n");
  EXPECT_EQ(chapter.chapter.title(), "3. Wire format");
  EXPECT_TRUE(chapter.chapter.final());
}

TEST(ChapterTest, DraftIsNotFinal) {
  Problems problems({"t.md"});
  const ChapterText chapter = ReadChapter(0, "# 9. Paths\n\nStatus: draft. \n", problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_FALSE(chapter.chapter.final());
}

TEST(ChapterTest, VersionIsReadAboveTheNextHeadingOnly) {
  EXPECT_EQ(Read("Words.\n\nVersion: 0.10.2.\n").version, "0.10.2");
  EXPECT_EQ(Read("Words.\nVersion: 1.2.3\n").version, "1.2.3");
  EXPECT_EQ(Read("## Next\n\nVersion: 1.2.3.\n").version, "");
}

TEST(ChapterTest, HeadGivesLevelProvenanceAndUnproven) {
  const Clause clause = ReadClause(
      "## 3.1 Gaps\n\n**ACK-ON-HOLE** (SHOULD, PUBLIC P-GAP; RFC 6298; IBTA annex A17; IBTA; OURS, "
      "unproven: nobody, so far, has one). It is so.\n");
  EXPECT_EQ(clause.id(), "ACK-ON-HOLE");
  EXPECT_EQ(clause.level(), SHOULD);
  ASSERT_EQ(clause.provenance_size(), 5);
  EXPECT_EQ(clause.provenance(0).source(), PUBLIC);
  EXPECT_EQ(clause.provenance(0).reference(), "P-GAP");
  EXPECT_EQ(clause.provenance(1).source(), RFC);
  EXPECT_EQ(clause.provenance(1).reference(), "RFC 6298");
  EXPECT_EQ(clause.provenance(2).source(), IBTA);
  EXPECT_EQ(clause.provenance(2).reference(), "annex A17");
  EXPECT_EQ(clause.provenance(3).reference(), "");
  EXPECT_EQ(clause.provenance(4).source(), OURS);
  EXPECT_EQ(clause.unproven(), "nobody, so far, has one");
  EXPECT_EQ(clause.text(), "It is so.");
  EXPECT_EQ(clause.heading(), "3.1 Gaps");
  EXPECT_EQ(clause.line(), 7u);
}

TEST(ChapterTest, HeadMayHaveSeveralMarks) {
  const Clause both = ReadClause(
      "**A-B** (MUST, OURS, unproven: one, maybe, no-positive: a, b, no-negative: no-one; c). "
      "So.\n");
  EXPECT_EQ(both.unproven(), "one, maybe");
  EXPECT_EQ(both.no_positive(), "a, b");
  EXPECT_EQ(both.no_negative(), "no-one; c");
  EXPECT_EQ(both.provenance_size(), 1);
  const Clause none = ReadClause("**A-B** (MUST, OURS, no-vector: it is a plan). So.\n");
  EXPECT_EQ(none.no_positive(), "it is a plan");
  EXPECT_EQ(none.no_negative(), "it is a plan");
  EXPECT_EQ(none.unproven(), "");
}

TEST(ChapterTest, HeadMayGoOverALineBreak) {
  const Clause clause = ReadClause("**A-B** (MUST,\nOURS). It\n  is so.\n");
  EXPECT_EQ(clause.level(), MUST);
  EXPECT_EQ(clause.text(), "It is so.");
}

TEST(ChapterTest, TextIsWhatAReaderSees) {
  const Clause clause = ReadClause(
      "**A-B** (MUST, OURS). The `field` is *not* **one**\nof a < b, 2 \\* 3, x_y_z and\t[C-D].\n");
  EXPECT_EQ(clause.text(), "The field is not one of a < b, 2 * 3, x_y_z and [C-D].");
}

TEST(ChapterTest, TextGoesOnOverParagraphsListsTablesAndQuotes) {
  const Clause clause = ReadClause(
      "**A-B** (MUST, OURS). One:\n\n* two;\n* three.\n\n| four | five |\n|---|---|\n| six | seven "
      "|\n\n> eight\n\nNine.\n");
  EXPECT_EQ(clause.text(), "One: two; three. four five six seven eight Nine.");
}

TEST(ChapterTest, TextEndsAtHeadingClauseFenceAndRule) {
  for (absl::string_view end :
       {"## Next", "**C-D** (MAY, OURS). Other.", "```\ncode\n```", "---", "*Note.* Not text."}) {
    const ChapterText chapter =
        Read(absl::StrCat("**A-B** (MUST, OURS). One.\n\n", end, "\n\nTwo.\n"));
    ASSERT_FALSE(chapter.clauses.empty());
    EXPECT_EQ(chapter.clauses[0].text(), "One.") << end;
  }
}

TEST(ChapterTest, WhyAndFreedomBelongToTheLatestClause) {
  const Clause clause = ReadClause(
      "**A-B** (MUST, OURS). One.\n\n*Why.* Because\nof it.\n\nAnd more.\n\n```\ncode\n```\n\n"
      "*Freedom.* None.\n\n* At all.\n");
  EXPECT_EQ(clause.text(), "One.");
  EXPECT_EQ(clause.why(), "Because of it. And more.");
  EXPECT_EQ(clause.freedom(), "None. At all.");
}

TEST(ChapterTest, WhyAfterAHeadingBelongsToNobody) {
  const Clause clause = ReadClause("**A-B** (MUST, OURS). One.\n\n## Next\n\n*Why.* Because.\n");
  EXPECT_EQ(clause.why(), "");
}

TEST(ChapterTest, StrongWordsThatAreNoIdsAreProse) {
  EXPECT_TRUE(Read("**MUST** is a word.\n\n**Not-an-id** (MUST, OURS). x\n").clauses.empty());
}

TEST(ChapterTest, AnIdOfOneWordIsAClauseIfAHeadFollows) {
  EXPECT_EQ(ReadClause("**SERIAL** (MUST, OURS). So.\n").id(), "SERIAL");
}

TEST(ChapterTest, ReferencesAreIdsWithAHyphenInBrackets) {
  const ChapterText chapter = Read("See [A-B], [a-b], [RFC], [1], [C-D](http://x) and\n[E-F].\n");
  ASSERT_EQ(chapter.references.size(), 2u);
  EXPECT_EQ(chapter.references[0].id, "A-B");
  EXPECT_EQ(chapter.references[0].line, 5);
  EXPECT_EQ(chapter.references[1].id, "E-F");
  EXPECT_EQ(chapter.references[1].line, 6);
}

TEST(ChapterTest, BlocksAreFencesWithExactlyTextproto) {
  const ChapterText chapter = Read(
      "```textproto\na: 1\n```\n\n```textproto example\nb: 2\n```\n\n```\nc: 3\n```\n\n"
      "~~~~textproto\nd: 4\n~~~~\n");
  ASSERT_EQ(chapter.blocks.size(), 2u);
  EXPECT_EQ(chapter.blocks[0].text, "a: 1\n");
  EXPECT_EQ(chapter.blocks[0].line, 6);
  EXPECT_EQ(chapter.blocks[1].text, "d: 4\n");
  EXPECT_EQ(chapter.blocks[1].line, 18);
}

}  // namespace
}  // namespace metaroce::compiler
