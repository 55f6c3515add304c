// That the payload of each CSN is placed at most once (INVARIANT-PLACED-ONCE), as far as it can be
// seen from outside: by the bytes.
#ifndef METAROCE_CONFORMANCE_SYSTEM_PLACED_ONCE_H_
#define METAROCE_CONFORMANCE_SYSTEM_PLACED_ONCE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "model/wire/packet/packet.h"

namespace metaroce::conformance {

class PlacedOnce {
 public:
  // A frame reaches the device.
  void Arrives(const std::string& frame, uint16_t udp_port) {
    packet::ParseOptions options;
    options.udp_port = udp_port;
    packet::Packet p;
    const packet::Bytes bytes(reinterpret_cast<const uint8_t*>(frame.data()), frame.size());
    if (!packet::Parse(bytes, options, &p).ok()) return;
    if (p.info().opcode_class != spec::OpcodeClass::kData) return;
    if (p.info().tail == spec::Tail::kPayload) {
      arrived_[std::string(p.payload.begin(), p.payload.end())].insert(p.headers.data.csn);
    } else {
      atomics_.insert(p.headers.data.csn);
    }
  }
  // False if no packet had these bytes that has not placed them yet.
  bool Place(const std::string& data) {
    const auto arrived = arrived_.find(data);
    if (arrived != arrived_.end() && PlaceOneOf(arrived->second)) return true;
    // What an atomic stores stands in no packet.
    return data.size() == 8 && PlaceOneOf(atomics_);
  }

 private:
  using Csns = std::set<uint32_t>;

  bool PlaceOneOf(Csns& csns) {
    while (!csns.empty()) {
      const uint32_t csn = *csns.begin();
      csns.erase(csns.begin());
      if (placed_.insert(csn).second) return true;
    }
    return false;
  }

  std::map<std::string, Csns> arrived_;  // by payload; of those in placed_ some are gone
  Csns atomics_;
  Csns placed_;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_SYSTEM_PLACED_ONCE_H_
