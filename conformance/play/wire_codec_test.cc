#include "conformance/play/wire_codec.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/dut.pb.h"
#include "conformance/play/compare.h"
#include "conformance/play/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/tables.h"
#include "vectors/json.h"
#include "vectors/records.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

vectors::Fields Record(const std::string& json) {
  const auto vector = vectors::LoadVector(absl::StrCat("{\"config\": ", json, "}"), "test");
  EXPECT_TRUE(vector.ok()) << vector.status();
  return vector->config();
}

TEST(WireCodecTest, EveryOpcodeSurvivesEncodeAndDecodeAndHasOnlyFieldsOfTheRecord) {
  const WirePacketCodec codec;
  for (const spec::Opcode opcode : spec::kOpcodes) {
    std::string json = absl::StrCat("{\"common.opcode\": ", static_cast<int>(opcode));
    if (opcode == spec::Opcode::kAck) absl::StrAppend(&json, ", \"path_block[0].base\": 1");
    const auto frame = codec.Encode(Record(absl::StrCat(json, "}")));
    ASSERT_TRUE(frame.ok()) << frame.status();
    const auto fields = codec.Decode(*frame);
    ASSERT_TRUE(fields.ok()) << fields.status();
    EXPECT_EQ(*codec.Encode(*fields), *frame);
    for (const vectors::Field& field : fields->field()) {
      EXPECT_EQ(vectors::FaultOf(vectors::Record::kCodec, field, vectors::SpecTables()), "");
    }
  }
}

TEST(WireCodecTest, AFrameThatIsRefusedHasItsReason) {
  const WirePacketCodec codec;
  std::string frame = *codec.Encode(Record("{\"common.opcode\": 11}"));
  frame.back() = static_cast<char>(frame.back() ^ 1);
  EXPECT_EQ(codec.Decode(frame).status().message(), "icrc");
  EXPECT_EQ(codec.Decode("").status().message(), "frame-truncated");
}

TEST(WireCodecTest, AFieldIsFoundInItsPlace) {
  const WirePacketCodec codec;
  std::string frame = *codec.Encode(
      Record("{\"common.opcode\": 65, \"path_block[0].bitmap\": \"0x0000000000000008\"}"));
  // Ethernet 14, IPv4 20, UDP 8, common 16, ack 16, path block 20.
  EXPECT_EQ(codec.ByteOf(frame, "path_block[0].bitmap"), 94u);
  EXPECT_EQ(codec.ByteOf(frame, "common.opcode"), 43u);
  EXPECT_FALSE(codec.ByteOf(frame, "data.csn").has_value());
  EXPECT_FALSE(codec.ByteOf("rubbish", "common.opcode").has_value());
}

// Many packets are alike in their first fields: what came is called by what tells it from others.
TEST(WireCodecTest, APacketIsCalledByWhatTellsItFromOthers) {
  const WirePacketCodec codec;
  dut::Event event;
  event.mutable_packet()->set_frame(
      *codec.Encode(Record("{\"common.opcode\": 1, \"common.number\": 3, \"common.epoch\": 2, "
                           "\"common.rtx\": 1, \"data.csn\": 7, \"data.msn\": 5}")));
  const Outcome outcome{&event, ""};
  EXPECT_THAT(Describe(outcome, &codec),
              StartsWith("WRITE path 0 epoch 2 number 3 csn 7 rtx, a packet of "));
  EXPECT_THAT(Describe(outcome, &codec), HasSubstr("data.msn = 5"));
  // All its fields are on the page and in JSON, though nothing was expected.
  const std::vector<Side> sides = Decode(vectors::Expectation(), outcome, &codec);
  const auto csn = std::find_if(sides.begin(), sides.end(),
                                [](const Side& side) { return side.field == "data.csn"; });
  ASSERT_NE(csn, sides.end());
  EXPECT_EQ(csn->got, "7");
  EXPECT_EQ(csn->expected, "");
  EXPECT_GT(sides.size(), 15u);
  // What did not come has one side alone.
  vectors::Expectation expected;
  *expected.mutable_packet()->mutable_includes() = Record(
      "{\"common.opcode\": 65, \"common.path\": 2, \"common.number\": 4, "
      "\"ack.csn\": 9}");
  EXPECT_EQ(Describe(expected, &codec), "ACK path 2 number 4, a packet with ack.csn = 9");
  for (const Side& side : Decode(expected, Outcome(), &codec)) EXPECT_EQ(side.got, "");
  // A path that is none is not named.
  EXPECT_EQ(codec.Title(Record("{\"common.opcode\": 2, \"common.path\": 255}")).find("path"),
            std::string::npos);
}

TEST(WireCodecTest, WhatNoFrameHasIsRefusedWithASentence) {
  const WirePacketCodec codec;
  EXPECT_FALSE(codec.Encode(Record("{}")).ok());
  EXPECT_FALSE(codec.Encode(Record("{\"common.opcode\": 11, \"payload\": \"0x00\"}")).ok());
  EXPECT_FALSE(codec.Encode(Record("{\"common.opcode\": \"void\"}")).ok());
}

}  // namespace
}  // namespace metaroce::conformance
