#include "conformance/play/wire_codec.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/play/compare.h"
#include "gtest/gtest.h"
#include "spec/tables.h"
#include "vectors/json.h"
#include "vectors/records.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::conformance {
namespace {

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

TEST(WireCodecTest, WhatNoFrameHasIsRefusedWithASentence) {
  const WirePacketCodec codec;
  EXPECT_FALSE(codec.Encode(Record("{}")).ok());
  EXPECT_FALSE(codec.Encode(Record("{\"common.opcode\": 11, \"payload\": \"0x00\"}")).ok());
  EXPECT_FALSE(codec.Encode(Record("{\"common.opcode\": \"void\"}")).ok());
}

}  // namespace
}  // namespace metaroce::conformance
