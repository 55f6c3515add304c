#include "conformance/play/match.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/play/compare.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::Expectation;
using vectors::Fields;
using vectors::Packet;
using vectors::Printable;
using vectors::Shorten;

constexpr size_t kLineBytes = 90;

std::string And(size_t others) {
  if (others == 0) return "";
  return absl::StrCat("  (and ", others, others == 1 ? " other differs)" : " others differ)");
}

std::string OnPlane(uint32_t plane) { return plane == 0 ? "" : absl::StrCat(" on plane ", plane); }

// True if what a packet is called says the field already.
bool SaidByName(absl::string_view field) {
  for (const absl::string_view said :
       {"common.version", "common.opcode", "common.path", "common.epoch", "common.number",
        "common.rtx", "common.moved", "data.csn"}) {
    if (field == said) return true;
  }
  return false;
}

// Those of its headers that its name does not say, the ones of its kind in front: they tell more
// than what all packets have, and much more than who it is addressed to.
Fields Telling(const Fields& fields, bool named) {
  Fields out;
  for (const bool common : {false, true}) {
    for (const vectors::Field& field : fields.field()) {
      const absl::string_view name = field.name();
      const absl::string_view part = name.substr(0, name.find('.'));
      if (part == "eth" || part == "ip" || part == "udp") continue;
      if ((named && part == "common") != common || (named && SaidByName(name))) continue;
      *out.add_field() = field;
    }
  }
  return out;
}

std::string DescribeFrame(absl::string_view frame, const PacketCodec* codec) {
  const std::string size = absl::StrCat("a packet of ", ShowBytes(frame.size()));
  if (codec == nullptr) return size;
  const absl::StatusOr<Fields> fields = codec->Decode(frame);
  if (!fields.ok()) {
    return absl::StrCat(size, ", to be refused: ", Printable(fields.status().message()));
  }
  const std::string name = NameOf(*fields, codec);
  return absl::StrCat(name, size, ": ", Show(Telling(*fields, !name.empty()), kLineBytes));
}

std::string DescribeIncludes(const Fields& fields, uint32_t plane, const PacketCodec* codec) {
  const std::string name = NameOf(fields, codec);
  Fields others;
  for (const vectors::Field& field : fields.field()) {
    if (name.empty() || !SaidByName(field.name())) *others.add_field() = field;
  }
  const bool all = others.field_size() == 0 && !name.empty();
  return absl::StrCat(name, "a packet", OnPlane(plane),
                      all ? "" : absl::StrCat(" with ", Show(others, kLineBytes)));
}

std::string DescribePacket(const Packet& packet, const PacketCodec* codec) {
  switch (packet.kind_case()) {
    case Packet::kFrame:
      return absl::StrCat(DescribeFrame(packet.frame(), codec), OnPlane(packet.plane()));
    case Packet::kFields:
      return absl::StrCat(NameOf(packet.fields(), codec), "a packet", OnPlane(packet.plane()),
                          " with exactly ", Show(packet.fields(), kLineBytes));
    case Packet::kIncludes:
      return DescribeIncludes(packet.includes(), packet.plane(), codec);
    case Packet::KIND_NOT_SET:
      break;
  }
  return "a packet";
}

Mismatch Whole(const Expectation& expectation, const Outcome& outcome, const PacketCodec* codec) {
  return {Describe(expectation, codec), Describe(outcome, codec), 0};
}

std::optional<Mismatch> MatchFields(const Fields& expected, const DutFields& got, bool exact) {
  if (Same(expected, got, exact)) return std::nullopt;
  const auto difference = Compare(expected, FromDut(got), exact);
  if (!difference.has_value()) return std::nullopt;
  return Mismatch{difference->expected, absl::StrCat(difference->got, And(difference->others)),
                  1 + difference->equal};
}

std::optional<Mismatch> MatchBytes(absl::string_view expected, absl::string_view got) {
  if (expected == got) return std::nullopt;
  const size_t common = std::min(expected.size(), got.size());
  size_t at = 0;
  while (at < common && expected[at] == got[at]) ++at;
  if (at == common) {
    return Mismatch{absl::StrCat("a packet of ", ShowBytes(expected.size())),
                    absl::StrCat("a packet of ", ShowBytes(got.size()), ", the first ", common,
                                 " of them as expected"),
                    1};
  }
  // Some bytes around the first that differs.
  const size_t begin = at < 4 ? 0 : at - 4;
  const auto around = [begin](absl::string_view bytes) {
    return absl::StrCat(vectors::Hex(bytes.substr(begin, 12)),
                        begin + 12 < bytes.size() ? "..." : "");
  };
  return Mismatch{absl::StrFormat("byte %d of the packet = 0x%02x  (from byte %d: %s)", at,
                                  uint8_t(expected[at]), begin, around(expected)),
                  absl::StrFormat("byte %d of the packet = 0x%02x  (from byte %d: %s)", at,
                                  uint8_t(got[at]), begin, around(got)),
                  1};
}

std::optional<Mismatch> MatchPacketFields(const Fields& expected, bool exact,
                                          const dut::Packet& got, const PacketCodec* codec) {
  if (codec == nullptr) return Mismatch{"a packet by fields", "no codec to read it with", 0};
  const absl::StatusOr<Fields> fields = codec->Decode(got.frame());
  if (!fields.ok()) {
    return Mismatch{"a packet that passes the checks on its bytes",
                    DescribeFrame(got.frame(), codec), 0};
  }
  const auto difference = Compare(expected, *fields, exact);
  if (!difference.has_value()) return std::nullopt;
  const std::optional<size_t> byte = codec->ByteOf(got.frame(), difference->field);
  const std::string place =
      byte.has_value() ? absl::StrCat("    byte ", *byte, " of the packet") : "";
  return Mismatch{difference->expected,
                  absl::StrCat(difference->got, place, And(difference->others)),
                  1 + difference->equal};
}

std::optional<Mismatch> MatchPacket(const Packet& expected, const dut::Packet& got,
                                    const PacketCodec* codec) {
  if (expected.plane() != got.plane()) {
    return Mismatch{absl::StrCat("a packet on plane ", expected.plane()),
                    absl::StrCat("a packet on plane ", got.plane()), 1};
  }
  switch (expected.kind_case()) {
    case Packet::kFields:
      return MatchPacketFields(expected.fields(), true, got, codec);
    case Packet::kIncludes:
      return MatchPacketFields(expected.includes(), false, got, codec);
    default:
      return MatchBytes(expected.frame(), got.frame());
  }
}

std::string ShowAt(uint64_t address, absl::string_view data) {
  vectors::Field field;
  field.set_name("data");
  field.set_data(std::string(data));
  return absl::StrCat(" at ", ShowNumber(address), " of ", ShowBytes(data.size()), ", ",
                      Show(field));
}

std::string ShowPlacement(uint64_t address, absl::string_view data) {
  return absl::StrCat("a placement", ShowAt(address, data));
}

std::optional<Mismatch> MatchPlacement(const vectors::Placement& expected,
                                       const dut::Placement& got) {
  if (expected.address() == got.address() && expected.data() == got.data()) return std::nullopt;
  return Mismatch{ShowPlacement(expected.address(), expected.data()),
                  ShowPlacement(got.address(), got.data()), 1};
}

std::optional<Mismatch> MatchOneOf(const vectors::OneOf& one_of, const Outcome& outcome,
                                   const PacketCodec* codec) {
  std::optional<Mismatch> closest;
  for (const Expectation& candidate : one_of.outcomes()) {
    std::optional<Mismatch> mismatch = Match(candidate, outcome, codec);
    if (!mismatch.has_value()) return std::nullopt;
    if (!closest.has_value() || mismatch->equal > closest->equal) closest = std::move(mismatch);
  }
  if (!closest.has_value()) return Mismatch{"one of no outcomes", Describe(outcome, codec), 0};
  absl::StrAppend(&closest->expected, "    (1 of ", one_of.outcomes_size(), " legal outcomes");
  if (!one_of.choice().empty()) absl::StrAppend(&closest->expected, "; choice ", one_of.choice());
  absl::StrAppend(&closest->expected, ")");
  return closest;
}

// A record of one field.
Fields One(absl::string_view name, absl::string_view word) {
  Fields out;
  vectors::Field& field = *out.add_field();
  field.set_name(std::string(name));
  field.set_word(std::string(word));
  return out;
}

Fields PlacementFields(uint64_t address, const std::string& data) {
  Fields out;
  vectors::Field& place = *out.add_field();
  place.set_name("address");
  place.set_number(address);
  vectors::Field& bytes = *out.add_field();
  bytes.set_name("data");
  bytes.set_data(data);
  return out;
}

// A frame that cannot be decoded is shown as its bytes and the reason.
Fields FrameFields(const std::string& frame, const PacketCodec* codec) {
  if (codec != nullptr) {
    const absl::StatusOr<Fields> fields = codec->Decode(frame);
    if (fields.ok()) return *fields;
  }
  Fields out;
  vectors::Field& field = *out.add_field();
  field.set_name("frame");
  field.set_data(frame);
  return out;
}

// The fields that the expectation names; `*exact` if there are to be no others.
Fields ExpectedFields(const Expectation& expectation, const PacketCodec* codec, bool* exact) {
  *exact = true;
  switch (expectation.kind_case()) {
    case Expectation::kFields:
      return expectation.fields();
    case Expectation::kIncludes:
      *exact = false;
      return expectation.includes();
    case Expectation::kReject:
      return One("reject", expectation.reject());
    case Expectation::kPacket:
      if (expectation.packet().has_frame()) return FrameFields(expectation.packet().frame(), codec);
      *exact = expectation.packet().has_fields();
      return *exact ? expectation.packet().fields() : expectation.packet().includes();
    case Expectation::kCompletion:
      return expectation.completion();
    case Expectation::kPlacement:
      return PlacementFields(expectation.placement().address(), expectation.placement().data());
    case Expectation::kOneOf:
      if (expectation.one_of().outcomes_size() > 0) {
        return ExpectedFields(expectation.one_of().outcomes(0), codec, exact);
      }
      break;
    default:
      break;
  }
  return Fields();
}

}  // namespace

Fields GotFields(const Outcome& outcome, const PacketCodec* codec) {
  if (outcome.event == nullptr) {
    return outcome.reject.empty() ? Fields() : One("reject", outcome.reject);
  }
  switch (outcome.event->kind_case()) {
    case dut::Event::kFields:
      return FromDut(outcome.event->fields().field());
    case dut::Event::kPacket:
      return FrameFields(outcome.event->packet().frame(), codec);
    case dut::Event::kCompletion:
      return FromDut(outcome.event->completion().field());
    case dut::Event::kPlacement:
      return PlacementFields(outcome.event->placement().address(),
                             outcome.event->placement().data());
    case dut::Event::KIND_NOT_SET:
      break;
  }
  return Fields();
}

namespace {

std::string Value(const vectors::Field* field) {
  if (field == nullptr) return "";
  const std::string shown = Show(*field);
  const size_t equals = shown.find(" = ");
  return equals == std::string::npos ? shown : shown.substr(equals + 3);
}

}  // namespace

std::vector<Side> Decode(const Expectation& expectation, const Outcome& outcome,
                         const PacketCodec* codec) {
  bool exact = true;
  const Fields expected = ExpectedFields(expectation, codec, &exact);
  const Fields got = GotFields(outcome, codec);
  std::vector<Side> sides;
  for (const vectors::Field& field : expected.field()) {
    const vectors::Field* came = vectors::FindField(got, field.name());
    sides.push_back({Printable(Shorten(field.name(), 60)), Value(&field), Value(came),
                     came == nullptr || !Agrees(field, *came)});
  }
  for (const vectors::Field& field : got.field()) {
    if (vectors::FindField(expected, field.name()) != nullptr) continue;
    sides.push_back({Printable(Shorten(field.name(), 60)), "", Value(&field), exact});
  }
  return sides;
}

std::string Describe(const Expectation& expectation, const PacketCodec* codec) {
  switch (expectation.kind_case()) {
    case Expectation::kFields:
      return absl::StrCat("exactly ", Show(expectation.fields(), kLineBytes));
    case Expectation::kIncludes:
      return Show(expectation.includes(), kLineBytes);
    case Expectation::kReject:
      return absl::StrCat("reject ", expectation.reject());
    case Expectation::kPacket:
      return DescribePacket(expectation.packet(), codec);
    case Expectation::kCompletion:
      return absl::StrCat("a completion with ", Show(expectation.completion(), kLineBytes));
    case Expectation::kPlacement:
      return ShowPlacement(expectation.placement().address(), expectation.placement().data());
    case Expectation::kNothing:
      return "nothing";
    case Expectation::kMemory:
      return absl::StrCat("memory",
                          ShowAt(expectation.memory().address(), expectation.memory().data()));
    case Expectation::kOneOf:
      return absl::StrCat(expectation.one_of().outcomes_size() > 0
                              ? Describe(expectation.one_of().outcomes(0), codec)
                              : "",
                          "    (1 of ", expectation.one_of().outcomes_size(), " legal outcomes)");
    case Expectation::KIND_NOT_SET:
      break;
  }
  return "nothing in particular";
}

std::string Describe(const Outcome& outcome, const PacketCodec* codec) {
  if (outcome.event == nullptr) {
    return absl::StrCat("reject ", Printable(Shorten(outcome.reject, 60)));
  }
  switch (outcome.event->kind_case()) {
    case dut::Event::kFields:
      return Show(FromDut(outcome.event->fields().field()), kLineBytes);
    case dut::Event::kPacket:
      return absl::StrCat(DescribeFrame(outcome.event->packet().frame(), codec),
                          OnPlane(outcome.event->packet().plane()));
    case dut::Event::kCompletion:
      return absl::StrCat("a completion with ",
                          Show(FromDut(outcome.event->completion().field()), kLineBytes));
    case dut::Event::kPlacement:
      return ShowPlacement(outcome.event->placement().address(), outcome.event->placement().data());
    case dut::Event::KIND_NOT_SET:
      break;
  }
  return "an event of no kind";
}

std::optional<Mismatch> Match(const Expectation& expectation, const Outcome& outcome,
                              const PacketCodec* codec) {
  //= CONF-EXPECT
  //# exactly one of a list
  if (expectation.kind_case() == Expectation::kOneOf) {
    return MatchOneOf(expectation.one_of(), outcome, codec);
  }
  if (outcome.event == nullptr) {
    if (expectation.kind_case() == Expectation::kReject && expectation.reject() == outcome.reject) {
      return std::nullopt;
    }
    return Whole(expectation, outcome, codec);
  }
  const dut::Event& event = *outcome.event;
  switch (expectation.kind_case()) {
    case Expectation::kFields:
      if (event.has_fields())
        return MatchFields(expectation.fields(), event.fields().field(), true);
      break;
    case Expectation::kIncludes:
      if (event.has_fields()) {
        return MatchFields(expectation.includes(), event.fields().field(), false);
      }
      break;
    case Expectation::kPacket:
      if (event.has_packet()) return MatchPacket(expectation.packet(), event.packet(), codec);
      break;
    case Expectation::kCompletion:
      if (event.has_completion()) {
        return MatchFields(expectation.completion(), event.completion().field(), true);
      }
      break;
    case Expectation::kPlacement:
      if (event.has_placement()) {
        return MatchPlacement(expectation.placement(), event.placement());
      }
      break;
    default:
      break;
  }
  return Whole(expectation, outcome, codec);
}

}  // namespace metaroce::conformance
