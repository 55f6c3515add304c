#include "vectors/scaffold.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "vectors/json.h"
#include "vectors/lint.h"
#include "vectors/spec_tables_index.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

constexpr char kCodec[] = R"({
  "title": "One sentence: what a device that keeps the text does",
  "level": "codec",
  "clauses": ["WIRE-OPCODES"],
  "capabilities": ["codec-encode"],
  "flags": ["OPCODE_TABLE"],
  "provenance": {"kind": "bug", "note": "which defect it is about, and where that was seen"},
  "steps": [
    {"encode": {"common.opcode": 1, "payload": "0x01020304"}, "note": "what is special here"},
    {"expect": {"packet": {"includes": {"common.opcode": 1, "payload": "0x01020304"}}}}
  ]
})";

constexpr char kReceiveVector[] = R"({
  "title": "One sentence: what a device that keeps the text does",
  "level": "block",
  "block": "receive-vector",
  "clauses": ["ACK-VECTOR", "ACK-VECTOR-OUTCOME"],
  "capabilities": ["block-receive-vector"],
  "flags": ["HOLE_LOST"],
  "provenance": {"kind": "bug", "note": "which defect it is about, and where that was seen"},
  "config": {"base": 100},
  "steps": [
    {"apply": {"kind": "data", "sequence": 101}, "note": "opens a hole at 100"},
    {"expect": {"includes": {"outcome": "hole", "base": 100, "bitmap": "0x0000000000000002"}}},
    {"apply": {"kind": "data", "sequence": 100}, "note": "fills it"},
    {"expect": {"includes": {"outcome": "fill", "base": 102, "bitmap": "0x"}}}
  ]
})";

constexpr char kAckGeneration[] = R"({
  "title": "One sentence: what a device that keeps the text does",
  "level": "block",
  "block": "ack-generation",
  "clauses": ["ACK-DUE-HOLE"],
  "capabilities": ["block-ack-generation", "default-ack-generation"],
  "flags": ["LATE_REPAIR"],
  "provenance": {"kind": "bug", "note": "which defect it is about, and where that was seen"},
  "config": {"base": 0},
  "steps": [
    {"at": 1000, "apply": {"kind": "data", "sequence": 1}, "note": "opens a hole at 0"},
    {"expect": {"includes": {"base": 0, "bitmap": "0x0000000000000002"}, "within": "ack_max"}}
  ]
})";

constexpr char kEndpoint[] = R"({
  "title": "One sentence: what a device that keeps the text does",
  "level": "endpoint",
  "clauses": ["CHECK-ACCEPT", "CONF-PLACEMENT", "ACK-DUE-AR"],
  "capabilities": ["endpoint-receiver"],
  "flags": ["PLACEMENT"],
  "provenance": {"kind": "bug", "note": "which defect it is about, and where that was seen"},
  "config": {
    "memory[0].address": 65536,
    "memory[0].length": 4096,
    "memory[0].rkey": 7,
    "memory[0].rights": 1
  },
  "steps": [
    {
      "at": 1000,
      "arrive": {
        "fields": {
          "common.opcode": 1,
          "common.cid": 1,
          "common.ar": 1,
          "data.length": 4,
          "write_target.address": 65536,
          "write_target.rkey": 7,
          "payload": "0x01020304"
        }
      },
      "note": "what is special here"
    },
    {"expect": {"placement": {"address": 65536, "data": "0x01020304"}, "within": "ack_max"}},
    {"expect": {"packet": {"includes": {"common.opcode": 65, "ack.csn": 1}}, "within": "ack_max"}}
  ]
})";

constexpr char kSystem[] = R"({
  "title": "One sentence: what a device that keeps the text does",
  "level": "system",
  "clauses": ["RTX-AT-ONCE", "MSG-COMPLETION"],
  "capabilities": ["endpoint-receiver", "endpoint-requester", "fixed-window"],
  "profile": [
    {"parameter": "react_max", "relation": "="}
  ],
  "flags": ["FALSE_LOSS"],
  "provenance": {"kind": "bug", "note": "which defect it is about, and where that was seen"},
  "config": {"window": 16},
  "system": {
    "peer": {
      "memory[0].address": 65536,
      "memory[0].length": 8192,
      "memory[0].rkey": 7,
      "memory[0].rights": 1
    },
    "delays": [{"to_peer": 5000, "to_dut": 5000}],
    "faults": [
      {"toward": "peer", "does": "drop", "opcode": 1, "first": 2, "count": 1, "note": "lost"}
    ]
  },
  "steps": [
    {
      "at": 1000,
      "post": {"kind": "write", "id": 1, "length": 8192, "address": 65536, "rkey": 7},
      "note": "what is special here"
    },
    {
      "expect": {
        "completion": {"kind": "work", "id": 1, "status": "success"},
        "within": 10000000
      }
    },
    {"expect": {"memory": {"address": 66560, "data": "0x15161718"}}, "peer": true}
  ]
})";

const char* TextOf(absl::string_view level, absl::string_view block) {
  if (level == "codec" && block.empty()) return kCodec;
  if (level == "endpoint" && block.empty()) return kEndpoint;
  if (level == "system" && block.empty()) return kSystem;
  if (level == "block" && block == "receive-vector") return kReceiveVector;
  if (level == "block" && block == "ack-generation") return kAckGeneration;
  return nullptr;
}

}  // namespace

absl::StatusOr<Vector> Scaffold(absl::string_view id, absl::string_view level,
                                absl::string_view block) {
  const char* text = TextOf(level, block);
  if (text == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "There is nothing to begin with for the level \"", Printable(Shorten(level, 40)),
        "\" and the block \"", Printable(Shorten(block, 40)),
        "\"; there is for the levels codec, endpoint and system, and for the level block with the "
        "blocks receive-vector and ack-generation."));
  }
  absl::StatusOr<Vector> vector = LoadVector(text, "scaffold");
  if (!vector.ok()) return vector;
  vector->set_id(std::string(id));
  for (const Finding& finding : CheckVector(*vector, SpecTables())) {
    return absl::InvalidArgumentError(absl::StrCat(finding.member, ": ", finding.sentence));
  }
  return vector;
}

}  // namespace metaroce::vectors
