// Random connections of the model with itself: every operation, both roles, every legal choice, and
// a network that drops, delays, doubles, and loses paths.
#ifndef METAROCE_CONFORMANCE_CHECK_TESTING_SCENARIO_H_
#define METAROCE_CONFORMANCE_CHECK_TESTING_SCENARIO_H_

#include <cstdint>
#include <memory>

#include "conformance/check/testing/recorder.h"
#include "model/choosers/choosers.h"
#include "model/testing/pair.h"

namespace metaroce::check {

class Scenario {
 public:
  explicit Scenario(uint64_t seed);

  // Plays it to its end. The recorder then holds what both sides saw.
  void Play();

  Recorder& recorder() { return *recorder_; }
  testing::Pair& pair() { return *pair_; }

 private:
  uint64_t Draw();
  uint64_t Below(uint64_t bound) { return Draw() % bound; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  testing::Pair::Options Options();
  testing::Fate FateOf(int from, Route route);
  void Work(int side);
  void Operate(int side);

  uint64_t state_;
  bool choices_;
  uint64_t drops_;  // of 1000
  uint64_t delays_;
  uint64_t copies_;
  uint64_t marks_;
  struct Death {
    uint16_t entropy = 0;
    int from = 2;  // 2: both directions
    Nanoseconds until = 0;
  };
  Death death_;
  uint64_t works_ = 0;
  uint16_t streams_;
  SeededChooser choosers_[2];
  std::unique_ptr<testing::Pair> pair_;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace metaroce::check

#endif  // METAROCE_CONFORMANCE_CHECK_TESTING_SCENARIO_H_
