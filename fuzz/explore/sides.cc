// What an input does to one side, and the tables of sides and packets.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fuzz/explore/bytes.h"
#include "fuzz/explore/memory.h"
#include "fuzz/explore/world.h"
#include "model/check.h"
#include "model/choosers/choosers.h"
#include "model/invariants/state.h"
#include "model/invariants/step.h"
#include "model/state/state.h"

namespace metaroce::explore {
namespace {

using endpoint::Connection;
using endpoint::Endpoint;

std::array<uint8_t, 2 * kMemory> MakePattern() {
  std::array<uint8_t, 2 * kMemory> pattern;
  for (uint32_t i = 0; i < pattern.size(); ++i) pattern[i] = ByteAt(i % kMemory);
  return pattern;
}

// Takes each value of the choice points that are to be tried, and the default of all others.
class Branches : public Chooser {
 public:
  Branches(const Choices& tried, uint32_t start) : tried_(tried), start_(start) {}

  uint64_t Place(spec::Choice choice, const Places& places) override {
    return tried_[static_cast<size_t>(choice)] ? Told(choice, all_.Place(choice, places)) : 0;
  }
  uint64_t Number(spec::Choice choice, const Numbers& numbers) override {
    if (choice == spec::Choice::kStartSequence) return start_;
    if (!tried_[static_cast<size_t>(choice)]) return numbers.by_default();
    return Told(choice, all_.Number(choice, numbers));
  }
  // The next combination; false if there is none.
  bool Next() {
    text_.clear();
    return all_.Next();
  }
  const std::string& text() const { return text_; }

 private:
  uint64_t Told(spec::Choice choice, uint64_t value) {
    absl::StrAppend(&text_, " ", View(spec::Name(choice)), " ", value);
    return value;
  }

  const Choices& tried_;
  const uint32_t start_;
  EnumeratingChooser all_;
  std::string text_;
};

}  // namespace

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
  if (!scenario.established) {
    for (int side = 0; side < 2; ++side) start_.side[side] = Intern(side, Ghost(), "");
    return;
  }
  Establish();
  if (problem_.empty()) WarmUp();
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
    b.hint_unit = 1;
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
    if (!made.ok()) {
      problem_ = absl::StrCat("Side ", side, ": ", made.message());
      return;
    }
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
      Stimulus& given = warm_up_.emplace_back();
      given.at = start_.now;
      given.side = side;
      given.operation.emplace().work = first;
    }
    start_.side[side] = Intern(side, ghost, recorder.problem);
    for (uint32_t packet : recorder.packets) Put(&start_, packet);
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
    if (auto given = StimulusOf(start_, action)) warm_up_.push_back(*std::move(given));
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
  return AddSide(side, std::move(bytes), ghost, problem);
}

uint32_t World::AddSide(int side, std::string bytes, const Ghost& ghost, const Problem& problem) {
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
  if (channels_.size() == kMostChannels) return kMostChannels;
  const auto path = path_of_entropy_.find(route.entropy);
  channels_.push_back({static_cast<uint8_t>(from), route.plane, route.entropy,
                       path == path_of_entropy_.end() ? uint8_t{255} : path->second});
  return static_cast<uint8_t>(channels_.size() - 1);
}

uint32_t World::InternPacket(int from, const endpoint::PacketOut& out, Nanoseconds now) {
  frame::FrameSpec spec = endpoint::FrameOf(out);
  auto bytes = packet::Serialize(out.packet, spec);
  METAROCE_CHECK(bytes.ok());
  return AddPacket(from, out.route, now, *std::move(bytes));
}

uint32_t World::AddPacket(int from, Route route, Nanoseconds sent, std::vector<uint8_t> frame) {
  Hash128 hash = Hash(absl::string_view(reinterpret_cast<const char*>(frame.data()), frame.size()));
  hash.high ^= route.plane;
  const auto [it, fresh] = packet_ids_.try_emplace(hash, static_cast<uint32_t>(packets_.size()));
  if (!fresh) return it->second;
  Sent& kept = packets_.emplace_back();
  kept.frame = std::move(frame);
  packet::ParseOptions options;
  options.check_icrc = false;
  METAROCE_CHECK(packet::Parse(kept.frame, options, &kept.packet).ok());
  if (from == 0 && kept.packet.opcode() == spec::Opcode::kPathOpen) {
    path_of_entropy_[route.entropy] = kept.packet.headers.common.path;
  }
  kept.arrival = {frame::SourceAddress(kept.packet.frame, kept.frame),
                  frame::SourceMac(kept.packet.frame, kept.frame), route, false};
  kept.sent = sent;
  kept.channel = ChannelOf(from, route);
  kept.from = static_cast<uint8_t>(from);
  return it->second;
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
    invariants::StepCheck check;
    switch (input % 4) {
      case kArrival:
      case kMarkedArrival: {
        const Sent& sent = packets_[input / 4];
        check.BeforePacket(e.state(), sent.packet);
        endpoint::Arrival arrival = sent.arrival;
        arrival.ce = input % 4 == kMarkedArrival;
        e.ArrivePacket(sent.packet, arrival, step);
        break;
      }
      case kPoll:
        check.BeforePoll(e.state(), now);
        e.Poll(step);
        break;
      case kDo: {
        check.BeforeCommand(e.state());
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
    absl::Status holds = check.After(e.state());
    holds.Update(invariants::CheckState(e.state()));
    if (recorder.problem.empty()) recorder.problem = std::string(holds.message());
    Outcome outcome;
    outcome.packets = std::move(recorder.packets);
    outcome.choices = branches.text();
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
void World::Save(std::string* out) const {
  Put64(out, packets_.size());
  for (const Sent& sent : packets_) {
    out->push_back(static_cast<char>(sent.from));
    Put16(out, sent.arrival.route.entropy);
    out->push_back(static_cast<char>(sent.arrival.route.plane));
    Put64(out, static_cast<uint64_t>(sent.sent));
    PutString(out, absl::string_view(reinterpret_cast<const char*>(sent.frame.data()),
                                     sent.frame.size()));
  }
  for (const auto& sides : sides_) {
    Put64(out, sides.size());
    for (const SideState& side : sides) {
      PutString(out, side.bytes);
      PutString(out, problems_[side.problem]);
    }
  }
  PutString(out, hits_.to_string());
}

bool World::Restore(absl::string_view* in) {
  const uint64_t packets = TakeNumber(in);
  for (uint64_t i = 0; i < packets && !in->empty(); ++i) {
    if (in->size() < 12) return false;
    Taker t(*in);
    const int from = static_cast<int>(t.Take(1));
    const Route route{static_cast<uint16_t>(t.Take(2)), static_cast<uint8_t>(t.Take(1))};
    const auto sent = static_cast<Nanoseconds>(t.Take(8));
    in->remove_prefix(12);
    const absl::string_view frame = TakeString(in);
    if (AddPacket(from, route, sent, std::vector<uint8_t>(frame.begin(), frame.end())) != i) {
      return false;
    }
  }
  for (int side = 0; side < 2; ++side) {
    const uint64_t count = TakeNumber(in);
    for (uint64_t i = 0; i < count && !in->empty(); ++i) {
      const std::string bytes(TakeString(in));
      const std::string problem(TakeString(in));
      Ghost ghost;
      Load(side, bytes, &ghost);
      if (AddSide(side, bytes, ghost, problem) != i) return false;
    }
  }
  const std::string hits(TakeString(in));
  if (hits.size() != hits_.size()) return false;
  hits_ |= endpoint::Hits(hits);
  return true;
}

}  // namespace metaroce::explore
