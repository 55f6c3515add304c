// A vector as a plain series: bursts taken apart, packets in bytes, bounds in nanoseconds.
#ifndef METAROCE_CONFORMANCE_EXPORT_UNROLL_H_
#define METAROCE_CONFORMANCE_EXPORT_UNROLL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/dut.pb.h"
#include "conformance/play/codec.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

// One stimulus as the device gets it, or one expectation.
struct FlatStep {
  int step = 0;        // of the vector, from 1; of a burst all have the same
  std::string clause;  // that it tests; empty of a stimulus that names none
  std::string note;
  bool stimulus = false;
  dut::Request request;         // of a stimulus: Apply or Advance
  vectors::Expectation expect;  // of an expectation, without bounds
  uint64_t from = 0;            // of an expectation: not before, not after; both 0 without time
  uint64_t until = 0;
};

// Why the vector is no plain series of steps: it "takes over what the device chose" (CONF-TAKEN),
// or "has a peer that answers" (CONF-SYSTEM). Empty if it is one.
std::string WhyNoSeries(const vectors::Vector& vector);

// In levels and blocks without time each stimulus stands right in front of what it is answered by,
// a burst's too. Elsewhere the order is the vector's. Bounds are those of a device whose profile
// has the defaults. InvalidArgumentError if a packet cannot be built from its fields, or if the
// vector is no plain series. Precondition: no findings of vectors/lint.h.
absl::StatusOr<std::vector<FlatStep>> Unroll(const vectors::Vector& vector,
                                             const vectors::SpecIndex& index,
                                             const PacketCodec* codec);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_EXPORT_UNROLL_H_
