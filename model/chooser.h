// Where the text leaves a freedom, a chooser takes a value of its domain (chapter 14).
//
// A chooser is asked with the domain as it stands at that moment: places, in the order of the text,
// of which 0 is the default; or numbers. Each value has a face, which is what a peer sees of it by
// `determined_by`. Without a chooser (a null pointer) the model takes the default and does not even
// count the domain.
#ifndef METAROCE_MODEL_CHOOSER_H_
#define METAROCE_MODEL_CHOOSER_H_

#include <cstdint>
#include <optional>

#include "model/serial.h"
#include "spec/tables.h"

namespace metaroce {

// A domain of places 0..count-1.
class Places {
 public:
  explicit Places(uint64_t count) : count_(count) {}
  virtual ~Places() = default;

  uint64_t count() const { return count_; }
  // The face of the value at a place: different for each.
  virtual uint64_t Face(uint64_t place) const { return place; }
  // The place of the value with this face, if it is in the domain.
  virtual std::optional<uint64_t> Find(uint64_t face) const {
    for (uint64_t place = 0; place < count_; ++place) {
      if (Face(place) == face) return place;
    }
    return std::nullopt;
  }

 private:
  uint64_t count_;
};

// A domain of numbers: those of min..max that are admitted. Their faces are the numbers.
class Numbers {
 public:
  Numbers(uint64_t min, uint64_t max, uint64_t by_default)
      : min_(min), max_(max), default_(by_default) {}
  virtual ~Numbers() = default;

  uint64_t min() const { return min_; }
  uint64_t max() const { return max_; }
  uint64_t by_default() const { return default_; }
  virtual bool Admits(uint64_t number) const { return number >= min_ && number <= max_; }

 private:
  uint64_t min_;
  uint64_t max_;
  uint64_t default_;
};

class Chooser {
 public:
  virtual ~Chooser() = default;

  // Returns less than places.count(), which is 1 or more.
  virtual uint64_t Place(spec::Choice choice, const Places& places) = 0;

  // Returns a number that is admitted; the default is.
  virtual uint64_t Number(spec::Choice choice, const Numbers& numbers) = 0;
};

// The face of a value that is a packet of a message or of a path.
constexpr uint64_t FaceOf(uint16_t stream, Msn msn) { return uint64_t{stream} << 32 | msn.value(); }
constexpr uint64_t FaceOf(uint8_t path, PathSeq sequence) {
  return uint64_t{path} << 32 | sequence.value();
}

// Asks for one of `count` places with the faces face(0), face(1), ...
template <typename F>
uint64_t ChoosePlace(Chooser* chooser, spec::Choice choice, uint64_t count, F face) {
  if (chooser == nullptr) [[likely]]
    return 0;
  class Domain : public Places {
   public:
    Domain(uint64_t count, F& face) : Places(count), face_(face) {}
    uint64_t Face(uint64_t place) const override { return face_(place); }

   private:
    F& face_;
  };
  return chooser->Place(choice, Domain(count, face));
}
// The same for a choice of the names of the text: their faces are their places.
inline uint64_t ChooseName(Chooser* chooser, spec::Choice choice) {
  if (chooser == nullptr) [[likely]]
    return 0;
  return chooser->Place(choice, Places(spec::Info(choice).names.size()));
}
inline uint64_t ChooseNumber(Chooser* chooser, spec::Choice choice, uint64_t min, uint64_t max,
                             uint64_t by_default) {
  if (chooser == nullptr) [[likely]]
    return by_default;
  return chooser->Number(choice, Numbers(min, max, by_default));
}

}  // namespace metaroce

#endif  // METAROCE_MODEL_CHOOSER_H_
