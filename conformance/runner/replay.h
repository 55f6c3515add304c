// All vectors of a tree against one device.
//
// The device is started, plays the vectors one after another, and is started anew when it breaks.
// It costs at most one vector each time: what it does after a vector's last answer is held against
// that vector, and the next one begins with a fresh device (CONF-DEATH, CONF-SURPLUS).
#ifndef METAROCE_CONFORMANCE_RUNNER_REPLAY_H_
#define METAROCE_CONFORMANCE_RUNNER_REPLAY_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/runner/codec.h"
#include "conformance/runner/dut.h"
#include "conformance/runner/report.h"
#include "conformance/runner/waivers.h"
#include "vectors/manifest.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

struct ReplayOptions {
  std::vector<std::string> only;       // ids, or beginnings of ids with '*' behind; empty: all
  std::vector<vectors::Level> levels;  // empty: all
  std::vector<Waiver> waivers;
  std::string today = "0001-01-01";  // YYYY-MM-DD, for the waivers' expiry
  // Called before each vector with its number from 0 and how many there are.
  std::function<void(size_t, size_t, const std::string&)> progress;
};

// Plays what the options select, in the order of the tree. `codec` may be null: vectors that give
// packets by fields are then a HARNESS_ERROR. InvalidArgumentError if `only` names no vector, a
// waiver names none, or `today` is no day; the error of Dut::Start if the first start fails. All
// else is in the report.
absl::StatusOr<Report> Replay(const vectors::Tree& tree, const vectors::SpecIndex& index,
                              const PacketCodec* codec, Dut& dut, const ReplayOptions& options);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_RUNNER_REPLAY_H_
