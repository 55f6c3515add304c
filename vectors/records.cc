#include "vectors/records.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "vectors/block_records.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

FieldRule Number(int bits) {
  FieldRule rule;
  rule.bits = bits;
  return rule;
}

FieldRule DataOf(absl::Span<const size_t> lengths) {
  FieldRule rule;
  rule.kind = ValueKind::kData;
  rule.lengths = lengths;
  return rule;
}

FieldRule Data(const std::vector<size_t>& lengths = {}) { return DataOf(Keep(lengths)); }

FieldRule Word(const std::vector<absl::string_view>& words = {}) {
  FieldRule rule;
  rule.kind = ValueKind::kWord;
  rule.words = Keep(words);
  return rule;
}

std::vector<size_t> Multiples(size_t of, size_t first, size_t last) {
  std::vector<size_t> out;
  for (size_t n = first; n <= last; n += of) out.push_back(n);
  return out;
}

constexpr size_t kBitmapLengths[] = {0, 8, 16, 32};

using Table = RecordTable;

//= CONF-CODEC-FRAME
//# The layers below the transport have these fields.
const Table& FrameTable() {
  static const Table* const kTable = new Table{
      {"eth.dst", Data({6})},
      {"eth.src", Data({6})},
      {"eth.vlan[0]", Number(32)},
      {"eth.vlan[1]", Number(32)},
      {"ip.version", Number(4)},
      {"ip.src", Data({4, 16})},
      {"ip.dst", Data({4, 16})},
      {"ip.dscp", Number(6)},
      {"ip.ecn", Number(2)},
      {"ip.ttl", Number(8)},
      {"ip.id", Number(16)},
      {"ip.df", Number(1)},
      {"ip.options", Data(Multiples(4, 4, 40))},
      {"ip.flow_label", Number(20)},
      {"udp.source_port", Number(16)},
      {"udp.destination_port", Number(16)},
      {"udp.checksum", Number(16)},
      {"payload", Data()},
      {"filler", Number(16)},
  };
  return *kTable;
}

const Table& EndpointConfig() {
  static const Table* const kTable = new Table{
      {"local.mac", Data({6})},    {"peer.mac", Data({6})},   {"local.ip", Data({4, 16})},
      {"peer.ip", Data({4, 16})},  {"tag", Number(32)},       {"window", Number(9)},
      {"target_paths", Number(8)}, {"port_rate", Number(32)}, {"accept", Number(1)},
  };
  return *kTable;
}

//= CONF-SYSTEM
//# The record `peer` has the fields `memory[i]`, `window`,
//# `target_paths` and `port_rate`
const Table& SystemPeer() {
  static const Table* const kTable =
      new Table{{"window", Number(9)}, {"target_paths", Number(8)}, {"port_rate", Number(32)}};
  return *kTable;
}

const Table& Post() {
  static const Table* const kTable = new Table{
      {"kind", Word({"receive", "write", "write-immediate", "send", "send-immediate",
                     "send-invalidate", "read", "fetch-add", "compare-swap", "close", "connect",
                     "deny", "lift", "drain", "port"})},
      {"id", Number(64)},
      {"address", Number(64)},
      {"length", Number(32)},
      {"stream", Number(16)},
      {"local", Number(64)},
      {"rkey", Number(32)},
      {"word", Number(32)},
      {"operand", Number(64)},
      {"compare", Number(64)},
      {"fence", Number(1)},
      {"solicited", Number(1)},
      {"path", Number(8)},
      {"to_close", Number(1)},
      {"plane", Number(8)},
      {"up", Number(1)},
  };
  return *kTable;
}

const Table& Completion() {
  static const Table* const kTable = new Table{
      {"kind", Word({"receive", "work", "refused", "ended"})},
      {"id", Number(64)},
      {"status", Word()},
      {"length", Number(32)},
      {"immediate", Number(32)},
      {"invalidated", Number(32)},
      {"solicited", Number(1)},
      {"cause", Word()},
      {"code", Number(8)},
  };
  return *kTable;
}

const Table& TableOf(Record record) {
  if (IsOfBlock(record)) return BlockTable(record);
  switch (record) {
    case Record::kCodec:
      return FrameTable();
    case Record::kEndpointConfig:
      return EndpointConfig();
    case Record::kPost:
      return Post();
    case Record::kSystemPeer:
      return SystemPeer();
    default:
      return Completion();
  }
}

// Takes "name[i]." off `text`, with i below `limit` and without leading zeros.
bool ConsumeIndexed(absl::string_view name, uint32_t limit, absl::string_view& text) {
  absl::string_view rest = text;
  if (!absl::ConsumePrefix(&rest, name) || !absl::ConsumePrefix(&rest, "[")) return false;
  const size_t close = rest.find("].");
  uint32_t index = 0;
  if (close == absl::string_view::npos || !absl::SimpleAtoi(rest.substr(0, close), &index) ||
      absl::StrCat(index) != rest.substr(0, close) || index >= limit) {
    return false;
  }
  text = rest.substr(close + 2);
  return true;
}

//= CONF-BLOCK-NUMBERS
//# A field `x[i].f` belongs to a list; i is at most 15
constexpr uint32_t kMaxMembers = 16;

// True if `name` is that of a table, or that of a member of a list that the table names.
bool Matches(absl::string_view entry, absl::string_view name) {
  if (name.empty() || entry.empty() || entry[0] != name[0]) return false;
  const size_t list = entry.find("[].");
  if (list == absl::string_view::npos) return entry == name;
  return ConsumeIndexed(entry.substr(0, list), kMaxMembers, name) && entry.substr(list + 3) == name;
}

// The most options that fit into a packet of 65,535 bytes.
constexpr uint32_t kMaxOptions = 16384;
constexpr uint32_t kMaxPathBlocks = 4;
constexpr uint32_t kMaxPaths = 255;
constexpr uint32_t kMaxRegions = 64;

std::optional<FieldRule> LayoutRule(absl::string_view layout, absl::string_view field,
                                    const SpecIndex& index) {
  const std::optional<int> bits = index.LayoutFieldBits(layout, field);
  if (!bits.has_value()) return std::nullopt;
  return Number(*bits);
}

// CONF-CODEC-PACKET without CONF-CODEC-DERIVED.
//
//= CONF-CODEC-PACKET
//# The packet has the fields of the layouts that the opcode table lists
std::optional<FieldRule> CodecRule(absl::string_view name, const SpecIndex& index) {
  if (name == "common.pad" || name == "ack.blocks") return std::nullopt;
  absl::string_view rest = name;
  if (ConsumeIndexed("path_block", kMaxPathBlocks, rest)) {
    if (rest == "bitmap") return DataOf(kBitmapLengths);
    if (rest == "bitmap_code") return std::nullopt;
    return LayoutRule("path_block", rest, index);
  }
  if (ConsumeIndexed("option", kMaxOptions, rest)) {
    if (rest == "type") return Number(16);
    if (rest == "value") return DataOf({});
    return std::nullopt;
  }
  const size_t dot = name.find('.');
  if (dot == absl::string_view::npos || name.substr(0, dot) == "path_block") return std::nullopt;
  return LayoutRule(name.substr(0, dot), name.substr(dot + 1), index);
}

std::optional<FieldRule> ConstantRule(absl::string_view name, const SpecIndex& index) {
  const std::optional<ParameterInfo> parameter = index.Parameter(name);
  if (!parameter.has_value() || parameter->profile || parameter->fixed) return std::nullopt;
  return Number(64);
}

std::optional<FieldRule> RegionRule(absl::string_view name) {
  if (!ConsumeIndexed("memory", kMaxRegions, name)) return std::nullopt;
  if (name == "address" || name == "length") return Number(64);
  if (name == "rkey") return Number(32);
  if (name == "rights") return Number(3);
  return std::nullopt;
}

std::optional<FieldRule> EndpointConfigRule(absl::string_view name, const SpecIndex& index) {
  absl::string_view rest = name;
  if (ConsumeIndexed("path", kMaxPaths, rest)) {
    if (rest == "epoch") return Number(8);
    if (rest == "base") return Number(32);
    return std::nullopt;
  }
  if (const std::optional<FieldRule> rule = RegionRule(name)) return rule;
  if (absl::ConsumePrefix(&rest, "local.") || absl::ConsumePrefix(&rest, "peer.")) {
    return LayoutRule("connect", rest, index);
  }
  return ConstantRule(name, index);
}

}  // namespace

const char* Name(ValueKind kind) {
  switch (kind) {
    case ValueKind::kNumber:
      return "a number";
    case ValueKind::kData:
      return "data";
    case ValueKind::kWord:
      break;
  }
  return "a word";
}

std::string Name(Record record) {
  if (IsOfBlock(record)) return BlockRecordName(record);
  switch (record) {
    case Record::kCodec:
      return "codec";
    case Record::kEndpointConfig:
      return "endpoint configuration";
    case Record::kPost:
      return "post";
    case Record::kSystemPeer:
      return "peer";
    default:
      return "completion";
  }
}

std::vector<absl::string_view> NamesOf(Record record) {
  std::vector<absl::string_view> names;
  for (const NamedRule& entry : TableOf(record)) names.push_back(entry.name);
  return names;
}

std::optional<FieldRule> RuleOf(Record record, absl::string_view field, const SpecIndex& index) {
  for (const NamedRule& entry : TableOf(record)) {
    if (Matches(entry.name, field)) return entry.rule;
  }
  if (record == Record::kCodec) return CodecRule(field, index);
  if (record == Record::kEndpointConfig) return EndpointConfigRule(field, index);
  if (record == Record::kSystemPeer) return RegionRule(field);
  return std::nullopt;
}

FieldView ViewOf(const Field& field) {
  FieldView view;
  view.name = field.name();
  switch (field.value_case()) {
    case Field::kNumber:
      view.kind = ValueKind::kNumber;
      view.number = field.number();
      break;
    case Field::kData:
      view.kind = ValueKind::kData;
      view.bytes = field.data();
      break;
    case Field::kWord:
      view.kind = ValueKind::kWord;
      view.bytes = field.word();
      break;
    case Field::kTaken:
      view.kind = ValueKind::kNumber;
      view.taken = true;
      break;
    case Field::VALUE_NOT_SET:
      break;
  }
  return view;
}

std::string FaultOf(Record record, const FieldView& field, const SpecIndex& index) {
  const std::optional<FieldRule> rule = RuleOf(record, field.name, index);
  const auto name = [&] { return absl::StrCat("\"", Printable(Shorten(field.name, 60)), "\""); };
  if (!rule.has_value()) {
    return absl::StrCat("The ", Name(record), " record has no field ", name(), ".");
  }
  if (field.kind != rule->kind) {
    return absl::StrCat(name(), " is ",
                        field.kind.has_value() ? Name(*field.kind) : "without a value", ", not ",
                        Name(rule->kind), ".");
  }
  if (field.taken) return "";  // vectors/lint.h judges it
  switch (rule->kind) {
    case ValueKind::kNumber:
      if (field.number > rule->max()) {
        return absl::StrCat(name(), " is ", field.number, " and has ", rule->bits,
                            " bits: at most ", rule->max(), ".");
      }
      return "";
    case ValueKind::kData:
      if (!rule->lengths.empty() && std::find(rule->lengths.begin(), rule->lengths.end(),
                                              field.bytes.size()) == rule->lengths.end()) {
        return absl::StrCat(name(), " has ", field.bytes.size(), " bytes, not ",
                            absl::StrJoin(rule->lengths, " or "), ".");
      }
      return "";
    case ValueKind::kWord:
      if (!rule->words.empty() &&
          std::find(rule->words.begin(), rule->words.end(), field.bytes) == rule->words.end()) {
        return absl::StrCat(name(), " is \"", Printable(Shorten(field.bytes, 60)), "\", not ",
                            absl::StrJoin(rule->words, " or "), ".");
      }
      return "";
  }
  return "";
}

std::string FaultOf(Record record, const Field& field, const SpecIndex& index) {
  return FaultOf(record, ViewOf(field), index);
}

const Field* FindField(const Fields& fields, absl::string_view name) {
  for (const Field& field : fields.field()) {
    if (field.name() == name) return &field;
  }
  return nullptr;
}

const BlockInfo* FindBlock(absl::string_view name) {
  for (const BlockInfo& block : Blocks()) {
    if (block.name == name) return &block;
  }
  return nullptr;
}

}  // namespace metaroce::vectors
