#include "conformance/dut/dut.h"

#include "absl/strings/str_cat.h"
#include "conformance/framing.h"

namespace metaroce::conformance {

Fault InProcessDut::Ask(const dut::Request& request, dut::Answer* answer) {
  answer->Clear();
  handler_.Handle(request, answer);
  answer->set_id(request.id());
  if (answer->ByteSizeLong() > kMaxMessageBytes) {
    return {FaultKind::kGarbage,
            absl::StrCat("The answer has ", answer->ByteSizeLong(), " bytes; at most ",
                         kMaxMessageBytes, " are allowed.")};
  }
  return {};
}

Fault InProcessDut::Bye(const dut::Request& bye) {
  dut::Answer answer;
  return Ask(bye, &answer);
}

}  // namespace metaroce::conformance
