// Properties of the codec that hold whatever the layouts are. Compiled against the layouts of the
// text, and again against permuted ones: nothing here knows where a field stands.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "model/wire/frame/icrc.h"
#include "model/wire/packet/dissect.h"
#include "model/wire/packet/fields.h"
#include "model/wire/packet/packet.h"
#include "model/wire/packet/raw.h"
#include "model/wire/packet/testing/generate.h"

namespace metaroce::packet {
namespace {

using spec::Opcode;
using testing::AnyFrame;
using testing::AnyPacket;
using testing::AnySendable;
using testing::Draw;
using testing::OwnedPacket;

// Numbers that RapidCheck can shrink; zeros when they are used up.
struct Numbers {
  std::vector<uint64_t> values;
  size_t next = 0;

  uint64_t operator()() { return next < values.size() ? values[next++] : 0; }
};

Numbers AnyNumbers() {
  return {*rc::gen::container<std::vector<uint64_t>>(300, rc::gen::arbitrary<uint64_t>()), 0};
}

// A packet in a frame.
struct Case {
  OwnedPacket owned;
  frame::FrameSpec spec;
  std::vector<uint8_t> bytes;
};

template <typename Property>
void ForAnyOpcode(OwnedPacket (*any)(Opcode, const Draw&), Property property) {
  const Opcode opcode = *rc::gen::elementOf(spec::kOpcodes);
  Numbers numbers = AnyNumbers();
  const Draw draw = [&numbers] { return numbers(); };
  Case c{any(opcode, draw), AnyFrame(draw), {}};
  auto bytes = Serialize(c.owned.packet, c.spec);
  RC_ASSERT(bytes.ok());
  c.bytes = *std::move(bytes);
  property(c, draw);
}

Packet MustParse(const std::vector<uint8_t>& bytes) {
  Packet packet;
  const ParseResult result = Parse(bytes, {}, &packet);
  if (!result.ok()) RC_FAIL(result.ToString());
  return packet;
}

RC_GTEST_PROP(Codec, ParsesWhatItSerialisesAndSerialisesItAgain, ()) {
  ForAnyOpcode(AnyPacket, [](const Case& c, const Draw&) {
    const Packet parsed = MustParse(c.bytes);
    RC_ASSERT(SamePacket(parsed, c.owned.packet));
    RC_ASSERT(TransportLength(parsed) == parsed.frame.payload_length);
    const auto again = Serialize(parsed, frame::SpecOf(parsed.frame, c.bytes));
    RC_ASSERT(again.ok());
    RC_ASSERT(*again == c.bytes);
  });
}

RC_GTEST_PROP(Codec, AcceptsWhatASenderMaySend, ()) {
  ForAnyOpcode(AnySendable, [](const Case& c, const Draw&) {
    const absl::Status status = Validate(c.owned.packet);
    if (!status.ok()) RC_FAIL(std::string(status.message()));
    RC_ASSERT(Validate(MustParse(c.bytes)).ok());
  });
}

// The value that the fast structs hold for a part of a layout.
uint64_t StructValue(const Packet& packet, const Part& part) {
  const size_t field = part.info - part.layout->fields.data();
  if (part.layout == &spec::kPathBlockLayout) {
    const size_t open = part.name.find('[');
    return packet.headers.path_block[part.name[open + 1] - '0'].Get(field);
  }
  for (const spec::Layout id : packet.info().headers) {
    if (&spec::Info(id) == part.layout) return spec::GetField(packet.headers, id, field);
  }
  RC_FAIL("A part of a layout that the opcode has not.");
  return 0;
}

RC_GTEST_PROP(Codec, AgreesWithTheTableDrivenTwinOnEveryField, ()) {
  ForAnyOpcode(AnyPacket, [](const Case& c, const Draw&) {
    const Packet parsed = MustParse(c.bytes);
    size_t fields = 0;
    size_t bits = 0;
    for (const Part& part : DissectFrame(parsed.frame, c.bytes)) {
      RC_ASSERT(part.bit_offset == bits);  // no gap and no overlap from end to end
      bits += part.bits;
      if (part.info == nullptr) continue;
      const uint64_t value = part.role == PartRole::kIgnored ? 0 : StructValue(parsed, part);
      if (std::get<uint64_t>(part.value) != value) RC_FAIL(part.name);
      ++fields;
    }
    RC_ASSERT(bits == c.bytes.size() * 8);
    RC_ASSERT(fields >= spec::kCommonFields.size());
  });
}

RC_GTEST_PROP(Codec, EncodesTheFieldsOfACanonicalFrameToTheSameFrame, ()) {
  ForAnyOpcode(AnyPacket, [](const Case& c, const Draw&) {
    const Packet parsed = MustParse(c.bytes);
    const std::vector<NamedValue> fields = Fields(parsed.frame, c.bytes);
    std::set<std::string> names;
    for (const NamedValue& field : fields) names.insert(field.name);
    RC_ASSERT(names.size() == fields.size());
    const auto built = BuildFromFields(fields);
    if (!built.ok()) RC_FAIL(std::string(built.status().message()));
    RC_ASSERT(*built == c.bytes);
  });
}

RC_GTEST_PROP(Codec, IgnoresEveryReservedBitAndWritesItAsZero, ()) {
  ForAnyOpcode(AnyPacket, [](const Case& c, const Draw& draw) {
    RawEdits edits;
    frame::Frame frame;
    RC_ASSERT(frame::ParseFrame(c.bytes, frame::LinkType::kEthernet, {}, &frame).ok());
    for (const Part& part : DissectTransport(frame::Payload(frame, c.bytes))) {
      if (part.role != PartRole::kIgnored) continue;
      if (part.info != nullptr) {
        edits.set.push_back({part.name, draw() & part.info->max()});
      } else {
        edits.set.push_back({part.name, std::vector<uint8_t>(part.bits / 8, 0xA5)});
      }
    }
    const auto odd = RawSerialize(c.owned.packet, c.spec, edits);
    if (!odd.ok()) RC_FAIL(std::string(odd.status().message()));
    const Packet parsed = MustParse(*odd);
    RC_ASSERT(SamePacket(parsed, c.owned.packet));
    const auto again = Serialize(parsed, c.spec);
    RC_ASSERT(again.ok());
    RC_ASSERT(*again == c.bytes);
  });
}

RC_GTEST_PROP(Codec, WritingOneFieldLeavesItsNeighboursAlone, ()) {
  ForAnyOpcode(AnyPacket, [](const Case& c, const Draw& draw) {
    const Packet parsed = MustParse(c.bytes);
    const Bytes payload = frame::Payload(parsed.frame, c.bytes);
    if (payload.size() > 512) return;  // nothing new
    for (const Part& part : DissectTransport(payload)) {
      if (part.info == nullptr) continue;
      std::vector<uint8_t> edited(payload.begin(), payload.end());
      const uint64_t value = draw() & part.info->max();
      RC_ASSERT(SetPart({part.name, value}, absl::MakeSpan(edited)).ok());
      for (size_t i = 0; i < payload.size(); ++i) {
        // The bits of this byte that belong to the part.
        int inside = 0;
        for (size_t bit = i * 8; bit < i * 8 + 8; ++bit) {
          const bool in_part = bit >= part.bit_offset && bit < part.bit_offset + part.bits;
          inside = inside << 1 | (in_part ? 1 : 0);
        }
        RC_ASSERT(((edited[i] ^ payload[i]) & ~inside) == 0);
      }
    }
  });
}

RC_GTEST_PROP(Codec, TheStructsStoreOneFieldWithoutTouchingAnother, ()) {
  ForAnyOpcode(AnyPacket, [](const Case& c, const Draw& draw) {
    const Packet& packet = c.owned.packet;
    for (const spec::Layout id : packet.info().headers) {
      if (id == spec::Layout::kCommon) continue;  // its opcode says what follows
      const auto& fields = spec::Info(id).fields;
      for (size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].reserved || (id == spec::Layout::kAck && fields[i].name == "blocks"))
          continue;
        Packet changed = packet;
        spec::SetField(changed.headers, id, i, draw() & fields[i].max());
        const auto bytes = Serialize(changed, c.spec);
        RC_ASSERT(bytes.ok());
        const Packet parsed = MustParse(*bytes);
        RC_ASSERT(SamePacket(parsed, changed));
      }
    }
  });
}

RC_GTEST_PROP(Codec, FindsEveryBitThatTheIcrcCovers, ()) {
  ForAnyOpcode(AnyPacket, [](const Case& c, const Draw& draw) {
    const Packet parsed = MustParse(c.bytes);
    std::vector<uint8_t> bytes = c.bytes;
    const size_t begin = size_t{parsed.frame.payload_offset} + parsed.info().fixed_bytes;
    const size_t bit = begin * 8 + draw() % ((bytes.size() - begin) * 8);
    bytes[bit / 8] ^= static_cast<uint8_t>(0x80 >> bit % 8);
    Packet packet;
    const ParseResult result = Parse(bytes, {}, &packet);
    RC_ASSERT(!result.ok());  // behind the headers: the iCRC, or a length that no longer fits
    ParseOptions blind;
    blind.check_icrc = false;
    if (Parse(bytes, blind, &packet).ok()) RC_ASSERT(result.reason() == spec::Reason::kIcrc);
  });
}

RC_GTEST_PROP(Codec, SerialisesHeadersAsTheBeginningOfTheWhole, ()) {
  ForAnyOpcode(AnyPacket, [](const Case& c, const Draw&) {
    std::vector<uint8_t> out(c.bytes.size());
    const auto length = SerializeHeaders(c.owned.packet, c.spec, absl::MakeSpan(out));
    RC_ASSERT(length.ok());
    RC_ASSERT(*length <= c.bytes.size());
    RC_ASSERT(std::equal(out.begin(), out.begin() + *length, c.bytes.begin()));
    if (c.owned.packet.payload.empty()) RC_ASSERT(*length + frame::kIcrcLength == c.bytes.size());
  });
}

RC_GTEST_PROP(Codec, SerialisesHeadersOfAFlowAsThoseOfItsSpec, ()) {
  ForAnyOpcode(AnyPacket, [](const Case& c, const Draw&) {
    const frame::Flow& flow = c.spec;
    std::vector<uint8_t> by_flow(c.bytes.size() + frame::kMaxHeadersLength);
    std::vector<uint8_t> by_spec = by_flow;
    const auto length = SerializeHeaders(c.owned.packet, flow, absl::MakeSpan(by_flow));
    RC_ASSERT(length.ok());
    RC_ASSERT(*SerializeHeaders(c.owned.packet, frame::FrameSpec{flow}, absl::MakeSpan(by_spec)) ==
              *length);
    RC_ASSERT(by_flow == by_spec);
  });
}

RC_GTEST_PROP(Codec, NeedsExactlyTheRoomThatItFills, ()) {
  ForAnyOpcode(AnyPacket, [](const Case& c, const Draw&) {
    std::vector<uint8_t> out(c.bytes.size() + 1, 0xEE);
    const auto short_of_one =
        Serialize(c.owned.packet, c.spec, absl::MakeSpan(out).first(c.bytes.size() - 1));
    RC_ASSERT(!short_of_one.ok());
    RC_ASSERT(std::count(out.begin(), out.end(), 0xEE) == static_cast<ptrdiff_t>(out.size()));
    const auto exact = Serialize(c.owned.packet, c.spec, absl::MakeSpan(out).first(c.bytes.size()));
    RC_ASSERT(exact.ok());
    RC_ASSERT(out.back() == 0xEE);
  });
}

}  // namespace
}  // namespace metaroce::packet
