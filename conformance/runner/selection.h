// Which vectors a run plays.
#ifndef METAROCE_CONFORMANCE_RUNNER_SELECTION_H_
#define METAROCE_CONFORMANCE_RUNNER_SELECTION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/runner/suites.h"
#include "vectors/manifest.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

// One of several runs that share the work: part `index` of `count`, from 1.
struct Shard {
  size_t index = 1;
  size_t count = 1;
};

// Reads "2/4". InvalidArgumentError if it is not a part of a whole of at most 1000.
absl::StatusOr<Shard> ParseShard(absl::string_view text);

// A vector is selected if it is named by each list that is not empty.
struct Selection {
  std::vector<std::string> only;       // ids, or beginnings of ids with '*' behind
  std::vector<std::string> suites;     // names of suites
  std::vector<vectors::Level> levels;  // of the vectors
  Shard shard;
};

// "codec".
std::string LevelName(vectors::Level level);
// "codec/deep/id.json" -> "id".
std::string Stem(absl::string_view path);

// InvalidArgumentError if `only` names no vector of the tree, or there is no such suite: then with
// the list of those that there are.
absl::Status CheckSelection(const Selection& selection, const vectors::Tree& tree,
                            const Suites& suites);

struct Selected {
  std::vector<const vectors::StoredVector*> vectors;  // in the order of the tree
  std::vector<const vectors::Unreadable*> unreadable;
};

// What the lists name, and of that every `shard.count`-th: the same vectors of the same tree on
// every machine. A file that cannot be read belongs to no suite but to every run without one.
Selected Select(const Selection& selection, const vectors::Tree& tree, const Suites& suites);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_RUNNER_SELECTION_H_
