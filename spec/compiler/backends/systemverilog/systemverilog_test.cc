#include "spec/compiler/backends/systemverilog/systemverilog.h"

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

TEST(SystemVerilogTest, IsTheSameForTheSameSpec) {
  const auto first = GenerateSystemVerilog(Sample());
  const auto second = GenerateSystemVerilog(Sample());
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(*first, *second);
}

TEST(SystemVerilogTest, NumbersAreAsWideAsTheirGreatestValue) {
  const auto package = GenerateSystemVerilog(Sample());
  ASSERT_TRUE(package.ok()) << package.status();
  EXPECT_THAT(*package, HasSubstr("localparam logic [15:0] CONST_UDP_PORT = 16'd50123;"));
  EXPECT_THAT(*package, HasSubstr("localparam logic CONST_ZERO = 1'd0;"));
  EXPECT_THAT(*package,
              HasSubstr("localparam logic [63:0] CONST_HUGE = 64'd18446744073709551615;"));
  EXPECT_THAT(*package, HasSubstr("localparam logic [19:0] PROFILE_REACT_MAX = 20'd2000;"));
}

TEST(SystemVerilogTest, AnEnumIsAsWideAsTheFieldsThatUseIt) {
  const auto package = GenerateSystemVerilog(Sample());
  ASSERT_TRUE(package.ok()) << package.status();
  EXPECT_THAT(*package, HasSubstr("typedef enum logic [23:0] {\n    KIND_ZERO = 24'h000000,"));
}

TEST(SystemVerilogTest, StatesAndEventsAreEnumerations) {
  const auto package = GenerateSystemVerilog(Sample());
  ASSERT_TRUE(package.ok()) << package.status();
  EXPECT_THAT(*package, HasSubstr("PATH_STATE_FREE = 2'h0,"));
  EXPECT_THAT(*package, HasSubstr("  } path_state_e;"));
  EXPECT_THAT(*package, HasSubstr("PATH_EVENT_TIMER = 1'h1\n  } path_event_e;"));
}

TEST(SystemVerilogTest, ReservedWordsGetAnUnderscore) {
  const auto package = GenerateSystemVerilog(Sample());
  ASSERT_TRUE(package.ok()) << package.status();
  EXPECT_THAT(*package, HasSubstr("logic [14:0] sequence_;"));
  EXPECT_THAT(*package, HasSubstr("logic event_;"));
}

TEST(SystemVerilogTest, RefusesTwoMembersOfOneName) {
  Spec spec = Sample();
  Layout* start = spec.mutable_data()->mutable_layout(0);
  start->mutable_field(0)->set_name("event_");
  EXPECT_EQ(GenerateSystemVerilog(spec).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SystemVerilogTest, RefusesTwoItemsThatBecomeOneName) {
  Spec spec = Sample();
  Layout* layout = spec.mutable_data()->add_layout();
  layout->set_name("void_headers");
  Field* field = layout->add_field();
  field->set_name("word");
  field->set_bits(32);
  const auto package = GenerateSystemVerilog(spec);
  EXPECT_EQ(package.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(package.status().message()), HasSubstr("void_headers_t"));
}

TEST(SystemVerilogTest, TextCannotLeaveItsCommentOrString) {
  Spec spec = Sample();
  spec.set_version("1\"\n; \\");
  spec.mutable_data()->mutable_layout(0)->mutable_field(0)->set_note("a\nlogic bad;");
  const auto package = GenerateSystemVerilog(spec);
  ASSERT_TRUE(package.ok()) << package.status();
  EXPECT_THAT(*package, HasSubstr("localparam SPEC_VERSION = \"1' ; /\";\n"));
  EXPECT_THAT(*package, HasSubstr("cid;  // a logic bad;\n"));
}

}  // namespace
}  // namespace metaroce::compiler
