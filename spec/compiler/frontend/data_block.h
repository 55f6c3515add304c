// Reads the fenced textproto blocks of the chapters into one Data message and remembers where each
// item stands.
#ifndef SPEC_COMPILER_FRONTEND_DATA_BLOCK_H_
#define SPEC_COMPILER_FRONTEND_DATA_BLOCK_H_

#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "google/protobuf/message.h"
#include "spec/compiler/frontend/chapter.h"
#include "spec/compiler/frontend/problem.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

// Where messages and their fields stand in the text. Keys are addresses: valid as long as the
// messages are neither moved nor destroyed. Growing a repeated field does not move its messages.
class Places {
 public:
  void Record(const google::protobuf::Message& message, Place place) {
    messages_[&message] = place;
  }
  void Record(const google::protobuf::Message& message, int field, int index, Place place) {
    fields_[{&message, field, index}] = place;
  }

  // Of the message as a whole: the line on which it begins.
  Place Of(const google::protobuf::Message& message) const;

  // Of a field, by number; `index` for a repeated one. The message's place if it is not set.
  Place Of(const google::protobuf::Message& message, int field, int index = -1) const;

 private:
  absl::flat_hash_map<const google::protobuf::Message*, Place> messages_;
  absl::flat_hash_map<std::tuple<const google::protobuf::Message*, int, int>, Place> fields_;
};

// Parses `block` of chapter `file` and appends its items to `data`. A block that does not parse is
// reported and nothing of it is appended. Texts that are not printable UTF-8 on one line, and enum
// numbers without a name, are reported too.
void AppendBlock(int file, const DataBlock& block, Data& data, Places& places, Problems& problems);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_FRONTEND_DATA_BLOCK_H_
