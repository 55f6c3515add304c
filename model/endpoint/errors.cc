// Errors: how a connection leaves OPEN, what is completed with which status, and the NACKs (chapter
// 12).
#include "model/endpoint/congestion.h"

namespace metaroce::endpoint {
namespace {

using packet::Packet;
using spec::CompletionStatus;
using spec::ConnectionCause;
using spec::ConnectionEvent;
using spec::Counter;
using spec::Opcode;
using spec::Reason;

//= ERROR-FLUSH
//# The streams come in ascending order, within a stream the work requests in the order of their
//# MSNs, then the receives in the order of their indices.
void CompleteAllAs(const Scope& s, uint32_t concerned, CompletionStatus status,
                   std::optional<ReceiveIndex> receive) {
  for (uint16_t stream = 0; stream < s.c.outbound.streams(); ++stream) {
    bool good = true;
    //= ERROR-ONCE
    //# Each work request and each receive is completed exactly once, with whatever status.
    for (uint32_t m; (m = s.c.outbound.Flush(stream)) != Outgoing::kNone;) {
      const Outgoing& message = s.c.outbound.at(m);
      WorkDone done;
      done.id = message.work.id;
      done.stream = stream;
      //= ERROR-FLUSH
      //# A work request that is done is completed with `success` only if all earlier ones of its
      //# stream have been completed with `success`; else it is `flushed`.
      s.Hit(spec::clause::kErrorFlush);
      //= STATUS-CAUSE
      //# the one concerned, is completed with the status of the cause
      if (m == concerned) s.Hit(spec::clause::kStatusCause);
      if (m == concerned) {
        done.status = status;
      } else if (!good || !message.done) {
        done.status = CompletionStatus::kFlushed;
      }
      good = done.status == CompletionStatus::kSuccess;
      s.step.sink->OnWork(s.c.cid(), done);
    }
  }
  PostedReceive posted;
  ReceiveIndex index;
  while (s.c.receives.TakeFirst(&posted, &index)) {
    ReceiveDone done;
    done.id = posted.id;
    const bool this_one = receive && *receive == index;
    s.Hit(spec::clause::kErrorFlush);
    if (this_one) s.Hit(spec::clause::kStatusCause);
    done.status = this_one ? CompletionStatus::kReceiveTooShort : CompletionStatus::kFlushed;
    s.step.sink->OnReceive(s.c.cid(), done);
  }
}

Opcode NackOf(Reason reason) {
  return spec::Info(reason).nack.value_or(Opcode::kNackInvalidRequest);
}

}  // namespace

//= CLOSE-FREE
//# all its contexts are free at once, its timers and clocks stop, what waits to be sent is
//# forgotten, nothing more is placed for it
void LeaveOpen(const Scope& s, uint32_t concerned, CompletionStatus status,
               std::optional<ReceiveIndex> receive) {
  Connection& c = s.c;
  s.Hit(spec::clause::kCloseFree);
  for (size_t q = 0; q < c.out.size(); ++q) {
    PathEvent(s, static_cast<uint8_t>(q), spec::PathEvent::kConnectionEnds);
    EndPathContexts(s, static_cast<uint8_t>(q));
  }
  TellEnds(s);
  c.timers.StopAll();
  s.e.hints.Forget(c.cid());
  if (c.holds) --s.e.holding;
  c.holds = false;
  //= RES-ALL-FREE
  //# When the last connection has ended, all contexts are free at once.
  if (s.e.shared_out + s.e.shared_in + s.e.holding == 0) s.Hit(spec::clause::kResAllFree);
  CompleteAllAs(s, concerned, status, receive);
  c.outbound =
      Outbound(Msn(), ReceiveIndex(), ReceiveIndex(), OutboundLimits{c.local.mtu, 1, 1, 1});
  c.sent = SentCsns(c.sent.next());
  c.inbound = Inbound(Msn(), InboundLimits{c.local.mtu, 1, 1, 1});
  c.lost.clear();
  c.lost_waiting = 0;
  c.unacknowledged = 0;
  c.outstanding_since = kNever;
  Enter(s, &c.credit, spec::CreditEvent::kConnectionEnds);
  Enter(s, &c.port_status, spec::PortStatusEvent::kConnectionEnds);
  c.asked.reset();
}

//= ERROR-NACK-STORED
//# One that enters ERROR for another cause stores NACK_CLOSING and sends nothing.
void Err(const Scope& s, ConnectionEvent event, ConnectionCause cause, uint8_t code,
         uint32_t concerned, CompletionStatus status, const StoredNack* nack) {
  Enter(s, &s.c.state, event);
  s.Hit(spec::clause::kErrorState, spec::clause::kErrorNackStored);
  s.c.nack = nack != nullptr ? *nack : StoredNack();
  LeaveOpen(s, concerned, status, std::nullopt);
  Tell(s, cause, code);
  s.c.nack_next = s.now();
  s.Arm(kErrorTimer, s.now() + s.Time(spec::Constant::kErrorHold));
}

void SendStoredNack(const Scope& s, Route route) {
  //= ERROR-NACK-REPEAT
  //# unless less than `error_nack_interval` has passed since the connection last sent a NACK
  if (s.now() < s.c.nack_next) return s.Count(Counter::kNacksWithheld);
  s.c.nack_next = s.now() + s.Time(spec::Constant::kErrorNackInterval);
  Packet nack = packet::NewPacket(s.c.nack.opcode);
  nack.headers.common.path = spec::constant::kNoPath;
  nack.headers.nack_request = s.c.nack.body;
  Answer(s, nack, route);
}

//= CHECK-REFUSED
//# A packet that a fatal NACK answers is not marked in its path's vector, no byte of it is placed,
//# and the connection goes to the state ERROR
void Refuse(const Scope& s, const Packet& p, const Arrival& a, Reason reason) {
  s.Fail(reason);
  s.Hit(spec::clause::kCheckRefused);
  const spec::Headers& h = p.headers;
  StoredNack nack;
  nack.opcode = NackOf(reason);
  //= WIRE-NACK-REQUEST
  //# NACK_INVALID_REQUEST, NACK_REMOTE_ACCESS and NACK_REMOTE_OPERATION name the packet they refuse
  nack.body.path = h.common.path;
  nack.body.epoch = h.common.epoch;
  nack.body.opcode = h.common.opcode;
  nack.body.reason = static_cast<uint8_t>(reason);
  nack.body.sequence = h.common.number;
  nack.body.csn = h.data.csn;
  nack.body.stream = h.data.stream;
  nack.body.msn = h.data.msn;
  const bool response =
      p.opcode() == Opcode::kReadResponse || p.opcode() == Opcode::kAtomicResponse;
  std::optional<ReceiveIndex> receive;
  if (reason == Reason::kReceiveLength) receive = ReceiveIndex(h.send_match.receive_index);
  const uint32_t concerned =
      response ? s.c.outbound.WithMsn(h.data.stream, Msn(h.data.msn)) : Outgoing::kNone;
  if (receive) {
    LeaveOpen(s, concerned, CompletionStatus::kResponseRefused, receive);
  }
  Err(s, ConnectionEvent::kPacketRefused, ConnectionCause::kRefused, static_cast<uint8_t>(reason),
      concerned, CompletionStatus::kResponseRefused, &nack);
  SendStoredNack(s, a.route);
}

//= ERROR-NACK-EXECUTION
//# path is `no_path`, and epoch, path sequence and CSN are zero.
//= CHECK-OPERATION
//# its execution fails for a reason of the responder's own, it is refused with
//# NACK_REMOTE_OPERATION
void RefuseOperation(const Scope& s, Opcode opcode, uint16_t stream, Msn msn) {
  s.Fail(Reason::kRemoteOperation);
  s.Hit(spec::clause::kErrorNackExecution);
  StoredNack nack;
  nack.opcode = Opcode::kNackRemoteOperation;
  nack.body.path = spec::constant::kNoPath;
  nack.body.opcode = static_cast<uint8_t>(opcode);
  nack.body.reason = static_cast<uint8_t>(Reason::kRemoteOperation);
  nack.body.stream = stream;
  nack.body.msn = msn.value();
  const Route route = s.c.last_route;
  Err(s, ConnectionEvent::kPacketRefused, ConnectionCause::kRefused,
      static_cast<uint8_t>(Reason::kRemoteOperation), Outgoing::kNone, CompletionStatus::kFlushed,
      &nack);
  SendStoredNack(s, route);
}

//= NACK-FATAL
//# take a connection from OPEN to ERROR, whatever packet they name.
void TakeNack(const Scope& s, const Packet& p) {
  if (p.opcode() == Opcode::kNackClosing) {
    return Err(s, ConnectionEvent::kNackClosing, ConnectionCause::kPeerClosing, 0,
               s.c.outbound.Oldest(), CompletionStatus::kPeerClosing, nullptr);
  }
  const spec::NackRequest& nack = p.headers.nack_request;
  const Opcode named = static_cast<Opcode>(nack.opcode);
  //= STATUS-NAMED
  //# A NACK that names the opcode READ_RESPONSE, ATOMIC_RESPONSE or VOID concerns no work request
  //# of its receiver.
  const bool none =
      named == Opcode::kReadResponse || named == Opcode::kAtomicResponse || named == Opcode::kVoid;
  if (none) s.Hit(spec::clause::kStatusNamed);
  const uint32_t concerned =
      none ? Outgoing::kNone : s.c.outbound.WithMsn(nack.stream, Msn(nack.msn));
  ConnectionCause cause = ConnectionCause::kRemoteInvalidRequest;
  CompletionStatus status = CompletionStatus::kRemoteInvalidRequest;
  if (p.opcode() == Opcode::kNackRemoteAccess) {
    cause = ConnectionCause::kRemoteAccess;
    status = CompletionStatus::kRemoteAccess;
  } else if (p.opcode() == Opcode::kNackRemoteOperation) {
    cause = ConnectionCause::kRemoteOperation;
    status = CompletionStatus::kRemoteOperation;
  }
  Err(s, ConnectionEvent::kNackRefusal, cause, nack.reason, concerned, status, nullptr);
}

}  // namespace metaroce::endpoint
