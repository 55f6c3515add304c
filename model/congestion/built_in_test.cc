// The formulas of chapter 8 against values worked out by hand, and against naive twins that follow
// the sentences of the text with floor division in 128 bits.
#include "model/congestion/built_in.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "model/congestion/count.h"
#include "model/congestion/pacer.h"

namespace metaroce::congestion {
namespace {

using spec::Constant;

// Floor of a / b for any a and b > 0.
Wide Floor(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }
Wide Power(int n) { return Wide{1} << n; }

constexpr uint64_t kS = 4214;

// CC-KB
// CC-BDP
TEST(UnitsTest, TheExamplesOfTheTextHold) {
  const uint64_t kb = Kb(16, kS);
  EXPECT_EQ(kb, 521838u);
  EXPECT_EQ(Bdp(25000, 12000, kb), 9331190u);
  EXPECT_EQ(Bdp(25000, 1500000, kb), 1166398823u);
}

TEST(UnitsTest, BdpNeverExceedsTwoToTheForty) {
  const uint64_t kb = Kb(65535, 374);
  EXPECT_EQ(Bdp(65534, Nanoseconds{1} << 40, kb), uint64_t{1} << 40);
  EXPECT_EQ(Bdp(1, 0, kb), 0u);
}

RC_GTEST_PROP(UnitsProperty, BdpAgreesWithAnyOrderOfWideProducts, ()) {
  const uint64_t unit = *rc::gen::inRange<uint64_t>(1, 65536);
  const uint64_t s = *rc::gen::inRange<uint64_t>(374, 4300);
  const uint64_t rate = *rc::gen::inRange<uint64_t>(1, 65535);
  const Nanoseconds t = *rc::gen::inRange<Nanoseconds>(0, Nanoseconds{1} << 32);
  const Wide kb = Floor(Power(40) * Wide(unit) + 4000 * Wide(s), 8000 * Wide(s));
  RC_ASSERT(Wide(Kb(unit, s)) == kb);
  const Wide capped = t > (Nanoseconds{1} << 30) ? Power(30) : Wide(t);
  const Wide b = Floor(Floor(Wide(rate) * capped, 256) * kb, 65536);
  RC_ASSERT(Wide(Bdp(rate, t, Kb(unit, s))) == (b > Power(40) ? Power(40) : b));
}

// CC-SHARE
TEST(UnitsTest, AShareIsOfThePortsAndOfThoseWhoWait) {
  EXPECT_EQ(Share(400000, 1, 16), 25000u);
  EXPECT_EQ(Share(800000, 3, 16), 16666u);
  EXPECT_EQ(Share(1, 10, 16), 1u);
  EXPECT_EQ(Share(4000000, 1, 16), 65534u);
}

TEST(PacerTest, TheExamplesOfTheTextHold) {
  const uint64_t speed = Speed(8 << 16, 12000);
  EXPECT_EQ(speed, 733007751u);
  const uint64_t t = ByteTimeOfSpeed(speed, 8 << 16, 8 << 16, 8, kS);
  EXPECT_EQ(t, 746494u);
  EXPECT_EQ((t * kS + (1 << 21)) >> 22, 750u);
  EXPECT_EQ(ByteTimeOfRate(25000, 16), 83886u);
}

TEST(PacerTest, TheTimeOfAByteIsAtLeastOne) {
  EXPECT_EQ(ByteTimeOfRate(65534, 65535), 7u);
  EXPECT_EQ(ByteTimeOfSpeed(0, 65536, 65536, 4, 400), (uint64_t{1} << 62) / 400);
  const uint64_t speed = 255 * Speed(kWindowMax, 1);
  EXPECT_EQ(ByteTimeOfSpeed(speed, uint64_t{255} * kWindowMax, uint64_t{255} * kWindowMax, 32, kS),
            1u);
}

// Four full packets leave at once after a pause, the fifth one packet time after them.
TEST(PacerTest, ABurstOfFourLeavesAndThenOneAPacketTime) {
  const uint64_t t = ByteTimeOfRate(25000, 16);
  Pacer pacer;
  int at_once = 0;
  while (pacer.Admits(1000000)) {
    pacer.Charge(1000000, kS, t, 4, kS);
    ++at_once;
  }
  EXPECT_EQ(at_once, 4);
  const Nanoseconds packet = 85;  // 4214 * 83886 / 2^22 is 84.28
  EXPECT_EQ(pacer.Due(), 1000000 + packet);
  for (int i = 0; i < 100; ++i) pacer.Charge(pacer.Due(), kS, t, 4, kS);
  // The rest of a nanosecond is not lost: 101 packets take 101 * 84.28 ns.
  EXPECT_NEAR(pacer.Due() - 1000000, 101 * 84.282, 1.1);
}

RC_GTEST_PROP(PacerProperty, AgreesWithOneTimeInParts, ()) {
  Pacer pacer;
  Wide due = -Power(84);  // before every other time
  Nanoseconds now = 0;
  const uint32_t burst = *rc::gen::inRange(1u, 65u);
  for (const uint32_t gap :
       *rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange(0u, 1u << 20))) {
    now += gap;
    const uint64_t t = *rc::gen::inRange<uint64_t>(1, uint64_t{1} << 50);
    const uint32_t bytes = *rc::gen::inRange(80u, 4300u);
    RC_ASSERT(pacer.Admits(now) == (due <= Wide(now) * Power(22)));
    // A packet that was not admitted does not leave.
    if (!pacer.Admits(now)) {
      RC_ASSERT(Wide(pacer.Due()) * Power(22) >= due);
      RC_ASSERT(Wide(pacer.Due() - 1) * Power(22) < due);
      now = pacer.Due();
    }
    pacer.Charge(now, bytes, t, burst, kS);
    const Wide least = Wide(now) * Power(22) - Wide(burst - 1) * Wide(kS) * Wide(t);
    due = (due > least ? due : least) + Wide(bytes) * Wide(t);
  }
}

// CC-ROUND-END, sentence by sentence.
struct Twin {
  Wide w, alpha, clean, ce, arrived, lost;
  bool slow, first, skip, limited, limited_before;
};

// CC-ROUND-END
void EndRoundNaively(Twin& p, bool c, Wide increase, const Profile& k) {
  const auto value = [&](Constant id) { return Wide(k[id]); };
  const auto power = [&](Constant id) { return Power(static_cast<int>(k[id])); };
  if (p.slow) return;
  if (p.skip) {
    p.skip = false;
    return;
  }
  const Wide num =
      p.ce * 65536 + (c ? p.lost * 65536 : Floor(p.lost * 65536, power(Constant::kLossShift)));
  Wide f = p.arrived + p.lost == 0 ? 0 : Floor(num, p.arrived + p.lost);
  if (f > 65536) f = 65536;
  if (p.first) {
    p.alpha = f;
    p.first = false;
  } else if (f > p.alpha) {
    p.alpha += Floor(f - p.alpha, power(Constant::kAlphaUpShift));
  } else {
    p.alpha += Floor(f - p.alpha, power(Constant::kAlphaDownShift));
  }
  if (p.ce + p.lost > 0) {
    Wide d = p.alpha;
    if (p.ce == 0 && !c && f < d) d = f;
    p.w -= Floor(p.w * d, 131072);
    p.clean = 0;
    p.skip = p.ce > 0;
  }
  // CC-LIMITED
  if (p.limited || p.limited_before) {
    if (p.ce + p.lost == 0) ++p.clean;
    Wide doublings = Floor(p.clean, value(Constant::kCleanRounds));
    if (doublings > value(Constant::kCleanDoublings)) doublings = value(Constant::kCleanDoublings);
    const Wide a = Floor(increase * (65536 - p.alpha), 65536) * Power(static_cast<int>(doublings));
    const Wide most = Floor(p.w, 2) > increase ? Floor(p.w, 2) : increase;
    p.w += a < most ? a : most;
  }
  if (p.w < value(Constant::kWindowMin)) p.w = value(Constant::kWindowMin);
  if (p.w > 256 * 65536) p.w = 256 * 65536;
}

RC_GTEST_PROP(RoundProperty, EndsAsTheTextSays, ()) {
  Profile profile;
  RC_ASSERT(profile.Set("loss_shift", *rc::gen::inRange<uint64_t>(0, 9)).ok());
  RC_ASSERT(profile.Set("alpha_up_shift", *rc::gen::inRange<uint64_t>(0, 9)).ok());
  RC_ASSERT(profile.Set("alpha_down_shift", *rc::gen::inRange<uint64_t>(0, 9)).ok());
  RC_ASSERT(profile.Set("clean_rounds", *rc::gen::inRange<uint64_t>(1, 6)).ok());
  RC_ASSERT(profile.Set("clean_doublings", *rc::gen::inRange<uint64_t>(0, 7)).ok());
  PathState path;
  path.w = *rc::gen::inRange(4096u, kWindowMax + 1);
  path.alpha = *rc::gen::inRange(0u, 65537u);
  path.slow = *rc::gen::weightedElement<bool>({{9, false}, {1, true}});
  Twin twin{path.w, path.alpha, 0, 0, 0, 0, path.slow, true, false, false, false};
  uint8_t history = 0;
  for (const uint32_t step :
       *rc::gen::container<std::vector<uint32_t>>(rc::gen::arbitrary<uint32_t>())) {
    path.arrived = step % 300;
    path.ce = (step >> 9) % 3 == 0 ? std::min(path.arrived, (step >> 11) % 64) : 0;
    path.lost = (step >> 17) % 3 == 0 ? (step >> 19) % 32 : 0;
    path.limited = (step >> 24) % 2 == 0;
    const bool congested = (step >> 25) % 2 == 0;
    const uint64_t increase = *rc::gen::inRange<uint64_t>(1024, 1 << 22);
    twin.arrived = path.arrived;
    twin.ce = path.ce;
    twin.lost = path.lost;
    twin.limited = path.limited;
    const bool h = path.ce > 0 || path.skip;
    const bool marked = twin.ce > 0 && 2 * twin.ce >= twin.arrived;
    const bool skipped = path.skip;
    EndRound(path, congested, increase, profile);
    EndRoundNaively(twin, congested, Wide(increase), profile);
    NextRound(path, skipped, step);
    twin.limited_before = twin.limited;
    history = static_cast<uint8_t>((2 * history + (h ? 1 : 0)) & 15);
    RC_ASSERT(Wide(path.w) == twin.w);
    RC_ASSERT(Wide(path.alpha) == twin.alpha);
    RC_ASSERT(Wide(path.clean) == twin.clean);
    RC_ASSERT(path.skip == twin.skip);
    RC_ASSERT(path.limited_before == twin.limited_before);
    RC_ASSERT(path.marked_before == marked);
    // CC-ROUND-BEGIN
    RC_ASSERT(path.history == history);
    RC_ASSERT(path.ce + path.arrived + path.lost == 0);
  }
}

// One in ten packets is marked from the first round on: alpha starts there, and w falls by half of
// that.
TEST(RoundTest, AMarkedRoundCutsByHalfOfAlpha) {
  Profile profile;
  PathState path;
  path.w = 100 << 16;
  path.slow = false;
  path.arrived = 100;
  path.ce = 10;
  EndRound(path, false, 1 << 16, profile);
  EXPECT_EQ(path.alpha, 6553u);  // 0.1
  EXPECT_EQ(path.w, (100u << 16) - ((100u << 16) * uint64_t{6553} >> 17));
  EXPECT_TRUE(path.skip);
  // The next round is skipped: its packets were sent before the cut.
  NextRound(path, false, 1);
  path.arrived = 100;
  path.ce = 100;
  const uint32_t w = path.w;
  EndRound(path, true, 1 << 16, profile);
  EXPECT_EQ(path.w, w);
  EXPECT_FALSE(path.skip);
}

// One lost in a hundred counts 1/1600 of a mark where the path is not congested: no halving.
TEST(RoundTest, ALossAloneNeverHalvesAnything) {
  Profile profile;
  PathState path;
  path.w = 100 << 16;
  path.slow = false;
  path.arrived = 99;
  path.lost = 1;
  EndRound(path, false, 0, profile);
  EXPECT_EQ(path.alpha, 40u);  // 65536 / 16 / 100
  EXPECT_EQ(path.w, (100u << 16) - 2000u);
  EXPECT_FALSE(path.skip);
}

// 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 8, ... times A.
TEST(RoundTest, CleanRoundsDoubleTheIncreaseUpToEightfold) {
  Profile profile;
  PathState path;
  path.w = 16 << 16;
  path.slow = false;
  const uint32_t expected[] = {1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8};
  for (const uint32_t times : expected) {
    path.limited = true;
    path.arrived = 10;
    const uint32_t w = path.w;
    EndRound(path, false, 1000, profile);
    EXPECT_EQ(path.w - w, times * 1000);
    NextRound(path, false, 0);
  }
  // Without pressure nothing grows, but for the round after one with it.
  NextRound(path, false, 0);
  const uint32_t w = path.w;
  EndRound(path, false, 1000, profile);
  EXPECT_EQ(path.w, w);
}

// CC-INCREASE
TEST(RoundTest, TheIncreaseIsAShareOfThePipe) {
  Profile profile;
  const uint64_t kb = Kb(16, kS);
  EXPECT_EQ(Increase(25000, 12000, 1, kb, profile), 9331190u / 32);
  EXPECT_EQ(Increase(25000, 12000, 16, kb, profile), 9331190u / 32 / 16);
  EXPECT_EQ(Increase(1, 1000, 16, kb, profile), 1024u);
}

TEST(WindowTest, BeginsAndBeginsAgain) {
  Profile profile;
  EXPECT_EQ(FirstWindow(profile), 8u << 16);
  EXPECT_EQ(AddedWindow(20 << 16, profile), 10u << 16);
  EXPECT_EQ(AddedWindow(0, profile), 4096u);
  EXPECT_EQ(AddedWindow(uint64_t{600} << 16, profile), 256u << 16);
  EXPECT_EQ(AgainWindow(4 << 16, 20 << 16, true, profile), 10u << 16);
  EXPECT_EQ(AgainWindow(40 << 16, 20 << 16, true, profile), 40u << 16);
  EXPECT_EQ(AgainWindow(40 << 16, 20 << 16, false, profile), 10u << 16);
  EXPECT_EQ(AgainWindow(2 << 16, 20 << 16, false, profile), 1u << 16);
  PathState path;
  path.w = 100 << 16;
  RtoStays(path);
  EXPECT_EQ(path.w, 25u << 16);
  path.w = 1 << 15;
  RtoStays(path);
  EXPECT_EQ(path.w, 1u << 15);
}

TEST(SlowStartTest, EndsByAMarkByALossUnderCongestionOrByManyLosses) {
  Profile profile;
  PathState path;
  path.slow = true;
  path.arrived = 100;
  EXPECT_FALSE(EndsSlowStart(path, Block{.lost = 1}, false, profile));
  EXPECT_TRUE(EndsSlowStart(path, Block{.lost = 1}, true, profile));
  EXPECT_TRUE(EndsSlowStart(path, Block{.marks = 1}, false, profile));
  path.lost = 54;
  EXPECT_FALSE(EndsSlowStart(path, Block{}, false, profile));
  path.lost = 55;  // 110 > 108
  EXPECT_TRUE(EndsSlowStart(path, Block{}, false, profile));
  path.w = 101 << 16;
  path.alpha = 7;
  EndSlowStart(path, profile);
  EXPECT_EQ(path.w, 101u << 15);
  EXPECT_EQ(path.alpha, 32768u);
  EXPECT_TRUE(path.first && path.skip && !path.slow);
}

TEST(CongestedTest, ByMarksOrByDelayWhereNoMarkWasEverSeen) {
  Profile profile;
  PathState path;
  EXPECT_FALSE(Congested(path, 1, 28000, 12000, profile));
  EXPECT_TRUE(Congested(path, 1, 28001, 12000, profile));
  EXPECT_FALSE(Congested(path, 0, 28001, 12000, profile));
  EXPECT_TRUE(Congested(path, 1, 1500001, 1000000, profile));
  path.ever_marked = true;
  EXPECT_FALSE(Congested(path, 1, 28001, 12000, profile));
  path.arrived = 10;
  path.ce = 4;
  EXPECT_FALSE(Congested(path, 1, 12000, 12000, profile));
  path.ce = 5;
  EXPECT_TRUE(Congested(path, 1, 12000, 12000, profile));
  path.ce = 0;
  path.marked_before = true;
  EXPECT_TRUE(Congested(path, 1, 12000, 12000, profile));
}

// COUNT-BASE
// COUNT-GROW
TEST(CountTest, PathsForThePipeButSixteenAtLeast) {
  Profile profile;
  const uint64_t near = Bdp(25000, 12000, Kb(16, kS));
  const uint64_t far = Bdp(25000, 1500000, Kb(16, kS));
  EXPECT_EQ(BaseTarget(near, 144, profile), 16u);
  EXPECT_EQ(BaseTarget(far, 144, profile), 87u);
  EXPECT_EQ(BaseTarget(far, 64, profile), 64u);
  EXPECT_EQ(BaseTarget(near, 4, profile), 4u);
  EXPECT_EQ(GrowthLimit(87, far, 144), 140u);
  EXPECT_EQ(GrowthLimit(87, far, 100), 100u);
  EXPECT_EQ(GrowthLimit(16, near, 144), 16u);
  EXPECT_TRUE(WindowsFull(uint64_t{16 * 64} << 16, 16, true));
  EXPECT_FALSE(WindowsFull((uint64_t{16 * 64} << 16) - 1, 16, true));
  EXPECT_TRUE(WindowsFull(uint64_t{16 * 224} << 16, 16, false));
  EXPECT_FALSE(WindowsFull((uint64_t{16 * 224} << 16) - 1, 16, false));
  EXPECT_EQ(GrownTarget(16, 140, 16, true), 32u);
  EXPECT_EQ(GrownTarget(87, 140, 87, false), 109u);
  EXPECT_EQ(GrownTarget(90, 140, 10, true), 90u);
}

// REENTROPY-MARKED
TEST(CountTest, APathIsPersistentlyMarkedByItsHistoryAlphaAndWindow) {
  Profile profile;
  PathState path;
  path.history = 0b0101;
  path.alpha = 4096;
  path.w = 3 << 16;
  EXPECT_TRUE(PersistentlyMarked(path, 4, uint64_t{16} << 16, profile));
  EXPECT_FALSE(PersistentlyMarked(path, 4, (uint64_t{16} << 16) - 1, profile));
  path.history = 0b0100;
  EXPECT_FALSE(PersistentlyMarked(path, 4, uint64_t{16} << 16, profile));
  path.history = 0b1100;
  path.alpha = 4095;
  EXPECT_FALSE(PersistentlyMarked(path, 4, uint64_t{16} << 16, profile));
}

}  // namespace
}  // namespace metaroce::congestion
