// The model's receive vector behind the records of the block `receive-vector`
// (CONF-RECEIVE-VECTOR), for completing what a case demands.
#ifndef METAROCE_VECTORS_GEN_RECEIVE_VECTOR_BLOCK_H_
#define METAROCE_VECTORS_GEN_RECEIVE_VECTOR_BLOCK_H_

#include "absl/status/statusor.h"
#include "model/path/receive_path.h"
#include "vectors/records.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::vectors {

class ReceiveVectorBlock {
 public:
  explicit ReceiveVectorBlock(const Fields& config);

  // Takes one input. The whole output record; InvalidArgumentError if a field of `demanded`
  // differs.
  absl::StatusOr<Fields> Complete(const Fields& input, const Fields& demanded);

 private:
  ReceivePath path_;
};

// `fields` with `k` times the increments added to its numbers, modulo their widths (CONF-BURST).
Fields Advanced(const Fields& fields, const Fields& by, uint32_t k, Record record,
                const SpecIndex& index);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_GEN_RECEIVE_VECTOR_BLOCK_H_
