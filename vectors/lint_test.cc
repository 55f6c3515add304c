#include "vectors/lint.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vectors/file.h"
#include "vectors/json.h"
#include "vectors/testing/fake_spec_index.h"

namespace metaroce::vectors {
namespace {

using ::testing::HasSubstr;

std::string Findings(const Vector& vector) {
  return absl::StrJoin(CheckVector(vector, FakeSpecIndex()), "\n",
                       [](std::string* out, const Finding& finding) {
                         absl::StrAppend(out, finding.member, ": ", finding.sentence);
                       });
}

// The findings of a sample in which one text stands for another.
std::string With(const std::string& id, const std::string& old_text, const std::string& new_text) {
  auto text = ReadFile(absl::StrCat("vectors/testdata/", id, ".json"), kMaxVectorBytes);
  EXPECT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr(old_text)) << "the test changes nothing";
  const auto vector = LoadVector(absl::StrReplaceAll(*text, {{old_text, new_text}}), id);
  if (!vector.ok()) return absl::StrCat("unread: ", vector.status().message());
  return Findings(*vector);
}

constexpr char kBlock[] = "ack-first-behind-hole";
constexpr char kCodec[] = "write-codec";
constexpr char kEndpoint[] = "endpoint-accepts";

TEST(LintTest, FindsNothingInTheSamples) {
  for (const char* id : {kBlock, kCodec, kEndpoint}) {
    const auto vector = LoadVectorFile(absl::StrCat("vectors/testdata/", id, ".json"));
    ASSERT_TRUE(vector.ok()) << vector.status();
    EXPECT_EQ(Findings(*vector), "") << id;
  }
}

struct Case {
  const char* id;
  const char* old_text;
  const char* new_text;
  const char* finding;
};

class LintFindingTest : public ::testing::TestWithParam<Case> {};

//= CONF-VECTOR-CHOICE
//# Any other vector accepts every outcome that the text allows.
TEST_P(LintFindingTest, IsFound) {
  const Case& c = GetParam();
  EXPECT_THAT(With(c.id, c.old_text, c.new_text), HasSubstr(c.finding));
}

INSTANTIATE_TEST_SUITE_P(
    Head, LintFindingTest,
    ::testing::Values(
        Case{kBlock, "\"id\": \"ack-first", "\"id\": \"ack--first", "id: \"ack--first"},
        Case{kBlock, "The first packet behind a hole", "bell \\u0007", "control character"},
        Case{kBlock, "\"block\": \"ack-generation\"", "\"block\": \"ack\"", "no block \"ack\""},
        Case{kCodec, "\"level\": \"codec\",", "", "level: The level is none"},
        Case{kCodec, "\"level\": \"codec\"", "\"level\": \"codec\", \"block\": \"x\"",
             "Only a vector of level block"},
        Case{kCodec, "\"provenance\": {\"kind\": \"bug\", ", "\"provenance\": {",
             "provenance.kind: This is missing."},
        Case{kBlock, "[\"ACK-DUE-HOLE\", \"ACK-DUE-COUNT\"]", "[]", "clauses: It names no clause."},
        Case{kBlock, "[\"ACK-DUE-HOLE\", ", "[\"ACK-DUE-HOLES\", ",
             "There is no clause \"ACK-DUE-HOLES\"."},
        Case{kBlock, "[\"ACK-DUE-HOLE\", ", "[\"ACK-DUE-COUNT\", ", "is named twice"},
        Case{kBlock, "[\"LATE_REPAIR\"]", "[\"LATE\"]", "There is no flag \"LATE\"."},
        Case{kBlock, "[\"block-ack-generation\"]", "[\"snapshot\"]",
             "The vector needs \"block-ack-generation\""},
        Case{kCodec, "\"codec-decode\", ", "", "The vector needs \"codec-decode\""},
        Case{kEndpoint, "[\"endpoint-receiver\"]", "[\"snapshot\"]",
             "The vector needs \"endpoint-receiver\""},
        Case{kBlock, "\"parameter\": \"ack_max\"", "\"parameter\": \"ack_min\"",
             "There is no parameter \"ack_min\"."},
        Case{kBlock, "\"relation\": \"<=\"", "\"relation\": \"<\"", "is none of <=, >= and =."},
        Case{kEndpoint, "\"ignore\": [\"completion\"]", "\"ignore\": [\"packets\"]",
             "no kind of event \"packets\""},
        Case{kCodec, "\"steps\": [", "\"ignore\": [\"packet\"], \"steps\": [",
             "Only a vector of level endpoint may leave events"}));

INSTANTIATE_TEST_SUITE_P(
    Records, LintFindingTest,
    ::testing::Values(
        Case{kBlock, "\"config\": {\"base\"", "\"config\": {\"bas\"",
             "record has no field \"bas\""},
        Case{kBlock, "\"base\": 4294967290, \"ack", "\"base\": 4294967296, \"ack",
             "has 32 bits: at most 4294967295."},
        Case{kBlock, "\"kind\": \"data\", \"sequence\": 4294967292", "\"kind\": \"dat\"",
             "\"kind\" is \"dat\", not data or probe."},
        Case{kBlock, "\"sequence\": 4294967292, ", "", "\"sequence\" is missing."},
        Case{kBlock, "\"kind\": \"data\", \"sequence\": 4294967292, ", "", "\"kind\" is missing."},
        Case{kBlock, "\"bitmap\": \"0x0000000000000004\"", "\"bitmap\": \"0x04\"",
             "has 1 bytes, not 0 or 8 or 16 or 32."},
        Case{kBlock, "\"bitmap\": \"0x0000000000000004\"", "\"bitmap\": 4",
             "\"bitmap\" is a number, not data."},
        Case{kCodec, "\"data.csn\": 4294967295", "\"common.pad\": 1", "no field \"common.pad\""},
        Case{kCodec, "\"data.csn\": 4294967295", "\"ack.blocks\": 1", "no field \"ack.blocks\""},
        Case{kCodec, "path_block[0].base", "path_block[4].base", "no field \"path_block[4].base\""},
        Case{kCodec, "path_block[0].base", "path_block[00].base", "no field"},
        Case{kCodec, "path_block[0].base", "path_block[0].bitmap_code", "no field"},
        Case{kCodec, "path_block[0].base", "path_block.base", "no field"},
        Case{kCodec, "\"data.csn\": 4294967295", "\"option[0].type\": 0",
             "An option of type 0 ends the list"},
        Case{kCodec, "\"common.opcode\": 1, \"data", "\"data", "\"common.opcode\" is missing."},
        Case{kEndpoint, "\"ack_every\": 2", "\"ack_max\": 2", "no field \"ack_max\""},
        Case{kEndpoint, "\"ack_every\": 2", "\"wire_version\": 1", "no field \"wire_version\""},
        Case{kEndpoint, "\"memory[0].rights\": 1", "\"memory[0].rights\": 8", "has 3 bits"},
        Case{kEndpoint, "\"post\": {\"kind\": \"receive\"", "\"post\": {\"kind\": \"wrote\"",
             "not receive or write or "},
        Case{kEndpoint, "\"data\": \"0x01\"", "\"data\": \"0x\"", "placement of no bytes"}));

// One member of the endpoint's configuration stands for another.
Case Config(const char* member, const char* finding) {
  return {kEndpoint, "\"ack_every\": 2", member, finding};
}

INSTANTIATE_TEST_SUITE_P(
    Configurations, LintFindingTest,
    ::testing::Values(
        Config("\"ack_every\": 0", "config: \"ack_every\" is 0; it lies between 1 and 128."),
        Case{kBlock, "\"ack_delay_max\": 8000}", "\"ack_every\": 129}",
             "config: \"ack_every\" is 129; it lies between 1 and 128."},
        Config("\"ack_delay_max\": 1000001",
               "\"ack_delay_max\" is 1000001; it lies between 0 and 1000000."),
        Config("\"local.paths\": 0", "\"local.paths\" is 0; it lies between 1 and 255."),
        Config("\"local.range\": 0", "\"local.range\" is 0; it lies between 256 and 65536."),
        Case{kEndpoint, "\"local.mtu\": 1024", "\"local.mtu\": 0",
             "\"local.mtu\" is 0; it lies between 256 and 4096."},
        Case{kEndpoint, "\"local.mtu\": 1024", "\"local.mtu\": 1000",
             "\"local.mtu\" is 1000; it is a power of two."},
        Case{kEndpoint, "\"local.mtu\": 1024", "\"local.mtu\": 512",
             "\"peer.mtu\" is 1024 and \"local.mtu\" is 512; both are the same."},
        Config("\"peer.paths\": 9",
               "\"peer.paths\" is 9 and \"local.paths\" is 8; the peer's is not above."),
        Config("\"peer.hint_unit\": 15",
               "\"peer.hint_unit\" is 15 and \"local.hint_unit\" is 16; the peer's is not below."),
        Config("\"peer.features\": 3",
               "\"peer.features\" is 3 and \"local.features\" is 0; the peer's has no bit"),
        Config("\"peer.cid\": 0", "\"peer.cid\" is 0; it is at least 1."),
        Config("\"peer.credit\": 2147483648",
               "\"peer.credit\" is 2147483648 and \"peer.start_index\" is 0; the difference is at "
               "most 2147483647."),
        Config("\"peer.ip\": \"0x20010db8000000000000000000000001\"",
               "\"local.ip\" has 4 bytes and \"peer.ip\" has 16; both have as many."),
        Config("\"path[254].epoch\": 1",
               "\"path[254].epoch\" is of path 254; \"peer.paths\" is 8, so the last is 7."),
        Case{kEndpoint, "\"memory[0].rkey\": 77,", "",
             "\"memory[0].rkey\" is missing; a region has address, length, rkey, rights."},
        Case{kEndpoint, "\"common.number\": 5}, \"plane\": 1",
             "\"common.number\": 5}, \"plane\": 300",
             "steps[1].arrive: \"plane\" is 300; \"local.planes\" is 2, so the last is 1."},
        Case{kEndpoint, "\"ack.csn\": 0}, \"plane\": 1", "\"ack.csn\": 0}, \"plane\": 2",
             "steps[3].expect.packet: \"plane\" is 2; \"peer.planes\" is 2, so the last is 1."}));

INSTANTIATE_TEST_SUITE_P(
    Steps, LintFindingTest,
    ::testing::Values(
        Case{kBlock, "\"at\": 20000", "\"at\": 5000", "The time 5000 comes before 5060"},
        Case{kBlock, "\"advance\": true", "\"advance\": false", "An advance is true or not there."},
        Case{kBlock, "{\"expect\": {\"nothing\": \"ack_delay_max\"}}",
             "{\"at\": 20000, \"apply\": {\"kind\": \"probe\"}}",
             "The time 20000 comes before 20001, the first after the advance."},
        Case{kBlock, "\"count\": 7", "\"count\": 1", "The count 1 is not between 2 and 512."},
        Case{kBlock, "\"count\": 7", "\"count\": 513", "The count 513 is not between 2 and 512."},
        Case{kBlock, "\"by\": {\"sequence\": 1", "\"by\": {\"base\": 1",
             "The step gives no number \"base\" to start from."},
        Case{kBlock, "\"by\": {\"sequence\": 1", "\"by\": {\"kind\": 1", "no number \"kind\""},
        Case{kBlock, "\"by\": {\"sequence\": 1", "\"by\": {\"sequence\": \"one\"",
             "grows by something that is no number"},
        Case{kBlock, "\"after\": 7999", "\"after\": \"ack_every\"", "is not in nanoseconds"},
        Case{kBlock, "\"nothing\": \"ack_delay_max\"", "\"nothing\": \"never\"",
             "There is no parameter \"never\"."},
        Case{kBlock, "{\"expect\": {\"nothing\": \"ack_delay_max\"}}",
             "{\"expect\": {\"nothing\": 5, \"within\": 6}}", "has its own bound"},
        Case{kBlock, "\"choice\": \"ack-moment\"", "\"choice\": \"ack-momen\"",
             "There is no choice \"ack-momen\"."},
        Case{kBlock, "{\"includes\": {\"arrivals\": 7}},", "", "There are 1 outcomes"},
        Case{kBlock, "{\"includes\": {\"arrivals\": 7}}", "{\"nothing\": 5}",
             "Nothing cannot be expected here."},
        Case{kBlock, "\"clause\": \"ACK-DUE-COUNT\"", "\"clause\": \"ACK-VECTOR\"",
             "is none of the vector's"},
        Case{kBlock, "\"note\": \"opens", "\"clause\": \"ACK-DUE-HOLE\", \"note\": \"opens",
             "Only an expectation names a clause."},
        Case{kCodec, "{\"decode\": \"0x00\"}", "{\"at\": 0, \"decode\": \"0x00\"}",
             "This level or block has no time."},
        Case{kCodec, "{\"decode\": \"0x00\"},", "", "is followed by 2 expectations"},
        Case{kCodec, "\"reject\": \"length-short\"", "\"reject\": \"rkey\"",
             "\"rkey\" is no reason of a check on the bytes alone."},
        Case{kCodec, "{\"packet\": {\"frame\": \"0x0200\"}}", "{\"reject\": \"icrc\"}",
             "Only a decode is rejected."},
        Case{kCodec, "{\"packet\": {\"frame\": \"0x0200\"}}", "{}", "The expectation is empty."},
        Case{kCodec, "{\"packet\": {\"frame\": \"0x0200\"}}", "{\"packet\": {}}",
             "The packet is empty."},
        Case{kCodec, "{\"packet\": {\"frame\": \"0x0200\"}}", "{\"nothing\": 0}",
             "Nothing cannot be expected here."},
        Case{kEndpoint, "{\"fields\": {\"common.opcode\": 1,",
             "{\"includes\": {\"common.opcode\": 1,", "given by `frame` or `fields`"},
        Case{kEndpoint, "{\"at\": 9000, \"arrive\": {\"frame\": \"0x0102\"}}",
             "{\"at\": 9000, \"decode\": \"0x0102\"}", "does not belong to this level"}));

TEST(LintTest, RefusesAVectorWithoutStepsWithoutExpectationOrWithTooMany) {
  Vector vector = *LoadVectorFile("vectors/testdata/endpoint-accepts.json");
  Vector none = vector;
  none.clear_steps();
  EXPECT_THAT(Findings(none), HasSubstr("steps: There is no step."));
  Vector late = vector;
  late.mutable_steps()->SwapElements(0, 2);
  EXPECT_THAT(Findings(late), HasSubstr("steps[0]: No stimulus comes before this expectation."));
  Vector many = vector;
  while (many.steps_size() <= kMaxSteps) *many.add_steps() = vector.steps(0);
  EXPECT_THAT(Findings(many), HasSubstr("There are 201 steps; at most 200."));
  Vector mute = vector;
  mute.clear_steps();
  *mute.add_steps() = vector.steps(0);
  EXPECT_THAT(Findings(mute), HasSubstr("There is no expectation."));
}

TEST(LintTest, AnEmptyMessageHasFindingsAndNoCrash) {
  EXPECT_THAT(Findings(Vector()), HasSubstr("id: "));
  Vector vector;
  vector.add_steps();
  vector.add_steps()->mutable_expect()->mutable_one_of();
  vector.add_steps()->mutable_expect()->mutable_within();
  vector.mutable_config()->add_field();
  EXPECT_THAT(Findings(vector), HasSubstr("neither a stimulus nor an expectation"));
}

}  // namespace
}  // namespace metaroce::vectors
