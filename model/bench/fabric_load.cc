#include "model/bench/fabric_load.h"

#include <ostream>
#include <streambuf>

#include "model/check.h"
#include "model/fabric/fabric.h"
#include "model/sim/event_log.h"
#include "model/sim/recorder.h"
#include "model/sim/scenario_file.h"
#include "model/sim/simulation.h"
#include "model/wire/frame/builder.h"

namespace metaroce::bench {
namespace {

// Two leaves with a host each, and eight spines between them.
constexpr absl::string_view kTwoTier = R"(
  end_ns: 100000000000
  window_ns: 1000000000
  fabric {
    hosts: 2
    spines: 8
    host_link { delay_ns: 1500 }
    spine_link { delay_ns: 1500 }
  }
  endpoint {
    constant { name: "paths" value: 8 }
    constant { name: "path_diversity" value: 8 }
  }
  workload { pattern: PAIR depth: 32 }
)";

// 64 hosts at eight leaves, each with sixteen connections to one other.
constexpr absl::string_view kPermutation = R"(
  end_ns: 100000000000
  window_ns: 1000000000
  fabric {
    hosts: 64
    hosts_per_leaf: 8
    spines: 8
    host_link { delay_ns: 1500 }
    spine_link { delay_ns: 1500 }
  }
  endpoint {
    constant { name: "paths" value: 8 }
    constant { name: "path_diversity" value: 8 }
  }
  workload { pattern: PERMUTATION connections: 16 depth: 4 }
)";

// Takes everything, and keeps nothing.
class Nowhere : public std::streambuf {
 public:
  std::streamsize xsputn(const char* /*text*/, std::streamsize size) override { return size; }
  int_type overflow(int_type c) override { return c; }
};

class Simulated : public FabricLoad {
 public:
  explicit Simulated(const FabricCase& c) : out_(&nowhere_) {
    const absl::StatusOr<sim::Scenario> scenario = sim::ParseScenario(c.name, c.scenario);
    METAROCE_CHECK(scenario.ok());
    auto made = sim::Simulation::Make(*scenario, {.whole_frames = c.whole_frames});
    METAROCE_CHECK(made.ok());
    simulation_ = *std::move(made);
    if (!c.log) return;
    recorder_ =
        std::make_unique<sim::Recorder>(*simulation_, sim::Recorder::Options{.events = &out_});
    simulation_->set_listener(recorder_.get());
  }
  Passed passed() const override {
    return {simulation_->Counts(fabric::PacketClass::kData).arrived,
            simulation_->Counts(fabric::PacketClass::kAck).arrived,
            simulation_->Counts(fabric::PacketClass::kControl).arrived,
            simulation_->fabric().steps()};
  }

 private:
  void Step(uint64_t events) override { METAROCE_CHECK(simulation_->Run(events)); }

  Nowhere nowhere_;
  std::ostream out_;
  std::unique_ptr<sim::Simulation> simulation_;
  std::unique_ptr<sim::Recorder> recorder_;
};

fabric::Config BareConfig() {
  fabric::Config config;
  config.hosts = 64;
  config.hosts_per_leaf = 8;
  config.spines = 8;
  for (fabric::LinkSpec* link : {&config.host_link, &config.spine_link}) {
    link->rate_mbps = 400000;
    link->delay = 1500 * fabric::kPicosecondsPerNanosecond;
    link->limit = 4000000;
    link->marking.step = 300000;
  }
  return config;
}

class Bare : public FabricLoad, public fabric::Observer {
 public:
  explicit Bare(const FabricCase& c) : out_(&nowhere_), fabric_(BareConfig()) {
    fabric_.set_observer(this, c.log);
    if (c.log) log_ = std::make_unique<sim::EventLog>(fabric_, &out_);
    for (uint32_t i = 0; i < kPackets; ++i) {
      for (uint32_t host = 0; host < fabric_.config().hosts; ++host) Start(host, i);
    }
  }
  Passed passed() const override { return {arrived_, 0, 0, fabric_.steps()}; }

  void OnSent(uint32_t packet) override { log_->Packet("sent", packet); }
  void OnMarked(uint32_t packet, uint32_t link) override {
    if (log_ != nullptr) log_->Marked(packet, link);
  }
  void OnLost(uint32_t, uint32_t, fabric::Loss) override { METAROCE_CHECK(!"nothing is lost"); }

 private:
  static constexpr uint32_t kPackets = 32;  // of each host
  static constexpr uint32_t kEntropies = 8;

  void Start(uint32_t host, uint32_t i) {
    const uint32_t hosts = fabric_.config().hosts;
    const uint32_t to = (host + hosts / 2 + 1) % hosts;
    fabric::Slab& slab = fabric_.packets();
    const uint32_t packet = slab.Take();
    frame::Flow flow;
    flow.src = fabric::AddressOf(host, 0, false);
    flow.dst = fabric::AddressOf(to, 0, false);
    flow.ecn = frame::Ecn::kEct0;
    flow.src_port = static_cast<uint16_t>(0xC000 + 37 * (host * kEntropies + i % kEntropies));
    flow.dst_port = spec::constant::kUdpPort;
    fabric::Packet& p = slab[packet];
    p.length = 4096 + 94;
    p.headers = static_cast<uint32_t>(frame::WriteHeaders(
        flow, p.length - frame::HeadersLength(flow), slab.RoomForShort(packet)));
    METAROCE_CHECK(p.headers > 0);
    p.from = static_cast<uint16_t>(host);
    p.to = static_cast<uint16_t>(to);
    p.flow = 2 * host;
    p.path = static_cast<uint8_t>(i % kEntropies);
    fabric_.Send(packet);
  }
  void Step(uint64_t events) override {
    while (events > 0) {
      const fabric::Happened happened = fabric_.Run(INT64_MAX, &events);
      if (happened.kind != fabric::Happened::kArrived) continue;
      ++arrived_;
      if (log_ != nullptr) log_->Packet("arrived", happened.index);
      fabric_.Send(happened.index);
    }
  }

  Nowhere nowhere_;
  std::ostream out_;
  fabric::Fabric fabric_;
  std::unique_ptr<sim::EventLog> log_;
  uint64_t arrived_ = 0;
};

}  // namespace

absl::Span<const FabricCase> FabricCases() {
  static constexpr FabricCase kCases[] = {
      {.name = "two-tier", .scenario = kTwoTier, .connections = 1, .paths = 8},
      {.name = "two-tier-log", .scenario = kTwoTier, .connections = 1, .paths = 8, .log = true},
      {.name = "two-tier-icrc",
       .scenario = kTwoTier,
       .connections = 1,
       .paths = 8,
       .whole_frames = true},
      {.name = "permutation-1024",
       .scenario = kPermutation,
       .connections = 1024,
       .paths = 8,
       .warm_up = 500000},
      {.name = "fabric-steps", .scenario = ""},
      {.name = "fabric-steps-log", .scenario = "", .log = true},
  };
  return kCases;
}

const FabricCase* FindFabricCase(absl::string_view name) {
  for (const FabricCase& c : FabricCases()) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

std::unique_ptr<FabricLoad> FabricLoad::Make(const FabricCase& c) {
  if (c.scenario.empty()) return std::make_unique<Bare>(c);
  return std::make_unique<Simulated>(c);
}

void FabricLoad::Run(uint64_t packets) {
  const uint64_t end = passed().packets() + packets;
  // A packet takes a step at least; most take five or six.
  while (passed().packets() < end) Step(end - passed().packets());
}

void FabricLoad::Measure(uint64_t packets) {
  Run(packets);
  asm volatile("");  // no tail call: it stays on the stack
}

}  // namespace metaroce::bench
