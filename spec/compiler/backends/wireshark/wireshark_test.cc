#include "spec/compiler/backends/wireshark/wireshark.h"

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

TEST(WiresharkTest, IsTheSameForTheSameSpec) {
  const auto first = GenerateWireshark(Sample());
  const auto second = GenerateWireshark(Sample());
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(*first, *second);
}

TEST(WiresharkTest, TextCannotLeaveItsString) {
  Spec spec = Sample();
  spec.mutable_data()->mutable_layout(0)->set_title("a\"\\\n]]\xff");
  const auto lua = GenerateWireshark(spec);
  ASSERT_TRUE(lua.ok()) << lua.status();
  EXPECT_THAT(*lua, HasSubstr("title = \"a\\\"\\\\\\010]]\\255\""));
}

TEST(WiresharkTest, NeedsAPort) {
  Spec spec = Sample();
  spec.mutable_data()->mutable_constant(0)->set_default_(65536);
  EXPECT_EQ(GenerateWireshark(spec).status().code(), absl::StatusCode::kNotFound);
  spec.mutable_data()->mutable_constant(0)->set_name("other");
  EXPECT_EQ(GenerateWireshark(spec).status().code(), absl::StatusCode::kNotFound);
}

TEST(WiresharkTest, RefusesALayoutWithTheNameOfAFieldOfItsOwn) {
  Spec spec = Sample();
  spec.mutable_data()->add_layout()->CopyFrom(spec.data().layout(2));
  spec.mutable_data()->mutable_layout(5)->set_name("icrc");
  EXPECT_EQ(GenerateWireshark(spec).status().code(), absl::StatusCode::kAlreadyExists);
}

TEST(WiresharkTest, RefusesASpecThatItCannotWalk) {
  Spec spec = Sample();
  spec.mutable_data()->mutable_opcode(0)->set_header(0, "nothing");
  const auto lua = GenerateWireshark(spec);
  EXPECT_EQ(lua.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(lua.status().message()), HasSubstr("'nothing'"));
}

}  // namespace
}  // namespace metaroce::compiler
