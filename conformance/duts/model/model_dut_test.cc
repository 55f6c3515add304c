// Whatever a runner asks, the model's device takes it as the text says or says what is wrong with
// it.
#include "conformance/duts/model/model_dut.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace metaroce::conformance {
namespace {

using ::testing::HasSubstr;

dut::Request Reset(const std::string& level, const std::string& block = "") {
  dut::Request request;
  request.mutable_reset()->set_level(level);
  request.mutable_reset()->set_block(block);
  return request;
}

template <typename Fields>
void AddNumber(const std::string& name, uint64_t number, Fields* fields) {
  dut::Field* field = fields->Add();
  field->set_name(name);
  field->set_number(number);
}

std::string ErrorOf(const dut::Answer& answer) {
  return answer.has_error() ? answer.error().text() : absl::StrCat("kind ", answer.kind_case());
}

// The answer to an input of the block.
std::string ApplyBlock(const std::string& block, const std::string& kind,
                       const dut::Field& further) {
  ModelDut device;
  EXPECT_TRUE(device.Handle(Reset("block", block)).has_done());
  dut::Request request;
  auto* fields = request.mutable_apply()->mutable_block()->mutable_field();
  dut::Field* word = fields->Add();
  word->set_name("kind");
  word->set_word(kind);
  *fields->Add() = further;
  return ErrorOf(device.Handle(request));
}

dut::Field Number(const std::string& name, uint64_t number) {
  dut::Field field;
  field.set_name(name);
  field.set_number(number);
  return field;
}

std::string ResetWith(const std::string& level, const std::string& block, const dut::Field& field) {
  ModelDut device;
  dut::Request request = Reset(level, block);
  *request.mutable_reset()->add_config() = field;
  return ErrorOf(device.Handle(request));
}

constexpr uint64_t kWide = uint64_t{1} << 32;

TEST(ModelDutTest, ANumberWiderThanItsFieldIsAnErrorWithItsValueAndBound) {
  for (const char* block : {"receive-vector", "ack-generation"}) {
    EXPECT_EQ(ApplyBlock(block, "data", Number("sequence", kWide)),
              "\"sequence\" is 4294967296 and has 32 bits: at most 4294967295.");
    EXPECT_EQ(ApplyBlock(block, "probe", Number("transmit_time", kWide)),
              "\"transmit_time\" is 4294967296 and has 32 bits: at most 4294967295.");
    EXPECT_EQ(ApplyBlock(block, "data", Number("ce", 2)), "\"ce\" is 2 and has 1 bits: at most 1.");
    EXPECT_EQ(ResetWith("block", block, Number("base", kWide)),
              "\"base\" is 4294967296 and has 32 bits: at most 4294967295.");
  }
  EXPECT_EQ(ApplyBlock("ack-generation", "data", Number("ar", 2)),
            "\"ar\" is 2 and has 1 bits: at most 1.");
  EXPECT_EQ(ResetWith("endpoint", "", Number("local.paths", 256)),
            "\"local.paths\" is 256 and has 8 bits: at most 255.");
  EXPECT_EQ(ResetWith("endpoint", "", Number("path[1].epoch", 256)),
            "\"path[1].epoch\" is 256 and has 8 bits: at most 255.");
  EXPECT_EQ(ResetWith("endpoint", "", Number("tag", kWide)),
            "\"tag\" is 4294967296 and has 32 bits: at most 4294967295.");
}

TEST(ModelDutTest, AMalformedFieldIsAnErrorThatNamesIt) {
  dut::Field word;
  word.set_name("sequence");
  word.set_word("seven");
  EXPECT_EQ(ApplyBlock("receive-vector", "data", word), "\"sequence\" is a word, not a number.");
  dut::Field nothing;
  nothing.set_name("sequence");
  EXPECT_EQ(ApplyBlock("receive-vector", "data", nothing), "the field sequence has no value");
  EXPECT_EQ(ApplyBlock("receive-vector", "data", Number("kind", 1)),
            "the field kind stands twice in a record");
  EXPECT_EQ(ApplyBlock("receive-vector", "data", Number("sequenc", 1)),
            "The receive-vector input record has no field \"sequenc\".");
  EXPECT_EQ(ApplyBlock("receive-vector", "dat", Number("sequence", 1)),
            "\"kind\" is \"dat\", not data or probe.");
  dut::Field mac;
  mac.set_name("local.mac");
  mac.set_data("12345");
  EXPECT_EQ(ResetWith("endpoint", "", mac), "\"local.mac\" has 5 bytes, not 6.");
}

TEST(ModelDutTest, AConfigurationOutsideOfItsBoundsIsAnError) {
  EXPECT_EQ(ResetWith("block", "ack-generation", Number("ack_every", 0)),
            "\"ack_every\" is 0; it lies between 1 and 128.");
  EXPECT_EQ(ResetWith("endpoint", "", Number("local.range", 0)),
            "\"local.range\" is 0; it lies between 256 and 16777216.");
  EXPECT_THAT(ResetWith("endpoint", "", Number("path[254].epoch", 1)),
              HasSubstr("is of path 254; \"peer.paths\" is 8"));
  EXPECT_THAT(ResetWith("endpoint", "", Number("memory[0].rkey", 1)),
              HasSubstr("\"memory[0].address\" is missing"));
  EXPECT_THAT(ResetWith("endpoint", "", Number("ack_delay_max", 9000)),
              HasSubstr("probe_delay must be at least ack_delay_max"));
  EXPECT_EQ(ResetWith("endpoint", "", Number("window", 257)),
            "\"window\" is 257; it lies between 1 and 256.");
  EXPECT_THAT(ResetWith("codec", "", Number("udp_port", 5000)),
              HasSubstr("the configuration has 1 fields; at the level codec it is empty"));
}

TEST(ModelDutTest, ALevelOrBlockThatItHasNotIsAnErrorAndNoUnsupported) {
  ModelDut device;
  EXPECT_EQ(ErrorOf(device.Handle(Reset("wire"))),
            "the level is \"wire\"; it must be codec, block or endpoint.");
  EXPECT_EQ(ErrorOf(device.Handle(Reset("block", "pacer\x1b"))),
            "the block is \"pacer\\x1b\"; it must be one of receive-vector, ack-generation, "
            "csn-tracker, loss-detection, rtt-rto, path-window, connection-window, receiver-hint, "
            "path-count, pacer, entropy, scheduler, path-lifecycle, completion-order.");
  EXPECT_EQ(ErrorOf(device.Handle(Reset("codec", "pacer"))),
            "the block is \"pacer\"; at the level \"codec\" there is none.");
  EXPECT_EQ(ErrorOf(device.Handle(dut::Request())), "the request has no kind.");
}

TEST(ModelDutTest, AnEndpointTakesNoPlaneAndNoPostThatItCannotHave) {
  ModelDut device;
  ASSERT_TRUE(device.Handle(Reset("endpoint")).has_done());
  dut::Request arrive;
  arrive.mutable_apply()->mutable_arrive()->set_plane(256);
  EXPECT_EQ(ErrorOf(device.Handle(arrive)), "plane is 256; local.planes is 1, so the last is 0.");
  dut::Request post;
  auto* fields = post.mutable_apply()->mutable_post()->mutable_field();
  dut::Field* kind = fields->Add();
  kind->set_name("kind");
  kind->set_word("receive");
  AddNumber("length", kWide, fields);
  EXPECT_EQ(ErrorOf(device.Handle(post)),
            "\"length\" is 4294967296 and has 32 bits: at most 4294967295.");
}

// No address of the other version of IP could be answered.
TEST(ModelDutTest, AnEndpointTakesNoFrameOfTheOtherVersionOfIp) {
  ModelDut device;
  ASSERT_TRUE(device.Handle(Reset("codec")).has_done());
  dut::Request encode;
  auto* fields = encode.mutable_apply()->mutable_encode()->mutable_field();
  AddNumber("common.opcode", 0xc5, fields);
  AddNumber("common.cid", 77, fields);
  AddNumber("ip.version", 6, fields);
  const dut::Answer encoded = device.Handle(encode);
  ASSERT_EQ(encoded.done().event_size(), 1) << ErrorOf(encoded);
  ASSERT_TRUE(device.Handle(Reset("endpoint")).has_done());
  dut::Request arrive;
  arrive.mutable_apply()->mutable_arrive()->set_frame(encoded.done().event(0).packet().frame());
  EXPECT_EQ(device.Handle(arrive).done().event_size(), 0);
}

// A path asks for its peer each second: a hundred days of that are no answer.
TEST(ModelDutTest, AnEndpointDoesNotLiveThroughMoreThanAnAnswerHolds) {
  ModelDut device;
  ASSERT_TRUE(device.Handle(Reset("endpoint")).has_done());
  dut::Request advance;
  advance.mutable_advance()->set_to_ns(uint64_t{1} << 53);
  EXPECT_EQ(ErrorOf(device.Handle(advance)), "more than 16384 events follow one request.");
  advance.mutable_advance()->set_to_ns(UINT64_MAX);
  device.Handle(advance);
}

TEST(ModelDutTest, EncodeTakesNoFieldWithoutAValueAndNoneTooWide) {
  ModelDut device;
  ASSERT_TRUE(device.Handle(Reset("codec")).has_done());
  dut::Request request;
  auto* fields = request.mutable_apply()->mutable_encode()->mutable_field();
  AddNumber("common.opcode", 0x41, fields);
  AddNumber("common.cid", 1 << 24, fields);
  EXPECT_EQ(ErrorOf(device.Handle(request)),
            "\"common.cid\" is 16777216 and has 24 bits: at most 16777215.");
  (*fields)[1].clear_value();
  EXPECT_EQ(ErrorOf(device.Handle(request)), "the field common.cid has no value");
}

// CONF-DECODE: the codec's constants are the text's, whatever the profile says.
TEST(ModelDutTest, ACodecFrameHasTheDefaultsOfTheText) {
  ModelDut device;
  ASSERT_TRUE(device.Handle(Reset("codec")).has_done());
  dut::Request request;
  AddNumber("common.opcode", 0xcb, request.mutable_apply()->mutable_encode()->mutable_field());
  const dut::Answer encoded = device.Handle(request);
  ASSERT_EQ(encoded.done().event_size(), 1) << ErrorOf(encoded);
  dut::Request decode;
  decode.mutable_apply()->mutable_decode()->set_frame(encoded.done().event(0).packet().frame());
  const dut::Answer decoded = device.Handle(decode);
  ASSERT_EQ(decoded.done().event_size(), 1) << ErrorOf(decoded);
  uint64_t port = 0;
  for (const dut::Field& field : decoded.done().event(0).fields().field()) {
    if (field.name() == "udp.destination_port") port = field.number();
  }
  EXPECT_EQ(port, 54791u);
}

}  // namespace
}  // namespace metaroce::conformance
