// A step of a vector as a request to the device, and in words.
#ifndef METAROCE_CONFORMANCE_PLAY_STIMULUS_H_
#define METAROCE_CONFORMANCE_PLAY_STIMULUS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "conformance/dut.pb.h"
#include "conformance/play/codec.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

// How many the step stands for: 1, or the count of its burst.
uint32_t CountOf(const vectors::Step& step);

// True if the vector gives a packet by its fields anywhere.
bool NeedsCodec(const vectors::Vector& vector);

// The request for the k-th of the stimulus, at `time`. InvalidArgumentError if a packet cannot be
// built from its fields.
absl::Status MakeRequest(const vectors::Vector& vector, const vectors::Step& step, uint32_t k,
                         uint64_t time, const PacketCodec* codec, const vectors::SpecIndex& index,
                         dut::Request* request);

// "kind = data, sequence = 7, at 100 ns (3 of 512)    opens a hole". Without `codec` packets have
// no names.
std::string DescribeStimulus(const vectors::Step& step, uint32_t k, uint64_t at, bool timed,
                             const PacketCodec* codec = nullptr);

// Turns the expectation of a burst into its k-th.
void GrowExpectation(vectors::Expectation& expectation, const vectors::Fields& by, uint64_t k,
                     const vectors::Vector& vector, const vectors::SpecIndex& index);

// What the names stand for that expectations have taken over (CONF-TAKEN).
using TakenNames = std::map<std::string, uint64_t>;

// True if the vector takes anything over.
bool HasNames(const vectors::Vector& vector);
// Puts the number in the place of each name that is known.
void Resolve(const TakenNames& names, const vectors::Vector& vector,
             const vectors::SpecIndex& index, vectors::Step& stimulus);
void Resolve(const TakenNames& names, const vectors::Vector& vector,
             const vectors::SpecIndex& index, vectors::Expectation& expectation);
// A name that is left in the stimulus; empty if there is none.
std::string NameLeft(const vectors::Step& stimulus);
// A name that is left in the expectation at `step` though it is not this one that takes it over;
// empty if there is none.
std::string NameAhead(const vectors::Expectation& expectation, int step,
                      const vectors::Vector& vector);
// Adds the names that are left in the expectation, with the numbers of what came for it.
void TakeOver(const vectors::Expectation& expectation, const vectors::Fields& got,
              TakenNames& names);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_PLAY_STIMULUS_H_
