// What the model does with a vector: whether it passes, and the expectations that it would fill in.
//
// Expectations that the model made say what the model does, and no more: a person holds them
// against the text before anybody else relies on them.
#ifndef METAROCE_CONFORMANCE_PROMOTE_RETELL_H_
#define METAROCE_CONFORMANCE_PROMOTE_RETELL_H_

#include <cstdint>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "conformance/play/codec.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::promote {

// Why nobody should play the vector, in a sentence: a finding of vectors/lint.h, or the model
// itself does not pass it. Empty if there is nothing.
std::string FaultOf(const vectors::Vector& vector, const vectors::SpecIndex& index,
                    const conformance::PacketCodec& codec);

struct Told {
  vectors::Vector vector;
  std::set<int> made;  // indices of the steps whose values are the model's, or that are new
};

// The stimuli of `vector`, and behind them what the model does up to the time `until`, and up to
// the last bound in time that `vector` has. An expectation for which the model does something of
// its kind keeps its form, its bounds and the names of its fields, and takes over the values; what
// nobody expected becomes an expectation with all fields; one that nothing meets goes. Bursts and
// "one of" stay as they are. So the result may be one that FaultOf refuses. InvalidArgumentError if
// `vector` takes numbers over (CONF-TAKEN), or the model cannot play its stimuli. `made` are the
// indices of the steps that were the model's before; those that stay are among the result's.
absl::StatusOr<Told> Retold(const vectors::Vector& vector, uint64_t until,
                            const vectors::SpecIndex& index, const conformance::PacketCodec& codec,
                            const std::set<int>& made = {});

}  // namespace metaroce::promote

#endif  // METAROCE_CONFORMANCE_PROMOTE_RETELL_H_
