// One device over a whole run: started, asked who it is, kept going.
#ifndef METAROCE_CONFORMANCE_RUNNER_SESSION_H_
#define METAROCE_CONFORMANCE_RUNNER_SESSION_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "conformance/runner/codec.h"
#include "conformance/runner/dut.h"
#include "conformance/runner/play.h"
#include "conformance/runner/report.h"
#include "vectors/manifest.h"
#include "vectors/spec_index.h"

namespace metaroce::conformance {

class Session {
 public:
  // All outlive this. What is found goes to `report`.
  Session(const vectors::SpecIndex& index, const PacketCodec* codec, Dut& dut, Report& report)
      : index_(index), codec_(codec), dut_(dut), report_(report) {}
  ~Session() { dut_.Kill(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Starts the device for the first time. An error if it cannot be started at all; a device that
  // starts and gives no good answer to Hello makes every vector a HARNESS_ERROR.
  absl::Status Connect();

  // Plays `stored`, whose result is the last of the report, and sets that result. May change the
  // result of the vector before.
  void PlayOne(const vectors::StoredVector& stored);

  // Ends the device. What it does wrong then is a problem of the run.
  void End();

 private:
  absl::Status Start();
  // Why the answer to Hello is not good, in a sentence; empty if it is.
  std::string TakeHello(const dut::HelloAnswer& hello);
  bool EnsureRunning();
  void Break();
  // Holds against the vector played before that the device did this after its last answer.
  void ChargePrevious(const Fault& fault);
  void SetResult(const PlayResult& played, VectorResult& result);

  const vectors::SpecIndex& index_;
  const PacketCodec* codec_;
  Dut& dut_;
  Report& report_;

  bool running_ = false;
  std::string unreachable_;  // why no further vector can be played
  DutInfo info_;
  RequestIds ids_;
  // Index of the result of the latest vector that this process of the device played; -1 if none.
  int previous_ = -1;
  int previous_steps_ = 0;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_RUNNER_SESSION_H_
