// metaroce sim: endpoints in a fabric of switches, by a scenario.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/sim/recorder.h"
#include "model/sim/results.h"
#include "model/sim/simulation.h"
#include "tools/metaroce/commands.h"
#include "tools/metaroce/scenario.h"
#include "vectors/json_tree.h"

namespace metaroce::cli {
namespace {

using vectors::JsonValue;

// Events between two looks at the clock and at signals.
constexpr uint64_t kChunk = 200000;
constexpr uint64_t kSamples = 500;

volatile std::sig_atomic_t interrupted = 0;
void Interrupt(int) { interrupted = 1; }

JsonValue Number(uint64_t n) { return JsonValue::Number(n); }
JsonValue Time(Nanoseconds t) {
  return t == kNever ? JsonValue() : Number(static_cast<uint64_t>(t));
}

JsonValue FlowsJson(const sim::Results& r) {
  JsonValue flows = JsonValue::Array();
  for (const sim::FlowResult& f : r.flows) {
    JsonValue flow = JsonValue::Object();
    flow.Add("from", Number(f.from));
    flow.Add("to", Number(f.to));
    flow.Add("messages", Number(f.completed));
    flow.Add("bytes", Number(f.unique));
    flow.Add("data", Number(f.data));
    flow.Add("again", Number(f.again));
    flow.Add("moved", Number(f.moved));
    flow.Add("lost", Number(f.lost));
    flow.Add("marked", Number(f.marked));
    flow.Add("failed", JsonValue::Bool(f.failed));
    flows.Add(flow);
  }
  return flows;
}

JsonValue PathsJson(const sim::Results& r) {
  JsonValue paths = JsonValue::Array();
  for (const sim::PathResult& p : r.paths) {
    JsonValue path = JsonValue::Object();
    path.Add("connection", Number(p.flow));
    path.Add("end", Number(p.end));
    path.Add("path", Number(p.path));
    path.Add("state", JsonValue::String(p.state));
    path.Add("entropy", Number(p.entropy));
    path.Add("plane", Number(p.plane));
    path.Add("spine", p.counts.route == UINT16_MAX ? JsonValue() : Number(p.counts.route));
    path.Add("data", Number(p.counts.data));
    path.Add("again", Number(p.counts.again));
    path.Add("lost", Number(p.counts.lost));
    path.Add("marked", Number(p.counts.marked));
    path.Add("w", Number(p.w));
    path.Add("in_flight", Number(p.in_flight));
    path.Add("srtt_ns", Time(p.srtt));
    path.Add("min_rtt_ns", Time(p.minimum_rtt));
    paths.Add(path);
  }
  return paths;
}

std::string ToJson(const sim::Results& r) {
  JsonValue root = JsonValue::Object();
  root.Add("title", JsonValue::String(r.title));
  root.Add("seed", Number(r.seed));
  root.Add("complete", JsonValue::Bool(r.complete));
  root.Add("met", JsonValue::Bool(r.met()));
  root.Add("end_ns", Time(r.end));
  root.Add("first_work_ns", Time(r.first_work));
  root.Add("events", Number(r.events));
  root.Add("line_mbps", Number(r.line_mbps));
  root.Add("goodput_ppm", Number(r.goodput_ppm));
  root.Add("goodput_total_ppm", Number(r.goodput_total_ppm));
  root.Add("busiest_route_ppm", Number(r.routes.busiest_ppm));
  root.Add("emptiest_route_ppm", Number(r.routes.emptiest_ppm));
  root.Add("ramp_ns", Time(r.ramp));
  root.Add("recovery_ns", Time(r.recovery));
  root.Add("worst_host_ppm", Number(r.worst_host_ppm));
  root.Add("jain_ppm", Number(r.jain_ppm));
  static constexpr const char* kClasses[] = {"data", "ack", "control"};
  for (size_t k = 0; k < 3; ++k) {
    JsonValue counts = JsonValue::Object();
    counts.Add("sent", Number(r.classes[k].sent));
    counts.Add("arrived", Number(r.classes[k].arrived));
    counts.Add("tail_drops", Number(r.classes[k].tail_drops));
    counts.Add("other_drops", Number(r.classes[k].other_drops));
    root.Add(kClasses[k], counts);
  }
  root.Add("again", Number(r.again));
  root.Add("moved", Number(r.moved));
  root.Add("data_lost", Number(r.data_lost));
  root.Add("spurious", Number(r.spurious));
  root.Add("marked", Number(r.marked));
  root.Add("corrupt", Number(r.corrupt));
  root.Add("messages", Number(r.messages));
  root.Add("latency_mean_ns", Time(r.latency_mean));
  root.Add("latency_99_ns", Time(r.latency_99));
  root.Add("longest_queue_bytes", Number(r.longest_queue));
  root.Add("failed", Number(r.failed));
  root.Add("paths_most", Number(r.paths_most));
  root.Add("paths_end", Number(r.paths_end_most));
  root.Add("hint_ns", Time(r.hinted));
  root.Add("window_ns", Number(r.window_ns));
  JsonValue windows = JsonValue::Array();
  for (const uint32_t ppm : r.windows) windows.Add(Number(ppm));
  root.Add("windows_ppm", windows);
  JsonValue goals = JsonValue::Array();
  for (const sim::Verdict& v : r.verdicts) {
    JsonValue goal = JsonValue::Object();
    goal.Add("goal", JsonValue::String(v.goal));
    goal.Add("wanted", Number(v.wanted));
    goal.Add("got", v.never ? JsonValue() : Number(v.got));
    goal.Add("met", JsonValue::Bool(v.met));
    goals.Add(goal);
  }
  root.Add("goals", goals);
  root.Add("connections", FlowsJson(r));
  root.Add("paths", PathsJson(r));
  return vectors::WriteJson(root);
}

bool SameFile(const std::string& a, const std::string& b) {
  std::error_code none;
  return std::filesystem::weakly_canonical(a, none) == std::filesystem::weakly_canonical(b, none) ||
         std::filesystem::equivalent(a, b, none);
}

// No output may be written over the scenario or another output.
absl::Status CheckOutputs(const SimOptions& options) {
  const std::pair<const char*, const std::string*> files[] = {{"the scenario", &options.scenario},
                                                              {"--pcapng", &options.pcapng},
                                                              {"--events", &options.events},
                                                              {"--plot", &options.plot}};
  for (size_t i = 1; i < std::size(files); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (files[i].second->empty() || files[j].second->empty()) continue;
      // A device may take any number of them.
      if (std::error_code none; std::filesystem::is_character_file(*files[i].second, none))
        continue;
      if (!SameFile(*files[i].second, *files[j].second)) continue;
      return absl::InvalidArgumentError(absl::StrCat(files[i].first, " is ", *files[i].second,
                                                     ", which is ", files[j].first,
                                                     "; it must be another file."));
    }
  }
  return absl::OkStatus();
}

// Files that are written while the simulation runs, or behind it.
class Files {
 public:
  absl::Status Open(const SimOptions& options) {
    for (const auto& [name, file] : {std::pair{&options.pcapng, &pcapng_},
                                     {&options.events, &events_},
                                     {&options.plot, &plot_}}) {
      if (name->empty()) continue;
      errno = 0;
      file->open(*name, std::ios::binary | std::ios::trunc);
      if (!*file) return Unwritable(*name);
    }
    return absl::OkStatus();
  }
  sim::Recorder::Options Wanted(const SimOptions& options) {
    return {.pcapng = options.pcapng.empty() ? nullptr : &pcapng_,
            .events = options.events.empty() ? nullptr : &events_,
            .samples = !options.plot.empty(),
            .connection = options.connection,
            .end = options.responder ? 1 : 0};
  }
  std::ostream& plot() { return plot_; }
  // The first that is not whole. What is there of it stays: it may be a long run's.
  absl::Status Close(const SimOptions& options) {
    absl::Status status;
    for (const auto& [name, file] : {std::pair{&options.pcapng, &pcapng_},
                                     {&options.events, &events_},
                                     {&options.plot, &plot_}}) {
      if (name->empty()) continue;
      errno = 0;
      file->close();
      if (!*file && status.ok()) status = Unwritable(*name, "is not whole: it cannot be written");
    }
    return status;
  }

 private:
  static absl::Status Unwritable(const std::string& name,
                                 absl::string_view what = "cannot be written") {
    const std::string why = errno == 0 ? "" : absl::StrCat(": ", std::strerror(errno));
    return absl::InvalidArgumentError(absl::StrCat(name, " ", what, why, "."));
  }
  std::ofstream pcapng_;
  std::ofstream events_;
  std::ofstream plot_;
};

// Until it is over, or somebody presses Ctrl-C.
void RunAll(sim::Simulation* simulation, const Streams& streams) {
  const auto end = static_cast<Nanoseconds>(simulation->scenario().end_ns());
  uint64_t chunks = 0;
  while (interrupted == 0 && simulation->Run(kChunk)) {
    if (!streams.progress || ++chunks % 5 != 0) continue;
    streams.err << absl::StrFormat("\r%3d %% of %d us, %d events ", simulation->now() * 100 / end,
                                   end / 1000, simulation->fabric().steps())
                << std::flush;
  }
  if (streams.progress && chunks >= 5) streams.err << "\r" << std::string(60, ' ') << "\r";
}

}  // namespace

int Sim(const SimOptions& options, const Streams& streams) {
  if (options.entropy) return Entropy(options, streams);
  if (options.seeds != 0 || options.routes_given || options.hash_given) {
    streams.err << "--seeds, --routes and --hash belong to --entropy.\n";
    return kBadInput;
  }
  const auto refuse = [&](const absl::Status& status) {
    streams.err << status.message() << "\n";
    return kBadInput;
  };
  if (options.scenario.empty()) {
    return refuse(absl::InvalidArgumentError("A scenario is wanted, or --entropy."));
  }
  if (absl::Status status = CheckOutputs(options); !status.ok()) return refuse(status);
  const absl::StatusOr<sim::Scenario> scenario = LoadScenario(options);
  if (!scenario.ok()) return refuse(scenario.status());
  const bool samples = !options.plot.empty() || !options.events.empty();
  const absl::StatusOr<std::unique_ptr<sim::Simulation>> made = sim::Simulation::Make(
      *scenario, {.sample = samples ? static_cast<Nanoseconds>(
                                          std::max<uint64_t>(100, scenario->end_ns() / kSamples))
                                    : 0});
  if (!made.ok()) return refuse(made.status());
  sim::Simulation& simulation = **made;
  if (options.connection >= simulation.flows().size()) {
    return refuse(absl::InvalidArgumentError(
        absl::StrCat("--connection is ", options.connection, "; the scenario has ",
                     simulation.flows().size(), ", counted from 0.")));
  }
  Files files;
  if (absl::Status status = files.Open(options); !status.ok()) return refuse(status);
  sim::Recorder recorder(simulation, files.Wanted(options));
  if (samples || !options.pcapng.empty()) simulation.set_listener(&recorder);
  interrupted = 0;
  const auto before = std::signal(SIGINT, Interrupt);
  RunAll(&simulation, streams);
  std::signal(SIGINT, before);
  recorder.Finish();
  if (!options.plot.empty()) {
    files.plot() << sim::ToSvg(
        recorder.samples(), absl::StrCat(scenario->title(), ", connection ", options.connection));
  }
  const absl::Status written = files.Close(options);
  const sim::Results results = sim::Summarise(simulation);
  const bool whole = interrupted == 0;
  if (!whole) streams.err << "Interrupted: these results are of a part of the run.\n";
  streams.out << (options.json ? ToJson(results) : sim::ToText(results, options.rows));
  if (!written.ok()) return refuse(written);
  return whole && results.met() ? kOk : kMismatch;
}

}  // namespace metaroce::cli
