#include "model/profile_file.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace metaroce {
namespace {

std::string Refusal(absl::string_view text) {
  const absl::StatusOr<Profile> profile = ParseProfile("nic.profile", text);
  EXPECT_FALSE(profile.ok());
  EXPECT_TRUE(profile.ok() || absl::IsInvalidArgument(profile.status())) << profile.status();
  return profile.ok() ? "" : std::string(profile.status().message());
}

TEST(ProfileFileTest, NothingIsTheDefaults) {
  EXPECT_EQ(*ParseProfile("nic.profile", ""), Profile());
  EXPECT_EQ(*ParseProfile("nic.profile", "\n # no change\n\n"), Profile());
}

TEST(ProfileFileTest, SetsWhatItNames) {
  const auto profile =
      ParseProfile("nic.profile", "csn_range: 8192\n  rto_max :0xF42400 # 16 ms\r\n");
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ((*profile)[spec::Constant::kCsnRange], 8192u);
  EXPECT_EQ((*profile)[spec::Constant::kRtoMax], 16000000u);
}

TEST(ProfileFileTest, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(Refusal("csn_range: 8192\ncsn_range 4096\n"),
            "nic.profile:2: \"csn_range 4096\" is no field; it must be \"constant: value\".");
  EXPECT_EQ(
      Refusal("csn_range: many"),
      "nic.profile:1: \"csn_range\" is \"many\"; it must be a decimal number, or a hexadecimal "
      "one after 0x, of at most 64 bits.");
  EXPECT_EQ(Refusal("csn_range: 18446744073709551616").substr(0, 45),
            "nic.profile:1: \"csn_range\" is \"18446744073709");
  EXPECT_EQ(Refusal("\n\ncsn_rnage: 8192"),
            "nic.profile:3: The text has no constant \"csn_rnage\".");
  EXPECT_EQ(Refusal("csn_range: 8192\ncsn_range: 8192"),
            "nic.profile:2: \"csn_range\" was set in line 1 already.");
  EXPECT_EQ(Refusal("csn_range: 255"),
            "nic.profile:1: csn_range is 255; it must lie between 256 and 16777216.");
}

//= PROFILE-PARAMETERS
//# A value outside the range does not conform.
TEST(ProfileFileTest, RefusesAConstantThatIsFixed) {
  EXPECT_EQ(Refusal("csn_range_min: 512"),
            "nic.profile:1: csn_range_min is 512; it must lie between 256 and 256.");
}

//= PROFILE-RULES
//# The parameters of a profile satisfy the rules of the block below.
TEST(ProfileFileTest, RefusesWhatBreaksARelation) {
  EXPECT_EQ(Refusal("rto_min: 2000000\nrto_max: 1000000"),
            "nic.profile: rto_min must not exceed rto_max; here they are 2000000 and 1000000.");
}

TEST(ProfileFileTest, AnyBytesGiveAProfileOrASentenceThatCanBePrinted) {
  const std::string seed = "csn_range: 8192\nrto_max: 0x100000 # x\n";
  for (uint32_t i = 0; i < 20000; ++i) {
    std::mt19937 dice(i);
    std::string text = seed;
    for (uint32_t n = dice() % 6; n > 0; --n)
      text[dice() % text.size()] = static_cast<char>(dice());
    text.resize(dice() % (text.size() + 1));
    const auto profile = ParseProfile("p", text);
    if (profile.ok()) continue;
    for (const char c : profile.status().message()) {
      ASSERT_TRUE(c >= ' ' && c <= '~') << profile.status();
    }
  }
}

}  // namespace
}  // namespace metaroce
