// Breadth first through all positions of a scenario.
#ifndef METAROCE_FUZZ_EXPLORE_SEARCH_H_
#define METAROCE_FUZZ_EXPLORE_SEARCH_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "fuzz/explore/hash.h"
#include "fuzz/explore/scenario.h"
#include "fuzz/explore/world.h"

namespace metaroce::explore {

enum class Verdict : uint8_t {
  kHolds,      // all positions were seen, and nothing is wrong in any
  kProblem,    // a step breaks a rule
  kDeadlock,   // nothing can happen any more, and the work is not done
  kStuck,      // whatever happens from here, the work is never done
  kNotHit,     // a clause that the scenario is about was never used
  kUnfinished  // a limit was reached
};
const char* Name(Verdict verdict);

struct Progress {
  uint64_t positions = 0;  // seen so far
  uint64_t expanded = 0;
  uint64_t steps = 0;  // taken from them
  uint64_t frontier = 0;
  uint32_t depth = 0;
};

struct Limits {
  uint64_t positions = 1'500'000'000;
  // Called now and then; returns false to stop.
  std::function<bool(const Progress&)> tick;
};

struct Result {
  Verdict verdict = Verdict::kUnfinished;
  std::string problem;
  Progress progress;
  uint64_t done = 0;            // positions in which all work is done
  size_t largest_position = 0;  // bytes
  size_t largest_side = 0;
  uint64_t side_states = 0;
  // The shortest way to the problem, a line or more an event, and how many events it has.
  std::vector<std::string> history;
  std::string state[2];  // of the sides at its end, in words
  // What the sides were given until then, from the handshake on.
  std::vector<World::Stimulus> inputs;
};

// Positions by number: told apart by their hash, with the way on which each was first met.
class Seen {
 public:
  Seen() : slots_(1 << 16, 0) {}

  // The number of the position of this hash, and whether it is new.
  std::pair<uint32_t, bool> Add(const Hash128& hash, uint32_t parent, uint32_t action);

  uint32_t size() const { return static_cast<uint32_t>(hashes_.size()); }
  uint32_t parent(uint32_t n) const { return parents_[n]; }
  uint32_t action(uint32_t n) const { return actions_[n]; }

 private:
  friend class Search;
  void Grow();

  std::vector<uint32_t> slots_;  // number + 1
  std::vector<Hash128> hashes_;
  std::vector<uint32_t> parents_;
  std::vector<uint32_t> actions_;
};

class Search {
 public:
  explicit Search(World* world);

  // Goes on until all is seen, something is wrong, or a limit is reached.
  void Run(const Limits& limits);
  const Progress& progress() const { return result_.progress; }
  // What was found. Looks for positions that are stuck if all was seen.
  Result Finish();

  // Everything, so that a search can go on in another process. InvalidArgumentError if the file
  // cannot be written; or if it is not what SaveTo wrote of the same text, preset and model.
  absl::Status SaveTo(const std::string& path) const;
  absl::Status LoadFrom(const std::string& path);

 private:
  void Expand(uint32_t number, const Position& position);
  void Fail(Verdict verdict, std::string problem, uint32_t number);
  std::vector<uint32_t> WayTo(uint32_t number) const;
  void FindStuck();

  World& world_;
  Result result_;
  Seen seen_;
  std::string frontier_;       // encoded positions of this depth, each with its length in front
  size_t frontier_at_ = 0;     // the next to expand
  uint32_t next_number_ = 0;   // its number
  std::string next_frontier_;  // of the next depth
  std::vector<uint64_t> edges_begin_;  // by number, of those expanded
  std::vector<uint32_t> edges_;
  std::vector<bool> done_;
  std::vector<Action> actions_;
  std::string encoded_;
  bool failed_ = false;
  std::vector<uint32_t> way_;  // to the problem
};

}  // namespace metaroce::explore

#endif  // METAROCE_FUZZ_EXPLORE_SEARCH_H_
