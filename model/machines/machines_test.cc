// The machines against the snapshot that was reviewed, and against what every machine must be.
#include "model/machines/machines.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "spec/tables.h"

namespace metaroce {
namespace {

constexpr char kSnapshot[] = "model/machines/testdata/machines.txt";

bool Wanted(const char* flag) {
  for (const std::string& argument : ::testing::internal::GetArgvs()) {
    if (argument == flag) return true;
  }
  return false;
}

TEST(MachinesTest, AreThoseOfTheReviewedSnapshot) {
  const std::string printed = PrintMachines();
  const char* root = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (Wanted("--update")) {
    ASSERT_NE(root, nullptr) << "--update works under `bazel run`";
    std::ofstream(std::string(root) + "/" + kSnapshot) << printed;
    return;
  }
  std::ifstream file(kSnapshot);
  ASSERT_TRUE(file) << kSnapshot;
  std::stringstream snapshot;
  snapshot << file.rdbuf();
  std::string line;
  std::string expected;
  std::stringstream is(printed);
  for (int number = 1; std::getline(is, line); ++number) {
    std::getline(snapshot, expected);
    ASSERT_EQ(line, expected) << kSnapshot << ":" << number;
  }
  EXPECT_FALSE(std::getline(snapshot, expected)) << "a line too many: " << expected;
}

// Every state can be reached from the first and, where the machine ends with its connection, left
// for it.
template <typename State, typename Event>
std::set<State> Reachable(State from) {
  std::set<State> reached = {from};
  std::vector<State> open = {from};
  while (!open.empty()) {
    const State state = open.back();
    open.pop_back();
    for (const auto& event : spec::Named<Event>::kAll) {
      const spec::Cell<State>& cell = spec::Lookup(state, event.value);
      if (cell.kind == spec::CellKind::kActs && reached.insert(cell.next).second) {
        open.push_back(cell.next);
      }
    }
  }
  return reached;
}

template <typename State, typename Event>
void ExpectConnected() {
  constexpr const auto& kAll = spec::Named<State>::kAll;
  for (const auto& state : kAll) {
    EXPECT_EQ((Reachable<State, Event>(state.value).size()), kAll.size()) << state.name;
    for (const auto& event : spec::Named<Event>::kAll) {
      const spec::Cell<State>& cell = spec::Lookup(state.value, event.value);
      EXPECT_EQ(cell.counter.has_value(), cell.kind == spec::CellKind::kIgnored);
      EXPECT_EQ(cell.impossible.empty(), cell.kind != spec::CellKind::kImpossible);
      if (cell.kind != spec::CellKind::kActs) {
        EXPECT_EQ(cell.next, state.value);
      }
    }
  }
}

TEST(MachinesTest, LeadFromEveryStateToEveryOther) {
  ExpectConnected<spec::ConnectionState, spec::ConnectionEvent>();
  ExpectConnected<spec::PathState, spec::PathEvent>();
  ExpectConnected<spec::LadderState, spec::LadderEvent>();
  ExpectConnected<spec::ReceivePathState, spec::ReceivePathEvent>();
  ExpectConnected<spec::PathCloseState, spec::PathCloseEvent>();
  ExpectConnected<spec::PortStatusState, spec::PortStatusEvent>();
  ExpectConnected<spec::CreditState, spec::CreditEvent>();
}

}  // namespace
}  // namespace metaroce
