#include "conformance/check/check.h"

#include <array>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/check/reference.h"
#include "vectors/json_tree.h"
#include "vectors/text.h"

namespace metaroce::check {
namespace {

using spec::Opcode;
using vectors::JsonValue;

// The first packet of an opcode that a side sent.
const Record* First(const Trace& trace, int side, Opcode opcode) {
  for (const Record& record : trace.records) {
    if (record.side != side || record.received || !record.parsed.ok()) continue;
    if (record.packet.opcode() == opcode) return &record;
  }
  return nullptr;
}

//= PROFILE-NEGOTIATED
//# Where CONNECT and CONNECT_REPLY carry a value, that value holds for the connection and the
//# profile's does not.
std::optional<Verdict> TakeOffer(const Record& record, Declared* side) {
  const spec::Connect& body = record.packet.headers.connect;
  const std::pair<const char*, uint64_t> values[] = {
      {"csn_range", body.range},     {"mtu", body.mtu},
      {"streams", body.streams},     {"open_messages", body.open_messages},
      {"reads", body.reads},         {"paths", body.paths},
      {"hint_unit", body.hint_unit},
  };
  for (const auto& [name, value] : values) {
    const absl::Status status = side->settings.profile.Set(name, value);
    if (status.ok()) continue;
    Verdict verdict;
    verdict.record = &record;
    verdict.side = record.side;
    verdict.clause = spec::clause::kConnectRanges;
    verdict.field =
        absl::StrCat("connect.", absl::string_view(name) == "csn_range" ? "range" : name);
    verdict.expected = "a legal size";
    verdict.got = ShowNumber(value);
    verdict.why = std::string(status.message());
    return verdict;
  }
  return std::nullopt;
}

struct Sides {
  std::array<std::unique_ptr<Story>, 2> stories;
  std::array<std::unique_ptr<Reference>, 2> references;
};

absl::Status MakeSides(const Trace& trace, Profiles& profiles, Sides* sides) {
  for (uint8_t side = 0; side < 2; ++side) {
    sides->stories[side] = std::make_unique<Story>(trace, side);
    Declared& declared = profiles.side[side];
    const Story& story = *sides->stories[side];
    const size_t planes = std::max<size_t>(declared.planes, story.planes());
    declared.settings.ports.assign(planes, endpoint::Port());
    for (size_t plane = 0; plane < planes; ++plane) {
      declared.settings.ports[plane] = story.port(plane);
    }
    const Record* reject = First(trace, side, Opcode::kConnectReject);
    if (reject != nullptr && reject->packet.headers.connect_reject.code ==
                                 static_cast<uint8_t>(spec::RejectCode::kRefused)) {
      declared.settings.accepts = false;
    }
  }
  for (uint8_t side = 0; side < 2; ++side) {
    auto made = Reference::Make(side, profiles.side[side], sides->stories[side].get(),
                                sides->stories[1 - side].get());
    if (!made.ok()) return made.status();
    sides->references[side] = *std::move(made);
  }
  return absl::OkStatus();
}

std::optional<Verdict> Run(const Trace& trace, Sides& sides, Result* result) {
  for (const Record& record : trace.records) {
    for (const auto& reference : sides.references) {
      if (auto verdict = reference->Before(record)) return verdict;
    }
    if (auto verdict = sides.references[record.side]->Take(record)) return verdict;
    if (!record.received) ++result->sent[record.side];
  }
  return std::nullopt;
}

std::string Level(spec::Clause clause) { return std::string(spec::Name(spec::Info(clause).level)); }

std::string Id(spec::Clause clause) { return std::string(spec::Info(clause).id); }

char Letter(int side) { return side == 0 ? 'a' : 'b'; }

std::string What(const Record& record) {
  return record.parsed.ok() ? Title(record.packet) : std::string("unreadable");
}

}  // namespace

absl::StatusOr<Result> Check(const Trace& trace, Profiles profiles) {
  Result result;
  result.packets = trace.records.size();
  bool connects = trace.records.empty();
  for (int side = 0; side < 2; ++side) {
    for (Opcode opcode : {Opcode::kConnect, Opcode::kConnectReply}) {
      const Record* offer = First(trace, side, opcode);
      if (offer == nullptr) continue;
      connects = connects || opcode == Opcode::kConnect;
      result.verdict = TakeOffer(*offer, &profiles.side[side]);
      if (result.verdict) return result;
    }
  }
  if (!connects) {
    return absl::UnimplementedError(
        "The capture does not show a CONNECT: a check needs the connection from its beginning.");
  }
  Sides sides;
  const absl::Status status = MakeSides(trace, profiles, &sides);
  if (!status.ok()) return status;
  result.verdict = Run(trace, sides, &result);
  for (int side = 0; side < 2; ++side) result.given[side] = sides.references[side]->TakeGiven();
  return result;
}

absl::StatusOr<Result> CheckSide(const Trace& trace, uint8_t side, const Declared& declared) {
  Result result;
  result.packets = trace.records.size();
  Story own(trace, side);
  const Story peer(trace, 1 - side);
  auto reference = Reference::Make(side, declared, &own, &peer);
  if (!reference.ok()) return reference.status();
  for (const Record& record : trace.records) {
    result.verdict = (*reference)->Before(record);
    if (!result.verdict) result.verdict = (*reference)->Take(record);
    if (result.verdict) break;
    if (!record.received) ++result.sent[side];
  }
  for (const Reference::Done& done : (*reference)->TakeDone()) {
    result.completed.push_back({static_cast<uint16_t>(done.face >> 32),
                                static_cast<uint32_t>(done.face), done.success, done.at});
  }
  return result;
}

std::string ToText(const Result& result) {
  if (!result.verdict) {
    return absl::StrFormat("explained: %d packets, %d sent by a, %d by b\n", result.packets,
                           result.sent[0], result.sent[1]);
  }
  const Verdict& v = *result.verdict;
  std::string text =
      absl::StrFormat("FAIL packet %d (byte %d) at %d ns  [%s %s]\n", v.record->number,
                      v.record->position, v.record->at, Id(v.clause), Level(v.clause));
  if (v.missing) {
    absl::StrAppend(&text, "  side      ", std::string(1, Letter(v.side)),
                    ", before this packet\n");
  } else {
    absl::StrAppend(&text, "  side      ", std::string(1, Letter(v.side)), " sends ",
                    What(*v.record), "\n");
  }
  if (!v.field.empty()) absl::StrAppend(&text, "  field     ", v.field, "\n");
  absl::StrAppend(&text, "  expected  ", v.expected, "\n  got       ", v.got, "\n");
  if (!v.why.empty()) absl::StrAppend(&text, "  because   ", v.why, "\n");
  absl::StrAppend(&text, "  before    ", result.sent[0], " packets of a and ", result.sent[1],
                  " of b are explained\n");
  return text;
}

std::string ToJson(const Result& result) {
  JsonValue value = JsonValue::Object();
  value.Add("packets", JsonValue::Number(result.packets));
  value.Add("explained_a", JsonValue::Number(result.sent[0]));
  value.Add("explained_b", JsonValue::Number(result.sent[1]));
  value.Add("verdict", JsonValue::String(result.verdict ? "FAIL" : "PASS"));
  if (result.verdict) {
    const Verdict& v = *result.verdict;
    value.Add("packet", JsonValue::Number(v.record->number));
    value.Add("byte", JsonValue::Number(v.record->position));
    value.Add("time_ns", JsonValue::Number(static_cast<uint64_t>(v.record->at)));
    value.Add("side", JsonValue::String(std::string(1, Letter(v.side))));
    value.Add("missing", JsonValue::Bool(v.missing));
    value.Add("clause", JsonValue::String(Id(v.clause)));
    value.Add("level", JsonValue::String(Level(v.clause)));
    value.Add("field", JsonValue::String(v.field));
    value.Add("expected", JsonValue::String(v.expected));
    value.Add("got", JsonValue::String(v.got));
    value.Add("why", JsonValue::String(v.why));
  }
  return vectors::WriteJson(value);
}

}  // namespace metaroce::check
