// What a device is asked, in which order and at which times.
#include "conformance/play/play.h"

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/play/compare.h"
#include "conformance/play/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vectors/json.h"
#include "vectors/testing/fake_spec_index.h"

namespace metaroce::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kMax32 = 0xFFFFFFFF;

class PlayTest : public ::testing::Test {
 protected:
  PlayResult Run(const std::string& level, const std::string& steps, const std::string& more = "") {
    const std::string block =
        level == "endpoint" || level == "codec"
            ? absl::StrCat("\"level\": \"", level, "\"")
            : absl::StrCat("\"level\": \"block\", \"block\": \"", level, "\"");
    const auto vector = vectors::LoadVector(
        absl::StrCat("{\"id\": \"v\", ", block, ", \"clauses\": [\"ACK-DUE-COUNT\"], ", more,
                     "\"steps\": [", steps, "]}"),
        "v");
    EXPECT_TRUE(vector.ok()) << vector.status();
    ScriptedHandler handler({}, [this](const dut::Request& request, dut::Answer& answer) {
      if (script) script(request, answer);
    });
    handler.reset = reset_script;
    InProcessDut dut(handler);
    RequestIds ids;
    const PlayResult result = Play(*vector, info, index_, &codec_, dut, ids);
    for (const dut::Request& request : handler.requests) {
      if (request.has_apply()) {
        asked.push_back(absl::StrCat("apply at ", request.apply().at_ns()));
        frames.push_back(request.apply().arrive().frame());
        fields.push_back(Show(FromDut(request.apply().block().field()), 200));
      } else if (request.has_advance()) {
        asked.push_back(absl::StrCat("advance to ", request.advance().to_ns()));
      } else if (request.has_reset()) {
        reset = request.reset();
      }
    }
    return result;
  }

  vectors::FakeSpecIndex index_;
  LineCodec codec_;
  DutInfo info;
  ScriptedHandler::Script script;
  ScriptedHandler::Script reset_script;
  std::vector<std::string> asked;
  std::vector<std::string> frames;
  std::vector<std::string> fields;
  dut::Reset reset;
};

TEST_F(PlayTest, AFailureOfAMachineSaysInWhichStateItWas) {
  const std::string out = "{\"expect\": {\"includes\": {\"state\": \"";
  const std::string steps =
      absl::StrCat("{\"apply\": {\"kind\": \"open-wanted\"}}, ", out, "opening\"}}}, ",
                   "{\"apply\": {\"kind\": \"answered\"}}, ", out, "active\"}}}");
  std::string state = "free";
  script = [&](const dut::Request&, dut::Answer& answer) {
    dut::Field& field =
        *answer.mutable_done()->add_event()->mutable_fields()->mutable_field()->Add();
    field.set_name("state");
    field.set_word(state);
    if (state == "opening") state = "free";
  };
  const std::string config = "\"config\": {\"machine\": \"path\", \"state\": \"free\"}, ";
  EXPECT_EQ(Run("path-lifecycle", steps, config).divergence.received,
            "kind = open-wanted    machine path in state free");
  state = "opening";
  EXPECT_EQ(Run("path-lifecycle", steps, config).divergence.received,
            "kind = answered    machine path in state opening");
}

constexpr char kInput[] = "\"apply\": {\"kind\": \"data\", \"sequence\": 0}";

//= CONF-RESET
//# `Reset` puts the DUT into the state that level, block and configuration describe
TEST_F(PlayTest, ResetCarriesLevelBlockAndConfiguration) {
  Run("ack-generation", absl::StrCat("{", kInput, "}, {\"expect\": {\"nothing\": 5}}"),
      "\"config\": {\"base\": 7}, ");
  EXPECT_EQ(reset.level(), "block");
  EXPECT_EQ(reset.block(), "ack-generation");
  EXPECT_EQ(reset.config(0).name(), "base");
  EXPECT_EQ(reset.config(0).number(), 7u);
}

TEST_F(PlayTest, TimeIsLetPassToTheLastBoundAtTheEndAndNotBefore) {
  EXPECT_EQ(Run("ack-generation",
                absl::StrCat("{", kInput, "}, {\"expect\": {\"nothing\": 5000}}, {\"at\": 6000, ",
                             kInput, "}, {\"expect\": {\"nothing\": \"ack_delay_max + ack_max\"}}"))
                .kind,
            PlayKind::kMet);
  EXPECT_THAT(asked, ElementsAre("apply at 0", "apply at 6000", "advance to 15000"));
}

//= CONF-EXPECT-TIME
//# with their values in the configuration, else in the DUT's profile, else their defaults.
//= PROFILE-LATENCY
//# An implementation declares three bounds of its own.
TEST_F(PlayTest, ABoundTakesTheConfigurationThenTheProfileThenTheDefault) {
  info.profile["ack_max"] = 300;
  info.profile["ack_delay_max"] = 77;
  Run("ack-generation",
      absl::StrCat("{", kInput, "}, {\"expect\": {\"nothing\": \"ack_delay_max + ack_max\"}}"),
      "\"config\": {\"ack_delay_max\": 50}, ");
  EXPECT_THAT(asked, ElementsAre("apply at 0", "advance to 350"));
}

TEST_F(PlayTest, AStepWithoutATimeHasThatOfTheStimulusBefore) {
  Run("ack-generation",
      absl::StrCat("{\"at\": 9, ", kInput, "}, {", kInput, "}, {\"expect\": {\"nothing\": 0}}"));
  EXPECT_THAT(asked, ElementsAre("apply at 9", "apply at 9", "advance to 9"));
}

TEST_F(PlayTest, AnAdvanceOfTheVectorIsPassedOn) {
  Run("ack-generation",
      absl::StrCat("{", kInput, "}, {\"at\": 40, \"advance\": true}, {\"at\": 41, ", kInput,
                   "}, {\"expect\": {\"nothing\": 1}}"));
  EXPECT_THAT(asked, ElementsAre("apply at 0", "advance to 40", "apply at 41", "advance to 42"));
}

//= CONF-BURST
//# modulo 2 to the power of the field's bits.
TEST_F(PlayTest, ABurstIsOneRequestEachAndItsNumbersWrapAtTheirWidth) {
  Run("ack-generation",
      "{\"at\": 100, \"apply\": {\"kind\": \"data\", \"sequence\": 4294967295, \"transmit_time\": "
      "4294967290}, \"repeat\": {\"count\": 3, \"every\": 10, \"by\": {\"sequence\": 1, "
      "\"transmit_time\": 4294967295}}}, {\"expect\": {\"nothing\": 0}}");
  EXPECT_THAT(asked, ElementsAre("apply at 100", "apply at 110", "apply at 120"));
  EXPECT_THAT(fields[1], HasSubstr("sequence = 0, transmit_time = 4294967289"));
  EXPECT_THAT(fields[2], HasSubstr("sequence = 1, transmit_time = 4294967288"));
}

TEST_F(PlayTest, ABurstOfPacketsIsBuiltAnewEachTime) {
  Run("endpoint",
      "{\"arrive\": {\"fields\": {\"common.opcode\": 1, \"data.csn\": 4294967295}}, \"repeat\": "
      "{\"count\": 2, \"by\": {\"data.csn\": 1}}}, {\"expect\": {\"nothing\": 0}}");
  EXPECT_THAT(frames, ElementsAre("common.opcode=1\ndata.csn=4294967295\n",
                                  "common.opcode=1\ndata.csn=0\n"));
}

// Answers the first stimulus with a packet that has this CSN, and each later one with the next.
ScriptedHandler::Script CountsFrom(uint32_t csn) {
  return [csn](const dut::Request& request, dut::Answer& answer) mutable {
    if (!request.has_apply()) return;
    dut::Event& event = *answer.mutable_done()->add_event();
    event.set_at_ns(request.apply().at_ns());
    event.mutable_packet()->set_frame(absl::StrCat("data.csn=", csn++, "\n"));
  };
}

constexpr char kTakesOver[] =
    "{\"arrive\": {\"fields\": {\"common.opcode\": 1}}}, "
    "{\"expect\": {\"packet\": {\"includes\": {\"data.csn\": \"$first\"}}, \"within\": 1000}}, ";

//= CONF-TAKEN
//# From then on the name stands for that value: in a later expectation the field must have it, in a
//# later stimulus it has it.
TEST_F(PlayTest, ANumberThatTheDeviceChoseStandsForItsNameFromThenOn) {
  script = CountsFrom(4294967295);
  const PlayResult result = Run(
      "endpoint",
      absl::StrCat(kTakesOver,
                   "{\"at\": 500, \"arrive\": {\"fields\": {\"data.csn\": \"$first + 7\"}}}, "
                   "{\"expect\": {\"packet\": {\"includes\": {\"data.csn\": \"$first + 1\"}}}}"));
  EXPECT_EQ(result.kind, PlayKind::kMet) << result.divergence.got;
  EXPECT_THAT(frames, ElementsAre("common.opcode=1\n", "data.csn=6\n"));
  EXPECT_THAT(asked, ElementsAre("apply at 0", "apply at 500"));
}

TEST_F(PlayTest, WhatDoesNotAgreeWithTheNumberTakenOverDiverges) {
  script = CountsFrom(20);
  const PlayResult result =
      Run("endpoint",
          absl::StrCat(kTakesOver,
                       "{\"arrive\": {\"fields\": {\"common.opcode\": 1}}}, "
                       "{\"expect\": {\"packet\": {\"includes\": {\"data.csn\": \"$first\"}}}}"));
  EXPECT_EQ(result.kind, PlayKind::kDiverged);
  EXPECT_EQ(result.divergence.step, 4);
  EXPECT_EQ(result.divergence.expected, "data.csn = 20");
  EXPECT_THAT(result.divergence.got, HasSubstr("data.csn = 21"));
}

//= CONF-TAKEN
//# Else all that falls due before its `at` comes first. If a name is not taken over by then, the
//# first expectation that waits is a mismatch.
TEST_F(PlayTest, AStimulusWaitsForItsNameAndNoLongerThanToItsTime) {
  const PlayResult result =
      Run("endpoint",
          absl::StrCat(kTakesOver,
                       "{\"at\": 500, \"arrive\": {\"fields\": {\"data.csn\": \"$first\"}}}, "
                       "{\"expect\": {\"nothing\": 0}}"));
  EXPECT_EQ(result.kind, PlayKind::kDiverged);
  EXPECT_EQ(result.divergence.step, 2);
  EXPECT_THAT(result.divergence.expected, HasSubstr("data.csn = $first"));
  EXPECT_EQ(result.divergence.got, "nothing by then; step 3 needs $first at 500 ns");
  EXPECT_THAT(asked, ElementsAre("apply at 0", "advance to 499"));
}

//= CONF-TAKEN
//# An event that is compared with a later expectation before the name is taken over is a mismatch.
TEST_F(PlayTest, TheFirstExpectationInTheFileTakesOverAndNoOtherOne) {
  script = [](const dut::Request& request, dut::Answer& answer) {
    if (!request.has_apply()) return;
    dut::Field& id = *answer.mutable_done()->add_event()->mutable_completion()->add_field();
    id.set_name("id");
    id.set_number(20);
    answer.mutable_done()->add_event()->mutable_packet()->set_frame("data.csn=20\n");
  };
  const PlayResult result = Run(
      "endpoint", absl::StrCat(kTakesOver, "{\"expect\": {\"completion\": {\"id\": \"$first\"}}}"));
  EXPECT_EQ(result.kind, PlayKind::kDiverged);
  EXPECT_EQ(result.divergence.step, 3);
  EXPECT_THAT(result.divergence.got, HasSubstr("id = 20, at 0 ns, before $first was taken"));
}

// A completion is awaited, nothing until 100, and then a packet; the packet comes first.
PlayKind WithAPacketAt(uint64_t at, ScriptedHandler::Script* script,
                       const std::function<PlayResult(const std::string&)>& run) {
  *script = [at](const dut::Request& request, dut::Answer& answer) {
    if (!request.has_advance()) return;
    dut::Event& packet = *answer.mutable_done()->add_event();
    packet.set_at_ns(at);
    packet.mutable_packet()->set_frame("data.csn=20\n");
    dut::Event& completion = *answer.mutable_done()->add_event();
    completion.set_at_ns(800);
    dut::Field& id = *completion.mutable_completion()->add_field();
    id.set_name("id");
    id.set_number(1);
  };
  return run("{\"arrive\": {\"fields\": {\"common.opcode\": 1}}}, "
             "{\"expect\": {\"completion\": {\"id\": 1}, \"within\": 1000}}, "
             "{\"expect\": {\"nothing\": 100}}, "
             "{\"expect\": {\"packet\": {\"includes\": {\"data.csn\": 20}}, \"within\": 1000}}")
      .kind;
}

//= CONF-STEP
//# A `nothing` whose time is over is met and is passed over; before that, before its `at` too, no
//# event passes over it, and one that reaches it is a mismatch.
TEST_F(PlayTest, NothingIsPassedOverWhenItsTimeIsOverAndNotBefore) {
  const auto run = [this](const std::string& steps) { return Run("endpoint", steps); };
  EXPECT_EQ(WithAPacketAt(101, &script, run), PlayKind::kMet);
  EXPECT_EQ(WithAPacketAt(100, &script, run), PlayKind::kDiverged);
}

TEST_F(PlayTest, APacketThatCannotBeBuiltIsAnErrorOfTheHarness) {
  const PlayResult result =
      Run("endpoint",
          "{\"arrive\": {\"fields\": {\"payload\": \"0x00\"}}}, {\"expect\": {\"nothing\": 0}}");
  EXPECT_EQ(result.kind, PlayKind::kHarness);
  EXPECT_EQ(result.text, "Step 1: \"payload\" is no number.");
}

TEST_F(PlayTest, UnsupportedIsAllowedOnlyWhereAConstantCannotBeSet) {
  std::string capability = "constants";
  reset_script = [&](const dut::Request&, dut::Answer& answer) {
    answer.mutable_unsupported()->set_capability(capability);
  };
  const auto answered = [&](const std::string& config) {
    const PlayResult result =
        Run("ack-generation", absl::StrCat("{", kInput, "}, {\"expect\": {\"nothing\": 5}}"),
            absl::StrCat("\"config\": {", config, "}, "));
    EXPECT_TRUE(asked.empty()) << "it goes on after an Unsupported";
    return result.kind == PlayKind::kUnsupported
               ? result.text
               : absl::StrCat(result.divergence.clause, ": ", result.divergence.got);
  };
  const std::string allowed = "The DUT answered Unsupported: constants.";
  const std::string needless =
      "CONF-ANSWER: the answer Unsupported constants, a capability that this Reset does not need";
  EXPECT_EQ(answered("\"ack_every\": 4"), allowed);
  EXPECT_EQ(answered("\"ack_every\": 8"), needless) << "the default";
  EXPECT_EQ(answered("\"base\": 8"), needless) << "no constant";
  info.profile["ack_every"] = 4;
  EXPECT_EQ(answered("\"ack_every\": 4"), needless) << "its profile's value";
  EXPECT_EQ(answered("\"ack_every\": 8"), allowed);
  capability = "endpoint-receiver";
  EXPECT_EQ(answered("\"ack_every\": 8"),
            "CONF-ANSWER: the answer Unsupported endpoint-receiver, a capability that this Reset "
            "does not need");
  capability = "time-travel";
  EXPECT_EQ(answered("\"ack_every\": 8"),
            "CONF-ANSWER: the answer Unsupported time-travel, and the text has no such capability");
  info.capabilities = {"constants"};
  capability = "constants";
  EXPECT_EQ(answered("\"ack_every\": 8"),
            "CONF-ANSWER: the answer Unsupported constants, a capability that the DUT declared");
}

TEST_F(PlayTest, AnExpectationMayBeMetAfterALaterStimulus) {
  script = [n = 0](const dut::Request& request, dut::Answer& answer) mutable {
    if (++n != 2) return;
    for (const uint64_t base : {1, 2}) {
      dut::Event& event = *answer.mutable_done()->add_event();
      event.set_at_ns(base == 1 ? 80 : request.apply().at_ns());
      dut::Field& field = *event.mutable_fields()->add_field();
      field.set_name("base");
      field.set_number(base);
    }
  };
  const PlayResult result = Run(
      "ack-generation",
      absl::StrCat("{", kInput, "}, {\"expect\": {\"includes\": {\"base\": 1}, \"within\": 90}}, ",
                   "{\"at\": 100, ", kInput, "}, {\"expect\": {\"includes\": {\"base\": 2}}}"));
  EXPECT_EQ(result.kind, PlayKind::kMet) << result.divergence.got;
}

//= CONF-STEP
//# An expectation of which the last bound is over is a mismatch before what comes later is compared
//# with another.
TEST_F(PlayTest, WhatIsOverdueDivergesBeforeALaterEventIsCompared) {
  script = [](const dut::Request& request, dut::Answer& answer) {
    if (!request.has_advance()) return;
    dut::Event& event = *answer.mutable_done()->add_event();
    event.set_at_ns(2000);
    event.mutable_packet()->set_frame("data.csn=21\n");
  };
  const PlayResult result =
      Run("endpoint",
          "{\"arrive\": {\"fields\": {\"common.opcode\": 1}}}, "
          "{\"expect\": {\"completion\": {\"id\": 1}, \"within\": 1100}}, "
          "{\"expect\": {\"packet\": {\"includes\": {\"data.csn\": 20}}, \"within\": 3000}}");
  EXPECT_EQ(result.divergence.step, 2);
  EXPECT_THAT(result.divergence.got, HasSubstr("nothing by then"));
}

TEST_F(PlayTest, WhatFallsDueInTheNanosecondOfAStimulusMayComeWithTheNextRequest) {
  // The packet of t goes before the timer of t; the answer to the next request tells of it.
  script = [](const dut::Request& request, dut::Answer& answer) {
    if (!request.has_advance()) return;
    dut::Event& event = *answer.mutable_done()->add_event();
    event.set_at_ns(100);
    event.mutable_fields();
  };
  const PlayResult result =
      Run("ack-generation",
          absl::StrCat("{\"at\": 100, ", kInput, "}, {\"expect\": {\"fields\": {}}}"));
  EXPECT_EQ(result.kind, PlayKind::kMet) << result.divergence.got;
  EXPECT_THAT(asked, ElementsAre("apply at 100", "advance to 100"));
}

//= CONF-UNASKED
//# A vector that leaves one kind open lists it in `ignore`.
//= CONF-EXPECT
//# at least these fields (`packet`)
TEST_F(PlayTest, IgnoredEventsAreNotComparedAndOthersAre) {
  script = [](const dut::Request&, dut::Answer& answer) {
    for (int i = 0; i < 3; ++i) {
      answer.mutable_done()->add_event()->mutable_placement()->set_address(1);
    }
    answer.mutable_done()->add_event()->mutable_packet()->set_frame("a=1\n");
  };
  const std::string steps =
      "{\"arrive\": {\"frame\": \"0x00\"}}, {\"expect\": {\"packet\": {\"includes\": {\"a\": 1}}}}";
  EXPECT_EQ(Run("endpoint", steps, "\"ignore\": [\"placement\"], ").kind, PlayKind::kMet);
  EXPECT_EQ(Run("endpoint", steps).kind, PlayKind::kDiverged);
}

//= CONF-SNAPSHOT
//# Runners show the answer and never compare it.
//= CONF-FIRST
//# A report shows a mismatch once, at the first divergence
TEST_F(PlayTest, StopsAtTheFirstDivergence) {
  const PlayResult result =
      Run("receive-vector", absl::StrCat("{", kInput, "}, {\"expect\": {\"fields\": {}}}, {",
                                         kInput, "}, {\"expect\": {\"fields\": {}}}"));
  EXPECT_EQ(result.kind, PlayKind::kDiverged);
  EXPECT_EQ(result.divergence.step, 2);
  EXPECT_THAT(asked, ElementsAre("apply at 0"));
}

TEST_F(PlayTest, ABlockWithoutTimeIsNeverAskedToLetItPass) {
  script = [](const dut::Request&, dut::Answer& answer) {
    answer.mutable_done()->add_event()->mutable_fields();
  };
  EXPECT_EQ(Run("receive-vector", absl::StrCat("{", kInput, ", \"repeat\": {\"count\": 512}}, ",
                                               "{\"expect\": {\"fields\": {}}, \"repeat\": "
                                               "{\"count\": 512}}"))
                .kind,
            PlayKind::kMet);
  EXPECT_EQ(asked.size(), 512u);
  EXPECT_EQ(asked.back(), "apply at 0");
}

TEST_F(PlayTest, TheLargestTimesDoNotOverflow) {
  const std::string limit = absl::StrCat("\"", (uint64_t{1} << 60) - 1, "\"");
  const PlayResult result =
      Run("ack-generation", absl::StrCat("{\"at\": ", limit, ", ", kInput, "}, {\"at\": ", limit,
                                         ", \"expect\": {\"nothing\": ", limit, "}}"));
  EXPECT_EQ(result.kind, PlayKind::kMet);
  EXPECT_EQ(asked.back(), absl::StrCat("advance to ", (uint64_t{1} << 61) - 2));
  EXPECT_GT((uint64_t{1} << 61) - 2, kMax32);
}

}  // namespace
}  // namespace metaroce::conformance
