// How evenly the default entropies of a connection lie on equal routes.
#ifndef METAROCE_MODEL_SIM_SPREAD_H_
#define METAROCE_MODEL_SIM_SPREAD_H_

#include <cstdint>
#include <vector>

#include "model/fabric/hash.h"

namespace metaroce::sim {

struct Spread {
  uint32_t paths = 0;
  uint64_t seeds = 0;
  // Sums over the seeds.
  uint64_t fullest = 0;   // paths on the fullest route
  uint64_t emptiest = 0;  // on the emptiest
  uint64_t empty = 0;     // seeds with a route that no path takes
  // Over all seeds.
  uint32_t most = 0;
  uint32_t least = UINT32_MAX;
  uint64_t equal_ppm = 0;  // sum: what equal paths carry over equal routes when the fullest is full
};

// For each number of paths (1 to 255): `seeds` connections, each with a tag, two addresses and a
// switch of its own, whose first paths take the entropies of ENTROPY-CHOICE in order.
// Preconditions: routes is 1 to 256.
std::vector<Spread> SpreadOf(const std::vector<uint32_t>& paths, uint32_t routes, uint64_t seeds,
                             fabric::HashFamily family, bool ipv6);

}  // namespace metaroce::sim

#endif  // METAROCE_MODEL_SIM_SPREAD_H_
