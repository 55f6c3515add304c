#include "model/choosers/choosers.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "model/check.h"

namespace metaroce {
namespace {

std::string NameOf(spec::Choice choice) { return std::string(spec::Info(choice).name); }

// At most three different numbers of a domain that is too great to take all: the default and the
// edges.
struct Few {
  std::array<uint64_t, 3> numbers;
  uint64_t count = 0;

  void Add(const Numbers& domain, uint64_t number) {
    if (!domain.Admits(number)) return;
    if (std::find(numbers.begin(), numbers.begin() + count, number) != numbers.begin() + count) {
      return;
    }
    numbers[count++] = number;
  }
};

// The number at `place`: the default first, the others ascending. Or the count of them, if place is
// beyond.
uint64_t Small(const Numbers& domain, uint64_t place, bool* is_count) {
  *is_count = false;
  if (place == 0) return domain.by_default();
  uint64_t seen = 1;
  for (uint64_t n = domain.min();; ++n) {
    if (n != domain.by_default() && domain.Admits(n) && seen++ == place) return n;
    if (n == domain.max()) break;
  }
  *is_count = true;
  return seen;
}

}  // namespace

uint64_t SeededChooser::Draw() {
  // SplitMix64.
  state_ += 0x9E3779B97F4A7C15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

uint64_t SeededChooser::Below(uint64_t bound) {
  return bound == 0 ? Draw() : Draw() % bound;  // 0 stands for 2^64
}

uint64_t SeededChooser::Place(spec::Choice, const Places& places) {
  return places.count() < 2 ? 0 : Below(places.count());
}

uint64_t SeededChooser::Number(spec::Choice, const Numbers& numbers) {
  const uint64_t kind = Below(6);
  uint64_t number = numbers.by_default();
  if (kind == 0) number = numbers.min();
  if (kind == 1) number = numbers.max();
  if (kind > 2) number = numbers.min() + Below(numbers.max() - numbers.min() + 1);
  return numbers.Admits(number) ? number : numbers.by_default();
}

void ScriptedChooser::Refuse(const std::string& sentence) {
  if (status_.ok()) status_ = absl::FailedPreconditionError(sentence);
}

std::optional<uint64_t> ScriptedChooser::Next(spec::Choice choice) {
  if (!status_.ok()) return std::nullopt;
  if (at_ == script_.size()) {
    Refuse(absl::StrCat("The script has ", script_.size(), " lines; then ", NameOf(choice),
                        " was asked."));
    return std::nullopt;
  }
  const Line& line = script_[at_++];
  if (line.choice != choice) {
    Refuse(absl::StrCat("Line ", at_, " of the script is for ", NameOf(line.choice), "; ",
                        NameOf(choice), " was asked."));
    return std::nullopt;
  }
  return line.face;
}

uint64_t ScriptedChooser::Place(spec::Choice choice, const Places& places) {
  const std::optional<uint64_t> face = Next(choice);
  if (!face) return 0;
  if (const std::optional<uint64_t> place = places.Find(*face)) return *place;
  Refuse(absl::StrCat("Line ", at_, " of the script takes ", *face, " for ", NameOf(choice),
                      ", which is none of its ", places.count(), " values."));
  return 0;
}

uint64_t ScriptedChooser::Number(spec::Choice choice, const Numbers& numbers) {
  const std::optional<uint64_t> face = Next(choice);
  if (!face) return numbers.by_default();
  if (numbers.Admits(*face)) return *face;
  Refuse(absl::StrCat("Line ", at_, " of the script takes ", *face, " for ", NameOf(choice),
                      ", which is not admitted between ", numbers.min(), " and ", numbers.max(),
                      "."));
  return numbers.by_default();
}

absl::Status ScriptedChooser::Finish() const {
  if (!status_.ok() || at_ == script_.size()) return status_;
  return absl::FailedPreconditionError(
      absl::StrCat("The script has ", script_.size(), " lines; only ", at_, " were asked for."));
}

uint64_t EnumeratingChooser::Take(uint64_t count) {
  if (met_ == taken_.size()) taken_.push_back({0, count});
  // The same step from the same state asks the same questions.
  METAROCE_CHECK(taken_[met_].count == count);
  return taken_[met_++].place;
}

uint64_t EnumeratingChooser::Place(spec::Choice, const Places& places) {
  const uint64_t count = places.count();
  if (count <= kMost) return Take(count);
  const uint64_t taken = Take(3);
  return taken == 2 ? count - 1 : taken;
}

uint64_t EnumeratingChooser::Number(spec::Choice, const Numbers& numbers) {
  if (numbers.max() - numbers.min() < kMost) {
    bool is_count;
    const uint64_t count = Small(numbers, UINT64_MAX, &is_count);
    return Small(numbers, Take(count), &is_count);
  }
  Few few;
  few.Add(numbers, numbers.by_default());
  few.Add(numbers, numbers.min());
  few.Add(numbers, numbers.max());
  return few.numbers[Take(few.count)];
}

bool EnumeratingChooser::Next() {
  // What was not met this time belongs to a combination before.
  taken_.resize(met_, Taken{0, 1});
  met_ = 0;
  while (!taken_.empty()) {
    if (++taken_.back().place < taken_.back().count) return true;
    taken_.pop_back();
  }
  return false;
}

std::string ObservedChooser::Outside::ToString() const {
  const spec::ChoiceInfo& info = spec::Info(choice);
  const std::string clause(spec::Info(info.clause).id);
  std::string domain = count > 0
                           ? absl::StrCat("none of the ", count, count == 1 ? " value" : " values",
                                          " that it may have")
                           : absl::StrCat("not admitted between ", min, " and ", max);
  return absl::StrCat("The choice ", std::string(info.name), " [", clause, "] shows ", face,
                      ", which is ", domain, ".");
}

uint64_t ObservedChooser::Place(spec::Choice choice, const Places& places) {
  const std::optional<uint64_t> face = Shown(choice);
  if (!face) return 0;
  if (const std::optional<uint64_t> place = places.Find(*face)) return *place;
  if (!outside_) outside_ = Outside{choice, *face, places.count(), 0, 0};
  return 0;
}

uint64_t ObservedChooser::Number(spec::Choice choice, const Numbers& numbers) {
  const std::optional<uint64_t> face = Shown(choice);
  if (!face) return numbers.by_default();
  if (numbers.Admits(*face)) return *face;
  if (!outside_) outside_ = Outside{choice, *face, 0, numbers.min(), numbers.max()};
  return numbers.by_default();
}

}  // namespace metaroce
