// What must have happened for a side to send a packet that its model does not send by itself.
#include "conformance/check/reference.h"

namespace metaroce::check {

using endpoint::Connection;
using packet::Packet;
using spec::Opcode;

void Reference::SetPorts(uint16_t up) {
  const size_t planes = endpoint_.state().settings.ports.size();
  for (size_t plane = 0; plane < planes; ++plane) {
    Note(Given::Kind::kPort, static_cast<uint8_t>(plane), (up >> plane) & 1);
    (void)endpoint_.SetPort(static_cast<uint8_t>(plane), (up >> plane) & 1, At(now_)).ok();
  }
}

void Reference::CauseOpen(const Record& record) {
  const Packet& p = record.packet;
  switch (static_cast<spec::OpenReason>(p.headers.path_open.reason)) {
    case spec::OpenReason::kPlanned:
      Note(Given::Kind::kDrain, p.headers.common.path);
      (void)endpoint_.Drain(cid_, p.headers.common.path, false, At(record.at)).ok();
      return;
    case spec::OpenReason::kLifted:
      Note(Given::Kind::kLift, p.headers.common.path);
      (void)endpoint_.Lift(cid_, p.headers.common.path, At(record.at)).ok();
      return;
    case spec::OpenReason::kPort: {
      // The own port went down: PORT_STATUS, which follows, says which.
      const Record* status =
          own_->Nth(Kind::kPortStatus, sent_[static_cast<size_t>(Kind::kPortStatus)]);
      if (status != nullptr && status->at <= record.at + react_max_) {
        SetPorts(status->packet.headers.port_status.up);
      }
      return;
    }
    default:
      return;
  }
}

void Reference::Cause(const Record& record) {
  const Packet& p = record.packet;
  const endpoint::Step step = At(record.at);
  const uint8_t path = p.headers.common.path;
  const Connection* c = Current();
  if (p.opcode() == Opcode::kConnect && c == nullptr) {
    endpoint::ConnectCommand command;
    for (size_t plane = 0; plane < peer_->planes(); ++plane) {
      command.peer.push_back(peer_->port(plane));
    }
    // A side that never answers is known by where the CONNECT goes.
    if (command.peer[0].ip == frame::IpAddress()) {
      const frame::FrameSpec spec = frame::SpecOf(p.frame, record.frame);
      command.peer[0] = {spec.dst_mac, spec.dst};
    }
    const auto cid = endpoint_.Connect(command, step);
    if (cid.ok()) cid_ = *cid;
    return;
  }
  if (c == nullptr) return;
  switch (p.opcode()) {
    case Opcode::kAck:
      GrantUpTo(ReceiveIndex(p.headers.ack.credit));
      (void)endpoint_.Acknowledge(cid_, path, step).ok();
      return;
    case Opcode::kCredit:
      GrantUpTo(ReceiveIndex(p.headers.credit.credit));
      return;
    case Opcode::kCreditProbe:
      PostProbed(true);
      return;
    case Opcode::kDisconnect:
      if (p.headers.disconnect.reason ==
          static_cast<uint8_t>(spec::DisconnectReason::kApplication)) {
        Note(Given::Kind::kClose);
        (void)endpoint_.Close(cid_, step).ok();
      }
      return;
    case Opcode::kPathOpen:
      return CauseOpen(record);
    case Opcode::kPathClose:
      if (p.headers.path_close.role != static_cast<uint8_t>(spec::CloseRole::kSender)) return;
      if (p.headers.path_close.reason == static_cast<uint8_t>(spec::CloseReason::kDenied)) {
        Note(Given::Kind::kDeny, path);
        (void)endpoint_.Deny(cid_, path, step).ok();
      }
      if (p.headers.path_close.reason == static_cast<uint8_t>(spec::CloseReason::kShrink)) {
        Note(Given::Kind::kDrain, path, true);
        (void)endpoint_.Drain(cid_, path, true, step).ok();
      }
      return;
    case Opcode::kPortStatus:
      if (p.headers.port_status.version == c->port_version + 1) {
        SetPorts(p.headers.port_status.up);
      }
      return;
    default:
      return;
  }
}

}  // namespace metaroce::check
