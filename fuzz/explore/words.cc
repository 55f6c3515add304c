// What happened, in words.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/explore/world.h"
#include "model/state/state.h"

namespace metaroce::explore {
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
std::optional<World::Stimulus> World::StimulusOf(const Position& from, Action action) const {
  Stimulus input;
  input.at = from.now;
  input.side = action.number;
  switch (action.kind) {
    case Action::Kind::kOperation:
      input.operation = scenario_.script[action.number][from.operation[action.number]];
      return input;
    case Action::Kind::kDeliver:
    case Action::Kind::kDuplicate:
    case Action::Kind::kMark: {
      size_t first = 0;
      while (from.under_way[first].channel != action.number) ++first;
      const Channel& channel = channels_[action.number];
      input.side = 1 - channel.from;
      input.frame = packets_[from.under_way[first].packet].frame;
      input.plane = channel.plane;
      input.marked = action.kind == Action::Kind::kMark;
      return input;
    }
    default:
      return std::nullopt;
  }
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
