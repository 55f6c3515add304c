// Devices that the command line names.
#ifndef METAROCE_TOOLS_METAROCE_DEVICE_H_
#define METAROCE_TOOLS_METAROCE_DEVICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/runner/workers.h"

namespace metaroce::cli {

// How the device of that command is made: a library lives in the worker, a program is a child of
// it. `*workers` is filled for it. Without a timeout of an answer (0) the defaults of the runner
// hold; without one of a vector, 10 minutes; without a log the device's standard error is not kept.
conformance::MakeDut DeviceOf(const std::vector<std::string>& command, uint32_t timeout_ms,
                              uint32_t vector_timeout_ms, const std::string& log,
                              conformance::WorkerOptions* workers);

}  // namespace metaroce::cli

#endif  // METAROCE_TOOLS_METAROCE_DEVICE_H_
