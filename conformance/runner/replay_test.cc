#include "conformance/runner/replay.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/play/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vectors/json.h"
#include "vectors/testing/fake_spec_index.h"

namespace metaroce::conformance {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

vectors::StoredVector Decode(const std::string& id, const std::string& expect) {
  vectors::StoredVector stored;
  stored.path = absl::StrCat("codec/", id, ".json");
  stored.vector.set_id(id);
  stored.vector.set_level(vectors::CODEC);
  stored.vector.add_clauses("CHECK-LENGTH");
  stored.vector.add_capabilities("codec-decode");
  stored.vector.add_steps()->set_decode(id);
  stored.vector.add_steps()->mutable_expect()->set_reject(expect);
  return stored;
}

// The device rejects every frame as length-short, so that "bad" fails.
void RejectAll(const dut::Request&, dut::Answer& answer) {
  answer.mutable_reject()->set_code("length-short");
}

class ReplayTest : public ::testing::Test {
 protected:
  ReplayTest() : handler_({"codec-decode"}, RejectAll), dut_(handler_) {
    tree_.vectors = {Decode("bad", "icrc"), Decode("good", "length-short"),
                     Decode("good-too", "length-short")};
  }

  absl::StatusOr<Report> Run(const ReplayOptions& options = {}) {
    return Replay(tree_, index_, nullptr, dut_, options);
  }

  // Verdicts by id.
  std::map<std::string, Verdict> Verdicts(const ReplayOptions& options = {}) {
    const auto report = Run(options);
    EXPECT_TRUE(report.ok()) << report.status();
    std::map<std::string, Verdict> out;
    for (const VectorResult& result : report->results) out[result.id] = result.verdict;
    return out;
  }

  ReplayOptions Waived(const std::string& id, const std::string& clause) {
    ReplayOptions options;
    options.today = "2026-06-15";
    options.waivers = {{id, clause, "reason", "owner", "2026-06-15"}};
    return options;
  }

  vectors::FakeSpecIndex index_;
  vectors::Tree tree_;
  ScriptedHandler handler_;
  InProcessDut dut_;
};

//= CONF-VERDICT
//# A run gives each vector exactly one verdict.
TEST_F(ReplayTest, GivesEachVectorAVerdictAndSaysByeOnce) {
  const auto verdicts = Verdicts();
  EXPECT_EQ(verdicts.at("bad"), Verdict::kFail);
  EXPECT_EQ(verdicts.at("good"), Verdict::kPass);
  EXPECT_EQ(verdicts.at("good-too"), Verdict::kPass);
  ASSERT_EQ(handler_.requests.size(), 8u);
  EXPECT_TRUE(handler_.requests.front().has_hello());
  EXPECT_EQ(handler_.requests.front().hello().spec_hash(), index_.hash());
  EXPECT_TRUE(handler_.requests.back().has_bye());
  for (size_t i = 0; i < handler_.requests.size(); ++i) {
    EXPECT_EQ(handler_.requests[i].id(), i + 1);
  }
  EXPECT_EQ(handler_.requests[3].vector(), "good");
  EXPECT_EQ(handler_.requests[3].step(), 0u);
  EXPECT_EQ(handler_.requests[4].step(), 1u);
}

TEST_F(ReplayTest, PlaysOnlyWhatIsSelected) {
  ReplayOptions options;
  options.selection.only = {"good*"};
  EXPECT_THAT(Verdicts(options), ElementsAre(testing::Pair("good", Verdict::kPass),
                                             testing::Pair("good-too", Verdict::kPass)));
  options.selection.only = {"good"};
  EXPECT_THAT(Verdicts(options), ElementsAre(testing::Pair("good", Verdict::kPass)));
  options.selection.levels = {vectors::BLOCK};
  EXPECT_THAT(Verdicts(options), IsEmpty());
  options.selection.only = {"go"};
  EXPECT_THAT(std::string(Run(options).status().message()), HasSubstr("There is no vector go."));
}

//= CONF-WAIVER
//# It covers a failure of that vector at that clause only
TEST_F(ReplayTest, AWaiverInForceCoversAFailureAtItsClause) {
  EXPECT_EQ(Verdicts(Waived("bad", "CHECK-LENGTH")).at("bad"), Verdict::kWaived);
  const auto report = Run(Waived("bad", "CHECK-LENGTH"));
  EXPECT_TRUE(report->ok());
  EXPECT_EQ(report->results[0].waiver.owner, "owner");
}

TEST_F(ReplayTest, AWaiverOfAnotherClauseCoversNothing) {
  const auto report = Run(Waived("bad", "WIRE-WRITE"));
  EXPECT_EQ(report->results[0].verdict, Verdict::kFail);
  EXPECT_EQ(report->results[0].text, "its waiver is for WIRE-WRITE");
}

TEST_F(ReplayTest, AnExpiredWaiverCoversNothing) {
  ReplayOptions options = Waived("bad", "CHECK-LENGTH");
  options.today = "2026-06-16";
  const auto report = Run(options);
  EXPECT_EQ(report->results[0].verdict, Verdict::kFail);
  EXPECT_EQ(report->results[0].text, "its waiver expired on 2026-06-15");
}

// It would say nothing otherwise, and stay in the list for ever.
TEST_F(ReplayTest, AnExpiredWaiverOfAVectorThatIsNotPlayedIsNamed) {
  tree_.vectors[0].vector.add_capabilities("codec-encode");
  ReplayOptions options = Waived("bad", "CHECK-LENGTH");
  auto report = Run(options);
  EXPECT_EQ(report->results[0].verdict, Verdict::kUnsupported);
  EXPECT_THAT(report->notes, Not(Contains(HasSubstr("waiver"))));
  options.today = "2026-06-16";
  report = Run(options);
  EXPECT_THAT(report->notes,
              Contains("The waiver of bad at CHECK-LENGTH expired on 2026-06-15; the vector is "
                       "UNSUPPORTED."));
  EXPECT_TRUE(report->ok());
}

TEST_F(ReplayTest, AVectorThatPassesInSpiteOfItsWaiverFailsTheRun) {
  for (const std::string today : {"2026-06-15", "2027-01-01"}) {
    ReplayOptions options = Waived("good", "CHECK-LENGTH");
    options.selection.only = {"good"};
    options.today = today;
    const auto report = Run(options);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->results[0].verdict, Verdict::kUnexpectedPass);
    EXPECT_FALSE(report->ok());
  }
}

TEST_F(ReplayTest, AWaiverOfNoVectorOrABadDayIsAnErrorOfTheCaller) {
  EXPECT_FALSE(Run(Waived("none", "CHECK-LENGTH")).ok());
  EXPECT_THAT(std::string(Run(Waived("bad", "CHECK-NEVER")).status().message()),
              HasSubstr("is for the clause CHECK-NEVER, and there is no such clause."));
  ReplayOptions options;
  options.today = "today";
  EXPECT_FALSE(Run(options).ok());
}

TEST_F(ReplayTest, AVectorWithFindingsOrUnreadableIsAnErrorOfTheHarness) {
  tree_.vectors[1].findings = {"codec/good.json: steps: There is no step."};
  tree_.unreadable = {{"codec/unread.json", "codec/unread.json:1:1: This is no JSON value.", "{"}};
  const auto report = Run();
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->results[0].id, "unread");
  EXPECT_EQ(report->results[0].verdict, Verdict::kHarnessError);
  EXPECT_EQ(report->results[0].level, "codec");
  EXPECT_EQ(report->results[2].verdict, Verdict::kHarnessError);
  EXPECT_THAT(report->results[2].text, HasSubstr("There is no step."));
  EXPECT_EQ(report->results[3].verdict, Verdict::kPass);
}

//= CONF-CAPABILITY
//# An implementation declares the capabilities that it has
//= PROFILE-PARAMETERS
//# An implementation declares the value of each constant of this text that is not fixed, where it
//# differs from the default.
//= CONF-CLAIM
//# A vector binds an implementation that declares every capability the vector requires and whose
//# profile satisfies every predicate of the vector.
TEST_F(ReplayTest, AVectorBindsByCapabilityAndProfile) {
  tree_.vectors[0].vector.add_capabilities("codec-encode");
  vectors::Predicate& predicate = *tree_.vectors[1].vector.add_profile();
  predicate.set_parameter("ack_max");
  predicate.set_relation("<=");
  predicate.set_value(500);
  EXPECT_EQ(Verdicts().at("bad"), Verdict::kUnsupported);
  EXPECT_EQ(Verdicts().at("good"), Verdict::kUnsupported);  // the default is 1000
  handler_.profile = {{"ack_max", 400}, {"no_such_parameter", 1}};
  EXPECT_EQ(Verdicts().at("good"), Verdict::kPass);
  predicate.set_relation(">=");
  EXPECT_EQ(Verdicts().at("good"), Verdict::kUnsupported);
  predicate.set_relation("=");
  predicate.set_value(400);
  EXPECT_EQ(Verdicts().at("good"), Verdict::kPass);
}

//= CONF-HELLO
//# It reports another hash and goes on.
TEST_F(ReplayTest, AnotherHashOfTheTextIsANote) {
  EXPECT_THAT(Run()->notes, IsEmpty());
  class OtherText : public vectors::FakeSpecIndex {
    std::string hash() const override { return std::string(64, 'b'); }
  };
  const OtherText other;
  const auto report = Replay(tree_, other, nullptr, dut_, ReplayOptions());
  EXPECT_THAT(report->notes,
              ElementsAre("The DUT was built from the text aaaaaaaaaaaa, the vectors "
                          "from the text bbbbbbbbbbbb."));
}

TEST_F(ReplayTest, AVectorThatNeedsACodecIsAnErrorOfTheHarnessWithoutOne) {
  vectors::StoredVector stored;
  const auto vector = vectors::LoadVectorFile("vectors/testdata/endpoint-accepts.json");
  ASSERT_TRUE(vector.ok()) << vector.status();
  stored.vector = *vector;
  tree_.vectors = {stored};
  ScriptedHandler handler({"endpoint-receiver"}, RejectAll);
  InProcessDut dut(handler);
  const auto report = Replay(tree_, index_, nullptr, dut, ReplayOptions());
  EXPECT_EQ(report->results[0].verdict, Verdict::kHarnessError);
  EXPECT_THAT(report->results[0].text, HasSubstr("no codec"));
}

TEST_F(ReplayTest, TellsItsProgress) {
  std::vector<std::string> told;
  ReplayOptions options;
  options.progress = [&](size_t i, size_t n, const std::string& id) {
    told.push_back(absl::StrCat(i, "/", n, " ", id));
  };
  ASSERT_TRUE(Run(options).ok());
  EXPECT_THAT(told, ElementsAre("1/3 bad", "2/3 good", "3/3 good-too"));
}

}  // namespace
}  // namespace metaroce::conformance
