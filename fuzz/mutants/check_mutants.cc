// The check on captures of each seeded defect: where the capture differs from that of the clean
// model, the verdict names the clause that the defect breaks. A capture in which nothing wrong was
// sent and nothing is overdue before its last packet is explained: no capture shows what comes
// after.
//
// usage: check_mutants [-v] [NAME...]
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "fuzz/mutants/active.h"
#include "fuzz/mutants/each.h"
#include "fuzz/mutants/patched/conformance/check/check.h"
#include "fuzz/mutants/patched/conformance/check/testing/scenario.h"
#include "fuzz/mutants/patched/model/check.h"

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
  METAROCE_CHECK(trace.ok());
  check::Profiles profiles;
  METAROCE_CHECK(check::ReadProfile(trace->profile, &profiles).ok());
  const auto result = check::Check(*trace, profiles);
  METAROCE_CHECK(result.ok());
  *text = check::ToText(*result);
  return result->verdict;
}

struct Tally {
  int differ = 0;     // captures that are not that of the clean model
  int named = 0;      // of them, blamed on the right clause
  int explained = 0;  // of them, in which nothing wrong shows
};

Tally Judge(const Mutant& mutant, uint32_t number, const std::vector<std::vector<uint8_t>>& clean,
            bool verbose) {
  Tally tally;
  for (uint64_t seed = 1; seed <= kConnections; ++seed) {
    const std::vector<uint8_t> file = Capture(seed, number);
    if (file == clean[seed - 1]) continue;
    ++tally.differ;
    std::string text;
    const std::optional<check::Verdict> verdict = VerdictOf(file, &text);
    const bool right = verdict && spec::Info(verdict->clause).id == mutant.shown;
    if (right) ++tally.named;
    if (!verdict) ++tally.explained;
    if (verbose && !right) std::cout << "connection " << seed << ": " << text << "\n";
  }
  std::cout << absl::StrFormat(
      "%-24s %-22s %2d captures differ, %2d name the clause, %d end before\n", mutant.name,
      mutant.shown, tally.differ, tally.named, tally.explained);
  return tally;
}

int Main(const std::vector<std::string>& args) {
  std::vector<std::vector<uint8_t>> clean;
  size_t wrong = 0;
  for (uint64_t seed = 1; seed <= kConnections; ++seed) {
    clean.push_back(Capture(seed, 0));
    std::string text;
    if (!VerdictOf(clean.back(), &text)) continue;
    std::cout << "connection " << seed << " of the clean model: " << text << "\n";
    ++wrong;
  }
  size_t shown = 0;
  const size_t judged = Each(args, [&](const Mutant& mutant, uint32_t number, bool verbose) {
    const Tally tally = Judge(mutant, number, clean, verbose);
    if (tally.differ == 0) return;
    ++shown;
    if (tally.named == 0 || tally.named + tally.explained != tally.differ) ++wrong;
  });
  std::cout << shown << " of " << judged << " show in a capture, " << wrong
            << " are judged wrong\n";
  // Most do; a defect of how the network is used must.
  return wrong == 0 && 2 * shown > judged ? 0 : 1;
}

}  // namespace
}  // namespace metaroce::mutants

int main(int argc, char** argv) {
  return metaroce::mutants::Main(std::vector<std::string>(argv + 1, argv + argc));
}
