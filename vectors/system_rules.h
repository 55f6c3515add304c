// What a vector of level system has beside its steps: the peer, and the path between the two ends
// (CONF-SYSTEM, CONF-SYSTEM-PATH).
#ifndef METAROCE_VECTORS_SYSTEM_RULES_H_
#define METAROCE_VECTORS_SYSTEM_RULES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::vectors {

// The shortest and the longest delay of a path, in nanoseconds.
inline constexpr uint64_t kMinDelay = 100;
inline constexpr uint64_t kMaxDelay = 1'000'000'000;
inline constexpr uint64_t kMaxTurns = 100'000;

// The shortest of all delays: how long a turn is (CONF-SYSTEM-ORDER). 0 if there is none.
uint64_t ShortestDelay(const System& system);

// The capability that the DUT needs for a post, empty if none but that of its level.
absl::string_view CapabilityOfPost(const Fields& post);

// What is wrong with the configuration, with `system`, and with what this level asks of its steps:
// the member, and a sentence.
std::vector<std::pair<std::string, std::string>> FaultsOfSystem(const Vector& vector,
                                                                const SpecIndex& index);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_SYSTEM_RULES_H_
