// Messages that are arriving on the stream slots of one connection: the checks of CHECK-MESSAGE
// that need the message, its completion in any order, and its delivery in MSN order.
#ifndef METAROCE_MODEL_CONNECTION_INBOUND_H_
#define METAROCE_MODEL_CONNECTION_INBOUND_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "model/serial.h"
#include "spec/layouts.h"
#include "spec/tables.h"

namespace metaroce {

struct StateFields;  // model/state/fields.h

enum class MessageKind : uint8_t { kWrite, kSend, kRead, kFetchAdd, kCompareSwap };

// What the last packet of a message carries for the receiver's application.
enum class Attached : uint8_t { kNothing, kImmediate, kInvalidate };

struct InboundMessage {
  uint16_t stream = 0;
  Msn msn;
  MessageKind kind = MessageKind::kWrite;
  Attached attached = Attached::kNothing;
  bool last_seen = false;
  bool solicited = false;
  bool has_index = false;
  bool complete = false;
  uint32_t packets = 0;  // accepted, by CSN
  uint32_t length = 0;
  uint32_t rkey = 0;
  uint32_t word = 0;  // immediate or key, by `attached`
  ReceiveIndex index;
  uint64_t address = 0;
  uint64_t operand = 0;
  uint64_t compare = 0;

  bool operator==(const InboundMessage&) const = default;
};

// A DATA request packet as the message rules see it.
struct RequestPacket {
  spec::Opcode opcode = spec::Opcode::kWrite;
  uint16_t stream = 0;
  Msn msn;
  uint32_t offset = 0;
  uint32_t length = 0;
  uint32_t payload = 0;  // bytes
  bool solicited = false;
  bool has_index = false;
  ReceiveIndex index;
  uint64_t address = 0;
  uint32_t rkey = 0;
  uint32_t word = 0;
  uint64_t operand = 0;
  uint64_t compare = 0;

  bool last() const { return uint64_t{offset} + payload == length || !HasPayloadTail(); }
  bool HasPayloadTail() const;
};

// Sizes that the handshake fixed.
struct InboundLimits {
  uint32_t mtu = 1024;          // bytes
  uint32_t streams = 64;        // slots
  uint32_t open_messages = 64;  // a stream
  uint32_t reads = 64;          // Reads and atomics accepted and not answered

  bool operator==(const InboundLimits&) const = default;
};

// The request packet of a DATA packet, whatever is in it.
RequestPacket ToRequest(const spec::Headers& headers, size_t payload);

class Inbound {
 public:
  Inbound(Msn start, const InboundLimits& limits);
  Inbound() : Inbound(Msn(), InboundLimits()) {}

  // The rules of CHECK-MESSAGE in their order; nullopt if all hold. Changes nothing.
  std::optional<spec::Reason> Check(const RequestPacket& packet) const;
  // The rules in front of those on responses, which these must keep too; and the rules behind,
  // which are for requests only. Precondition of the second: the first holds.
  std::optional<spec::Reason> CheckShape(const RequestPacket& packet) const;
  std::optional<spec::Reason> CheckSequence(const RequestPacket& packet) const;

  // Records a packet that passed all checks and returns its message. The pointer holds until the
  // next call of Accept or Deliver.
  InboundMessage* Accept(const RequestPacket& packet);

  // The next message of `stream` to be delivered, taken off, if it is complete (MSG-DELIVER).
  std::optional<InboundMessage> Deliver(uint16_t stream);

  // The open message, or null if no packet of it was accepted or it has been delivered.
  const InboundMessage* Find(uint16_t stream, Msn msn) const;

  // A response's last packet was transmitted for the first time (MSG-READ-SLOT).
  void ReadAnswered() { --reads_; }

  bool operator==(const Inbound&) const = default;

 private:
  friend struct StateFields;

  struct Slot {
    Msn head;                          // first MSN not delivered
    std::vector<InboundMessage> open;  // in no order; at most open_messages

    bool operator==(const Slot&) const = default;
  };

  std::optional<spec::Reason> CheckForm(const RequestPacket& packet) const;
  std::optional<spec::Reason> CheckFields(const RequestPacket& packet) const;

  InboundLimits limits_;
  uint32_t reads_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_CONNECTION_INBOUND_H_
