// One device over a series of vectors: started, asked who it is, kept going.
#ifndef METAROCE_CONFORMANCE_RUNNER_SESSION_H_
#define METAROCE_CONFORMANCE_RUNNER_SESSION_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "conformance/dut/dut.h"
#include "conformance/play/codec.h"
#include "conformance/play/play.h"
#include "conformance/report/report.h"
#include "vectors/manifest.h"
#include "vectors/spec_index.h"

namespace metaroce::conformance {

// Who is told what a session finds.
class SessionSink {
 public:
  virtual ~SessionSink() = default;
  // The device answered Hello for the first time.
  virtual void Connected(const DutInfo& info) = 0;
  // Verdict, divergence, text and time of the vector with that number. Comes again, with another
  // verdict, for a vector after whose last answer the device broke.
  virtual void Played(size_t number, const VectorResult& result) = 0;
  // What the device does wrong at its end.
  virtual void Problem(const std::string& sentence) = 0;
};

// The result of a vector that was over when the device did this (CONF-SURPLUS, CONF-DEATH).
VectorResult ChargedAfterwards(const vectors::Vector& vector, const vectors::SpecIndex& index,
                               const Fault& fault);

// The verdict of what was played (CONF-VERDICT); waivers are not looked at.
VectorResult VerdictOf(const PlayResult& played);

class Session {
 public:
  // All outlive this. `progress`, if it is given, is kept true before each request to a device.
  Session(const vectors::SpecIndex& index, const PacketCodec* codec, Dut& dut, SessionSink& sink,
          Progress* progress = nullptr)
      : index_(index), codec_(codec), dut_(dut), sink_(sink), progress_(progress) {}
  ~Session() { dut_.Kill(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Starts the device for the first time. An error if it cannot be started at all; a device that
  // starts and gives no good answer to Hello makes every vector a HARNESS_ERROR.
  absl::Status Connect();

  // Plays `stored`, which outlives this, and tells its result.
  void PlayOne(const vectors::StoredVector& stored, size_t number);

  // Ends the device.
  void End();

 private:
  absl::Status Start();
  // Why the answer to Hello is not good, in a sentence; empty if it is.
  std::string TakeHello(const dut::HelloAnswer& hello);
  bool EnsureRunning();
  void Break();
  VectorResult Judge(const vectors::StoredVector& stored, size_t number);
  // Holds against the vector played before that the device did this after its last answer.
  void ChargePrevious(const Fault& fault);

  const vectors::SpecIndex& index_;
  const PacketCodec* codec_;
  Dut& dut_;
  SessionSink& sink_;
  Progress* const progress_;

  bool running_ = false;
  std::string unreachable_;  // why no further vector can be played
  DutInfo info_;
  RequestIds ids_;
  // The vector that this process of the device played before, and whether it failed already.
  const vectors::Vector* previous_ = nullptr;
  size_t previous_number_ = 0;
  bool previous_failed_ = false;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_RUNNER_SESSION_H_
