// A device under test as the runner sees it: something that answers requests, or is broken.
#ifndef METAROCE_CONFORMANCE_DUT_DUT_H_
#define METAROCE_CONFORMANCE_DUT_DUT_H_

#include <string>

#include "absl/status/status.h"
#include "conformance/dut.pb.h"
#include "conformance/serve.h"

namespace metaroce::conformance {

// What went wrong between runner and device.
enum class FaultKind {
  kNone,
  kDied,     // the device ended, or closed one of its streams
  kHung,     // no answer in time
  kGarbage,  // what came is no answer to the request
};

struct Fault {
  FaultKind kind = FaultKind::kNone;
  std::string text;  // a sentence, without control characters

  bool ok() const { return kind == FaultKind::kNone; }
};

// After a fault the device must be started anew before it is asked again.
class Dut {
 public:
  virtual ~Dut() = default;

  // Starts a fresh device; ends the one that runs. An error if none can be started at all.
  virtual absl::Status Start() = 0;

  // Gives it one request and takes the answer, whose id is that of the request.
  virtual Fault Ask(const dut::Request& request, dut::Answer* answer) = 0;

  // Looks whether it wrote or ended since its last answer, and does not wait.
  virtual Fault Quiet() = 0;

  // Ends it by Bye and waits. A fault if it does not answer or end with status 0.
  virtual Fault Bye(const dut::Request& bye) = 0;

  // Ends it with all its processes, whatever it does. Nothing happens if none runs.
  virtual void Kill() = 0;

  // The last lines of its log, for a person; may be empty.
  virtual std::string LogTail() = 0;
};

// A device in this process. It cannot hang or die without us; otherwise it is treated the same.
class InProcessDut : public Dut {
 public:
  // `handler` outlives this.
  explicit InProcessDut(Handler& handler) : handler_(handler) {}

  absl::Status Start() override { return absl::OkStatus(); }
  Fault Ask(const dut::Request& request, dut::Answer* answer) override;
  Fault Quiet() override { return {}; }
  Fault Bye(const dut::Request& bye) override;
  void Kill() override {}
  std::string LogTail() override { return ""; }

 private:
  Handler& handler_;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_DUT_DUT_H_
