// The shapes of the tables that are generated from the text (spec/tables.h). What stands here does
// not depend on the text; what does is declared here and defined there.
//
// All tables are constexpr: no static constructor runs. All strings live as long as the program.
#ifndef SPEC_COMPILER_RUNTIME_TYPES_H_
#define SPEC_COMPILER_RUNTIME_TYPES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace metaroce::spec {

// Generated: one enumerator for each item of the text, kCamelCase, in the order of the text. The
// values of Opcode, OpcodeClass and Reason are those on the wire.
enum class Clause : uint16_t;
enum class Layout : uint8_t;
enum class Opcode : uint8_t;
enum class OpcodeClass : uint8_t;
enum class CheckId : uint8_t;
enum class Reason : uint8_t;
enum class Constant : uint16_t;
enum class ProfileParameter : uint16_t;
enum class Choice : uint16_t;
enum class Counter : uint16_t;
enum class Capability : uint16_t;
enum class Flag : uint16_t;

// Where the text names no clause.
inline constexpr Clause kNoClause{0xFFFF};

template <typename T>
struct NamedValue {
  std::string_view name;  // as the text spells it
  T value;
};

// Specialised for each enum: `static constexpr std::array<NamedValue<T>, N> kAll`.
template <typename T>
struct Named;

// The text's name of a value; empty if the value has none.
template <typename T>
constexpr std::string_view Name(T value) {
  constexpr const auto& kAll = Named<T>::kAll;
  const size_t guess = static_cast<size_t>(value);
  if (guess < kAll.size() && kAll[guess].value == value) return kAll[guess].name;
  for (const NamedValue<T>& entry : kAll) {
    if (entry.value == value) return entry.name;
  }
  return {};
}

// The value of a name, e.g. FromName<Opcode>("ack").
template <typename T>
constexpr std::optional<T> FromName(std::string_view name) {
  for (const NamedValue<T>& entry : Named<T>::kAll) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

enum class Level : uint8_t { kMust, kShould, kMay, kInfo };
template <>
struct Named<Level> {
  static constexpr std::array<NamedValue<Level>, 4> kAll = {{
      {"MUST", Level::kMust},
      {"SHOULD", Level::kShould},
      {"MAY", Level::kMay},
      {"INFO", Level::kInfo},
  }};
};

enum class Unit : uint8_t {
  kNone,
  kNanoseconds,
  kMicroseconds,
  kMilliseconds,
  kPackets,
  kBytes,
  kBits,
  kMegabitsPerSecond,
  kHintUnits,
  kEntries,
  kQ1616,
  kPerSecond,
};
template <>
struct Named<Unit> {
  static constexpr std::array<NamedValue<Unit>, 12> kAll = {{
      {"", Unit::kNone},
      {"ns", Unit::kNanoseconds},
      {"us", Unit::kMicroseconds},
      {"ms", Unit::kMilliseconds},
      {"packets", Unit::kPackets},
      {"bytes", Unit::kBytes},
      {"bits", Unit::kBits},
      {"Mb/s", Unit::kMegabitsPerSecond},
      {"hint units", Unit::kHintUnits},
      {"entries", Unit::kEntries},
      {"Q16.16", Unit::kQ1616},
      {"per second", Unit::kPerSecond},
  }};
};

enum class Tail : uint8_t { kEmpty, kPayload, kPathBlocks, kOptions, kFiller };
template <>
struct Named<Tail> {
  static constexpr std::array<NamedValue<Tail>, 5> kAll = {{
      {"EMPTY", Tail::kEmpty},
      {"PAYLOAD", Tail::kPayload},
      {"PATH_BLOCKS", Tail::kPathBlocks},
      {"OPTIONS", Tail::kOptions},
      {"FILLER", Tail::kFiller},
  }};
};

enum class Disposition : uint8_t {
  kDrop,
  kDropAck,
  kDropNackEpoch,
  kNackConnection,
  kNackFatal,
  kNotOurs,
  kReply,
};
template <>
struct Named<Disposition> {
  static constexpr std::array<NamedValue<Disposition>, 7> kAll = {{
      {"DROP", Disposition::kDrop},
      {"DROP_ACK", Disposition::kDropAck},
      {"DROP_NACK_EPOCH", Disposition::kDropNackEpoch},
      {"NACK_CONNECTION", Disposition::kNackConnection},
      {"NACK_FATAL", Disposition::kNackFatal},
      {"NOT_OURS", Disposition::kNotOurs},
      {"REPLY", Disposition::kReply},
  }};
};

struct ClauseInfo {
  std::string_view id;  // "ACK-ON-HOLE"
  Level level;
  std::string_view provenance;   // "PUBLIC P-GAP; RFC 6298"
  std::string_view unproven;     // why no test exercises it; empty: one does
  std::string_view no_positive;  // why no vector can show it from the positive side; empty: one can
  std::string_view no_negative;  // the same for the negative side
  bool final;                    // stands in a final chapter
  std::string_view chapter;      // file name
  uint32_t line;                 // in that file, from 1
  std::string_view heading;
  std::string_view text;  // white space folded
  std::string_view why;
  std::string_view freedom;
};

struct EnumValueInfo {
  std::string_view name;
  uint32_t value;
  Clause clause;  // or kNoClause
  std::string_view note;
};

struct EnumInfo {
  std::string_view name;
  std::span<const EnumValueInfo> values;

  // The name of `value`; empty if it has none.
  constexpr std::string_view NameOf(uint64_t value) const {
    for (const EnumValueInfo& entry : values) {
      if (entry.value == value) return entry.name;
    }
    return {};
  }
};

struct FieldInfo {
  std::string_view name;
  uint16_t bit_offset;  // from the most significant bit of the layout's first byte
  uint8_t bits;         // 1..64
  bool reserved;
  Unit unit;
  const EnumInfo* values;     // null unless the text names the numbers
  std::string_view all_ones;  // meaning of the value with every bit set, if special
  std::string_view serial;    // the sequence space it counts in, if any
  std::string_view note;

  constexpr uint64_t max() const { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
};

struct LayoutInfo {
  std::string_view name;
  std::string_view title;
  Clause clause;
  uint16_t bytes;  // without the bitmap
  std::span<const FieldInfo> fields;
  // A bitmap of bitmap_lengths[value of fields[bitmap_selector]] bits follows the fields; it is one
  // big-endian integer. No lengths: no bitmap.
  std::string_view bitmap_name;
  uint8_t bitmap_selector;
  std::span<const uint16_t> bitmap_lengths;

  // The index of a field; nothing if there is none of that name.
  constexpr std::optional<size_t> FieldIndex(std::string_view field) const {
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].name == field) return i;
    }
    return std::nullopt;
  }
};

struct OpcodeInfo {
  bool known;  // else all below but `opcode` and `opcode_class` is empty
  Opcode opcode;
  OpcodeClass opcode_class;
  std::string_view name;
  Clause clause;
  std::span<const Layout> headers;  // in wire order
  uint16_t fixed_bytes;             // of the headers together
  Tail tail;
  // Tail::kPathBlocks: `count_field` of `count_layout` says how many `repeat` follow.
  Layout repeat;
  Layout count_layout;
  uint8_t count_field;
  uint32_t count_min;
  uint32_t count_max;
  std::string_view note;
};

struct ReservedOpcodesInfo {
  uint8_t first;
  uint8_t last;
  Clause clause;
  std::string_view note;
};

struct CheckInfo {
  std::string_view name;
  Clause clause;
  bool stateless;
  std::string_view note;
};

struct ReasonInfo {
  std::string_view name;
  Reason reason;
  CheckId check;
  Disposition disposition;
  std::optional<Opcode> nack;
  Counter counter;
  Clause clause;
  std::string_view note;
};

// A constant or a profile parameter.
struct NumberInfo {
  std::string_view name;
  uint64_t default_value;
  uint64_t min;
  uint64_t max;
  bool fixed;
  Unit unit;
  Clause clause;
  std::string_view note;
};

struct DerivedInfo {
  std::string_view name;
  uint64_t value;
  Clause clause;
};

enum class Upper : uint8_t { kNumber, kProfile, kConstant, kExpression };

struct ChoiceInfo {
  std::string_view name;
  Clause clause;
  std::span<const std::string_view> names;  // the domain, or empty: then it is min..max
  uint64_t min;
  uint64_t max;                 // with all defaults; 2^64 - 1 for an expression
  Upper upper;                  // what sets max
  std::string_view upper_name;  // the parameter, constant or expression
  Unit unit;
  uint64_t default_value;  // a number of the range, or an index of `names`
  std::string_view determined_by;
  std::string_view note;
};

struct TermInfo {
  enum class Kind : uint8_t { kNumber, kConstant, kProfile };
  Kind kind;
  uint16_t index;  // of kConstants or kProfileParameters
  uint64_t factor;
};

enum class Relation : uint8_t { kLessOrEqual, kLess, kEqual };

struct CrossRuleInfo {
  std::string_view name;
  Clause clause;
  std::span<const TermInfo> left;
  Relation relation;
  std::span<const TermInfo> right;
  std::string_view sentence;
};

// A counter, capability or flag.
struct NoteInfo {
  std::string_view name;
  Clause clause;  // or kNoClause
  std::string_view note;
};

enum class CellKind : uint8_t { kActs, kIgnored, kImpossible };

// What an event does in a state.
template <typename State>
struct Cell {
  CellKind kind;
  State next;                      // the same state where it stays
  std::optional<Counter> counter;  // kIgnored: what counts it
  Clause clause;
  std::string_view effect;
  std::string_view impossible;  // kImpossible: why it cannot come
};

}  // namespace metaroce::spec

#endif  // SPEC_COMPILER_RUNTIME_TYPES_H_
