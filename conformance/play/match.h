// One event against one expectation.
#ifndef METAROCE_CONFORMANCE_PLAY_MATCH_H_
#define METAROCE_CONFORMANCE_PLAY_MATCH_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "conformance/dut.pb.h"
#include "conformance/play/codec.h"
#include "vectors/records.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

// What came: an event, or the rejection of a frame.
struct Outcome {
  const dut::Event* event = nullptr;
  std::string reject;  // if there is no event; empty: nothing came
};

struct Mismatch {
  std::string expected;
  std::string got;
  size_t equal = 0;  // how much agreed, to find the closest of several
};

// A field of both sides of a divergence, in words; empty where a side does not have it.
struct Side {
  std::string field;
  std::string expected;
  std::string got;
  bool differs = false;
};

// Both sides in full, field by field in the order of what is expected. Fields that came and that
// the expectation does not compare do not differ.
std::vector<Side> Decode(const vectors::Expectation& expectation, const Outcome& outcome,
                         const PacketCodec* codec);

// What came, as fields: a record as it is, a frame decoded (its bytes, if it cannot be), a
// placement and a rejection by names of their own. None if nothing came.
vectors::Fields GotFields(const Outcome& outcome, const PacketCodec* codec);

// What the expectation asks for, in words: "ACK path 0 number 1, a packet with ack.csn = 7",
// "reject icrc". Without `codec` packets have no names.
std::string Describe(const vectors::Expectation& expectation, const PacketCodec* codec = nullptr);
// What came, in words.
std::string Describe(const Outcome& outcome, const PacketCodec* codec);

// Nothing if the contents of `outcome` are what `expectation` asks for; time is not looked at.
// Precondition: `expectation` is not `nothing`. `codec` is needed for packets by fields.
std::optional<Mismatch> Match(const vectors::Expectation& expectation, const Outcome& outcome,
                              const PacketCodec* codec);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_PLAY_MATCH_H_
