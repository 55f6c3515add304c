#include "tools/metaroce/device.h"

#include <chrono>
#include <memory>

#include "conformance/dut/child_dut.h"
#include "conformance/dut/library_dut.h"
#include "conformance/dut/patient_dut.h"

namespace metaroce::cli {
namespace {

constexpr uint32_t kVectorTimeoutMs = 600000;

}  // namespace

conformance::MakeDut DeviceOf(const std::vector<std::string>& command, uint32_t timeout_ms,
                              uint32_t vector_timeout_ms, const std::string& log,
                              conformance::WorkerOptions* workers) {
  const std::chrono::milliseconds most(vector_timeout_ms == 0 ? kVectorTimeoutMs
                                                              : vector_timeout_ms);
  conformance::ChildOptions child;
  child.command = command;
  if (timeout_ms != 0) {
    child.answer_timeout = std::chrono::milliseconds(timeout_ms);
    child.start_timeout = child.answer_timeout;
  }
  child.log_path = log;
  workers->start_timeout = child.start_timeout;
  workers->answer_timeout = child.answer_timeout;
  workers->exit_timeout = child.exit_timeout;
  workers->isolated = conformance::IsLibrary(command.front());
  if (!workers->isolated) {
    return [child, most] {
      return std::make_unique<conformance::PatientDut>(
          std::make_unique<conformance::ChildDut>(child), most);
    };
  }
  workers->log_path = log;
  return [command, most] {
    return std::make_unique<conformance::PatientDut>(
        std::make_unique<conformance::LibraryDut>(command), most);
  };
}

}  // namespace metaroce::cli
