// The check on captures of each seeded defect: where the capture differs from that of the clean
// model, the verdict names the clause that the defect breaks. A capture in which nothing wrong was
// sent and nothing is overdue before its last packet is explained: no capture shows what comes
// after.
//
// usage: check_mutants [-v] [NAME...]
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "fuzz/mutants/active.h"
#include "fuzz/mutants/patched/conformance/check/check.h"
#include "fuzz/mutants/patched/conformance/check/testing/scenario.h"

namespace metaroce::mutants {
namespace {

// Random connections, as many as must show each defect.
constexpr uint64_t kConnections = 60;

std::vector<uint8_t> Capture(uint64_t seed, uint32_t mutant) {
  active = mutant;
  check::Scenario scenario(seed);
  scenario.Play();
  active = 0;
  return scenario.recorder().Pcapng();
}

// The check itself has no defect.
std::optional<check::Verdict> VerdictOf(const std::vector<uint8_t>& file, std::string* text) {
  const auto trace = check::ReadTrace(file, spec::constant::kUdpPort);
  if (!trace.ok()) return std::nullopt;
  check::Profiles profiles;
  if (!check::ReadProfile(trace->profile, &profiles).ok()) return std::nullopt;
  const auto result = check::Check(*trace, profiles);
  if (!result.ok()) return std::nullopt;
  *text = check::ToText(*result);
  return result->verdict;
}

// True if no connection shows the mutant, or all that show it are blamed on the right clause.
bool Judge(const Mutant& mutant, uint32_t number, const std::vector<std::vector<uint8_t>>& clean,
           bool verbose) {
  int differ = 0;
  int named = 0;
  int explained = 0;
  for (uint64_t seed = 1; seed <= kConnections; ++seed) {
    const std::vector<uint8_t> file = Capture(seed, number);
    if (file == clean[seed - 1]) continue;
    ++differ;
    std::string text;
    const std::optional<check::Verdict> verdict = VerdictOf(file, &text);
    const bool right = verdict && spec::Info(verdict->clause).id == mutant.shown;
    if (right) ++named;
    if (!verdict) ++explained;
    if (verbose && !right) std::cout << "connection " << seed << ": " << text << "\n";
  }
  std::cout << absl::StrFormat(
      "%-24s %-22s %2d captures differ, %2d name the clause, %d end before\n", mutant.name,
      mutant.shown, differ, named, explained);
  return differ == 0 || (named > 0 && named + explained == differ);
}

int Main(const std::vector<std::string>& args) {
  bool verbose = false;
  std::vector<std::string> names;
  for (const std::string& arg : args) {
    if (arg == "-v") {
      verbose = true;
    } else {
      names.push_back(arg);
    }
  }
  std::vector<std::vector<uint8_t>> clean;
  for (uint64_t seed = 1; seed <= kConnections; ++seed) clean.push_back(Capture(seed, 0));
  size_t wrong = 0;
  for (size_t i = 0; i < All().size(); ++i) {
    const Mutant& mutant = All()[i];
    if (mutant.preset.empty()) continue;
    if (!names.empty() && std::find(names.begin(), names.end(), mutant.name) == names.end()) {
      continue;
    }
    if (!Judge(mutant, static_cast<uint32_t>(i + 1), clean, verbose)) ++wrong;
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace metaroce::mutants

int main(int argc, char** argv) {
  return metaroce::mutants::Main(std::vector<std::string>(argv + 1, argv + argc));
}
