// metaroce sim: endpoints in a fabric of switches, by a scenario.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

// Files that are written while the simulation runs, or behind it.
//
// They are opened without a change of any. Only when all are open and no two of them are one, nor
// one the scenario, what was in them goes; before that, a refusal leaves all as it was.
class Files {
 public:
  explicit Files(const SimOptions& options)
      : scenario_(options.scenario),
        all_{{{"--pcapng", options.pcapng},
              {"--events", options.events},
              {"--plot", options.plot}}} {}

  absl::Status Open() {
    for (Output& output : all_) {
      if (output.name.empty()) continue;
      if (output.name == "-") {
        return Undo(absl::InvalidArgumentError(absl::StrCat(
            output.option, " is -; standard output has the summary, so it must be a file.")));
      }
      if (absl::Status status = Touch(&output); !status.ok()) return Undo(status);
    }
    if (absl::Status status = CheckApart(); !status.ok()) return Undo(status);
    // Devices first: the others cannot fail any more, if nobody takes them away.
    for (const bool regular : {false, true}) {
      for (Output& output : all_) {
        if (output.name.empty() || output.regular != regular) continue;
        errno = 0;
        output.file.open(output.name, std::ios::binary | std::ios::trunc);
        if (!output.file) return Undo(Unwritable(output.name));
      }
    }
    return absl::OkStatus();
  }
  sim::Recorder::Options Wanted(const SimOptions& options) {
    return {.pcapng = options.pcapng.empty() ? nullptr : &all_[0].file,
            .events = options.events.empty() ? nullptr : &all_[1].file,
            .samples = !options.plot.empty(),
            .connection = options.connection,
            .end = options.responder ? 1 : 0};
  }
  std::ostream& plot() { return all_[2].file; }
  // The first that is not whole. What is there of it stays: it may be a long run's.
  absl::Status Close() {
    absl::Status status;
    for (Output& output : all_) {
      if (output.name.empty()) continue;
      errno = 0;
      output.file.close();
      if (!output.file && status.ok()) {
        status = Unwritable(output.name, "is not whole: it cannot be written");
      }
    }
    return status;
  }

 private:
  struct Output {
    const char* option;
    std::string name;  // empty: it is not wanted
    std::ofstream file = {};
    bool regular = false;
    struct stat stat = {};
    std::string made = {};  // what was made for it and was not there before
  };

  static absl::Status Unwritable(const std::string& name,
                                 absl::string_view what = "cannot be written") {
    const std::string why = errno == 0 ? "" : absl::StrCat(": ", std::strerror(errno));
    return absl::InvalidArgumentError(absl::StrCat(name, " ", what, why, "."));
  }

  // Makes the file if it is not there, and learns which it is. A device and a pipe are left alone:
  // who waits for them would see that they are opened.
  static absl::Status Touch(Output* output) {
    const char* name = output->name.c_str();
    const bool there = ::stat(name, &output->stat) == 0;
    if (there && !S_ISREG(output->stat.st_mode) && !S_ISDIR(output->stat.st_mode)) {
      return absl::OkStatus();
    }
    errno = 0;
    const int fd = ::open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return Unwritable(output->name);
    output->regular = true;
    // Behind a link that led nowhere it is not `name` that was made.
    std::error_code none;
    if (!there) output->made = std::filesystem::canonical(output->name, none).string();
    const bool known = ::fstat(fd, &output->stat) == 0;
    ::close(fd);
    return known ? absl::OkStatus() : Unwritable(output->name);
  }

  static bool Same(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  }

  // No output may be written over the scenario or another output.
  absl::Status CheckApart() const {
    struct stat scenario;
    const bool known = scenario_ == "-" ? ::fstat(STDIN_FILENO, &scenario) == 0
                                        : ::stat(scenario_.c_str(), &scenario) == 0;
    for (size_t i = 0; i < all_.size(); ++i) {
      if (!all_[i].regular) continue;
      const char* other = known && Same(all_[i].stat, scenario) ? "the scenario" : nullptr;
      for (size_t j = 0; j < i && other == nullptr; ++j) {
        if (all_[j].regular && Same(all_[i].stat, all_[j].stat)) other = all_[j].option;
      }
      if (other == nullptr) continue;
      return absl::InvalidArgumentError(absl::StrCat(all_[i].option, " is ", all_[i].name,
                                                     ", which is ", other,
                                                     "; it must be another file."));
    }
    return absl::OkStatus();
  }

  absl::Status Undo(const absl::Status& status) {
    std::error_code none;
    for (const Output& output : all_) {
      if (!output.made.empty()) std::filesystem::remove(output.made, none);
    }
    return status;
  }

  std::string scenario_;
  std::array<Output, 3> all_;
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
  if ((options.connection_given || options.responder) && options.plot.empty() &&
      options.events.empty()) {
    return refuse(absl::InvalidArgumentError(
        absl::StrCat(options.connection_given ? "--connection" : "--responder",
                     " is there; it chooses what --plot and --events show, and neither is.")));
  }
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
  Files files(options);
  if (absl::Status status = files.Open(); !status.ok()) return refuse(status);
  sim::Recorder recorder(simulation, files.Wanted(options));
  if (samples || !options.pcapng.empty()) simulation.set_listener(&recorder);
  interrupted = 0;
  const auto before = std::signal(SIGINT, Interrupt);
  RunAll(&simulation, streams);
  std::signal(SIGINT, before);
  recorder.Finish();
  if (!options.plot.empty()) {
    files.plot() << sim::ToSvg(
        recorder.samples(), sim::MarksOf(*scenario),
        absl::StrCat(scenario->title(), ", connection ", options.connection));
  }
  const absl::Status written = files.Close();
  const sim::Results results = sim::Summarise(simulation);
  const bool whole = interrupted == 0;
  if (!whole) streams.err << "Interrupted: these results are of a part of the run.\n";
  streams.out << (options.json ? ToJson(results) : sim::ToText(results, options.rows));
  if (!written.ok()) return refuse(written);
  return whole && results.met() ? kOk : kMismatch;
}

}  // namespace metaroce::cli
