// A capture of a connection (conformance/check/trace.h) made into a vector of level endpoint: one
// side is the device, and what reached it is what the vector gives.
#ifndef METAROCE_CONFORMANCE_PROMOTE_FROM_CAPTURE_H_
#define METAROCE_CONFORMANCE_PROMOTE_FROM_CAPTURE_H_

#include <cstdint>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "conformance/check/check.h"
#include "conformance/check/trace.h"
#include "conformance/play/codec.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::promote {

struct FromCapture {
  // Without id, title, clauses and flags. Its expectations are what the model does.
  vectors::Vector vector;
  std::set<int> made;  // indices of the steps that expect something
  // The first packet that the model sends in another way than the side in the capture did, in a
  // sentence: what the side did wrong, or a choice of which it did not take the default. Empty if
  // there is none.
  std::string differs;
};

// What that side ('a' or 'b') was given after the handshake, up to the verdict if there is one and
// to the end otherwise. Times count from the side's CONNECT or CONNECT_REPLY. What its packets do
// not tell is chosen: ids and addresses of buffers. InvalidArgumentError if the capture does not
// show the side's handshake, or is too long for a vector.
absl::StatusOr<FromCapture> VectorOf(const check::Trace& trace, const check::Profiles& profiles,
                                     const check::Result& result, char side,
                                     const vectors::SpecIndex& index,
                                     const conformance::PacketCodec& codec);

}  // namespace metaroce::promote

#endif  // METAROCE_CONFORMANCE_PROMOTE_FROM_CAPTURE_H_
