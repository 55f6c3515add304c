#include "conformance/dut/patient_dut.h"

#include "absl/strings/str_cat.h"

namespace metaroce::conformance {

std::chrono::nanoseconds PatientDut::Monotonic() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

//= CONF-DEATH
//# In time is 5 s for an answer, 30 s for the one to Hello, and 10 min for all answers of a vector,
//# unless the user of the runner says otherwise.
Fault PatientDut::Ask(const dut::Request& request, dut::Answer* answer) {
  if (request.has_reset() || request.has_hello()) {
    began_ = clock_();
  } else if (clock_() - began_ > most_) {
    return {FaultKind::kHung, absl::StrCat("The DUT has taken more than ", most_.count(),
                                           " ms for this vector, and is not asked on.")};
  }
  return dut_->Ask(request, answer);
}

}  // namespace metaroce::conformance
