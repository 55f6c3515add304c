#include "model/bench/back_to_back.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "model/check.h"
#include "model/wire/frame/frame.h"

namespace metaroce::bench {
namespace {

using spec::OpcodeClass;

endpoint::Settings SettingsOf(const Load &load, int side) {
  endpoint::Settings settings;
  METAROCE_CHECK(settings.profile.Set("mtu", load.mtu).ok());
  METAROCE_CHECK(settings.profile.Set("paths", load.paths).ok());
  settings.target_paths = load.paths;
  settings.windows.kind = congestion::Kind::kFixed;
  settings.windows.path_window = load.path_window << 16;
  settings.ports[0].ip = frame::IpAddress::V4({192, 0, 2, static_cast<uint8_t>(side + 1)});
  settings.ports[0].mac = {{2, 0, 0, 0, 0, static_cast<uint8_t>(side + 1)}};
  settings.seed = static_cast<uint64_t>(side) + 1;
  return settings;
}

}  // namespace

absl::Span<const Case> Cases() {
  static constexpr Case kCases[] = {
      {"path-1", {.paths = 1}},
      {"paths-8", {.paths = 8}},
      {"paths-72", {.paths = 72}},
      {"connections-4096", {.connections = 4096, .paths = 2}},
  };
  return kCases;
}

BackToBack::BackToBack(const Load &load)
    : load_(load), payload_(size_t{load.mtu} * load.message_packets) {
  for (int i = 0; i < 2; ++i) {
    auto made = endpoint::Endpoint::Make(SettingsOf(load, i));
    METAROCE_CHECK(made.ok());
    sides_[i].pair = this;
    sides_[i].to_peer = &sides_[1 - i].to_me;
    sides_[i].step.sink = &sides_[i];
    sides_[i].step.memory = &sides_[i];
    sides_[i].endpoint = std::make_unique<endpoint::Endpoint>(*std::move(made));
  }
}

[[gnu::noinline]] void BackToBack::Side::SetFlow(const endpoint::PacketOut &out) {
  const frame::Flow next = endpoint::FlowOf(out);
  const frame::Flow &last = flow.headers.flow();
  if (next.src != last.src || next.dst != last.dst || next.src_mac != last.src_mac ||
      next.dst_mac != last.dst_mac || next.dscp != last.dscp || next.ttl != last.ttl ||
      next.dst_port != last.dst_port) {
    flow.headers = frame::FlowHeaders(next);
  }
  flow.from = &out.from;
  flow.to = &out.to;
  flow.dscp = out.dscp;
}

void BackToBack::Side::OnPacket(uint32_t, const endpoint::PacketOut &out) {
  FrameRing &ring = *to_peer;
  // The UDP port and the hop limit are the same for all packets of an endpoint.
  if (flow.from != &out.from || flow.to != &out.to || flow.dscp != out.dscp) SetFlow(out);
  flow.headers.SetEntropy(out.route.entropy);
  const absl::StatusOr<size_t> written =
      packet::SerializeHeaders(out.packet, flow.headers, ring.Room());
  METAROCE_CHECK(written.ok());
  const size_t headers = *written;
  FrameRing::Frame &frame = ring.Push(headers, pair->arrives_);
  frame.payload = out.packet.payload;
  frame.length = static_cast<uint32_t>(headers + (out.packet.payload.size() + 3) / 4 * 4 + 4);
  frame.plane = out.route.plane;
  METAROCE_CHECK(frame.length <= FrameRing::kMaxFrame);
  if (out.packet.headers.common.rtx || out.packet.headers.common.moved) ++pair->resent_;
}

void BackToBack::Side::OnWork(uint32_t cid, const endpoint::WorkDone &done) {
  METAROCE_CHECK(done.status == spec::CompletionStatus::kSuccess);
  repost.push_back(cid);
}

packet::Bytes BackToBack::Side::Read(uint64_t address, uint32_t length) {
  METAROCE_CHECK(address >= kBase && address - kBase + length <= pair->payload_.size());
  return packet::Bytes(pair->payload_.data() + (address - kBase), length);
}

void BackToBack::Post(uint32_t cid) {
  WorkRequest work;
  work.kind = WorkKind::kWrite;
  work.length = static_cast<uint32_t>(payload_.size());
  work.local = kBase;
  work.address = kBase;
  work.rkey = kRkey;
  METAROCE_CHECK(sides_[0].endpoint->Post(cid, work, StepOf(sides_[0])).ok());
}

[[gnu::always_inline]] inline void BackToBack::Deliver(Side &to) {
  FrameRing &ring = to.to_me;
  const FrameRing::Frame &frame = ring.front();
  const packet::Bytes bytes = ring.Bytes(frame);
  static constexpr packet::ParseOptions kOptions{.check_icrc = false};
  packet::Packet &p = parsed_;
  METAROCE_CHECK(packet::Parse(bytes, kOptions, &p).ok());
  if (!p.payload.empty()) p.payload = frame.payload;
  const endpoint::Arrival arrival = {.from = frame::SourceAddress(p.frame, bytes),
                                     .from_mac = frame::SourceMac(p.frame, bytes),
                                     .route = {p.frame.src_port, frame.plane},
                                     .ce = p.frame.ecn() == frame::Ecn::kCe};
  to.endpoint->ArrivePacket(p, arrival, to.step);
  const OpcodeClass opcode_class = p.info().opcode_class;
  ++(opcode_class == OpcodeClass::kData  ? arrived_.data
     : opcode_class == OpcodeClass::kAck ? arrived_.acks
                                         : arrived_.others);
  ring.Pop();
}

[[gnu::always_inline]] inline bool BackToBack::Advance(Side &side, Nanoseconds now) {
  const uint32_t burst = load_.burst;
  uint32_t arrived = 0;
  for (; arrived < burst && side.to_me.next() <= now; ++arrived) Deliver(side);
  uint32_t polled = 0;
  if (side.endpoint->NextDue() <= now) polled = side.endpoint->Poll(side.step, burst);
  return arrived + polled > 0;
}

[[gnu::always_inline]] inline bool BackToBack::Advance() {
  const Nanoseconds now = now_;
  arrives_ = now + load_.delay;
  for (Side &side : sides_) side.step.now = now;
  const bool first = Advance(sides_[0], now);
  const bool second = Advance(sides_[1], now);
  if (!sides_[0].repost.empty()) {
    for (const uint32_t cid : sides_[0].repost) Post(cid);
    sides_[0].repost.clear();
  }
  return first || second;
}

void BackToBack::Run(uint64_t packets) {
  const uint64_t end = arrived_.all() + packets;
  while (arrived_.all() < end) {
    if (Advance()) {
      now_ += load_.packet_time * load_.burst;
      continue;
    }
    Nanoseconds next = kNever;
    for (const Side &side : sides_) {
      next = std::min(next, side.endpoint->NextDue());
      next = std::min(next, side.to_me.next());
    }
    METAROCE_CHECK(next != kNever);
    now_ = std::max(now_, next);
  }
}

void BackToBack::Measure(uint64_t packets) {
  Run(packets);
  asm volatile("");  // no tail call: it stays on the stack
}

void BackToBack::Fill() {
  Side &sender = sides_[0];
  arrives_ = now_ + load_.delay;
  while (sender.endpoint->NextDue() <= now_) sender.endpoint->Poll(StepOf(sender));
}

absl::Status BackToBack::Open() {
  endpoint::ConnectCommand command;
  command.peer = sides_[1].endpoint->state().settings.ports;
  for (uint32_t i = 0; i < load_.connections; ++i) {
    METAROCE_CHECK(sides_[0].endpoint->Connect(command, StepOf(sides_[0])).ok());
    const Nanoseconds limit = now_ + 1000000000;
    while (sides_[0].opened.size() <= i || sides_[1].opened.size() <= i) {
      if (now_ > limit) {
        return absl::DeadlineExceededError(
            absl::StrCat("Connection ", i, " of ", load_.connections, " does not open."));
      }
      Advance();
      now_ += load_.packet_time * load_.burst;
    }
    const Region all{kBase, payload_.size(), kRkey, kRemoteWrite, true};
    METAROCE_CHECK(sides_[1].endpoint->Register(sides_[1].opened[i], all).ok());
  }
  for (uint32_t i = 0; i < load_.connections; ++i) {
    for (uint32_t k = 0; k < load_.messages; ++k) Post(sides_[0].opened[i]);
  }
  // Each acknowledgement may open one more path.
  const uint64_t paths = uint64_t{load_.connections} * load_.paths;
  for (uint64_t tries = 0; ActivePaths() < paths; ++tries) {
    if (tries > 1000) {
      return absl::DeadlineExceededError(
          absl::StrCat(ActivePaths(), " of ", paths, " paths are open."));
    }
    Run(4 * paths + 100);
  }
  return absl::OkStatus();
}

uint32_t BackToBack::ActivePaths() const {
  uint32_t active = 0;
  for (const uint32_t cid : sides_[0].opened) active += at(0).Find(cid)->active();
  return active;
}

uint32_t BackToBack::BusyPaths() const {
  uint32_t busy = 0;
  for (const uint32_t cid : sides_[0].opened) {
    for (const SendPath &path : at(0).Find(cid)->out) {
      if (path.context && path.context->window.in_flight() > 0) ++busy;
    }
  }
  return busy;
}

}  // namespace metaroce::bench
