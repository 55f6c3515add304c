// A device that may take only so long for one vector, whatever it takes for one answer.
#ifndef METAROCE_CONFORMANCE_DUT_PATIENT_DUT_H_
#define METAROCE_CONFORMANCE_DUT_PATIENT_DUT_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "conformance/dut/dut.h"

namespace metaroce::conformance {

// Passes everything on. A vector begins with its Reset; what is asked later than `most` behind that
// is not asked any more, and counts as no answer in time (CONF-DEATH).
class PatientDut : public Dut {
 public:
  using Clock = std::function<std::chrono::nanoseconds()>;

  PatientDut(std::unique_ptr<Dut> dut, std::chrono::milliseconds most, Clock clock = Monotonic)
      : dut_(std::move(dut)), most_(most), clock_(std::move(clock)) {}

  absl::Status Start() override { return dut_->Start(); }
  Fault Ask(const dut::Request& request, dut::Answer* answer) override;
  Fault Quiet() override { return dut_->Quiet(); }
  Fault Bye(const dut::Request& bye) override { return dut_->Bye(bye); }
  void Kill() override { dut_->Kill(); }
  std::string LogTail() override { return dut_->LogTail(); }

 private:
  static std::chrono::nanoseconds Monotonic();

  std::unique_ptr<Dut> dut_;
  const std::chrono::milliseconds most_;
  const Clock clock_;
  std::chrono::nanoseconds began_{0};
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_DUT_PATIENT_DUT_H_
