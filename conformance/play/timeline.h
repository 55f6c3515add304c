// What happened between a vector and a device, on one axis of time and a lane for each path: for a
// person's eyes, and never for a verdict.
#ifndef METAROCE_CONFORMANCE_PLAY_TIMELINE_H_
#define METAROCE_CONFORMANCE_PLAY_TIMELINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/play/codec.h"
#include "conformance/play/match.h"
#include "conformance/play/script.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

struct Mark {
  enum class Kind { kStimulus, kExpected, kGot };

  Kind kind = Kind::kStimulus;
  uint64_t at = 0;     // nanoseconds; 0 without time
  uint64_t until = 0;  // kExpected: the latest time at which it is met
  int step = 0;        // from 1; 0: of no step
  std::string lane;    // "path 2", "host" for what the application sees, "block", "codec"
  std::string text;    // one line: "ACK path 2 number 15"
};

// The most marks that are kept of one vector.
inline constexpr size_t kMaxMarks = 200;

// The k-th of the stimulus with that index, which comes at `at`.
Mark MarkOfStimulus(const Script& script, int step, uint32_t k, uint64_t at,
                    const PacketCodec* codec);
// The next of an expectation.
Mark MarkOfExpectation(const Script& script, const Waiting& waiting, const PacketCodec* codec);
// What came in the answer to the request of the step with that index.
Mark MarkOfOutcome(const Script& script, int step, const Outcome& outcome,
                   const PacketCodec* codec);

// Stimuli and expectations of a whole vector, for a device with that profile.
std::vector<Mark> MarksOf(const Script& script, const PacketCodec* codec);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_PLAY_TIMELINE_H_
