// What is refused of the data blocks: form, names, clauses, layouts, enums, opcodes.
#include <string>

#include "gtest/gtest.h"
#include "spec/compiler/frontend/refusal_testing.h"

namespace metaroce::compiler {
namespace {

class WireRefusalTest : public testing::TestWithParam<Refusal> {};

TEST_P(WireRefusalTest, Refuses) {
  EXPECT_EQ(ProblemsOfData(GetParam().text), GetParam().problems);
}

#define EMPTY_LAYOUT "clause: \"C-A\" field { name: \"all\" bits: 32 }"
#define OPCODE "clause: \"C-A\" class: DATA header: \"common\" tail: EMPTY"

constexpr Refusal kFormRefusals[] = {
    {"UnknownItem", "\nheader { }",
     "t.md:11: the textproto block does not parse: Message type \"metaroce.compiler.Data\" has no "
     "field named \"header\".\n"},
    {"UnknownField", "flag {\n  name: \"A\"\n  colour: 1\n}",
     "t.md:12: the textproto block does not parse: Message type \"metaroce.compiler.Flag\" has no "
     "field named \"colour\".\n"},
    {"OpenBrace", "flag {\n  name: \"A\"",
     "t.md:12: the textproto block does not parse: Expected identifier, got: .\n"},
    {"WrongType", "enum {\n  name: 5\n}",
     "t.md:11: the textproto block does not parse: Expected string, got: 5.\n"},
    {"FieldTwice", "flag {\n  name: \"A\"\n  name: \"B\"\n}",
     "t.md:12: the textproto block does not parse: Non-repeated field \"name\" is specified "
     "multiple times.\n"},
    {"UnknownUnit", "constant {\n  name: \"a\" clause: \"C-A\"\n  unit: PARSECS\n}",
     "t.md:13: the textproto block does not parse: Unknown enumeration value of \"PARSECS\" for "
     "field \"unit\".\n"},
    {"UnitByNumber", "constant {\n  name: \"a\" clause: \"C-A\"\n  unit: 99\n}",
     "t.md:12: the value 99 of 'unit' has no name.\n"},
    {"LineBreakInText", "flag {\n  name: \"A\"\n  note: \"one\\ntwo\"\n}",
     "t.md:12: the text of 'note' is not printable UTF-8 on one line.\n"},
    {"BrokenUtf8", "flag {\n  name: \"A\"\n  note: \"\\xc0\\x80\"\n}",
     "t.md:12: the text of 'note' is not printable UTF-8 on one line.\n"},
    {"Surrogate", "flag { name: \"A\" note: \"\\xed\\xa0\\x80\" }",
     "t.md:10: the text of 'note' is not printable UTF-8 on one line.\n"},
    {"CutUtf8", "flag { name: \"A\" note: \"\\xe2\\x82\" }",
     "t.md:10: the text of 'note' is not printable UTF-8 on one line.\n"},
};

constexpr Refusal kNameRefusals[] = {
    {"LayoutWithoutName", "layout { " EMPTY_LAYOUT " }", "t.md:10: a layout has no name.\n"},
    {"LayoutInCapitals", "layout {\n  name: \"Extra\" " EMPTY_LAYOUT " }",
     "t.md:11: the name of the layout 'Extra' is not of lower_case words joined by '_'.\n"},
    {"ReasonWithUnderscore",
     "reason {\n  name: \"too_long\" code: 2 check: \"lengths\" disposition: DROP\n  counter: "
     "\"dropped\" clause: \"C-A\"\n}",
     "t.md:11: the name of the reason 'too_long' is not of lower-case words joined by '-'.\n"},
    {"FlagInLowerCase", "flag { name: \"late\" }",
     "t.md:10: the name of the flag 'late' is not of UPPER_CASE words joined by '_'.\n"},
    {"LongName",
     "flag { name: \"A1234567890123456789012345678901234567890123456789012345678901234\" }",
     "t.md:10: the name of the flag "
     "'A1234567890123456789012345678901234567890123456789012345678901234' is longer than 64 "
     "characters.\n"},
    {"DuplicateLayout", "layout { name: \"block\" " EMPTY_LAYOUT " }",
     "t.md:10: the layout 'block' is already defined at base.md:16.\n"},
    {"DuplicateEnum", "\nenum { name: \"color\" clause: \"C-A\" value { name: \"x\" } }",
     "t.md:11: the enum 'color' is already defined at base.md:22.\n"},
    {"DuplicateOpcode", "opcode { name: \"write\" value: 5 " OPCODE " }",
     "t.md:10: the opcode 'write' is already defined at base.md:25.\n"},
    {"DuplicateCheck", "check { name: \"lengths\" clause: \"C-A\" }",
     "t.md:10: the check 'lengths' is already defined at base.md:32.\n"},
    {"DuplicateReason",
     "reason {\n  name: \"too-short\" code: 2 check: \"lengths\" disposition: DROP\n  counter: "
     "\"dropped\" clause: \"C-A\"\n}",
     "t.md:10: the reason 'too-short' is already defined at base.md:34.\n"},
    {"DuplicateConstant", "constant { name: \"every\" clause: \"C-A\" }",
     "t.md:10: the constant 'every' is already defined at base.md:37.\n"},
    {"DuplicateProfileParameter", "profile { name: \"delay\" clause: \"C-A\" }",
     "t.md:10: the profile parameter 'delay' is already defined at base.md:38.\n"},
    {"DuplicateDerived", "derived { name: \"full\" layout: \"common\" clause: \"C-A\" }",
     "t.md:10: the derived number 'full' is already defined at base.md:39.\n"},
    {"DuplicateChoice",
     "choice { name: \"moment\" clause: \"C-A\" range { max: 1 } default: \"0\" determined_by: "
     "\"it\" }",
     "t.md:10: the choice 'moment' is already defined at base.md:40.\n"},
    {"DuplicateCrossRule",
     "cross_rule {\n  name: \"delay-short\" clause: \"C-A\" left { factor: 1 } relation: \"=\"\n  "
     "right { factor: 1 } sentence: \"so\"\n}",
     "t.md:10: the cross rule 'delay-short' is already defined at base.md:44.\n"},
    {"DuplicateCounter", "counter { name: \"dropped\" clause: \"C-A\" }",
     "t.md:10: the counter 'dropped' is already defined at base.md:33.\n"},
    {"DuplicateMachine",
     "machine {\n  name: \"path\" clause: \"C-A\" state: \"A\" event: \"E\"\n  on { state: \"A\" "
     "event: \"E\" effect: \"x\" }\n}",
     "t.md:10: the machine 'path' is already defined at base.md:48.\n"},
    {"DuplicateCapability", "capability { name: \"codec\" clause: \"C-A\" }",
     "t.md:10: the capability 'codec' is already defined at base.md:53.\n"},
    {"DuplicateFlag", "flag { name: \"LATE\" }",
     "t.md:10: the flag 'LATE' is already defined at base.md:54.\n"},
    {"SameNameInCode",
     "counter { name: \"a_11\" clause: \"C-A\" }\ncounter { name: \"a1_1\" "
     "clause: \"C-A\" }",
     "t.md:11: the counter 'a1_1' and the counter 'a_11' at t.md:10 have the same name in code.\n"},
    {"DuplicateField",
     "layout {\n  name: \"extra\" clause: \"C-A\"\n  field { name: \"a\" bits: 16 }\n  field { "
     "name: "
     "\"a\" bits: 16 }\n}",
     "t.md:13: the field 'a' is already defined at t.md:12.\n"},
    {"DuplicateEnumValue",
     "enum {\n  name: \"extra\" clause: \"C-A\"\n  value { name: \"a\" value: 1 }\n  value { name: "
     "\"a\" value: 2 }\n}",
     "t.md:13: the enum value 'a' is already defined at t.md:12.\n"},
    {"DuplicateState",
     "machine {\n  name: \"extra\" clause: \"C-A\" event: \"E\"\n  state: [\"A\",\n    \"A\"]\n  "
     "on "
     "{ state: \"A\" event: \"E\" effect: \"x\" }\n}",
     "t.md:10: the cell A on E of the machine 'extra' is empty.\n"
     "t.md:12: the machine 'extra' has the state 'A' twice.\n"
     "t.md:12: the state A of the machine 'extra' is unreachable from A.\n"},
    {"DuplicateChoiceName",
     "choice {\n  name: \"extra\" clause: \"C-A\" default: \"a\" determined_by: \"it\"\n  names { "
     "name: [\"a\",\n    \"a\"] }\n}",
     "t.md:12: the choice 'extra' has the name 'a' twice.\n"},
    {"ProfileNamedAsConstant", "profile { name: \"every\" clause: \"C-A\" }",
     "t.md:10: the profile parameter 'every' has the name of the constant at base.md:37.\n"},
    {"NoClause", "\nlayout {\n  name: \"extra\" field { name: \"a\" bits: 32 }\n}",
     "t.md:11: this Layout names no clause.\n"},
    {"UnknownClause",
     "layout {\n  name: \"extra\" field { name: \"a\" bits: 32 }\n  clause: \"NOT-THERE\"\n}",
     "t.md:12: there is no clause NOT-THERE.\n"},
    {"UnknownClauseOfATransition",
     "machine {\n  name: \"extra\" clause: \"C-A\" state: \"A\" event: \"E\"\n  on { state: \"A\" "
     "event: \"E\" effect: \"x\"\n    clause: \"NOT-THERE\" }\n}",
     "t.md:13: there is no clause NOT-THERE.\n"},
};

constexpr Refusal kLayoutRefusals[] = {
    {"FieldOfNoBits",
     "layout {\n  name: \"extra\" clause: \"C-A\"\n  field { name: \"a\" bits: 32 }\n  field { "
     "name: "
     "\"b\" }\n}",
     "t.md:13: the field 'extra.b' has 0 bits; a field has 1 to 64.\n"},
    {"FieldOf65Bits",
     "layout {\n  name: \"extra\" clause: \"C-A\"\n  field { name: \"a\"\n    bits: 65 }\n  field "
     "{ "
     "name: \"b\" bits: 31 }\n}",
     "t.md:13: the field 'extra.a' has 65 bits; a field has 1 to 64.\n"},
    {"MissingBits",
     "layout {\n  name: \"extra\" clause: \"C-A\"\n  field { name: \"a\" bits: 30 }\n}",
     "t.md:10: the fields of the layout 'extra' have 30 bits together, which is 2 short of a whole "
     "32-bit word.\n"},
    {"TooManyBits",
     "layout {\n  name: \"extra\" clause: \"C-A\"\n  field { name: \"a\" bits: 33 }\n}",
     "t.md:10: the fields of the layout 'extra' have 33 bits together, which is 31 short of a "
     "whole "
     "32-bit word.\n"},
    {"NoFields", "layout { name: \"extra\" clause: \"C-A\" }",
     "t.md:10: the layout 'extra' has no fields.\n"},
    {"UnknownEnum",
     "layout {\n  name: \"extra\" clause: \"C-A\"\n  field { name: \"a\" bits: 32\n    enum: "
     "\"taste\" }\n}",
     "t.md:13: the field 'extra.a' names the unknown enum 'taste'.\n"},
    {"BitmapWithoutSelector",
     "layout {\n  name: \"extra\" clause: \"C-A\" field { name: \"a\" bits: 32 }\n  bitmap { name: "
     "\"m\" lengths: 64 }\n}",
     "t.md:12: the bitmap 'extra.m' names no field.\n"},
    {"BitmapWithUnknownSelector",
     "layout {\n  name: \"extra\" clause: \"C-A\" field { name: \"a\" bits: 32 }\n  bitmap { name: "
     "\"m\" lengths: 64\n    selected_by: \"b\" }\n}",
     "t.md:13: the bitmap 'extra.m' names the unknown field 'b'.\n"},
    {"BitmapWithTooFewLengths",
     "layout {\n  name: \"extra\" clause: \"C-A\"\n  field { name: \"a\" bits: 2 } field { name: "
     "\"b\" bits: 30 }\n  bitmap { name: \"m\" selected_by: \"a\"\n    lengths: [0, 64, 128] }\n}",
     "t.md:14: the bitmap 'extra.m' has 3 lengths, but its selector 'a' has 2 bits.\n"},
    {"BitmapWithTooManyLengths",
     "layout {\n  name: \"extra\" clause: \"C-A\"\n  field { name: \"a\" bits: 1 } field { name: "
     "\"b\" bits: 31 }\n  bitmap { name: \"m\" selected_by: \"a\"\n    lengths: [0, 64, 128] }\n}",
     "t.md:14: the bitmap 'extra.m' has 3 lengths, but its selector 'a' has 1 bits.\n"},
    {"BitmapWithWideSelector",
     "layout {\n  name: \"extra\" clause: \"C-A\"\n  field { name: \"a\" bits: 64 }\n  bitmap { "
     "name: \"m\" selected_by: \"a\"\n    lengths: [0] }\n}",
     "t.md:14: the bitmap 'extra.m' has 1 lengths, but its selector 'a' has 64 bits.\n"},
    {"BitmapOfOddLength",
     "layout {\n  name: \"extra\" clause: \"C-A\"\n  field { name: \"a\" bits: 1 } field { name: "
     "\"b\" bits: 31 }\n  bitmap { name: \"m\" selected_by: \"a\"\n    lengths: [0,\n    33] }\n}",
     "t.md:14: the length 33 of the bitmap 'extra.m' is not a multiple of 32 up to 256.\n"},
    {"BitmapTooLong",
     "layout {\n  name: \"extra\" clause: \"C-A\"\n  field { name: \"a\" bits: 1 } field { name: "
     "\"b\" bits: 31 }\n  bitmap { name: \"m\" selected_by: \"a\"\n    lengths: [0,\n    288] }\n}",
     "t.md:14: the length 288 of the bitmap 'extra.m' is not a multiple of 32 up to 256.\n"},
    {"BitmapNamedAsField",
     "layout {\n  name: \"extra\" clause: \"C-A\"\n  field { name: \"a\" bits: 1 } field { name: "
     "\"b\" bits: 31 }\n  bitmap { name: \"b\" selected_by: \"a\" lengths: [0, 32] }\n}",
     "t.md:13: the bitmap 'b' of the layout 'extra' has the name of a field.\n"},
    {"EnumWithoutValues", "enum { name: \"extra\" clause: \"C-A\" }",
     "t.md:10: the enum 'extra' has no values.\n"},
    {"EnumValueTwice",
     "enum {\n  name: \"extra\" clause: \"C-A\"\n  value { name: \"a\" value: 3 }\n  value { name: "
     "\"b\" value: 3 }\n}",
     "t.md:13: the value 3 of the enum 'extra' has two names, 'a' and 'b'.\n"},
    {"EnumValueTooLarge",
     "enum {\n  name: \"extra\" clause: \"C-A\"\n  value { name: \"a\" value: 4 }\n}\nlayout {\n  "
     "name: \"other\" clause: \"C-A\"\n  field { name: \"a\" bits: 2 enum: \"extra\" }\n  field { "
     "name: \"b\" bits: 30 }\n}",
     "t.md:12: the value 4 of 'extra.a' does not fit the 2 bits of the field 'other.a'.\n"},
    {"OpcodeTooLargeForAField",
     "layout {\n  name: \"other\" clause: \"C-A\"\n  field { name: \"a\" bits: 7 enum: \"opcode\" "
     "}\n  field { name: \"b\" bits: 25 }\n}",
     "base.md:30: the value 129 of the opcode 'no' does not fit the 7 bits of the field "
     "'other.a'.\n"},
    {"ReasonTooLargeForAField",
     "layout {\n  name: \"other\" clause: \"C-A\"\n  field { name: \"a\" bits: 1 enum: \"reason\" "
     "}\n  field { name: \"b\" bits: 31 }\n}\nreason {\n  name: \"too-long\" code: 2 check: "
     "\"lengths\" disposition: DROP\n  counter: \"dropped\" clause: \"C-A\"\n}",
     "t.md:16: the value 2 of the reason 'too-long' does not fit the 1 bits of the field "
     "'other.a'.\n"},
    {"EnumNamedOpcode", "enum { name: \"opcode\" clause: \"C-A\" value { name: \"a\" } }",
     "t.md:10: the enum 'opcode' has a name that stands for all opcodes of the text.\n"},
};

constexpr Refusal kOpcodeRefusals[] = {
    {"ClassWithoutName", "opcode_class { value: 1 clause: \"C-A\" }",
     "t.md:10: an opcode class has no name.\n"},
    {"ClassValueTooLarge", "opcode_class { class: CTRL value: 4 clause: \"C-A\" }",
     "t.md:10: the value 4 of the opcode class CTRL is greater than 3.\n"},
    {"ClassValueTwice", "opcode_class { class: CTRL value: 2 clause: \"C-A\" }",
     "t.md:10: the opcode classes NACK and CTRL both have the value 2.\n"},
    {"ClassTwice", "opcode_class { class: NACK value: 3 clause: \"C-A\" }",
     "t.md:10: the opcode class NACK is defined twice.\n"},
    {"ReservedRangeBackwards", "reserved_opcodes { first: 9 last: 8 clause: \"C-A\" }",
     "t.md:10: the reserved opcodes 9 to 8 are not a range within 0 to 255.\n"},
    {"ReservedRangeTooHigh", "reserved_opcodes { first: 9 last: 256 clause: \"C-A\" }",
     "t.md:10: the reserved opcodes 9 to 256 are not a range within 0 to 255.\n"},
    {"ReservedTwice", "reserved_opcodes { first: 60 last: 62 clause: \"C-A\" }",
     "t.md:10: the opcode value 62 is already reserved at base.md:31.\n"},
    {"OpcodeValueTooLarge", "opcode {\n  name: \"extra\"\n  value: 256 " OPCODE " }",
     "t.md:12: the value 256 of the opcode 'extra' does not fit the 8 bits of the field "
     "'common.opcode'.\n"
     "t.md:12: the opcode 'extra' is unreachable: its value 256 is greater than 255.\n"},
    {"OpcodeValueTwice", "opcode {\n  name: \"extra\"\n  value: 1 " OPCODE " }",
     "t.md:12: the opcode 'extra' is unreachable: its value 1 is that of the opcode 'write' at "
     "base.md:25.\n"},
    {"OpcodeValueReserved", "opcode {\n  name: \"extra\"\n  value: 63 " OPCODE " }",
     "t.md:12: the value 63 of the opcode 'extra' is reserved at base.md:31.\n"},
    {"OpcodeWithoutClass",
     "opcode {\n  name: \"extra\"\n  value: 3 clause: \"C-A\" header: \"common\" tail: EMPTY }",
     "t.md:10: the opcode 'extra' has no class.\n"},
    {"OpcodeOfUndefinedClass",
     "opcode {\n  name: \"extra\" value: 64 clause: \"C-A\" header: \"common\" tail: EMPTY\n  "
     "class: "
     "ACK }",
     "t.md:12: the opcode 'extra' is unreachable: its class ACK is not defined by any "
     "opcode_class.\n"},
    {"OpcodeNotOfItsClass", "opcode {\n  name: \"extra\"\n  value: 131 " OPCODE " }",
     "t.md:12: the top two bits of the value 131 of the opcode 'extra' are 2, but its class DATA "
     "is "
     "0.\n"},
    {"OpcodeWithoutHeaders",
     "opcode { name: \"extra\" value: 3 class: DATA clause: \"C-A\" tail: EMPTY }",
     "t.md:10: the headers of the opcode 'extra' do not begin with the common header, 'common'.\n"},
    {"OpcodeWithoutCommonHeader",
     "layout { name: \"other\" " EMPTY_LAYOUT
     " }\nopcode {\n  name: \"extra\" value: 3 class: DATA "
     "clause: \"C-A\" tail: EMPTY\n  header: [\"other\", \"common\"] }",
     "t.md:13: the headers of the opcode 'extra' do not begin with the common header, 'common'.\n"},
    {"OpcodeWithUnknownHeader",
     "opcode {\n  name: \"extra\" value: 3 class: DATA clause: \"C-A\" tail: EMPTY\n  header: "
     "[\"common\",\n    \"other\"] }",
     "t.md:12: the opcode 'extra' names the unknown layout 'other'.\n"},
    {"OpcodeWithHeaderTwice",
     "opcode {\n  name: \"extra\" value: 3 class: DATA clause: \"C-A\" tail: EMPTY\n  header: "
     "[\"common\", \"common\"] }",
     "t.md:12: the opcode 'extra' has the layout 'common' twice.\n"},
    {"OpcodeWithVaryingHeader",
     "opcode {\n  name: \"extra\" value: 3 class: DATA clause: \"C-A\" tail: EMPTY\n  header: "
     "[\"common\", \"block\"] }",
     "t.md:12: the opcode 'extra' has the layout 'block' in its headers, but the length of that "
     "layout varies.\n"},
    {"OpcodeWithoutTail",
     "opcode { name: \"extra\" value: 3 class: DATA clause: \"C-A\" header: \"common\" }",
     "t.md:10: the opcode 'extra' has no tail.\n"},
    {"RepeatWithoutPathBlocks", "opcode { name: \"extra\" value: 3 repeat: \"block\" " OPCODE " }",
     "t.md:10: the opcode 'extra' repeats a layout, but its tail is not PATH_BLOCKS.\n"},
    {"PathBlocksWithoutRepeat",
     "opcode {\n  name: \"extra\" value: 3 class: DATA clause: \"C-A\" header: \"common\"\n  tail: "
     "PATH_BLOCKS count_field: \"common.blocks\" count_min: 1 count_max: 4 }",
     "t.md:10: the tail PATH_BLOCKS of the opcode 'extra' names no layout.\n"},
    {"PathBlocksOfUnknownLayout",
     "opcode {\n  name: \"extra\" value: 3 class: DATA clause: \"C-A\" header: \"common\"\n  tail: "
     "PATH_BLOCKS count_field: \"common.blocks\" count_min: 1 count_max: 4\n  repeat: \"other\" }",
     "t.md:13: the tail PATH_BLOCKS of the opcode 'extra' names the unknown layout 'other'.\n"},
    {"PathBlocksOfAHeader",
     "opcode {\n  name: \"extra\" value: 3 class: DATA clause: \"C-A\" header: \"common\"\n  tail: "
     "PATH_BLOCKS count_field: \"common.blocks\" count_min: 1 count_max: 4\n  repeat: \"common\" }",
     "t.md:13: the opcode 'extra' repeats the layout 'common', which is one of its headers.\n"},
    {"PathBlocksWithoutCountField",
     "opcode {\n  name: \"extra\" value: 3 class: DATA clause: \"C-A\" header: \"common\"\n  tail: "
     "PATH_BLOCKS count_min: 1 count_max: 4 repeat: \"block\" }",
     "t.md:10: the count field '' of the opcode 'extra' is not a field 'layout.field' of its "
     "headers.\n"},
    {"PathBlocksCountedByAReservedField",
     "opcode {\n  name: \"extra\" value: 3 class: DATA clause: \"C-A\" header: \"common\"\n  tail: "
     "PATH_BLOCKS count_min: 1 count_max: 4 repeat: \"block\"\n  count_field: "
     "\"common.reserved_0\" "
     "}",
     "t.md:13: the count field 'common.reserved_0' of the opcode 'extra' is not a field "
     "'layout.field' of its headers.\n"},
    {"PathBlocksCountedOutsideTheHeaders",
     "opcode {\n  name: \"extra\" value: 3 class: DATA clause: \"C-A\" header: \"common\"\n  tail: "
     "PATH_BLOCKS count_min: 1 count_max: 1 repeat: \"block\"\n  count_field: \"block.code\" }",
     "t.md:13: the count field 'block.code' of the opcode 'extra' is not a field 'layout.field' of "
     "its headers.\n"},
    {"PathBlocksWithoutCountRange",
     "opcode {\n  name: \"extra\" value: 3 class: DATA clause: \"C-A\" header: \"common\"\n  tail: "
     "PATH_BLOCKS repeat: \"block\" count_field: \"common.blocks\" }",
     "t.md:10: the opcode 'extra' repeats 0 to 0 layouts, which is no range.\n"},
    {"PathBlocksWithBackwardCountRange",
     "opcode {\n  name: \"extra\" value: 3 class: DATA clause: \"C-A\" header: \"common\"\n  tail: "
     "PATH_BLOCKS repeat: \"block\" count_field: \"common.blocks\" count_min: 5\n  count_max: 4 }",
     "t.md:13: the opcode 'extra' repeats 5 to 4 layouts, which is no range.\n"},
    {"PathBlocksCountExceedsField",
     "opcode {\n  name: \"extra\" value: 3 class: DATA clause: \"C-A\" header: \"common\"\n  tail: "
     "PATH_BLOCKS repeat: \"block\" count_field: \"common.blocks\" count_min: 1\n  count_max: 16 }",
     "t.md:13: the greatest count 16 of the opcode 'extra' does not fit the 4 bits of "
     "'common.blocks'.\n"},
};

std::string NameOf(const testing::TestParamInfo<Refusal>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Form, WireRefusalTest, testing::ValuesIn(kFormRefusals), NameOf);
INSTANTIATE_TEST_SUITE_P(Name, WireRefusalTest, testing::ValuesIn(kNameRefusals), NameOf);
INSTANTIATE_TEST_SUITE_P(Layout, WireRefusalTest, testing::ValuesIn(kLayoutRefusals), NameOf);
INSTANTIATE_TEST_SUITE_P(Opcode, WireRefusalTest, testing::ValuesIn(kOpcodeRefusals), NameOf);

TEST(WireRefusalTest, RefusesOpcodesWithoutAnyLayout) {
  EXPECT_EQ(ProblemsOfDataAlone("opcode_class { class: DATA value: 0 clause: \"C-A\" }\n"
                                "opcode { name: \"extra\" value: 3 " OPCODE " }"),
            "t.md:11: there are opcodes, but no layout of the common header.\n");
}

TEST(WireRefusalTest, RefusesACommonHeaderWithoutAnOpcode) {
  EXPECT_EQ(ProblemsOfDataAlone("layout { name: \"common\" " EMPTY_LAYOUT " }\n"
                                "opcode_class { class: DATA value: 0 clause: \"C-A\" }\n"
                                "opcode { name: \"extra\" value: 3 " OPCODE " }"),
            "t.md:10: the first layout, 'common', is the common header and needs a field "
            "'opcode'.\n");
}

TEST(WireRefusalTest, RefusesAnOpcodeThatItsFieldCannotHold) {
  EXPECT_EQ(ProblemsOfDataAlone("layout {\n  name: \"common\" clause: \"C-A\"\n"
                                "  field { name: \"opcode\" bits: 4 }\n"
                                "  field { name: \"rest\" bits: 28 }\n}\n"
                                "opcode_class { class: DATA value: 0 clause: \"C-A\" }\n"
                                "opcode { name: \"extra\" value: 16 " OPCODE " }"),
            "t.md:16: the opcode 'extra' is unreachable: its value 16 does not fit the 4 bits of "
            "the common header's field 'opcode'.\n");
}

TEST(WireRefusalTest, RefusesALayoutBeyondItsLimit) {
  std::string fields;
  for (int i = 0; i < 129; ++i) {
    fields += "field { name: \"f" + std::to_string(i) + "\" bits: 64 }\n";
  }
  EXPECT_EQ(ProblemsOfDataAlone("layout { name: \"common\" clause: \"C-A\"\n" + fields + "}"),
            "t.md:10: the fields of the layout 'common' have 8256 bits together; a layout has at "
            "most 8192.\n");
}

TEST(WireRefusalTest, RefusesMoreHeadersThanItsLimit) {
  std::string layouts;
  std::string headers = "\"common\"";
  for (int i = 0; i < 8; ++i) {
    const std::string name = "h" + std::to_string(i);
    layouts += "layout { name: \"" + name + "\" " EMPTY_LAYOUT " }\n";
    headers += ", \"" + name + "\"";
  }
  EXPECT_EQ(ProblemsOfData(layouts +
                           "opcode {\n  name: \"extra\" value: 3 class: DATA\n  clause: "
                           "\"C-A\" tail: EMPTY header: [" +
                           headers + "]\n}"),
            "t.md:18: the opcode 'extra' has more than 8 headers.\n");
}

TEST(WireRefusalTest, AcceptsTheBase) { EXPECT_EQ(ProblemsOfData(""), ""); }

}  // namespace
}  // namespace metaroce::compiler
