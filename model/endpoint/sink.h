// What a step of an endpoint does to the world: told to a sink as it happens, in order.
#ifndef METAROCE_MODEL_ENDPOINT_SINK_H_
#define METAROCE_MODEL_ENDPOINT_SINK_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "model/path/receive_path.h"
#include "model/serial.h"
#include "model/wire/frame/address.h"
#include "model/wire/frame/builder.h"
#include "model/wire/packet/packet.h"
#include "spec/tables.h"

namespace metaroce::endpoint {

// A port of an endpoint: its addresses on one plane.
struct Port {
  frame::MacAddress mac;
  frame::IpAddress ip;

  bool operator==(const Port&) const = default;
};

// A packet that leaves. The packet, its payload and its options, and the ports are references that
// hold until the call of the sink returns.
struct PacketOut {
  const packet::Packet& packet;
  Route route;  // entropy and plane
  const Port& from;
  const Port& to;
  uint8_t dscp = 0;
  uint8_t hop_limit = 64;
  uint16_t udp_port = 0;
};

// The layers below the transport for a packet that leaves.
inline frame::Flow FlowOf(const PacketOut& out) {
  return {.dst_mac = out.to.mac,
          .src_mac = out.from.mac,
          .src = out.from.ip,
          .dst = out.to.ip,
          .dscp = out.dscp,
          .ecn = frame::Ecn::kEct0,
          .ttl = out.hop_limit,
          //= WIRE-FLOW-LABEL
          //# In IPv6 the low 16 bits of the flow label are the UDP source port and the high four
          //# bits are zero.
          .flow_label = out.from.ip.is_v4() ? 0u : out.route.entropy,
          .src_port = out.route.entropy,
          .dst_port = out.udp_port};
}
inline frame::FrameSpec FrameOf(const PacketOut& out) { return frame::FrameSpec{FlowOf(out)}; }

// A receive is complete (MSG-RECEIVE-COMPLETION).
struct ReceiveDone {
  uint64_t id = 0;
  spec::CompletionStatus status = spec::CompletionStatus::kSuccess;
  uint32_t length = 0;  // bytes of the message
  uint16_t stream = 0;
  bool solicited = false;
  std::optional<uint32_t> immediate;
  std::optional<uint32_t> invalidated;

  bool operator==(const ReceiveDone&) const = default;
};

// A work request is complete (MSG-COMPLETION).
struct WorkDone {
  uint64_t id = 0;
  uint16_t stream = 0;
  spec::CompletionStatus status = spec::CompletionStatus::kSuccess;

  bool operator==(const WorkDone&) const = default;
};

// Why a connection ended (STATUS-TOLD).
struct Ended {
  spec::ConnectionCause cause = spec::ConnectionCause::kClosed;
  uint8_t code = 0;  // reason of a refusal, or code of a rejection
  // Of a rejection: the least and the greatest wire version that the peer speaks.
  uint8_t version_min = 0;
  uint8_t version_max = 0;

  bool operator==(const Ended&) const = default;
};

// All calls come in the order in which things happen and name the connection by its own cid. A sink
// may not call the endpoint.
class Sink {
 public:
  virtual ~Sink() = default;

  // A packet was handed to the wire.
  virtual void OnPacket(uint32_t /*cid*/, const PacketOut& /*out*/) {}
  // Payload is to be written, before anything that follows. 1 byte or more; an atomic writes 8.
  virtual void OnPlacement(uint32_t /*cid*/, uint64_t /*address*/, packet::Bytes /*data*/) {}
  virtual void OnReceive(uint32_t /*cid*/, const ReceiveDone& /*done*/) {}
  virtual void OnWork(uint32_t /*cid*/, const WorkDone& /*done*/) {}
  // The connection is OPEN: work may be posted.
  virtual void OnOpen(uint32_t /*cid*/) {}
  virtual void OnEnded(uint32_t /*cid*/, const Ended& /*ended*/) {}
};

// The application's memory.
class Memory {
 public:
  virtual ~Memory() = default;
  // `length` bytes at `address`, which hold until the end of the step; or fewer if they cannot be
  // read.
  virtual packet::Bytes Read(uint64_t address, uint32_t length) = 0;
};

}  // namespace metaroce::endpoint

#endif  // METAROCE_MODEL_ENDPOINT_SINK_H_
