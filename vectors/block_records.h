// The records of the blocks of section 15.4, for vectors/records.cc.
#ifndef METAROCE_VECTORS_BLOCK_RECORDS_H_
#define METAROCE_VECTORS_BLOCK_RECORDS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "vectors/records.h"

namespace metaroce::vectors {

struct NamedRule {
  absl::string_view name;  // "w", or "path[].w" for a field of each member of a list
  FieldRule rule;
};

// Tables of a few names each: they are searched front to back.
using RecordTable = std::vector<NamedRule>;

bool IsOfBlock(Record record);

// Precondition of both: IsOfBlock.
const RecordTable& BlockTable(Record record);
// "receive-vector input".
std::string BlockRecordName(Record record);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_BLOCK_RECORDS_H_
