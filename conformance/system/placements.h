// What can be seen of placements from outside (CONF-SYSTEM-VERDICT): that each is of a packet that
// arrived, that no CSN has two (INVARIANT-PLACED-ONCE), and that none comes behind its ACK.
// Numbers of a path are told apart by path and epoch.
#ifndef METAROCE_CONFORMANCE_SYSTEM_PLACEMENTS_H_
#define METAROCE_CONFORMANCE_SYSTEM_PLACEMENTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace metaroce::conformance {

class Placements {
 public:
  enum class Fault { kNone, kNoPacket, kAddress };

  explicit Placements(uint16_t udp_port) : udp_port_(udp_port) {}

  // A frame of the peer reaches the device.
  void Arrives(absl::string_view frame);
  // The device writes. kAddress: a packet has the bytes, and they belong elsewhere.
  Fault Place(uint64_t address, const std::string& data);
  // The device sends a frame. The CSN of a packet that it acknowledges and has not placed.
  std::optional<uint32_t> Sends(absl::string_view frame) const;
  bool IsAck(absl::string_view frame) const;

 private:
  // Of the packets with one payload: CSN, and the address where the packet says it.
  using Csns = std::map<uint32_t, std::optional<uint64_t>>;

  bool Take(uint32_t csn) { return unplaced_.erase(csn), placed_.insert(csn).second; }

  const uint16_t udp_port_;
  std::map<std::string, Csns> arrived_;  // by payload; of those in placed_ some are gone
  std::set<uint32_t> atomics_;
  std::set<uint32_t> placed_;
  struct Sequence {
    uint8_t path;
    uint8_t epoch;
    uint32_t number;
  };
  std::map<uint32_t, std::vector<Sequence>> unplaced_;  // of arrived_: by which it came
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_SYSTEM_PLACEMENTS_H_
