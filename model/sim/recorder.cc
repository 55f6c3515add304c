#include "model/sim/recorder.h"

#include "absl/strings/str_cat.h"
#include "model/check.h"

namespace metaroce::sim {
namespace {

constexpr size_t kHoldBack = size_t{1} << 20;

std::string InterfaceOf(uint32_t host, uint32_t hosts, uint32_t plane, bool received) {
  const std::string name =
      hosts <= 26 ? std::string(1, static_cast<char>('a' + host)) : absl::StrCat("h", host, ".");
  return absl::StrCat(name, plane, received ? " received" : " sent");
}

}  // namespace

Recorder::Recorder(const Simulation& simulation, const Options& options)
    : sim_(simulation), options_(options), writer_("metaroce sim") {
  if (options_.events != nullptr) log_.emplace(simulation.fabric(), options_.events);
  if (options_.pcapng == nullptr) return;
  const Fabric& fabric = sim_.scenario().fabric();
  for (uint32_t host = 0; host < fabric.hosts(); ++host) {
    for (uint32_t plane = 0; plane < fabric.planes(); ++plane) {
      for (const bool received : {false, true}) {
        const auto added = writer_.AddInterface(static_cast<uint16_t>(frame::LinkType::kEthernet),
                                                InterfaceOf(host, fabric.hosts(), plane, received));
        METAROCE_CHECK(added.ok());
      }
    }
  }
}

void Recorder::FlushCapture() {
  const std::vector<uint8_t> bytes = writer_.Take();
  options_.pcapng->write(reinterpret_cast<const char*>(bytes.data()),
                         static_cast<std::streamsize>(bytes.size()));
  captured_ = 0;
}

void Recorder::Finish() {
  if (options_.pcapng != nullptr) FlushCapture();
  if (log_) log_->Flush();
}

void Recorder::Capture(uint32_t packet, bool received) {
  const fabric::Packet& p = sim_.fabric().packets()[packet];
  const uint32_t host = received ? p.to : p.from;
  const packet::Bytes headers = sim_.fabric().packets().HeadersOf(packet);
  const absl::Status added = writer_.AddPacket(
      {.interface = 2 * (host * sim_.scenario().fabric().planes() + p.plane) + (received ? 1 : 0),
       .timestamp_ns = static_cast<uint64_t>(sim_.now()),
       .bytes = headers,
       .original_length = p.length,
       .direction = received ? capture::Direction::kInbound : capture::Direction::kOutbound});
  METAROCE_CHECK(added.ok());
  captured_ += p.headers + 64;
  if (captured_ >= kHoldBack) FlushCapture();
}

void Recorder::BeginConnection(const char* event, const Flow& flow, int end) {
  log_->Begin(event);
  log_->AddNumber("connection", sim_.IndexOf(flow));
  log_->AddNumber("host", flow.host[end]);
}

void Recorder::OnSent(uint32_t packet) {
  if (options_.pcapng != nullptr) Capture(packet, false);
  if (log_) log_->Packet("sent", packet);
}

void Recorder::OnArrived(uint32_t packet) {
  if (options_.pcapng != nullptr) Capture(packet, true);
  if (log_) log_->Packet("arrived", packet);
}

void Recorder::OnLost(uint32_t packet, uint32_t link, fabric::Loss why) {
  if (log_) log_->Lost(packet, link, why);
}

void Recorder::OnMarked(uint32_t packet, uint32_t link) {
  if (log_) log_->Marked(packet, link);
}

void Recorder::OnFault(uint32_t fault, bool begins) {
  if (!log_) return;
  log_->Begin("fault");
  log_->AddNumber("fault", fault);
  log_->AddText("what", begins ? "begins" : "ends");
  log_->End();
}

void Recorder::OnOpen(const Flow& flow, int end) {
  if (!log_) return;
  BeginConnection("open", flow, end);
  log_->End();
}

void Recorder::OnFailed(const Flow& flow, int end, spec::ConnectionCause cause) {
  if (!log_) return;
  BeginConnection("failed", flow, end);
  log_->AddText("cause", spec::Name(cause));
  log_->End();
}

void Recorder::OnPosted(const Flow& flow) {
  if (!log_) return;
  BeginConnection("posted", flow, 0);
  log_->AddNumber("message", flow.posted - 1);
  log_->End();
}

void Recorder::OnCompleted(const Flow& flow, Nanoseconds took) {
  if (!log_) return;
  BeginConnection("completed", flow, 0);
  log_->AddNumber("message", flow.completed - 1);
  log_->AddNumber("took_ns", static_cast<uint64_t>(took));
  log_->End();
}

void Recorder::OnPort(uint32_t host, uint8_t plane, bool up) {
  if (!log_) return;
  log_->Begin("port");
  log_->AddNumber("host", host);
  log_->AddNumber("plane", plane);
  log_->AddNumber("up", up ? 1 : 0);
  log_->End();
}

void Recorder::OnSample() {
  if (options_.connection >= sim_.flows().size()) return;
  const Flow& flow = sim_.flows()[options_.connection];
  const endpoint::Connection* c = sim_.ConnectionOf(flow, options_.end);
  if (c == nullptr) return;
  const std::vector<PathCounts>& counts = flow.paths[options_.end];
  Sample sample;
  sample.at = sim_.now();
  for (size_t q = 0; q < c->out.size(); ++q) {
    const SendPath& path = c->out[q];
    if (!path.context) continue;
    PathSample p;
    p.path = static_cast<uint8_t>(q);
    p.sent = q < counts.size() ? counts[q].data : 0;
    p.w = path.context->congestion.w;
    p.alpha = path.context->congestion.alpha;
    p.in_flight = path.context->window.in_flight();
    p.rtt = path.context->rtt.last();
    sample.paths.push_back(p);
    if (!log_) continue;
    BeginConnection("path", flow, options_.end);
    log_->AddNumber("path", q);
    log_->AddText("state", spec::Name(path.state));
    log_->AddNumber("w", p.w);
    log_->AddNumber("alpha", p.alpha);
    log_->AddNumber("in_flight", p.in_flight);
    log_->AddNumber("rtt_ns", static_cast<uint64_t>(p.rtt));
    log_->AddNumber("srtt_ns", static_cast<uint64_t>(path.context->rtt.srtt()));
    log_->AddNumber("sent", p.sent);
    log_->End();
  }
  if (options_.samples) samples_.push_back(std::move(sample));
}

}  // namespace metaroce::sim
