// All vectors of a tree, or some, against one device.
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
#include "conformance/dut/dut.h"
#include "conformance/play/codec.h"
#include "conformance/report/report.h"
#include "conformance/report/waivers.h"
#include "conformance/runner/selection.h"
#include "conformance/runner/workers.h"
#include "vectors/manifest.h"
#include "vectors/spec_index.h"

namespace metaroce::conformance {

struct ReplayOptions {
  Selection selection;
  std::vector<Waiver> waivers;
  std::string today = "0001-01-01";  // YYYY-MM-DD, for the waivers' expiry
  // No vector is begun after one, in the order of the tree, that fails without a waiver. The report
  // holds that one and all before it.
  bool fail_fast = false;
  // Called after each vector with how many were played, how many are selected, and its id.
  std::function<void(size_t, size_t, const std::string&)> progress;
};

// Plays what the options select, in the order of the tree and in this process. `codec` may be null:
// vectors that give packets by fields are then a HARNESS_ERROR. InvalidArgumentError if the
// selection names what is not there, a waiver names no vector or no clause, or `today` is no day;
// the error of Dut::Start if the first start fails. All else is in the report.
absl::StatusOr<Report> Replay(const vectors::Tree& tree, const vectors::SpecIndex& index,
                              const PacketCodec* codec, Dut& dut, const ReplayOptions& options);

// The same with workers; the report is the same, but for real time, however many they are. Of a run
// that is interrupted it holds what was played until then. `workers.stops` is not looked at.
absl::StatusOr<Report> Replay(const vectors::Tree& tree, const vectors::SpecIndex& index,
                              const PacketCodec* codec, const MakeDut& make,
                              const WorkerOptions& workers, const ReplayOptions& options);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_RUNNER_REPLAY_H_
