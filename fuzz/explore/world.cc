#include "fuzz/explore/world.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/check.h"
#include "model/state/bytes.h"
#include "model/state/state.h"

namespace metaroce::explore {
namespace {

using endpoint::Connection;
using endpoint::Endpoint;

// All of the memory of both sides, from kBase on; a word of it is for atomics. What stands at an
// address else follows from the address.
constexpr uint64_t kBase = 0x10000;
constexpr uint64_t kWord = kBase + 0xFFFF8;
constexpr uint32_t kMemory = 0x100000;
constexpr uint32_t kRkey = 0x4242;

// No peer pauses longer, or its connections may end [INVARIANT 10].
constexpr Nanoseconds kLongestPause = 1000000000;
constexpr auto kLifetime = static_cast<Nanoseconds>(spec::constant::kPacketLifetime);

uint8_t ByteAt(uint64_t address) {
  return static_cast<uint8_t>((address * 0x9E3779B97F4A7C15) >> 56);
}

std::array<uint8_t, 2 * kMemory> MakePattern() {
  std::array<uint8_t, 2 * kMemory> pattern;
  for (uint32_t i = 0; i < pattern.size(); ++i) pattern[i] = ByteAt(i % kMemory);
  return pattern;
}

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

void Put16(std::string* out, uint64_t v) {
  out->push_back(static_cast<char>(v));
  out->push_back(static_cast<char>(v >> 8));
}
void Put32(std::string* out, uint64_t v) {
  Put16(out, v);
  Put16(out, v >> 16);
}
void Put64(std::string* out, uint64_t v) {
  Put32(out, v);
  Put32(out, v >> 32);
}

// Takes numbers off the front of what the functions above wrote.
class Taker {
 public:
  explicit Taker(absl::string_view in) : p_(in.data()) {}
  uint64_t Take(int bytes) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; ++i) v |= uint64_t{static_cast<uint8_t>(p_[i])} << (8 * i);
    p_ += bytes;
    return v;
  }

 private:
  const char* p_;
};

// Takes each value of the choice points that are to be tried, and the default of all others.
class Branches : public Chooser {
 public:
  Branches(const Choices& tried, uint32_t start) : tried_(tried), start_(start) {}

  uint64_t Place(spec::Choice choice, uint64_t count) override {
    if (!tried_[static_cast<size_t>(choice)]) return 0;
    return Take(choice, count);
  }
  uint64_t Number(spec::Choice choice, uint64_t min, uint64_t max, uint64_t by_default) override {
    if (choice == spec::Choice::kStartSequence) return start_;
    if (!tried_[static_cast<size_t>(choice)]) return by_default;
    const uint64_t values[] = {by_default, min, max};
    return values[Take(choice, 3)];
  }
  // The next combination; false if there is none.
  bool Next() {
    while (!taken_.empty() && taken_.back().value + 1 == taken_.back().count) taken_.pop_back();
    if (taken_.empty()) return false;
    ++taken_.back().value;
    at_ = 0;
    return true;
  }
  std::string ToString() const {
    std::string text;
    for (const Taken& t : taken_) {
      absl::StrAppend(&text, " ", View(spec::Name(t.choice)), " ", t.value);
    }
    return text;
  }

 private:
  struct Taken {
    spec::Choice choice;
    uint64_t value;
    uint64_t count;
  };
  uint64_t Take(spec::Choice choice, uint64_t count) {
    if (at_ == taken_.size()) taken_.push_back({choice, 0, count});
    return taken_[at_++].value;
  }

  const Choices& tried_;
  const uint32_t start_;
  std::vector<Taken> taken_;
  size_t at_ = 0;
};

}  // namespace

std::string Operation::ToString() const {
  switch (kind) {
    case Kind::kPost: {
      static constexpr const char* kNames[] = {"Write",
                                               "Write with immediate",
                                               "Send",
                                               "Send with immediate",
                                               "Send with invalidate",
                                               "Read",
                                               "fetch-add",
                                               "compare-swap"};
      return absl::StrCat("posts ", kNames[static_cast<size_t>(work.kind)], " ", work.id);
    }
    case Kind::kPostReceive:
      return absl::StrCat("posts receive ", receive.id);
    case Kind::kConnect:
      return "connects";
    case Kind::kClose:
      return "closes";
    case Kind::kDeny:
      return absl::StrCat("denies path ", number);
    case Kind::kLift:
      return absl::StrCat("lifts the denial of path ", number);
    case Kind::kDrainToEpoch:
      return absl::StrCat("drains path ", number, " for its next epoch");
    case Kind::kDrainToClose:
      return absl::StrCat("drains path ", number, " to be closed");
    case Kind::kPortDown:
      return absl::StrCat("loses its port to plane ", number);
    case Kind::kPortUp:
      return absl::StrCat("has its port to plane ", number, " again");
  }
  return "";
}

Position& Position::operator=(const Position& other) {
  side = other.side;
  now = other.now;
  operation = other.operation;
  paused = other.paused;
  paused_at = other.paused_at;
  dead_paths = other.dead_paths;
  dead_routes = other.dead_routes;
  left = other.left;
  lost = other.lost;
  packets = other.packets;
  std::copy(other.under_way.begin(), other.under_way.begin() + packets, under_way.begin());
  return *this;
}

void Position::Encode(std::string* out) const {
  Put32(out, side[0]);
  Put32(out, side[1]);
  Put64(out, static_cast<uint64_t>(now));
  out->push_back(static_cast<char>(operation[0]));
  out->push_back(static_cast<char>(operation[1]));
  out->push_back(static_cast<char>(paused));
  Put64(out, static_cast<uint64_t>(paused_at));
  Put16(out, dead_paths);
  Put64(out, dead_routes);
  for (uint8_t n : {left.drops, left.duplicates, left.marks, left.delays, left.kills, left.revives,
                    left.pauses, left.lulls, lost, packets}) {
    out->push_back(static_cast<char>(n));
  }
  for (size_t i = 0; i < packets; ++i) {
    Put32(out, under_way[i].packet);
    out->push_back(static_cast<char>(under_way[i].channel));
  }
}

void Position::Decode(absl::string_view in) {
  Taker t(in);
  side[0] = static_cast<uint32_t>(t.Take(4));
  side[1] = static_cast<uint32_t>(t.Take(4));
  now = static_cast<Nanoseconds>(t.Take(8));
  operation[0] = static_cast<uint8_t>(t.Take(1));
  operation[1] = static_cast<uint8_t>(t.Take(1));
  paused = static_cast<uint8_t>(t.Take(1));
  paused_at = static_cast<Nanoseconds>(t.Take(8));
  dead_paths = static_cast<uint16_t>(t.Take(2));
  dead_routes = t.Take(8);
  for (uint8_t* n : {&left.drops, &left.duplicates, &left.marks, &left.delays, &left.kills,
                     &left.revives, &left.pauses, &left.lulls, &lost, &packets}) {
    *n = static_cast<uint8_t>(t.Take(1));
  }
  for (size_t i = 0; i < packets; ++i) {
    under_way[i].packet = static_cast<uint32_t>(t.Take(4));
    under_way[i].channel = static_cast<uint8_t>(t.Take(1));
  }
}

// The applications of a side: memory, and what they are told.
class World::Recorder : public endpoint::Sink, public endpoint::Memory {
 public:
  Recorder(World* world, int side, Nanoseconds now, Ghost* ghost)
      : world_(*world), side_(side), now_(now), ghost_(*ghost) {}

  void OnPacket(uint32_t, const endpoint::PacketOut& out) override {
    packets.push_back(world_.InternPacket(side_, out, now_));
  }
  void OnPlacement(uint32_t, uint64_t address, packet::Bytes data) override {
    if (address == kWord && data.size() == 8) {
      std::memcpy(&ghost_.word, data.data(), 8);
      return;
    }
    if (address < kBase || address - kBase + data.size() > kMemory) {
      return Wrong(
          absl::StrCat(data.size(), " bytes are placed at ", address, ", outside of all memory"));
    }
    const uint32_t offset = static_cast<uint32_t>(address - kBase);
    // The result of an atomic is whatever the word was.
    for (size_t i = 0; i < data.size() && data.size() != 8; ++i) {
      if (data[i] != ByteAt(offset + i)) {
        return Wrong(absl::StrCat("[12] the bytes placed at offset ", offset,
                                  " are not those that were sent"));
      }
    }
    auto at = std::lower_bound(ghost_.placed.begin(), ghost_.placed.end(),
                               std::pair<uint32_t, uint32_t>(offset, 0));
    if (at == ghost_.placed.end() || at->first != offset) {
      at = ghost_.placed.insert(at, {offset, 0});
    }
    if (++at->second > 1)
      Wrong(absl::StrCat("[1] the packet at offset ", offset, " is placed twice"));
  }
  void OnWork(uint32_t, const endpoint::WorkDone& done) override {
    Complete("work request", &ghost_.done, done.id, done.status);
  }
  void OnReceive(uint32_t, const endpoint::ReceiveDone& done) override {
    Complete("receive", &ghost_.received, done.id, done.status);
  }
  void OnOpen(uint32_t cid) override { ghost_.cid = cid; }
  void OnEnded(uint32_t, const endpoint::Ended& ended) override {
    ghost_.ended = true;
    if (ended.cause == spec::ConnectionCause::kClosed) return;
    if (world_.scenario_.may_end[static_cast<size_t>(ended.cause)]) return;
    Wrong(absl::StrCat("[10] the connection ends for the reason ", View(spec::Name(ended.cause))));
  }
  packet::Bytes Read(uint64_t address, uint32_t length) override {
    if (address == kWord && length == 8) {
      return packet::Bytes(reinterpret_cast<const uint8_t*>(&ghost_.word), 8);
    }
    for (const auto& [id, status] : ghost_.done) {
      const Operation* op = world_.Work(side_, id);
      if (op == nullptr || op->work.kind == WorkKind::kRead || IsAtomic(op->work.kind)) continue;
      if (address >= op->work.local && address < op->work.local + op->work.length) {
        Wrong(absl::StrCat("the memory of work request ", id, " is read after its completion"));
      }
    }
    static const auto* const kPattern = new std::array<uint8_t, 2 * kMemory>(MakePattern());
    if (address < kBase || address - kBase >= kMemory || length > kMemory) return {};
    return packet::Bytes(kPattern->data() + (address - kBase), length);
  }

  std::vector<uint32_t> packets;
  Problem problem;

 private:
  void Wrong(Problem what) {
    if (problem.empty()) problem = std::move(what);
  }
  // Ids of a script ascend in each stream: a stream is the id's hundreds.
  void Complete(const char* what, std::vector<std::pair<uint32_t, uint32_t>>* list, uint64_t id,
                spec::CompletionStatus status) {
    for (const auto& [before, before_status] : *list) {
      if (before == id) return Wrong(absl::StrCat("[2] ", what, " ", id, " is completed twice"));
      if (before > id && before / 100 == id / 100) {
        return Wrong(absl::StrCat("[2] ", what, " ", id, " is completed after ", before));
      }
    }
    list->push_back({static_cast<uint32_t>(id), static_cast<uint32_t>(status)});
    if (status != spec::CompletionStatus::kSuccess && world_.scenario_.may_end.none() &&
        !world_.scenario_.closes) {
      Wrong(absl::StrCat("[10] ", what, " ", id, " is completed with ", View(spec::Name(status))));
    }
  }

  World& world_;
  const int side_;
  const Nanoseconds now_;
  Ghost& ghost_;
};

World::World(const Scenario& scenario) : scenario_(scenario) {
  for (int side = 0; side < 2; ++side) {
    endpoint::Settings settings = scenario.settings[side];
    for (size_t plane = 0; plane < settings.ports.size(); ++plane) {
      settings.ports[plane].ip = frame::IpAddress::V4(
          {10, static_cast<uint8_t>(plane), 0, static_cast<uint8_t>(side + 1)});
    }
    settings.seed = static_cast<uint64_t>(side) + 1;
    auto made = Endpoint::Make(settings);
    if (!made.ok()) {
      problem_ = absl::StrCat("Side ", side, ": ", made.status().message());
      return;
    }
    scratch_[side] = std::make_unique<Endpoint>(*std::move(made));
  }
  start_.now = scenario.begins;
  start_.left = scenario.budget;
  if (scenario.established) Establish();
  for (int side = 0; side < 2; ++side) {
    if (!scenario.established) start_.side[side] = Intern(side, Ghost(), "");
  }
  if (scenario.established) WarmUp();
}

namespace {

Region AllMemory() {
  return Region{kBase, kMemory, kRkey, kRemoteWrite | kRemoteRead | kRemoteAtomic, true};
}

}  // namespace

void World::Establish() {
  path_of_entropy_[49152] = 0;
  std::array<spec::Connect, 2> body{};
  for (int side = 0; side < 2; ++side) {
    const Profile& profile = scenario_.settings[side].profile;
    const uint32_t start = scenario_.start;
    spec::Connect& b = body[side];
    b.cid = 1;
    b.start_csn = start;
    b.start_msn = start;
    b.start_sequence = start;
    b.start_serial = start;
    b.start_index = start;
    b.credit = start;
    b.range = static_cast<uint32_t>(profile[spec::Constant::kCsnRange]);
    b.mtu = static_cast<uint16_t>(profile[spec::Constant::kMtu]);
    b.streams = static_cast<uint16_t>(profile[spec::Constant::kStreams]);
    b.open_messages = static_cast<uint16_t>(profile[spec::Constant::kOpenMessages]);
    b.reads = static_cast<uint16_t>(profile[spec::Constant::kReads]);
    b.paths = static_cast<uint8_t>(profile[spec::Constant::kPaths]);
    b.planes = static_cast<uint8_t>(scenario_.settings[side].ports.size());
  }
  for (int side = 0; side < 2; ++side) {
    Ghost ghost;
    ghost.cid = 1;
    Recorder recorder(this, side, start_.now, &ghost);
    endpoint::Step step{start_.now, &recorder, &recorder, nullptr, &hits_};
    const absl::Status made = scratch_[side]->Establish(
        7, body[side], body[1 - side], scratch_[1 - side]->state().settings.ports,
        Route{static_cast<uint16_t>(49152 + side), 0}, step);
    METAROCE_CHECK(made.ok());
    Connection& c = *scratch_[side]->state().connections[0];
    c.next_id = TransactionId(scenario_.start);
    for (SendPath& path : c.out) path.epoch = scenario_.first_epoch;
    METAROCE_CHECK(scratch_[side]->Register(1, AllMemory()).ok());
    // Further paths are opened once some data is acknowledged (COUNT-OPEN).
    if (scenario_.settings[side].target_paths > 1) {
      WorkRequest first;
      first.length = 1;
      first.local = first.address = kBase;
      first.rkey = kRkey;
      METAROCE_CHECK(scratch_[side]->Post(1, first, step).ok());
      ++ghost.posted;
    }
    start_.side[side] = Intern(side, ghost, recorder.problem);
    for (uint32_t packet : recorder.packets) problem_ = Put(&start_, packet);
  }
}

// Without any fault, until the paths are open and nothing is under way.
void World::WarmUp() {
  const auto open = [&] {
    if (start_.packets > 0 || DueNow(start_, 0) || DueNow(start_, 1)) return false;
    for (int side = 0; side < 2; ++side) {
      Ghost ghost;
      Load(side, sides_[side][start_.side[side]].bytes, &ghost);
      const Connection* c = scratch_[side]->Find(ghost.cid);
      if (c == nullptr || c->active() < scenario_.settings[side].target_paths) return false;
    }
    return true;
  };
  for (int steps = 0; steps < 2000; ++steps) {
    if (open()) {
      start_.left = scenario_.budget;
      return;
    }
    Action action;
    if (DueNow(start_, 0) || DueNow(start_, 1)) {
      action = {Action::Kind::kStep, static_cast<uint8_t>(DueNow(start_, 0) ? 0 : 1), 0};
    } else if (start_.packets > 0) {
      start_.now += 1000;
      action = {Action::Kind::kDeliver, start_.under_way[0].channel, 0};
    } else {
      action = {Action::Kind::kAdvance, 0, 0};
    }
    Position next;
    problem_ = Apply(start_, action, &next);
    if (!problem_.empty()) return;
    start_ = next;
  }
  problem_ = "The paths do not open without a fault.";
}

void World::Load(int side, absl::string_view bytes, Ghost* ghost) {
  Taker t(bytes);
  const size_t length = t.Take(4);
  METAROCE_CHECK(
      state::Restore(bytes.substr(4, length), state::Counters::kWithout, scratch_[side].get())
          .ok());
  Taker g(bytes.substr(4 + length));
  ghost->cid = static_cast<uint32_t>(g.Take(4));
  ghost->ended = g.Take(1) != 0;
  ghost->word = g.Take(8);
  ghost->posted = static_cast<uint32_t>(g.Take(4));
  for (auto* list : {&ghost->placed, &ghost->done, &ghost->received}) {
    list->resize(g.Take(4));
    for (auto& [a, b] : *list) {
      a = static_cast<uint32_t>(g.Take(4));
      b = static_cast<uint32_t>(g.Take(4));
    }
  }
}

uint32_t World::Intern(int side, const Ghost& ghost, const Problem& problem) {
  std::string bytes(4, '\0');
  state::Save(*scratch_[side], state::Counters::kWithout, &bytes);
  const uint32_t length = static_cast<uint32_t>(bytes.size() - 4);
  std::string prefix;
  Put32(&prefix, length);
  bytes.replace(0, 4, prefix);
  Put32(&bytes, ghost.cid);
  bytes.push_back(ghost.ended ? 1 : 0);
  Put64(&bytes, ghost.word);
  Put32(&bytes, ghost.posted);
  for (const auto* list : {&ghost.placed, &ghost.done, &ghost.received}) {
    Put32(&bytes, list->size());
    for (const auto& [a, b] : *list) {
      Put32(&bytes, a);
      Put32(&bytes, b);
    }
  }
  // A problem makes the state another: it is found by whatever leads to it.
  Hash128 hash = Hash(bytes);
  if (!problem.empty()) hash.high ^= Hash(problem).low;
  const auto [it, fresh] =
      side_ids_[side].try_emplace(hash, static_cast<uint32_t>(sides_[side].size()));
  if (!fresh) return it->second;
  largest_side_ = std::max(largest_side_, bytes.size());
  SideState state;
  state.bytes = std::move(bytes);
  state.ghost = ghost;
  state.due = scratch_[side]->NextDue();
  state.settled = Settled(side, ghost);
  state.gone = scratch_[side]->state().by_cid.empty();
  if (!problem.empty()) {
    state.problem = static_cast<uint32_t>(problems_.size());
    problems_.push_back(problem);
  }
  sides_[side].push_back(std::move(state));
  return it->second;
}

bool World::Settled(int side, const Ghost& ghost) const {
  if (ghost.done.size() < ghost.posted) return false;
  const Endpoint& e = *scratch_[side];
  const Connection* c = ghost.cid == 0 ? nullptr : e.Find(ghost.cid);
  if (c == nullptr || c->state != spec::ConnectionState::kOpen) return true;
  if (c->unacknowledged > 0 || c->outbound.HasUnsent() || c->outbound.incomplete() > 0)
    return false;
  return std::all_of(c->out.begin(), c->out.end(), [](const SendPath& path) {
    return !path.context || path.context->window.empty();
  });
}

uint8_t World::ChannelOf(int from, Route route) {
  for (size_t i = 0; i < channels_.size(); ++i) {
    const Channel& c = channels_[i];
    if (c.from == from && c.entropy == route.entropy && c.plane == route.plane) {
      return static_cast<uint8_t>(i);
    }
  }
  METAROCE_CHECK(channels_.size() < 64);
  const auto path = path_of_entropy_.find(route.entropy);
  channels_.push_back({static_cast<uint8_t>(from), route.plane, route.entropy,
                       path == path_of_entropy_.end() ? uint8_t{255} : path->second});
  return static_cast<uint8_t>(channels_.size() - 1);
}

uint32_t World::InternPacket(int from, const endpoint::PacketOut& out, Nanoseconds now) {
  frame::FrameSpec spec = endpoint::FrameOf(out);
  auto bytes = packet::Serialize(out.packet, spec);
  METAROCE_CHECK(bytes.ok());
  bytes->push_back(out.route.plane);
  const Hash128 hash =
      Hash(absl::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
  const auto [it, fresh] = packet_ids_.try_emplace(hash, static_cast<uint32_t>(packets_.size()));
  if (!fresh) return it->second;
  if (from == 0 && out.packet.opcode() == spec::Opcode::kPathOpen) {
    path_of_entropy_[out.route.entropy] = out.packet.headers.common.path;
  }
  Sent sent;
  sent.packet = out.packet;
  sent.payload.assign(out.packet.payload.begin(), out.packet.payload.end());
  sent.options.assign(out.packet.options.begin(), out.packet.options.end());
  sent.arrival = {out.from.ip, out.from.mac, out.route, false};
  sent.channel = ChannelOf(from, out.route);
  sent.sent = now;
  sent.from = static_cast<uint8_t>(from);
  packets_.push_back(std::move(sent));
  Sent& kept = packets_.back();
  kept.packet.payload = kept.payload;
  kept.packet.options = kept.options;
  return it->second;
}

bool World::IsDead(const Position& p, uint8_t channel) const {
  if ((p.dead_routes >> channel) & 1) return true;
  const Channel& c = channels_[channel];
  return c.path < 8 && ((p.dead_paths >> (8 * c.from + c.path)) & 1) != 0;
}

// Loses the packets for which `keep` is false.
template <typename F>
void World::Keep(Position* p, F keep) const {
  const auto end = std::remove_if(p->under_way.begin(), p->under_way.begin() + p->packets,
                                  [&](const Position::UnderWay& u) {
                                    if (keep(u)) return false;
                                    Lose(p, u.packet);
                                    return true;
                                  });
  p->packets = static_cast<uint8_t>(end - p->under_way.begin());
}

void World::Lose(Position* p, uint32_t packet) const {
  const spec::OpcodeInfo& info = packets_[packet].packet.info();
  if (info.opcode_class == spec::OpcodeClass::kData && p->lost < UINT8_MAX) ++p->lost;
}

Problem World::Put(Position* p, uint32_t packet) const {
  const Sent& sent = packets_[packet];
  // Holds with duplicates and with epochs that die, too; the equality at the end needs more.
  if (sent.packet.info().opcode_class == spec::OpcodeClass::kData &&
      sent.packet.headers.common.rtx) {
    if (p->lost == 0) return "[9] a DATA packet is retransmitted, and none was lost";
    --p->lost;
  }
  if (!scenario_.kill_stalls && IsDead(*p, sent.channel)) {
    Lose(p, packet);
    return "";
  }
  if (p->packets == Position::kMostPackets) {
    return "Too many packets are under way for the explorer.";
  }
  size_t at = p->packets;
  while (at > 0 && p->under_way[at - 1].channel > sent.channel) {
    p->under_way[at] = p->under_way[at - 1];
    --at;
  }
  p->under_way[at] = {packet, sent.channel};
  ++p->packets;
  return "";
}

const Operation* World::Work(int side, uint32_t id) const {
  for (const Operation& op : scenario_.script[side]) {
    if (op.kind == Operation::Kind::kPost && op.work.id == id) return &op;
  }
  return nullptr;
}

Problem World::CheckDone(const Position& p, int side) const {
  const Ghost& own = sides_[side][p.side[side]].ghost;
  const Ghost& peer = sides_[1 - side][p.side[1 - side]].ghost;
  const uint64_t mtu = scenario_.settings[side].profile[spec::Constant::kMtu];
  for (const auto& [id, status] : own.done) {
    const Operation* op = Work(side, id);
    if (op == nullptr || status != static_cast<uint32_t>(spec::CompletionStatus::kSuccess)) {
      continue;
    }
    const Ghost& to = HasResponse(op->work.kind) ? own : peer;
    for (uint64_t at = 0; at < op->work.length; at += mtu) {
      const std::pair<uint32_t, uint32_t> once(static_cast<uint32_t>(op->work.local - kBase + at),
                                               1);
      if (std::binary_search(to.placed.begin(), to.placed.end(), once)) continue;
      return absl::StrCat("[1] work request ", id, " is completed, and its bytes from ", at,
                          " on are not placed");
    }
  }
  return "";
}

const std::vector<World::Outcome>& World::Outcomes(int side, uint32_t state, uint32_t input,
                                                   Nanoseconds now) {
  const Key key{state, input, now};
  const auto found = memo_[side].find(key);
  if (found != memo_[side].end()) return outcomes_[found->second];
  std::vector<Outcome> computed = Compute(side, state, input, now);
  memo_[side].emplace(key, static_cast<uint32_t>(outcomes_.size()));
  outcomes_.push_back(std::move(computed));
  return outcomes_.back();
}

std::vector<World::Outcome> World::Compute(int side, uint32_t state, uint32_t input,
                                           Nanoseconds now) {
  std::vector<Outcome> outcomes;
  Branches branches(scenario_.enumerate, scenario_.start);
  do {
    Ghost ghost;
    Load(side, sides_[side][state].bytes, &ghost);
    Recorder recorder(this, side, now, &ghost);
    endpoint::Step step{now, &recorder, &recorder, &branches, &hits_};
    Endpoint& e = *scratch_[side];
    switch (input % 4) {
      case kArrival:
      case kMarkedArrival: {
        const Sent& sent = packets_[input / 4];
        endpoint::Arrival arrival = sent.arrival;
        arrival.ce = input % 4 == kMarkedArrival;
        e.ArrivePacket(sent.packet, arrival, step);
        break;
      }
      case kPoll:
        e.Poll(step);
        break;
      case kDo: {
        const Problem problem = Do(scenario_.script[side][input / 4], side, step, &ghost);
        if (recorder.problem.empty()) recorder.problem = problem;
        break;
      }
    }
    // An application lets the peer use its memory before it accepts or is told of a connection.
    for (const auto& c : e.state().connections) {
      if (c != nullptr && c->regions.empty())
        METAROCE_CHECK(e.Register(c->cid(), AllMemory()).ok());
    }
    Outcome outcome;
    outcome.packets = std::move(recorder.packets);
    outcome.choices = branches.ToString();
    outcome.side = Intern(side, ghost, recorder.problem);
    outcomes.push_back(std::move(outcome));
  } while (branches.Next());
  return outcomes;
}

Problem World::Do(const Operation& operation, int side, const endpoint::Step& step, Ghost* ghost) {
  Endpoint& e = *scratch_[side];
  const uint32_t cid = ghost->cid;
  absl::Status status;
  switch (operation.kind) {
    case Operation::Kind::kPost:
      status = e.Post(cid, operation.work, step);
      if (status.ok()) ++ghost->posted;
      break;
    case Operation::Kind::kPostReceive:
      status = e.PostReceive(cid, operation.receive, step);
      break;
    case Operation::Kind::kConnect: {
      endpoint::ConnectCommand command;
      command.peer = scratch_[1 - side]->state().settings.ports;
      const auto made = e.Connect(command, step);
      status = made.status();
      if (made.ok()) ghost->cid = *made;
      break;
    }
    case Operation::Kind::kClose:
      status = e.Close(cid, step);
      break;
    case Operation::Kind::kDeny:
      status = e.Deny(cid, operation.number, step);
      break;
    case Operation::Kind::kLift:
      status = e.Lift(cid, operation.number, step);
      break;
    case Operation::Kind::kDrainToEpoch:
      status = e.Drain(cid, operation.number, false, step);
      break;
    case Operation::Kind::kDrainToClose:
      status = e.Drain(cid, operation.number, true, step);
      break;
    case Operation::Kind::kPortDown:
      status = e.SetPort(operation.number, false, step);
      break;
    case Operation::Kind::kPortUp:
      status = e.SetPort(operation.number, true, step);
      break;
  }
  // An application that comes too late, or too early, is refused; that is no problem.
  (void)status;
  return "";
}

bool World::DueNow(const Position& p, int side) const {
  return ((p.paused >> side) & 1) == 0 && sides_[side][p.side[side]].due <= p.now;
}

Nanoseconds World::NextDeadline(const Position& p) const {
  Nanoseconds next = kNever;
  for (int side = 0; side < 2; ++side) {
    if ((p.paused >> side) & 1) continue;
    next = std::min(next, sides_[side][p.side[side]].due);
  }
  return next;
}

bool World::Idle(const Position& p) const {
  if (p.paused != 0) return false;
  for (size_t i = 0; i < p.packets; ++i) {
    if (!IsDead(p, p.under_way[i].channel)) return false;
  }
  for (int side = 0; side < 2; ++side) {
    if (p.operation[side] < scenario_.script[side].size()) return false;
  }
  return true;
}

void World::Actions(const Position& from, std::vector<Action>* out) {
  out->clear();
  const auto add = [&](Action::Kind kind, size_t number, int side, uint32_t input) {
    size_t outcomes = 1;
    if (scenario_.enumerate.any()) {
      outcomes = Outcomes(side, from.side[side], input, from.now).size();
    }
    for (size_t i = 0; i < outcomes; ++i) {
      out->push_back({kind, static_cast<uint8_t>(number), static_cast<uint16_t>(i)});
    }
  };
  const auto plain = [&](Action::Kind kind, size_t number) {
    out->push_back({kind, static_cast<uint8_t>(number), 0});
  };
  for (size_t side = 0; side < 2; ++side) {
    if (from.operation[side] >= scenario_.script[side].size()) continue;
    if ((from.paused >> side) & 1) continue;
    add(Action::Kind::kOperation, side, static_cast<int>(side), from.operation[side] * 4u + kDo);
    if (!scenario_.post_any_time) return;
  }
  bool due = false;
  for (int side = 0; side < 2; ++side) {
    if (!DueNow(from, side)) continue;
    due = true;
    add(Action::Kind::kStep, static_cast<size_t>(side), side, kPoll);
    if (scenario_.eager) return;
  }
  for (size_t i = 0; i < from.packets; ++i) {
    const uint8_t channel = from.under_way[i].channel;
    if (i > 0 && from.under_way[i - 1].channel == channel) continue;
    if (IsDead(from, channel)) continue;  // it stalls
    const int to = 1 - channels_[channel].from;
    const uint32_t packet = from.under_way[i].packet;
    if (((from.paused >> to) & 1) == 0) {
      add(Action::Kind::kDeliver, channel, to, packet * 4 + kArrival);
      if (from.left.duplicates > 0) {
        add(Action::Kind::kDuplicate, channel, to, packet * 4 + kArrival);
      }
      if (from.left.marks > 0) add(Action::Kind::kMark, channel, to, packet * 4 + kMarkedArrival);
    }
    if (from.left.drops > 0) plain(Action::Kind::kDrop, channel);
  }
  const Nanoseconds next = NextDeadline(from);
  const bool long_pause = from.paused != 0 && next - from.paused_at > kLongestPause;
  if (!due && next != kNever && !long_pause) {
    const bool idle = Idle(from) || (from.paused != 0 && from.left.lulls > 0);
    if (idle || from.left.delays > 0) plain(Action::Kind::kAdvance, 0);
    if (!idle && from.left.delays > 0 && next > from.now + 1) plain(Action::Kind::kWait, 0);
  }
  if (from.left.kills > 0) {
    for (size_t path = 0; path < 8; ++path) {
      if (((scenario_.killable >> path) & 1) == 0) continue;
      for (size_t way = 0; way < 3; ++way) {
        if ((scenario_.kill_ways >> way) & 1) plain(Action::Kind::kKill, way * 16 + path);
      }
    }
  }
  if (from.left.revives > 0 && (from.dead_paths != 0 || from.dead_routes != 0)) {
    plain(Action::Kind::kRevive, 0);
  }
  for (size_t side = 0; side < 2; ++side) {
    if ((from.paused >> side) & 1) {
      plain(Action::Kind::kResume, side);
    } else if (from.left.pauses > 0) {
      plain(Action::Kind::kPause, side);
    }
  }
}

Problem World::Apply(const Position& from, Action action, Position* to) {
  *to = from;
  int side = -1;
  uint32_t input = 0;
  size_t first = 0;  // of the channel's packets
  const auto find = [&] {
    while (from.under_way[first].channel != action.number) ++first;
    side = 1 - channels_[action.number].from;
    input = from.under_way[first].packet * 4 + kArrival;
  };
  const auto take = [&] {
    std::copy(to->under_way.begin() + static_cast<ptrdiff_t>(first) + 1,
              to->under_way.begin() + to->packets,
              to->under_way.begin() + static_cast<ptrdiff_t>(first));
    --to->packets;
  };
  switch (action.kind) {
    case Action::Kind::kStep:
      side = action.number;
      input = kPoll;
      break;
    case Action::Kind::kOperation:
      side = action.number;
      input = from.operation[side] * 4u + kDo;
      ++to->operation[side];
      break;
    case Action::Kind::kDeliver:
      find();
      take();
      break;
    case Action::Kind::kDrop:
      find();
      take();
      Lose(to, input / 4);
      --to->left.drops;
      return "";
    case Action::Kind::kDuplicate:
      find();
      --to->left.duplicates;
      break;
    case Action::Kind::kMark:
      find();
      take();
      input += kMarkedArrival - kArrival;
      --to->left.marks;
      break;
    case Action::Kind::kAdvance:
    case Action::Kind::kWait: {
      const Nanoseconds next = NextDeadline(from);
      to->now = std::max(from.now, action.kind == Action::Kind::kWait ? next - 1 : next);
      if (from.paused != 0 && from.left.lulls > 0) {
        --to->left.lulls;
      } else if (!Idle(from)) {
        --to->left.delays;
      }
      // No packet lives longer (FABRIC-LIFETIME).
      Keep(to, [&](const Position::UnderWay& p) {
        return to->now - packets_[p.packet].sent <= kLifetime;
      });
      return "";
    }
    case Action::Kind::kKill: {
      --to->left.kills;
      const uint32_t path = action.number % 16;
      const uint32_t way = action.number / 16;
      for (uint32_t direction = 0; direction < 2; ++direction) {
        if (way != 2 && way != direction) continue;
        if (!scenario_.kill_routes)
          to->dead_paths |= static_cast<uint16_t>(1u << (8 * direction + path));
        // The route of an entropy: that of the path's latest epoch.
        for (size_t i = channels_.size(); scenario_.kill_routes && i-- > 0;) {
          if (channels_[i].from != direction || channels_[i].path != path) continue;
          to->dead_routes |= uint64_t{1} << i;
          break;
        }
      }
      Keep(to, [&](const Position::UnderWay& p) {
        return scenario_.kill_stalls || !IsDead(*to, p.channel);
      });
      return "";
    }
    case Action::Kind::kRevive:
      --to->left.revives;
      to->dead_paths = 0;
      to->dead_routes = 0;
      return "";
    case Action::Kind::kPause:
      --to->left.pauses;
      if (to->paused == 0) to->paused_at = from.now;
      to->paused |= static_cast<uint8_t>(1 << action.number);
      return "";
    case Action::Kind::kResume:
      to->paused &= static_cast<uint8_t>(~(1 << action.number));
      if (to->paused == 0) to->paused_at = 0;
      return "";
  }
  const Outcome& outcome = Outcomes(side, from.side[side], input, from.now)[action.outcome];
  to->side[side] = outcome.side;
  for (uint32_t packet : outcome.packets) {
    Problem problem = Put(to, packet);
    if (!problem.empty()) return problem;
  }
  const SideState& after = sides_[side][outcome.side];
  if (after.problem != 0) return problems_[after.problem];
  if (after.ghost.done.size() > sides_[side][from.side[side]].ghost.done.size()) {
    return CheckDone(*to, side);
  }
  return "";
}

bool World::Done(const Position& p) const {
  for (int side = 0; side < 2; ++side) {
    if (p.operation[side] < scenario_.script[side].size()) return false;
    const SideState& s = sides_[side][p.side[side]];
    if (!s.settled || (scenario_.closes && !s.gone)) return false;
  }
  return p.paused == 0;
}

std::string World::Describe(const Position& from, Action action) {
  std::string text;
  const auto name = [&](uint32_t id) {
    const Sent& sent = packets_[id];
    const spec::Common& c = sent.packet.headers.common;
    std::string s(View(spec::Name(sent.packet.opcode())));
    const spec::OpcodeClass kind = spec::Info(sent.packet.opcode()).opcode_class;
    if (kind == spec::OpcodeClass::kData) {
      absl::StrAppend(&s, " path ", c.path, " epoch ", c.epoch, " sequence ", c.number, " csn ",
                      sent.packet.headers.data.csn, c.rtx ? " rtx" : "", c.moved ? " moved" : "");
    } else if (sent.packet.opcode() == spec::Opcode::kAck) {
      absl::StrAppend(&s, " serial ", c.number, " cumulative ", sent.packet.headers.ack.csn);
      for (const spec::PathBlock& b : sent.packet.path_blocks()) {
        absl::StrAppend(&s, " [path ", b.path, " epoch ", b.epoch, " base ", b.base, " bits ",
                        absl::Hex(b.bitmap[0]), " echo ", b.echo, "]");
      }
    } else {
      absl::StrAppend(&s, " path ", c.path, " epoch ", c.epoch, " id ", c.number);
    }
    return s;
  };
  const auto head = [&](uint8_t channel) {
    size_t i = 0;
    while (from.under_way[i].channel != channel) ++i;
    return name(from.under_way[i].packet);
  };
  const auto to = [&](uint8_t channel) { return 1 - channels_[channel].from; };
  const uint8_t n = action.number;
  switch (action.kind) {
    case Action::Kind::kStep:
      absl::StrAppend(&text, "side ", n, " does what is due");
      break;
    case Action::Kind::kOperation:
      absl::StrAppend(&text, "side ", n, " ", scenario_.script[n][from.operation[n]].ToString());
      break;
    case Action::Kind::kDeliver:
      absl::StrAppend(&text, head(n), " arrives at side ", to(n));
      break;
    case Action::Kind::kDrop:
      absl::StrAppend(&text, head(n), " to side ", to(n), " is lost");
      break;
    case Action::Kind::kDuplicate:
      absl::StrAppend(&text, head(n), " arrives at side ", to(n), ", and a copy is under way");
      break;
    case Action::Kind::kMark:
      absl::StrAppend(&text, head(n), " arrives at side ", to(n), " marked CE");
      break;
    case Action::Kind::kAdvance:
      absl::StrAppend(&text, "time passes to the next deadline, ", NextDeadline(from));
      break;
    case Action::Kind::kWait:
      absl::StrAppend(&text, "time passes to just before the deadline ", NextDeadline(from));
      break;
    case Action::Kind::kKill: {
      static constexpr const char* kWays[] = {"from side 0", "to side 0", "in both directions"};
      absl::StrAppend(&text, "path ", n % 16, scenario_.kill_stalls ? " stalls " : " dies ",
                      kWays[n / 16]);
      break;
    }
    case Action::Kind::kRevive:
      text = "all that is dead lives again";
      break;
    case Action::Kind::kPause:
      absl::StrAppend(&text, "side ", n, " pauses");
      break;
    case Action::Kind::kResume:
      absl::StrAppend(&text, "side ", n, " goes on");
      break;
  }
  std::string leaves;
  const auto follow = [&](int side, uint32_t input) {
    const Outcome& outcome = Outcomes(side, from.side[side], input, from.now)[action.outcome];
    absl::StrAppend(&text, outcome.choices);
    for (uint32_t packet : outcome.packets) {
      absl::StrAppend(&leaves, "\n", std::string(16, ' '), "side ", side, " sends ", name(packet),
                      IsDead(from, packets_[packet].channel) && !scenario_.kill_stalls
                          ? " (into a dead path)"
                          : "");
    }
  };
  size_t first = 0;
  switch (action.kind) {
    case Action::Kind::kStep:
      follow(n, kPoll);
      break;
    case Action::Kind::kOperation:
      follow(n, from.operation[n] * 4u + kDo);
      break;
    case Action::Kind::kDeliver:
    case Action::Kind::kDuplicate:
    case Action::Kind::kMark:
      while (from.under_way[first].channel != n) ++first;
      follow(to(n), from.under_way[first].packet * 4 +
                        (action.kind == Action::Kind::kMark ? kMarkedArrival : kArrival));
      break;
    default:
      break;
  }
  return absl::StrFormat("%12d ns %s%s", from.now, text, leaves);
}

std::string World::Print(const Position& position, int side) {
  Ghost ghost;
  Load(side, sides_[side][position.side[side]].bytes, &ghost);
  return state::Print(*scratch_[side]);
}

}  // namespace metaroce::explore
