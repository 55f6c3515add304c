// The choice of an algorithm by its name, and the one that follows delay.
#include "model/congestion/custom.h"

#include <gtest/gtest.h>

#include "model/congestion/delay.h"

namespace metaroce::congestion {
namespace {

absl::Status Chosen(absl::string_view name,
                    const std::vector<std::pair<absl::string_view, uint64_t>>& parameters,
                    Settings* settings) {
  return Choose(name, parameters, settings);
}

//= CUSTOM-PARAMETERS
//# A value outside its range is refused with a sentence that names the parameter, the value and the
//# range.
TEST(ChooseTest, TakesAnAlgorithmByItsNameWithItsParameters) {
  Settings settings;
  ASSERT_TRUE(Chosen("fixed", {{"window", 5 << 16}}, &settings).ok());
  EXPECT_EQ(settings.kind, Kind::kFixed);
  EXPECT_EQ(settings.path_window, 5u << 16);
  ASSERT_TRUE(Chosen("delay", {{"queue_target", 9000}}, &settings).ok());
  EXPECT_EQ(settings.kind, Kind::kCustom);
  EXPECT_EQ(settings.custom->name, "delay");
  EXPECT_EQ(settings.parameters[0], 9000u);
  EXPECT_EQ(settings.parameters[1], kDelay.parameters[1].by_default);
  EXPECT_TRUE(Validate(settings).ok());
  ASSERT_TRUE(Chosen("built-in", {}, &settings).ok());
  EXPECT_EQ(settings, Settings());
}

TEST(ChooseTest, RefusesANameAndAValueInASentence) {
  Settings settings;
  EXPECT_EQ(Chosen("dctcp", {}, &settings).message(),
            "There is no algorithm of congestion control named \"dctcp\".");
  EXPECT_EQ(Chosen("delay", {{"gain", 1}}, &settings).message(),
            "The algorithm \"delay\" has no parameter \"gain\".");
  EXPECT_EQ(Chosen("delay", {{"queue_target", 99}}, &settings).message(),
            "queue_target is 99; it must lie between 100 and 10000000.");
  EXPECT_EQ(Chosen("fixed", {{"window", 1}}, &settings).message(),
            "window is 1; it must lie between 1024 and 16777216.");
  EXPECT_EQ(settings, Settings());
  settings.kind = Kind::kCustom;
  EXPECT_FALSE(Validate(settings).ok());
}

TEST(ChooseTest, EveryTableIsInOrder) {
  absl::string_view before;
  for (const Algorithm& algorithm : Algorithms()) {
    EXPECT_LT(before, algorithm.name);
    before = algorithm.name;
    for (const Parameter& parameter : algorithm.parameters) {
      EXPECT_LE(parameter.min, parameter.by_default) << parameter.name;
      EXPECT_LE(parameter.by_default, parameter.max) << parameter.name;
    }
  }
}

class DelayTest : public ::testing::Test {
 protected:
  DelayTest() { EXPECT_TRUE(Choose("delay", {}, &settings_).ok()); }
  std::optional<uint64_t> Tell(Event event) {
    event.now = now_;
    event.min_rtt = 12000;
    event.srtt = 15000;
    event.w = w_;
    Outputs out = settings_.custom->step(settings_.parameters, event, path_, all_);
    if (out.w) w_ = static_cast<uint32_t>(*out.w);
    return out.w;
  }
  void Ack(Nanoseconds sample, uint32_t acknowledged = 1) {
    Event event;
    event.kind = EventKind::kAckBlock;
    event.sample = sample;
    event.acknowledged = acknowledged;
    Tell(event);
  }

  Settings settings_;
  Memory path_{};
  Memory all_{};
  Nanoseconds now_ = 1000000;
  uint32_t w_ = 16 << 16;
};

TEST(RootTest, IsOneOverTheSquareRoot) {
  EXPECT_EQ(InverseRoot(1 << 16), 65536u);
  EXPECT_EQ(InverseRoot(4 << 16), 32768u);
  EXPECT_EQ(InverseRoot(1 << 14), 131072u);
  EXPECT_EQ(InverseRoot(2 << 16), 46340u);  // 65536 / 1.41421
}

// A window of 64 packets and more aims at 6 us above the least, one of a tenth of a packet at 18
// us.
TEST_F(DelayTest, SmallWindowsAimAtMoreDelay) {
  EXPECT_EQ(TargetDelay(settings_.parameters, 64 << 16, 12000), 18000);
  EXPECT_EQ(TargetDelay(settings_.parameters, 200 << 16, 12000), 18000);
  EXPECT_EQ(TargetDelay(settings_.parameters, 6554, 12000), 30000);
  const Nanoseconds one = TargetDelay(settings_.parameters, 1 << 16, 12000);
  EXPECT_GT(one, 18000);
  EXPECT_LT(one, 30000);
}

TEST_F(DelayTest, GrowsByAPacketARoundTripBelowTheTarget) {
  for (int i = 0; i < 16; ++i) Ack(13000);
  EXPECT_NEAR(w_, 17 << 16, 4000);
}

TEST_F(DelayTest, CutsByTheExcessOnceARoundTripAndByHalfAtMost) {
  w_ = 64 << 16;
  Ack(24000);  // 6 of 24 us too much: 0.8 / 4
  EXPECT_NEAR(w_, 0.8 * (64 << 16), 70);
  Ack(24000);
  EXPECT_NEAR(w_, 0.8 * (64 << 16), 70);
  now_ += 15000;
  const uint32_t w = w_;
  Ack(1000000);
  EXPECT_EQ(w_, w / 2);
}

TEST_F(DelayTest, ALossCutsByHalfAndFiveExpiriesLeaveTheLeast) {
  Event loss;
  loss.kind = EventKind::kLoss;
  loss.lost = 1;
  Tell(loss);
  EXPECT_EQ(w_, 8u << 16);
  Event rto;
  rto.kind = EventKind::kRto;
  for (int i = 0; i < 5; ++i) {
    now_ += 100000;
    Tell(rto);
  }
  EXPECT_EQ(w_, 0u);
}

}  // namespace
}  // namespace metaroce::congestion
