// The vectors for devices that take their time bind the time: a device that takes all that it
// declares passes them, and one that takes a nanosecond more fails each.
#include "conformance/duts/lagging/lagging_dut.h"

#include <gtest/gtest.h>

#include <array>

#include "conformance/dut/dut.h"
#include "conformance/play/wire_codec.h"
#include "conformance/report/report.h"
#include "conformance/runner/replay.h"
#include "vectors/manifest.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::conformance {
namespace {

// The device, which declares another lag than it has.
class Liar : public Handler {
 public:
  Liar(uint32_t lag, uint32_t declared) : device_(lag, 0), declared_(declared) {}

  using Handler::Handle;
  void Handle(const dut::Request& request, dut::Answer* answer) override {
    device_.Handle(request, answer);
    if (!answer->has_hello()) return;
    for (dut::Field& field : *answer->mutable_hello()->mutable_profile()) {
      if (field.name() != "stamp_max") field.set_number(declared_);
    }
  }

 private:
  LaggingDut device_;
  const uint32_t declared_;
};

std::array<size_t, kVerdicts> Verdicts(Handler& handler) {
  const auto tree = vectors::LoadTree("vectors", vectors::SpecTables());
  EXPECT_TRUE(tree.ok()) << tree.status();
  InProcessDut dut(handler);
  const WirePacketCodec codec;
  ReplayOptions options;
  options.selection.only = {"late-*"};
  const auto report = Replay(*tree, vectors::SpecTables(), &codec, dut, options);
  EXPECT_TRUE(report.ok()) << report.status();
  return report->Counts();
}

//= PROFILE-LATENCY
//# `react_max`: from the event that makes a packet due at once, to that packet leaving.
TEST(LaggingDutTest, TheBoundsAreThoseThatTheDeviceDeclares) {
  LaggingDut slowest(1000, 1000);
  Liar late(301, 300);
  const auto kept = Verdicts(slowest);
  const auto broken = Verdicts(late);
  const size_t all = kept[static_cast<size_t>(Verdict::kPass)];
  EXPECT_GE(all, 25u);
  EXPECT_EQ(kept[static_cast<size_t>(Verdict::kFail)], 0u);
  EXPECT_EQ(broken[static_cast<size_t>(Verdict::kFail)], all);
}

TEST(LaggingDutTest, ADeviceThatTakesMoreThanTheVectorsAllowIsNotBound) {
  LaggingDut slow(1001, 0);
  const auto verdicts = Verdicts(slow);
  EXPECT_EQ(verdicts[static_cast<size_t>(Verdict::kPass)], 0u);
  EXPECT_EQ(verdicts[static_cast<size_t>(Verdict::kFail)], 0u);
  EXPECT_GT(verdicts[static_cast<size_t>(Verdict::kUnsupported)], 0u);
}

}  // namespace
}  // namespace metaroce::conformance
