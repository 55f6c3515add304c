#include "model/sim/results.h"

#include <algorithm>
#include <utility>

namespace metaroce::sim {
namespace {

using fabric::LinkKind;
using spec::Counter;

// Goodput over time.
class Goodput {
 public:
  Goodput(const Simulation& sim, Results* results) : sim_(sim), r_(*results) {
    width_ = static_cast<Nanoseconds>(sim.scenario().window_ns());
    hosts_ = sim.scenario().fabric().hosts();
    port_mbps_ = uint64_t{sim.scenario().fabric().host_link().rate_mbps()} *
                 sim.scenario().fabric().planes();
    for (uint32_t h = 0; h < hosts_; ++h) {
      if (sim.Receives(h)) receivers_.push_back(h);
    }
    r_.window_ns = sim.scenario().window_ns();
    r_.line_mbps = sim.scenario().line_mbps() != 0 ? sim.scenario().line_mbps()
                                                   : port_mbps_ * receivers_.size();
  }

  void Measure() {
    if (r_.first_work == kNever || r_.end <= r_.first_work) return;
    const Nanoseconds time = r_.end - r_.first_work;
    const auto full = static_cast<size_t>(time / width_);
    uint64_t total = 0;
    for (const Flow& flow : sim_.flows()) total += flow.unique;
    r_.goodput_total_ppm = Millionths(total, BytesIn(r_.line_mbps, time));
    for (size_t i = 0; i < full; ++i) {
      uint64_t bytes = 0;
      for (uint32_t h : receivers_) bytes += In(h, i, i + 1);
      r_.windows.push_back(static_cast<uint32_t>(Millionths(bytes, BytesIn(r_.line_mbps, width_))));
    }
    const size_t half = (full + 1) / 2;
    if (full < 2) {
      r_.goodput_ppm = r_.goodput_total_ppm;
      return Hosts(0, full + 1, time);
    }
    const Nanoseconds steady = static_cast<Nanoseconds>(full - half) * width_;
    uint64_t bytes = 0;
    for (uint32_t h : receivers_) bytes += In(h, half, full);
    r_.goodput_ppm = Millionths(bytes, BytesIn(r_.line_mbps, steady));
    Hosts(half, full, steady);
    Ramp();
  }

 private:
  uint64_t In(uint32_t host, size_t from, size_t to) const {
    const std::vector<uint64_t>& windows = sim_.Windows(host);
    uint64_t bytes = 0;
    for (size_t i = from; i < std::min(to, windows.size()); ++i) bytes += windows[i];
    return bytes;
  }
  void Hosts(size_t from, size_t to, Nanoseconds time) {
    r_.worst_host_ppm = UINT64_MAX;
    for (uint32_t h : receivers_) {
      const uint64_t ppm = Millionths(In(h, from, to), BytesIn(port_mbps_, time));
      if (ppm >= r_.worst_host_ppm) continue;
      r_.worst_host_ppm = ppm;
      r_.worst_host = h;
    }
  }
  void Ramp() {
    const auto begins = [&](size_t i) { return static_cast<Nanoseconds>(i) * width_; };
    for (size_t i = 0; i < r_.windows.size() && r_.ramp == kNever; ++i) {
      if (r_.windows[i] >= 900000) r_.ramp = begins(i);
    }
    Nanoseconds fault = kNever;
    for (const Fault& f : sim_.scenario().fault()) {
      if (f.kind() == DOWN) fault = std::min(fault, static_cast<Nanoseconds>(f.from_ns()));
    }
    for (size_t i = 0; i < r_.windows.size(); ++i) {
      const Nanoseconds ends = r_.first_work + begins(i + 1);
      if (ends <= fault) continue;
      // Unless a window behind the fault says so, nobody knows that all is well.
      if (r_.recovery == kNever) r_.recovery = 0;
      if (r_.windows[i] < sim_.scenario().expect().recover_ppm()) {
        r_.recovery = i + 1 == r_.windows.size() ? kNever : ends - fault;
      }
    }
  }

  const Simulation& sim_;
  Results& r_;
  Nanoseconds width_ = 1;
  uint32_t hosts_ = 0;
  uint64_t port_mbps_ = 0;
  std::vector<uint32_t> receivers_;
};

void Fairness(const Simulation& sim, Results* r) {
  const Nanoseconds time = r->first_work == kNever ? 0 : r->end - r->first_work;
  std::vector<uint64_t> shares;
  for (const Flow& flow : sim.flows()) shares.push_back(flow.pieces.Since(time / 2));
  r->jain_ppm = Jain(shares);
}

void Hints(const Simulation& sim, Results* r) {
  Nanoseconds start = 0;
  Nanoseconds hinted = 0;
  for (const Flow& flow : sim.flows()) {
    if (flow.first_post == kNever || flow.hinted == kNever) return;
    start = std::max(start, flow.first_post);
    hinted = std::max(hinted, flow.hinted);
  }
  r->hinted = std::max<Nanoseconds>(0, hinted - start);
}

void Queues(const Simulation& sim, Results* r) {
  for (uint32_t link = 0; link < sim.fabric().links(); ++link) {
    if (sim.fabric().KindOf(link) == LinkKind::kHostUp) continue;
    const fabric::LinkCounts& counts = sim.fabric().CountsOf(link);
    if (counts.longest_bytes <= r->longest_queue) continue;
    r->longest_queue = counts.longest_bytes;
    r->longest_queue_at = sim.fabric().NameOf(link);
  }
}

void Path(const endpoint::Connection* c, PathResult* path) {
  path->state = "-";
  if (c == nullptr || path->path >= c->out.size()) return;
  const SendPath& from = c->out[path->path];
  path->state = spec::Name(from.state).data();
  path->entropy = from.route.entropy;
  path->plane = from.route.plane;
  if (!from.context) return;
  path->w = from.context->congestion.w;
  path->in_flight = from.context->window.in_flight();
  path->srtt = from.context->rtt.srtt();
  path->minimum_rtt = from.context->rtt.minimum();
}

void AddRoutes(const endpoint::Connection& c, const std::vector<PathCounts>& counts,
               uint32_t spines, uint32_t planes, RouteResult* routes) {
  std::vector<uint32_t> on(size_t{std::max(1u, spines)} * planes);
  for (size_t q = 0; q < c.out.size() && q < counts.size(); ++q) {
    if (!IsActive(c.out[q].state) || counts[q].data == 0) continue;
    const uint32_t spine = counts[q].route == UINT16_MAX ? 0 : counts[q].route;
    ++on[c.out[q].route.plane * std::max(1u, spines) + spine];
  }
  const uint32_t fullest = *std::max_element(on.begin(), on.end());
  const uint32_t emptiest = *std::min_element(on.begin(), on.end());
  routes->routes = static_cast<uint32_t>(on.size());
  routes->emptiest_least =
      routes->ends == 0 ? emptiest : std::min(routes->emptiest_least, emptiest);
  ++routes->ends;
  routes->fullest_most = std::max(routes->fullest_most, fullest);
  routes->fullest_mean += fullest;
  routes->emptiest_mean += emptiest;
  routes->with_empty += emptiest == 0 ? 1 : 0;
}

void AddShares(const std::vector<uint64_t>& bytes, RouteResult* routes) {
  uint64_t all = 0;
  for (const uint64_t b : bytes) all += b;
  if (all == 0) return;
  const uint64_t busiest = Millionths(*std::max_element(bytes.begin(), bytes.end()), all);
  const uint64_t emptiest = Millionths(*std::min_element(bytes.begin(), bytes.end()), all);
  routes->emptiest_least_ppm =
      routes->sharing == 0 ? emptiest : std::min(routes->emptiest_least_ppm, emptiest);
  routes->busiest_most_ppm = std::max(routes->busiest_most_ppm, busiest);
  routes->busiest_ppm += busiest;
  routes->emptiest_ppm += emptiest;
  ++routes->sharing;
}

// Within a leaf no spine is crossed. Without spines the planes are the routes.
bool HasRoutes(const Fabric& fabric, const Flow& flow) {
  if (fabric.spines() == 0) return fabric.planes() > 1;
  return flow.host[0] / fabric.hosts_per_leaf() != flow.host[1] / fabric.hosts_per_leaf();
}

void Flows(const Simulation& sim, Results* r) {
  const Nanoseconds time = r->first_work == kNever ? 0 : r->end - r->first_work;
  const Fabric& fabric = sim.scenario().fabric();
  const uint64_t port = uint64_t{fabric.host_link().rate_mbps()} * fabric.planes();
  for (const Flow& flow : sim.flows()) {
    FlowResult out;
    out.flow = sim.IndexOf(flow);
    out.from = flow.host[0];
    out.to = flow.host[1];
    out.completed = flow.completed;
    out.unique = flow.unique;
    out.share_ppm = Millionths(flow.unique, BytesIn(port, time));
    out.failed = flow.failed;
    r->failed += flow.failed ? 1 : 0;
    r->unopened += flow.failed || flow.is_open() ? 0 : 1;
    r->messages += flow.completed;
    for (int end = 0; end < 2; ++end) {
      const endpoint::Connection* c = sim.ConnectionOf(flow, end);
      if (c != nullptr) out.active[end] = c->active();
      uint64_t data = 0;
      for (size_t q = 0; q < flow.paths[end].size(); ++q) {
        const PathCounts& counts = flow.paths[end][q];
        if (counts.data == 0) continue;
        PathResult path;
        path.flow = out.flow;
        path.end = static_cast<uint8_t>(end);
        path.path = static_cast<uint8_t>(q);
        path.counts = counts;
        Path(c, &path);
        data += counts.data;
        out.again += counts.again;
        out.moved += counts.moved;
        out.lost += counts.lost;
        out.marked += counts.marked;
        r->paths.push_back(path);
      }
      out.data += data;
      if (data == 0 || c == nullptr) continue;
      r->paths_end_most = std::max(r->paths_end_most, c->active());
      if (HasRoutes(fabric, flow)) {
        AddRoutes(*c, flow.paths[end], fabric.spines(), fabric.planes(), &r->routes);
        AddShares(flow.routes[end], &r->routes);
      }
    }
    r->again += out.again;
    r->moved += out.moved;
    r->data_lost += out.lost;
    r->marked += out.marked;
    r->flows.push_back(out);
  }
  if (r->routes.ends > 0) {
    r->routes.fullest_mean = r->routes.fullest_mean * 1000 / r->routes.ends;
    r->routes.emptiest_mean = r->routes.emptiest_mean * 1000 / r->routes.ends;
  }
  if (r->routes.sharing > 0) {
    r->routes.busiest_ppm /= r->routes.sharing;
    r->routes.emptiest_ppm /= r->routes.sharing;
  }
}

void Judge(const Expect& expect, Results* r) {
  const auto least = [&](const char* goal, bool there, uint64_t wanted, uint64_t got) {
    if (there) r->verdicts.push_back({goal, wanted, got, false, got >= wanted});
  };
  const auto most = [&](const char* goal, bool there, uint64_t wanted, uint64_t got) {
    if (there) r->verdicts.push_back({goal, wanted, got, false, got <= wanted});
  };
  const auto soon = [&](const char* goal, bool there, uint64_t wanted, Nanoseconds got) {
    if (!there) return;
    const bool never = got == kNever;
    r->verdicts.push_back({goal, wanted, static_cast<uint64_t>(never ? 0 : got), never,
                           !never && static_cast<uint64_t>(got) <= wanted});
  };
  least("goodput_min_ppm", expect.has_goodput_min_ppm(), expect.goodput_min_ppm(), r->goodput_ppm);
  least("goodput_total_min_ppm", expect.has_goodput_total_min_ppm(), expect.goodput_total_min_ppm(),
        r->goodput_total_ppm);
  least("worst_host_min_ppm", expect.has_worst_host_min_ppm(), expect.worst_host_min_ppm(),
        r->worst_host_ppm);
  least("jain_min_ppm", expect.has_jain_min_ppm(), expect.jain_min_ppm(), r->jain_ppm);
  soon("ramp_max_ns", expect.has_ramp_max_ns(), expect.ramp_max_ns(), r->ramp);
  soon("recover_max_ns", expect.has_recover_max_ns(), expect.recover_max_ns(), r->recovery);
  soon("hint_max_ns", expect.has_hint_max_ns(), expect.hint_max_ns(), r->hinted);
  most("queue_max_bytes", expect.has_queue_max_bytes(), expect.queue_max_bytes(), r->longest_queue);
  uint64_t tail_drops = 0;
  for (const ClassCounts& counts : r->classes) tail_drops += counts.tail_drops;
  most("tail_drops_max", expect.has_tail_drops_max(), expect.tail_drops_max(), tail_drops);
  most("spurious_max", expect.has_spurious_max(), expect.spurious_max(), r->spurious);
  most("failed_max", expect.has_failed_max(), expect.failed_max(), r->failed + r->unopened);
  least("complete", expect.complete(), 1, r->complete ? 1 : 0);
  most("paths_end_max", expect.has_paths_end_max(), expect.paths_end_max(), r->paths_end_most);
  least("paths_most_min", expect.has_paths_most_min(), expect.paths_most_min(), r->paths_most);
}

}  // namespace

bool Results::met() const {
  return std::all_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.met; });
}

Results Summarise(const Simulation& sim) {
  Results r;
  r.title = sim.scenario().title();
  r.seed = sim.scenario().seed();
  r.complete = sim.complete();
  r.end = sim.ended();
  r.first_work = sim.first_work();
  r.events = sim.fabric().steps() - sim.samples();
  Goodput(sim, &r).Measure();
  Fairness(sim, &r);
  Hints(sim, &r);
  for (size_t k = 0; k < 3; ++k) r.classes[k] = sim.Counts(static_cast<fabric::PacketClass>(k));
  for (uint32_t h = 0; h < sim.scenario().fabric().hosts(); ++h) {
    r.spurious +=
        sim.at(h).Count(Counter::kPathDuplicates) + sim.at(h).Count(Counter::kCsnDuplicates);
  }
  r.corrupt = sim.corrupt();
  r.duplicated = sim.duplicated();
  const Distribution& latency = sim.latency();
  r.latency_mean = static_cast<Nanoseconds>(latency.mean());
  r.latency_median = static_cast<Nanoseconds>(latency.Quantile(500000));
  r.latency_99 = static_cast<Nanoseconds>(latency.Quantile(990000));
  r.latency_max = static_cast<Nanoseconds>(latency.max());
  r.paths_most = sim.most_paths();
  Queues(sim, &r);
  Flows(sim, &r);
  r.paths_most = std::max(r.paths_most, r.paths_end_most);
  Judge(sim.scenario().expect(), &r);
  return r;
}

}  // namespace metaroce::sim
