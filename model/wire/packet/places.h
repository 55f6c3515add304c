// Where the parts of a frame to be written stand. Internal.
#ifndef METAROCE_MODEL_WIRE_PACKET_PLACES_H_
#define METAROCE_MODEL_WIRE_PACKET_PLACES_H_

#include <cstddef>
#include <cstdint>

#include "model/wire/frame/builder.h"
#include "model/wire/frame/frame.h"

namespace metaroce::packet {

// As much of a Frame as the iCRC looks at: places and IP version, which `spec.wrong` does not
// change. `headers` is frame::HeadersLength(spec).
inline frame::Frame PlacesOf(const frame::FrameSpec& spec, size_t headers,
                             size_t transport_length) {
  frame::Frame f;
  f.ip_version = static_cast<uint8_t>(spec.src.version());
  const size_t link =
      spec.ethernet ? frame::kEthernetHeaderLength + size_t{spec.vlan_count} * frame::kVlanTagLength
                    : 0;
  f.ip_offset = static_cast<uint16_t>(link);
  f.udp_offset = static_cast<uint16_t>(headers - frame::kUdpHeaderLength);
  f.payload_offset = static_cast<uint16_t>(headers);
  f.payload_length = static_cast<uint16_t>(transport_length);
  return f;
}

}  // namespace metaroce::packet

#endif  // METAROCE_MODEL_WIRE_PACKET_PLACES_H_
