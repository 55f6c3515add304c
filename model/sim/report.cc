// Results as a text for a person.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/sim/results.h"

namespace metaroce::sim {
namespace {

// "97.34 %" of 973412 ppm, rounded down: nothing looks better than it is.
std::string Percent(uint64_t ppm) {
  return absl::StrFormat("%d.%02d %%", ppm / 10000, ppm % 10000 / 100);
}
// "12.345 us"
std::string Time(Nanoseconds t) {
  if (t == kNever) return "never";
  return absl::StrFormat("%d.%03d us", t / 1000, t % 1000);
}
std::string Packets(uint32_t w) {
  return absl::StrFormat("%d.%02d", w >> 16, (w & 0xFFFF) * 100 >> 16);
}
std::string Thousandths(uint64_t n) { return absl::StrFormat("%d.%03d", n / 1000, n % 1000); }

void Line(std::string* out, const char* name, const std::string& text) {
  absl::StrAppendFormat(out, "%-12s %s\n", name, text);
}

void Head(const Results& r, std::string* out) {
  Line(out, "scenario", absl::StrCat(r.title.empty() ? "(no title)" : r.title, ", seed ", r.seed));
  Line(out, "time",
       absl::StrCat(Time(r.end), r.complete ? ", all work complete" : ", work was left", "; ",
                    r.events, " events"));
  if (r.first_work == kNever) {
    Line(out, "goodput", "no connection was open before the end");
    return;
  }
  std::string goodput = absl::StrCat(Percent(r.goodput_total_ppm), " of ", r.line_mbps,
                                     " Mb/s from ", Time(r.first_work), " on; second half ",
                                     Percent(r.goodput_ppm), "; 90 % after ", Time(r.ramp));
  Line(out, "goodput", goodput);
  Line(out, "fairness",
       absl::StrCat("Jain ", absl::StrFormat("%d.%06d", r.jain_ppm / 1000000, r.jain_ppm % 1000000),
                    "; worst host ", r.worst_host, " with ", Percent(r.worst_host_ppm)));
  if (r.hinted != kNever) {
    Line(out, "hints",
         absl::StrCat("all senders have their share ", Time(r.hinted),
                      " after the last of them began"));
  }
  Line(out, "messages",
       absl::StrCat(r.messages, " complete; mean ", Time(r.latency_mean), ", median ",
                    Time(r.latency_median), ", 99 % ", Time(r.latency_99), ", longest ",
                    Time(r.latency_max)));
}

void Traffic(const Results& r, std::string* out) {
  static constexpr const char* kNames[] = {"DATA", "ACK", "control"};
  for (size_t k = 0; k < 3; ++k) {
    const ClassCounts& c = r.classes[k];
    Line(out, kNames[k],
         absl::StrCat(c.sent, " sent, ", c.arrived, " arrived, ", c.tail_drops,
                      " dropped by full queues, ", c.other_drops, " lost otherwise"));
  }
  Line(out, "again",
       absl::StrCat(r.again - r.moved, " retransmitted, ", r.moved, " moved; DATA lost ",
                    r.data_lost, "; had already ", r.spurious, "; marked ", r.marked, "; corrupt ",
                    r.corrupt, ", duplicated ", r.duplicated));
  Line(out, "queues",
       r.longest_queue_at.empty()
           ? "nothing waited"
           : absl::StrCat("longest ", r.longest_queue, " bytes, ", r.longest_queue_at));
  Line(out, "connections",
       absl::StrCat(r.flows.size(), "; ", r.failed, " failed, ", r.unopened,
                    " never opened; at most ", r.paths_most, " paths, at the end ",
                    r.paths_end_most));
  if (r.routes.ends == 0) return;
  Line(out, "routes",
       absl::StrCat(r.routes.routes, "; directions with DATA: ", r.routes.ends,
                    ", paths on the fullest ", Thousandths(r.routes.fullest_mean), " (most ",
                    r.routes.fullest_most, "), on the emptiest ",
                    Thousandths(r.routes.emptiest_mean), " (least ", r.routes.emptiest_least,
                    "); with an empty route: ", r.routes.with_empty));
  if (r.routes.sharing == 0) return;
  Line(out, "shares",
       absl::StrCat(
           "directions: ", r.routes.sharing, ", bytes of the second half on the busiest route ",
           Percent(r.routes.busiest_ppm), " (most ", Percent(r.routes.busiest_most_ppm),
           "), on the emptiest ", Percent(r.routes.emptiest_ppm), " (least ",
           Percent(r.routes.emptiest_least_ppm), "); equal ", Percent(1000000 / r.routes.routes)));
}

void Goals(const Results& r, std::string* out) {
  for (const Verdict& v : r.verdicts) {
    absl::StrAppendFormat(out, "%-12s %-22s wanted %11d, got %11s\n", v.met ? "met" : "MISSED",
                          v.goal, v.wanted, v.never ? "never" : absl::StrCat(v.got));
  }
}

void More(size_t left, std::string* out) {
  if (left > 0) absl::StrAppend(out, "... ", left, " more\n");
}

void Connections(const Results& r, size_t rows, std::string* out) {
  if (r.flows.size() < 2 || rows == 0) return;
  absl::StrAppendFormat(out, "\n%10s %6s %6s %9s %9s %10s %7s %6s %7s %8s %6s\n", "connection",
                        "from", "to", "messages", "goodput", "DATA", "again", "moved", "lost",
                        "marked", "paths");
  for (size_t i = 0; i < r.flows.size() && i < rows; ++i) {
    const FlowResult& f = r.flows[i];
    absl::StrAppendFormat(out, "%10d %6d %6d %9d %9s %10d %7d %6d %7d %8d %6d%s\n", f.flow, f.from,
                          f.to, f.completed, Percent(f.share_ppm), f.data, f.again, f.moved, f.lost,
                          f.marked, std::max(f.active[0], f.active[1]), f.failed ? " FAILED" : "");
  }
  More(r.flows.size() > rows ? r.flows.size() - rows : 0, out);
}

void Paths(const Results& r, size_t rows, std::string* out) {
  if (r.paths.empty() || rows == 0) return;
  absl::StrAppendFormat(out, "\n%10s %4s %4s %-16s %7s %5s %5s %8s %6s %6s %6s %7s %6s %11s\n",
                        "connection", "host", "path", "state", "entropy", "plane", "spine", "DATA",
                        "again", "lost", "marked", "w", "flight", "SRTT");
  for (size_t i = 0; i < r.paths.size() && i < rows; ++i) {
    const PathResult& p = r.paths[i];
    const FlowResult& f = r.flows[p.flow];
    const bool none = p.counts.route == UINT16_MAX;
    absl::StrAppendFormat(out, "%10d %4d %4d %-16s %7d %5d %5s %8d %6d %6d %6d %7s %6d %11s\n",
                          p.flow, p.end == 0 ? f.from : f.to, p.path, p.state, p.entropy, p.plane,
                          none ? "-" : absl::StrCat(p.counts.route), p.counts.data, p.counts.again,
                          p.counts.lost, p.counts.marked, Packets(p.w), p.in_flight, Time(p.srtt));
  }
  More(r.paths.size() > rows ? r.paths.size() - rows : 0, out);
}

}  // namespace

std::string ToText(const Results& r, size_t rows) {
  std::string out;
  Head(r, &out);
  Traffic(r, &out);
  Goals(r, &out);
  Connections(r, rows, &out);
  Paths(r, rows, &out);
  return out;
}

}  // namespace metaroce::sim
