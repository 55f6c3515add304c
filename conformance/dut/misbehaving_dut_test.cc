// A device that breaks costs one vector, and the run goes on.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "conformance/dut/child_dut.h"
#include "conformance/runner/replay.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vectors/testing/fake_spec_index.h"

namespace metaroce::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kProgram[] = "conformance/dut/testdata/misbehaving_dut.py";

// Three vectors that a good device passes by rejecting the frame.
vectors::Tree ThreeVectors() {
  vectors::Tree tree;
  for (const char* id : {"first", "second", "third"}) {
    vectors::StoredVector stored;
    stored.path = absl::StrCat("codec/", id, ".json");
    stored.vector.set_id(id);
    stored.vector.set_title("A frame is rejected");
    stored.vector.set_level(vectors::CODEC);
    stored.vector.add_clauses("CHECK-LENGTH");
    stored.vector.add_capabilities("codec-decode");
    stored.vector.add_steps()->set_decode("x");
    stored.vector.add_steps()->mutable_expect()->set_reject("length-short");
    tree.vectors.push_back(std::move(stored));
  }
  return tree;
}

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Ample for a Python program on a busy machine, short for a test.
constexpr std::chrono::milliseconds kPatient{20000};
constexpr std::chrono::milliseconds kShort{1500};

class MisbehavingDutTest : public ::testing::Test {
 protected:
  Report Run(const std::string& deed, std::chrono::milliseconds timeout = kPatient) {
    ChildOptions options;
    options.command = {"/usr/bin/python3", kProgram, deed};
    options.start_timeout = kPatient;
    options.answer_timeout = timeout;
    options.exit_timeout = timeout;
    ChildDut dut(options);
    const auto report = Replay(ThreeVectors(), index_, nullptr, dut, ReplayOptions());
    EXPECT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(dut.pid(), 0) << "it still runs";
    return *report;
  }

  // The second vector fails with that text, the others pass.
  void ExpectOneLost(const Report& report, const std::string& text) {
    ASSERT_THAT(report.results, SizeIs(3));
    EXPECT_EQ(report.results[0].verdict, Verdict::kPass) << report.results[0].divergence.got;
    EXPECT_EQ(report.results[1].verdict, Verdict::kFail);
    EXPECT_EQ(report.results[2].verdict, Verdict::kPass) << report.results[2].divergence.got;
    EXPECT_THAT(report.results[1].divergence.got, HasSubstr(text));
    EXPECT_FALSE(report.ok());
  }

  vectors::FakeSpecIndex index_;
};

TEST_F(MisbehavingDutTest, AGoodDevicePassesAndTheRunSucceeds) {
  const Report report = Run("nothing");
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.Counts()[static_cast<size_t>(Verdict::kPass)], 3u);
  EXPECT_EQ(report.dut.name, "misbehaving");
  EXPECT_THAT(report.problems, IsEmpty());
}

TEST_F(MisbehavingDutTest, ExitIsAFailureWithItsStatus) {
  ExpectOneLost(Run("exit"), "The DUT ended with exit status 3 before it answered.");
}

//= CONF-DEATH
//# fails the vector in which it does so, whatever was expected.
TEST_F(MisbehavingDutTest, ACrashIsAFailureWithItsSignalAndItsLog) {
  const Report report = Run("crash");
  ExpectOneLost(report, "The DUT was ended by signal 11 (Segmentation fault) before it answered.");
  EXPECT_THAT(report.results[1].divergence.got, HasSubstr("Its log: about to crash"));
  EXPECT_EQ(report.results[1].divergence.clause, "CONF-DEATH");
  EXPECT_EQ(report.results[1].divergence.step, 1);
}

TEST_F(MisbehavingDutTest, AHangIsAFailureAfterTheTimeOut) {
  ExpectOneLost(Run("hang", kShort), "gave no answer within 1500 ms: no byte of it came.");
  ExpectOneLost(Run("ignore-sigterm", kShort), "gave no answer within 1500 ms");
}

// It was killed, and is gone as soon as its new parent has taken note.
bool Ends(int pid) {
  for (int i = 0; i < 1000; ++i) {
    if (kill(pid, 0) != 0) return true;
    const std::string stat = TextOf(absl::StrCat("/proc/", pid, "/stat"));
    if (stat.find(") Z ") != std::string::npos) return true;  // dead, not reaped
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// The number behind the last blank, of a process that a device told of.
int LastNumber(const std::string& text) {
  int number = 0;
  EXPECT_TRUE(absl::SimpleAtoi(text.substr(text.rfind(' ') + 1), &number)) << text;
  return number;
}

TEST_F(MisbehavingDutTest, ADeadDeviceIsSeenEvenIfAChildHoldsItsPipesAndTheChildIsEnded) {
  const Report report = Run("hang-with-child", kShort);
  ExpectOneLost(report, "ended with exit status 5");
  EXPECT_TRUE(Ends(LastNumber(report.results[1].divergence.got)));
}

TEST_F(MisbehavingDutTest, AGrandchildWithASessionOfItsOwnIsEnded) {
  const Report report = Run("hang-with-daemon", kShort);
  ExpectOneLost(report, "ended with exit status 5");
  EXPECT_TRUE(Ends(LastNumber(report.results[1].divergence.got)));
}

TEST_F(MisbehavingDutTest, WhatTheCallerStartedBeforeIsNotTouched) {
  const pid_t own = fork();
  if (own == 0) {
    while (true) pause();
  }
  Run("hang-with-daemon", kShort);
  EXPECT_EQ(kill(own, 0), 0);
  EXPECT_EQ(waitpid(own, nullptr, WNOHANG), 0) << "it was ended";
  kill(own, SIGKILL);
  waitpid(own, nullptr, 0);
}

TEST_F(MisbehavingDutTest, TheDeviceEndsWithAKilledRunner) {
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t runner = fork();
  if (runner == 0) {
    ChildOptions options;
    options.command = {"/bin/sleep", "1000"};
    ChildDut dut(options);
    if (!dut.Start().ok()) _exit(1);
    const pid_t pid = dut.pid();
    if (write(told[1], &pid, sizeof pid) != sizeof pid) _exit(1);
    while (true) pause();
  }
  close(told[1]);
  pid_t device = 0;
  ASSERT_EQ(read(told[0], &device, sizeof device), static_cast<ssize_t>(sizeof device));
  close(told[0]);
  EXPECT_EQ(kill(device, 0), 0);
  kill(runner, SIGKILL);
  waitpid(runner, nullptr, 0);
  EXPECT_TRUE(Ends(device));
}

TEST_F(MisbehavingDutTest, AClosedStreamIsAFailure) {
  ExpectOneLost(Run("close-stdout"), "The DUT closed a stream before it answered.");
  ExpectOneLost(Run("close-stdin", kShort), "gave no answer within");
}

//= CONF-ENCODING
//# A message is a `Request` or an `Answer`
TEST_F(MisbehavingDutTest, GarbageIsAFailure) {
  ExpectOneLost(Run("garbage"),
                "announced an answer of 1399154541 bytes, above 1048576 (it begins "
                "with \"Segmentation fault (core\").");
  ExpectOneLost(Run("text-before"), "The DUT");
  ExpectOneLost(Run("unparsable"), "3 bytes that are no Answer");
  ExpectOneLost(Run("oversize"), "announced an answer of 3735928559 bytes");
  ExpectOneLost(Run("no-kind"), "an answer of a kind that does not fit the request");
  ExpectOneLost(Run("hello-again"), "an answer of a kind that does not fit the request");
}

//= CONF-TRANSPORT
//# Each message is preceded by its length in bytes
TEST_F(MisbehavingDutTest, HalfAFrameIsAFailure) {
  ExpectOneLost(Run("half-length", kShort), "2 bytes of a message of");
  ExpectOneLost(Run("half-frame", kShort), "bytes of a message of");
  ExpectOneLost(Run("half-frame-exit"), "ended with exit status 0 before it answered, after");
}

TEST_F(MisbehavingDutTest, AnAnswerThatDripsIsHeldAgainstTheTimeOutAsAWhole) {
  ExpectOneLost(Run("drip", kShort), "gave no answer within 1500 ms");
}

TEST_F(MisbehavingDutTest, AFloodIsAFailureAndKeepsMemoryBounded) {
  struct rusage before;
  getrusage(RUSAGE_SELF, &before);
  ExpectOneLost(Run("flood"), "The DUT");
  ExpectOneLost(Run("flood-log", kShort), "gave no answer within 1500 ms");
  struct rusage after;
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 * 1024) << "KiB";
}

//= CONF-SURPLUS
//# Bytes that nobody asked for fail the vector after whose last request they came.
TEST_F(MisbehavingDutTest, AnAnswerTooManyIsAFailureOfTheVectorAfterWhichItCame) {
  ExpectOneLost(Run("twice"), "behind its answer");
  const Report late = Run("late-surplus");
  ExpectOneLost(late, "The DUT");
  EXPECT_EQ(late.results[1].divergence.clause, "CONF-SURPLUS");
}

TEST_F(MisbehavingDutTest, AnEndAfterTheLastAnswerIsAFailureOfThatVector) {
  ExpectOneLost(Run("exit-after"), "ended with exit status 0");
}

//= CONF-ANSWER
//# The DUT answers each request with exactly one answer that repeats the request's `id`
TEST_F(MisbehavingDutTest, AnAnswerToAnotherRequestIsAFailure) {
  ExpectOneLost(Run("wrong-id"), "when it was asked request");
}

//= CONF-ERROR
//# That is a failure of the DUT and never stands for a rejection
TEST_F(MisbehavingDutTest, ErrorIsAFailureAndItsTextIsMadeSafe) {
  ExpectOneLost(Run("error"), "the answer Error: cannot \\x1b[31m do");
}

//= CONF-UNSUPPORTED
//# Any other `Unsupported` is an answer that does not fit the request
TEST_F(MisbehavingDutTest, UnsupportedDoesNotDodgeAVector) {
  for (const std::string capability : {"time-travel", "constants", "codec-decode", ""}) {
    const Report at_apply = Run(absl::StrCat("unsupported=", capability));
    ExpectOneLost(at_apply, "which only a Reset or a Snapshot can have");
    EXPECT_EQ(at_apply.results[1].divergence.clause, "CONF-ANSWER");
    const Report at_reset = Run(absl::StrCat("reset-unsupported=", capability));
    ExpectOneLost(at_reset, absl::StrCat("the answer Unsupported ", capability, ", "));
    EXPECT_EQ(at_reset.results[1].divergence.clause, "CONF-ANSWER");
  }
}

TEST_F(MisbehavingDutTest, AHugeWrongReasonIsCutInTheReport) {
  const Report report = Run("huge-answer");
  ExpectOneLost(report, "reject xxx");
  EXPECT_LT(report.results[1].divergence.got.size(), 100u);
}

TEST_F(MisbehavingDutTest, ADeviceThatDiesAtResetFailsItself) {
  ExpectOneLost(Run("reset-exit"), "ended with exit status 3");
  ExpectOneLost(Run("reset-reject"), "the answer Reject, which only a Decode can have");
}

TEST_F(MisbehavingDutTest, ALongLogDoesNotBlockIt) {
  const Report report = Run("chatty-log");
  EXPECT_TRUE(report.ok()) << report.results[1].divergence.got;
}

TEST_F(MisbehavingDutTest, ADeviceThatNeverAnswersHelloTeachesNothing) {
  for (const std::string deed : {"hello-exit", "hello-contract", "hello-profile"}) {
    const Report report = Run(deed);
    EXPECT_EQ(report.Counts()[static_cast<size_t>(Verdict::kHarnessError)], 3u) << deed;
    EXPECT_FALSE(report.ok());
  }
  EXPECT_THAT(Run("hello-exit").results[0].text, HasSubstr("ended with exit status 4"));
  EXPECT_THAT(Run("hello-contract").results[0].text, HasSubstr("speaks version 7"));
  EXPECT_THAT(Run("hello-profile").results[0].text, HasSubstr("PROFILE-PARAMETERS"));
}

TEST_F(MisbehavingDutTest, AHangAtHelloIsWaitedForOnce) {
  ChildOptions options;
  options.command = {"/usr/bin/python3", kProgram, "hello-hang"};
  options.start_timeout = kShort;
  options.log_path = absl::StrCat(::testing::TempDir(), "/hello-hang.log");
  {
    ChildDut dut(options);
    const auto report = Replay(ThreeVectors(), index_, nullptr, dut, ReplayOptions());
    ASSERT_TRUE(report.ok());
    EXPECT_THAT(report->results[2].text, HasSubstr("gave no answer within 1500 ms"));
  }
  EXPECT_EQ(TextOf(options.log_path), "asked\n");
}

TEST_F(MisbehavingDutTest, ALongLogAfterByeIsReadToItsEnd) {
  EXPECT_TRUE(Run("bye-chatty-log").ok());
}

//= CONF-BYE
//# one that does not makes the run fail, whatever the verdicts.
TEST_F(MisbehavingDutTest, ByeIsHeldAgainstTheRun) {
  for (const std::string deed : {"bye-hang", "bye-stay", "bye-status"}) {
    const Report report = Run(deed, deed == "bye-status" ? kPatient : kShort);
    EXPECT_EQ(report.Counts()[static_cast<size_t>(Verdict::kPass)], 3u) << deed;
    EXPECT_THAT(report.problems, SizeIs(1));
    EXPECT_FALSE(report.ok());
  }
  EXPECT_THAT(Run("bye-status").problems[0], HasSubstr("ended with exit status 6 after Bye"));
  EXPECT_THAT(Run("bye-surplus").problems[0], HasSubstr("behind its answer"));
}

TEST_F(MisbehavingDutTest, AProgramThatIsNotThereIsAnErrorOfTheCaller) {
  ChildOptions options;
  options.command = {"no-such-program-anywhere"};
  ChildDut dut(options);
  const auto report = Replay(ThreeVectors(), index_, nullptr, dut, ReplayOptions());
  EXPECT_EQ(report.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("no-such-program-anywhere"));
}

TEST_F(MisbehavingDutTest, ProgramsThatAreNoDeviceAtAll) {
  for (const std::string program : {"true", "cat", "yes"}) {
    ChildOptions options;
    options.command = {program};
    options.answer_timeout = kPatient;
    ChildDut dut(options);
    const auto report = Replay(ThreeVectors(), index_, nullptr, dut, ReplayOptions());
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->Counts()[static_cast<size_t>(Verdict::kHarnessError)], 3u) << program;
  }
}

TEST_F(MisbehavingDutTest, TheLogIsKeptInAFile) {
  ChildOptions options;
  options.command = {"/usr/bin/python3", kProgram, "crash"};
  options.answer_timeout = kPatient;
  options.log_path = absl::StrCat(::testing::TempDir(), "/dut.log");
  {
    ChildDut dut(options);
    ASSERT_TRUE(Replay(ThreeVectors(), index_, nullptr, dut, ReplayOptions()).ok());
  }
  EXPECT_EQ(TextOf(options.log_path), "about to crash\n");
}

}  // namespace
}  // namespace metaroce::conformance
