// Where the text leaves a freedom, a chooser takes a value of its domain (chapter 14).
//
// The model asks only where there is more than one value, and names them 0..count-1 in the order
// that the text gives; 0 is the default. Without a chooser (a null pointer) the model takes the
// default and does not even count the domain.
#ifndef METAROCE_MODEL_CHOOSER_H_
#define METAROCE_MODEL_CHOOSER_H_

#include <cstdint>

#include "spec/tables.h"

namespace metaroce {

class Chooser {
 public:
  virtual ~Chooser() = default;

  // A place in a domain of `count` (2 or more) values in the order of the text. Returns less than
  // `count`.
  virtual uint64_t Place(spec::Choice choice, uint64_t count) = 0;

  // A number from `min` to `max` (min < max), `by_default` being the default.
  virtual uint64_t Number(spec::Choice choice, uint64_t min, uint64_t max, uint64_t by_default) = 0;
};

// The two calls with the fast path for the default in front.
inline uint64_t ChoosePlace(Chooser* chooser, spec::Choice choice, uint64_t count) {
  if (chooser == nullptr || count < 2) return 0;
  return chooser->Place(choice, count);
}
inline uint64_t ChooseNumber(Chooser* chooser, spec::Choice choice, uint64_t min, uint64_t max,
                             uint64_t by_default) {
  if (chooser == nullptr || min >= max) return by_default;
  return chooser->Number(choice, min, max, by_default);
}

}  // namespace metaroce

#endif  // METAROCE_MODEL_CHOOSER_H_
