// Each kind of divergence as a person reads it, held against golden files.
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/golden_for_test.h"
#include "conformance/play/compare.h"
#include "conformance/play/testing.h"
#include "conformance/report/report.h"
#include "conformance/runner/replay.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vectors/json.h"
#include "vectors/lint.h"
#include "vectors/testing/fake_spec_index.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using Events = std::vector<dut::Event>;

dut::Event Record(uint64_t at, const std::string& json) {
  dut::Event event;
  event.set_at_ns(at);
  event.mutable_fields();
  const auto vector = vectors::LoadVector(absl::StrCat("{\"config\": ", json, "}"), "test");
  EXPECT_TRUE(vector.ok()) << vector.status();
  ToDut(vector->config(), event.mutable_fields()->mutable_field());
  return event;
}

dut::Event Packet(uint64_t at, const std::string& frame, uint32_t plane = 0) {
  dut::Event event;
  event.set_at_ns(at);
  event.mutable_packet()->set_frame(frame);
  event.mutable_packet()->set_plane(plane);
  return event;
}

dut::Event Completion(uint64_t at, const std::string& json) {
  dut::Event event = Record(at, json);
  const auto fields = event.fields().field();
  *event.mutable_completion()->mutable_field() = fields;
  return event;
}

dut::Event Placement(uint64_t at, uint64_t address, const std::string& data) {
  dut::Event event;
  event.set_at_ns(at);
  event.mutable_placement()->set_address(address);
  event.mutable_placement()->set_data(data);
  return event;
}

// A vector of the level, with the members given as JSON.
vectors::Vector MakeVector(const std::string& level, const std::string& steps) {
  std::string capability = "endpoint-receiver";
  std::string block;
  std::string clauses = "\"CHECK-ACCEPT\", \"ACK-DUE-COUNT\"";
  if (level == "codec") {
    capability = "codec-decode\", \"codec-encode";
    clauses = "\"WIRE-WRITE\"";
  } else if (level == "ack-generation" || level == "receive-vector") {
    capability = absl::StrCat("block-", level);
    block = absl::StrCat(", \"block\": \"", level, "\"");
    clauses = "\"ACK-DUE-HOLE\", \"ACK-DUE-COUNT\"";
  }
  const std::string json = absl::StrCat(
      "{\"id\": \"sample\", \"title\": \"A sample\", \"level\": \"",
      block.empty() ? level : "block", "\"", block, ", \"clauses\": [", clauses,
      "], \"capabilities\": [\"", capability,
      "\"], \"flags\": [\"FIELD_PLACE\"], \"provenance\": {\"kind\": \"spec\", \"note\": \"n\"}, "
      "\"steps\": [",
      steps, "]}");
  const auto vector = vectors::LoadVector(json, "sample");
  EXPECT_TRUE(vector.ok()) << vector.status() << json;
  const vectors::FakeSpecIndex index;
  for (const vectors::Finding& finding : vectors::CheckVector(*vector, index)) {
    ADD_FAILURE() << vectors::ToString("sample", finding);
  }
  return *vector;
}

const std::vector<std::string>& AllCapabilities() {
  static const auto* const kAll =
      new std::vector<std::string>{"codec-decode", "codec-encode", "block-receive-vector",
                                   "block-ack-generation", "endpoint-receiver"};
  return *kAll;
}

std::string Play(const vectors::Vector& vector, ScriptedHandler& handler) {
  vectors::Tree tree;
  tree.vectors.push_back({"sample.json", "", vector, {}});
  InProcessDut dut(handler);
  const vectors::FakeSpecIndex index;
  const LineCodec codec;
  const auto report = Replay(tree, index, &codec, dut, ReplayOptions());
  EXPECT_TRUE(report.ok()) << report.status();
  PrintOptions options;
  options.replay_command = "metaroce replay --dut ./mine";
  const VectorResult& result = report->results[0];
  if (result.verdict == Verdict::kPass) return "PASS\n";
  if (result.verdict == Verdict::kUnsupported)
    return absl::StrCat("UNSUPPORTED ", result.text, "\n");
  return FormatResult(result, options);
}

std::string Play(const vectors::Vector& vector, const ScriptedHandler::Script& script,
                 const std::vector<std::string>& capabilities = AllCapabilities()) {
  ScriptedHandler handler(capabilities, script);
  return Play(vector, handler);
}

// Gives the events to the n-th request that is Apply or Advance, nothing to the others.
ScriptedHandler::Script Give(std::vector<Events> events) {
  return [events, n = size_t{0}](const dut::Request&, dut::Answer& answer) mutable {
    if (n < events.size()) {
      for (const dut::Event& event : events[n]) *answer.mutable_done()->add_event() = event;
    }
    ++n;
  };
}

ScriptedHandler::Script Reject(const std::string& code) {
  return
      [code](const dut::Request&, dut::Answer& answer) { answer.mutable_reject()->set_code(code); };
}

struct Scenario {
  std::string name;
  std::function<std::string()> run;
};

std::vector<Scenario> CodecScenarios() {
  const std::string decode =
      "{\"decode\": \"0x0102\", \"note\": \"address + length wraps\"}, {\"expect\": {\"fields\": "
      "{\"common.opcode\": 1, \"data.csn\": 4294967295, \"payload\": \"0x0102\"}}}";
  const auto fields = [=](const std::string& json) {
    return Play(MakeVector("codec", decode), Give({{Record(0, json)}}));
  };
  const std::string bytes(64, 'x');
  std::string other = bytes;
  other[50] = 'y';
  return {
      {"a field differs",
       [=] {
         return fields("{\"common.opcode\": 1, \"data.csn\": 4278190080, \"payload\": \"0x0102\"}");
       }},
      {"several fields differ",
       [=] { return fields("{\"common.opcode\": 2, \"data.csn\": 0, \"payload\": \"0x\"}"); }},
      {"a field is missing",
       [=] { return fields("{\"common.opcode\": 1, \"payload\": \"0x0102\"}"); }},
      {"a field is of another kind",
       [=] {
         return fields("{\"common.opcode\": 1, \"data.csn\": 4294967295, \"payload\": 258}");
       }},
      {"a field too many",
       [=] {
         return fields(
             "{\"common.opcode\": 1, \"data.csn\": 4294967295, \"payload\": \"0x0102\", \"x\": 1}");
       }},
      {"long data differs far behind",
       [=] {
         return Play(
             MakeVector("codec", absl::StrCat("{\"decode\": \"0x01\"}, {\"expect\": "
                                              "{\"fields\": {\"payload\": \"",
                                              vectors::Hex(bytes), "\"}}}")),
             Give({{Record(0, absl::StrCat("{\"payload\": \"", vectors::Hex(other), "\"}"))}}));
       }},
      {"a rejection where fields belong",
       [=] { return Play(MakeVector("codec", decode), Reject("icrc")); }},
      {"fields where a rejection belongs",
       [=] {
         return Play(
             MakeVector("codec", "{\"decode\": \"0x01\"}, {\"expect\": {\"reject\": \"icrc\"}}"),
             Give({{Record(0, "{\"common.opcode\": 1, \"data.csn\": 7}")}}));
       }},
      {"another reason",
       [=] {
         return Play(
             MakeVector("codec", "{\"decode\": \"0x01\"}, {\"expect\": {\"reject\": \"icrc\"}}"),
             Reject("length-short"));
       }},
      {"a byte of a packet differs",
       [=] {
         return Play(
             MakeVector(
                 "codec",
                 "{\"encode\": {\"common.opcode\": 1}}, {\"expect\": {\"packet\": {\"frame\": "
                 "\"0x000102030405060708090a0b0c0d0e0f\"}}}"),
             Give({{Packet(
                 0, std::string("\0\1\2\3\4\5\6\x80\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f", 16))}}));
       }},
      {"a packet is too short",
       [=] {
         return Play(MakeVector("codec",
                                "{\"encode\": {\"common.opcode\": 1}}, {\"expect\": {\"packet\": "
                                "{\"frame\": \"0x00010203\"}}}"),
                     Give({{Packet(0, std::string("\0\1\2", 3))}}));
       }},
      {"no event where one belongs", [=] { return Play(MakeVector("codec", decode), Give({})); }},
      {"two events where one belongs",
       [=] {
         return Play(MakeVector("codec", decode), Give({{Record(0, "{}"), Record(0, "{}")}}));
       }},
      {"a met expectation",
       [=] {
         return fields("{\"payload\": \"0x0102\", \"common.opcode\": 1, \"data.csn\": 4294967295}");
       }},
      {"a capability it lacks",
       [=] { return Play(MakeVector("codec", decode), Give({}), {"codec-encode"}); }},
  };
}

constexpr char kHole[] =
    "{\"at\": 100, \"apply\": {\"kind\": \"data\", \"sequence\": 15}, \"note\": \"opens hole "
    "0x0c..0x0e\"}, {\"expect\": {\"includes\": {\"base\": 12, \"bitmap\": "
    "\"0x0000000000000008\"}, "
    "\"within\": \"ack_max\"}}";
constexpr char kGood[] = "{\"base\": 12, \"bitmap\": \"0x0000000000000008\", \"hold\": 0}";
constexpr char kBad[] = "{\"base\": 12, \"bitmap\": \"0x0000000000000004\", \"hold\": 0}";

std::vector<Scenario> TimeScenarios() {
  const auto hole = [](std::vector<Events> events) {
    return Play(MakeVector("ack-generation", kHole), Give(std::move(events)));
  };
  const std::string nothing =
      "{\"apply\": {\"kind\": \"data\", \"sequence\": 0}}, {\"expect\": {\"nothing\": "
      "\"ack_delay_max\"}, \"clause\": \"ACK-DUE-COUNT\"}";
  const std::string exact =
      "{\"apply\": {\"kind\": \"data\", \"sequence\": 0}}, {\"expect\": {\"includes\": {\"base\": "
      "1}, "
      "\"after\": 8000}, \"clause\": \"ACK-DUE-COUNT\"}";
  const std::string choice =
      "{\"apply\": {\"kind\": \"probe\"}}, {\"expect\": {\"one_of\": {\"choice\": \"ack-moment\", "
      "\"outcomes\": [{\"includes\": {\"base\": 9, \"arrivals\": 7}}, {\"includes\": {\"base\": 1, "
      "\"arrivals\": 8}}]}}}";
  const std::string burst =
      "{\"apply\": {\"kind\": \"data\", \"sequence\": 4294967295}, \"repeat\": {\"count\": 3, "
      "\"every\": 10, \"by\": {\"sequence\": 1}}}, {\"expect\": {\"includes\": {\"base\": 0}}, "
      "\"repeat\": {\"count\": 3, \"every\": 10, \"by\": {\"base\": 1}}}";
  return {
      {"in time", [=] { return hole({{Record(100, kGood)}}); }},
      {"in time, when time passes",
       [=] {
         return hole({{}, {Record(1100, kGood)}});
       }},
      {"in time, with the wrong contents", [=] { return hole({{Record(100, kBad)}}); }},
      {"never", [=] { return hole({}); }},
      {"too late",
       [=] {
         return Play(
             MakeVector(
                 "ack-generation",
                 absl::StrCat(
                     kHole, ", {\"at\": 9000, \"advance\": true}, {\"expect\": {\"nothing\": 5}}")),
             Give({{}, {Record(8000, kGood)}}));
       }},
      {"too late, and with the wrong contents",
       [=] {
         return Play(
             MakeVector(
                 "ack-generation",
                 absl::StrCat(
                     kHole, ", {\"at\": 9000, \"advance\": true}, {\"expect\": {\"nothing\": 5}}")),
             Give({{}, {Record(8000, kBad)}}));
       }},
      {"too early",
       [=] {
         return Play(MakeVector("ack-generation", exact),
                     Give({{}, {Record(7999, "{\"base\": 1}")}}));
       }},
      {"exactly when due",
       [=] {
         return Play(MakeVector("ack-generation", exact),
                     Give({{}, {Record(8000, "{\"base\": 1}")}}));
       }},
      {"something where nothing belongs",
       [=] {
         return Play(MakeVector("ack-generation", nothing), Give({{}, {Record(8000, kGood)}}));
       }},
      {"nothing where nothing belongs",
       [=] { return Play(MakeVector("ack-generation", nothing), Give({})); }},
      {"one event more than expected",
       [=] {
         return hole({{Record(100, kGood), Record(100, kGood)}});
       }},
      {"none of the legal outcomes",
       [=] {
         return Play(MakeVector("ack-generation", choice),
                     Give({{Record(0, "{\"base\": 1, \"arrivals\": 6}")}}));
       }},
      {"the second legal outcome",
       [=] {
         return Play(MakeVector("ack-generation", choice),
                     Give({{Record(0, "{\"base\": 1, \"arrivals\": 8}")}}));
       }},
      {"the third of a burst differs",
       [=] {
         return Play(MakeVector("ack-generation", burst), Give({{Record(0, "{\"base\": 0}")},
                                                                {Record(10, "{\"base\": 1}")},
                                                                {Record(20, "{\"base\": 1}")}}));
       }},
      {"the state of a device that shows it",
       [=] {
         return Play(MakeVector("ack-generation", kHole), Give({{Record(100, kBad)}}),
                     {"block-ack-generation", "snapshot"});
       }},
      {"the state of a device that has nothing to show",
       [=] {
         ScriptedHandler handler({"block-ack-generation", "snapshot"}, Give({{Record(100, kBad)}}));
         handler.empty_snapshot = true;
         return Play(MakeVector("ack-generation", kHole), handler);
       }},
  };
}

std::vector<Scenario> EndpointScenarios() {
  const std::string arrive =
      "{\"arrive\": {\"fields\": {\"common.opcode\": 1, \"data.csn\": 5}}}, {\"expect\": "
      "{\"placement\": {\"address\": 65536, \"data\": \"0x0102\"}}}, {\"expect\": {\"packet\": "
      "{\"includes\": {\"common.opcode\": 65, \"ack.csn\": 6}}, \"within\": 1000}}";
  const auto with = [=](Events events) {
    return Play(MakeVector("endpoint", arrive), Give({std::move(events)}));
  };
  const std::string taken =
      "{\"post\": {\"kind\": \"receive\"}}, {\"expect\": {\"packet\": {\"includes\": {\"ack.csn\": "
      "\"$csn\"}}, \"within\": 1000}}, {\"at\": 10, \"arrive\": {\"fields\": {\"common.opcode\": "
      "65, "
      "\"ack.csn\": \"$csn\"}}}, {\"expect\": {\"packet\": {\"includes\": {\"ack.csn\": "
      "\"$csn\"}}}}";
  const std::string completion =
      "{\"post\": {\"kind\": \"receive\", \"id\": 1}}, {\"expect\": {\"completion\": {\"kind\": "
      "\"receive\", \"status\": \"success\"}}}";
  return {
      {"a named field of a packet differs",
       [=] {
         return with({Placement(0, 65536, "\1\2"), Packet(0, "common.opcode=65\nack.csn=5\n")});
       }},
      {"a named field of a packet is missing",
       [=] {
         return with({Placement(0, 65536, "\1\2"), Packet(0, "common.opcode=65\n")});
       }},
      {"a packet that its receiver would refuse",
       [=] {
         return with({Placement(0, 65536, "\1\2"), Packet(0, "rubbish")});
       }},
      {"a packet on another plane",
       [=] {
         return with({Placement(0, 65536, "\1\2"), Packet(0, "common.opcode=65\nack.csn=6\n", 1)});
       }},
      {"a placement elsewhere", [=] { return with({Placement(0, 65538, "\1\2")}); }},
      {"a packet where a placement belongs",
       [=] { return with({Packet(0, "common.opcode=65\nack.csn=6\n")}); }},
      {"all as expected",
       [=] {
         return with({Placement(0, 65536, "\1\2"), Packet(0, "common.opcode=65\nack.csn=6\n")});
       }},
      {"another completion",
       [=] {
         return Play(MakeVector("endpoint", completion),
                     Give({{Completion(0, "{\"kind\": \"receive\", \"status\": \"flushed\"}")}}));
       }},
      {"two fields of a packet differ",
       [=] {
         return with({Placement(0, 65536, "\1\2"), Packet(0, "common.opcode=66\nack.csn=5\n")});
       }},
      {"no completion", [=] { return Play(MakeVector("endpoint", completion), Give({{}})); }},
      {"a completion that nobody expects",
       [=] {
         return Play(MakeVector("endpoint",
                                "{\"post\": {\"kind\": \"receive\"}}, {\"expect\": "
                                "{\"nothing\": 5}}"),
                     Give({{Completion(0, "{\"kind\": \"receive\"}")}}));
       }},
      {"none of several outcomes in time",
       [=] {
         return Play(MakeVector("endpoint",
                                "{\"post\": {\"kind\": \"receive\"}}, {\"expect\": {\"one_of\": "
                                "{\"outcomes\": [{\"completion\": {\"kind\": \"work\"}}, "
                                "{\"completion\": {\"kind\": \"ended\"}}]}}}"),
                     Give({{}}));
       }},
      {"another number than the one taken over",
       [=] {
         return Play(MakeVector("endpoint", taken),
                     Give({{Packet(0, "ack.csn=6\n")}, {Packet(10, "ack.csn=7\n")}}));
       }},
      {"a number that is not there when it is needed",
       [=] { return Play(MakeVector("endpoint", taken), Give({})); }},
  };
}

std::vector<Scenario> ContractScenarios() {
  const auto hole = [](const ScriptedHandler::Script& script) {
    return Play(MakeVector("ack-generation", kHole), script);
  };
  // A device that answers a Reset with this configuration by Unsupported.
  const auto refuses = [](const std::string& config, const std::string& capability) {
    vectors::Vector vector = MakeVector("ack-generation", kHole);
    const auto with = vectors::LoadVector(absl::StrCat("{\"config\": ", config, "}"), "config");
    *vector.mutable_config() = with->config();
    ScriptedHandler handler(AllCapabilities(), Give({}));
    handler.reset = [=](const dut::Request&, dut::Answer& answer) {
      answer.mutable_unsupported()->set_capability(capability);
    };
    return Play(vector, handler);
  };
  return {
      {"an event in the answer to a Reset",
       [=] {
         ScriptedHandler handler(AllCapabilities(), Give({}));
         handler.reset = [](const dut::Request&, dut::Answer& answer) {
           *answer.mutable_done()->add_event() = Record(0, kGood);
         };
         return Play(MakeVector("ack-generation", kHole), handler);
       }},
      {"Error",
       [=] {
         return hole([](const dut::Request&, dut::Answer& answer) {
           answer.mutable_error()->set_text("no such\nblock");
         });
       }},
      {"Reject where it cannot be", [=] { return hole(Reject("icrc")); }},
      {"Unsupported to an Apply",
       [=] {
         return hole([](const dut::Request&, dut::Answer& answer) {
           answer.mutable_unsupported()->set_capability("constants");
         });
       }},
      {"Unsupported to an Apply, of what the text does not know",
       [=] {
         return hole([](const dut::Request&, dut::Answer& answer) {
           answer.mutable_unsupported()->set_capability("time\x1btravel");
         });
       }},
      {"Unsupported to a Reset, of what was declared",
       [=] { return refuses("{}", "block-ack-generation"); }},
      {"Unsupported to a Reset, of what the text does not know",
       [=] { return refuses("{}", "time-travel"); }},
      {"Unsupported to a Reset that sets no constant",
       [=] { return refuses("{\"base\": 4}", "constants"); }},
      {"Unsupported to a Reset that sets a constant",
       [=] { return refuses("{\"ack_every\": 4}", "constants"); }},
      {"an event in the future", [=] { return hole(Give({{Record(101, kGood)}})); }},
      {"an event before the last request",
       [=] {
         return hole(Give({{}, {Record(99, kGood)}}));
       }},
      {"a field twice",
       [=] {
         return hole([](const dut::Request&, dut::Answer& answer) {
           dut::Event event = Record(100, kGood);
           *event.mutable_fields()->add_field() = event.fields().field(0);
           *answer.mutable_done()->add_event() = event;
         });
       }},
      {"an event of no kind",
       [=] {
         return hole([](const dut::Request&, dut::Answer& answer) {
           answer.mutable_done()->add_event()->set_at_ns(100);
         });
       }},
  };
}

void ExpectGolden(const std::string& name, const std::string& text) {
  metaroce::ExpectGolden(absl::StrCat("conformance/report/testdata/golden/", name), text);
}

void ExpectGoldenScenarios(const std::string& name, const std::vector<Scenario>& scenarios) {
  std::string text;
  for (const Scenario& scenario : scenarios) {
    absl::StrAppend(&text, "=== ", scenario.name, "\n", scenario.run());
  }
  ExpectGolden(name, text);
}

TEST(DivergenceTest, CodecDivergencesReadAsInTheGoldenFile) {
  ExpectGoldenScenarios("codec.txt", CodecScenarios());
}
TEST(DivergenceTest, DivergencesInTimeReadAsInTheGoldenFile) {
  ExpectGoldenScenarios("time.txt", TimeScenarios());
}
TEST(DivergenceTest, EndpointDivergencesReadAsInTheGoldenFile) {
  ExpectGoldenScenarios("endpoint.txt", EndpointScenarios());
}
TEST(DivergenceTest, BreachesOfTheContractReadAsInTheGoldenFile) {
  ExpectGoldenScenarios("contract.txt", ContractScenarios());
}

}  // namespace
}  // namespace metaroce::conformance
