// That the properties beside this file are tested against layouts other than those of the text.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "spec/layouts.h"
#include "spec/tables.h"

namespace metaroce::packet {
namespace {

TEST(PermutedLayouts, AreNotThoseOfTheText) {
  constexpr std::array<std::string_view, 12> kText = {"version",    "pad",  "reserved_0", "opcode",
                                                      "ar",         "rtx",  "moved",      "se",
                                                      "reserved_1", "path", "epoch",      "cid"};
  const auto& fields = spec::kCommonFields;
  EXPECT_FALSE(std::equal(
      kText.begin(), kText.end(), fields.begin(),
      [](std::string_view name, const spec::FieldInfo& field) { return name == field.name; }));
  EXPECT_EQ(spec::Common::kBytes, 16U);
}

TEST(PermutedLayouts, HaveFieldsThatCrossBytes) {
  const auto crosses = [](const spec::FieldInfo& field) {
    return field.bits % 8 == 0 && field.bit_offset % 8 != 0;
  };
  EXPECT_TRUE(std::any_of(spec::kCommonFields.begin(), spec::kCommonFields.end(), crosses));
}

}  // namespace
}  // namespace metaroce::packet
