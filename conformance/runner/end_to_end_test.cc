// The runner, the real text, the reference codec, and a device in Python that is a process of its
// own.
#include <chrono>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/dut/child_dut.h"
#include "conformance/play/wire_codec.h"
#include "conformance/runner/replay.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vectors/json.h"
#include "vectors/lint.h"
#include "vectors/manifest.h"
#include "vectors/spec_tables_index.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using ::testing::SizeIs;

vectors::StoredVector Load(const std::string& id, const std::string& members) {
  const auto vector =
      vectors::LoadVector(absl::StrCat("{\"id\": \"", id,
                                       "\", \"title\": \"t\", \"provenance\": {\"kind\": \"spec\", "
                                       "\"note\": \"n\"}, \"flags\": [\"FIELD_PLACE\"], ",
                                       members, "}"),
                          id);
  EXPECT_TRUE(vector.ok()) << vector.status();
  vectors::StoredVector stored;
  stored.path = vectors::DefaultPath(*vector);
  stored.vector = *vector;
  for (const vectors::Finding& finding : vectors::CheckVector(*vector, vectors::SpecTables())) {
    ADD_FAILURE() << vectors::ToString(id, finding);
  }
  return stored;
}

std::string Codec(const std::string& steps) {
  return absl::StrCat(
      "\"level\": \"codec\", \"clauses\": [\"WIRE-ACK\"], \"capabilities\": "
      "[\"codec-decode\", \"codec-encode\"], \"steps\": [",
      steps, "]");
}

std::string Block(const std::string& block, const std::string& more, const std::string& steps) {
  return absl::StrCat("\"level\": \"block\", \"block\": \"", block,
                      "\", \"clauses\": [\"ACK-VECTOR\", \"ACK-DUE-HOLE\"], \"capabilities\": "
                      "[\"block-",
                      block, "\"", more, "], \"config\": {\"base\": 4294967290}, \"steps\": [",
                      steps, "]");
}

TEST(EndToEndTest, APythonDevicePassesAndAWrongExpectationIsShown) {
  const WirePacketCodec codec;
  vectors::Fields ack;
  vectors::Field& opcode = *ack.add_field();
  opcode.set_name("common.opcode");
  opcode.set_number(0x41);
  vectors::Field& base = *ack.add_field();
  base.set_name("path_block[0].base");
  base.set_number(12);
  const auto frame = codec.Encode(ack);
  ASSERT_TRUE(frame.ok()) << frame.status();
  const std::string decode = absl::StrCat("{\"decode\": \"", vectors::Hex(*frame), "\"}, ");
  const std::string hole =
      "{\"apply\": {\"kind\": \"data\", \"sequence\": 4294967292, \"transmit_time\": 9}}, ";
  const std::string ack_of_hole =
      "{\"expect\": {\"includes\": {\"base\": 4294967290, \"bitmap\": \"0x0000000000000004\", "
      "\"echo\": 9, \"hold\": 0}}}";

  vectors::Tree tree;
  tree.vectors = {
      Load("decode", Codec(absl::StrCat(decode,
                                        "{\"expect\": {\"includes\": {\"common.opcode\": 65, "
                                        "\"path_block[0].base\": 12}}}"))),
      Load("encode", Codec(absl::StrCat("{\"encode\": {\"common.opcode\": 65, "
                                        "\"path_block[0].base\": 12}}, {\"expect\": {\"packet\": "
                                        "{\"frame\": \"",
                                        vectors::Hex(*frame), "\"}}}"))),
      Load("wrong", Codec(absl::StrCat("{\"encode\": {\"common.opcode\": 65, "
                                       "\"path_block[0].base\": 12}}, {\"expect\": {\"packet\": "
                                       "{\"includes\": {\"path_block[0].base\": 13}}}}"))),
      Load("cut", Codec("{\"decode\": \"0x00\"}, {\"expect\": {\"reject\": \"frame-truncated\"}}")),
      Load("vector", Block("receive-vector", "",
                           absl::StrCat(hole,
                                        "{\"expect\": {\"includes\": {\"outcome\": \"hole\", "
                                        "\"bitmap\": \"0x0000000000000004\"}}}"))),
      Load("ack", Block("ack-generation", ", \"default-ack-generation\"",
                        absl::StrCat(hole, ack_of_hole,
                                     ", {\"expect\": {\"nothing\": "
                                     "\"ack_delay_max\"}}"))),
  };
  ChildOptions options;
  options.command = {"/usr/bin/python3", "conformance/duts/python/metaroce_dut.py"};
  options.answer_timeout = std::chrono::milliseconds(20000);
  options.exit_timeout = std::chrono::milliseconds(20000);
  ChildDut dut(options);
  const auto report = Replay(tree, vectors::SpecTables(), &codec, dut, ReplayOptions());
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_THAT(report->results, SizeIs(6));
  for (const VectorResult& result : report->results) {
    if (result.id == "wrong") continue;
    EXPECT_EQ(result.verdict, Verdict::kPass) << FormatResult(result, PrintOptions());
  }
  EXPECT_EQ(FormatResult(report->results[2], PrintOptions()),
            "FAIL wrong step 2  [WIRE-ACK MUST]\n"
            "  received  to encode: common.opcode = 0x41, path_block[0].base = 12\n"
            "  expected  path_block[0].base = 13\n"
            "  got       path_block[0].base = 12    byte 78 of the packet\n");
  EXPECT_TRUE(report->problems.empty());
}

}  // namespace
}  // namespace metaroce::conformance
