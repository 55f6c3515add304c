// What came out of a simulation, and whether it is what the scenario expects.
#ifndef METAROCE_MODEL_SIM_RESULTS_H_
#define METAROCE_MODEL_SIM_RESULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/sim/metrics.h"
#include "model/sim/simulation.h"

namespace metaroce::sim {

// One path of one end of a connection that sent DATA.
struct PathResult {
  uint32_t flow = 0;
  uint8_t end = 0;
  uint8_t path = 0;
  const char* state = "";  // at the end of the run
  uint16_t entropy = 0;
  uint8_t plane = 0;
  uint32_t w = 0;          // Q16.16 packets
  uint32_t in_flight = 0;  // packets
  Nanoseconds srtt = 0;
  Nanoseconds minimum_rtt = 0;
  PathCounts counts;
};

struct FlowResult {
  uint32_t flow = 0;
  uint32_t from = 0;
  uint32_t to = 0;
  uint64_t completed = 0;  // messages
  uint64_t unique = 0;     // bytes
  uint64_t share_ppm = 0;  // of the line of one host, from the first work to the end
  uint64_t data = 0;       // packets, all transmissions
  uint64_t again = 0;
  uint64_t moved = 0;
  uint64_t lost = 0;
  uint64_t marked = 0;
  uint32_t active[2] = {0, 0};  // paths of each end
  bool failed = false;
};

// How the ACTIVE paths of the ends that sent DATA to another leaf (without spines: to another host)
// lie on the routes, plane and spine, between their hosts. Means in thousandths of a path.
struct RouteResult {
  uint64_t ends = 0;    // a connection that sends both ways has two
  uint32_t routes = 0;  // between two hosts
  uint64_t fullest_mean = 0;
  uint32_t fullest_most = 0;
  uint64_t emptiest_mean = 0;
  uint32_t emptiest_least = 0;
  uint64_t with_empty = 0;  // ends of which some route has no path
  // Of what arrived from an end in the second half, by wire size: the share of the route that
  // carried most and of that which carried least, means over the ends, and the greatest and least.
  uint64_t busiest_ppm = 0;
  uint64_t busiest_most_ppm = 0;
  uint64_t emptiest_ppm = 0;
  uint64_t emptiest_least_ppm = 0;
  uint64_t sharing = 0;  // ends of which something arrived then
};

struct Verdict {
  std::string goal;  // "goodput_min_ppm"
  uint64_t wanted = 0;
  uint64_t got = 0;
  bool never = false;  // it never came to that: `got` means nothing
  bool met = false;
};

struct Results {
  std::string title;
  uint64_t seed = 0;
  bool complete = false;
  Nanoseconds end = 0;
  Nanoseconds first_work = 0;  // kNever: there was none
  uint64_t events = 0;         // samples are none

  uint64_t line_mbps = 0;
  uint64_t goodput_ppm = 0;  // second half
  uint64_t goodput_total_ppm = 0;
  std::vector<uint32_t> windows;  // full ones, in ppm
  uint64_t window_ns = 0;
  Nanoseconds ramp = kNever;  // until the first window with 900,000 ppm
  // See Expect. kNever if the last window is below, and if none ends behind a fault of kind DOWN.
  Nanoseconds recovery = kNever;
  Nanoseconds hinted = kNever;  // see Expect::hint_max_ns
  uint64_t worst_host_ppm = 0;
  uint32_t worst_host = 0;
  uint64_t jain_ppm = 0;

  ClassCounts classes[3];
  uint64_t again = 0;
  uint64_t moved = 0;
  uint64_t data_lost = 0;
  uint64_t spurious = 0;
  uint64_t marked = 0;
  uint64_t corrupt = 0;
  uint64_t duplicated = 0;

  uint64_t messages = 0;  // completed
  Nanoseconds latency_mean = 0;
  Nanoseconds latency_median = 0;
  Nanoseconds latency_99 = 0;
  Nanoseconds latency_max = 0;

  uint64_t longest_queue = 0;  // bytes
  std::string longest_queue_at;
  uint64_t failed = 0;  // connections
  uint64_t unopened = 0;
  uint32_t paths_end_most = 0;
  uint32_t paths_most = 0;
  RouteResult routes;
  std::vector<FlowResult> flows;
  std::vector<PathResult> paths;
  std::vector<Verdict> verdicts;

  bool met() const;
};

// Of a simulation that has ended, or was stopped.
Results Summarise(const Simulation& simulation);

// For a person: the summary, the goals, and the first `rows` rows of the tables of connections and
// of paths. "met" and "MISSED" tell goals apart.
std::string ToText(const Results& results, size_t rows);

}  // namespace metaroce::sim

#endif  // METAROCE_MODEL_SIM_RESULTS_H_
