// The side of a worker: plays vectors of the board until none is left, and tells by a pipe.
#ifndef METAROCE_CONFORMANCE_RUNNER_WORKER_H_
#define METAROCE_CONFORMANCE_RUNNER_WORKER_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "conformance/runner/worker.pb.h"
#include "conformance/runner/workers.h"

namespace metaroce::conformance {

enum class WorkerPhase : int32_t { kStarting, kPlaying, kEnding };

// What one worker is at, in memory that it shares with the runner. `progress` and `number` are
// those of the request that was made at `asked`.
struct WorkerSlot {
  std::atomic<int64_t> asked{0};  // monotonic nanoseconds; 0: nothing is asked of the device
  std::atomic<WorkerPhase> phase{WorkerPhase::kStarting};
  std::atomic<int64_t> number{-1};  // of the vector that is played; -1: none
  Progress progress;
};

// Which vectors are left, in memory that all workers share.
struct WorkerBoard {
  std::atomic<uint64_t> next{0};  // the first that nobody took
  std::atomic<uint64_t> end{0};   // none from here on is begun
};

// Monotonic time in nanoseconds, the same clock in all processes.
int64_t MonotonicNow();

struct WorkerTask {
  const std::vector<const vectors::StoredVector*>& vectors;
  const vectors::SpecIndex& index;
  const PacketCodec* codec;
  const MakeDut& make;
  WorkerBoard& board;
  WorkerSlot& slot;
  int64_t first = -1;  // number of a vector to play before those of the board; -1: none
  int out = -1;        // where notes go
};

// Plays. Returns when everything is told.
void Work(const WorkerTask& task);

worker::Played ToNote(size_t number, const VectorResult& result);
VectorResult FromNote(const worker::Played& note);
worker::Connected ToNote(const DutInfo& info);
DutInfo FromNote(const worker::Connected& note);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_RUNNER_WORKER_H_
