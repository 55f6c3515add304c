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
    if (!csns_.insert(p.headers.data.csn).second) return;
    if (p.info().tail == spec::Tail::kPayload) {
      ++may_[std::string(p.payload.begin(), p.payload.end())];
    } else {
      ++atomics_;
    }
  }
  // False if no packet had these bytes that has not placed them yet.
  bool Place(const std::string& data) {
    const auto may = may_.find(data);
    if (may != may_.end() && may->second > 0) {
      --may->second;
      return true;
    }
    // What an atomic stores stands in no packet.
    if (data.size() != 8 || atomics_ == 0) return false;
    --atomics_;
    return true;
  }

 private:
  std::set<uint32_t> csns_;
  std::map<std::string, uint32_t> may_;  // payloads that have not been placed
  uint32_t atomics_ = 0;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_SYSTEM_PLACED_ONCE_H_
