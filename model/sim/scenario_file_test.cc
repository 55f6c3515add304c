// What is refused, and how.
#include "model/sim/scenario_file.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace metaroce::sim {
namespace {

constexpr char kSmall[] = "workload { } ";

// What is said about a text, "" if nothing is.
std::string Refusal(const std::string& text) {
  const absl::StatusOr<Scenario> scenario = ParseScenario("x.textproto", text);
  if (!scenario.ok()) return std::string(scenario.status().message());
  return std::string(CheckScenario(*scenario).message());
}

TEST(ScenarioFileTest, TheSmallestScenarioIsOneWorkload) { EXPECT_EQ(Refusal(kSmall), ""); }

TEST(ScenarioFileTest, WhatIsNoTextprotoIsRefusedWithItsPlace) {
  EXPECT_EQ(Refusal("workload { }\nfabric { leafs: 4 }"),
            "x.textproto:2:15: Message type \"metaroce.sim.Fabric\" has no field named \"leafs\".");
  EXPECT_EQ(Refusal("seed: 1 '\x1b[31m'"), "x.textproto:1:9: Expected identifier, got: '?[31m'.");
  EXPECT_EQ(Refusal(std::string(1000, 'x') + ": 1"),
            "x.textproto:1:1001: Message type \"metaroce.sim.Scenario\" has no field named \"" +
                std::string(143, 'x') + "...");
  EXPECT_EQ(Refusal("fabric {"), "x.textproto:1:9: Expected identifier, got: .");
}

// With the field, its value and what it may be, which the parser of textproto does not say.
TEST(ScenarioFileTest, AValueThatIsNoneOfItsFieldIsRefused) {
  const struct {
    const char* text;
    const char* said;
  } kCases[] = {
      {"end_ns: -1", "1:9: end_ns is -1; it must be a whole number between 1 and 100000000000 ns."},
      {"fabric { hosts: many }",
       "1:17: fabric.hosts is many; it must be a whole number between 2 and 4096 hosts."},
      {"fabric { hosts: 4294967296 }",
       "1:17: fabric.hosts is 4294967296; it must be a whole number between 2 and 4096 hosts."},
      {"seed: 1 # one\n\n  end_ns: 1.5",
       "3:11: end_ns is 1.5; it must be a whole number between 1 and 100000000000 ns."},
      {"workload { }, workload { bytes: 9; depth: 'x' 'y' }",
       "1:43: workload[1].depth is \\'x\\'; it must be a whole number between 1 and 65535 "
       "messages."},
      {"fault { nth: [1, 2, 3] nth: 4 nth: - 5 }",
       "1:36: fault[0].nth[4] is -5; it must be a whole number between 1 and 1000000000000 "
       "packets."},
      {"fault { nth: [] nth: [1, x] }",
       "1:26: fault[0].nth[1] is x; it must be a whole number between 1 and 1000000000000 "
       "packets."},
      {"workload { pattern: STAR }",
       "1:21: workload[0].pattern is STAR; it must be one of PAIR, INCAST, PERMUTATION, "
       "ALL_TO_ALL, "
       "RING."},
      {"workload { kind: [SEND, 9] }",
       "1:25: workload[0].kind[1] is 9; it must be one of WRITE, WRITE_WITH_IMMEDIATE, SEND, "
       "READ."},
      {"endpoint { constant { name: 'a' 'b' } hint: 7 }",
       "1:45: endpoint.hint is 7; it must be true or false."},
      {"endpoint < hint: maybe >", "1:18: endpoint.hint is maybe; it must be true or false."},
      {"title: 5", "1:8: title is 5; it must be a text in quotes."},
      {"fabric { hosts: }",
       "1:17: The value of fabric.hosts is missing; it must be a whole number between 2 and 4096 "
       "hosts."},
      {"seed:",
       "1:6: The value of seed is missing; it must be a whole number between 1 and 4294967295."},
      {"endpoint { constant { value: 18446744073709551616 } }",
       "1:30: endpoint.constant[0].value is 18446744073709551616; it must be a whole number "
       "between "
       "0 and 18446744073709551615."},
  };
  for (const auto& c : kCases) EXPECT_EQ(Refusal(c.text), std::string("x.textproto:") + c.said);
  EXPECT_EQ(Refusal("seed: " + std::string(100000, 'x')),
            "x.textproto:1:7: seed is " + std::string(60, 'x') +
                "...; it must be a whole number between 1 and 4294967295.");
}

TEST(ScenarioFileTest, AByteOrderMarkIsNoPartOfTheText) {
  EXPECT_EQ(Refusal(std::string("\xEF\xBB\xBF") + kSmall), "");
  EXPECT_EQ(Refusal("\xEF\xBB\xBFseed: x"),
            "x.textproto:1:7: seed is x; it must be a whole number between 1 and 4294967295.");
}

TEST(ScenarioFileTest, NothingIsWithoutABound) {
  std::string many = kSmall;
  for (int i = 0; i < 1001; ++i) many += "fault { kind: RATE } ";
  EXPECT_EQ(Refusal(many), "fault is there 1001 times; it may be there at most 1000 times.");
  many = "fabric { hosts: 4096 spines: 16 hosts_per_leaf: 64 }";
  for (int i = 0; i < 1000; ++i) many += "fault { kind: RATE } ";
  EXPECT_EQ(Refusal(many + kSmall),
            "fault[409]: all faults up to it strike 4198400 links, each counted for itself, and "
            "may strike at most 4194304.");
  many.clear();
  for (int i = 0; i < 1001; ++i) many += kSmall;
  EXPECT_EQ(Refusal(many), "workload is there 1001 times; it may be there at most 1000 times.");
  many = kSmall;
  for (int i = 0; i < 101; ++i) many += "short_form: 'seed=1' ";
  EXPECT_EQ(Refusal(many), "short_form is there 101 times; it may be there at most 100 times.");
  EXPECT_EQ(Refusal(kSmall + ("title: '" + std::string(200, 'x') + "'")), "");
  EXPECT_EQ(Refusal(kSmall + ("title: '" + std::string(201, 'x') + "'")),
            "title has 201 bytes; it may have at most 200.");
}

// Each class of links with each way to choose among them.
TEST(ScenarioFileTest, AFaultThatStrikesNoLinkIsRefused) {
  const std::string fabric =
      "workload { } fabric { hosts: 4 hosts_per_leaf: 2 spines: 3 planes: 2 }";
  for (const char* where :
       {"", "link: HOST_UP host: 3", "link: LEAF_UP spine: 2", "leaf: 1", "host: 3 leaf: 1",
        "link: HOST_DOWN leaf: 0 plane: 1", "link: HOST_UP link: LEAF_UP spine: 0 leaf: 1"}) {
    EXPECT_EQ(Refusal(fabric + "fault { kind: DOWN " + where + " }"), "") << where;
  }
  const std::string why =
      "; links of hosts have no spine, those between leaf and spine no host, and there are ";
  EXPECT_EQ(Refusal(fabric + "fault { kind: DOWN link: HOST_UP spine: 1 }"),
            "fault[0] strikes no link: none fits link HOST_UP, spine 1" + why + "3 spines.");
  EXPECT_EQ(Refusal(fabric + "fault { ppm: 1 host: 1 spine: 1 }"),
            "fault[0] strikes no link: none fits host 1, spine 1" + why + "3 spines.");
  EXPECT_EQ(Refusal(fabric + "fault { ppm: 1 host: 1 leaf: 1 plane: 0 }"),
            "fault[0] strikes no link: none fits plane 0, host 1, leaf 1" + why + "3 spines.");
  EXPECT_EQ(Refusal(fabric + "fault { ppm: 1 link: LEAF_DOWN link: LEAF_UP host: 1 }"),
            "fault[0] strikes no link: none fits link LEAF_UP, link LEAF_DOWN, host 1" + why +
                "3 spines.");
  EXPECT_EQ(Refusal("workload { } fabric { hosts_per_leaf: 2 spines: 0 } fault { ppm: 1 link: "
                    "LEAF_UP }"),
            "fault[0] strikes no link: none fits link LEAF_UP" + why + "0 spines.");
}

TEST(ScenarioFileTest, WhatWouldBeIgnoredIsRefused) {
  const struct {
    const char* text;
    const char* said;
  } kCases[] = {
      {"workload { senders: 1 }",
       "workload[0].senders is there; it belongs to INCAST, not to PAIR."},
      {"workload { pattern: PERMUTATION from: 0 }",
       "workload[0].from is there; it belongs to PAIR, not to PERMUTATION."},
      {"workload { pattern: RING to: 1 }",
       "workload[0].to is there; it belongs to PAIR and INCAST, not to RING."},
      {"workload { pattern: ALL_TO_ALL senders: 2 }",
       "workload[0].senders is there; it belongs to INCAST, not to ALL_TO_ALL."},
      {"workload { pattern: INCAST from: 0 }",
       "workload[0].from is there; it belongs to PAIR, not to INCAST."},
      {"workload { start_ns: 50000 } end_ns: 50000",
       "workload[0].start_ns is 50000; it must be below end_ns, which is 50000."},
      {"workload { } fault { kind: DOWN packet: DATA }",
       "fault[0] chooses packets; DOWN strikes all."},
      {"workload { } fault { kind: DOWN silent: true converge_ns: 5 }",
       "fault[0].converge_ns is 5; nobody learns of a fault that is silent."},
      {"workload { } fault { pattern: '000' }",
       "fault[0].pattern is \"000\"; it must be at most 65536 digits 0 and 1, one of them a 1."},
      {"workload { } fabric { host_link { ramp_ppm: 5 } }",
       "fabric.host_link.ramp_ppm is 5; it belongs to a ramp, and ramp_bytes is 0."},
      {"workload { } fabric { spine_link { limit_bytes: 299999 } }",
       "fabric.spine_link.mark_bytes is 300000; it must be at most limit_bytes, which is 299999: "
       "no "
       "queue gets longer."},
      {"workload { } expect { recover_ppm: 5 }",
       "expect.recover_ppm is there; it belongs to recover_max_ns, which is not."},
      {"workload { } fault { kind: DOWN from_ns: 70000 } fault { kind: DOWN from_ns: 60000 } "
       "end_ns: 60000 expect { recover_max_ns: 5 }",
       "fault[1].from_ns is 60000; expect.recover_max_ns counts from it, so it must be below "
       "end_ns, "
       "which is 60000."},
      {"workload { } endpoint { hint: false } expect { hint_max_ns: 5 }",
       "expect.hint_max_ns is there; endpoint.hint is false, so there are no hints."},
      {"workload { } endpoint { constant { name: 'paths' } }",
       "endpoint.constant[0].value is missing."},
      {"workload { } endpoint { constant { value: 2 } }", "endpoint.constant[0].name is missing."},
      {"workload { } short_form: 'seed=2' short_form: 'fabric.leafs=2'",
       "short_form[1]: \"fabric.leafs=2\": there is no field \"leafs\" in Fabric."},
      {"workload { } short_form: 'seed=0'",
       "short_form: seed is 0; it must be between 1 and 4294967295."},
  };
  for (const auto& c : kCases) EXPECT_EQ(Refusal(c.text), c.said);
}

TEST(ScenarioFileTest, ANumberOutOfItsRangeIsRefusedWithFieldValueAndBounds) {
  EXPECT_EQ(Refusal("workload { } fabric { hosts: 1 }"),
            "fabric.hosts is 1; it must be between 2 and 4096 hosts.");
  EXPECT_EQ(Refusal("workload { bytes: 0 }"),
            "workload[0].bytes is 0; it must be between 1 and 2147483648 bytes.");
  EXPECT_EQ(Refusal("workload { } fault { ppm: 1000001 }"),
            "fault[0].ppm is 1000001; it must be between 0 and 1000000 millionths.");
  EXPECT_EQ(Refusal("workload { } fault { nth: 3 nth: 0 }"),
            "fault[0].nth[1] is 0; it must be between 1 and 1000000000000 packets.");
  EXPECT_EQ(Refusal("workload { } seed: 0"), "seed is 0; it must be between 1 and 4294967295.");
}

TEST(ScenarioFileTest, WhatDoesNotFitTogetherIsRefusedWithASentence) {
  const struct {
    const char* text;
    const char* said;
  } kCases[] = {
      {"", "There is no workload."},
      {"workload { } fabric { hosts: 5 hosts_per_leaf: 2 }",
       "fabric.hosts_per_leaf is 2; it must divide fabric.hosts, which is 5."},
      {"workload { } fabric { spines: 0 }",
       "fabric.hosts_per_leaf is 1; without spines it must be fabric.hosts, which is 2."},
      {"workload { } fabric { spine_link { mark_bytes: 9 ramp_bytes: 9 } }",
       "fabric.spine_link.ramp_bytes is 9; it must be 0 or above mark_bytes, which is 9."},
      {"workload { from: 2 }", "workload[0].from is 2; it must be below fabric.hosts, which is 2."},
      {"workload { to: 9 }", "workload[0].to is 9; it must be below fabric.hosts, which is 2."},
      {"workload { from: 1 }",
       "workload[0].to is 1, which is also `from`; a host does not send to itself."},
      {"workload { pattern: RING kind: READ }",
       "workload[0].kind is READ; in RING it must be WRITE_WITH_IMMEDIATE."},
      {"workload { start_ns: 7 stop_ns: 7 }",
       "workload[0].stop_ns is 7; it must be 0 or above start_ns, which is 7."},
      {"workload { on_ns: 5 }",
       "workload[0].on_ns is 5 and off_ns 0; both must be 0, or both above 0."},
      {"workload { connections: 4096 } workload { pattern: PERMUTATION connections: 4096 } fabric "
       "{ hosts: 16 }",
       "The workloads have 69632 connections; there may be at most 65536."},
      {"workload { } fabric { hosts: 4096 planes: 16 spines: 256 }",
       "fabric has 33685504 links of one direction, with hosts 4096, spines 256 and planes 16; "
       "there "
       "may be at most 1048576."},
      {"workload { } end_ns: 100000000000 window_ns: 100",
       "window_ns is 100; it must be at least end_ns / 1000000, which is 100000."},
      {"workload { } endpoint { path_window: 3 }",
       "endpoint.path_window is there; it belongs to algorithm FIXED, not to BUILT_IN."},
      {"workload { } fault { }",
       "fault[0] has 0 of nth, pattern and ppm; DROP must have one of them."},
      {"workload { } fault { nth: 1 ppm: 1 }",
       "fault[0] has 2 of nth, pattern and ppm; DROP must have one of them."},
      {"workload { } fault { pattern: '012' }",
       "fault[0].pattern is \"012\"; it must be at most 65536 digits 0 and 1, one of them a 1."},
      {"workload { } fault { kind: DELAY ppm: 1 }",
       "fault[0].extra_ns is 0; it must be above 0 in DELAY."},
      {"workload { } fault { kind: DOWN plane: 1 }", "fault[0].plane is 1; the fabric has 1."},
      {"workload { } fault { kind: DOWN host: 2 }", "fault[0].host is 2; the fabric has 2."},
      {"workload { } fault { kind: DOWN leaf: 2 }", "fault[0].leaf is 2; the fabric has 2."},
      {"workload { } fault { kind: DOWN spine: 8 }", "fault[0].spine is 8; the fabric has 8."},
      {"workload { } fault { kind: DOWN from_ns: 9 until_ns: 9 }",
       "fault[0].until_ns is 9; it must be 0 or above from_ns, which is 9."},
      {"workload { } fault { kind: DOWN ppm: 9 }", "fault[0] chooses packets; DOWN strikes all."},
      {"workload { } fault { ppm: 9 silent: true }",
       "fault[0].silent is there; it belongs to DOWN, not to DROP."},
      {"workload { depth: 65535 } workload { depth: 65535 connections: 1000 }",
       "workload[1].depth is 65535 on 1000 connections; all workloads up to it have 65600535 "
       "messages outstanding, and may have at most 4194304."},
      {"workload { } title: '\\033[31mred'",
       "title is \"\\x1b[31mred\"; it must be a line without control characters."},
      {"workload { } title: 'a\\302\\233b'",
       "title is \"a\\xc2\\x9b\\x62\"; it must be a line without control characters."},
      {"workload { } expect { recover_max_ns: 9 } fault { kind: RATE }",
       "expect.recover_max_ns is there; no fault is of kind DOWN, so there is nothing to recover "
       "from."},
      {"workload { } endpoint { constant { name: 'mtu' value: 256 } constant { name: 'paths' "
       "value: 2 } constant { name: 'mtu' value: 512 } }",
       "endpoint.constant[2]: \"mtu\" is there already, as [0]."},
      {"workload { } fault { kind: DOWN seed: 9 }",
       "fault[0].seed is there; it belongs to REHASH, not to DOWN."},
  };
  for (const auto& c : kCases) EXPECT_EQ(Refusal(c.text), c.said);
}

TEST(ScenarioFileTest, AConstantOfTheSpecificationIsRefusedAsAProfileRefusesIt) {
  EXPECT_NE(Refusal("workload { } endpoint { constant { name: 'mtoo' value: 1 } }").find("mtoo"),
            std::string::npos);
  const std::string said =
      Refusal("workload { } endpoint { constant { name: 'csn_range' value: 1 } }");
  EXPECT_NE(said.find("endpoint.constant[0]: "), std::string::npos) << said;
  EXPECT_NE(said.find("256"), std::string::npos) << said;
}

TEST(ScenarioFileTest, AFieldIsSetByItsPath) {
  Scenario scenario;
  for (const char* assignment :
       {"seed=010", "fabric.host_link.delay_ns=5", "workload[0].kind=SEND", "workload[0].bytes=9",
        "workload[1].pattern=RING", "title=a b", "fault[0].silent=true"}) {
    const absl::Status set = SetField(assignment, &scenario);
    EXPECT_TRUE(set.ok()) << set;
  }
  EXPECT_EQ(scenario.seed(), 10u);
  EXPECT_EQ(scenario.fabric().host_link().delay_ns(), 5u);
  ASSERT_EQ(scenario.workload_size(), 2);
  ASSERT_EQ(scenario.workload(0).kind_size(), 1);
  EXPECT_EQ(scenario.workload(0).kind(0), SEND);
  EXPECT_EQ(scenario.workload(0).bytes(), 9u);
  EXPECT_EQ(scenario.title(), "a b");
  EXPECT_TRUE(scenario.fault(0).silent());
}

TEST(ScenarioFileTest, AnAssignmentThatIsNoneIsRefusedAndChangesNothing) {
  const struct {
    const char* assignment;
    const char* said;
  } kCases[] = {
      {"seed", "\"seed\": it must be field=value."},
      {"fabric.leafs=4", "\"fabric.leafs=4\": there is no field \"leafs\" in Fabric."},
      {"fabric=4", "\"fabric=4\": the last name must be a field with a value, not \"fabric\"."},
      {"seed.x=4", "\"seed.x=4\": \"seed\" has no fields of its own."},
      {"workload[3].bytes=4",
       "\"workload[3].bytes=4\": \"workload[3]\" must be workload[i] with i from 0 to 0."},
      {"workload.bytes=4",
       "\"workload.bytes=4\": \"workload\" must be workload[i] with i from 0 to 0."},
      {"seed=x", "\"seed=x\": the value must be a whole number between 1 and 4294967295."},
      {"seed=", "\"seed=\": the value must be a whole number between 1 and 4294967295."},
      {"seed=-1", "\"seed=-1\": the value must be a whole number between 1 and 4294967295."},
      {"seed=0x10", "\"seed=0x10\": the value must be a whole number between 1 and 4294967295."},
      {"endpoint.hint=2", "\"endpoint.hint=2\": the value must be true or false."},
      {"workload[0].pattern=STAR",
       "\"workload[0].pattern=STAR\": the value must be one of PAIR, INCAST, PERMUTATION, "
       "ALL_TO_ALL, RING."},
      {"seed=4 title: 'x'", "\"seed=4 title: \\'x\\'\": the value must be one number or word."},
  };
  for (const auto& c : kCases) {
    Scenario scenario;
    EXPECT_EQ(SetField(c.assignment, &scenario).message(), c.said);
    EXPECT_EQ(scenario.ByteSizeLong(), 0u) << c.assignment;
  }
}

// Every number of the schema has its range, so that none is taken unseen.
TEST(ScenarioFileTest, EveryNumberOfTheSchemaHasARange) {
  const std::function<void(const google::protobuf::Descriptor*)> look =
      [&](const google::protobuf::Descriptor* message) {
        for (int i = 0; i < message->field_count(); ++i) {
          const google::protobuf::FieldDescriptor* field = message->field(i);
          if (field->message_type() != nullptr) {
            look(field->message_type());
          } else if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_UINT32 ||
                     field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_UINT64) {
            EXPECT_TRUE(field->options().HasExtension(range)) << field->full_name();
            EXPECT_TRUE(field->options().GetExtension(range).has_unit()) << field->full_name();
            if (!field->has_default_value()) continue;
            const uint64_t value =
                field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_UINT32
                    ? field->default_value_uint32()
                    : field->default_value_uint64();
            EXPECT_GE(value, field->options().GetExtension(range).min()) << field->full_name();
            EXPECT_LE(value, field->options().GetExtension(range).max()) << field->full_name();
          }
        }
      };
  look(Scenario::descriptor());
}

}  // namespace
}  // namespace metaroce::sim
