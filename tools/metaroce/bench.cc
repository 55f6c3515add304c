// metaroce bench: how fast the model is, two endpoints back to back.
#include <time.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/bench/back_to_back.h"
#include "tools/metaroce/commands.h"
#include "vectors/json_tree.h"

namespace metaroce::cli {
namespace {

using vectors::JsonValue;

struct Measured {
  bench::Arrived arrived;  // during the measurement
  double seconds = 0;
};

bench::Arrived operator-(const bench::Arrived& a, const bench::Arrived& b) {
  return {a.data - b.data, a.acks - b.acks, a.others - b.others};
}

// Processor time of this thread: what its neighbours on the machine take is not counted.
double ProcessorSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

absl::StatusOr<Measured> Measure(const bench::Case& c, uint64_t packets) {
  bench::BackToBack pair(c.load);
  if (absl::Status status = pair.Open(); !status.ok()) return status;
  // Until every connection has been served and nothing grows any more.
  pair.Run(20000 + uint64_t{40} * c.load.connections);
  const bench::Arrived before = pair.arrived();
  const double start = ProcessorSeconds();
  pair.Measure(packets);
  Measured measured;
  measured.seconds = ProcessorSeconds() - start;
  measured.arrived = pair.arrived() - before;
  return measured;
}

JsonValue ToJson(const bench::Case& c, const Measured& m) {
  JsonValue value = JsonValue::Object();
  value.Add("case", JsonValue::String(std::string(c.name)));
  value.Add("connections", JsonValue::Number(c.load.connections));
  value.Add("paths", JsonValue::Number(c.load.paths));
  value.Add("packets", JsonValue::Number(m.arrived.all()));
  value.Add("data", JsonValue::Number(m.arrived.data));
  value.Add("acks", JsonValue::Number(m.arrived.acks));
  value.Add("nanoseconds", JsonValue::Number(static_cast<uint64_t>(m.seconds * 1e9)));
  return value;
}

}  // namespace

int Bench(const BenchOptions& options, const Streams& streams) {
  std::vector<const bench::Case*> chosen;
  for (const std::string& name : options.cases) {
    const size_t before = chosen.size();
    for (const bench::Case& c : bench::Cases()) {
      if (c.name == name) chosen.push_back(&c);
    }
    if (chosen.size() > before) continue;
    streams.err << "There is no case \"" << name << "\". These are built in:";
    for (const bench::Case& c : bench::Cases()) streams.err << " " << c.name;
    streams.err << "\n";
    return kBadInput;
  }
  if (options.cases.empty()) {
    for (const bench::Case& c : bench::Cases()) chosen.push_back(&c);
  }
  if (!options.json) {
    streams.out << absl::StrFormat("%-17s %11s %6s %10s %10s %10s %9s %11s\n", "case",
                                   "connections", "paths", "packets", "data", "acks", "seconds",
                                   "packets/s");
  }
  JsonValue cases = JsonValue::Array();
  for (const bench::Case* c : chosen) {
    absl::StatusOr<Measured> m = Measure(*c, options.packets);
    for (uint64_t i = 1; m.ok() && i < options.repeat; ++i) {
      const absl::StatusOr<Measured> again = Measure(*c, options.packets);
      if (!again.ok() || again->seconds < m->seconds) m = again;
    }
    if (!m.ok()) {
      streams.err << c->name << ": " << m.status().message() << "\n";
      return kMismatch;
    }
    if (options.json) {
      cases.Add(ToJson(*c, *m));
      continue;
    }
    const uint64_t packets = m->arrived.all();
    streams.out << absl::StrFormat("%-17s %11d %6d %10d %10d %10d %9.3f %11.0f\n", c->name,
                                   c->load.connections, c->load.paths, packets, m->arrived.data,
                                   m->arrived.acks, m->seconds,
                                   static_cast<double>(packets) / m->seconds)
                << std::flush;
  }
  if (options.json) {
    JsonValue root = JsonValue::Object();
    root.Add("cases", cases);
    streams.out << vectors::WriteJson(root);
  }
  return kOk;
}

}  // namespace metaroce::cli
