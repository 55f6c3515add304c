#include "model/sim/recorder.h"

#include "absl/strings/str_cat.h"
#include "model/check.h"

namespace metaroce::sim {
namespace {

constexpr size_t kHoldBack = size_t{1} << 20;

const char* NameOf(fabric::PacketClass kind) {
  switch (kind) {
    case fabric::PacketClass::kData:
      return "DATA";
    case fabric::PacketClass::kAck:
      return "ACK";
    case fabric::PacketClass::kControl:
      return "CONTROL";
  }
  return "";
}

std::string InterfaceOf(uint32_t host, uint32_t hosts, uint32_t plane, bool received) {
  const std::string name =
      hosts <= 26 ? std::string(1, static_cast<char>('a' + host)) : absl::StrCat("h", host, ".");
  return absl::StrCat(name, plane, received ? " received" : " sent");
}

}  // namespace

Recorder::Recorder(const Simulation& simulation, const Options& options)
    : sim_(simulation), options_(options), writer_("metaroce sim") {
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

void Recorder::Flush(size_t above) {
  if (options_.pcapng != nullptr && captured_ >= above) {
    const std::vector<uint8_t> bytes = writer_.Take();
    options_.pcapng->write(reinterpret_cast<const char*>(bytes.data()),
                           static_cast<std::streamsize>(bytes.size()));
    captured_ = 0;
  }
  if (options_.events != nullptr && log_.size() >= above) {
    *options_.events << log_;
    log_.clear();
  }
}

void Recorder::Finish() { Flush(0); }

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
}

void Recorder::Begin(const char* event) {
  absl::StrAppend(&log_, "{\"ps\":", sim_.fabric().now(), ",\"event\":\"", event, "\"");
}
void Recorder::AddNumber(const char* name, uint64_t value) {
  absl::StrAppend(&log_, ",\"", name, "\":", value);
}
void Recorder::AddText(const char* name, std::string_view value) {
  absl::StrAppend(&log_, ",\"", name, "\":\"");
  log_ += value;
  log_ += '"';
}
void Recorder::End() {
  log_ += "}\n";
  Flush(kHoldBack);
}

void Recorder::LogPacket(const char* event, uint32_t packet) {
  const fabric::Packet& p = sim_.fabric().packets()[packet];
  Begin(event);
  AddNumber("packet", p.number);
  AddText("class", NameOf(p.kind));
  AddNumber("from", p.from);
  AddNumber("to", p.to);
  AddNumber("plane", p.plane);
  if (p.flow != kNoFlow) AddNumber("connection", p.flow / 2);
  if (p.kind != fabric::PacketClass::kControl || p.path != spec::constant::kNoPath) {
    AddNumber("path", p.path);
  }
  AddNumber("bytes", p.wire());
  if (p.again) AddNumber("again", 1);
  if (p.ce) AddNumber("ce", 1);
  if (p.corrupt) AddNumber("corrupt", 1);
  if (p.copy) AddNumber("copy", 1);
}

void Recorder::LogConnection(const char* event, const Flow& flow, int end) {
  Begin(event);
  AddNumber("connection", sim_.IndexOf(flow));
  AddNumber("host", flow.host[end]);
}

void Recorder::OnSent(uint32_t packet) {
  if (options_.pcapng != nullptr) Capture(packet, false);
  if (options_.events != nullptr) {
    LogPacket("sent", packet);
    End();
  }
  Flush(kHoldBack);
}

void Recorder::OnArrived(uint32_t packet) {
  if (options_.pcapng != nullptr) Capture(packet, true);
  if (options_.events != nullptr) {
    LogPacket("arrived", packet);
    End();
  }
  Flush(kHoldBack);
}

void Recorder::OnLost(uint32_t packet, uint32_t link, fabric::Loss why) {
  if (options_.events == nullptr) return;
  LogPacket("lost", packet);
  AddText("link", sim_.fabric().NameOf(link));
  AddText("why", fabric::Name(why));
  End();
}

void Recorder::OnMarked(uint32_t packet, uint32_t link) {
  if (options_.events == nullptr) return;
  LogPacket("marked", packet);
  AddText("link", sim_.fabric().NameOf(link));
  End();
}

void Recorder::OnFault(uint32_t fault, bool begins) {
  if (options_.events == nullptr) return;
  Begin("fault");
  AddNumber("fault", fault);
  AddText("what", begins ? "begins" : "ends");
  End();
}

void Recorder::OnOpen(const Flow& flow, int end) {
  if (options_.events == nullptr) return;
  LogConnection("open", flow, end);
  End();
}

void Recorder::OnFailed(const Flow& flow, int end, spec::ConnectionCause cause) {
  if (options_.events == nullptr) return;
  LogConnection("failed", flow, end);
  AddText("cause", spec::Name(cause));
  End();
}

void Recorder::OnPosted(const Flow& flow) {
  if (options_.events == nullptr) return;
  LogConnection("posted", flow, 0);
  AddNumber("message", flow.posted - 1);
  End();
}

void Recorder::OnCompleted(const Flow& flow, Nanoseconds took) {
  if (options_.events == nullptr) return;
  LogConnection("completed", flow, 0);
  AddNumber("message", flow.completed - 1);
  AddNumber("took_ns", static_cast<uint64_t>(took));
  End();
}

void Recorder::OnPort(uint32_t host, uint8_t plane, bool up) {
  if (options_.events == nullptr) return;
  Begin("port");
  AddNumber("host", host);
  AddNumber("plane", plane);
  AddNumber("up", up ? 1 : 0);
  End();
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
    if (options_.events == nullptr) continue;
    LogConnection("path", flow, options_.end);
    AddNumber("path", q);
    AddText("state", spec::Name(path.state));
    AddNumber("w", p.w);
    AddNumber("alpha", p.alpha);
    AddNumber("in_flight", p.in_flight);
    AddNumber("rtt_ns", static_cast<uint64_t>(p.rtt));
    AddNumber("srtt_ns", static_cast<uint64_t>(path.context->rtt.srtt()));
    AddNumber("sent", p.sent);
    End();
  }
  if (options_.samples) samples_.push_back(std::move(sample));
}

}  // namespace metaroce::sim
