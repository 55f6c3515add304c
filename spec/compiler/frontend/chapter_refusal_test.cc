// What is refused of the Markdown of a chapter.
#include <string>

#include "gtest/gtest.h"
#include "spec/compiler/frontend/chapter.h"
#include "spec/compiler/frontend/refusal_testing.h"

namespace metaroce::compiler {
namespace {

class ChapterRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(ChapterRefusalTest, Refuses) {
  EXPECT_EQ(ProblemsOfChapter(GetParam().text), GetParam().problems);
}

constexpr Refusal kRefusals[] = {
    {"EmptyFile", "",
     "t.md:1: the first line of a chapter must be its title, as in '# 3. Wire format'.\n"},
    {"TitleNotFirst", "Words.\n\n# 3. Wire\n\nStatus: final.\n",
     "t.md:1: the first line of a chapter must be its title, as in '# 3. Wire format'.\n"},
    {"TitleOfLevelTwo", "## 3. Wire\n\nStatus: final.\n",
     "t.md:1: the first line of a chapter must be its title, as in '# 3. Wire format'.\n"},
    {"NoStatus", "# 3. Wire\n\nWords.\n",
     "t.md:3: the first paragraph after the title must begin with the line 'Status: final.' or "
     "'Status: draft.'.\n"},
    {"NothingAfterTitle", "# 3. Wire\n",
     "t.md:1: the first paragraph after the title must begin with the line 'Status: final.' or "
     "'Status: draft.'.\n"},
    {"UnknownStatus", "# 3. Wire\n\nStatus: perfect.\n",
     "t.md:3: the first paragraph after the title must begin with the line 'Status: final.' or "
     "'Status: draft.'.\n"},
    {"VersionOfTwoNumbers", "# 3. Wire\n\nStatus: final.\nVersion: 1.2.\n",
     "t.md:4: the version '1.2' is not of the form X.Y.Z.\n"},
    {"VersionOfWords", "# 3. Wire\n\nStatus: final.\n\nVersion: 1.two.3.\n",
     "t.md:5: the version '1.two.3' is not of the form X.Y.Z.\n"},
    {"VersionTwice", "# 3. Wire\n\nStatus: final.\nVersion: 1.2.3.\nVersion: 1.2.3.\n",
     "t.md:5: the version is given twice.\n"},

    {"ClauseWithoutHead", "# 1. T\n\nStatus: final.\n\n**A-B** says so.\n",
     "t.md:5: the clause A-B has no level and provenance, as in '**ID** (MUST, PUBLIC P-GAP; RFC "
     "6298). Text.'\n"},
    {"ClauseWithOpenHead", "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, OURS. Says so.\n",
     "t.md:5: the clause A-B has no level and provenance, as in '**ID** (MUST, PUBLIC P-GAP; RFC "
     "6298). Text.'\n"},
    {"ClauseWithoutLevel", "# 1. T\n\nStatus: final.\n\n**A-B** (OURS). Says so.\n",
     "t.md:5: the level 'OURS' of the clause A-B is not one of MUST, SHOULD, MAY, INFO.\n"
     "t.md:5: the clause A-B has no provenance, as in '**ID** (MUST, PUBLIC P-GAP; RFC 6298). "
     "Text.'\n"},
    {"ClauseWithUnknownLevel", "# 1. T\n\nStatus: final.\n\n**A-B** (SHALL, OURS). Says so.\n",
     "t.md:5: the level 'SHALL' of the clause A-B is not one of MUST, SHOULD, MAY, INFO.\n"},
    {"ClauseWithoutProvenance", "# 1. T\n\nStatus: final.\n\n**A-B** (MUST). Says so.\n",
     "t.md:5: the clause A-B has no provenance, as in '**ID** (MUST, PUBLIC P-GAP; RFC 6298). "
     "Text.'\n"},
    {"UnprovenWithoutReason",
     "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, OURS, unproven). Says so.\n",
     "t.md:5: the mark unproven of the clause A-B gives no reason, as in 'unproven: why'.\n"},
    {"UnprovenWithEmptyReason",
     "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, OURS, unproven: ). Says so.\n",
     "t.md:5: the mark unproven of the clause A-B gives no reason, as in 'unproven: why'.\n"},
    {"UnprovenInfo", "# 1. T\n\nStatus: final.\n\n**A-B** (INFO, OURS, unproven: why). Says so.\n",
     "t.md:5: the clause A-B is INFO: it prescribes nothing that could be unproven.\n"},
    {"NoVectorWithoutReason",
     "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, OURS, no-vector: ). Says so.\n",
     "t.md:5: the mark no-vector of the clause A-B gives no reason, as in 'no-vector: why'.\n"},
    {"NoVectorOfNoMust",
     "# 1. T\n\nStatus: final.\n\n**A-B** (MAY, OURS, no-negative: why). Says so.\n",
     "t.md:5: the clause A-B is no MUST: it needs no vector, and no reason why it has none.\n"},
    {"NoVectorTwice",
     "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, OURS, no-negative: a, no-vector: b). Says so.\n",
     "t.md:5: the clause A-B says twice why it has no negative vector.\n"},
    {"MarkThatIsNone", "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, OURS, no-hope: why). Says so.\n",
     "t.md:5: the provenance 'OURS, no-hope: why' of the clause A-B is not one of 'PUBLIC id', "
     "'IBTA [place]', 'RFC number', 'OURS'.\n"},
    {"ClauseWithNothingButUnproven",
     "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, unproven: why). Says so.\n",
     "t.md:5: the clause A-B has no provenance, as in '**ID** (MUST, PUBLIC P-GAP; RFC 6298). "
     "Text.'\n"},
    {"ClauseWithUnknownProvenance",
     "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, HEARSAY). Says so.\n",
     "t.md:5: the provenance 'HEARSAY' of the clause A-B is not one of 'PUBLIC id', 'IBTA "
     "[place]', 'RFC number', 'OURS'.\n"},
    {"PublicWithoutId", "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, PUBLIC). Says so.\n",
     "t.md:5: the provenance 'PUBLIC' of the clause A-B is not one of 'PUBLIC id', 'IBTA [place]', "
     "'RFC number', 'OURS'.\n"},
    {"RfcWithoutNumber", "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, OURS; RFC). Says so.\n",
     "t.md:5: the provenance 'RFC' of the clause A-B is not one of 'PUBLIC id', 'IBTA [place]', "
     "'RFC number', 'OURS'.\n"},
    {"OursWithReference", "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, OURS again). Says so.\n",
     "t.md:5: the provenance 'OURS again' of the clause A-B is not one of 'PUBLIC id', 'IBTA "
     "[place]', 'RFC number', 'OURS'.\n"},
    {"HeadWithoutFullStop", "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, OURS): says so.\n",
     "t.md:5: the head of the clause A-B must end with ').', as in '**ID** (MUST, PUBLIC P-GAP; "
     "RFC 6298). Text.'\n"},
    {"ClauseWithoutText", "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, OURS).\n\n*Why.* So.\n",
     "t.md:5: the clause A-B has no text.\n"},
    {"ClauseInList", "# 1. T\n\nStatus: final.\n\n* **A-B** (MUST, OURS). Says so.\n",
     "t.md:5: the clause A-B must not stand inside a list or a quote.\n"},
    {"ClauseInQuote", "# 1. T\n\nStatus: final.\n\n> Words.\n>\n> **A-B** (MUST, OURS). So.\n",
     "t.md:7: the clause A-B must not stand inside a list or a quote.\n"},
    {"BlockInList", "# 1. T\n\nStatus: final.\n\n* Words.\n\n  ```textproto\n  ```\n",
     "t.md:7: a textproto block must not stand inside a list or a quote.\n"},
    {"DuplicateClause",
     "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, OURS). One.\n\n**A-B** (MUST, OURS). Two.\n",
     "t.md:7: the clause A-B is already defined at t.md:5.\n"},
    {"ClausesOfOneNameInCode",
     "# 1. T\n\nStatus: final.\n\n**A-11** (MUST, OURS). One.\n\n**A1-1** (MUST, OURS). Two.\n",
     "t.md:7: the clauses A1-1 and A-11 at t.md:5 have the same name in code.\n"},

    {"DanglingReference",
     "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, OURS). See [A-B] and\nalso [A-C].\n",
     "t.md:6: there is no clause A-C to refer to.\n"},
    {"DanglingReferenceInTable",
     "# 1. T\n\nStatus: final.\n\n| a | b |\n|---|---|\n| c | [A-C] |\n",
     "t.md:7: there is no clause A-C to refer to.\n"},
    {"DanglingReferenceInHeading", "# 1. T\n\nStatus: final.\n\n## Of [A-C]\n",
     "t.md:5: there is no clause A-C to refer to.\n"},
    {"DanglingReferenceInCode", "# 1. T\n\nStatus: final.\n\nSee `[A-C]`.\n",
     "t.md:5: there is no clause A-C to refer to.\n"},
    {"DanglingReferenceInWhy",
     "# 1. T\n\nStatus: final.\n\n**A-B** (MUST, OURS). So.\n\n*Why.* Because of [A-C].\n",
     "t.md:7: there is no clause A-C to refer to.\n"},
    {"SeveralAtOnce",
     "# 1. T\n\nStatus: final.\n\n**A-B** (SHALL, OURS). See [A-C].\n\n**A-B** (MUST, OURS).\n",
     "t.md:5: the level 'SHALL' of the clause A-B is not one of MUST, SHOULD, MAY, INFO.\n"
     "t.md:5: there is no clause A-C to refer to.\n"
     "t.md:7: the clause A-B has no text.\n"
     "t.md:7: the clause A-B is already defined at t.md:5.\n"},
};

INSTANTIATE_TEST_SUITE_P(Chapter, ChapterRefusalTest, testing::ValuesIn(kRefusals),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ChapterRefusalTest, RefusesAnIdLongerThan64Characters) {
  const std::string id = "A-" + std::string(63, 'B');
  EXPECT_EQ(ProblemsOfChapter("# 1. T\n\nStatus: final.\n\n**" + id + "** (MUST, OURS). So.\n"),
            "t.md:5: the clause id " + id + " is longer than 64 characters.\n");
}

TEST(ChapterRefusalTest, RefusesAChapterLongerThanItsLimit) {
  EXPECT_EQ(ProblemsOfChapter("# 1. T\n\nStatus: final.\n\n" + std::string(kMaxChapterBytes, 'a')),
            "t.md:0: the chapter is longer than 1048576 bytes.\n");
}

TEST(ChapterRefusalTest, AcceptsALineOfBracketsInLinearTime) {
  const std::string brackets(kMaxChapterBytes / 4, '[');
  EXPECT_EQ(ProblemsOfChapter("# 1. T\n\nStatus: final.\n\n" + brackets + " [x]\n"), "");
}

}  // namespace
}  // namespace metaroce::compiler
