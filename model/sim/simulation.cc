#include "model/sim/simulation.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "model/check.h"
#include "model/sim/host.h"
#include "model/sim/scenario_file.h"
#include "model/wire/frame/frame.h"

namespace metaroce::sim {
namespace {

using fabric::Happened;
using Class = fabric::PacketClass;
using fabric::Picoseconds;
using spec::OpcodeClass;

// The memory that every address stands for: a pattern of one page, long enough for any packet.
constexpr size_t kPage = 4096;
// DATA packets that may wait in the ports of a host, for each of them.
constexpr uint32_t kWaiting = 16;
// Connections that are asked for before whoever runs it may look at something else.
constexpr uint32_t kConnectAtOnce = 1024;

Picoseconds ToFabric(Nanoseconds t) {
  return t > kNever / 2000 ? kNever / 2 : t * fabric::kPicosecondsPerNanosecond;
}

Class ClassOf(OpcodeClass opcode_class) {
  if (opcode_class == OpcodeClass::kData) return Class::kData;
  return opcode_class == OpcodeClass::kAck ? Class::kAck : Class::kControl;
}

//= WIRE-TRAFFIC-CLASS
//# DATA packets, PROBE and PATH_OPEN carry the code point `data_dscp`
//
// One that overtook DATA would fake a loss.
bool WithData(spec::Opcode opcode) {
  return opcode == spec::Opcode::kProbe || opcode == spec::Opcode::kPathOpen;
}

PathCounts& PathOf(std::vector<PathCounts>& paths, uint8_t path) {
  if (path >= paths.size()) paths.resize(size_t{path} + 1);
  return paths[path];
}

}  // namespace

// Counts what is lost, and passes on what a listener wants to know.
struct Simulation::Counter : fabric::Observer {
  explicit Counter(Simulation* s) : sim(s) {}
  void OnSent(uint32_t packet) override {
    if (sim->listener_ != nullptr) sim->listener_->OnSent(packet);
  }
  void OnLost(uint32_t packet, uint32_t link, fabric::Loss why) override {
    const fabric::Packet& p = sim->fabric_->packets()[packet];
    ClassCounts& counts = sim->classes_[static_cast<size_t>(p.kind)];
    ++(why == fabric::Loss::kTail ? counts.tail_drops : counts.other_drops);
    if (p.flow != kNoFlow && p.kind == Class::kData && !p.copy) {
      ++PathOf(sim->flows_[p.flow / 2].paths[p.flow % 2], p.path).lost;
    }
    if (sim->listener_ != nullptr) sim->listener_->OnLost(packet, link, why);
  }
  void OnMarked(uint32_t packet, uint32_t link) override {
    if (sim->listener_ != nullptr) sim->listener_->OnMarked(packet, link);
  }
  void OnFault(uint32_t fault, bool begins) override {
    if (sim->listener_ != nullptr) sim->listener_->OnFault(fault, begins);
  }

  Simulation* sim;
};

packet::Bytes Simulation::Host::Read(uint64_t address, uint32_t length) {
  METAROCE_CHECK(length <= kPage);
  return packet::Bytes(sim->payload_.data() + address % kPage, length);
}

// The layers below a packet to another host: they are the same for nearly all of its class and
// plane.
const frame::FlowHeaders& Simulation::Host::Below(Flow& flow, uint32_t end, bool is_data,
                                                  const endpoint::PacketOut& out) {
  const uint32_t planes = sim->fabric_->config().planes;
  if (flow.below[end] == kNoFlow) {
    const auto [it, added] = peers.emplace(flow.host[1 - end], static_cast<uint32_t>(below.size()));
    if (added) below.resize(below.size() + 2 * size_t{planes});
    flow.below[end] = it->second;
  }
  frame::FlowHeaders& headers =
      below[flow.below[end] + 2 * size_t{out.route.plane} + (is_data ? 1 : 0)];
  // Of PROBE and PATH_OPEN the code point is that of DATA; and an acceptor knows its peer by the
  // address from which its CONNECT came, on whatever plane that was.
  if (headers.flow().dst_port != out.udp_port || headers.flow().dscp != out.dscp ||
      headers.flow().dst != out.to.ip || headers.flow().dst_mac != out.to.mac) {
    headers = frame::FlowHeaders(endpoint::FlowOf(out));
  }
  headers.SetEntropy(out.route.entropy);
  return headers;
}

void Simulation::Host::Write(const endpoint::PacketOut& out, Flow* flow, uint32_t packet) {
  fabric::Slab& slab = sim->fabric_->packets();
  fabric::Packet& p = slab[packet];
  slab.PayloadOf(packet) = out.packet.payload;
  if (sim->options_.whole_frames) {
    const absl::StatusOr<size_t> length =
        packet::Serialize(out.packet, endpoint::FrameOf(out), slab.RoomForFrame(packet));
    METAROCE_CHECK(length.ok());
    p.headers = p.length = static_cast<uint32_t>(*length);
    return;
  }
  // The headers of DATA are short; those of others may be as long as a full packet.
  const bool is_data = p.kind == Class::kData;
  const absl::Span<uint8_t> room = is_data ? slab.RoomForShort(packet) : slab.room();
  const absl::StatusOr<size_t> headers =
      flow == nullptr
          ? packet::SerializeHeaders(out.packet, endpoint::FlowOf(out), room)
          : packet::SerializeHeaders(out.packet, Below(*flow, p.flow % 2, is_data, out), room);
  METAROCE_CHECK(headers.ok());
  if (is_data) {
    p.headers = static_cast<uint32_t>(*headers);
  } else {
    slab.SetHeaders(packet, *headers);
  }
  p.length = static_cast<uint32_t>(*headers + (out.packet.payload.size() + 3) / 4 * 4 + 4);
}

void Simulation::Host::OnPacket(uint32_t cid, const endpoint::PacketOut& out) {
  const uint32_t packet = sim->fabric_->packets().Take();
  fabric::Packet& p = sim->fabric_->packets()[packet];
  const spec::Common& common = out.packet.headers.common;
  p.kind = ClassOf(out.packet.info().opcode_class);
  p.flow = End(cid);
  Flow* flow = p.flow == kNoFlow ? nullptr : &sim->flows_[p.flow / 2];
  const uint32_t end = p.flow % 2;
  const bool is_data = p.kind == Class::kData;
  p.from = static_cast<uint16_t>(index);
  p.to = flow == nullptr ? static_cast<uint16_t>(fabric::HostOf(out.to.ip)) : flow->host[1 - end];
  p.plane = out.route.plane;
  p.path = static_cast<uint8_t>(common.path);
  p.urgent = !is_data && !WithData(out.packet.opcode());
  p.again = is_data && (common.rtx || common.moved);
  Write(out, flow, packet);
  ++sim->classes_[static_cast<size_t>(p.kind)].sent;
  if (flow != nullptr && p.kind != Class::kControl) {
    PathCounts& path = PathOf(flow->paths[end], p.path);
    path.data += is_data ? 1 : 0;
    path.acks += is_data ? 0 : 1;
    path.again += p.again ? 1 : 0;
    path.moved += is_data && common.moved && !common.rtx ? 1 : 0;
  }
  sim->fabric_->Send(packet);
}

uint64_t Simulation::Host::Place(spec::Choice choice, const Places& places) {
  if (choice != spec::Choice::kNextPath) return 0;
  const endpoint::State& state = endpoint->state();
  const endpoint::Connection& c = *state.connections[state.ready_order.front()];
  for (uint64_t place = 0; place < places.count(); ++place) {
    const uint8_t plane = c.out[places.Face(place)].route.plane;
    if (!sim->fabric_->DataWaits(index, plane)) return place;
  }
  return 0;
}

Simulation::Simulation(const Scenario& scenario, const Options& options)
    : scenario_(scenario), options_(options), payload_(2 * kPage) {
  for (size_t i = 0; i < payload_.size(); ++i) {
    payload_[i] = static_cast<uint8_t>(i % kPage * 131 >> 3);
  }
  end_ = static_cast<Nanoseconds>(scenario_.end_ns());
}

Simulation::~Simulation() = default;

absl::StatusOr<std::unique_ptr<Simulation>> Simulation::Make(const Scenario& scenario,
                                                             const Options& options) {
  if (absl::Status status = CheckScenario(scenario); !status.ok()) return status;
  std::unique_ptr<Simulation> made(new Simulation(scenario, options));
  if (absl::Status status = made->Prepare(); !status.ok()) return status;
  return made;
}

absl::Status Simulation::Prepare() {
  const absl::StatusOr<endpoint::Settings> settings = SettingsOf(scenario_);
  if (!settings.ok()) return settings.status();
  fabric_ = std::make_unique<fabric::Fabric>(FabricConfig(), Faults());
  counter_ = std::make_unique<Counter>(this);
  fabric_->set_observer(counter_.get(), false);
  MakeFlows();
  MakeHosts(*settings);
  if (options_.sample > 0) {
    fabric_->SetTimer(0, static_cast<uint32_t>(hosts_.size() + flows_.size()), 0);
  }
  return absl::OkStatus();
}

void Simulation::set_listener(Listener* listener) {
  METAROCE_CHECK(!fabric_->split());
  listener_ = listener;
  fabric_->set_observer(counter_.get(), listener != nullptr);
}

void Simulation::MakeHosts(const endpoint::Settings& settings) {
  const fabric::Config& config = fabric_->config();
  for (uint32_t h = 0; h < config.hosts; ++h) {
    auto host = std::make_unique<Host>();
    endpoint::Settings own = settings;
    own.ports.resize(config.planes);
    for (uint32_t plane = 0; plane < config.planes; ++plane) {
      own.ports[plane].mac = fabric::MacOf(h, static_cast<uint8_t>(plane));
      own.ports[plane].ip = fabric::AddressOf(h, static_cast<uint8_t>(plane), config.ipv6);
    }
    own.seed = fabric::SeedOf(scenario_.seed(), (uint64_t{2} << 32) + h);
    auto made = endpoint::Endpoint::Make(std::move(own));
    METAROCE_CHECK(made.ok());
    host->endpoint = std::make_unique<endpoint::Endpoint>(*std::move(made));
    host->sim = this;
    host->index = h;
    host->ports = config.planes;
    host->step.sink = host.get();
    host->step.memory = host.get();
    hosts_.push_back(std::move(host));
  }
}

bool Simulation::Connect() {
  const auto until =
      static_cast<uint32_t>(std::min<size_t>(flows_.size(), connected_ + kConnectAtOnce));
  for (; connected_ < until; ++connected_) {
    const uint32_t f = connected_;
    Flow& flow = flows_[f];
    Host& host = *hosts_[flow.host[0]];
    endpoint::ConnectCommand command;
    command.peer = hosts_[flow.host[1]]->endpoint->state().settings.ports;
    const absl::StatusOr<uint32_t> cid = host.endpoint->Connect(command, host.Now());
    if (!cid.ok()) {
      Fail(flow, 0, spec::ConnectionCause::kClosed);
      continue;
    }
    flow.cid[0] = *cid;
    host.SetEnd(*cid, EndOf(f, 0));
  }
  if (connected_ < flows_.size()) return false;
  for (uint32_t h = 0; h < hosts_.size(); ++h) Serve(h);
  return true;
}

const endpoint::Endpoint& Simulation::at(uint32_t host) const { return *hosts_[host]->endpoint; }

const endpoint::Connection* Simulation::ConnectionOf(const Flow& flow, int end) const {
  if (flow.cid[end] == 0) return nullptr;
  return hosts_[flow.host[end]]->endpoint->Find(flow.cid[end]);
}

const std::vector<uint64_t>& Simulation::Windows(uint32_t host) const {
  return hosts_[host]->windows;
}

bool Simulation::Run(uint64_t events) {
  if (!started_) {
    started_ = Connect();
    if (!started_) return true;
  }
  const Picoseconds end = ToFabric(end_);
  const bool may_split = !fabric_->split() && MaySplit();
  while (unfinished_ > 0) {
    if (may_split && opened_ == 2 * flows_.size() && !fabric_->split()) [[unlikely]] {
      fabric_->Split([&](uint32_t index) { return HostOfTimer(index); });
    }
    const Happened happened = fabric_->Run(end, &events);
    switch (happened.kind) {
      case Happened::kArrived:
        Deliver(happened.index);
        break;
      case Happened::kPortFree:
        Serve(happened.index);
        break;
      case Happened::kPortChanged:
        ChangePort(happened);
        break;
      case Happened::kTimer:
        Timer(happened.index);
        break;
      case Happened::kNothing:
        over_ = events > 0;
        return !over_;
    }
  }
  return false;
}

void Simulation::ChangePort(const Happened& happened) {
  Host& host = *hosts_[happened.index];
  METAROCE_CHECK(host.endpoint->SetPort(happened.plane, happened.up, host.Now()).ok());
  host.ports = static_cast<uint32_t>(std::popcount(host.endpoint->state().ports_up));
  if (listener_ != nullptr) listener_->OnPort(happened.index, happened.plane, happened.up);
  Serve(host);
}

void Simulation::Timer(uint32_t index) {
  if (index < hosts_.size()) {
    // One that was set before an earlier one may have been served already; it does no harm.
    Host& host = *hosts_[index];
    if (host.wake <= now()) host.wake = kNever;
    return Serve(index);
  }
  index -= static_cast<uint32_t>(hosts_.size());
  if (index < flows_.size()) {
    PostMore(flows_[index]);
    return Serve(flows_[index].host[0]);
  }
  ++samples_;
  if (listener_ != nullptr) listener_->OnSample();
  fabric_->SetTimer(ToFabric(now() + options_.sample),
                    static_cast<uint32_t>(hosts_.size() + flows_.size()), 0);
}

uint32_t Simulation::HostOfTimer(uint32_t index) const {
  const size_t hosts = hosts_.size();
  return index < hosts ? index : flows_[index - hosts].host[0];
}

bool Simulation::MaySplit() const {
  if (listener_ != nullptr || options_.sample > 0 || scenario_.fault_size() > 0) return false;
  if (scenario_.fabric().host_link().delay_ns() == 0) return false;
  // A ring waits for another host. Work that ends ends the run in the middle of a turn.
  return std::none_of(
      scenario_.workload().begin(), scenario_.workload().end(),
      [](const Workload& w) { return w.pattern() == RING || w.messages() > 0 || w.stop_ns() > 0; });
}

void Simulation::Deliver(uint32_t packet) {
  const fabric::Packet& p = fabric_->packets()[packet];
  Host& host = *hosts_[p.to];
  const packet::Bytes bytes = fabric_->Received(packet);
  if (listener_ != nullptr) listener_->OnArrived(packet);
  host.placed = false;
  if (p.corrupt) {
    ArriveCorrupt(packet, host);
  } else {
    const packet::ParseOptions options{.check_icrc = options_.whole_frames};
    METAROCE_CHECK(packet::Parse(bytes, options, &parsed_).ok());
    if (!parsed_.payload.empty() && !options_.whole_frames)
      parsed_.payload = fabric_->packets().PayloadOf(packet);
    const endpoint::Arrival arrival = {.from = frame::SourceAddress(parsed_.frame, bytes),
                                       .from_mac = frame::SourceMac(parsed_.frame, bytes),
                                       .route = {parsed_.frame.src_port, p.plane},
                                       .ce = parsed_.frame.ecn() == frame::Ecn::kCe};
    host.endpoint->ArrivePacket(parsed_, arrival, host.Now());
  }
  CountArrival(p, host.placed);
  if (p.kind == Class::kAck && p.flow != kNoFlow) {
    Flow& flow = flows_[p.flow / 2];
    if (flow.hinted == kNever && RightHint(flow, 1 - static_cast<int>(p.flow % 2))) {
      flow.hinted = now();
    }
  }
  if (p.kind == Class::kControl && p.flow != kNoFlow) {
    // What opens a path has arrived, if anything has.
    const endpoint::Connection* c =
        ConnectionOf(flows_[p.flow / 2], 1 - static_cast<int>(p.flow % 2));
    if (c != nullptr) most_paths_ = std::max(most_paths_, c->active());
  }
  fabric_->packets().Free(packet);
  Serve(host);
}

void Simulation::ArriveCorrupt(uint32_t packet, Host& host) {
  const fabric::Packet& p = fabric_->packets()[packet];
  const packet::Bytes bytes = fabric_->packets().FrameOf(packet);
  constexpr packet::ParseOptions kOptions{.check_icrc = false};
  METAROCE_CHECK(packet::Parse(bytes, kOptions, &parsed_).ok());
  if (!parsed_.payload.empty()) parsed_.payload = fabric_->packets().PayloadOf(packet);
  absl::StatusOr<std::vector<uint8_t>> frame =
      packet::Serialize(parsed_, frame::SpecOf(parsed_.frame, bytes));
  METAROCE_CHECK(frame.ok());
  // A bit of the UDP payload: what is before it a switch would have noticed.
  uint64_t state = fabric::SeedOf(scenario_.seed(), p.number);
  const uint64_t bit = fabric::NextRandom(&state) % (parsed_.frame.payload_length * uint64_t{8});
  (*frame)[parsed_.frame.payload_offset + bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
  host.endpoint->ArriveFrame(*frame, p.plane, host.Now());
  ++corrupt_;
}

bool Simulation::RightHint(const Flow& flow, int sender) const {
  const endpoint::Connection* c = ConnectionOf(flow, sender);
  if (c == nullptr || c->congestion.hint == 0) return false;
  const endpoint::Settings& to = at(flow.host[1 - sender]).state().settings;
  uint64_t mbps = 0;
  for (size_t plane = 0; plane < to.ports.size(); ++plane) mbps += to.port_rates[plane];
  uint64_t flows = 0;
  for (const Flow& other : flows_) flows += other.host[1 - sender] == flow.host[1 - sender] ? 1 : 0;
  const uint64_t share = mbps * to.profile[spec::Constant::kHintPercent] / 100 / flows;
  const uint64_t hint = uint64_t{c->congestion.hint} * c->local.hint_unit;
  return hint >= share - share / 8 && hint <= share + share / 8;
}

void Simulation::CountArrival(const fabric::Packet& p, bool placed) {
  ++classes_[static_cast<size_t>(p.kind)].arrived;
  if (p.copy) ++duplicated_;
  if (p.flow == kNoFlow || p.kind != Class::kData) return;
  Flow& flow = flows_[p.flow / 2];
  PathCounts& path = PathOf(flow.paths[p.flow % 2], p.path);
  path.marked += p.ce ? 1 : 0;
  path.route = p.route;
  if (now() >= half_) {
    std::vector<uint64_t>& routes = flow.routes[p.flow % 2];
    const uint32_t spines = std::max(1u, fabric_->config().spines);
    if (routes.empty()) routes.resize(size_t{spines} * fabric_->config().planes);
    routes[p.plane * spines + (p.route == UINT16_MAX ? 0 : p.route)] += p.wire();
  }
  if (!placed) return;
  ++flow.unique_packets;
  flow.unique += p.wire();
  const Nanoseconds since = now() - first_work_;
  flow.pieces.Add(since, p.wire());
  Host& host = *hosts_[p.to];
  if (since >= host.window_ends) {
    const auto width = static_cast<Nanoseconds>(scenario_.window_ns());
    host.window = static_cast<size_t>(since / width);
    host.window_ends = static_cast<Nanoseconds>(host.window + 1) * width;
    host.windows.resize(host.window + 1);
  }
  host.windows[host.window] += p.wire();
}

void Simulation::Serve(uint32_t host) { Serve(*hosts_[host]); }

void Simulation::Serve(Host& host) {
  ServeOne(host);
  while (!to_serve_.empty()) {
    Host& next = *hosts_[to_serve_.back()];
    to_serve_.pop_back();
    next.to_serve = false;
    ServeOne(next);
  }
}

bool Simulation::PortsFull(const Host& host) const {
  return fabric_->PortsWaiting(host.index) >= host.ports ||
         fabric_->DataWaiting(host.index) >= kWaiting * fabric_->config().planes;
}

void Simulation::ServeOne(Host& host) {
  const endpoint::State& state = host.endpoint->state();
  const endpoint::Step& step = host.Now();
  while (true) {
    if (!host.told.empty()) DoDeferred(host);
    const bool timer = state.timers.First() <= step.now;
    if (!timer && (state.ready_order.empty() || PortsFull(host))) break;
    host.step.chooser = !timer && fabric_->config().planes > 1 ? &host : nullptr;
    host.endpoint->Poll(step);
    host.step.chooser = nullptr;
  }
  const Nanoseconds due = state.timers.First();
  if (due >= host.wake || due >= end_) return;
  host.wake = due;
  fabric_->SetTimer(ToFabric(due), host.index, host.index);
}

}  // namespace metaroce::sim
