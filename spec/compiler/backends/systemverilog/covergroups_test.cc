#include "spec/compiler/backends/systemverilog/covergroups.h"

#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/compiler/backends/testing/sample.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {
namespace {

using ::testing::HasSubstr;

std::string Of(const Spec& spec) {
  const auto made = GenerateCovergroups(spec);
  EXPECT_TRUE(made.ok()) << made.status();
  return made.value_or("");
}

TEST(CovergroupsTest, EachCellIsABin) {
  EXPECT_THAT(Of(Sample()),
              HasSubstr("bins free__ask = binsof(state_before) intersect {PATH_STATE_FREE} && "
                        "binsof(event_seen) intersect {PATH_EVENT_ASK};  // [SAMPLE] to OPEN\n"));
}

TEST(CovergroupsTest, WhatCannotComeIsIllegal) {
  Spec spec = Sample();
  Transition& cell = *spec.mutable_data()->mutable_machine(0)->add_on();
  cell.add_state("CLOSED");
  cell.add_event("TIMER");
  cell.set_clause("SAMPLE");
  cell.set_impossible("no timer\nruns");
  EXPECT_THAT(Of(spec), HasSubstr("illegal_bins closed__timer = "));
  EXPECT_THAT(Of(spec), HasSubstr("// [SAMPLE] cannot come: no timer runs\n"));
}

TEST(CovergroupsTest, AChoiceByNamesHasABinForEach) {
  Spec spec = Sample();
  Choice& choice = *spec.mutable_data()->add_choice();
  choice.set_name("early-or-not");
  choice.set_clause("SAMPLE");
  choice.set_default_("when-due");
  choice.mutable_names()->add_name("when-due");
  choice.mutable_names()->add_name("any-time");
  const std::string text = Of(spec);
  EXPECT_THAT(text, HasSubstr("typedef enum int {CHOICE_EARLY_OR_NOT_WHEN_DUE, "
                              "CHOICE_EARLY_OR_NOT_ANY_TIME} choice_early_or_not_e;"));
  EXPECT_THAT(text,
              HasSubstr("bins when_due_ = {CHOICE_EARLY_OR_NOT_WHEN_DUE};  // the default\n"));
}

TEST(CovergroupsTest, AChoiceInARangeHasItsEnds) {
  Spec spec = Sample();
  Choice& choice = *spec.mutable_data()->add_choice();
  choice.set_name("how-many");
  choice.set_clause("SAMPLE");
  choice.set_default_("7");
  choice.mutable_range()->set_min(2);
  choice.mutable_range()->set_max(9);
  const std::string text = Of(spec);
  EXPECT_THAT(text, HasSubstr("coverpoint (taken == 64'd7)"));
  EXPECT_THAT(text, HasSubstr("taken < 64'd2 || taken > greatest ? 3"));
  EXPECT_THAT(text, HasSubstr("// From 2 to 9; the default is 7.\n"));
}

TEST(CovergroupsTest, RefusesTwoItemsThatBecomeOneName) {
  Spec spec = Sample();
  *spec.mutable_data()->add_machine() = spec.data().machine(0);
  EXPECT_EQ(GenerateCovergroups(spec).status().code(), absl::StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace metaroce::compiler
