// What can happen in a position, and what follows from it.
#include "fuzz/explore/world.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "fuzz/explore/bytes.h"
#include "fuzz/explore/memory.h"

namespace metaroce::explore {
namespace {

// No peer pauses longer, or its connections may end (invariant 10).
constexpr Nanoseconds kLongestPause = 1000000000;
constexpr auto kLifetime = static_cast<Nanoseconds>(spec::constant::kPacketLifetime);

}  // namespace

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
  if (sent.channel == kMostChannels) return absl::StrCat(kTooLarge, "too many routes are in use.");
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
    return absl::StrCat(kTooLarge, "too many packets are under way.");
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

}  // namespace metaroce::explore
