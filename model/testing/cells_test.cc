// Which cells of the machines the tests of this folder enter: all of them run in this program, and
// what none entered stands in testdata/cells.txt.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "model/testing/pair.h"

namespace metaroce::testing {
namespace {

constexpr char kGolden[] = "model/testing/testdata/cells.txt";

// Every packet of data takes these two ways, past the table.
bool PastTheTable(std::string_view machine, std::string_view state, std::string_view event) {
  return (machine == "connection" && state == "OPEN" && event == "DATA") ||
         (machine == "receive_path" && state == "OPEN" && event == "ARRIVAL");
}

template <typename Cells>
void Print(std::string_view machine, const endpoint::Hits& hits, std::string* out) {
  size_t possible = 0;
  size_t entered = 0;
  std::string missing;
  for (const auto& state : spec::Named<typename Cells::State>::kAll) {
    for (const auto& event : spec::Named<typename Cells::Event>::kAll) {
      const auto& cell = spec::Lookup(state.value, event.value);
      if (cell.kind == spec::CellKind::kImpossible) {
        EXPECT_FALSE(hits[Cells::Of(state.value, event.value)]) << state.name << event.name;
        continue;
      }
      ++possible;
      if (hits[Cells::Of(state.value, event.value)] ||
          PastTheTable(machine, state.name, event.name)) {
        ++entered;
        continue;
      }
      missing += "  " + std::string(state.name) + " " + std::string(event.name) +
                 (cell.kind == spec::CellKind::kIgnored ? ", ignored\n" : "\n");
    }
  }
  *out += std::string(machine) + ": " + std::to_string(entered) + " of " +
          std::to_string(possible) + " cells that are not impossible are entered";
  *out += missing.empty() ? "\n" : "; these are not\n" + missing;
}

class CellsEnvironment : public ::testing::Environment {
 public:
  void TearDown() override {
    if (::testing::GTEST_FLAG(filter) != "*") return;
    const endpoint::Hits& hits = Pair::AllHits();
    std::string printed;
    Print<endpoint::ConnectionCells>("connection", hits, &printed);
    Print<endpoint::PathCells>("path", hits, &printed);
    Print<endpoint::LadderCells>("ladder", hits, &printed);
    Print<endpoint::ReceivePathCells>("receive_path", hits, &printed);
    Print<endpoint::PathCloseCells>("path_close", hits, &printed);
    Print<endpoint::PortStatusCells>("port_status", hits, &printed);
    Print<endpoint::CreditCells>("credit", hits, &printed);
    for (const std::string& argument : ::testing::internal::GetArgvs()) {
      if (argument != "--update") continue;
      const char* root = std::getenv("BUILD_WORKSPACE_DIRECTORY");
      ASSERT_NE(root, nullptr) << "--update works under `bazel run`";
      std::ofstream(std::string(root) + "/" + kGolden) << printed;
      return;
    }
    std::stringstream golden;
    golden << std::ifstream(kGolden).rdbuf();
    EXPECT_EQ(printed, golden.str());
  }
};

const auto* const kEnvironment = ::testing::AddGlobalTestEnvironment(new CellsEnvironment);

TEST(CellsTest, TheCellsNoTestEntersAreThoseOfTheList) { EXPECT_NE(kEnvironment, nullptr); }

}  // namespace
}  // namespace metaroce::testing
