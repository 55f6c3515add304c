// Records as a person writes them in a case: "name=value name=value".
#ifndef METAROCE_VECTORS_GEN_RECORD_TEXT_H_
#define METAROCE_VECTORS_GEN_RECORD_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vectors/records.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::vectors {

// The bytes 1, 2, 3, ... modulo 251.
std::string Pattern(size_t length, uint64_t address = 0);

// "0x0102" or "pattern:N" as bytes. InvalidArgumentError for anything else.
absl::StatusOr<std::string> DataFromText(absl::string_view text);

// The record, its fields in the order of the text, kinds by the record's rules. A name that comes
// again replaces the field in its place. InvalidArgumentError names the field, the value and why.
absl::StatusOr<Fields> RecordFromText(Record record, absl::string_view text,
                                      const SpecIndex& index);

// One value for `name`.
absl::StatusOr<Field> FieldFromText(Record record, absl::string_view name, absl::string_view value,
                                    const SpecIndex& index);

// Puts `field` in the place of the one with its name, or at the end.
void SetField(const Field& field, Fields* fields);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_GEN_RECORD_TEXT_H_
