#include "conformance/check/trace.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "model/wire/frame/frame.h"

namespace metaroce::check {
namespace {

constexpr uint64_t kLatest = uint64_t{1} << 62;

// Side, plane and direction of an interface's name.
bool ReadInterface(absl::string_view name, Record* record) {
  if (name.size() < 2 || (name[0] != 'a' && name[0] != 'b')) return false;
  record->side = name[0] == 'a' ? 0 : 1;
  name.remove_prefix(1);
  record->received = absl::ConsumeSuffix(&name, " received");
  if (!record->received && !absl::ConsumeSuffix(&name, " sent")) return false;
  uint32_t plane = 0;
  if (name.empty() || name.size() > 2 || !absl::SimpleAtoi(name, &plane) ||
      plane >= spec::constant::kPlanesMax) {
    return false;
  }
  record->plane = static_cast<uint8_t>(plane);
  return true;
}

struct Line {
  std::string name;
  uint64_t value = 0;
};

absl::Status Bound(const Line& line, uint64_t min, uint64_t max) {
  if (line.value >= min && line.value <= max) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(line.name, " is ", line.value,
                                                 "; it must lie between ", min, " and ", max, "."));
}

absl::Status Set(const Line& line, Declared* side) {
  endpoint::Settings& settings = side->settings;
  absl::Status status;
  if (line.name == "window") {
    status = Bound(line, 1024, 256 << 16);
    settings.windows.kind = congestion::Kind::kFixed;
    settings.windows.path_window = static_cast<uint32_t>(line.value);
  } else if (line.name == "connection_window") {
    status = Bound(line, 1 << 16, uint64_t{65280} << 16);
    settings.windows.connection_window = line.value;
  } else if (line.name == "target_paths") {
    status = Bound(line, 1, 255);
    settings.target_paths = static_cast<uint32_t>(line.value);
  } else if (line.name == "planes") {
    status = Bound(line, 1, spec::constant::kPlanesMax);
    side->planes = static_cast<uint32_t>(line.value);
  } else if (line.name == "secondary_blocks") {
    status = Bound(line, 0, 1);
    settings.secondary_blocks = line.value != 0;
  } else if (line.name == "react_max") {
    const spec::NumberInfo& info = spec::Info(spec::ProfileParameter::kReactMax);
    status = Bound(line, info.min, info.max);
    side->react_max = static_cast<Nanoseconds>(line.value);
  } else if (line.name == "ack_max") {
    const spec::NumberInfo& info = spec::Info(spec::ProfileParameter::kAckMax);
    status = Bound(line, info.min, info.max);
    settings.ack_max = static_cast<Nanoseconds>(line.value);
  } else {
    status = settings.profile.Set(line.name, line.value);
  }
  return status;
}

}  // namespace

absl::StatusOr<Trace> ReadTrace(packet::Bytes file, uint16_t udp_port) {
  Trace trace;
  trace.capture = capture::ReadCapture(file);
  if (!trace.capture.status.ok()) return trace.capture.status;
  packet::ParseOptions options;
  options.udp_port = udp_port;
  trace.records.reserve(trace.capture.packets.size());
  for (const capture::CapturedPacket& captured : trace.capture.packets) {
    Record record;
    record.number = trace.records.size() + 1;
    record.position = captured.position;
    record.frame = captured.bytes;
    const std::string who = absl::StrCat("Packet ", record.number, " (",
                                         capture::Place(trace.capture.format, captured), ")");
    if (!ReadInterface(captured.interface_name, &record)) {
      return absl::UnimplementedError(
          absl::StrCat(who,
                       ": its interface does not say what it saw; it has to be named like "
                       "\"a0 sent\" or \"b1 received\"."));
    }
    if (captured.cut() || captured.link_type != static_cast<uint32_t>(frame::LinkType::kEthernet)) {
      return absl::UnimplementedError(
          absl::StrCat(who, ": it is cut, or no Ethernet frame; a check needs all of it."));
    }
    if (captured.timestamp_ns > kLatest) {
      return absl::InvalidArgumentError(absl::StrCat(who, ": its time is beyond 2^62 ns."));
    }
    record.at = static_cast<Nanoseconds>(captured.timestamp_ns);
    if (!trace.records.empty() && record.at < trace.records.back().at) {
      return absl::InvalidArgumentError(absl::StrCat(who, ": its time, ", record.at,
                                                     " ns, is before that of the packet in front, ",
                                                     trace.records.back().at, " ns."));
    }
    record.parsed = packet::Parse(record.frame, options, &record.packet);
    trace.records.push_back(record);
  }
  if (!trace.capture.packets.empty()) trace.profile = trace.capture.packets[0].comment;
  return trace;
}

Profiles::Profiles() {
  for (Declared& declared : side) {
    declared.react_max =
        static_cast<Nanoseconds>(spec::Info(spec::ProfileParameter::kReactMax).default_value);
  }
}

absl::Status ReadProfile(absl::string_view text, Profiles* profiles) {
  size_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    const auto fail = [&](absl::string_view sentence) {
      return absl::InvalidArgumentError(
          absl::StrCat("Line ", number, " of the profile: ", sentence));
    };
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits('=', 1));
    absl::string_view name = absl::StripAsciiWhitespace(parts.first);
    bool one = absl::ConsumePrefix(&name, "a.");
    const bool a = one;
    one = one || absl::ConsumePrefix(&name, "b.");
    Line set;
    set.name = std::string(name);
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(parts.second), &set.value)) {
      return fail("it is not NAME = NUMBER.");
    }
    for (int side = 0; side < 2; ++side) {
      if (one && a != (side == 0)) continue;
      const absl::Status status = Set(set, &profiles->side[side]);
      if (!status.ok()) return fail(status.message());
    }
  }
  return absl::OkStatus();
}

std::string WriteProfile(char side, const endpoint::Settings& settings) {
  std::string text;
  const auto add = [&](absl::string_view name, uint64_t value) {
    text += absl::StrCat(std::string(1, side), ".", name, " = ", value, "\n");
  };
  const Profile defaults;
  for (const auto& named : spec::Named<spec::Constant>::kAll) {
    if (settings.profile[named.value] == defaults[named.value]) continue;
    add(absl::string_view(named.name.data(), named.name.size()), settings.profile[named.value]);
  }
  if (settings.windows.kind == congestion::Kind::kFixed) {
    add("window", settings.windows.path_window);
    add("connection_window", settings.windows.connection_window);
    add("target_paths", settings.target_paths);
  }
  const Nanoseconds ack_max = endpoint::Settings().ack_max;
  if (settings.ack_max != ack_max) add("ack_max", static_cast<uint64_t>(settings.ack_max));
  add("planes", settings.ports.size());
  add("secondary_blocks", settings.secondary_blocks ? 1 : 0);
  return text;
}

bool NamesMemory(spec::Opcode opcode) {
  switch (opcode) {
    case spec::Opcode::kWrite:
    case spec::Opcode::kWriteWithImmediate:
    case spec::Opcode::kReadRequest:
    case spec::Opcode::kFetchAdd:
    case spec::Opcode::kCompareSwap:
      return true;
    default:
      return false;
  }
}

}  // namespace metaroce::check
