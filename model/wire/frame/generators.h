// Random frames for property tests.
#ifndef METAROCE_MODEL_WIRE_FRAME_GENERATORS_H_
#define METAROCE_MODEL_WIRE_FRAME_GENERATORS_H_

#include <cstdint>
#include <vector>

#include "model/wire/frame/builder.h"
#include "rapidcheck.h"

namespace metaroce::frame {

inline std::vector<uint8_t> AnyBytes(size_t min_length, size_t max_length) {
  const size_t length = *rc::gen::inRange<size_t>(min_length, max_length + 1);
  return *rc::gen::container<std::vector<uint8_t>>(length, rc::gen::arbitrary<uint8_t>());
}

// A number of which every value is likely; of itself, rapidcheck prefers small ones.
template <typename T>
T AnyNumber() {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value =
        static_cast<T>(value << 8 | *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 256)));
  }
  return value;
}

inline IpAddress AnyAddress(bool v4) {
  std::array<uint8_t, 16> bytes;
  for (uint8_t& byte : bytes) byte = AnyNumber<uint8_t>();
  return v4 ? IpAddress::V4({bytes[0], bytes[1], bytes[2], bytes[3]}) : IpAddress::V6(bytes);
}

// A spec without overrides, every field over its range. What does not apply to
// its IP version or link type has the value that ParseFrame gives.
inline FrameSpec AnySpec() {
  FrameSpec spec;
  spec.ethernet = *rc::gen::arbitrary<bool>();
  if (spec.ethernet) {
    for (uint8_t& byte : spec.dst_mac.bytes) byte = AnyNumber<uint8_t>();
    for (uint8_t& byte : spec.src_mac.bytes) byte = AnyNumber<uint8_t>();
    spec.vlan_count = *rc::gen::inRange<uint8_t>(0, 3);
    for (size_t i = 0; i < spec.vlan_count; ++i) {
      spec.vlans[i].tpid = *rc::gen::element(kEtherTypeVlan, kEtherTypeServiceVlan);
      spec.vlans[i].tci = AnyNumber<uint16_t>();
    }
  }
  const bool v4 = *rc::gen::arbitrary<bool>();
  spec.src = AnyAddress(v4);
  spec.dst = AnyAddress(v4);
  spec.dscp = AnyNumber<uint8_t>() >> 2;
  spec.ecn = static_cast<Ecn>(*rc::gen::inRange(0, 4));
  spec.ttl = AnyNumber<uint8_t>();
  spec.dont_fragment = false;
  if (v4) {
    spec.identification = AnyNumber<uint16_t>();
    spec.dont_fragment = *rc::gen::arbitrary<bool>();
    spec.reserved_ip_flag = *rc::gen::arbitrary<bool>();
    spec.options = *Ipv4Options::Of(AnyBytes(0, Ipv4Options::kMaxLength));
  } else {
    spec.flow_label = AnyNumber<uint32_t>() >> 12;
  }
  spec.src_port = AnyNumber<uint16_t>();
  spec.dst_port = AnyNumber<uint16_t>();
  spec.udp_checksum = AnyNumber<uint16_t>();
  return spec;
}

inline LinkType LinkOf(const FrameSpec& spec) {
  return spec.ethernet ? LinkType::kEthernet : LinkType::kRawIp;
}

}  // namespace metaroce::frame

#endif  // METAROCE_MODEL_WIRE_FRAME_GENERATORS_H_
