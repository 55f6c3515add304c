#include "model/sim/spread.h"

#include <algorithm>

#include "model/endpoint/endpoint.h"
#include "model/fabric/fabric.h"
#include "model/sim/metrics.h"

namespace metaroce::sim {
namespace {

// The five tuple of a packet from one address to another.
fabric::FiveTuple TupleOf(uint32_t from, uint32_t to, uint16_t entropy, bool ipv6) {
  fabric::FiveTuple tuple;
  uint8_t* out = tuple.bytes.data();
  for (const uint32_t host : {from, to}) {
    const frame::IpAddress address = fabric::AddressOf(host, 0, ipv6);
    out = std::copy(address.bytes().begin(), address.bytes().end(), out);
  }
  for (const uint16_t port : {entropy, static_cast<uint16_t>(spec::constant::kUdpPort)}) {
    *out++ = static_cast<uint8_t>(port >> 8);
    *out++ = static_cast<uint8_t>(port);
  }
  *out++ = 17;
  tuple.length = static_cast<uint8_t>(out - tuple.bytes.data());
  return tuple;
}

}  // namespace

std::vector<Spread> SpreadOf(const std::vector<uint32_t>& paths, uint32_t routes, uint64_t seeds,
                             fabric::HashFamily family, bool ipv6) {
  std::vector<Spread> spreads(paths.size());
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    uint64_t random = fabric::SeedOf(seed, 0);
    const auto tag = static_cast<uint32_t>(fabric::NextRandom(&random));
    const auto from = static_cast<uint32_t>(fabric::NextRandom(&random) % 4096);
    const auto to = static_cast<uint32_t>(fabric::NextRandom(&random) % 4096);
    const fabric::EcmpHash hash(family, fabric::NextRandom(&random));
    for (size_t i = 0; i < paths.size(); ++i) {
      std::vector<uint32_t> on(routes);
      for (uint32_t q = 0; q < paths[i]; ++q) {
        ++on[hash(TupleOf(from, to, endpoint::EntropyOf(q, tag), ipv6)) % routes];
      }
      const uint32_t fullest = *std::max_element(on.begin(), on.end());
      const uint32_t emptiest = *std::min_element(on.begin(), on.end());
      Spread& s = spreads[i];
      s.paths = paths[i];
      ++s.seeds;
      s.fullest += fullest;
      s.emptiest += emptiest;
      s.empty += emptiest == 0 ? 1 : 0;
      s.most = std::max(s.most, fullest);
      s.least = std::min(s.least, emptiest);
      s.equal_ppm += Millionths(paths[i], uint64_t{routes} * fullest);
    }
  }
  return spreads;
}

}  // namespace metaroce::sim
