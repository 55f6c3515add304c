// The scenarios that are built in. Every preset is exhausted; the large ones take minutes.
#include <utility>

#include "fuzz/explore/memory.h"
#include "fuzz/explore/scenario.h"
#include "model/check.h"

namespace metaroce::explore {
namespace {

using Kind = Operation::Kind;

constexpr uint32_t kMtu = 256;

void Set(Scenario* s, absl::string_view name, uint64_t value) {
  for (endpoint::Settings& settings : s->settings) {
    METAROCE_CHECK(settings.profile.Set(name, value).ok());
  }
}

// Small windows and few slots: the rules are those of any size.
Scenario Base(std::string name, std::string about, uint32_t paths) {
  Scenario s;
  s.name = std::move(name);
  s.about = std::move(about);
  Set(&s, "mtu", kMtu);
  Set(&s, "paths", std::max(paths, 2u));
  Set(&s, "streams", 2);
  Set(&s, "open_messages", 4);
  Set(&s, "reads", 2);
  for (endpoint::Settings& settings : s.settings) {
    settings.windows.kind = congestion::Kind::kFixed;
    settings.windows.path_window = 4 << 16;
  }
  s.settings[0].target_paths = paths;
  return s;
}

// Work that takes so many packets. The id says the stream (hundreds), and where its bytes stand.
Operation Post(WorkKind kind, uint32_t id, uint32_t packets = 1) {
  Operation op;
  op.kind = Kind::kPost;
  op.work.id = id;
  op.work.kind = kind;
  op.work.stream = static_cast<uint16_t>(id / 100);
  op.work.length = packets * kMtu - (packets > 1 ? 16 : 0);
  op.work.local = kBase + 0x1000 * id % 0xF0000;
  if (kind <= WorkKind::kWriteImmediate || kind == WorkKind::kRead) {
    op.work.address = op.work.local;
    op.work.rkey = kRkey;
  }
  if (IsAtomic(kind)) {
    op.work.length = 8;
    op.work.address = kWord;
    op.work.rkey = kRkey;
    op.work.operand = 1;
  }
  return op;
}
// The receive for the Send with that id.
Operation Receive(uint32_t id) {
  Operation op;
  op.kind = Kind::kPostReceive;
  op.receive.id = id;
  op.receive.address = kBase + 0x1000 * id % 0xF0000;
  op.receive.length = 0x1000;
  return op;
}
Operation Do(Kind kind, uint8_t number = 0) {
  Operation op;
  op.kind = kind;
  op.number = number;
  return op;
}

std::vector<Operation> Writes(uint32_t count) {
  std::vector<Operation> script;
  for (uint32_t id = 1; id <= count; ++id) script.push_back(Post(WorkKind::kWrite, id));
  return script;
}

Causes Causing(std::initializer_list<spec::ConnectionCause> causes) {
  Causes set;
  for (spec::ConnectionCause cause : causes) set.set(static_cast<size_t>(cause));
  return set;
}

Choices Trying(std::initializer_list<spec::Choice> choices) {
  Choices set;
  for (spec::Choice choice : choices) set.set(static_cast<size_t>(choice));
  return set;
}

void AddLoss(std::vector<Scenario>* all) {
  Scenario s = Base("loss-small", "2 paths, 2 Writes, 1 drop", 2);
  s.script[0] = Writes(2);
  s.budget = {.drops = 1, .delays = 1};
  all->push_back(s);

  s = Base("loss", "2 paths, 3 messages, 2 drops, 1 duplicate", 2);
  s.script[0] = Writes(3);
  s.budget = {.drops = 2, .duplicates = 1, .delays = 1};
  s.must_hit = {spec::Clause::kLossRule, spec::Clause::kRtxSamePath};
  all->push_back(s);

  s = Base("loss-any-order", "the same, with anything between two sends of an endpoint", 2);
  s.script[0] = Writes(3);
  s.eager = false;
  s.budget = {.drops = 2, .duplicates = 1, .delays = 1};
  s.must_hit = {spec::Clause::kLossRule, spec::Clause::kRtxSamePath};
  s.large = true;
  all->push_back(s);

  s = Base("loss-choices", "2 paths, 2 Writes, 1 drop, every choice of path and of what goes next",
           2);
  s.script[0] = Writes(2);
  s.budget = {.drops = 1, .delays = 1};
  s.enumerate = Trying({spec::Choice::kNextPath, spec::Choice::kNextRetransmission,
                        spec::Choice::kNextRequest, spec::Choice::kAckMoment});
  all->push_back(s);

  s = Base("marks", "2 paths, 3 Writes, 1 drop, 2 marks", 2);
  s.script[0] = Writes(3);
  s.budget = {.drops = 1, .marks = 2};
  all->push_back(s);
}

void AddPaths(std::vector<Scenario>* all) {
  Scenario s = Base("failover", "2 paths; one dies, in one direction or both, at any moment", 2);
  s.script[0] = Writes(3);
  s.budget = {.delays = 2, .kills = 1};
  s.killable = 3;
  all->push_back(s);

  s = Base("failover-route", "the same, and a new epoch finds a way", 2);
  s.script[0] = Writes(3);
  s.budget = {.delays = 2, .kills = 1};
  s.killable = 3;
  s.kill_routes = true;
  all->push_back(s);

  s = Base("failover-return", "2 paths; one dies and returns, at any moment", 2);
  s.script[0] = Writes(2);
  s.budget = {.delays = 1, .kills = 1, .revives = 1};
  s.killable = 3;
  all->push_back(s);

  s = Base("one-path", "1 path, 3 Writes, 2 drops", 1);
  s.script[0] = Writes(3);
  s.budget = {.drops = 2, .delays = 2};
  all->push_back(s);

  s = Base("one-path-dies", "1 path, which dies and returns", 1);
  // Else it is opened 128 times, each by another route, before the connection is given up.
  Set(&s, "open_wait_alone", 1000000000);
  s.script[0] = Writes(2);
  s.budget = {.delays = 1, .kills = 1, .revives = 1};
  s.killable = 1;
  s.may_end =
      Causing({spec::ConnectionCause::kLivenessTimeout, spec::ConnectionCause::kProgressTimeout});
  all->push_back(s);

  s = Base("pause", "1 path; either side pauses once, at any moment, for 7 deadlines at most", 1);
  s.script[0] = Writes(2);
  s.budget = {.pauses = 1, .lulls = 7};
  all->push_back(s);

  s = Base("pause-2", "2 paths; either side pauses once, at any moment, for 6 deadlines at most",
           2);
  s.script[0] = Writes(1);
  s.budget = {.delays = 1, .pauses = 1, .lulls = 6};
  s.large = true;
  all->push_back(s);

  s = Base("void", "an original arrives after its epoch has died, and its copy is lost", 2);
  s.script[0] = Writes(2);
  s.budget = {.drops = 1, .delays = 1, .kills = 1, .revives = 1};
  s.killable = 3;
  s.kill_ways = 5;
  s.post_any_time = true;
  s.kill_stalls = true;
  s.must_hit = {spec::Clause::kVoidBuild, spec::Clause::kPathMoved};
  s.large = true;
  all->push_back(s);

  s = Base("drain", "a path drains for its next epoch, another to be closed, 1 drop", 2);
  s.script[0] = {Post(WorkKind::kWrite, 1), Do(Kind::kDrainToEpoch, 0), Post(WorkKind::kWrite, 2),
                 Do(Kind::kDrainToClose, 1)};
  s.post_any_time = true;
  s.budget = {.drops = 1};
  all->push_back(s);

  s = Base("deny", "a path is denied and the denial lifted, 1 drop", 2);
  s.script[0] = {Post(WorkKind::kWrite, 1), Do(Kind::kDeny, 0), Post(WorkKind::kWrite, 2),
                 Do(Kind::kLift, 0)};
  s.post_any_time = true;
  s.budget = {.drops = 1};
  all->push_back(s);

  s = Base("planes", "2 planes; the port to one goes down and up, 1 drop", 2);
  for (endpoint::Settings& settings : s.settings) settings.ports.resize(2);
  s.script[0] = {Post(WorkKind::kWrite, 1), Do(Kind::kPortDown, 1), Post(WorkKind::kWrite, 2),
                 Do(Kind::kPortUp, 1)};
  s.post_any_time = true;
  s.budget = {.drops = 1};
  all->push_back(s);
}

void AddMessages(std::vector<Scenario>* all) {
  Scenario s = Base("send-rnr", "Sends without receives, which come at any moment; 1 drop", 2);
  s.script[0] = {Post(WorkKind::kSend, 1), Post(WorkKind::kSend, 2)};
  s.script[1] = {Receive(1), Receive(2)};
  s.post_any_time = true;
  s.budget = {.drops = 1, .delays = 2};
  s.must_hit = {spec::Clause::kCreditProbeStart};
  all->push_back(s);

  s = Base("read-atomic", "Read, fetch-add and Read one at a time (R = 1), 1 drop", 2);
  Set(&s, "reads", 1);
  s.script[0] = {Post(WorkKind::kRead, 1, 2), Post(WorkKind::kFetchAdd, 2),
                 Post(WorkKind::kRead, 3)};
  s.budget = {.drops = 1, .delays = 1};
  all->push_back(s);

  s.name = "read-atomic-2";
  s.about = "the same with 2 drops";
  s.budget.drops = 2;
  s.large = true;
  all->push_back(s);

  s = Base("both-ways", "Write, fenced Read and Send with invalidate both ways, 1 drop", 1);
  for (int side = 0; side < 2; ++side) {
    Operation read = Post(WorkKind::kRead, 2);
    read.work.fenced = true;
    s.script[side] = {Receive(3), Post(WorkKind::kWrite, 1), read, Post(WorkKind::kSend, 3)};
  }
  s.budget = {.drops = 1};
  all->push_back(s);

  s = Base("streams", "two streams of two Writes each, 1 drop, 1 duplicate", 2);
  s.script[0] = {Post(WorkKind::kWrite, 1), Post(WorkKind::kWriteImmediate, 101),
                 Post(WorkKind::kWrite, 2), Post(WorkKind::kWrite, 102)};
  s.script[1] = {Receive(101)};
  s.budget = {.drops = 1, .duplicates = 1};
  all->push_back(s);
}

void AddConnections(std::vector<Scenario>* all) {
  Scenario s =
      Base("open-close", "a connection is opened, used and closed by either side; 1 drop", 1);
  s.established = false;
  s.script[0] = {Do(Kind::kConnect), Post(WorkKind::kWrite, 1), Do(Kind::kClose)};
  s.script[1] = {Do(Kind::kClose)};
  s.post_any_time = true;
  s.closes = true;
  s.budget = {.drops = 1, .duplicates = 1, .delays = 1};
  s.may_end = Causing({spec::ConnectionCause::kPeerClosing, spec::ConnectionCause::kBadConnection});
  all->push_back(s);

  s = Base("open-crossing", "both sides open a connection at once; 1 drop", 1);
  s.established = false;
  for (auto& script : s.script) script = {Do(Kind::kConnect), Post(WorkKind::kWrite, 1)};
  s.post_any_time = true;
  s.budget = {.drops = 1};
  all->push_back(s);
}

void AddWraps(std::vector<Scenario>* all) {
  Scenario s =
      Base("wrap", "every number of a sequence space and the clock wrap; 1 drop, 1 duplicate", 2);
  s.start = UINT32_MAX - 1;
  s.first_epoch = 255;
  // The paths open in some tens of microseconds.
  s.begins = (Nanoseconds{1} << 32) - 60000;
  s.script[0] = {Post(WorkKind::kSend, 1), Post(WorkKind::kWrite, 2), Post(WorkKind::kSend, 3)};
  s.script[1] = {Receive(1), Receive(3)};
  s.budget = {.drops = 1, .duplicates = 1, .delays = 1};
  all->push_back(s);
}

// The windows, the pacer and the number of paths of chapter 8 in place of fixed windows: each
// position is one of many that differ in what was measured, so there is less to happen.
Scenario Windows(Scenario s, std::string name, std::string about) {
  s.name = std::move(name);
  s.about = std::move(about);
  for (endpoint::Settings& settings : s.settings) settings.windows = congestion::Settings();
  return s;
}

void AddWindows(std::vector<Scenario>* all) {
  using spec::Clause;
  Scenario s = Windows(Base("", "", 1), "windows",
                       "windows and pacer of chapter 8; 1 path, 12 packets, 1 drop, 1 mark");
  s.script[0] = {Post(WorkKind::kWrite, 1, 6), Post(WorkKind::kWrite, 2, 6)};
  s.budget = {.drops = 1, .marks = 1};
  s.must_hit = {Clause::kCcSlowStart, Clause::kCcSlowStartEnd, Clause::kCcRound, Clause::kCcPaced};
  all->push_back(s);

  s = Windows(Base("", "", 2), "windows-2",
              "windows and pacer of chapter 8; 2 paths, 8 packets, 1 drop, 1 mark");
  s.script[0] = {Post(WorkKind::kWrite, 1, 4), Post(WorkKind::kWrite, 2, 4)};
  s.budget = {.drops = 1, .marks = 1};
  s.must_hit = {Clause::kCcSlowStart, Clause::kCcSlowStartEnd, Clause::kCcPaced};
  all->push_back(s);

  s = Windows(s, "windows-failover", "the same; one path dies at any moment");
  s.budget = {.delays = 1, .kills = 1};
  s.killable = 3;
  s.must_hit = {Clause::kCcSlowStart, Clause::kCcPaced, Clause::kCcRto};
  all->push_back(s);

  s = Windows(s, "windows-return", "the same, and it returns");
  s.budget = {.kills = 1, .revives = 1};
  s.must_hit = {Clause::kCcSlowStart, Clause::kCcPaced};
  all->push_back(s);
}

std::vector<Scenario> Make() {
  std::vector<Scenario> all;
  AddLoss(&all);
  AddPaths(&all);
  AddMessages(&all);
  AddConnections(&all);
  AddWraps(&all);
  AddWindows(&all);
  return all;
}

}  // namespace

const std::vector<Scenario>& Presets() {
  static const auto* const kAll = new std::vector<Scenario>(Make());
  return *kAll;
}

const Scenario* FindPreset(absl::string_view name) {
  for (const Scenario& s : Presets()) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

}  // namespace metaroce::explore
