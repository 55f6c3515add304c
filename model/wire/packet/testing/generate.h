// Packets and frames out of a stream of numbers: for property tests, where the numbers shrink, and
// for fuzzing, where a seed gives them.
#ifndef METAROCE_MODEL_WIRE_PACKET_TESTING_GENERATE_H_
#define METAROCE_MODEL_WIRE_PACKET_TESTING_GENERATE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "model/wire/frame/builder.h"
#include "model/wire/packet/packet.h"

namespace metaroce::packet::testing {

using Draw = std::function<uint64_t()>;

// A packet with the bytes that it refers to. Copies share them.
struct OwnedPacket {
  Packet packet;
  std::shared_ptr<const std::vector<uint8_t>> bytes;  // payload or options
};

// A packet that can be serialised: every field 0, 1, its greatest value, the one below, or any;
// tails of any legal form. A receiver accepts it; a sender need not be allowed to send it.
OwnedPacket AnyPacket(spec::Opcode opcode, const Draw& draw);

// The same, changed as little as it takes for Validate to accept it.
OwnedPacket AnySendable(spec::Opcode opcode, const Draw& draw);

// A frame to put it in: IPv4 or IPv6, VLAN tags, IPv4 options, all fields.
frame::FrameSpec AnyFrame(const Draw& draw);

}  // namespace metaroce::packet::testing

#endif  // METAROCE_MODEL_WIRE_PACKET_TESTING_GENERATE_H_
