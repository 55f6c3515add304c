#include "tools/cover/cover.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/cover/mentions.h"

namespace metaroce::cover {
namespace {

// "ID LINE TEST" of each mention.
std::string Found(absl::string_view path, absl::string_view text) {
  std::string out;
  for (const Mention& mention : MentionsIn(path, text)) {
    absl::StrAppend(&out, std::string(spec::Info(mention.clause).id), " ", mention.line,
                    mention.test.empty() ? "" : " ", mention.test, "\n");
  }
  return out;
}

TEST(MentionsTest, CodeCitesUsesTheNameAndGivesTheReason) {
  EXPECT_EQ(Found("model/a.cc",
                  "  //= ACK-DUE-HOLE\n"
                  "  //# An arrival\n"
                  "  s.Hit(spec::clause::kAckEarly, Clause::kTakeVoid);\n"
                  "  return Reason::kRkey;\n"),
            "ACK-DUE-HOLE 1\nACK-EARLY 3\nTAKE-VOID 3\nCHECK-ACCESS 4\n");
  EXPECT_EQ(Found("conformance/a.py", "  #= ACK-ECHO\n  ## words\n"), "ACK-ECHO 1\n");
}

TEST(MentionsTest, CommentsWordsThatBeginAlikeAndClausesOfNoTextDoNotCount) {
  EXPECT_EQ(Found("model/a.cc",
                  "// see spec::clause::kAckEarly\n"
                  "//=ACK-ECHO\n"
                  "x = clause::kAckEarlyBird;\n"
                  "//= NO-SUCH-CLAUSE\n"),
            "");
}

TEST(MentionsTest, ATestIsTheOneBelowTheCitationOrTheOneAroundIt) {
  const std::string text =
      "//= ACK-ECHO\n"
      "//# in a helper\n"
      "int Helper();\n"
      "//= ACK-HOLD\n"
      "//# above\n"
      "//= ACK-BITMAP\n"
      "//# above\n"
      "TEST_F(AckTest,\n"
      "       Works) {\n"
      "  //= ACK-EARLY\n"
      "  //# within\n"
      "  s.Hit(spec::clause::kTakeVoid);\n"
      "}\n";
  EXPECT_EQ(Found("model/a_test.cc", text),
            "ACK-ECHO 1 a_test.cc\nACK-HOLD 4 AckTest.Works\nACK-BITMAP 6 AckTest.Works\n"
            "ACK-EARLY 10 AckTest.Works\n");
}

TEST(CoverTest, AnUnknownClauseAndALineOfAnotherFormAreRefusedWithTheirLine) {
  Cover cover;
  EXPECT_EQ(cover.AddHits("A.B\tACK-ECHO\t3\nA.B\tACK-OCHE\t1\n").message(),
            "line 2: the text has no clause \"ACK-OCHE\".");
  EXPECT_EQ(cover.AddHits("A.B ACK-ECHO 3\n").message(),
            "line 1: it is not of the form TEST<tab>CLAUSE<tab>COUNT.");
}

TEST(CoverTest, AClauseThatPrescribesNeedsCodeAndATest) {
  Cover cover;
  EXPECT_EQ(cover.Problem(spec::Clause::kAckEcho), "is named by no code");
  ASSERT_TRUE(cover.AddHits("A.B\tACK-HOLD\t3\n").ok());
  EXPECT_EQ(cover.Problem(spec::Clause::kAckEcho), "is named by no code and hit by no test");
  EXPECT_EQ(cover.Problem(spec::Clause::kAckHold), "is named by no code");
  cover.AddMentions(MentionsIn("model/a.cc", "//= ACK-ECHO\n//= ACK-HOLD\n"));
  EXPECT_EQ(cover.Problem(spec::Clause::kAckEcho), "is hit by no test");
  EXPECT_EQ(cover.Problem(spec::Clause::kAckHold), "");
  cover.AddMentions(MentionsIn("model/a_test.cc", "//= ACK-ECHO\nTEST(A, B) {\n"));
  EXPECT_EQ(cover.Problem(spec::Clause::kAckEcho), "");
  EXPECT_EQ(cover.Problem(spec::Clause::kAckState), "") << "it is INFO";
}

TEST(CoverTest, AClauseMarkedUnprovenIsNotHit) {
  for (const auto& item : spec::Named<spec::Clause>::kAll) {
    if (spec::Info(item.value).unproven.empty()) continue;
    Cover cover;
    EXPECT_EQ(cover.Problem(item.value), "");
    const std::string id(spec::Info(item.value).id);
    ASSERT_TRUE(cover.AddHits(absl::StrCat("A.B\t", id, "\t2\nA.B\t", id, "\t1\n")).ok());
    EXPECT_EQ(cover.Problem(item.value), "is marked unproven, and A.B hits it");
    EXPECT_EQ(cover.of(item.value).hits.at("A.B"), 3u);
    return;
  }
}

}  // namespace
}  // namespace metaroce::cover
