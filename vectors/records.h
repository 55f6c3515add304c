// The records of chapter 15: which field a record may have, and which values the field may have.
#ifndef METAROCE_VECTORS_RECORDS_H_
#define METAROCE_VECTORS_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::vectors {

enum class ValueKind { kNumber, kData, kWord };

// "a number", "data", "a word".
const char* Name(ValueKind kind);

struct FieldRule {
  ValueKind kind = ValueKind::kNumber;
  int bits = 64;                              // kNumber: width, 1..64
  absl::Span<const size_t> lengths;           // kData: the lengths it may have; empty: any
  absl::Span<const absl::string_view> words;  // kWord: the words it may be; empty: any

  // The greatest number of that width.
  uint64_t max() const { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
};

// Which record a set of fields is.
enum class Record {
  kCodec,  // CONF-CODEC-FRAME, CONF-CODEC-PACKET
  kEndpointConfig,
  kPost,
  kCompletion,
  kSystemPeer,  // CONF-SYSTEM
  // From here on those of the blocks: configuration, input and output of each in turn, as BlockInfo
  // names them.
  kFirstOfBlocks,
};

// "codec", "receive-vector input", and so on.
std::string Name(Record record);

// The rule of a field of that record; nothing if it has no field of that name. An index in the name
// is checked against the greatest that the chapter or the opcode table allows.
std::optional<FieldRule> RuleOf(Record record, absl::string_view field, const SpecIndex& index);

// The names of a record of a block, in the order of its table; of a list, as "list[].name".
std::vector<absl::string_view> NamesOf(Record record);

// A field, whatever message it stands in.
struct FieldView {
  absl::string_view name;
  std::optional<ValueKind> kind;  // nothing: it has no value
  uint64_t number = 0;
  absl::string_view bytes;  // data, or a word
  bool taken = false;       // a number that the device chose (CONF-TAKEN)
};

FieldView ViewOf(const Field& field);

// Why `field` may not stand in `record`, in a sentence; empty if it may.
std::string FaultOf(Record record, const FieldView& field, const SpecIndex& index);
std::string FaultOf(Record record, const Field& field, const SpecIndex& index);

// The field of that name, or null.
const Field* FindField(const Fields& fields, absl::string_view name);

// A block of level BLOCK.
struct BlockInfo {
  absl::string_view name;
  absl::string_view capability;
  absl::string_view default_capability;  // empty: it leaves no choice
  bool timed;                            // events may come at any time; else with the answer
  Record config;
  Record input;
  Record output;
};

absl::Span<const BlockInfo> Blocks();

// Null if there is no such block.
const BlockInfo* FindBlock(absl::string_view name);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_RECORDS_H_
