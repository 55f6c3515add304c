#include "spec/compiler/backends/support/support.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/compiler/backends/testing/sample.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {
namespace {

using ::testing::HasSubstr;

TEST(ByteShareTest, AFieldOf64BitsThatBeginsInAByteTouchesNine) {
  std::vector<ByteShare> shares;
  ForEachByteShare(1, 64, [&](const ByteShare& share) { shares.push_back(share); });
  ASSERT_EQ(shares.size(), 9u);
  EXPECT_EQ(shares[0].byte, 0u);
  EXPECT_EQ(shares[0].bits, 7u);
  EXPECT_EQ(shares[0].byte_shift, 0u);
  EXPECT_EQ(shares[0].value_shift, 57u);
  EXPECT_EQ(shares[8].byte, 8u);
  EXPECT_EQ(shares[8].bits, 1u);
  EXPECT_EQ(shares[8].byte_shift, 7u);
  EXPECT_EQ(shares[8].value_shift, 0u);
}

TEST(ByteShareTest, EveryBitOfAFieldIsInExactlyOneShare) {
  for (uint32_t first = 0; first < 16; ++first) {
    for (uint32_t bits = 1; bits <= 64; ++bits) {
      uint64_t seen = 0;
      ForEachByteShare(first, bits, [&](const ByteShare& share) {
        for (uint32_t i = 0; i < share.bits; ++i) {
          const uint64_t bit = uint64_t{1} << (share.value_shift + i);
          EXPECT_EQ(seen & bit, 0u);
          seen |= bit;
          // The value's bit and the byte's bit are the same bit of the layout.
          EXPECT_EQ(share.byte * 8 + 7 - (share.byte_shift + i),
                    first + bits - 1 - (share.value_shift + i));
        }
      });
      EXPECT_EQ(seen, MaxOf(bits));
    }
  }
}

TEST(SizesTest, BitsForIsTheLeastThatHoldsTheValue) {
  EXPECT_EQ(BitsFor(0), 1u);
  EXPECT_EQ(BitsFor(1), 1u);
  EXPECT_EQ(BitsFor(2), 2u);
  EXPECT_EQ(BitsFor(255), 8u);
  EXPECT_EQ(BitsFor(256), 9u);
  EXPECT_EQ(BitsFor(~uint64_t{0}), 64u);
}

TEST(SizesTest, ADerivedNumberIsTheSumOfItsLayoutsAndTheRest) {
  const Spec spec = Sample();
  EXPECT_EQ(DerivedValue(spec, spec.data().derived(0)), 12u + 24u + 100u);
}

TEST(CommentTextTest, IsOneLineThatEndsNoComment) {
  EXPECT_EQ(CommentText("a\nb\tc"), "a b c");
  EXPECT_EQ(CommentText("*/ /* */*/"), "* / / * * / * /");
  EXPECT_EQ(CommentText("end\\"), "end/");
  EXPECT_EQ(CommentText("*\\"), "* /");
  EXPECT_EQ(CommentText(std::string("\x01\xff\0", 3)), "???");
}

TEST(IdentifiersTest, TwoItemsOfOneNameAreRefusedByBothNames) {
  Identifiers names;
  EXPECT_TRUE(names.Add("A", "the first").ok());
  EXPECT_TRUE(names.Add("B", "the second").ok());
  const absl::Status status = names.Add("A", "the third");
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(status.message(),
            "Both the first and the third would be named A in the generated file.");
}

TEST(CheckSpecTest, TheSampleIsFine) {
  EXPECT_TRUE(CheckSpec(Sample()).ok()) << CheckSpec(Sample());
}

struct Refusal {
  std::string sentence;
  std::function<void(Data&)> spoil;
};

class CheckSpecRefusalTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(CheckSpecRefusalTest, RefusesInASentence) {
  Spec spec = Sample();
  GetParam().spoil(*spec.mutable_data());
  const absl::Status status = CheckSpec(spec);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().sentence));
}

INSTANTIATE_TEST_SUITE_P(
    Each, CheckSpecRefusalTest,
    ::testing::Values(
        Refusal{"The name 'a-b' of a layout",
                [](Data& d) { d.mutable_layout(0)->set_name("a-b"); }},
        Refusal{"The name '' of a field",
                [](Data& d) { d.mutable_layout(0)->mutable_field(0)->set_name(""); }},
        Refusal{"has 0 bits", [](Data& d) { d.mutable_layout(0)->mutable_field(0)->set_bits(0); }},
        Refusal{"has 65 bits",
                [](Data& d) { d.mutable_layout(0)->mutable_field(0)->set_bits(65); }},
        Refusal{"have 97 bits together",
                [](Data& d) { d.mutable_layout(0)->mutable_field(0)->set_bits(22); }},
        Refusal{"two fields named opcode",
                [](Data& d) { d.mutable_layout(0)->mutable_field(0)->set_name("opcode"); }},
        Refusal{"Two layouts are named start", [](Data& d) { *d.add_layout() = d.layout(0); }},
        Refusal{"is no field of it",
                [](Data& d) { d.mutable_layout(4)->mutable_bitmap()->set_selected_by("no"); }},
        Refusal{"a length of 33 bits",
                [](Data& d) { d.mutable_layout(4)->mutable_bitmap()->set_lengths(0, 33); }},
        Refusal{"has 0 lengths",
                [](Data& d) { d.mutable_layout(4)->mutable_bitmap()->clear_lengths(); }},
        Refusal{"has 9 lengths",
                [](Data& d) {
                  for (int i = 0; i < 4; ++i)
                    d.mutable_layout(4)->mutable_bitmap()->add_lengths(32);
                }},
        Refusal{"a field and a bitmap named base",
                [](Data& d) { d.mutable_layout(4)->mutable_bitmap()->set_name("base"); }},
        Refusal{"selected by a field of 12 bits",
                [](Data& d) { d.mutable_layout(4)->mutable_bitmap()->set_selected_by("base"); }},
        Refusal{"has the value 256", [](Data& d) { d.mutable_opcode(0)->set_value(256); }},
        Refusal{"of an earlier opcode", [](Data& d) { d.mutable_opcode(0)->set_value(0x90); }},
        Refusal{"has no header", [](Data& d) { d.mutable_opcode(1)->clear_header(); }},
        Refusal{"has no header", [](Data& d) { d.mutable_opcode(0)->clear_header(); }},
        Refusal{"names the layout 'none'",
                [](Data& d) { d.mutable_opcode(1)->set_header(1, "none"); }},
        Refusal{"begins with the layout word",
                [](Data& d) { d.mutable_opcode(1)->set_header(0, "word"); }},
        Refusal{"repeats the layout ''", [](Data& d) { d.mutable_opcode(2)->clear_repeat(); }},
        Refusal{"counts its blocks by 'count'",
                [](Data& d) { d.mutable_opcode(2)->set_count_field("count"); }},
        Refusal{"counts its blocks by 'wide.end'",
                [](Data& d) { d.mutable_opcode(2)->set_count_field("wide.end"); }},
        Refusal{"counts its blocks by 'count.'",
                [](Data& d) { d.mutable_opcode(2)->set_count_field("count."); }},
        Refusal{"no 8-bit field named opcode",
                [](Data& d) { d.mutable_layout(0)->mutable_field(1)->set_name("code"); }},
        Refusal{"no field named pad",
                [](Data& d) { d.mutable_layout(0)->mutable_field(4)->set_name("fill"); }},
        Refusal{"has no opcode", [](Data& d) { d.clear_opcode(); }},
        Refusal{"of a value of an enum",
                [](Data& d) { d.mutable_enum_(0)->mutable_value(0)->set_name("A B"); }},
        Refusal{"of a reason", [](Data& d) { d.mutable_reason(0)->set_name("a_b"); }},
        Refusal{"the code 256", [](Data& d) { d.mutable_reason(0)->set_code(256); }},
        Refusal{"of a constant", [](Data& d) { d.mutable_constant(0)->set_name("1"); }},
        Refusal{"of a state", [](Data& d) { d.mutable_machine(0)->set_state(0, "free"); }},
        Refusal{"of an event", [](Data& d) { d.mutable_machine(0)->set_event(0, "a"); }},
        Refusal{"The derived number packet names the layout 'gone'",
                [](Data& d) { d.mutable_derived(0)->set_layout(0, "gone"); }}));

}  // namespace
}  // namespace metaroce::compiler
