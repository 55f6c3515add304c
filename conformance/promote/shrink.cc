#include "conformance/promote/shrink.h"

#include <algorithm>
#include <utility>

#include "conformance/promote/retell.h"
#include "vectors/lint.h"

namespace metaroce::promote {
namespace {

using vectors::Vector;

// Where the stimuli of the vector stand.
std::vector<int> Groups(const Vector& vector) {
  std::vector<int> begins;
  for (int i = 0; i < vector.steps_size(); ++i) {
    if (vectors::IsStimulus(vector.steps(i))) begins.push_back(i);
  }
  return begins;
}

// Without the steps from `begin` to before `end`. What has no time of its own keeps the time that
// it had.
Told Without(const Vector& vector, const std::set<int>& made, int begin, int end) {
  Told told;
  for (const int i : made) {
    if (i < begin || i >= end) told.made.insert(i < begin ? i : i - (end - begin));
  }
  Vector& out = told.vector = vector;
  out.clear_steps();
  uint64_t time = 0;
  bool late = false;  // the next stimulus has no time, and lost the one in front of it
  for (int i = 0; i < vector.steps_size(); ++i) {
    const bool stimulus = vectors::IsStimulus(vector.steps(i));
    if (stimulus && vector.steps(i).has_at()) time = vector.steps(i).at();
    if (i >= begin && i < end) {
      late = late || (stimulus && vector.steps(i).has_at());
      continue;
    }
    vectors::Step& step = *out.add_steps() = vector.steps(i);
    if (!stimulus) continue;
    if (late && !step.has_at() && time > 0) step.set_at(time);
    late = false;
  }
  return told;
}

class Shrinker {
 public:
  Shrinker(const Vector& vector, const std::set<int>& made, const FirstThatFails& fails,
           const vectors::SpecIndex& index, const conformance::PacketCodec& codec)
      : fails_(fails), index_(index), codec_(codec) {
    shrunk_.vector = vector;
    shrunk_.made = made;
  }

  absl::StatusOr<Shrunk> Run(int last) {
    // What stands behind the failure, in one piece.
    std::vector<int> begins = Groups(shrunk_.vector);
    const auto behind = std::upper_bound(begins.begin(), begins.end(), last);
    if (behind != begins.end()) {
      auto cut = TryEach({{*behind, shrunk_.vector.steps_size()}});
      if (!cut.ok()) return cut.status();
    }
    for (size_t length = std::max<size_t>(1, Groups(shrunk_.vector).size() / 2);;) {
      auto gone = PassOverGroups(length);
      if (!gone.ok()) return gone.status();
      if (length > 1) {
        length /= 2;
      } else if (!*gone) {
        gone = PassOverExpectations();
        if (!gone.ok()) return gone.status();
        if (!*gone) break;
      }
    }
    return std::move(shrunk_);
  }

 private:
  using Piece = std::pair<int, int>;  // steps from, to before

  // Takes out one of the pieces, the first with which the device still fails. False if there is
  // none.
  absl::StatusOr<bool> TryEach(const std::vector<Piece>& pieces) {
    std::vector<Told> candidates;
    for (const Piece& piece : pieces) {
      if (auto candidate =
              Agreed(Without(shrunk_.vector, shrunk_.made, piece.first, piece.second))) {
        candidates.push_back(*std::move(candidate));
      }
    }
    if (candidates.empty()) return false;
    std::vector<const Vector*> all;
    for (const Told& candidate : candidates) all.push_back(&candidate.vector);
    shrunk_.attempts += static_cast<int>(all.size());
    const auto first = fails_(all);
    if (!first.ok()) return first.status();
    if (!first->has_value()) return false;
    shrunk_.vector = std::move(candidates[**first].vector);
    shrunk_.made = std::move(candidates[**first].made);
    return true;
  }

  // The candidate as it is if the model agrees with it, else told anew; nothing if that does not
  // help or makes it no smaller.
  std::optional<Told> Agreed(Told candidate) const {
    if (FaultOf(candidate.vector, index_, codec_).empty()) return candidate;
    auto told = Retold(candidate.vector, 0, index_, codec_, candidate.made);
    if (!told.ok() || told->vector.steps_size() >= shrunk_.vector.steps_size()) return std::nullopt;
    if (!FaultOf(told->vector, index_, codec_).empty()) return std::nullopt;
    return *std::move(told);
  }

  // Takes out runs of `length` stimuli with what is expected behind them. True if one went.
  absl::StatusOr<bool> PassOverGroups(size_t length) {
    bool any = false;
    for (;;) {
      std::vector<int> begins = Groups(shrunk_.vector);
      if (begins.size() <= 1) return any;
      begins.push_back(shrunk_.vector.steps_size());
      std::vector<Piece> pieces;
      for (size_t i = 0; i + 1 < begins.size(); i += length) {
        pieces.emplace_back(begins[i], begins[std::min(i + length, begins.size() - 1)]);
      }
      const auto gone = TryEach(pieces);
      if (!gone.ok() || !*gone) return gone.ok() ? absl::StatusOr<bool>(any) : gone;
      any = true;
    }
  }

  absl::StatusOr<bool> PassOverExpectations() {
    std::vector<Piece> pieces;
    for (int i = 0; i < shrunk_.vector.steps_size(); ++i) {
      if (!vectors::IsStimulus(shrunk_.vector.steps(i))) pieces.emplace_back(i, i + 1);
    }
    return TryEach(pieces);
  }

  const FirstThatFails& fails_;
  const vectors::SpecIndex& index_;
  const conformance::PacketCodec& codec_;
  Shrunk shrunk_;
};

}  // namespace

absl::StatusOr<Shrunk> Shrink(const Vector& vector, const std::set<int>& made, int last,
                              const FirstThatFails& fails, const vectors::SpecIndex& index,
                              const conformance::PacketCodec& codec) {
  return Shrinker(vector, made, fails, index, codec).Run(last);
}

}  // namespace metaroce::promote
