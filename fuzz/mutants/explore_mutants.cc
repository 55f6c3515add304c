// The explorer on each seeded defect: it must find it, by a short history.
//
// usage: explore_mutants [-v] [NAME...]
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "fuzz/mutants/active.h"
#include "fuzz/mutants/each.h"
#include "fuzz/mutants/patched/fuzz/explore/search.h"

namespace metaroce::mutants {
namespace {

constexpr size_t kLongestHistory = 25;

// True if it is found.
bool Hunt(const Mutant& mutant, bool verbose) {
  const explore::Scenario* scenario = explore::FindPreset(mutant.preset);
  if (scenario == nullptr) {
    std::cout << mutant.name << ": there is no preset " << mutant.preset << "\n";
    return false;
  }
  explore::World world(*scenario);
  explore::Search search(&world);
  search.Run({});
  const explore::Result result = search.Finish();
  const bool found = result.verdict == explore::Verdict::kProblem ||
                     result.verdict == explore::Verdict::kDeadlock ||
                     result.verdict == explore::Verdict::kStuck;
  const bool is_short = result.history.size() <= kLongestHistory;
  std::cout << absl::StrFormat("%-24s %-22s %-16s %8d positions, %2d events: %s. %s\n", mutant.name,
                               mutant.clause, mutant.preset, result.progress.positions,
                               result.history.size(), explore::Name(result.verdict),
                               result.problem);
  if (verbose) {
    for (const std::string& event : result.history) std::cout << event << "\n";
  }
  return found && is_short && !result.history.empty();
}

int Main(const std::vector<std::string>& args) {
  size_t missed = 0;
  const size_t hunted = Each(args, [&](const Mutant& mutant, uint32_t number, bool verbose) {
    active = number;
    if (!Hunt(mutant, verbose)) ++missed;
  });
  std::cout << hunted - missed << " of " << hunted << " found by at most " << kLongestHistory
            << " events\n";
  return missed == 0 && hunted > 0 ? 0 : 1;
}

}  // namespace
}  // namespace metaroce::mutants

int main(int argc, char** argv) {
  return metaroce::mutants::Main(std::vector<std::string>(argv + 1, argv + argc));
}
