// The applications of a simulation: which connections there are, and what they post when. And what
// the scenario says of the fabric, as the fabric wants to have it.
#include <algorithm>
#include <numeric>
#include <utility>

#include "model/check.h"
#include "model/sim/host.h"
#include "model/sim/simulation.h"

namespace metaroce::sim {
namespace {

constexpr uint32_t kRkey = 0x4242;
constexpr uint64_t kMemory = uint64_t{1} << 40;

fabric::LinkSpec LinkOf(const Link& link) {
  fabric::LinkSpec spec;
  spec.rate_mbps = link.rate_mbps();
  spec.delay = static_cast<Nanoseconds>(link.delay_ns()) * fabric::kPicosecondsPerNanosecond;
  spec.limit = link.limit_bytes();
  if (link.ramp_bytes() > 0) {
    spec.marking = {true, UINT64_MAX, link.mark_bytes(), link.ramp_bytes(), link.ramp_ppm()};
  } else if (link.mark_bytes() > 0) {
    spec.marking.step = link.mark_bytes();
  }
  return spec;
}

fabric::LinkSelector SelectorOf(const Fault& fault) {
  fabric::LinkSelector where;
  const auto has = [&](LinkClass kind) {
    return fault.link().empty() ||
           std::find(fault.link().begin(), fault.link().end(), kind) != fault.link().end();
  };
  where.host_up = has(HOST_UP);
  where.host_down = has(HOST_DOWN);
  where.leaf_up = has(LEAF_UP);
  where.leaf_down = has(LEAF_DOWN);
  if (fault.has_plane()) where.plane = static_cast<int32_t>(fault.plane());
  if (fault.has_host()) where.host = static_cast<int32_t>(fault.host());
  if (fault.has_leaf()) where.leaf = static_cast<int32_t>(fault.leaf());
  if (fault.has_spine()) where.spine = static_cast<int32_t>(fault.spine());
  return where;
}

fabric::Fault FaultOf(const Fault& fault) {
  const auto time = [](uint64_t ns) {
    return static_cast<fabric::Picoseconds>(ns) * fabric::kPicosecondsPerNanosecond;
  };
  const auto has = [&](PacketClass kind) {
    return fault.packet().empty() ||
           std::find(fault.packet().begin(), fault.packet().end(), kind) != fault.packet().end();
  };
  fabric::Fault f;
  f.kind = static_cast<fabric::FaultKind>(fault.kind());
  f.where = SelectorOf(fault);
  f.from = time(fault.from_ns());
  if (fault.until_ns() > 0) f.until = time(fault.until_ns());
  f.data = has(DATA);
  f.acks = has(ACK);
  f.control = has(CONTROL);
  f.nth.assign(fault.nth().begin(), fault.nth().end());
  std::sort(f.nth.begin(), f.nth.end());
  f.pattern = fault.pattern();
  f.ppm = fault.ppm();
  f.extra = time(fault.extra_ns());
  f.rate_mbps = fault.rate_mbps();
  f.seed = fault.seed();
  f.silent = fault.silent();
  f.converge = time(fault.converge_ns());
  return f;
}

WorkKind WorkOf(Kind kind) {
  switch (kind) {
    case WRITE:
      return WorkKind::kWrite;
    case WRITE_WITH_IMMEDIATE:
      return WorkKind::kWriteImmediate;
    case SEND:
      return WorkKind::kSend;
    case READ:
      return WorkKind::kRead;
  }
  return WorkKind::kWrite;
}

Kind KindOf(const Workload& workload, uint64_t message) {
  if (workload.pattern() == RING) return WRITE_WITH_IMMEDIATE;
  if (workload.kind().empty()) return WRITE;
  return static_cast<Kind>(workload.kind(static_cast<int>(message % workload.kind_size())));
}

bool ConsumesReceives(const Workload& workload) {
  for (int i = 0; i < std::max(1, workload.kind_size()); ++i) {
    const Kind kind = KindOf(workload, static_cast<uint64_t>(i));
    if (kind == SEND || kind == WRITE_WITH_IMMEDIATE) return true;
  }
  return false;
}

// No host is its own image: one cycle through all, drawn by Sattolo's algorithm.
std::vector<uint32_t> Cycle(uint32_t hosts, uint64_t seed) {
  std::vector<uint32_t> image(hosts);
  std::iota(image.begin(), image.end(), 0);
  for (uint32_t i = hosts - 1; i > 0; --i) {
    std::swap(image[i], image[fabric::NextRandom(&seed) % i]);
  }
  return image;
}

}  // namespace

fabric::Config Simulation::FabricConfig() const {
  const Fabric& from = scenario_.fabric();
  fabric::Config config;
  config.hosts = from.hosts();
  config.hosts_per_leaf = from.hosts_per_leaf();
  config.spines = from.spines();
  config.planes = from.planes();
  config.ipv6 = from.ipv6();
  config.host_link = LinkOf(from.host_link());
  config.spine_link = LinkOf(from.spine_link());
  config.hash = static_cast<fabric::HashFamily>(from.hash());
  config.seed = scenario_.seed();
  return config;
}

std::vector<fabric::Fault> Simulation::Faults() const {
  std::vector<fabric::Fault> faults;
  for (const Fault& fault : scenario_.fault()) faults.push_back(FaultOf(fault));
  return faults;
}

void Simulation::AddFlow(uint32_t workload, uint32_t from, uint32_t to) {
  const Workload& w = scenario_.workload(static_cast<int>(workload));
  const uint64_t before = flows_.size() - first_flow_[workload];
  Flow flow;
  flow.workload = workload;
  flow.host[0] = static_cast<uint16_t>(from);
  flow.host[1] = static_cast<uint16_t>(to);
  flow.start = static_cast<Nanoseconds>(w.start_ns() + before * w.stagger_ns());
  flow.messages = w.messages();
  if (w.pattern() == RING && flow.messages == 0) {
    flow.messages = 2 * (uint64_t{scenario_.fabric().hosts()} - 1);
  }
  flows_.push_back(std::move(flow));
}

void Simulation::MakeFlows() {
  const uint32_t hosts = scenario_.fabric().hosts();
  for (uint32_t i = 0; i < static_cast<uint32_t>(scenario_.workload_size()); ++i) {
    const Workload& w = scenario_.workload(static_cast<int>(i));
    first_flow_.push_back(static_cast<uint32_t>(flows_.size()));
    const std::vector<uint32_t> image = Cycle(hosts, fabric::SeedOf(scenario_.seed(), i));
    for (uint32_t c = 0; c < w.connections(); ++c) {
      switch (w.pattern()) {
        case PAIR:
          AddFlow(i, w.from(), w.to());
          break;
        case INCAST:
          for (uint32_t s = 0; s < w.senders(); ++s) {
            const uint32_t from = s % (hosts - 1);
            AddFlow(i, from < w.to() ? from : from + 1, w.to());
          }
          break;
        case PERMUTATION:
          for (uint32_t h = 0; h < hosts; ++h) AddFlow(i, h, image[h]);
          break;
        case ALL_TO_ALL:
          for (uint32_t k = 1; k < hosts; ++k) {
            for (uint32_t h = 0; h < hosts; ++h) AddFlow(i, h, (h + k) % hosts);
          }
          break;
        case RING:
          for (uint32_t h = 0; h < hosts; ++h) AddFlow(i, h, (h + 1) % hosts);
          break;
      }
    }
  }
  unfinished_ = flows_.size();
}

bool Simulation::Receives(uint32_t host) const {
  for (const Flow& flow : flows_) {
    const Workload& w = scenario_.workload(static_cast<int>(flow.workload));
    const bool reads = std::find(w.kind().begin(), w.kind().end(), READ) != w.kind().end();
    const bool others = w.kind().empty() || std::any_of(w.kind().begin(), w.kind().end(),
                                                        [](int kind) { return kind != READ; });
    if ((others && flow.host[1] == host) || (reads && flow.host[0] == host)) return true;
  }
  return false;
}

bool Simulation::MayPost(const Flow& flow, Nanoseconds* next) const {
  const Workload& w = scenario_.workload(static_cast<int>(flow.workload));
  const Nanoseconds t = now();
  *next = kNever;
  if (w.stop_ns() != 0 && t >= static_cast<Nanoseconds>(w.stop_ns())) return false;
  if (t < flow.start) {
    *next = flow.start;
    return false;
  }
  if (w.on_ns() == 0) return true;
  const auto cycle = static_cast<Nanoseconds>(w.on_ns() + w.off_ns());
  const Nanoseconds in_cycle = (t - flow.start) % cycle;
  if (in_cycle < static_cast<Nanoseconds>(w.on_ns())) return true;
  *next = t - in_cycle + cycle;
  return false;
}

void Simulation::PostMore(Flow& flow) {
  if (flow.stopped || !flow.is_open()) return;
  const Workload& w = scenario_.workload(static_cast<int>(flow.workload));
  Host& host = *hosts_[flow.host[0]];
  Nanoseconds next = kNever;
  const bool may = MayPost(flow, &next);
  if (!may) {
    const uint32_t timer = static_cast<uint32_t>(hosts_.size()) + IndexOf(flow);
    if (next < end_) {
      fabric_->SetTimer(next * fabric::kPicosecondsPerNanosecond, timer, host.index);
    } else if (w.stop_ns() != 0 && !flow.failed && flow.messages == 0 &&
               flow.posted == flow.completed) {
      // Nothing will be posted any more: what was is all.
      flow.messages = flow.posted;
      Finished(flow);
    }
    return;
  }
  uint64_t limit = flow.messages == 0 ? UINT64_MAX : flow.messages;
  if (w.pattern() == RING) {
    // A message waits for that which came before it from the other side.
    const uint32_t hosts = scenario_.fabric().hosts();
    const uint32_t place = IndexOf(flow) - first_flow_[flow.workload];
    const uint32_t before = place % hosts == 0 ? place + hosts - 1 : place - 1;
    limit = std::min(limit, 1 + flows_[first_flow_[flow.workload] + before].received);
  }
  while (flow.posted < limit && flow.posted - flow.completed < w.depth()) {
    WorkRequest work;
    work.id = flow.posted;
    work.kind = WorkOf(KindOf(w, flow.posted));
    work.length = w.bytes();
    work.rkey = kRkey;
    if (now() < first_work_) {
      first_work_ = now();
      half_ = first_work_ + (end_ - first_work_) / 2;
    }
    if (flow.first_post == kNever) flow.first_post = now();
    ++flow.posted;
    flow.posted_at.push_back(now());
    if (listener_ != nullptr) listener_->OnPosted(flow);
    if (!host.endpoint->Post(flow.cid[0], work, host.Now()).ok()) {
      return Fail(flow, 0, spec::ConnectionCause::kClosed);
    }
  }
  if (!host.to_serve) {
    host.to_serve = true;
    to_serve_.push_back(host.index);
  }
}

void Simulation::PostReceive(Host& host, const Flow& flow) {
  const Workload& w = scenario_.workload(static_cast<int>(flow.workload));
  PostedReceive receive;
  receive.length = w.bytes();
  METAROCE_CHECK(host.endpoint->PostReceive(flow.cid[1], receive, host.Now()).ok());
}

void Simulation::Opened(Host& host, uint32_t cid) {
  uint32_t end = host.End(cid);
  if (end == kNoFlow) {
    // The other end of a flow: its peer says which.
    const endpoint::Connection* c = host.endpoint->Find(cid);
    const uint32_t peer = fabric::HostOf(c->peer_ports[0].ip);
    end = hosts_[peer]->End(c->peer.cid) ^ 1;
    host.SetEnd(cid, end);
    flows_[end / 2].cid[1] = cid;
  }
  Flow& flow = flows_[end / 2];
  flow.open[end % 2] = true;
  ++opened_;
  const Region all{0, kMemory, kRkey, kRemoteWrite | kRemoteRead | kRemoteAtomic, true};
  METAROCE_CHECK(host.endpoint->Register(cid, all).ok());
  const Workload& w = scenario_.workload(static_cast<int>(flow.workload));
  if (end % 2 == 1 && ConsumesReceives(w)) {
    for (uint32_t i = 0; i < 2 * w.depth(); ++i) PostReceive(host, flow);
  }
  if (listener_ != nullptr) listener_->OnOpen(flow, static_cast<int>(end % 2));
  PostMore(flow);
}

void Simulation::TellCompletion(Host& host, uint32_t cid, bool success) {
  const uint32_t end = host.End(cid);
  if (end == kNoFlow || end % 2 != 0 || !success) return;
  Flow& flow = flows_[end / 2];
  ++flow.completed;
  const Nanoseconds took = now() - flow.posted_at.front();
  flow.posted_at.pop_front();
  latency_.Add(static_cast<uint64_t>(took));
  if (listener_ != nullptr) listener_->OnCompleted(flow, took);
  if (!flow.failed && flow.done()) return Finished(flow);
  PostMore(flow);
}

void Simulation::Received(Host& host, uint32_t cid) {
  const uint32_t end = host.End(cid);
  if (end == kNoFlow || end % 2 == 0) return;
  Flow& flow = flows_[end / 2];
  ++flow.received;
  PostReceive(host, flow);
  const Workload& w = scenario_.workload(static_cast<int>(flow.workload));
  if (w.pattern() != RING) return;
  const uint32_t hosts = scenario_.fabric().hosts();
  const uint32_t place = IndexOf(flow) - first_flow_[flow.workload];
  const uint32_t behind = (place + 1) % hosts == 0 ? place + 1 - hosts : place + 1;
  PostMore(flows_[first_flow_[flow.workload] + behind]);
}

void Simulation::Ended(Host& host, uint32_t cid, const endpoint::Ended& ended) {
  const uint32_t end = host.End(cid);
  if (end != kNoFlow) Fail(flows_[end / 2], static_cast<int>(end % 2), ended.cause);
}

void Simulation::Fail(Flow& flow, int end, spec::ConnectionCause cause) {
  if (listener_ != nullptr) listener_->OnFailed(flow, end, cause);
  flow.stopped = flow.stopped || end == 0;
  if (flow.done()) return;
  flow.failed = true;
  Finished(flow);
}

void Simulation::Finished(Flow&) {
  METAROCE_CHECK(unfinished_ > 0);
  --unfinished_;
}

void Simulation::DoDeferred(Host& host) {
  for (size_t i = 0; i < host.told.size(); ++i) {
    const Host::Told told = host.told[i];
    switch (told.what) {
      case Host::Told::kOpen:
        Opened(host, told.cid);
        break;
      case Host::Told::kDone:
        TellCompletion(host, told.cid, true);
        break;
      case Host::Told::kFlushed:
        TellCompletion(host, told.cid, false);
        break;
      case Host::Told::kReceived:
        Received(host, told.cid);
        break;
      case Host::Told::kEnded:
        Ended(host, told.cid, told.ended);
        break;
    }
  }
  host.told.clear();
}

}  // namespace metaroce::sim
