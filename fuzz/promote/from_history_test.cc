// What the explorer finds is a vector that the model passes: here nothing is wrong with the model,
// but the scenario has a Write with a key that nobody gave out.
#include "fuzz/promote/from_history.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "conformance/play/wire_codec.h"
#include "conformance/promote/retell.h"
#include "vectors/json.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::explore {
namespace {

class FromHistoryTest : public ::testing::Test {
 protected:
  FromHistoryTest() : scenario_(*FindPreset("loss-small")) {
    Operation write;
    write.work.id = 50;
    write.work.length = 8;
    write.work.rkey = 1;
    scenario_.script[0].push_back(write);
    scenario_.budget = {};
  }

  const Result& Found() {
    world_ = std::make_unique<World>(scenario_);
    Search search(world_.get());
    Limits limits;
    limits.positions = 20000;
    search.Run(limits);
    result_ = search.Finish();
    return result_;
  }

  const conformance::WirePacketCodec codec_;
  Scenario scenario_;
  std::unique_ptr<World> world_;
  Result result_;
};

TEST_F(FromHistoryTest, TheModelPassesWhatWasFound) {
  ASSERT_EQ(Found().verdict, Verdict::kProblem) << result_.problem;
  ASSERT_FALSE(result_.history.empty());
  for (int side = 0; side < 2; ++side) {
    const auto vector = AsVector(scenario_, result_, side, vectors::SpecTables(), codec_);
    ASSERT_TRUE(vector.ok()) << vector.status();
    EXPECT_EQ(promote::FaultOf(*vector, vectors::SpecTables(), codec_), "")
        << vectors::WriteVector(*vector);
    // Its second path is open, as in the scenario.
    const std::string text = vectors::WriteVector(*vector);
    EXPECT_NE(text.find("\"common.opcode\": " + std::to_string(side == 0 ? 199 : 200)),
              std::string::npos)
        << text;
  }
}

TEST_F(FromHistoryTest, SaysWhyAVectorCannotBeginLikeThat) {
  EXPECT_EQ(AsVector(scenario_, Result(), 0, vectors::SpecTables(), codec_).status().message(),
            "There is no history in which side 0 is given anything.");
  scenario_.first_epoch = 3;
  EXPECT_EQ(AsVector(scenario_, Result(), 0, vectors::SpecTables(), codec_).status().message(),
            "No vector begins as the preset loss-small does: its first epoch is not 0.");
  scenario_ = *FindPreset("open-close");
  EXPECT_EQ(AsVector(scenario_, Result(), 0, vectors::SpecTables(), codec_).status().message(),
            "No vector begins as the preset open-close does: its connection is made only in the "
            "course of it.");
}

}  // namespace
}  // namespace metaroce::explore
