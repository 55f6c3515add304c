// Messages that are arriving on the stream slots of one connection: the checks of CHECK-MESSAGE
// that need the message, its completion in any order, and its delivery in MSN order.
#ifndef METAROCE_MODEL_CONNECTION_INBOUND_H_
#define METAROCE_MODEL_CONNECTION_INBOUND_H_

#include <array>
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

  InboundMessage* Begin(const RequestPacket& packet);
  static void AcceptLast(const RequestPacket& packet, InboundMessage* message);
  bool Complete(const InboundMessage& message) const;
  std::optional<spec::Reason> CheckForm(const RequestPacket& packet) const;
  std::optional<spec::Reason> CheckFields(const RequestPacket& packet,
                                          const InboundMessage& message) const;

  InboundLimits limits_;
  uint32_t reads_ = 0;
  std::vector<Slot> slots_;
};

inline bool RequestPacket::HasPayloadTail() const {
  static constexpr auto kHasPayloadTail = [] {
    std::array<bool, 256> table{};
    for (const spec::Opcode o : spec::kOpcodes) {
      table[static_cast<uint8_t>(o)] = spec::Info(o).tail == spec::Tail::kPayload;
    }
    return table;
  }();
  return kHasPayloadTail[static_cast<uint8_t>(opcode)];
}

inline MessageKind KindOf(spec::Opcode opcode) {
  switch (opcode) {
    case spec::Opcode::kSend:
    case spec::Opcode::kSendWithImmediate:
    case spec::Opcode::kSendWithInvalidate:
      return MessageKind::kSend;
    case spec::Opcode::kReadRequest:
      return MessageKind::kRead;
    case spec::Opcode::kFetchAdd:
      return MessageKind::kFetchAdd;
    case spec::Opcode::kCompareSwap:
      return MessageKind::kCompareSwap;
    default:
      return MessageKind::kWrite;
  }
}

inline Attached AttachedOf(spec::Opcode opcode) {
  switch (opcode) {
    case spec::Opcode::kWriteWithImmediate:
    case spec::Opcode::kSendWithImmediate:
      return Attached::kImmediate;
    case spec::Opcode::kSendWithInvalidate:
      return Attached::kInvalidate;
    default:
      return Attached::kNothing;
  }
}

inline bool IsAtomicRequest(spec::Opcode opcode) {
  return opcode == spec::Opcode::kFetchAdd || opcode == spec::Opcode::kCompareSwap;
}

inline bool TakesReadSlot(spec::Opcode opcode) {
  return opcode == spec::Opcode::kReadRequest || IsAtomicRequest(opcode);
}

inline RequestPacket ToRequest(const spec::Headers& headers, size_t payload) {
  RequestPacket packet;
  packet.opcode = static_cast<spec::Opcode>(headers.common.opcode);
  packet.stream = headers.data.stream;
  packet.msn = Msn(headers.data.msn);
  packet.offset = headers.data.offset;
  packet.length = headers.data.length;
  packet.payload = static_cast<uint32_t>(payload);
  packet.solicited = headers.common.se;
  switch (packet.opcode) {
    case spec::Opcode::kWrite:
    case spec::Opcode::kWriteWithImmediate:
      packet.address = headers.write_target.address;
      packet.rkey = headers.write_target.rkey;
      break;
    case spec::Opcode::kReadRequest:
      packet.address = headers.read_request.address;
      packet.rkey = headers.read_request.rkey;
      break;
    case spec::Opcode::kFetchAdd:
    case spec::Opcode::kCompareSwap:
      packet.address = headers.atomic.address;
      packet.rkey = headers.atomic.rkey;
      packet.operand = headers.atomic.operand;
      packet.compare = headers.atomic.compare;
      break;
    default:
      break;
  }
  if (packet.opcode == spec::Opcode::kWriteWithImmediate ||
      KindOf(packet.opcode) == MessageKind::kSend) {
    packet.has_index = true;
    packet.index = ReceiveIndex(headers.send_match.receive_index);
  }
  if (AttachedOf(packet.opcode) == Attached::kImmediate) packet.word = headers.immediate.value;
  if (AttachedOf(packet.opcode) == Attached::kInvalidate) packet.word = headers.invalidate.rkey;
  return packet;
}

//= CHECK-MESSAGE
//# A packet fits its message. The rules in their order, each with its reason:
inline std::optional<spec::Reason> Inbound::Check(const RequestPacket& packet) const {
  if (const auto reason = CheckShape(packet)) return reason;
  return CheckSequence(packet);
}

inline std::optional<spec::Reason> Inbound::CheckShape(const RequestPacket& packet) const {
  //= SEQ-STREAM
  //# A stream is a slot, 0 to `streams` - 1.
  if (packet.stream >= slots_.size()) return spec::Reason::kStream;
  if (packet.length > spec::constant::kMessageLengthMax) return spec::Reason::kMessageLength;
  return CheckForm(packet);
}

inline std::optional<spec::Reason> Inbound::CheckSequence(const RequestPacket& packet) const {
  const int32_t ahead = packet.msn - slots_[packet.stream].head;
  if (ahead < 0 || static_cast<uint32_t>(ahead) >= limits_.open_messages) {
    return spec::Reason::kMsnWindow;
  }
  const InboundMessage* message = Find(packet.stream, packet.msn);
  if (message != nullptr && message->complete) return spec::Reason::kMsnWindow;
  if (TakesReadSlot(packet.opcode) && reads_ >= limits_.reads) return spec::Reason::kReads;
  return message == nullptr ? std::nullopt : CheckFields(packet, *message);
}

inline std::optional<spec::Reason> Inbound::CheckForm(const RequestPacket& packet) const {
  if (!packet.HasPayloadTail()) {
    if (packet.offset != 0) return spec::Reason::kRequestForm;
    const bool eight =
        IsAtomicRequest(packet.opcode) || packet.opcode == spec::Opcode::kAtomicResponse;
    if (eight && packet.length != 8) return spec::Reason::kRequestForm;
    if (IsAtomicRequest(packet.opcode) && packet.address % 8 != 0) {
      return spec::Reason::kAtomicAlignment;
    }
    return std::nullopt;
  }
  const bool power = (limits_.mtu & (limits_.mtu - 1)) == 0;  // as every legal MTU is
  if ((power ? packet.offset & (limits_.mtu - 1) : packet.offset % limits_.mtu) != 0) {
    return spec::Reason::kOffsetAlignment;
  }
  const uint64_t end = uint64_t{packet.offset} + packet.payload;
  if (packet.payload > limits_.mtu || end > packet.length) return spec::Reason::kMessageBounds;
  if (end < packet.length && packet.payload != limits_.mtu) return spec::Reason::kPayloadSize;
  if (end < packet.length && AttachedOf(packet.opcode) != Attached::kNothing) {
    return spec::Reason::kNotLast;
  }
  return std::nullopt;
}

inline std::optional<spec::Reason> Inbound::CheckFields(const RequestPacket& packet,
                                                        const InboundMessage& message) const {
  bool agrees = message.kind == KindOf(packet.opcode) && message.length == packet.length &&
                message.address == packet.address && message.rkey == packet.rkey;
  if (message.has_index && packet.has_index) agrees = agrees && message.index == packet.index;
  if (!agrees) return spec::Reason::kMessageFields;
  return std::nullopt;
}

inline InboundMessage* Inbound::Accept(const RequestPacket& packet) {
  InboundMessage* message = const_cast<InboundMessage*>(Find(packet.stream, packet.msn));
  if (message == nullptr) message = Begin(packet);
  ++message->packets;
  if (packet.has_index) {
    message->has_index = true;
    message->index = packet.index;
  }
  if (packet.last()) AcceptLast(packet, message);
  //= MSG-COMPLETE
  //# A message is complete at its receiver when its last packet and at least max(1, ceil(`length` /
  //# MTU)) of its packets, counted by CSN, have been accepted.
  message->complete = message->last_seen && Complete(*message);
  return message;
}

inline const InboundMessage* Inbound::Find(uint16_t stream, Msn msn) const {
  for (const InboundMessage& message : slots_[stream].open) {
    if (message.msn == msn) return &message;
  }
  return nullptr;
}

}  // namespace metaroce

#endif  // METAROCE_MODEL_CONNECTION_INBOUND_H_
