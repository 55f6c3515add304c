// A device that is a process of its own, driven over its standard input and output.
//
// Whatever it does, a call returns within the time-outs below, and keeps at most some 2 MiB of what
// it wrote. The device runs in a process group of its own, and ends with the thread that started
// it. When it ends, all its processes end, also those that left the group: this process adopts what
// a device leaves behind. So processes that the caller starts himself while a device runs are taken
// for the device's; those from before are not touched.
//
// Not thread-safe. SIGPIPE is blocked in the calling thread while a call lasts.
#ifndef METAROCE_CONFORMANCE_DUT_CHILD_DUT_H_
#define METAROCE_CONFORMANCE_DUT_CHILD_DUT_H_

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conformance/dut/device_log.h"
#include "conformance/dut/dut.h"
#include "conformance/framing.h"

namespace metaroce::conformance {

struct ChildOptions {
  std::vector<std::string>
      command;  // the program, searched on PATH if it has no '/', and arguments
  std::chrono::milliseconds start_timeout{30000};  // real time, from Hello to its answer
  std::chrono::milliseconds answer_timeout{5000};  // from a later request to its whole answer
  std::chrono::milliseconds exit_timeout{2000};    // from Bye's answer to the end of the process
  std::string log_path;  // its standard error is appended there; empty: only the tail is kept
};

class ChildDut : public Dut {
 public:
  explicit ChildDut(ChildOptions options);
  ~ChildDut() override;
  ChildDut(const ChildDut&) = delete;
  ChildDut& operator=(const ChildDut&) = delete;

  absl::Status Start() override;
  Fault Ask(const dut::Request& request, dut::Answer* answer) override;
  Fault Quiet() override;
  Fault Bye(const dut::Request& bye) override;
  void Kill() override;
  std::string LogTail() override { return log_.LastLine(); }

  // Of the running device, 0 if none runs. For tests.
  pid_t pid() const { return pid_; }

 private:
  using Clock = std::chrono::steady_clock;

  Fault Exchange(const std::string& out, std::string* message);
  // Takes the next message off what was read. True if the exchange is over, one way or the other.
  bool TakeAnswer(std::string* message, Fault* fault);
  // Waits for something to read or write. False after the deadline.
  bool Wait(bool want_write, Clock::time_point deadline, short* in_ready, short* out_ready);
  // Reads what is there. False at the end of the stream.
  bool ReadOutput();
  void ReadLog();
  // Reaps the process if it ended by `deadline`; then `*status` is that of waitpid.
  bool Reap(Clock::time_point deadline, int* status);
  Fault Died(absl::string_view when);
  void CloseAll();

  ChildOptions options_;
  pid_t pid_ = 0;
  int in_ = -1;         // its standard input: we write
  int out_ = -1;        // its standard output: we read
  int err_ = -1;        // its standard error: we read
  bool fresh_ = false;  // it has not answered yet
  FrameReader reader_;
  DeviceLog log_;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_DUT_CHILD_DUT_H_
