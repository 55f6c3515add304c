#include "fuzz/explore/search.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace metaroce::explore {
namespace {

const Scenario& Small() { return *FindPreset("loss-small"); }

std::string File(const std::string& name) { return ::testing::TempDir() + name; }

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void Write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(SearchTest, GoesOnInAnotherProcessAsIfItHadNotStopped) {
  World whole_world(Small());
  Search whole(&whole_world);
  whole.Run({});
  const Result expected = whole.Finish();
  ASSERT_EQ(expected.verdict, Verdict::kHolds);
  for (uint64_t positions : {1, 10, 1000, 2200}) {
    const std::string path = File("state");
    {
      World world(Small());
      Search search(&world);
      Limits limits;
      limits.positions = positions;
      search.Run(limits);
      ASSERT_TRUE(search.SaveTo(path).ok());
      EXPECT_EQ(search.Finish().verdict, Verdict::kUnfinished);
    }
    World world(Small());
    Search search(&world);
    ASSERT_EQ(search.LoadFrom(path), absl::OkStatus());
    search.Run({});
    const Result result = search.Finish();
    EXPECT_EQ(result.verdict, Verdict::kHolds);
    EXPECT_EQ(result.progress.positions, expected.progress.positions);
    EXPECT_EQ(result.progress.steps, expected.progress.steps);
    EXPECT_EQ(result.progress.depth, expected.progress.depth);
    EXPECT_EQ(result.done, expected.done);
  }
}

TEST(SearchTest, RefusesAFileThatIsNotItsOwn) {
  const std::string path = File("state");
  World world(Small());
  Search search(&world);
  Limits limits;
  limits.positions = 500;
  search.Run(limits);
  ASSERT_TRUE(search.SaveTo(path).ok());
  const std::string bytes = Read(path);
  const auto refusal = [](const Scenario& scenario, const std::string& file) {
    World other(scenario);
    return std::string(Search(&other).LoadFrom(file).message());
  };
  EXPECT_EQ(refusal(*FindPreset("marks"), path), path + ": it is of the preset \"loss-small\".");
  const std::string damaged = File("damaged");
  const std::string changed = damaged + ": this is no state of a search, or it was changed.";
  for (size_t at : {size_t{0}, size_t{40}, bytes.size() / 2, bytes.size() - 1}) {
    std::string wrong = bytes;
    wrong[at] = static_cast<char>(wrong[at] ^ 1);
    Write(damaged, wrong);
    EXPECT_EQ(refusal(Small(), damaged), changed) << at;
    Write(damaged, bytes.substr(0, at));
    EXPECT_NE(refusal(Small(), damaged), "") << at;
  }
  EXPECT_EQ(refusal(Small(), File("none")), File("none") + ": this is no state of a search.");
}

// A limit on a search is no verdict; a problem of a scenario is one, and is said.
TEST(SearchTest, AScenarioThatCannotBeginIsAProblem) {
  Scenario scenario = Small();
  scenario.settings[0].target_paths = 200;
  World world(scenario);
  Search search(&world);
  search.Run({});
  const Result result = search.Finish();
  EXPECT_EQ(result.verdict, Verdict::kProblem);
  EXPECT_EQ(result.problem, "The paths do not open without a fault.");
}

}  // namespace
}  // namespace metaroce::explore
