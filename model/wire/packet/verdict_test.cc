// Parse against a second, naive reading of sections 3.3, 4.1 and 4.2: the same verdict on every
// frame, and for the cases that have bitten others, by hand.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "model/wire/frame/icrc.h"
#include "model/wire/packet/bitmap.h"
#include "model/wire/packet/packet.h"
#include "model/wire/packet/raw.h"
#include "model/wire/packet/testing/generate.h"
#include "model/wire/packet/testing/mutate.h"
#include "model/wire/packet/testing/naive.h"

namespace metaroce::packet {
namespace {

using spec::Opcode;
using testing::AnyFrame;
using testing::AnyPacket;
using testing::Draw;
using testing::NaiveVerdict;
using testing::OwnedPacket;

// A copy of exactly the frame's length, so that a read past its end is found under asan.
std::string Verdict(const std::vector<uint8_t>& frame) {
  const std::vector<uint8_t> exact(frame.begin(), frame.end());
  Packet packet;
  const absl::string_view name = Parse(exact, {}, &packet).name();
  return std::string(name.data(), name.size());
}

std::string OpcodeName(Opcode opcode) { return std::string(spec::Name(opcode)); }

struct Generator {
  std::mt19937_64 random{7};
  Draw draw = [this] { return random(); };
};

TEST(Verdict, EveryHeaderCutAtEveryLength) {
  Generator g;
  for (const Opcode opcode : spec::kOpcodes) {
    const OwnedPacket owned = AnyPacket(opcode, g.draw);
    const frame::FrameSpec spec = AnyFrame(g.draw);
    const size_t length = TransportLength(owned.packet);
    ASSERT_EQ(spec::FixedBytes(opcode), testing::NaiveHeaderBytes(static_cast<int>(opcode)));
    for (size_t cut = 0; cut <= length + 8; ++cut) {
      RawEdits edits;
      edits.transport_length = cut;
      const auto frame = RawSerialize(owned.packet, spec, edits);
      ASSERT_TRUE(frame.ok()) << frame.status();
      ASSERT_EQ(Verdict(*frame), NaiveVerdict(*frame)) << OpcodeName(opcode) << " cut to " << cut;
    }
  }
}

TEST(Verdict, EveryFrameCutAtEveryByteWithoutItsLengthsFollowing) {
  Generator g;
  for (const Opcode opcode : spec::kOpcodes) {
    const OwnedPacket owned = AnyPacket(opcode, g.draw);
    const auto whole = Serialize(owned.packet, AnyFrame(g.draw));
    ASSERT_TRUE(whole.ok());
    for (size_t size = 0; size < whole->size(); ++size) {
      const std::vector<uint8_t> cut(whole->begin(), whole->begin() + size);
      ASSERT_EQ(Verdict(cut), "frame-truncated") << OpcodeName(opcode) << " of " << size;
      ASSERT_EQ(NaiveVerdict(cut), "frame-truncated");
    }
  }
}

TEST(Verdict, EveryOpcodeValueWithEveryPadAndManyLengths) {
  for (int value = 0; value < 256; ++value) {
    const auto opcode = static_cast<Opcode>(value);
    const bool known = spec::Info(opcode).known;
    EXPECT_EQ(known, testing::NaiveHeaderBytes(value) >= 0);
    // A DISCONNECT_REPLY: the shortest packet there is, as the carrier of any opcode.
    const Packet carrier = NewPacket(Opcode::kDisconnectReply);
    for (uint64_t pad = 0; pad < 4; ++pad) {
      for (size_t length = 20; length <= 120; length += 4) {
        RawEdits edits;
        edits.set = {{"common.opcode", static_cast<uint64_t>(value)}, {"common.pad", pad}};
        edits.transport_length = length;
        const auto frame =
            RawSerialize(carrier, DefaultFrame(carrier.opcode(), 50000, false), edits);
        ASSERT_TRUE(frame.ok()) << frame.status();
        const std::string verdict = Verdict(*frame);
        ASSERT_EQ(verdict, NaiveVerdict(*frame)) << value << " pad " << pad << " of " << length;
        EXPECT_TRUE(known || verdict == "opcode-unknown") << value;
      }
    }
  }
}

TEST(Verdict, OfMutatedPacketsOfEveryOpcode) {
  Generator g;
  testing::Mutator mutator(11);
  std::map<std::string, int> seen;
  for (int round = 0; round < 3000; ++round) {
    for (const Opcode opcode : spec::kOpcodes) {
      const OwnedPacket owned = AnyPacket(opcode, g.draw);
      if (owned.packet.payload.size() > 300) continue;
      auto frame = Serialize(owned.packet, AnyFrame(g.draw));
      ASSERT_TRUE(frame.ok());
      mutator.Mutate(*frame);
      if (mutator.Below(2) == 0) mutator.Mend(*frame);
      const std::string verdict = Verdict(*frame);
      ASSERT_EQ(verdict, NaiveVerdict(*frame)) << OpcodeName(opcode) << " in round " << round;
      ++seen[verdict];
    }
  }
  // The mutations reach every check.
  for (const spec::ReasonInfo& reason : spec::kReasons) {
    if (!spec::Info(reason.check).stateless) continue;
    EXPECT_GT(seen[std::string(reason.name)], 0) << reason.name;
  }
  EXPECT_GT(seen["ok"], 0);
}

TEST(Verdict, OfRandomBytes) {
  Generator g;
  for (int i = 0; i < 100000; ++i) {
    std::vector<uint8_t> frame(g.random() % 128);
    for (uint8_t& byte : frame) byte = static_cast<uint8_t>(g.random());
    if (frame.size() > 15 && i % 2 == 0) {
      frame[12] = 0x08;
      frame[13] = 0;
      frame[14] = 0x45;
    }
    ASSERT_EQ(Verdict(frame), NaiveVerdict(frame));
  }
}

// The order of the checks: each wrong thing is added to those before, and the earlier check wins.
TEST(Verdict, IsThatOfTheFirstCheckThatFails) {
  const Packet p = NewPacket(Opcode::kDisconnectReply);
  frame::FrameSpec spec = DefaultFrame(p.opcode(), 50000, false);
  RawEdits edits;
  const auto verdict = [&] { return Verdict(*RawSerialize(p, spec, edits)); };
  EXPECT_EQ(verdict(), "ok");
  edits.icrc = RawIcrc::kWrong;
  EXPECT_EQ(verdict(), "icrc");
  edits.transport_length = 28;
  EXPECT_EQ(verdict(), "length-long");
  edits.set.push_back({"common.pad", uint64_t{1}});
  EXPECT_EQ(verdict(), "length-pad");
  edits.transport_length = 20;
  EXPECT_EQ(verdict(), "length-short");
  edits.set.push_back({"common.opcode", uint64_t{0xFE}});
  EXPECT_EQ(verdict(), "opcode-unknown");
  edits.set.push_back({"common.version", uint64_t{2}});
  EXPECT_EQ(verdict(), "version");
  edits.transport_length = 18;
  EXPECT_EQ(verdict(), "packet-length");
  spec.dst_port = 4791;
  EXPECT_EQ(verdict(), "not-metaroce");
  spec.wrong.udp_length = 7;
  EXPECT_EQ(verdict(), "udp-length");
  spec.wrong.ip_protocol = 6;
  EXPECT_EQ(verdict(), "not-udp");
  spec.wrong.ip_checksum = 0;
  EXPECT_EQ(verdict(), "ip-checksum");
  spec.wrong.ip_flags_offset = 1;
  EXPECT_EQ(verdict(), "ip-fragment");
}

TEST(Verdict, PadOfThreeOnAHeaderOnlyPacket) {
  const Packet p = NewPacket(Opcode::kSend);
  RawEdits edits;
  edits.set = {{"common.pad", uint64_t{3}}};
  EXPECT_EQ(Verdict(*RawSerialize(p, DefaultFrame(p.opcode(), 50000, true), edits)), "length-pad");
  edits.transport_length = TransportLength(p) + 4;  // a payload of one byte
  EXPECT_EQ(Verdict(*RawSerialize(p, DefaultFrame(p.opcode(), 50000, true), edits)), "ok");
}

TEST(Verdict, BlockCountsAndLengths) {
  Packet p = NewPacket(Opcode::kAck);
  p.headers.ack.blocks = 2;
  SetBitmapBit(p.headers.path_block[1].bitmap, 200);
  Shorten(p.headers.path_block[1]);
  const frame::FrameSpec spec = DefaultFrame(p.opcode(), 50000, false);
  const auto with = [&](const std::string& name, uint64_t value) {
    RawEdits edits;
    edits.set = {{name, value}};
    return Verdict(*RawSerialize(p, spec, edits));
  };
  EXPECT_EQ(with("ack.blocks", 2), "ok");
  EXPECT_EQ(with("ack.blocks", 0), "block-count");
  EXPECT_EQ(with("ack.blocks", 5), "block-count");
  EXPECT_EQ(with("ack.blocks", 255), "block-count");
  EXPECT_EQ(with("ack.blocks", 1), "block-length");
  EXPECT_EQ(with("ack.blocks", 3), "block-length");
  EXPECT_EQ(with("path_block[1].bitmap_code", 0), "block-length");
  EXPECT_EQ(with("path_block[1].bitmap_code", 2), "block-length");
  EXPECT_EQ(with("path_block[0].bitmap_code", 1), "block-length");
}

TEST(Verdict, OptionsThatRunPastTheRoom) {
  Packet p = NewPacket(Opcode::kConnect);
  std::vector<uint8_t> options;
  const std::vector<uint8_t> value(6, 0x55);
  ASSERT_TRUE(AppendOption({1, value}, &options).ok());
  ASSERT_TRUE(AppendOption({0xFFFF, {}}, &options).ok());
  p.options = options;
  const frame::FrameSpec spec = DefaultFrame(p.opcode(), 50000, false);
  const auto with = [&](const std::string& name, uint64_t number) {
    RawEdits edits;
    edits.set = {{name, number}};
    return Verdict(*RawSerialize(p, spec, edits));
  };
  EXPECT_EQ(with("option[0].length", 6), "ok");
  EXPECT_EQ(with("option[0].length", 8), "ok");   // its padding becomes value
  EXPECT_EQ(with("option[0].length", 12), "ok");  // and the second option too
  EXPECT_EQ(with("option[0].length", 13), "options");
  EXPECT_EQ(with("option[1].length", 1), "options");
  EXPECT_EQ(with("option[1].length", 0xFFFF), "options");
  EXPECT_EQ(with("option[0].type", 0), "ok");  // all is filler
}

TEST(Verdict, NamesPlaceValueAndBound) {
  const Packet p = NewPacket(Opcode::kDisconnectReply);
  RawEdits edits;
  edits.transport_length = 28;
  const auto frame = RawSerialize(p, DefaultFrame(p.opcode(), 50000, false), edits);
  Packet parsed;
  const ParseResult result = Parse(*frame, {}, &parsed);
  EXPECT_EQ(result.reason(), spec::Reason::kLengthLong);
  EXPECT_EQ(result.offset(), 62);
  EXPECT_EQ(result.value(), 4);
  EXPECT_EQ(result.ToString(),
            "length-long: 4 bytes stand before the iCRC from byte 62 on, none may.");
}

TEST(Verdict, LeavesTheCommonHeaderOfAnotherVersionToTheCaller) {
  Packet p = NewPacket(Opcode::kConnect);
  p.headers.common.number = 77;
  RawEdits edits;
  edits.set = {{"common.version", uint64_t{9}}};
  const auto frame = RawSerialize(p, DefaultFrame(p.opcode(), 50000, false), edits);
  Packet parsed;
  EXPECT_EQ(Parse(*frame, {}, &parsed).reason(), spec::Reason::kVersion);
  EXPECT_EQ(parsed.opcode(), Opcode::kConnect);
  EXPECT_EQ(parsed.headers.common.number, 77U);
  EXPECT_TRUE(frame::IcrcOk(parsed.frame, *frame, frame::IcrcKind::kMetaRoce));
}

TEST(Verdict, TheOptionsOfParseSkipWhatTheySay) {
  const Packet p = NewPacket(Opcode::kDisconnectReply);
  frame::FrameSpec spec = DefaultFrame(p.opcode(), 50000, false);
  spec.dst_port = 5000;
  spec.wrong.ip_checksum = 0;
  RawEdits edits;
  edits.icrc = RawIcrc::kSwapped;
  const auto frame = RawSerialize(p, spec, edits);
  Packet parsed;
  ParseOptions options;
  EXPECT_EQ(Parse(*frame, options, &parsed).reason(), spec::Reason::kIpChecksum);
  options.check_ip_checksum = false;
  EXPECT_EQ(Parse(*frame, options, &parsed).reason(), spec::Reason::kNotMetaroce);
  options.udp_port = 5000;
  EXPECT_EQ(Parse(*frame, options, &parsed).reason(), spec::Reason::kIcrc);
  options.check_icrc = false;
  EXPECT_TRUE(Parse(*frame, options, &parsed).ok());
}

}  // namespace
}  // namespace metaroce::packet
