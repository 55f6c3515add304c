// One event against one expectation.
#ifndef METAROCE_CONFORMANCE_RUNNER_MATCH_H_
#define METAROCE_CONFORMANCE_RUNNER_MATCH_H_

#include <cstddef>
#include <optional>
#include <string>

#include "conformance/dut.pb.h"
#include "conformance/runner/codec.h"
#include "vectors/records.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

// What came: an event, or the rejection of a frame.
struct Outcome {
  const dut::Event* event = nullptr;
  std::string reject;  // if there is no event
};

struct Mismatch {
  std::string expected;
  std::string got;
  size_t equal = 0;  // how much agreed, to find the closest of several
};

// What the expectation asks for, in words: "a packet with common.opcode = 65", "reject icrc".
std::string Describe(const vectors::Expectation& expectation);
// What came, in words.
std::string Describe(const Outcome& outcome, const PacketCodec* codec);

// Nothing if the contents of `outcome` are what `expectation` asks for; time is not looked at.
// Precondition: `expectation` is not `nothing`. `codec` is needed for packets by fields.
std::optional<Mismatch> Match(const vectors::Expectation& expectation, const Outcome& outcome,
                              const PacketCodec* codec);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_RUNNER_MATCH_H_
