// Who answers where the text leaves a freedom: by a seed, by a script, by taking all values one
// after the other, or by what a device under test was seen to do. The default needs none of them: a
// null pointer (model/chooser.h).
#ifndef METAROCE_MODEL_CHOOSERS_CHOOSERS_H_
#define METAROCE_MODEL_CHOOSERS_CHOOSERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/chooser.h"
#include "spec/tables.h"

namespace metaroce {

// A legal value at random. The same seed and the same questions give the same answers. Of numbers
// every second is an edge of the domain or the default.
class SeededChooser : public Chooser {
 public:
  explicit SeededChooser(uint64_t seed) : state_(seed) {}

  uint64_t Place(spec::Choice choice, const Places& places) override;
  uint64_t Number(spec::Choice choice, const Numbers& numbers) override;

 private:
  uint64_t Draw();
  // 0..bound-1.
  uint64_t Below(uint64_t bound);

  uint64_t state_;
};

// The answers of a list, each a choice and the face of its value. What does not fit is an error,
// and from there on the default is taken.
class ScriptedChooser : public Chooser {
 public:
  struct Line {
    spec::Choice choice;
    uint64_t face;
  };
  explicit ScriptedChooser(std::vector<Line> script) : script_(std::move(script)) {}

  uint64_t Place(spec::Choice choice, const Places& places) override;
  uint64_t Number(spec::Choice choice, const Numbers& numbers) override;

  // OK if all questions so far had their line; otherwise FailedPreconditionError with the line
  // (from 1) and what was asked.
  const absl::Status& status() const { return status_; }
  // The same, and every line was used.
  absl::Status Finish() const;

 private:
  // The face that the next line gives to `choice`.
  std::optional<uint64_t> Next(spec::Choice choice);
  void Refuse(const std::string& sentence);

  std::vector<Line> script_;
  size_t at_ = 0;
  absl::Status status_;
};

// All combinations of the choices that one step meets:
//
//   do {
//     <the step, from the same state>
//   } while (chooser.Next());
//
// The first combination is that of the defaults. Domains of more than kMost values give the default
// and the two edges. Does not allocate once it has met as many choices as it will meet.
class EnumeratingChooser : public Chooser {
 public:
  static constexpr uint64_t kMost = 16;

  uint64_t Place(spec::Choice choice, const Places& places) override;
  uint64_t Number(spec::Choice choice, const Numbers& numbers) override;

  // Goes on to the next combination. False, and all begins anew, if there was none left.
  bool Next();

  // How many questions the running combination has met.
  size_t met() const { return met_; }

 private:
  // Which of `count` values is taken now.
  uint64_t Take(uint64_t count);

  struct Taken {
    uint64_t place;
    uint64_t count;
  };
  std::vector<Taken> taken_;
  size_t met_ = 0;
};

// What a device did: a face outside of the domain is the verdict. Where nothing was seen yet that
// shows the value, the default is taken.
class ObservedChooser : public Chooser {
 public:
  // A face that is not in the domain of its choice.
  struct Outside {
    spec::Choice choice;
    uint64_t face;
    uint64_t count;                // places; 0 if the domain is of numbers
    uint64_t min;                  // numbers
    uint64_t max;                  // numbers
    std::string ToString() const;  // one sentence: choice, clause, value, domain
  };

  uint64_t Place(spec::Choice choice, const Places& places) override;
  uint64_t Number(spec::Choice choice, const Numbers& numbers) override;

  // The first one since the last call of Clear.
  const std::optional<Outside>& outside() const { return outside_; }
  void Clear() { outside_.reset(); }

 protected:
  // The face that the device's packets show.
  virtual std::optional<uint64_t> Shown(spec::Choice choice) = 0;

 private:
  std::optional<Outside> outside_;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_CHOOSERS_CHOOSERS_H_
