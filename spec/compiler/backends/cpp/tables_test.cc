// The tables made of testdata/odd.md: every kind of item, with the values that text gives.
#include "spec/tables.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "gtest/gtest.h"
#include "spec/layouts.h"

namespace metaroce::spec {
namespace {

// What must be known at compile time.
static_assert(Clause::kOddOne == clause::kOddOne);
static_assert(kClauseCount == 2);
static_assert(constant::kLargest == std::numeric_limits<uint64_t>::max());
static_assert(profile::kDelay == 7);
static_assert(Info(Opcode::kVoid).fixed_bytes == 28);
static_assert(FromName<Reason>("late") == Reason::kLate);
static_assert(Lookup(OddThingState::kFree, OddThingEvent::kOpen).next == OddThingState::kDelete);
// 16 of common, 4 of path_block, 4.
static_assert(derived::kSize == 24);

TEST(TablesTest, TextHasVersionAndHash) {
  EXPECT_EQ(kVersion, "3.2.1");
  EXPECT_EQ(kHash.size(), 64u);
}

TEST(TablesTest, ClausesHaveTheirWordsAndPlaces) {
  ASSERT_EQ(Clauses().size(), 2u);
  const ClauseInfo& one = Info(Clause::kOddOne);
  EXPECT_EQ(one.id, "ODD-ONE");
  EXPECT_EQ(one.level, Level::kMust);
  EXPECT_EQ(one.provenance, "PUBLIC P-ODD; RFC 6298");
  EXPECT_EQ(one.unproven, "");
  EXPECT_EQ(one.no_positive, "");
  EXPECT_EQ(one.no_negative, "one is never broken");
  EXPECT_FALSE(one.final);
  EXPECT_EQ(one.chapter, "odd.md");
  EXPECT_EQ(one.line, 10u);
  EXPECT_EQ(one.heading, "1.1 Clauses");
  EXPECT_EQ(one.text, "A \"quoted\" word and a back\\slash.");
  EXPECT_EQ(one.why, "It must be escaped.");
  EXPECT_EQ(one.freedom, "odd-moment and odd-name.");
  EXPECT_EQ(Info(Clause::kOddTwo).unproven, "two is never reached");
  EXPECT_EQ(Info(Clause::kOddTwo).provenance, "IBTA annex A17; OURS");
}

TEST(TablesTest, NoClauseHasEmptyInfo) { EXPECT_EQ(Info(kNoClause).id, ""); }

TEST(TablesTest, NamesGoBothWays) {
  EXPECT_EQ(Name(Opcode::kVoid), "void");
  EXPECT_EQ(Name(Opcode{7}), "");
  EXPECT_EQ(FromName<Opcode>("other"), Opcode::kOther);
  EXPECT_EQ(FromName<Opcode>("nothing"), std::nullopt);
  EXPECT_EQ(Name(OddEnum::k64Bits), "64-bits");
  EXPECT_EQ(Name(OddEnum::kMany), "many");
  EXPECT_EQ(Name(OddThingState::kDelete), "DELETE");
  EXPECT_EQ(Name(Unit::kMicroseconds), "us");
  EXPECT_EQ(Name(OpcodeClass::kNack), "NACK");
  EXPECT_EQ(Name(clause::kOddTwo), "ODD-TWO");
}

TEST(TablesTest, LayoutsHaveTheirFields) {
  const LayoutInfo& common = Info(Layout::kCommon);
  EXPECT_EQ(common.title, "The \"common\" header\\");
  EXPECT_EQ(common.clause, clause::kOddOne);
  EXPECT_EQ(common.bytes, 16);
  ASSERT_EQ(common.fields.size(), 8u);
  const FieldInfo& wide = common.fields[*common.FieldIndex("wide")];
  EXPECT_EQ(wide.bit_offset, 81);
  EXPECT_EQ(wide.bits, 33);
  EXPECT_EQ(wide.serial, "wide");
  EXPECT_EQ(wide.max(), 0x1FFFFFFFFu);
  const FieldInfo& time = common.fields[*common.FieldIndex("long")];
  EXPECT_EQ(time.unit, Unit::kNanoseconds);
  EXPECT_EQ(time.all_ones, "for ever");
  EXPECT_EQ(time.values, nullptr);
  EXPECT_EQ(time.max(), std::numeric_limits<uint64_t>::max());
  EXPECT_TRUE(common.fields[4].reserved);
  EXPECT_EQ(common.fields[7].values->NameOf(1023), "many");
  EXPECT_EQ(common.fields[7].values->NameOf(5), "");
  EXPECT_EQ(common.fields[1].values->NameOf(0xFF), "blocks");
  EXPECT_EQ(common.FieldIndex("missing"), std::nullopt);
  EXPECT_TRUE(common.bitmap_lengths.empty());
}

TEST(TablesTest, BitmapsHaveSelectorAndLengths) {
  const LayoutInfo& block = Info(Layout::kPathBlock);
  EXPECT_EQ(block.bitmap_name, "marks");
  EXPECT_EQ(block.bitmap_selector, 1);
  ASSERT_EQ(block.bitmap_lengths.size(), 4u);
  EXPECT_EQ(block.bitmap_lengths[2], 96);
}

TEST(TablesTest, OpcodesSayWhatFollows) {
  ASSERT_EQ(kOpcodes.size(), 4u);
  EXPECT_EQ(kOpcodes[0], Opcode::kNo);  // by value
  const OpcodeInfo& blocks = Info(Opcode::kBlocks);
  EXPECT_TRUE(blocks.known);
  EXPECT_EQ(blocks.opcode_class, OpcodeClass::kData);
  EXPECT_EQ(blocks.clause, clause::kOddTwo);
  ASSERT_EQ(blocks.headers.size(), 2u);
  EXPECT_EQ(blocks.headers[1], Layout::kAllReserved);
  EXPECT_EQ(blocks.tail, Tail::kPathBlocks);
  EXPECT_EQ(blocks.repeat, Layout::kPathBlock);
  EXPECT_EQ(blocks.count_layout, Layout::kCommon);
  EXPECT_EQ(Info(Layout::kCommon).fields[blocks.count_field].name, "blocks");
  EXPECT_EQ(blocks.count_min, 2u);
  EXPECT_EQ(blocks.count_max, 5u);
  EXPECT_EQ(Headers{}.path_block.size(), 5u);
  EXPECT_FALSE(kOpcodeTable[7].known);
  EXPECT_EQ(kOpcodeTable[7].opcode, Opcode{7});
  EXPECT_EQ(kOpcodeTable[0xC0].opcode_class, OpcodeClass::kData);
  EXPECT_EQ(ClassOf(0x3F), OpcodeClass::kNack);
  ASSERT_EQ(kReservedOpcodes.size(), 1u);
  EXPECT_EQ(kReservedOpcodes[0].first, 0xF0);
  EXPECT_EQ(kReservedOpcodes[0].last, 0xF3);
}

TEST(TablesTest, ChecksStandInOrder) {
  ASSERT_EQ(kChecks.size(), 2u);
  EXPECT_EQ(kChecks[0].name, "second-first");
  EXPECT_TRUE(kChecks[0].stateless);
  EXPECT_LT(CheckId::kSecondFirst, CheckId::kFirstSecond);
}

TEST(TablesTest, ReasonsNameCheckCounterAndAnswer) {
  EXPECT_EQ(static_cast<int>(Reason::kLate), 200);
  const ReasonInfo& late = Info(Reason::kLate);
  EXPECT_EQ(late.name, "late");
  EXPECT_EQ(late.check, CheckId::kFirstSecond);
  EXPECT_EQ(late.disposition, Disposition::kNackFatal);
  EXPECT_EQ(late.nack, Opcode::kNo);
  EXPECT_EQ(late.counter, Counter::kDrops);
  EXPECT_EQ(late.note, "too late");
  EXPECT_EQ(Info(Reason::kEarly).nack, std::nullopt);
  EXPECT_EQ(kReasonByCode[2], nullptr);
  EXPECT_EQ(kReasonEnum.NameOf(200), "late");
}

TEST(TablesTest, NumbersHaveRangeAndUnit) {
  const NumberInfo& largest = Info(Constant::kLargest);
  EXPECT_EQ(largest.max, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(largest.min, 1u);
  EXPECT_EQ(largest.unit, Unit::kQ1616);
  EXPECT_FALSE(largest.fixed);
  EXPECT_TRUE(Info(Constant::kFixedOne).fixed);
  EXPECT_EQ(Info(ProfileParameter::kDelay).max, 9u);
  ASSERT_EQ(kDerived.size(), 1u);
  EXPECT_EQ(kDerived[0].value, 24u);
}

TEST(TablesTest, ChoicesHaveADomainAndADefault) {
  const ChoiceInfo& moment = Info(Choice::kOddMoment);
  EXPECT_EQ(moment.min, 1u);
  EXPECT_EQ(moment.max, 7u);
  EXPECT_EQ(moment.upper, Upper::kProfile);
  EXPECT_EQ(moment.upper_name, "delay");
  EXPECT_EQ(moment.unit, Unit::kMicroseconds);
  EXPECT_EQ(moment.default_value, 3u);
  EXPECT_EQ(moment.determined_by, "it");
  EXPECT_EQ(moment.note, "when");
  const ChoiceInfo& name = Info(Choice::kOddName);
  ASSERT_EQ(name.names.size(), 2u);
  EXPECT_EQ(name.names[name.default_value], "c");
  EXPECT_EQ(name.max, 1u);
  EXPECT_EQ(Info(Choice::kOddWords).upper, Upper::kExpression);
  EXPECT_EQ(Info(Choice::kOddWords).upper_name, "what fits");
  EXPECT_EQ(Info(Choice::kOddWords).max, std::numeric_limits<uint64_t>::max());
}

TEST(TablesTest, CrossRulesAreTerms) {
  ASSERT_EQ(kCrossRules.size(), 1u);
  const CrossRuleInfo& rule = kCrossRules[0];
  ASSERT_EQ(rule.left.size(), 2u);
  EXPECT_EQ(rule.left[0].kind, TermInfo::Kind::kProfile);
  EXPECT_EQ(rule.left[0].index, 0);
  EXPECT_EQ(rule.left[0].factor, 2u);
  EXPECT_EQ(rule.left[1].kind, TermInfo::Kind::kNumber);
  EXPECT_EQ(rule.left[1].factor, 3u);
  EXPECT_EQ(rule.relation, Relation::kLess);
  EXPECT_EQ(rule.right[0].kind, TermInfo::Kind::kConstant);
  EXPECT_EQ(rule.right[0].factor, 1u);
  EXPECT_EQ(rule.sentence, "delay is small");
}

TEST(TablesTest, MatrixHasEveryCell) {
  const auto& opens = Lookup(OddThingState::kFree, OddThingEvent::kOpen);
  EXPECT_EQ(opens.kind, CellKind::kActs);
  EXPECT_EQ(opens.effect, "opens");
  EXPECT_EQ(opens.clause, clause::kOddOne);
  const auto& ignored = Lookup(OddThingState::kDelete, OddThingEvent::kOpen);
  EXPECT_EQ(ignored.kind, CellKind::kIgnored);
  EXPECT_EQ(ignored.next, OddThingState::kDelete);
  EXPECT_EQ(ignored.counter, Counter::kIgnored);
  EXPECT_EQ(ignored.clause, clause::kOddTwo);
  for (const auto& row : kOddThingMatrix) {
    EXPECT_EQ(row[1].kind, CellKind::kImpossible);
    EXPECT_EQ(row[1].impossible, "never");
  }
}

TEST(TablesTest, CountersCapabilitiesAndFlagsHaveNotes) {
  EXPECT_EQ(Info(Counter::kDrops).note, "grows");
  EXPECT_EQ(Info(Capability::kOddCodec).note, "it can");
  EXPECT_EQ(Info(Flag::kOddBug).note, "a bug");
  EXPECT_EQ(Info(Flag::kOddBug).clause, kNoClause);
}

TEST(TablesTest, AMemberNamedAsAKeywordGetsAnUnderscore) {
  Common common = {};
  common.class_ = 5;
  common.long_ = 9;
  EXPECT_EQ(common.Get(0), 5u);
  EXPECT_EQ(common.Get(3), 9u);
}

}  // namespace
}  // namespace metaroce::spec
