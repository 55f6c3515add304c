#include "fuzz/decode_check.h"

#include <algorithm>
#include <string>

#include "fuzz/require.h"
#include "model/wire/frame/frame.h"
#include "model/wire/packet/dissect.h"
#include "model/wire/packet/fields.h"
#include "model/wire/packet/testing/naive.h"

namespace metaroce::packet {
namespace {

bool Within(Bytes part, Bytes whole) {
  return part.empty() || (part.data() >= whole.data() && part.size() <= whole.size() &&
                          part.data() + part.size() <= whole.data() + whole.size());
}

void CheckAccepted(const Packet& p, Bytes bytes) {
  METAROCE_REQUIRE(p.info().known);
  METAROCE_REQUIRE(p.frame.end() <= bytes.size());
  METAROCE_REQUIRE(Within(p.payload, bytes) && Within(p.options, bytes));
  METAROCE_REQUIRE(TransportLength(p) == p.frame.payload_length);
  METAROCE_REQUIRE(p.payload.empty() || p.info().tail == spec::Tail::kPayload);
  METAROCE_REQUIRE(p.filler_length % 4 == 0);
}

void CheckRefused(const ParseResult& result, Bytes bytes) {
  METAROCE_REQUIRE(spec::Info(spec::Info(result.reason()).check).stateless);
  METAROCE_REQUIRE(result.offset() <= bytes.size());
}

// Every part begins where the one before it ended, from the first bit to the last.
void CheckDissection(const Packet& p, Bytes bytes) {
  size_t at = 0;
  for (const Part& part : DissectFrame(p.frame, bytes)) {
    METAROCE_REQUIRE(part.bit_offset == at);
    at += part.bits;
  }
  METAROCE_REQUIRE(at == bytes.size() * 8);
}

// Bits of `frame` that a receiver does not look at, as ones.
std::vector<uint8_t> IgnoredBits(const Packet& p, Bytes bytes) {
  std::vector<uint8_t> mask(bytes.size());
  for (const Part& part : DissectFrame(p.frame, bytes)) {
    if (part.role != PartRole::kIgnored && part.name != "filler" && part.name != "icrc") continue;
    for (size_t bit = part.bit_offset; bit < part.bit_offset + part.bits; ++bit) {
      mask[bit / 8] |= static_cast<uint8_t>(0x80 >> bit % 8);
    }
  }
  return mask;
}

void CheckRewrite(const Packet& p, const std::vector<uint8_t>& bytes) {
  const frame::FrameSpec spec = frame::SpecOf(p.frame, bytes);
  const auto written = Serialize(p, spec);
  METAROCE_REQUIRE(written.ok());
  METAROCE_REQUIRE(written->size() == p.frame.end());
  const std::vector<uint8_t> ignored = IgnoredBits(p, bytes);
  for (size_t i = 0; i < written->size(); ++i) {
    METAROCE_REQUIRE((((*written)[i] ^ bytes[i]) & ~ignored[i]) == 0);
  }
  Packet again;
  METAROCE_REQUIRE(Parse(*written, {}, &again).ok());
  METAROCE_REQUIRE(SamePacket(p, again));
  const auto twice = Serialize(again, spec);
  METAROCE_REQUIRE(twice.ok() && *twice == *written);
}

void CheckRecord(const Packet& p, const std::vector<uint8_t>& bytes) {
  const std::vector<NamedValue> fields = Fields(p.frame, bytes);
  const auto built = BuildFromFields(fields);
  METAROCE_REQUIRE(built.ok());
  Packet again;
  METAROCE_REQUIRE(Parse(*built, {}, &again).ok());
  METAROCE_REQUIRE(SamePacket(p, again));
  METAROCE_REQUIRE(Fields(again.frame, *built) == fields);
}

}  // namespace

Decoded CheckVerdict(const std::vector<uint8_t>& frame) {
  Packet p;
  const ParseResult result = Parse(frame, {}, &p);
  if (result.ok()) {
    CheckAccepted(p, frame);
    return {true, true};
  }
  CheckRefused(result, frame);
  if (result.reason() == spec::Reason::kIcrc) {
    Packet blind;
    METAROCE_REQUIRE(Parse(frame, {.check_icrc = false}, &blind).ok());
    CheckAccepted(blind, frame);
  }
  return {false, false};
}

Decoded CheckDecode(const std::vector<uint8_t>& frame) {
  const Decoded decoded = CheckVerdict(frame);
  Packet p;
  const ParseResult result = Parse(frame, {}, &p);
  const absl::string_view name = result.name();
  METAROCE_REQUIRE(testing::NaiveVerdict(frame) == std::string(name.data(), name.size()));
  if (!result.ok()) {
    METAROCE_REQUIRE(result.ToString().size() > name.size());
    frame::Frame below;
    if (frame::ParseFrame(frame, frame::LinkType::kEthernet, {}, &below).ok()) {
      for (const Part& part : DissectFrame(below, frame)) {
        METAROCE_REQUIRE(part.bit_offset + part.bits <= frame.size() * 8);
      }
    }
    return decoded;
  }
  CheckDissection(p, frame);
  CheckRewrite(p, frame);
  CheckRecord(p, frame);
  (void)Validate(p);
  return decoded;
}

}  // namespace metaroce::packet
