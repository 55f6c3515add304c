#include "model/testing/pair.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"
#include "model/check.h"
#include "model/invariants/state.h"
#include "model/testing/hits.h"

namespace metaroce::testing {

void Pair::Side::OnPacket(uint32_t, const endpoint::PacketOut& out) { pair->Send(index, out); }

void Pair::Side::OnWork(uint32_t, const endpoint::WorkDone& done) {
  log.work.push_back(done);
  if (pair->options_.check) pair->Hold(pair->ledger_.Completed(index, done));
}

void Pair::Side::OnPlacement(uint32_t, uint64_t address, packet::Bytes data) {
  if (pair->options_.check) pair->Hold(pair->ledger_.Placed(index, address, data));
  METAROCE_CHECK(address >= kBase && address - kBase + data.size() <= bytes.size());
  std::memcpy(bytes.data() + (address - kBase), data.data(), data.size());
  ++log.placed[address];
}

packet::Bytes Pair::Side::Read(uint64_t address, uint32_t length) {
  if (address < kBase || address - kBase > bytes.size() ||
      length > bytes.size() - (address - kBase)) {
    return {};
  }
  return packet::Bytes(bytes.data() + (address - kBase), length);
}

Pair::Pair(Options options) : options_(std::move(options)) {
  for (int i = 0; i < 2; ++i) {
    sides_[i] = std::make_unique<Side>();
    Side& side = *sides_[i];
    side.pair = this;
    side.index = i;
    side.bytes.resize(options_.memory);
    endpoint::Settings settings = options_.settings[i];
    for (size_t plane = 0; plane < settings.ports.size(); ++plane) {
      settings.ports[plane].ip =
          frame::IpAddress::V4({10, static_cast<uint8_t>(plane), 0, static_cast<uint8_t>(i + 1)});
    }
    settings.seed = static_cast<uint64_t>(i) + 1 + options_.settings[i].seed * 2;
    auto made = Endpoint::Make(settings);
    METAROCE_CHECK(made.ok());
    side.endpoint = std::make_unique<Endpoint>(*std::move(made));
  }
}

Pair::~Pair() {
  AllHits() |= hits_;
  TakeHits();
}

endpoint::Hits& Pair::AllHits() {
  static auto* const all = new endpoint::Hits;
  return *all;
}

void Pair::TakeHits() {
  if (!RecordsHits() || hits_.none()) return;
  AllHits() |= hits_;
  RecordHits(hits_);
  hits_.reset();
}

endpoint::Step Pair::step(int side) {
  TakeHits();
  endpoint::Step step;
  step.now = now_;
  step.sink = sides_[side].get();
  step.memory = sides_[side].get();
  step.chooser = chooser[side];
  step.hits = &hits_;
  return step;
}

bool Pair::Open() {
  endpoint::ConnectCommand command;
  command.peer = at(1).state().settings.ports;
  const auto cid = at(0).Connect(command, step(0));
  METAROCE_CHECK(cid.ok());
  const auto open = [&](int side) {
    const endpoint::Connection* c =
        sides_[side]->cid == 0 ? nullptr : at(side).Find(sides_[side]->cid);
    return c != nullptr && c->state == spec::ConnectionState::kOpen;
  };
  if (!RunUntil(now_ + 10000000000, [&] { return open(0) && open(1); })) return false;
  for (int i = 0; i < 2; ++i) {
    const Region all{kBase, options_.memory, kRkey, kRemoteWrite | kRemoteRead | kRemoteAtomic,
                     true};
    METAROCE_CHECK(at(i).Register(sides_[i]->cid, all).ok());
  }
  return true;
}

void Pair::Hold(const absl::Status& status) const {
  if (status.ok()) return;
  std::fprintf(stderr, "%lld ns: %s\n", static_cast<long long>(now_), status.ToString().c_str());
  std::abort();
}

void Pair::Checked(int side, const invariants::StepCheck& step) {
  Hold(invariants::CheckState(at(side).state()));
  Hold(step.After(at(side).state()));
}

void Pair::Do(int side,
              const std::function<absl::Status(Endpoint&, const endpoint::Step&)>& command) {
  invariants::StepCheck check;
  if (options_.check) check.BeforeCommand(at(side).state());
  const absl::Status status = command(at(side), step(side));
  METAROCE_CHECK(status.ok());
  if (options_.check) Checked(side, check);
}

absl::Status Pair::CheckQuiescent() {
  absl::Status status = ledger_.Quiescent(0, connection(0));
  status.Update(ledger_.Quiescent(1, connection(1)));
  return status;
}

void Pair::Post(int side, const WorkRequest& work) {
  ledger_.Posted(side, work);
  Do(side, [&](Endpoint& e, const endpoint::Step& s) { return e.Post(cid(side), work, s); });
}

void Pair::PostReceive(int side, const PostedReceive& receive) {
  Do(side,
     [&](Endpoint& e, const endpoint::Step& s) { return e.PostReceive(cid(side), receive, s); });
}

WorkRequest Pair::Write(uint64_t id, uint32_t offset, uint32_t length) {
  WorkRequest work;
  work.id = id;
  work.length = length;
  work.local = kBase + offset;
  work.address = kBase + offset;
  work.rkey = kRkey;
  return work;
}

bool Pair::Quiescent() {
  for (int i = 0; i < 2; ++i) {
    const endpoint::Connection& c = connection(i);
    if (c.unacknowledged > 0 || c.outbound.incomplete() > 0 || c.outbound.HasUnsent()) return false;
    for (const SendPath& path : c.out) {
      if (path.context && !path.context->window.empty()) return false;
    }
  }
  return true;
}

void Pair::Arrives(int to, const packet::Packet& packet, Route route) {
  endpoint::Arrival arrival;
  arrival.from = at(1 - to).state().settings.ports[0].ip;
  arrival.route = route;
  at(to).ArrivePacket(packet, arrival, step(to));
}

void Pair::ArrivesAddressed(int to, packet::Packet packet, Route route) {
  packet.headers.common.cid = cid(to);
  packet.headers.ctrl.tag = connection(to).tag;
  Arrives(to, packet, route);
}

void Pair::Restart(int side) {
  endpoint::Settings settings = at(side).state().settings;
  auto made = Endpoint::Make(settings);
  METAROCE_CHECK(made.ok());
  *sides_[side]->endpoint = *std::move(made);
  ledger_ = invariants::Ledger();
  ledger_.fifo = false;
}

void Pair::Send(int from, const endpoint::PacketOut& out) {
  Log& log = sides_[from]->log;
  const packet::Packet& p = out.packet;
  const bool data = spec::Info(p.opcode()).opcode_class == spec::OpcodeClass::kData;
  if (data) ++log.data;
  if (data && p.headers.common.rtx) ++log.rtx;
  if (data && p.headers.common.moved && !p.headers.common.rtx) ++log.moved;
  if (p.opcode() == spec::Opcode::kProbe) ++log.probes;
  if (p.opcode() == spec::Opcode::kAck) ++log.acks;
  const Fate f = fate ? fate(from, p, out.route) : Fate();
  if (trace) {
    const auto name = spec::Name(p.opcode());
    text +=
        absl::StrFormat("%d %d %s path %d epoch %d number %u%s%s entropy %d plane %d%s\n", now_,
                        from, absl::string_view(name.data(), name.size()), p.headers.common.path,
                        p.headers.common.epoch, p.headers.common.number,
                        p.headers.common.rtx ? " rtx" : "", p.headers.common.moved ? " moved" : "",
                        out.route.entropy, out.route.plane, f.drop ? " DROPPED" : "");
  }
  if (f.again > 0) ledger_.fifo = false;
  const endpoint::Connection* c = at(from).Find(sides_[from]->cid);
  if (options_.check && c != nullptr) Hold(ledger_.Sent(from, *c, p, f.drop));
  std::vector<uint8_t> bytes;
  if (options_.codec || tap) {
    auto frame = packet::Serialize(p, endpoint::FrameOf(out));
    METAROCE_CHECK(frame.ok());
    bytes = *std::move(frame);
    if (tap) tap(from, false, out.route.plane, bytes);
  }
  if (f.drop) {
    if (data) ++log.data_dropped;
    return;
  }
  Travelling t;
  t.packet = p;
  t.payload.assign(p.payload.begin(), p.payload.end());
  t.options.assign(p.options.begin(), p.options.end());
  t.arrival = {out.from.ip, out.from.mac, out.route, f.mark};
  t.to = 1 - from;
  t.frame = std::move(bytes);
  if (f.mark && !t.frame.empty()) {
    frame::FrameSpec spec = endpoint::FrameOf(out);
    spec.ecn = frame::Ecn::kCe;
    t.frame = *packet::Serialize(p, spec);
  }
  Nanoseconds& last = last_[{from, out.route.plane, out.route.entropy}];
  last = std::max(last, now_ + options_.delay + f.extra);
  Put(t, last);
  if (f.again > 0) Put(t, last + f.again);
}

void Pair::Put(const Travelling& packet, Nanoseconds at) {
  travelling_.emplace(std::pair(at, sequence_++), packet);
}

void Pair::Deliver(Travelling& t) {
  if (tap) tap(t.to, true, t.arrival.route.plane, t.frame);
  t.packet.payload = t.payload;
  t.packet.options = t.options;
  invariants::StepCheck check;
  if (options_.check) {
    check.BeforePacket(at(t.to).state(), t.packet);
    ledger_.Processes(t.to, &t.packet);
  }
  if (options_.codec) {
    at(t.to).ArriveFrame(t.frame, t.arrival.route.plane, step(t.to));
  } else {
    at(t.to).ArrivePacket(t.packet, t.arrival, step(t.to));
  }
  if (!options_.check) return;
  ledger_.Processes(t.to, nullptr);
  Checked(t.to, check);
}

void Pair::Poll(int side) {
  if (!options_.check) {
    at(side).Poll(step(side));
    return;
  }
  if (at(side).NextDue() > now_) return;
  invariants::StepCheck check;
  check.BeforePoll(at(side).state(), now_);
  at(side).Poll(step(side));
  Checked(side, check);
}

Nanoseconds Pair::Next() const {
  Nanoseconds next = travelling_.empty() ? kNever : travelling_.begin()->first.first;
  for (const auto& side : sides_) next = std::min(next, side->endpoint->NextDue());
  return next;
}

void Pair::Run(Nanoseconds until) {
  RunUntil(until, [] { return false; });
}

bool Pair::RunUntil(Nanoseconds until, const std::function<bool()>& done) {
  while (!done()) {
    const Nanoseconds next = Next();
    if (next > until) {
      now_ = std::max(now_, until);
      return false;
    }
    now_ = std::max(now_, next);
    if (!travelling_.empty() && travelling_.begin()->first.first <= now_) {
      auto node = travelling_.extract(travelling_.begin());
      Deliver(node.mapped());
      continue;
    }
    for (int i = 0; i < 2; ++i) Poll(i);
  }
  return true;
}

}  // namespace metaroce::testing
