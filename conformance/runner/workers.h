// Vectors played by several processes at once, each with a device of its own.
//
// The runner forks its workers before anything else runs in parallel, and they take the vectors one
// after another. So it does not matter to a run what becomes of a worker: a device that is a
// library in the worker may crash it, hang in it or end it, and that costs the vector it was asked
// (CONF-DEATH). The verdicts do not depend on how many there are.
#ifndef METAROCE_CONFORMANCE_RUNNER_WORKERS_H_
#define METAROCE_CONFORMANCE_RUNNER_WORKERS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "conformance/dut/dut.h"
#include "conformance/play/codec.h"
#include "conformance/runner/session.h"
#include "vectors/manifest.h"
#include "vectors/spec_index.h"

namespace metaroce::conformance {

// Makes a device that is not started yet. Called in each worker.
using MakeDut = std::function<std::unique_ptr<Dut>()>;

struct WorkerOptions {
  int jobs = 1;  // workers at the same time, at least 1
  // The device lives in the worker: what becomes of the worker is what the device does. Otherwise
  // a worker that ends is a fault of the runner.
  bool isolated = false;
  // Of an isolated device, as in ChildOptions.
  std::chrono::milliseconds start_timeout{30000};
  std::chrono::milliseconds answer_timeout{5000};
  std::chrono::milliseconds exit_timeout{2000};
  std::string log_path;  // what an isolated device prints is appended there

  // Asked for each result; true: no vector with a greater number is begun any more.
  std::function<bool(size_t, const VectorResult&)> stops;
  // Asked again and again; true ends the run at once.
  std::function<bool()> interrupted;
};

// What a run of workers comes to.
struct WorkersEnd {
  absl::Status status;       // an error if no device can be started at all
  bool interrupted = false;  // before all was played
  // Numbers from here on were not played to their end; all if the run was not stopped.
  size_t played_below = 0;
};

// Plays `vectors`, which have the numbers 0, 1, ..., and tells `sink` from this process. A result
// may come for a number at or above `played_below`: it does not count. Precondition: this process
// has one thread.
WorkersEnd RunWorkers(const std::vector<const vectors::StoredVector*>& vectors,
                      const vectors::SpecIndex& index, const PacketCodec* codec,
                      const MakeDut& make, const WorkerOptions& options, SessionSink& sink);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_RUNNER_WORKERS_H_
