#include "conformance/report/waivers.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vectors/testing/fake_spec_index.h"

namespace metaroce::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kGood[] =
    "{\"vector\": \"a\", \"clause\": \"ACK-X\", \"reason\": \"r\", \"owner\": \"o\", \"expires\": "
    "\"2026-02-28\"}";

std::string Fault(const std::string& items) {
  const auto waivers = LoadWaivers(absl::StrCat("{\"waivers\": [\n", items, "]}"), "w.json");
  return waivers.ok() ? "accepted" : std::string(waivers.status().message());
}

std::string WithDay(const std::string& day) {
  std::string text = kGood;
  return Fault(text.replace(text.find("2026-02-28"), 10, day));
}

TEST(WaiversTest, ReadsAList) {
  const auto waivers = LoadWaivers(absl::StrCat("{\"waivers\": [", kGood, "]}"), "w.json");
  ASSERT_TRUE(waivers.ok()) << waivers.status();
  ASSERT_THAT(*waivers, SizeIs(1));
  EXPECT_EQ((*waivers)[0].vector, "a");
  EXPECT_EQ((*waivers)[0].clause, "ACK-X");
  EXPECT_EQ((*waivers)[0].reason, "r");
  EXPECT_EQ((*waivers)[0].owner, "o");
  EXPECT_TRUE(LoadWaivers("{\"waivers\": []}", "w.json").ok());
}

TEST(WaiversTest, RefusesWhatIsNoListOfWaivers) {
  EXPECT_THAT(std::string(LoadWaivers("[]", "w.json").status().message()),
              HasSubstr("w.json:1:1: "));
  EXPECT_FALSE(LoadWaivers("{}", "w.json").ok());
  EXPECT_FALSE(LoadWaivers("{\"waivers\": [], \"x\": 1}", "w.json").ok());
  EXPECT_FALSE(LoadWaivers("{\"waivers\": {}}", "w.json").ok());
  EXPECT_EQ(Fault("5"), "w.json:2:1: A waiver is a number, not an object.");
  EXPECT_EQ(Fault("{}"), "w.json:2:1: The waiver has no text \"vector\".");
  std::string more = kGood;
  more.insert(1, "\"note\": \"x\", ");
  EXPECT_THAT(Fault(more), HasSubstr("other members than"));
  EXPECT_EQ(Fault(absl::StrCat(kGood, ",\n", kGood)),
            "w.json:3:1: There is another waiver of a at ACK-X.");
}

TEST(WaiversTest, AnExpiryIsADayThatExists) {
  EXPECT_EQ(WithDay("2028-02-29"), "accepted");
  EXPECT_EQ(WithDay("2000-02-29"), "accepted");
  for (const std::string day :
       {"2026-02-29", "2100-02-29", "2026-04-31", "2026-13-01", "2026-00-01", "2026-01-00",
        "26-01-01", "2026/01/01", "2026-1-1", "+026-01-01", "2026-01-0x"}) {
    EXPECT_THAT(WithDay(day), HasSubstr("is no day written as YYYY-MM-DD")) << day;
  }
}

TEST(WaiversTest, IsInForceUpToItsLastDay) {
  Waiver waiver;
  waiver.expires = "2026-02-28";
  EXPECT_FALSE(IsExpired(waiver, "2025-12-31"));
  EXPECT_FALSE(IsExpired(waiver, "2026-02-28"));
  EXPECT_TRUE(IsExpired(waiver, "2026-03-01"));
}

TEST(WaiversTest, AWaiverOfNoVectorIsRefused) {
  const auto waivers = LoadWaivers(absl::StrCat("{\"waivers\": [", kGood, "]}"), "w.json");
  const vectors::FakeSpecIndex index;
  EXPECT_THAT(std::string(CheckWaivers(*waivers, {"a", "b"}, index).message()),
              HasSubstr("waiver of the vector a is for the clause ACK-X, and there is no such"));
  EXPECT_THAT(std::string(CheckWaivers(*waivers, {"b"}, index).message()),
              HasSubstr("waiver of the vector a, and there is no such vector"));
}

}  // namespace
}  // namespace metaroce::conformance
