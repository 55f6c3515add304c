// The short form of every published scenario: its capture and its log of events have the bytes that
// testdata/golden.txt says, whatever compiler built this.
//
// The list as it is now is written to golden.txt among the test's outputs; look at what changed,
// and why, before you commit it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/sim/recorder.h"
#include "model/sim/results.h"
#include "model/sim/scenario_file.h"
#include "model/state/state.h"
#include "spec/compiler/frontend/sha256.h"

namespace metaroce::sim {
namespace {

constexpr char kFolder[] = "model/sim/scenarios";
constexpr char kGolden[] = "model/sim/testdata/golden.txt";
// What a short form may take.
constexpr uint64_t kMostPackets = 100000;

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Scenario Short(const std::string& name) {
  const std::string file = std::string(kFolder) + "/" + name + ".textproto";
  absl::StatusOr<Scenario> scenario = ParseScenario(file, ReadAll(file));
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  if (!scenario.ok()) return Scenario();
  EXPECT_TRUE(CheckScenario(*scenario).ok()) << CheckScenario(*scenario);
  EXPECT_TRUE(scenario->has_title());
  const Scenario whole = *scenario;
  for (const std::string& assignment : whole.short_form()) {
    const absl::Status set = SetField(assignment, &*scenario);
    EXPECT_TRUE(set.ok()) << name << ": " << set;
  }
  return *scenario;
}

// "SHA-256 of the capture, SHA-256 of the log", of one run.
std::string Digests(const Scenario& scenario, uint64_t* packets) {
  auto made = Simulation::Make(scenario, {.sample = 10000});
  EXPECT_TRUE(made.ok()) << made.status();
  if (!made.ok()) return "";
  Simulation& simulation = **made;
  std::stringstream pcapng;
  std::stringstream events;
  Recorder recorder(simulation, {.pcapng = &pcapng, .events = &events});
  simulation.set_listener(&recorder);
  while (simulation.Run(1000000)) {
  }
  recorder.Finish();
  *packets = 0;
  for (const auto kind :
       {fabric::PacketClass::kData, fabric::PacketClass::kAck, fabric::PacketClass::kControl}) {
    *packets += simulation.Counts(kind).sent;
  }
  return compiler::Sha256Hex(pcapng.str()) + " " + compiler::Sha256Hex(events.str());
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The lines of all scenarios that ran.
std::string& Lines() {
  static std::string lines;
  return lines;
}

class WriteLines : public ::testing::Environment {
 public:
  void TearDown() override {
    const char* folder = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
    if (folder != nullptr) std::ofstream(std::string(folder) + "/golden.txt") << Lines();
  }
};
[[maybe_unused]] ::testing::Environment* const write_lines =
    ::testing::AddGlobalTestEnvironment(new WriteLines);

class ScenariosTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ScenariosTest, TheShortFormHasTheBytesOfTheGoldenList) {
  std::istringstream golden(ReadAll(kGolden));
  std::map<std::string, std::string> wanted;
  for (std::string line; std::getline(golden, line);) {
    const size_t blank = line.find("  ");
    if (blank != std::string::npos) wanted[line.substr(blank + 2)] = line.substr(0, blank);
  }
  uint64_t packets = 0;
  const std::string digests = Digests(Short(GetParam()), &packets);
  EXPECT_LE(packets, kMostPackets);
  EXPECT_GT(packets, 1000u);
  Lines() += digests + "  " + GetParam() + "\n";
  EXPECT_EQ(digests, wanted[GetParam()]);
}

// What is left at the end of a run, to whoever looks.
std::string Left(const Scenario& scenario, Listener* listener, bool* split) {
  auto made = Simulation::Make(scenario, {});
  EXPECT_TRUE(made.ok()) << made.status();
  if (!made.ok()) return "";
  Simulation& simulation = **made;
  if (listener != nullptr) simulation.set_listener(listener);
  while (simulation.Run(1000000)) {
  }
  *split = simulation.fabric().split();
  std::string left =
      absl::StrCat(ToText(Summarise(simulation), 1 << 20), simulation.fabric().steps(), " steps\n");
  for (uint32_t host = 0; host < scenario.fabric().hosts(); ++host) {
    std::string state;
    state::Save(simulation.at(host), state::Counters::kWith, &state);
    absl::StrAppend(&left, "host ", host, " ", compiler::Sha256Hex(state), "\n");
  }
  return left;
}

// Nobody can tell a fabric that goes on by turns from one that goes on in the order of time.
TEST_P(ScenariosTest, AFabricThatIsSplitGivesTheSame) {
  const Scenario scenario = Short(GetParam());
  Listener listener;
  bool split = true;
  const std::string in_order = Left(scenario, &listener, &split);
  EXPECT_FALSE(split);
  EXPECT_EQ(Left(scenario, nullptr, &split), in_order);
  bool endless = true;
  for (const Workload& w : scenario.workload()) {
    endless = endless && w.pattern() != RING && w.messages() == 0 && w.stop_ns() == 0;
  }
  EXPECT_EQ(split, endless && scenario.fault_size() == 0);
}

INSTANTIATE_TEST_SUITE_P(All, ScenariosTest, ::testing::ValuesIn(Names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace metaroce::sim
