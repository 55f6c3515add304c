#include "model/connection/inbound.h"

#include <algorithm>

namespace metaroce {
namespace {

using spec::Opcode;
using spec::Reason;

MessageKind KindOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kSend:
    case Opcode::kSendWithImmediate:
    case Opcode::kSendWithInvalidate:
      return MessageKind::kSend;
    case Opcode::kReadRequest:
      return MessageKind::kRead;
    case Opcode::kFetchAdd:
      return MessageKind::kFetchAdd;
    case Opcode::kCompareSwap:
      return MessageKind::kCompareSwap;
    default:
      return MessageKind::kWrite;
  }
}

Attached AttachedOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kWriteWithImmediate:
    case Opcode::kSendWithImmediate:
      return Attached::kImmediate;
    case Opcode::kSendWithInvalidate:
      return Attached::kInvalidate;
    default:
      return Attached::kNothing;
  }
}

bool IsAtomic(Opcode opcode) {
  return opcode == Opcode::kFetchAdd || opcode == Opcode::kCompareSwap;
}

bool TakesReadSlot(Opcode opcode) { return opcode == Opcode::kReadRequest || IsAtomic(opcode); }

// Packets that a message of this length has (MSG-SEGMENT).
uint32_t PacketsOf(const InboundMessage& message, uint32_t mtu) {
  if (message.kind != MessageKind::kWrite && message.kind != MessageKind::kSend) return 1;
  return std::max<uint32_t>(1, message.length / mtu + (message.length % mtu != 0));
}

}  // namespace

bool RequestPacket::HasPayloadTail() const {
  return spec::Info(opcode).tail == spec::Tail::kPayload;
}

RequestPacket ToRequest(const spec::Headers& headers, size_t payload) {
  RequestPacket packet;
  packet.opcode = static_cast<Opcode>(headers.common.opcode);
  packet.stream = headers.data.stream;
  packet.msn = Msn(headers.data.msn);
  packet.offset = headers.data.offset;
  packet.length = headers.data.length;
  packet.payload = static_cast<uint32_t>(payload);
  packet.solicited = headers.common.se;
  switch (packet.opcode) {
    case Opcode::kWrite:
    case Opcode::kWriteWithImmediate:
      packet.address = headers.write_target.address;
      packet.rkey = headers.write_target.rkey;
      break;
    case Opcode::kReadRequest:
      packet.address = headers.read_request.address;
      packet.rkey = headers.read_request.rkey;
      break;
    case Opcode::kFetchAdd:
    case Opcode::kCompareSwap:
      packet.address = headers.atomic.address;
      packet.rkey = headers.atomic.rkey;
      packet.operand = headers.atomic.operand;
      packet.compare = headers.atomic.compare;
      break;
    default:
      break;
  }
  if (packet.opcode == Opcode::kWriteWithImmediate || KindOf(packet.opcode) == MessageKind::kSend) {
    packet.has_index = true;
    packet.index = ReceiveIndex(headers.send_match.receive_index);
  }
  if (AttachedOf(packet.opcode) == Attached::kImmediate) packet.word = headers.immediate.value;
  if (AttachedOf(packet.opcode) == Attached::kInvalidate) packet.word = headers.invalidate.rkey;
  return packet;
}

Inbound::Inbound(Msn start, const InboundLimits& limits) : limits_(limits) {
  slots_.resize(limits.streams);
  for (Slot& slot : slots_) slot.head = start;
}

//= CHECK-MESSAGE
//# A packet fits its message. The rules in their order, each with its reason:
std::optional<Reason> Inbound::Check(const RequestPacket& packet) const {
  if (const auto reason = CheckShape(packet)) return reason;
  return CheckSequence(packet);
}

std::optional<Reason> Inbound::CheckShape(const RequestPacket& packet) const {
  //= SEQ-STREAM
  //# A stream is a slot, 0 to `streams` - 1.
  if (packet.stream >= slots_.size()) return Reason::kStream;
  if (packet.length > spec::constant::kMessageLengthMax) return Reason::kMessageLength;
  return CheckForm(packet);
}

std::optional<Reason> Inbound::CheckSequence(const RequestPacket& packet) const {
  const int32_t ahead = packet.msn - slots_[packet.stream].head;
  if (ahead < 0 || static_cast<uint32_t>(ahead) >= limits_.open_messages) return Reason::kMsnWindow;
  const InboundMessage* message = Find(packet.stream, packet.msn);
  if (message != nullptr && message->complete) return Reason::kMsnWindow;
  if (TakesReadSlot(packet.opcode) && reads_ >= limits_.reads) return Reason::kReads;
  return CheckFields(packet);
}

std::optional<Reason> Inbound::CheckForm(const RequestPacket& packet) const {
  if (!packet.HasPayloadTail()) {
    if (packet.offset != 0) return Reason::kRequestForm;
    const bool eight = IsAtomic(packet.opcode) || packet.opcode == Opcode::kAtomicResponse;
    if (eight && packet.length != 8) return Reason::kRequestForm;
    if (IsAtomic(packet.opcode) && packet.address % 8 != 0) return Reason::kAtomicAlignment;
    return std::nullopt;
  }
  if (packet.offset % limits_.mtu != 0) return Reason::kOffsetAlignment;
  const uint64_t end = uint64_t{packet.offset} + packet.payload;
  if (packet.payload > limits_.mtu || end > packet.length) return Reason::kMessageBounds;
  if (end < packet.length && packet.payload != limits_.mtu) return Reason::kPayloadSize;
  if (end < packet.length && AttachedOf(packet.opcode) != Attached::kNothing) {
    return Reason::kNotLast;
  }
  return std::nullopt;
}

std::optional<Reason> Inbound::CheckFields(const RequestPacket& packet) const {
  const InboundMessage* message = Find(packet.stream, packet.msn);
  if (message == nullptr) return std::nullopt;
  bool agrees = message->kind == KindOf(packet.opcode) && message->length == packet.length &&
                message->address == packet.address && message->rkey == packet.rkey;
  if (message->has_index && packet.has_index) agrees = agrees && message->index == packet.index;
  if (!agrees) return Reason::kMessageFields;
  return std::nullopt;
}

const InboundMessage* Inbound::Find(uint16_t stream, Msn msn) const {
  for (const InboundMessage& message : slots_[stream].open) {
    if (message.msn == msn) return &message;
  }
  return nullptr;
}

InboundMessage* Inbound::Accept(const RequestPacket& packet) {
  std::vector<InboundMessage>& open = slots_[packet.stream].open;
  auto it = std::find_if(open.begin(), open.end(),
                         [&](const InboundMessage& m) { return m.msn == packet.msn; });
  if (it == open.end()) {
    InboundMessage message;
    message.stream = packet.stream;
    message.msn = packet.msn;
    message.kind = KindOf(packet.opcode);
    message.length = packet.length;
    message.address = packet.address;
    message.rkey = packet.rkey;
    message.operand = packet.operand;
    message.compare = packet.compare;
    it = open.insert(open.end(), message);
    if (TakesReadSlot(packet.opcode)) ++reads_;
  }
  ++it->packets;
  if (packet.has_index) {
    it->has_index = true;
    it->index = packet.index;
  }
  if (packet.last()) {
    it->last_seen = true;
    it->solicited = packet.solicited;
    it->attached = AttachedOf(packet.opcode);
    it->word = packet.word;
  }
  //= MSG-COMPLETE
  //# A message is complete at its receiver when its last packet and at least max(1, ceil(`length` /
  //# MTU)) of its packets, counted by CSN, have been accepted.
  it->complete = it->last_seen && it->packets >= PacketsOf(*it, limits_.mtu);
  return &*it;
}

std::optional<InboundMessage> Inbound::Deliver(uint16_t stream) {
  //= MSG-DELIVER
  //# A request is delivered when it is complete and every earlier request of its stream has been
  //# delivered.
  Slot& slot = slots_[stream];
  auto it = std::find_if(slot.open.begin(), slot.open.end(),
                         [&](const InboundMessage& m) { return m.msn == slot.head; });
  if (it == slot.open.end() || !it->complete) return std::nullopt;
  const InboundMessage message = *it;
  *it = slot.open.back();
  slot.open.pop_back();
  ++slot.head;
  return message;
}

}  // namespace metaroce
