#include "model/choosers/choosers.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace metaroce {
namespace {

using spec::Choice;

class Even : public Numbers {
 public:
  Even() : Numbers(0, 100, 4) {}
  bool Admits(uint64_t n) const override { return Numbers::Admits(n) && n % 2 == 0; }
};

TEST(DefaultTest, WithoutAChooserNoDomainIsLookedAt) {
  const auto fail = [](uint64_t) -> uint64_t {
    ADD_FAILURE();
    return 0;
  };
  EXPECT_EQ(ChoosePlace(nullptr, Choice::kNextPath, 9, fail), 0u);
  EXPECT_EQ(ChooseName(nullptr, Choice::kAckEarly), 0u);
  EXPECT_EQ(ChooseNumber(nullptr, Choice::kAckMoment, 5, 1000, 7), 7u);
}

TEST(SeededTest, TheSameSeedGivesTheSameAnswersAndAnotherSeedOthers) {
  const auto draw = [](uint64_t seed) {
    SeededChooser chooser(seed);
    std::vector<uint64_t> all;
    for (int i = 0; i < 50; ++i) {
      all.push_back(chooser.Place(Choice::kNextPath, Places(1000)));
      all.push_back(chooser.Number(Choice::kCid, Numbers(1, 1 << 24, 1)));
    }
    return all;
  };
  EXPECT_EQ(draw(3), draw(3));
  EXPECT_NE(draw(3), draw(4));
}

TEST(SeededTest, AnswersAreLegalAndNumbersLieOftenAtTheEdges) {
  SeededChooser chooser(1);
  std::map<uint64_t, int> numbers;
  std::set<uint64_t> places;
  for (int i = 0; i < 6000; ++i) {
    places.insert(chooser.Place(Choice::kPlane, Places(3)));
    const uint64_t n = chooser.Number(Choice::kAckMoment, Numbers(10, 100000, 500));
    ASSERT_GE(n, 10u);
    ASSERT_LE(n, 100000u);
    ++numbers[n];
    ASSERT_EQ(chooser.Number(Choice::kAckMoment, Even()) % 2, 0u);
    (void)chooser.Number(Choice::kStartSequence, Numbers(0, UINT64_MAX, 0));
  }
  EXPECT_EQ(places, (std::set<uint64_t>{0, 1, 2}));
  EXPECT_GT(numbers[10], 500);
  EXPECT_GT(numbers[500], 500);
  EXPECT_GT(numbers[100000], 500);
  EXPECT_GT(numbers.size(), 2000u);
}

TEST(ScriptedTest, TakesWhatTheScriptSays) {
  ScriptedChooser chooser({{Choice::kNextPath, 7}, {Choice::kAckMoment, 20}});
  const std::vector<uint8_t> paths = {3, 9, 7};
  EXPECT_EQ(ChoosePlace(&chooser, Choice::kNextPath, 3, [&](uint64_t i) { return paths[i]; }), 2u);
  EXPECT_FALSE(chooser.Finish().ok());
  EXPECT_EQ(ChooseNumber(&chooser, Choice::kAckMoment, 0, 1000, 0), 20u);
  EXPECT_TRUE(chooser.Finish().ok());
}

TEST(ScriptedTest, WhatDoesNotFitIsAnErrorWithTheLine) {
  ScriptedChooser other({{Choice::kNextPath, 7}});
  EXPECT_EQ(ChooseNumber(&other, Choice::kAckMoment, 0, 1000, 5), 5u);
  EXPECT_EQ(other.status().message(),
            "Line 1 of the script is for next-path; ack-moment was asked.");

  ScriptedChooser place({{Choice::kPlane, 2}});
  EXPECT_EQ(place.Place(Choice::kPlane, Places(2)), 0u);
  EXPECT_EQ(place.status().message(),
            "Line 1 of the script takes 2 for plane, which is none of its 2 values.");

  ScriptedChooser number({{Choice::kAckMoment, 1001}});
  EXPECT_EQ(ChooseNumber(&number, Choice::kAckMoment, 0, 1000, 0), 0u);
  EXPECT_EQ(number.status().message(),
            "Line 1 of the script takes 1001 for ack-moment, which is not admitted between 0 and "
            "1000.");

  ScriptedChooser none({});
  EXPECT_EQ(none.Place(Choice::kPlane, Places(2)), 0u);
  EXPECT_EQ(none.Finish().message(), "The script has 0 lines; then plane was asked.");
}

// A step with choices that depend on each other.
std::vector<uint64_t> Step(Chooser& chooser) {
  std::vector<uint64_t> taken;
  taken.push_back(chooser.Place(Choice::kNextPath, Places(3)));
  if (taken[0] == 1) taken.push_back(chooser.Place(Choice::kPlane, Places(2)));
  taken.push_back(chooser.Number(Choice::kAckMoment, Numbers(0, 2, 1)));
  return taken;
}

TEST(EnumeratingTest, TakesEachCombinationOnceAndTheDefaultsFirst) {
  EnumeratingChooser chooser;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::vector<uint64_t>> all;
    do {
      all.push_back(Step(chooser));
    } while (chooser.Next());
    EXPECT_EQ(all.front(), (std::vector<uint64_t>{0, 1}));
    EXPECT_EQ(all.size(), 3u + 6 + 3);
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
  }
}

TEST(EnumeratingTest, GreatDomainsGiveTheDefaultAndTheEdges) {
  EnumeratingChooser chooser;
  std::vector<uint64_t> numbers;
  do {
    numbers.push_back(chooser.Number(Choice::kStartSequence, Numbers(0, UINT32_MAX, 9)));
  } while (chooser.Next());
  EXPECT_EQ(numbers, (std::vector<uint64_t>{9, 0, UINT32_MAX}));
  std::vector<uint64_t> twice;
  do {
    twice.push_back(chooser.Number(Choice::kStartSequence, Numbers(0, UINT32_MAX, 0)));
  } while (chooser.Next());
  EXPECT_EQ(twice, (std::vector<uint64_t>{0, UINT32_MAX}));
  std::vector<uint64_t> places;
  do {
    places.push_back(chooser.Place(Choice::kEntropy, Places(16384)));
  } while (chooser.Next());
  EXPECT_EQ(places, (std::vector<uint64_t>{0, 1, 16383}));
}

class Seen : public ObservedChooser {
 public:
  std::optional<uint64_t> face;

 protected:
  std::optional<uint64_t> Shown(Choice) override { return face; }
};

// Every choice of the text that the model leaves to a chooser, with a value just outside of its
// domain.
//
//= CHOICE-NAMED
//# A behaviour outside of every domain breaks the clause that the choice names.
TEST(ObservedTest, AValueJustOutsideOfADomainFailsAndNamesTheClause) {
  Seen seen;
  for (const auto& named : spec::Named<Choice>::kAll) {
    const spec::ChoiceInfo& info = spec::Info(named.value);
    const bool places =
        !info.names.empty() || info.upper == spec::Upper::kExpression || info.name == "entropy";
    const uint64_t count = !info.names.empty() ? info.names.size() : 4;
    for (uint64_t beyond : {0, 1}) {
      seen.Clear();
      if (places) {
        seen.face = count - 1 + beyond;
        const uint64_t place = seen.Place(named.value, Places(count));
        EXPECT_EQ(place, beyond ? 0 : count - 1);
      } else {
        seen.face = info.max + beyond;
        const uint64_t number =
            seen.Number(named.value, Numbers(info.min, info.max, info.default_value));
        EXPECT_EQ(number, beyond ? info.default_value : info.max);
      }
      ASSERT_EQ(seen.outside().has_value(), beyond == 1) << info.name;
      if (!beyond) continue;
      EXPECT_EQ(seen.outside()->choice, named.value);
      const std::string sentence = seen.outside()->ToString();
      const std::string clause(spec::Info(info.clause).id);
      EXPECT_NE(sentence.find("[" + clause + "]"), std::string::npos) << sentence;
    }
    if (places || info.min == 0) continue;
    seen.Clear();
    seen.face = info.min - 1;
    (void)seen.Number(named.value, Numbers(info.min, info.max, info.default_value));
    EXPECT_TRUE(seen.outside().has_value()) << info.name;
  }
}

TEST(ObservedTest, WhatWasNotSeenTakesTheDefault) {
  Seen seen;
  EXPECT_EQ(seen.Place(Choice::kNextPath, Places(4)), 0u);
  EXPECT_EQ(seen.Number(Choice::kAckMoment, Numbers(0, 10, 3)), 3u);
  EXPECT_FALSE(seen.outside().has_value());
  seen.face = 5;
  EXPECT_EQ(seen.Number(Choice::kAckMoment, Even()), 4u);
  EXPECT_EQ(seen.outside()->ToString(),
            "The choice ack-moment [ACK-MOMENT] shows 5, which is not admitted between 0 and 100.");
}

}  // namespace
}  // namespace metaroce
