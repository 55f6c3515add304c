// What is refused of the data blocks: reasons, numbers, choices, rules, machines.
#include <string>

#include "gtest/gtest.h"
#include "spec/compiler/frontend/refusal_testing.h"

namespace metaroce::compiler {
namespace {

class RuleRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(RuleRefusalTest, Refuses) {
  EXPECT_EQ(ProblemsOfData(GetParam().text), GetParam().problems);
}

constexpr Refusal kReasonRefusals[] = {
    {"CodeZero",
     "reason {\n  name: \"extra\" check: \"lengths\" disposition: DROP counter: \"dropped\"\n  "
     "clause: \"C-A\" }",
     "t.md:10: the code 0 of the reason 'extra' is not within 1 to 255.\n"},
    {"CodeTooLarge",
     "reason {\n  name: \"extra\" check: \"lengths\" disposition: DROP counter: \"dropped\"\n  "
     "clause: \"C-A\"\n  code: 256 }",
     "t.md:13: the value 256 of the reason 'extra' does not fit the 8 bits of the field "
     "'common.reason'.\n"
     "t.md:13: the code 256 of the reason 'extra' is not within 1 to 255.\n"},
    {"CodeTwice",
     "reason {\n  name: \"extra\" check: \"lengths\" disposition: DROP counter: \"dropped\"\n  "
     "clause: \"C-A\"\n  code: 1 }",
     "t.md:13: the code 1 of the reason 'extra' is that of the reason 'too-short' at "
     "base.md:34.\n"},
    {"NoCheck",
     "reason {\n  name: \"extra\" code: 2 disposition: DROP counter: \"dropped\" clause: \"C-A\" }",
     "t.md:10: the reason 'extra' names no check.\n"},
    {"UnknownCheck",
     "reason {\n  name: \"extra\" code: 2 disposition: DROP counter: \"dropped\" clause: \"C-A\"\n "
     " "
     "check: \"widths\" }",
     "t.md:12: the reason 'extra' names the unknown check 'widths'.\n"},
    {"NoCounter",
     "reason {\n  name: \"extra\" code: 2 disposition: DROP check: \"lengths\" clause: \"C-A\" }",
     "t.md:10: the reason 'extra' names no counter.\n"},
    {"UnknownCounter",
     "reason {\n  name: \"extra\" code: 2 disposition: DROP check: \"lengths\" clause: \"C-A\"\n  "
     "counter: \"lost\" }",
     "t.md:12: the reason 'extra' names the unknown counter 'lost'.\n"},
    {"NoDisposition",
     "reason {\n  name: \"extra\" code: 2 check: \"lengths\" counter: \"dropped\" clause: \"C-A\" "
     "}",
     "t.md:10: the reason 'extra' has no disposition.\n"},
    {"FatalWithoutNack",
     "reason {\n  name: \"extra\" code: 2 check: \"lengths\" counter: \"dropped\" clause: "
     "\"C-A\"\n "
     " disposition: NACK_FATAL }",
     "t.md:10: the reason 'extra' is answered by NACK_FATAL, but names no opcode of the NACK.\n"},
    {"DropWithNack",
     "reason {\n  name: \"extra\" code: 2 check: \"lengths\" counter: \"dropped\" clause: "
     "\"C-A\"\n "
     " disposition: DROP\n  nack: \"no\" }",
     "t.md:13: the reason 'extra' names a NACK, but its disposition DROP sends none.\n"},
    {"UnknownNack",
     "reason {\n  name: \"extra\" code: 2 check: \"lengths\" counter: \"dropped\" clause: "
     "\"C-A\"\n "
     " disposition: NACK_FATAL\n  nack: \"never\" }",
     "t.md:13: the reason 'extra' names the unknown opcode 'never'.\n"},
    {"NackOfAnotherClass",
     "reason {\n  name: \"extra\" code: 2 check: \"lengths\" counter: \"dropped\" clause: "
     "\"C-A\"\n "
     " disposition: NACK_CONNECTION\n  nack: \"write\" }",
     "t.md:13: the reason 'extra' is answered by 'write', which is not of the class NACK.\n"},
};

constexpr Refusal kNumberRefusals[] = {
    {"DefaultTooSmall",
     "constant {\n  name: \"extra\" clause: \"C-A\" min: 2 max: 9\n  default: 1 }",
     "t.md:12: the default 1 of the constant 'extra' is outside its range 2 to 9.\n"},
    {"DefaultTooLarge",
     "constant {\n  name: \"extra\" clause: \"C-A\" min: 2 max: 9\n  default: 10 }",
     "t.md:12: the default 10 of the constant 'extra' is outside its range 2 to 9.\n"},
    {"EmptyRange", "constant {\n  name: \"extra\" clause: \"C-A\" max: 1 default: 2\n  min: 2 }",
     "t.md:12: the range 2 to 1 of the constant 'extra' is empty.\n"},
    {"FixedWithARange",
     "constant {\n  name: \"extra\" clause: \"C-A\" min: 1 max: 2 default: 1\n  fixed: true }",
     "t.md:12: the constant 'extra' is fixed, but min, max and default are not the same.\n"},
    {"FixedWithAnotherDefault",
     "constant {\n  name: \"extra\" clause: \"C-A\" min: 2 max: 2 default: 1\n  fixed: true }",
     "t.md:12: the constant 'extra' is fixed, but min, max and default are not the same.\n"},
    {"ProfileDefaultTooLarge",
     "profile {\n  name: \"extra\" clause: \"C-A\" min: 2 max: 9\n  default: 10 }",
     "t.md:12: the default 10 of the profile parameter 'extra' is outside its range 2 to 9.\n"},
    {"ProfileEmptyRange", "profile {\n  name: \"extra\" clause: \"C-A\"\n  min: 2 }",
     "t.md:12: the range 2 to 0 of the profile parameter 'extra' is empty.\n"},
    {"DerivedOfNothing", "derived { name: \"extra\" clause: \"C-A\" }",
     "t.md:10: the derived number 'extra' names no layout.\n"},
    {"DerivedOfUnknownLayout",
     "derived {\n  name: \"extra\" clause: \"C-A\"\n  layout: [\"common\",\n    \"other\"] }",
     "t.md:12: the derived number 'extra' names the unknown layout 'other'.\n"},
    {"DerivedPlusTooMuch",
     "derived {\n  name: \"extra\" clause: \"C-A\" layout: \"common\"\n  plus: 4294967296 }",
     "t.md:12: the 4294967296 bytes added to the derived number 'extra' exceed 32 bits.\n"},
};

constexpr Refusal kChoiceRefusals[] = {
    //= CHOICE-NAMED
    //# is a named choice with a domain.
    {"NoDomain", "choice { name: \"extra\" clause: \"C-A\" default: \"0\" determined_by: \"it\" }",
     "t.md:10: the choice 'extra' has no domain.\n"},
    //= CHOICE-DETERMINED
    //# The choice says which packet or field that is.
    {"NotDetermined", "choice { name: \"extra\" clause: \"C-A\" default: \"0\" range { max: 1 } }",
     "t.md:10: the choice 'extra' does not say what determines it (determined_by).\n"},
    {"NoUpperBound",
     "choice {\n  name: \"extra\" clause: \"C-A\" default: \"0\" determined_by: \"it\"\n  range { "
     "min: 0 } }",
     "t.md:12: the range of the choice 'extra' has no upper bound.\n"},
    {"UnknownProfileParameter",
     "choice {\n  name: \"extra\" clause: \"C-A\" default: \"0\" determined_by: \"it\"\n  range { "
     "max_profile: \"speed\" } }",
     "t.md:12: the choice 'extra' names the unknown profile parameter 'speed'.\n"},
    {"UnknownConstant",
     "choice {\n  name: \"extra\" clause: \"C-A\" default: \"0\" determined_by: \"it\"\n  range { "
     "max_constant: \"delay\" } }",
     "t.md:12: the choice 'extra' names the unknown constant 'delay'.\n"},
    {"EmptyRange",
     "choice {\n  name: \"extra\" clause: \"C-A\" default: \"6\" determined_by: \"it\"\n  range { "
     "min: 6 max_profile: \"delay\" } }",
     "t.md:12: the range 6 to 5 of the choice 'extra' is empty.\n"},
    {"DefaultNoNumber",
     "choice {\n  name: \"extra\" clause: \"C-A\" determined_by: \"it\" range { max: 1 }\n  "
     "default: \"now\" }",
     "t.md:12: the default 'now' of the choice 'extra' is not a number.\n"},
    {"NoDefault",
     "choice {\n  name: \"extra\" clause: \"C-A\" determined_by: \"it\" range { max: 1 } }",
     "t.md:10: the default '' of the choice 'extra' is not a number.\n"},
    {"DefaultNegative",
     "choice {\n  name: \"extra\" clause: \"C-A\" determined_by: \"it\" range { max: 1 }\n  "
     "default: \"-1\" }",
     "t.md:12: the default '-1' of the choice 'extra' is not a number.\n"},
    {"DefaultBelowTheRange",
     "choice {\n  name: \"extra\" clause: \"C-A\" determined_by: \"it\"\n  range { min: 1 "
     "max_expression: \"w\" }\n  default: \"0\" }",
     "t.md:13: the default 0 of the choice 'extra' is outside its domain.\n"},
    {"DefaultAboveAConstant",
     "choice {\n  name: \"extra\" clause: \"C-A\" determined_by: \"it\"\n  range { max_constant: "
     "\"every\" }\n  default: \"9\" }",
     "t.md:13: the default 9 of the choice 'extra' is outside its domain.\n"},
    {"NoNames",
     "choice { name: \"extra\" clause: \"C-A\" default: \"a\" determined_by: \"it\" names { } }",
     "t.md:10: the choice 'extra' has an empty domain.\n"},
    {"DefaultNotAName",
     "choice {\n  name: \"extra\" clause: \"C-A\" determined_by: \"it\" names { name: [\"a\", "
     "\"b\"] }\n  default: \"c\" }",
     "t.md:12: the default 'c' of the choice 'extra' is outside its domain.\n"},
};

#define RULE "clause: \"C-A\" sentence: \"so\""

constexpr Refusal kCrossRuleRefusals[] = {
    {"BrokenByDefaults",
     "cross_rule {\n  name: \"extra\" " RULE " relation: \"<\"\n  left { name: \"every\" } right { "
     "name: \"delay\" } }",
     "t.md:10: the cross rule 'extra' is broken by the defaults: 8 < 5 does not hold.\n"},
    {"BrokenWithFactors",
     "cross_rule {\n  name: \"extra\" " RULE
     " relation: \"<=\"\n  left { name: \"every\" factor: 2 "
     "} right { name: \"delay\" factor: 3 } }",
     "t.md:10: the cross rule 'extra' is broken by the defaults: 16 <= 15 does not hold.\n"},
    {"NotEqual",
     "cross_rule {\n  name: \"extra\" " RULE " relation: \"=\"\n  left { name: \"every\" } left { "
     "factor: 1 } right { factor: 8 } }",
     "t.md:10: the cross rule 'extra' is broken by the defaults: 9 = 8 does not hold.\n"},
    {"UnknownRelation",
     "cross_rule {\n  name: \"extra\" " RULE " left { factor: 1 } right { factor: 2 }\n  relation: "
     "\">\" }",
     "t.md:12: the relation '>' of the cross rule 'extra' is not one of '<=', '<', '='.\n"},
    {"UnknownTerm",
     "cross_rule {\n  name: \"extra\" " RULE " relation: \"<\" right { factor: 2 }\n  left { name: "
     "\"speed\" } }",
     "t.md:12: the cross rule 'extra' names the unknown constant or profile parameter 'speed'.\n"},
    {"EmptySide", "cross_rule { name: \"extra\" " RULE " relation: \"<\" right { factor: 2 } }",
     "t.md:10: a side of the cross rule 'extra' is empty.\n"},
    {"NoSentence",
     "cross_rule {\n  name: \"extra\" clause: \"C-A\" relation: \"<\"\n  left { factor: 1 } right "
     "{ "
     "factor: 2 } }",
     "t.md:10: the cross rule 'extra' has no sentence to tell when it is broken.\n"},
    {"Overflow",
     "cross_rule {\n  name: \"extra\" " RULE " relation: \"<\" right { factor: 2 }\n  left { name: "
     "\"every\" factor: 9223372036854775808 } }",
     "t.md:10: a side of the cross rule 'extra' exceeds 64 bits.\n"},
};

#define MACHINE "machine {\n  name: \"extra\" clause: \"C-A\" state: [\"A\", \"B\"] event: \"E\"\n"
#define TO_B "  on { state: \"A\" event: \"E\" next: \"B\" }\n"

constexpr Refusal kMachineRefusals[] = {
    {"EmptyCell", MACHINE TO_B "}", "t.md:10: the cell B on E of the machine 'extra' is empty.\n"},
    {"CellFilledTwice", MACHINE TO_B "  on { state: [\"B\", \"A\"] event: \"E\" effect: \"x\" }\n}",
     "t.md:13: the cell A on E of the machine 'extra' is already filled at t.md:12.\n"},
    {"IgnoredWithNext",
     MACHINE TO_B "  on { state: \"B\" event: \"E\" ignored: \"dropped\" next: \"A\" }\n}",
     "t.md:13: the transition B on E of the machine 'extra' is more than one of: a next state or "
     "effect, ignored, impossible.\n"},
    {"IgnoredWithEffect",
     MACHINE TO_B "  on { state: \"B\" event: \"E\" ignored: \"dropped\" effect: \"x\" }\n}",
     "t.md:13: the transition B on E of the machine 'extra' is more than one of: a next state or "
     "effect, ignored, impossible.\n"},
    {"ImpossibleWithNext",
     MACHINE TO_B "  on { state: \"B\" event: \"E\" impossible: \"why\" next: \"A\" }\n}",
     "t.md:13: the transition B on E of the machine 'extra' is more than one of: a next state or "
     "effect, ignored, impossible.\n"},
    {"NothingSaid", MACHINE TO_B "  on { state: \"B\" event: \"E\" }\n}",
     "t.md:13: the transition B on E of the machine 'extra' has no next state, no effect, and is "
     "neither ignored nor impossible.\n"},
    {"IgnoredWithoutKnownCounter",
     MACHINE TO_B "  on { state: \"B\" event: \"E\"\n    ignored: \"lost\" }\n}",
     "t.md:14: the transition B on E of the machine 'extra' names the unknown counter 'lost'.\n"},
    {"UnknownNext", MACHINE TO_B "  on { state: \"B\" event: \"E\"\n    next: \"C\" }\n}",
     "t.md:14: the transition B on E of the machine 'extra' names the unknown state 'C'.\n"},
    {"UnknownState",
     MACHINE TO_B "  on { state: [\"B\",\n    \"C\"] event: \"E\" effect: \"x\" }\n}",
     "t.md:13: the transition B on E of the machine 'extra' names the unknown state 'C'.\n"},
    {"UnknownEvent",
     MACHINE TO_B "  on { state: \"B\" event: [\"E\",\n    \"F\"] effect: \"x\" }\n}",
     "t.md:13: the transition B on E of the machine 'extra' names the unknown event 'F'.\n"},
    {"NoState",
     MACHINE TO_B "  on { state: \"B\" event: \"E\" effect: \"x\" }\n  on { event: \"E\" effect: "
                  "\"x\" }\n}",
     "t.md:14: the transition  on E of the machine 'extra' names no state.\n"},
    {"NoEvent",
     MACHINE TO_B "  on { state: \"B\" event: \"E\" effect: \"x\" }\n  on { state: \"B\" effect: "
                  "\"x\" }\n}",
     "t.md:14: the transition B on  of the machine 'extra' names no event.\n"},
    {"UnreachableState",
     "machine {\n  name: \"extra\" clause: \"C-A\" event: \"E\"\n  state: [\"A\",\n    \"B\"]\n  "
     "on "
     "{ state: [\"A\", \"B\"] event: \"E\" next: \"A\" }\n}",
     "t.md:12: the state B of the machine 'extra' is unreachable from A.\n"},
    {"NoStates", "machine { name: \"extra\" clause: \"C-A\" event: \"E\" }",
     "t.md:10: the machine 'extra' has no states or no events.\n"},
    {"NoEvents", "machine { name: \"extra\" clause: \"C-A\" state: \"A\" }",
     "t.md:10: the machine 'extra' has no states or no events.\n"},
};

std::string NameOf(const testing::TestParamInfo<Refusal>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Reason, RuleRefusalTest, testing::ValuesIn(kReasonRefusals), NameOf);
INSTANTIATE_TEST_SUITE_P(Number, RuleRefusalTest, testing::ValuesIn(kNumberRefusals), NameOf);
INSTANTIATE_TEST_SUITE_P(Choice, RuleRefusalTest, testing::ValuesIn(kChoiceRefusals), NameOf);
INSTANTIATE_TEST_SUITE_P(CrossRule, RuleRefusalTest, testing::ValuesIn(kCrossRuleRefusals), NameOf);
INSTANTIATE_TEST_SUITE_P(Machine, RuleRefusalTest, testing::ValuesIn(kMachineRefusals), NameOf);

TEST(RuleRefusalTest, RefusesAMachineBeyondItsLimit) {
  std::string states;
  for (int i = 0; i < 256; ++i) states += "state: \"S" + std::to_string(i) + "\" ";
  EXPECT_EQ(
      ProblemsOfData("machine { name: \"extra\" clause: \"C-A\" event: \"E\" " + states + "}"),
      "t.md:10: the machine 'extra' has more than 255 states or events.\n");
}

}  // namespace
}  // namespace metaroce::compiler
