// Several devices at once, and devices that are libraries in the workers: the report is the same,
// and what breaks costs one vector.
#include "conformance/runner/workers.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "conformance/dut/library_dut.h"
#include "conformance/play/testing.h"
#include "conformance/runner/replay.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vectors/testing/fake_spec_index.h"

namespace metaroce::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kLibrary[] = "./conformance/dut/libmisbehaving.so";
constexpr char kOtherVersion[] = "./conformance/dut/libother_version.so";

vectors::StoredVector Rejected(const std::string& id, const std::string& reason) {
  vectors::StoredVector stored;
  stored.path = absl::StrCat("codec/", id, ".json");
  stored.vector.set_id(id);
  stored.vector.set_title("A frame is rejected");
  stored.vector.set_level(vectors::CODEC);
  stored.vector.add_clauses("CHECK-LENGTH");
  stored.vector.add_capabilities("codec-decode");
  stored.vector.add_steps()->set_decode("x");
  stored.vector.add_steps()->mutable_expect()->set_reject(reason);
  return stored;
}

vectors::Tree ThreeVectors() {
  vectors::Tree tree;
  for (const char* id : {"first", "second", "third"}) {
    tree.vectors.push_back(Rejected(id, "length-short"));
  }
  return tree;
}

// A hundred vectors; those whose number ends with 7 fail.
vectors::Tree ManyVectors() {
  vectors::Tree tree;
  for (int i = 100; i < 200; ++i) {
    tree.vectors.push_back(Rejected(absl::StrCat("v", i), i % 10 == 7 ? "icrc" : "length-short"));
  }
  return tree;
}

// A device that owns the handler behind it.
class OwningDut : public InProcessDut {
 public:
  static std::unique_ptr<Dut> Make() {
    return std::make_unique<OwningDut>(std::make_unique<ScriptedHandler>(
        std::vector<std::string>{"codec-decode"}, [](const dut::Request&, dut::Answer& answer) {
          answer.mutable_reject()->set_code("length-short");
        }));
  }
  explicit OwningDut(std::unique_ptr<ScriptedHandler> handler)
      : InProcessDut(*handler), handler_(std::move(handler)) {}

 private:
  std::unique_ptr<ScriptedHandler> handler_;
};

class WorkersTest : public ::testing::Test {
 protected:
  absl::StatusOr<Report> TryLibrary(const std::string& library, const std::string& deed) {
    workers_.isolated = true;
    workers_.start_timeout = workers_.answer_timeout = workers_.exit_timeout =
        std::chrono::milliseconds(absl::StrContains(deed, "hang") ? 700 : 20000);
    return Replay(
        ThreeVectors(), index_, nullptr,
        [&] {
          return std::make_unique<LibraryDut>(std::vector<std::string>{library, deed});
        },
        workers_, options_);
  }

  Report Library(const std::string& deed) {
    const auto report = TryLibrary(kLibrary, deed);
    EXPECT_TRUE(report.ok()) << report.status();
    return *report;
  }

  void ExpectOneLost(const std::string& deed, const std::string& clause, const std::string& text) {
    SCOPED_TRACE(deed);
    const Report report = Library(deed);
    ASSERT_THAT(report.results, SizeIs(3));
    EXPECT_EQ(report.results[0].verdict, Verdict::kPass) << report.results[0].divergence.got;
    EXPECT_EQ(report.results[1].verdict, Verdict::kFail);
    EXPECT_EQ(report.results[2].verdict, Verdict::kPass) << report.results[2].divergence.got;
    EXPECT_EQ(report.results[1].divergence.clause, clause);
    if (absl::StartsWith(clause, "CONF-")) {
      EXPECT_EQ(report.results[1].divergence.step, deed == "reset-exit" ? 0 : 1);
    }
    EXPECT_THAT(report.results[1].divergence.got, HasSubstr(text));
    EXPECT_THAT(report.problems, IsEmpty());
  }

  absl::StatusOr<Report> Many(int jobs) {
    workers_.jobs = jobs;
    return Replay(ManyVectors(), index_, nullptr, &OwningDut::Make, workers_, options_);
  }

  vectors::FakeSpecIndex index_;
  WorkerOptions workers_;
  ReplayOptions options_;
};

std::vector<std::string> Lines(const Report& report) {
  std::vector<std::string> lines;
  for (const VectorResult& result : report.results) {
    lines.push_back(absl::StrCat(result.id, " ", Name(result.verdict), " ", result.divergence.got));
  }
  return lines;
}

TEST_F(WorkersTest, TheReportIsTheSameHoweverManyTheyAre) {
  const auto one = Many(1);
  ASSERT_TRUE(one.ok()) << one.status();
  ASSERT_THAT(one->results, SizeIs(100));
  EXPECT_EQ(one->Counts()[static_cast<size_t>(Verdict::kFail)], 10u);
  for (const int jobs : {2, 7, 200}) {
    const auto several = Many(jobs);
    ASSERT_TRUE(several.ok()) << several.status();
    EXPECT_EQ(Lines(*several), Lines(*one));
  }
}

TEST_F(WorkersTest, AStopAtTheFirstFailureIsTheFirstInTheOrderOfTheTree) {
  options_.fail_fast = true;
  for (const int jobs : {1, 4}) {
    const auto report = Many(jobs);
    ASSERT_TRUE(report.ok());
    ASSERT_THAT(report->results, SizeIs(8)) << "v100 to v107";
    EXPECT_EQ(report->results.back().verdict, Verdict::kFail);
    EXPECT_THAT(report->notes, ElementsAre("The run was stopped at the first failure: 8 of 100 "
                                           "vectors were played."));
  }
  options_.waivers = {{"v107", "CHECK-LENGTH", "known", "us", "9999-12-31"}};
  EXPECT_THAT(Many(3)->results, SizeIs(18)) << "a failure with a waiver is none";
}

TEST_F(WorkersTest, ShardsPlayEachVectorOnce) {
  options_.selection.shard.count = 3;
  std::vector<std::string> all;
  for (size_t i = 1; i <= 3; ++i) {
    options_.selection.shard.index = i;
    for (const std::string& line : Lines(*Many(2))) all.push_back(line);
  }
  std::sort(all.begin(), all.end());
  options_.selection.shard = Shard();
  EXPECT_EQ(all, Lines(*Many(2)));
}

TEST_F(WorkersTest, AnInterruptedRunReportsWhatWasPlayed) {
  size_t played = 0;
  options_.progress = [&](size_t n, size_t, const std::string&) { played = n; };
  workers_.interrupted = [&] { return played >= 5; };
  workers_.jobs = 2;
  // A device that takes its time, so that the run is not over at once.
  const MakeDut slow = [] {
    return std::make_unique<OwningDut>(std::make_unique<ScriptedHandler>(
        std::vector<std::string>{"codec-decode"}, [](const dut::Request&, dut::Answer& answer) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          answer.mutable_reject()->set_code("length-short");
        }));
  };
  const auto report = Replay(ManyVectors(), index_, nullptr, slow, workers_, options_);
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->run.interrupted);
  EXPECT_GE(report->results.size(), 5u);
  EXPECT_LT(report->results.size(), 100u);
  EXPECT_FALSE(report->ok());
  EXPECT_THAT(report->problems,
              ElementsAre(absl::StrCat("The run was interrupted: ", report->results.size(),
                                       " of 100 vectors were played.")));
}

TEST_F(WorkersTest, AGoodLibraryPassesAndMayPrint) {
  for (const char* deed : {"nothing", "print", "pointers"}) {
    const Report report = Library(deed);
    EXPECT_TRUE(report.ok()) << deed;
    EXPECT_EQ(report.Counts()[static_cast<size_t>(Verdict::kPass)], 3u);
    EXPECT_EQ(report.dut.name, "misbehaving library");
  }
}

//= CONF-DEATH
//# fails the vector in which it does so, whatever was expected.
TEST_F(WorkersTest, ALibraryThatEndsTheProcessFailsOneVector) {
  ExpectOneLost("crash", "CONF-DEATH",
                "The DUT was ended by signal 11 (Segmentation fault) before it answered. Its log: "
                "about to crash");
  ExpectOneLost("exit", "CONF-DEATH", "The DUT ended with exit status 3 before it answered.");
  ExpectOneLost("reset-exit", "CONF-DEATH", "ended with exit status 3");
}

TEST_F(WorkersTest, ALibraryThatHangsFailsOneVectorAndItsProcessesEnd) {
  ExpectOneLost("hang", "CONF-DEATH", "The DUT gave no answer within 700 ms.");
  const Report report = Library("child-and-hang");
  EXPECT_EQ(report.results[2].verdict, Verdict::kPass);
  const std::string& got = report.results[1].divergence.got;
  int child = 0;
  ASSERT_TRUE(absl::SimpleAtoi(got.substr(got.rfind(' ') + 1), &child)) << got;
  EXPECT_NE(kill(child, 0), 0) << "it lives";
}

//= CONF-LIBRARY
//# what it does to that process it does itself
TEST_F(WorkersTest, WhatTheDeviceReceivedAndShouldHaveDoneIsToldOfOneThatDied) {
  const Divergence divergence = Library("crash").results[1].divergence;
  EXPECT_EQ(divergence.received, "a frame of 1 byte to decode");
  EXPECT_EQ(divergence.expected, "reject length-short");
  EXPECT_EQ(divergence.level, "MUST");
}

TEST_F(WorkersTest, AnAnswerThatTheAbiDoesNotAllowFailsOneVector) {
  ExpectOneLost("status", "CONF-DEATH", "has the status 42, which the ABI does not have");
  ExpectOneLost("negative-status", "CONF-DEATH", "has the status -1000000");
  ExpectOneLost("overflow", "CONF-DEATH", "does not fit into an answer of the ABI");
  ExpectOneLost("lost-count", "CONF-DEATH", "counts more than its capacity");
  ExpectOneLost("lost-event", "CONF-DEATH", "an event 0 of no kind or outside of its arrays");
  ExpectOneLost("no-kind", "CONF-DEATH", "an event 0 of no kind");
  ExpectOneLost("lost-value", "CONF-DEATH", "a value 0 of no kind or outside of its bytes");
  ExpectOneLost("no-end", "CHECK-LENGTH", "reject xxxx");
  ExpectOneLost("error", "CONF-ERROR", "the answer Error: cannot \\x1b[31m do");
  ExpectOneLost("unsupported", "CONF-ANSWER", "Unsupported time-travel");
}

TEST_F(WorkersTest, ALibraryLeftBrokenByAVectorFailsThatOne) {
  const Report report = Library("broken-afterwards");
  EXPECT_EQ(report.results[1].verdict, Verdict::kFail);
  EXPECT_THAT(report.results[1].divergence.got, HasSubstr("(Aborted) after its last answer."));
  EXPECT_EQ(report.results[2].verdict, Verdict::kPass) << report.results[2].divergence.got;
}

TEST_F(WorkersTest, ALibraryThatDoesNotOpenTeachesNothing) {
  const std::pair<std::string, std::string> deeds[] = {
      {"open-crash", "(Aborted) before it answered"},
      {"open-hang", "gave no answer within 700 ms"},
      {"open-error", "It answers Error: no board is there."},
      {"open-nothing", "sets no handle"},
      {"open-status", "has the status 42"},
  };
  for (const int jobs : {1, 2}) {
    workers_.jobs = jobs;
    for (const auto& [deed, text] : deeds) {
      const Report report = Library(deed);
      EXPECT_EQ(report.Counts()[static_cast<size_t>(Verdict::kHarnessError)], 3u) << deed;
      EXPECT_THAT(report.results[0].text, HasSubstr(text));
    }
  }
}

//= CONF-BYE
//# one that does not makes the run fail, whatever the verdicts.
TEST_F(WorkersTest, TheEndOfALibraryIsHeldAgainstTheRun) {
  for (const std::string deed : {"close-crash", "close-hang"}) {
    const Report report = Library(deed);
    EXPECT_EQ(report.Counts()[static_cast<size_t>(Verdict::kPass)], 3u) << deed;
    ASSERT_THAT(report.problems, SizeIs(1));
    EXPECT_THAT(report.problems[0], HasSubstr(deed == "close-hang" ? "did not close within 700 ms"
                                                                   : "(Aborted) when it was"));
    EXPECT_FALSE(report.ok());
  }
}

TEST_F(WorkersTest, ALibraryThatIsNoneIsAnErrorOfTheCaller) {
  EXPECT_EQ(TryLibrary("./none.so", "").status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(TryLibrary("libm.so.6", "").status().message()),
              HasSubstr("has no function metaroce_dut_abi"));
  EXPECT_THAT(std::string(TryLibrary(kOtherVersion, "").status().message()),
              HasSubstr("was built for version 7 of metaroce_dut.h; the runner has version 1."));
}

TEST(LibraryDutTest, IsChosenByTheNameOfTheProgram) {
  for (const char* name : {"libmine.so", "./libmine.so.2", "/usr/lib/mine.so.1.2"}) {
    EXPECT_TRUE(IsLibrary(name)) << name;
  }
  for (const char* name : {"mine", "./mine.sog", "so", "/opt/x.so/mine", "mine.py"}) {
    EXPECT_FALSE(IsLibrary(name)) << name;
  }
}

}  // namespace
}  // namespace metaroce::conformance
