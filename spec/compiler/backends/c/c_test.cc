#include "spec/compiler/backends/c/c.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/compiler/backends/testing/sample.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CHeaderTest, IsTheSameForTheSameSpec) {
  const auto first = GenerateCHeader(Sample());
  const auto second = GenerateCHeader(Sample());
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(*first, *second);
}

TEST(CHeaderTest, NotesCannotEndTheirComment) {
  Spec spec = Sample();
  spec.mutable_data()->mutable_layout(0)->mutable_field(0)->set_note("*/ int bad; /*\n\\");
  const auto header = GenerateCHeader(spec);
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_THAT(*header, HasSubstr("/* start.cid: * / int bad; / * / */"));
}

TEST(CHeaderTest, TheVersionCannotEndItsString) {
  Spec spec = Sample();
  spec.set_version(
      "1\"; \\ ?"
      "?/ \n");
  const auto header = GenerateCHeader(spec);
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_THAT(*header, HasSubstr("#define MR_SPEC_VERSION \"1'; / ../  \"\n"));
}

TEST(CHeaderTest, AValueThatIsNoIntBecomesAMacro) {
  Spec spec = Sample();
  spec.mutable_data()->mutable_enum_(0)->mutable_value(2)->set_value(0x80000000u);
  const auto header = GenerateCHeader(spec);
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_THAT(*header, HasSubstr("#define MR_KIND_FAR UINT32_C(2147483648)\n"));
  EXPECT_THAT(*header, Not(HasSubstr("enum mr_kind {")));
}

TEST(CHeaderTest, RefusesTwoItemsThatBecomeOneName) {
  Spec spec = Sample();
  *spec.mutable_data()->add_constant() = spec.data().constant(2);
  const auto header = GenerateCHeader(spec);
  EXPECT_EQ(header.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(header.status().message()), HasSubstr("MR_CONST_HUGE"));
}

TEST(CHeaderTest, RefusesASpecThatNoHeaderCanExpress) {
  Spec spec = Sample();
  spec.mutable_data()->mutable_layout(0)->mutable_field(0)->set_bits(65);
  EXPECT_EQ(GenerateCHeader(spec).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace metaroce::compiler
