// Work for a pair: every kind of work request, and dice.
#ifndef METAROCE_MODEL_TESTING_WORK_H_
#define METAROCE_MODEL_TESTING_WORK_H_

#include <cstdint>

#include "model/testing/pair.h"

namespace metaroce::testing {

// Numbers that follow from a seed.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed * 2 + 1) {}
  uint32_t Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33);
  }
  // 0 to n - 1.
  uint32_t Below(uint32_t n) { return Next() % n; }
  bool Of(uint32_t per_ten_thousand) { return Next() % 10000 < per_ten_thousand; }

 private:
  uint64_t state_;
};

// Options of a pair with an MTU of 256 bytes and `paths` paths in each direction, all wanted.
Pair::Options Small(uint32_t paths, bool codec = false);

// Posts `count` work requests at each side, of every kind in turn, on five streams, some fenced;
// and as many receives.
void PostEveryKind(Pair& pair, uint32_t count);

// Every work request that PostEveryKind posted is complete with success at both sides, and both
// connections are OPEN.
bool AllSucceeded(Pair& pair, uint32_t count);

}  // namespace metaroce::testing

#endif  // METAROCE_MODEL_TESTING_WORK_H_
