// The path between the two ends of a vector of level system (CONF-SYSTEM-PATH): a delay for each
// direction and plane, and faults. No queues, no rates, no switches: what happens to a frame
// follows from the vector and from the frames before it, and can be worked out by hand. The fabric
// of model/fabric, in which a queue decides, is for other questions.
#ifndef METAROCE_CONFORMANCE_SYSTEM_NETWORK_H_
#define METAROCE_CONFORMANCE_SYSTEM_NETWORK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

enum class End { kDut, kPeer };

struct Arrival {
  uint64_t at = 0;
  uint32_t plane = 0;
  std::string frame;
};

class Network {
 public:
  // `system`, which has no findings of vectors/lint.h, outlives this.
  Network(const vectors::System& system, uint16_t udp_port);

  // A frame leaves toward that end at that time. Times do not go back.
  void Send(End to, uint64_t at, uint32_t plane, absl::string_view frame);

  // Takes the next frame that arrives there at `until` or before.
  std::optional<Arrival> Take(End to, uint64_t until);

 private:
  // The faults of a direction, and how many frames each could have struck so far.
  struct Rule {
    const vectors::PathFault* fault;
    uint64_t seen = 0;
  };
  struct Direction {
    std::vector<Rule> rules;
    // By arrival, then by departure.
    std::map<std::pair<uint64_t, uint64_t>, Arrival> on_the_way;
  };

  const vectors::System& system_;
  const uint16_t udp_port_;
  Direction directions_[2];
  uint64_t departures_ = 0;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_SYSTEM_NETWORK_H_
