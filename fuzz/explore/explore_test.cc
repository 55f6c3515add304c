// Each preset is exhausted, nothing is wrong in any position, and the number of positions and steps
// is what it was when the list was last looked at.
//
// usage: explore_test LIST [--large] [--update]
//
// Holds the search of the presets that are not large, or of those that are, against the file LIST,
// or writes what the file should hold to standard output.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "fuzz/explore/search.h"

namespace metaroce::explore {
namespace {

std::string Line(const Scenario& scenario, Result* result) {
  World world(scenario);
  Search search(&world);
  search.Run({});
  *result = search.Finish();
  return absl::StrFormat("%s positions %d steps %d depth %d done %d: %s\n", scenario.name,
                         result->progress.positions, result->progress.steps, result->progress.depth,
                         result->done, Name(result->verdict));
}

int Main(const std::string& list, bool large, bool update) {
  std::string found;
  int wrong = 0;
  for (const Scenario& scenario : Presets()) {
    if (scenario.large != large) continue;
    Result result;
    const std::string line = Line(scenario, &result);
    found += line;
    std::cerr << line << result.problem << "\n";
    for (const std::string& event : result.history) std::cerr << event << "\n";
    if (result.verdict != Verdict::kHolds) ++wrong;
    if (result.largest_position > 2048) {
      std::cerr << "A position takes " << result.largest_position << " bytes.\n";
      ++wrong;
    }
  }
  if (update) {
    std::cout << found;
    return wrong;
  }
  std::ifstream file(list);
  std::stringstream wanted;
  wanted << file.rdbuf();
  if (wanted.str() == found) return wrong;
  std::cerr << list << " says:\n" << wanted.str() << "and it is:\n" << found;
  return 1;
}

}  // namespace
}  // namespace metaroce::explore

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const auto has = [&](const char* flag) {
    return std::find(args.begin(), args.end(), flag) != args.end();
  };
  if (args.empty()) return 2;
  return metaroce::explore::Main(args[0], has("--large"), has("--update"));
}
