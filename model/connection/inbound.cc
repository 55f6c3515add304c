#include "model/connection/inbound.h"

#include <algorithm>

namespace metaroce {
namespace {

using spec::Opcode;

// Packets that a message of this length has (MSG-SEGMENT).
uint32_t PacketsOf(const InboundMessage& message, uint32_t mtu) {
  if (message.kind != MessageKind::kWrite && message.kind != MessageKind::kSend) return 1;
  return std::max<uint32_t>(1, message.length / mtu + (message.length % mtu != 0));
}

}  // namespace

Inbound::Inbound(Msn start, const InboundLimits& limits) : limits_(limits) {
  slots_.resize(limits.streams);
  for (Slot& slot : slots_) slot.head = start;
}

InboundMessage* Inbound::Begin(const RequestPacket& packet) {
  InboundMessage message;
  message.stream = packet.stream;
  message.msn = packet.msn;
  message.kind = KindOf(packet.opcode);
  message.length = packet.length;
  message.address = packet.address;
  message.rkey = packet.rkey;
  message.operand = packet.operand;
  message.compare = packet.compare;
  if (TakesReadSlot(packet.opcode)) ++reads_;
  return &slots_[packet.stream].open.emplace_back(message);
}

void Inbound::AcceptLast(const RequestPacket& packet, InboundMessage* message) {
  message->last_seen = true;
  message->solicited = packet.solicited;
  message->attached = AttachedOf(packet.opcode);
  message->word = packet.word;
}

bool Inbound::Complete(const InboundMessage& message) const {
  return message.packets >= PacketsOf(message, limits_.mtu);
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
