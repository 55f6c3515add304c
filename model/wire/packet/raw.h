// Packets that are odd, or wrong on purpose: a canonical packet, and then named edits.
//
// Below the transport, a FrameSpec has what is odd but legal (VLAN tags, IPv4 options) and what is
// wrong (FrameOverrides). Behind it, RawEdits. Nothing is judged: what comes out may be anything.
#ifndef METAROCE_MODEL_WIRE_PACKET_RAW_H_
#define METAROCE_MODEL_WIRE_PACKET_RAW_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/wire/frame/builder.h"
#include "model/wire/packet/dissect.h"
#include "model/wire/packet/packet.h"

namespace metaroce::packet {

enum class RawIcrc : uint8_t {
  kRight,    // over the bytes as they are at the end, whatever they are
  kWrong,    // kRight with its least significant bit inverted
  kSwapped,  // kRight with its bytes in the reverse order [WIRE-ICRC-ORDER]
  kStale,    // the right one of the packet before the edits
};

struct RawEdits {
  // Parts by the names of dissect.h, set one after the other, in the places they have in the
  // canonical packet: fields, reserved bits, derived fields, pad, padding of options. A number is
  // for a part of at most 64 bits, which it has to fit; data is for a part of as many bytes. No
  // other bit changes.
  std::vector<NamedValue> set;

  // The bytes of the UDP payload, iCRC included: those of the transport before the iCRC are cut
  // at their end, or zeros are added there. The iCRC stands in the last four, or not at all
  // if there are fewer. IP and UDP lengths follow.
  std::optional<size_t> transport_length;

  RawIcrc icrc = RawIcrc::kRight;

  // The bytes of the whole frame: cut at its end, or Ethernet padding of zeros added. No length
  // follows. Comes last.
  std::optional<size_t> frame_length;
};

// The frame. InvalidArgumentError if the packet cannot be serialised, a part is not there or its
// value does not fit, or the frame cannot be built or would be longer than 65,535 bytes of IP.
absl::StatusOr<std::vector<uint8_t>> RawSerialize(const Packet& packet,
                                                  const frame::FrameSpec& spec,
                                                  const RawEdits& edits);

// Puts `value` into the part `name` of the UDP payload `transport` and changes no other bit.
// InvalidArgumentError as above.
absl::Status SetPart(const NamedValue& edit, absl::Span<uint8_t> transport);

}  // namespace metaroce::packet

#endif  // METAROCE_MODEL_WIRE_PACKET_RAW_H_
