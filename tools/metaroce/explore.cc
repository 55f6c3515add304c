// metaroce explore: goes through every position of the built-in scenarios.
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/play/wire_codec.h"
#include "fuzz/explore/search.h"
#include "fuzz/promote/from_history.h"
#include "tools/metaroce/commands.h"
#include "vectors/file.h"
#include "vectors/json.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Set when a person asks to stop.
volatile std::sig_atomic_t interrupted = 0;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void List(std::ostream& out) {
  for (const explore::Scenario& s : explore::Presets()) {
    out << absl::StrFormat("%-24s %s%s\n", s.name, s.about, s.large ? " (large)" : "");
  }
}

absl::Status WriteFound(const explore::Scenario& scenario, const explore::Result& result,
                        const ExploreOptions& options) {
  const conformance::WirePacketCodec codec;
  const auto vector =
      explore::AsVector(scenario, result, options.side, vectors::SpecTables(), codec);
  if (!vector.ok()) return vector.status();
  return vectors::WriteFile(options.vector, vectors::WriteVector(*vector));
}

}  // namespace

int Explore(const ExploreOptions& options, const Streams& streams) {
  std::vector<const explore::Scenario*> chosen;
  for (const std::string& name : options.presets) {
    const explore::Scenario* s = explore::FindPreset(name);
    if (s == nullptr) {
      streams.err << "There is no preset \"" << name << "\". These are built in:\n";
      List(streams.err);
      return kBadInput;
    }
    chosen.push_back(s);
  }
  if (options.list) {
    List(streams.out);
    return kOk;
  }
  for (const explore::Scenario& s : explore::Presets()) {
    if (options.presets.empty() && (options.large || !s.large)) chosen.push_back(&s);
  }
  if (!options.state_file.empty() && chosen.size() != 1) {
    streams.err << "--resume is for one preset; these are " << chosen.size() << ".\n";
    return kBadInput;
  }
  if (!options.state_file.empty()) std::signal(SIGINT, [](int) { interrupted = 1; });
  int exit = kOk;
  bool written = false;
  streams.out << absl::StrFormat("%-24s %12s %12s %6s %10s %9s %11s\n", "preset", "positions",
                                 "steps", "depth", "sides", "seconds", "positions/s");
  for (const explore::Scenario* s : chosen) {
    const Clock::time_point start = Clock::now();
    explore::World world(*s);
    explore::Search search(&world);
    if (std::ifstream(options.state_file).good()) {
      const absl::Status loaded = search.LoadFrom(options.state_file);
      if (!loaded.ok()) {
        streams.err << loaded.message() << "\n";
        return kBadInput;
      }
    }
    const uint64_t before = search.progress().positions;
    absl::Status saved;
    // Lest hours of work have no place to go.
    if (!options.state_file.empty() && before == 0) saved = search.SaveTo(options.state_file);
    if (!saved.ok()) {
      streams.err << saved.message() << "\n";
      return kBadInput;
    }
    explore::Limits limits;
    if (options.positions > 0) limits.positions = options.positions;
    Clock::time_point shown = start;
    Clock::time_point kept = start;
    limits.tick = [&](const explore::Progress& p) {
      if (!options.state_file.empty() && Since(kept) >= 60) {
        saved = search.SaveTo(options.state_file);
        kept = Clock::now();
      }
      if (interrupted != 0 || !saved.ok()) return false;
      if (!streams.progress || Since(shown) < 1) return true;
      shown = Clock::now();
      streams.err << absl::StrFormat("\r%s: %d positions, %d to expand, depth %d, %.0f/s ", s->name,
                                     p.positions, p.frontier, p.depth,
                                     static_cast<double>(p.positions - before) / Since(start))
                  << std::flush;
      return true;
    };
    search.Run(limits);
    const double seconds = Since(start);
    if (!options.state_file.empty()) saved.Update(search.SaveTo(options.state_file));
    if (!saved.ok()) {
      streams.err << saved.message() << "\n";
      return kBadInput;
    }
    const explore::Result result = search.Finish();
    if (streams.progress) streams.err << "\r\033[K";
    streams.out << absl::StrFormat(
        "%-24s %12d %12d %6d %10d %9.1f %11.0f  %s\n", s->name, result.progress.positions,
        result.progress.steps, result.progress.depth, result.side_states, seconds,
        static_cast<double>(result.progress.positions - before) / seconds,
        explore::Name(result.verdict));
    if (!result.problem.empty()) streams.out << result.problem << "\n";
    for (size_t i = 0; i < result.history.size(); ++i) {
      streams.out << absl::StrFormat("%3d ", i + 1) << result.history[i] << "\n";
    }
    for (int side = 0; side < 2 && options.state && !result.history.empty(); ++side) {
      streams.out << "side " << side << ": " << result.state[side];
    }
    if (result.verdict != explore::Verdict::kHolds) exit = kMismatch;
    if (options.vector.empty() || written || result.history.empty()) continue;
    const absl::Status status = WriteFound(*s, result, options);
    if (!status.ok()) {
      streams.err << status.message() << "\n";
      return kBadInput;
    }
    written = true;
    streams.out << options.vector << " is written: `metaroce vector promote` takes it.\n";
  }
  if (!options.vector.empty() && !written) {
    streams.err << options.vector << " is not written: there is no history.\n";
  }
  return exit;
}

}  // namespace metaroce::cli
