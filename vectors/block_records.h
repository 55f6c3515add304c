// The records of the blocks of section 15.4, for vectors/records.cc.
#ifndef METAROCE_VECTORS_BLOCK_RECORDS_H_
#define METAROCE_VECTORS_BLOCK_RECORDS_H_

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "vectors/records.h"

namespace metaroce::vectors {

struct NamedRule {
  absl::string_view name;  // "w", or "path[].w" for a field of each member of a list
  FieldRule rule;
};

// Tables of a few names each: they are searched front to back.
using RecordTable = std::vector<NamedRule>;

// A list of the tables, which live as long as the program.
template <typename T>
absl::Span<const T> Keep(const std::vector<T>& list) {
  T* const kept = new T[list.size()];
  std::copy(list.begin(), list.end(), kept);
  return {kept, list.size()};
}

bool IsOfBlock(Record record);

// Precondition of both: IsOfBlock.
const RecordTable& BlockTable(Record record);
// "receive-vector input".
std::string BlockRecordName(Record record);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_BLOCK_RECORDS_H_
