// The packets of a vector as a capture, for a person with a packet analyser.
#ifndef METAROCE_CONFORMANCE_EXPORT_PCAPNG_H_
#define METAROCE_CONFORMANCE_EXPORT_PCAPNG_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/export/unroll.h"
#include "conformance/play/codec.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

struct VectorCapture {
  std::string bytes;    // a pcapng; empty if the vector has no packet
  size_t packets = 0;   // in it
  size_t left_out = 0;  // expected by so few fields that no packet has just these
};

// In the order of time, two interfaces for each plane: "plane 0 to the DUT" with what is given,
// "plane 0 from the DUT" with what is expected, at the last moment at which it may come. The
// comment of a packet names the vector, the step, the clause and the bounds. Where some fields are
// expected the packet has these, and what nobody asks for is what the codec puts there.
absl::StatusOr<VectorCapture> WriteCapture(const vectors::Vector& vector,
                                           const std::vector<FlatStep>& steps,
                                           const PacketCodec& codec);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_EXPORT_PCAPNG_H_
