// Every choice of the text that the model makes, as it is asked in random connections: its domain
// is that of the text, each value of it passes, and one just outside fails with the clause.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "conformance/check/check.h"
#include "conformance/check/testing/scenario.h"
#include "model/choosers/choosers.h"

namespace metaroce::check {
namespace {

using spec::Choice;

// Shows what it is told.
class Seen : public ObservedChooser {
 public:
  uint64_t face = 0;

 protected:
  std::optional<uint64_t> Shown(Choice) override { return face; }
};

class Prober : public Chooser {
 public:
  explicit Prober(uint64_t seed) : next_(seed) {}

  uint64_t Place(Choice choice, const Places& places) override {
    asked.insert(choice);
    const spec::ChoiceInfo& info = spec::Info(choice);
    EXPECT_GE(places.count(), 1u);
    if (!info.names.empty()) {
      EXPECT_EQ(places.count(), info.names.size()) << info.name;
    }
    if (info.upper == spec::Upper::kNumber && info.names.empty()) {
      EXPECT_LE(places.count(), info.max + 1) << info.name;
    }
    uint64_t greatest = 0;
    const uint64_t step = std::max<uint64_t>(1, places.count() / 8);
    for (uint64_t place = 0; place < places.count(); ++place) {
      const uint64_t face = places.Face(place);
      greatest = std::max(greatest, face);
      if (place % step != 0) continue;
      EXPECT_EQ(Show(choice, face, false, [&] { return seen_.Place(choice, places); }), place);
    }
    Show(choice, greatest + 1, true, [&] { return seen_.Place(choice, places); });
    return next_.Place(choice, places);
  }

  uint64_t Number(Choice choice, const Numbers& numbers) override {
    asked.insert(choice);
    const spec::ChoiceInfo& info = spec::Info(choice);
    EXPECT_EQ(numbers.min(), info.min) << info.name;
    // ack-secondary is bounded by the open paths too.
    EXPECT_LE(numbers.max(), info.max) << info.name;
    if (choice != Choice::kAckSecondary) {
      EXPECT_EQ(numbers.max(), info.max) << info.name;
    }
    EXPECT_TRUE(numbers.Admits(numbers.by_default())) << info.name;
    const auto ask = [&] { return seen_.Number(choice, numbers); };
    EXPECT_EQ(Show(choice, numbers.by_default(), false, ask), numbers.by_default());
    Show(choice, numbers.max() + 1, true, ask);
    if (numbers.min() > 0) Show(choice, numbers.min() - 1, true, ask);
    return next_.Number(choice, numbers);
  }

  std::set<Choice> asked;

 private:
  template <typename Ask>
  uint64_t Show(Choice choice, uint64_t face, bool outside, Ask ask) {
    const spec::ChoiceInfo& info = spec::Info(choice);
    seen_.Clear();
    seen_.face = face;
    const uint64_t answer = ask();
    EXPECT_EQ(seen_.outside().has_value(), outside) << info.name << " " << face;
    if (outside && seen_.outside()) {
      const std::string clause(spec::Info(info.clause).id);
      EXPECT_NE(seen_.outside()->ToString().find(clause), std::string::npos);
    }
    return answer;
  }

  SeededChooser next_;
  Seen seen_;
};

TEST(ChoicesTest, EveryChoiceIsAskedWithTheDomainOfTheText) {
  std::set<Choice> asked;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    Scenario scenario(seed);
    Prober probers[2] = {Prober(seed), Prober(seed + 10000)};
    for (int side = 0; side < 2; ++side) scenario.pair().chooser[side] = &probers[side];
    scenario.Play();
    if (seed % 8 == 0) {
      // Somebody forgot everything; and silence until a PROBE asks whether anybody is there.
      scenario.pair().Restart(1);
      scenario.pair().Run(scenario.pair().now() + 2000000000);
    }
    for (const Prober& prober : probers) asked.insert(prober.asked.begin(), prober.asked.end());
  }
  // The choices of congestion control have no model yet.
  const std::set<Choice> later = {Choice::kHintAge, Choice::kPathCount, Choice::kReEntropy,
                                  Choice::kCongestionAlgorithm};
  for (const auto& named : spec::Named<Choice>::kAll) {
    EXPECT_EQ(asked.count(named.value) + later.count(named.value), 1u) << named.name;
  }
}

// Sends each ACK as late as its device declares.
class Latest : public Chooser {
 public:
  uint64_t Place(Choice, const Places&) override { return 0; }
  uint64_t Number(Choice choice, const Numbers& numbers) override {
    return choice == Choice::kAckMoment ? numbers.max() : numbers.by_default();
  }
};

//= PROFILE-LATENCY
//# `ack_max`: the same where the packet is an ACK.
TEST(ChoicesTest, AnAckMayBeAsLateAsItsDeviceDeclares) {
  Latest latest;
  testing::Pair::Options options;
  options.memory = 1 << 16;
  options.settings[1].ack_max = 6000;
  testing::Pair pair(options);
  pair.chooser[1] = &latest;
  Recorder recorder(&pair);
  ASSERT_TRUE(pair.Open());
  for (uint32_t i = 0; i < 40; ++i) pair.Post(0, testing::Pair::Write(i, 0, 700));
  pair.Run(pair.now() + 400000);
  const std::vector<uint8_t> file = recorder.Pcapng();
  const auto trace = ReadTrace(file, spec::constant::kUdpPort);
  ASSERT_TRUE(trace.ok()) << trace.status();
  Profiles profiles;
  ASSERT_TRUE(ReadProfile(trace->profile, &profiles).ok());
  const auto declared = Check(*trace, profiles);
  ASSERT_TRUE(declared.ok()) << declared.status();
  EXPECT_FALSE(declared->verdict.has_value()) << ToText(*declared);
  ASSERT_TRUE(ReadProfile("b.ack_max = 5999", &profiles).ok());
  const auto late = Check(*trace, profiles);
  ASSERT_TRUE(late.ok()) << late.status();
  ASSERT_TRUE(late->verdict.has_value());
  EXPECT_EQ(late->verdict->clause, spec::clause::kAckMoment) << ToText(*late);
}

}  // namespace
}  // namespace metaroce::check
