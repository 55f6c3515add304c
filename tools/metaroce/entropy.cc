// metaroce sim --entropy: how paths lie on routes, and what each route carries.
#include <algorithm>
#include <csignal>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/sim/results.h"
#include "model/sim/scenario_file.h"
#include "model/sim/simulation.h"
#include "model/sim/spread.h"
#include "tools/metaroce/input.h"
#include "tools/metaroce/scenario.h"

namespace metaroce::cli {
namespace {

constexpr uint64_t kChunk = 200000;
constexpr uint32_t kSeeds = 20;

volatile std::sig_atomic_t stopped = 0;

int Refuse(const absl::Status& status, const Streams& streams) {
  streams.err << status.message() << "\n";
  return kBadInput;
}

// Nothing that was asked for is left out silently.
absl::Status CheckEntropyOptions(const SimOptions& options) {
  const bool scenario = !options.scenario.empty();
  const std::pair<const char*, bool> never[] = {{"--pcapng", !options.pcapng.empty()},
                                                {"--events", !options.events.empty()},
                                                {"--plot", !options.plot.empty()},
                                                {"--connection", options.connection_given},
                                                {"--responder", options.responder},
                                                {"--rows", options.rows_given},
                                                {"--json", options.json}};
  const std::pair<const char*, bool> of_scenario[] = {{"--set", !options.set.empty()},
                                                      {"--seed", options.seed != 0},
                                                      {"--short", options.short_form},
                                                      {"--seeds", options.seeds != 0}};
  const std::pair<const char*, bool> of_none[] = {{"--routes", options.routes_given},
                                                  {"--hash", options.hash_given}};
  for (const auto& [name, there] : never) {
    if (there) return absl::InvalidArgumentError(absl::StrCat(name, " has no use in --entropy."));
  }
  for (const auto& [name, there] : of_scenario) {
    if (!there || scenario) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name, " in --entropy is for a scenario, and there is none."));
  }
  for (const auto& [name, there] : of_none) {
    if (!there || !scenario) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is there and a scenario too; the scenario says what it is."));
  }
  return absl::OkStatus();
}

// Paths alone: before anything has been sent.
int Spread(const SimOptions& options, const Streams& streams) {
  sim::Hash hash;
  if (!sim::Hash_Parse(options.hash, &hash)) {
    streams.err << "There is no hash \"" << options.hash
                << "\"; there are CRC16, CRC32C, TOEPLITZ and XOR_FOLD.\n";
    return kBadInput;
  }
  const auto family = static_cast<fabric::HashFamily>(hash);
  constexpr uint64_t kSpreadSeeds = 1000;
  streams.out << absl::StrFormat("%d routes, %s, %d seeds\n\n", options.routes, options.hash,
                                 kSpreadSeeds)
              << absl::StrFormat("%6s %10s %10s %6s %6s %12s %12s\n", "", "fullest", "emptiest",
                                 "most", "least", "some empty", "equal split")
              << absl::StrFormat("%6s %10s %10s %6s %6s %12s %12s\n", "paths", "mean paths",
                                 "mean paths", "paths", "paths", "% of seeds", "% of rate");
  const auto thousandths = [](uint64_t sum) {
    return absl::StrFormat("%d.%03d", sum / kSpreadSeeds, sum % kSpreadSeeds);
  };
  // Of a sum of millionths.
  const auto percent = [](uint64_t sum) {
    const uint64_t ppm = sum / kSpreadSeeds;
    return absl::StrFormat("%d.%d", ppm / 10000, ppm % 10000 / 1000);
  };
  for (const sim::Spread& s : sim::SpreadOf({1, 4, 8, 16, 24, 32, 48, 64, 72, 96, 108, 144, 255},
                                            options.routes, kSpreadSeeds, family, false)) {
    streams.out << absl::StrFormat("%6d %10s %10s %6d %6d %12s %12s\n", s.paths,
                                   thousandths(s.fullest), thousandths(s.emptiest), s.most, s.least,
                                   percent(s.empty * 1000000), percent(s.equal_ppm));
  }
  return kOk;
}

// One number over the seeds.
class Over {
 public:
  void Add(uint64_t value) {
    sum_ += value;
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
    ++count_;
  }
  // With so many digits behind the point as `one` has zeros.
  std::string Row(const char* name, uint64_t one) const {
    const auto text = [&](uint64_t n) {
      // Nothing was left to send in the second half.
      if (count_ == 0) return std::string("-");
      const int digits = one == 1000 ? 3 : 4;
      return absl::StrFormat("%d.%0*d", n / one, digits, n % one);
    };
    return absl::StrFormat("%-34s %10s %10s %10s\n", name,
                           text(sum_ / std::max<uint64_t>(1, count_)), text(least_), text(most_));
  }

 private:
  uint64_t sum_ = 0;
  uint64_t least_ = UINT64_MAX;
  uint64_t most_ = 0;
  uint64_t count_ = 0;
};

// What the connections of a scenario do to the routes once their windows have adapted.
int OfScenario(const SimOptions& options, const Streams& streams) {
  absl::StatusOr<sim::Scenario> scenario = LoadScenario(options);
  if (!scenario.ok()) return Refuse(scenario.status(), streams);
  const uint32_t seeds = options.seeds == 0 ? kSeeds : options.seeds;
  const uint64_t first = scenario->seed();
  Over fullest, emptiest, without, busiest, quietest, goodput;
  uint32_t routes = 0;
  uint32_t ran = 0;
  for (; ran < seeds && stopped == 0; ++ran) {
    scenario->set_seed(first + ran);
    auto made = sim::Simulation::Make(*scenario, {});
    if (!made.ok()) return Refuse(made.status(), streams);
    while (stopped == 0 && (*made)->Run(kChunk)) {
    }
    if (stopped != 0) break;
    const sim::Results r = sim::Summarise(**made);
    if (r.routes.ends == 0) {
      return Refuse(absl::InvalidArgumentError(
                        "No packet of DATA had a choice of routes; it needs another leaf and "
                        "spines, or planes without spines."),
                    streams);
    }
    routes = r.routes.routes;
    fullest.Add(r.routes.fullest_mean);
    emptiest.Add(r.routes.emptiest_mean);
    without.Add(r.routes.with_empty * 1000000 / r.routes.ends);
    if (r.routes.sharing > 0) {
      busiest.Add(r.routes.busiest_ppm);
      quietest.Add(r.routes.emptiest_ppm);
    }
    goodput.Add(r.goodput_ppm);
    if (streams.progress) {
      streams.err << "\r" << ran + 1 << " of " << seeds << " seeds " << std::flush;
    }
  }
  if (streams.progress) streams.err << "\r" << std::string(40, ' ') << "\r";
  if (stopped != 0) streams.err << "Interrupted: these are " << ran << " seeds.\n";
  streams.out << scenario->title() << "\n"
              << absl::StrFormat("%d routes, %s, %d seeds from %d\n\n", routes,
                                 sim::Hash_Name(scenario->fabric().hash()), ran, first)
              << absl::StrFormat("%-34s %10s %10s %10s\n", "of a direction, by seed", "mean",
                                 "least", "most")
              << fullest.Row("paths on the fullest route", 1000)
              << emptiest.Row("paths on the emptiest route", 1000)
              << without.Row("with a route without a path, %", 10000)
              << busiest.Row("bytes on the busiest route, %", 10000)
              << quietest.Row("bytes on the emptiest route, %", 10000)
              << goodput.Row("goodput, second half, %", 10000);
  return stopped == 0 ? kOk : kMismatch;
}

}  // namespace

absl::StatusOr<sim::Scenario> LoadScenario(const SimOptions& options) {
  const absl::StatusOr<std::string> text = ReadInput(options.scenario);
  if (!text.ok()) return text.status();
  absl::StatusOr<sim::Scenario> scenario = sim::ParseScenario(options.scenario, *text);
  if (!scenario.ok()) return scenario.status();
  const auto refuse = [](absl::string_view where, const absl::Status& status) {
    return absl::InvalidArgumentError(absl::StrCat(where, status.message()));
  };
  std::string where = options.scenario;
  if (options.short_form) {
    // A short form that fits no field is refused with the scenario itself.
    if (absl::Status s = sim::CheckScenario(*scenario); !s.ok()) return refuse(where + ": ", s);
    const sim::Scenario whole = *scenario;
    for (const std::string& assignment : whole.short_form()) {
      if (absl::Status s = sim::SetField(assignment, &*scenario); !s.ok()) {
        return refuse(where + ": ", s);
      }
    }
    where += " with --short";
  }
  const sim::Scenario before = *scenario;
  for (const std::string& assignment : options.set) {
    if (absl::Status s = sim::SetField(assignment, &*scenario); !s.ok()) return refuse("--set ", s);
  }
  if (options.seed != 0) scenario->set_seed(options.seed);
  const absl::Status status = sim::CheckScenario(*scenario);
  if (status.ok()) return scenario;
  if (!options.set.empty() && sim::CheckScenario(before).ok()) {
    for (const std::string& assignment : options.set) {
      absl::StrAppend(&where, where == options.scenario ? " with" : " and", " --set ",
                      absl::CHexEscape(assignment.substr(0, 60)),
                      assignment.size() > 60 ? "..." : "");
    }
  }
  return refuse(where + ": ", status);
}

int Entropy(const SimOptions& options, const Streams& streams) {
  if (absl::Status status = CheckEntropyOptions(options); !status.ok())
    return Refuse(status, streams);
  if (options.scenario.empty()) return Spread(options, streams);
  stopped = 0;
  const auto before = std::signal(SIGINT, [](int) { stopped = 1; });
  const int status = OfScenario(options, streams);
  std::signal(SIGINT, before);
  return status;
}

}  // namespace metaroce::cli
