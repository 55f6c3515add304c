// metaroce bench: how fast the model is: two endpoints back to back, and the fabric.
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "model/bench/back_to_back.h"
#include "model/bench/fabric_load.h"
#include "tools/metaroce/commands.h"
#include "vectors/json_tree.h"

namespace metaroce::cli {
namespace {

using vectors::JsonValue;

// Of either kind.
struct Chosen {
  absl::string_view name;
  uint32_t connections = 0;
  uint32_t paths = 0;
  const bench::Case* pair = nullptr;
  const bench::FabricCase* fabric = nullptr;
};

struct Measured {
  bench::Passed passed;  // during the measurement
  double seconds = 0;
};

// Seconds that this thread had a processor.
double ProcessorTime() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

bench::Passed PassedOf(const bench::Arrived& a) { return {a.data, a.acks, a.others, 0}; }

template <typename Load, typename PassedOfLoad>
Measured Measure(Load& load, uint64_t packets, PassedOfLoad passed) {
  const bench::Passed before = passed();
  const double start = ProcessorTime();
  load.Measure(packets);
  Measured m;
  m.seconds = ProcessorTime() - start;
  const bench::Passed after = passed();
  m.passed = {after.data - before.data, after.acks - before.acks, after.others - before.others,
              after.steps - before.steps};
  return m;
}

absl::StatusOr<Measured> MeasurePair(const bench::Case& c, uint64_t packets) {
  bench::BackToBack pair(c.load);
  if (absl::Status status = pair.Open(); !status.ok()) return status;
  // Until every connection has been served and nothing grows any more.
  pair.Run(20000 + uint64_t{40} * c.load.connections);
  return Measure(pair, packets, [&] { return PassedOf(pair.arrived()); });
}

Measured MeasureFabric(const bench::FabricCase& c, uint64_t packets) {
  const std::unique_ptr<bench::FabricLoad> load = bench::FabricLoad::Make(c);
  load->Run(c.warm_up);
  return Measure(*load, packets, [&] { return load->passed(); });
}

// The fastest of some runs.
absl::StatusOr<Measured> Best(const Chosen& c, const BenchOptions& options) {
  std::optional<Measured> best;
  for (uint64_t run = 0; run < options.runs; ++run) {
    const absl::StatusOr<Measured> m = c.pair != nullptr
                                           ? MeasurePair(*c.pair, options.packets)
                                           : MeasureFabric(*c.fabric, options.packets);
    if (!m.ok()) return m.status();
    if (!best || m->seconds < best->seconds) best = *m;
  }
  return *best;
}

std::vector<Chosen> AllCases() {
  std::vector<Chosen> all;
  for (const bench::Case& c : bench::Cases()) {
    all.push_back({c.name, c.load.connections, c.load.paths, &c, nullptr});
  }
  for (const bench::FabricCase& c : bench::FabricCases()) {
    all.push_back({c.name, c.connections, c.paths, nullptr, &c});
  }
  return all;
}

JsonValue ToJson(const Chosen& c, const Measured& m) {
  JsonValue value = JsonValue::Object();
  value.Add("case", JsonValue::String(std::string(c.name)));
  value.Add("connections", JsonValue::Number(c.connections));
  value.Add("paths", JsonValue::Number(c.paths));
  value.Add("packets", JsonValue::Number(m.passed.packets()));
  value.Add("data", JsonValue::Number(m.passed.data));
  value.Add("acks", JsonValue::Number(m.passed.acks));
  value.Add("steps", JsonValue::Number(m.passed.steps));
  value.Add("nanoseconds", JsonValue::Number(static_cast<uint64_t>(m.seconds * 1e9)));
  return value;
}

void Head(const Streams& streams) {
  streams.out << absl::StrFormat("%-17s %11s %6s %10s %10s %10s %9s %11s %11s\n", "case",
                                 "connections", "paths", "packets", "data", "acks", "seconds",
                                 "packets/s", "steps/s");
}

void Row(const Chosen& c, const Measured& m, const Streams& streams) {
  const auto rate = [&](uint64_t n) {
    return n == 0 ? std::string("-") : absl::StrFormat("%.0f", static_cast<double>(n) / m.seconds);
  };
  streams.out << absl::StrFormat("%-17s %11d %6d %10d %10d %10d %9.3f %11s %11s\n", c.name,
                                 c.connections, c.paths, m.passed.packets(), m.passed.data,
                                 m.passed.acks, m.seconds, rate(m.passed.packets()),
                                 rate(m.passed.steps))
              << std::flush;
}

}  // namespace

int Bench(const BenchOptions& options, const Streams& streams) {
  const std::vector<Chosen> all = AllCases();
  std::vector<Chosen> chosen;
  for (const std::string& name : options.cases) {
    const size_t before = chosen.size();
    for (const Chosen& c : all) {
      if (c.name == name) chosen.push_back(c);
    }
    if (chosen.size() > before) continue;
    streams.err << "There is no case \"" << name << "\". These are built in:";
    for (const Chosen& c : all) streams.err << " " << c.name;
    streams.err << "\n";
    return kBadInput;
  }
  if (options.cases.empty()) chosen = all;
  if (!options.json) Head(streams);
  JsonValue cases = JsonValue::Array();
  for (const Chosen& c : chosen) {
    const absl::StatusOr<Measured> m = Best(c, options);
    if (!m.ok()) {
      streams.err << c.name << ": " << m.status().message() << "\n";
      return kMismatch;
    }
    if (options.json) {
      cases.Add(ToJson(c, *m));
    } else {
      Row(c, *m, streams);
    }
  }
  if (options.json) {
    JsonValue root = JsonValue::Object();
    root.Add("cases", cases);
    streams.out << vectors::WriteJson(root);
  }
  return kOk;
}

}  // namespace metaroce::cli
