#include "conformance/dut/patient_dut.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>

namespace metaroce::conformance {
namespace {

// Answers everything, and takes 300 ms for it.
class SlowDut : public Dut {
 public:
  explicit SlowDut(std::chrono::nanoseconds* now) : now_(now) {}
  absl::Status Start() override { return absl::OkStatus(); }
  Fault Ask(const dut::Request& request, dut::Answer* answer) override {
    *now_ += std::chrono::milliseconds(300);
    answer->set_id(request.id());
    answer->mutable_done();
    return {};
  }
  Fault Quiet() override { return {}; }
  Fault Bye(const dut::Request&) override { return {}; }
  void Kill() override {}
  std::string LogTail() override { return ""; }

 private:
  std::chrono::nanoseconds* now_;
};

//= CONF-DEATH
//# In time is 5 s for an answer, 30 s for the one to Hello, and 10 min for all answers of a vector
TEST(PatientDutTest, AVectorThatTakesTooLongEndsAndTheNextBegins) {
  std::chrono::nanoseconds now{0};
  PatientDut dut(std::make_unique<SlowDut>(&now), std::chrono::milliseconds(1000),
                 [&] { return now; });
  dut::Request reset;
  reset.mutable_reset();
  dut::Request advance;
  advance.mutable_advance();
  dut::Answer answer;
  for (int vector = 0; vector < 2; ++vector) {
    EXPECT_TRUE(dut.Ask(reset, &answer).ok());
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(dut.Ask(advance, &answer).ok()) << i;
    answer.Clear();
    const Fault fault = dut.Ask(advance, &answer);
    EXPECT_EQ(fault.kind, FaultKind::kHung);
    EXPECT_EQ(fault.text,
              "The DUT has taken more than 1000 ms for this vector, and is not asked on.");
    EXPECT_FALSE(answer.has_done());  // it was not asked
  }
}

}  // namespace
}  // namespace metaroce::conformance
