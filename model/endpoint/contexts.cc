// Receive contexts, and PATH_CLOSE in both roles (sections 9.5, 9.9 and 13.2).
#include "model/endpoint/scope.h"

namespace metaroce::endpoint {
namespace {

using packet::Packet;
using spec::Counter;
using spec::Opcode;
using spec::ReceivePathEvent;
using spec::ReceivePathState;

constexpr Nanoseconds kSecond = 1000000000;

ReceivePathState StateOf(const ReceiveSlot& slot) {
  return slot.context ? ReceivePathState::kOpen : ReceivePathState::kNone;
}

// Takes the machine of the context through `event`; the caller does what it asks for.
void Event(const Scope& s, uint8_t path, ReceivePathEvent event) {
  ReceivePathState state = StateOf(s.c.in[path]);
  Enter(s, &state, event);
}

//= RES-GRANT
//# An endpoint has the memory for what it grants before it grants it.
//= SEQ-CSN-EDGE
//# `path_window` times the number of its open receive paths of this connection.
void SetRange(const Scope& s) {
  const uint32_t needed = static_cast<uint32_t>(spec::constant::kPathWindow) * s.c.open_in;
  s.c.received.SetRange(std::max(s.c.local.range, needed));
}

void ArmSilence(const Scope& s, uint8_t path) {
  s.c.timers.ArmBy(Scope::Of(path, kSilenceTimer),
                   s.c.in[path].context->heard + s.Time(spec::Constant::kContextSilence));
}

void SendAccept(const Scope& s, const Packet& p, const Arrival& a) {
  Packet accept = packet::NewPacket(Opcode::kPathAccept);
  accept.headers.common.path = p.headers.common.path;
  accept.headers.common.epoch = p.headers.common.epoch;
  accept.headers.common.number = p.headers.common.number;
  accept.headers.answer = {p.headers.common.transmit_time, 0};
  accept.headers.path_accept.right_edge = s.c.received.right_edge().value();
  Answer(s, accept, a.route);
}

void SendRefuse(const Scope& s, const Packet& p, const Arrival& a, spec::RefuseCode code) {
  Packet refuse = packet::NewPacket(Opcode::kPathRefuse);
  refuse.headers.common.path = p.headers.common.path;
  refuse.headers.common.epoch = p.headers.common.epoch;
  refuse.headers.common.number = p.headers.common.number;
  refuse.headers.path_refuse.code = static_cast<uint8_t>(code);
  s.Count(Counter::kPathOpensRefused);
  s.Hit(spec::clause::kReceiveRefuse);
  Answer(s, refuse, a.route);
}

//= RECEIVE-STATES
//# A PATH_OPEN is one of these events, the first that holds:
ReceivePathEvent Judge(const Scope& s, const Packet& p) {
  const spec::Common& common = p.headers.common;
  if (common.path >= s.c.in.size()) return ReceivePathEvent::kOpenNoPath;
  const ReceiveSlot& slot = s.c.in[common.path];
  const TransactionId id(common.number);
  if (slot.context) {
    if (id == slot.context->id) return ReceivePathEvent::kOpenAgain;
    if (id < slot.context->id) return ReceivePathEvent::kOpenOld;
    const bool same_second = s.now() - slot.context->epochs_began < kSecond;
    if (same_second && slot.context->epochs >= s.Constant(spec::Constant::kEpochsAccepted)) {
      s.Hit(spec::clause::kReceiveRate);
      return ReceivePathEvent::kOpenTooOften;
    }
    return ReceivePathEvent::kOpenNew;
  }
  if (id <= s.c.closed_id) {
    s.Hit(spec::clause::kReceiveClosedId);
    return ReceivePathEvent::kOpenOld;
  }
  if (common.path != 0 && !SharedFree(s.e, false)) {
    s.Hit(spec::clause::kResShared);
    return ReceivePathEvent::kOpenNoContext;
  }
  return ReceivePathEvent::kOpenNew;
}

// RES-RECEIVE-EMPTY, within this endpoint: asks the largest holder for its highest path.
void Reclaim(const Scope& s) {
  s.Count(Counter::kReceiveContextsEmpty);
  if (s.e.reclaiming_in || s.now() < s.e.reclaim_next) return;
  Connection* holder = nullptr;
  uint32_t holder_slot = 0;
  const auto held = [](const Connection& c) {
    return c.open_in - (!c.in.empty() && bool(c.in[0].context) ? 1 : 0);
  };
  for (uint32_t i = 0; i < s.e.connections.size(); ++i) {
    Connection* c = s.e.connections[i].get();
    if (c == nullptr) continue;
    if (holder == nullptr || held(*c) > held(*holder) ||
        (held(*c) == held(*holder) && c->cid() < holder->cid())) {
      holder = c;
      holder_slot = i;
    }
  }
  if (holder == nullptr || held(*holder) < held(s.c) + 2) return;
  for (size_t q = holder->in.size(); q-- > 1;) {
    if (!holder->in[q].context) continue;
    const Scope other{s.e, *holder, s.step, holder_slot};
    s.Count(Counter::kReclaims);
    s.Hit(spec::clause::kResReceiveEmpty);
    s.e.reclaiming_in = true;
    s.e.touched.push_back(holder_slot);
    Event(other, static_cast<uint8_t>(q), ReceivePathEvent::kReclaim);
    return ClosePath(other, static_cast<uint8_t>(q), true, holder->in[q].context->books.epoch(),
                     spec::CloseReason::kReclaim);
  }
}

Box<CloseState>& CloseOf(const Scope& s, uint8_t path, bool receiver) {
  return receiver ? s.c.in[path].close : s.c.out[path].close;
}
uint32_t CloseTimerOf(uint8_t path, bool receiver) {
  return Scope::Of(path, receiver ? kAskTimer : kCloseTimer);
}

//= PATH-CLOSE-ROUTE
//# takes the entropy and the plane of the ACTIVE path of its sender's own direction with the latest
//# news, of equal ones the lowest id; if none is ACTIVE, those that path 0 of that direction had
//# last.
Route CloseRoute(const Scope& s) {
  const SendPath* best = nullptr;
  for (const SendPath& path : s.c.out) {
    if (!IsActive(path.state)) continue;
    if (best == nullptr || path.context->news_at > best->context->news_at) best = &path;
  }
  s.Hit(spec::clause::kPathCloseRoute);
  return best != nullptr ? best->route : s.c.out[0].route;
}

void SendClose(const Scope& s, uint8_t path, bool receiver) {
  CloseState& close = *CloseOf(s, path, receiver);
  ++close.attempt;
  close.sent = s.now();
  Packet p = packet::NewPacket(Opcode::kPathClose);
  p.headers.common.path = path;
  p.headers.common.epoch = close.epoch;
  p.headers.common.number = close.id.value();
  //= WIRE-PATH-CLOSE
  //# in its body the role of its sender, the reason and the attempt.
  p.headers.path_close = {
      static_cast<uint8_t>(receiver ? spec::CloseRole::kReceiver : spec::CloseRole::kSender),
      static_cast<uint8_t>(close.reason), close.attempt};
  Answer(s, p, CloseRoute(s));
  //= PATH-CLOSE-REPEAT
  //# min(`close_wait_max`, max(2 * SRTT of the connection, `close_wait_min`) << (attempt - 1))
  //# after each transmission.
  const Nanoseconds first = std::max(2 * ConnectionSrtt(s), s.Time(spec::Constant::kCloseWaitMin));
  const Nanoseconds wait = std::min(s.Time(spec::Constant::kCloseWaitMax),
                                    first << std::min<uint32_t>(close.attempt - 1, 20));
  s.Arm(CloseTimerOf(path, receiver), s.now() + wait);
}

void EndClose(const Scope& s, uint8_t path, bool receiver) {
  s.Arm(CloseTimerOf(path, receiver), kNever);
  CloseOf(s, path, receiver).reset();
  if (!receiver) return;
  s.e.reclaiming_in = false;
  s.e.reclaim_next = s.now() + s.Time(spec::Constant::kReclaimInterval);
}

void CloseEvent(const Scope& s, uint8_t path, bool receiver, spec::PathCloseEvent event) {
  Box<CloseState>& close = CloseOf(s, path, receiver);
  spec::PathCloseState state = close ? close->state : spec::PathCloseState::kIdle;
  const spec::PathCloseState before = state;
  Enter(s, &state, event);
  if (state == spec::PathCloseState::kIdle) {
    if (before != state) EndClose(s, path, receiver);
    return;
  }
  close->state = state;
}

}  // namespace

bool SharedFree(const State& e, bool out) {
  //= RES-SHARED
  //# A shared context is free when those that paths other than path 0 hold, and the number of
  //# connections in CONNECTING, ACCEPTED and OPEN, are together fewer than the pool has.
  const uint64_t pool =
      e.settings.profile[out ? spec::Constant::kSendContexts : spec::Constant::kReceiveContexts];
  return uint64_t{out ? e.shared_out : e.shared_in} + e.holding < pool;
}

//= RECEIVE-FRESH
//# OPEN_NEW gives the context the epoch, the transaction id, the entropy and the plane of the
//# PATH_OPEN
void OpenReceivePath(const Scope& s, uint8_t path, uint8_t epoch, PathSeq start, TransactionId id,
                     Route route) {
  ReceiveSlot& slot = s.c.in[path];
  ReceiveContext fresh;
  if (slot.context) {
    fresh.epochs = slot.context->epochs;
    fresh.epochs_began = slot.context->epochs_began;
  } else {
    ++s.c.open_in;
    if (path != 0) ++s.e.shared_in;
  }
  //= RECEIVE-RATE
  //# The running second of a context begins with the first OPEN_NEW that comes one second or more
  //# after its beginning
  if (fresh.epochs_began < 0 || s.now() - fresh.epochs_began >= kSecond) {
    fresh.epochs_began = s.now();
    fresh.epochs = 0;
  }
  ++fresh.epochs;
  //= SEQ-PATH
  //# It starts at the `start_sequence` of the packet that opened the epoch
  s.Hit(spec::clause::kReceiveFresh, spec::clause::kSeqPath);
  fresh.books = ReceivePath(epoch, start);
  fresh.id = id;
  fresh.route = route;
  fresh.heard = s.now();
  slot.context.emplace(std::move(fresh));
  s.Arm(Scope::Of(path, kAckTimer), kNever);
  SetRange(s);
  ArmSilence(s, path);
}

//= RECEIVE-CLOSED-ID
//# The closed id of the peer's direction is the newest transaction id of a context that was freed
void FreeReceivePath(const Scope& s, uint8_t path) {
  ReceiveSlot& slot = s.c.in[path];
  if (!slot.context) return;
  if (slot.context->id > s.c.closed_id) s.c.closed_id = slot.context->id;
  slot.context.reset();
  --s.c.open_in;
  if (path != 0) --s.e.shared_in;
  s.Arm(Scope::Of(path, kAckTimer), kNever);
  s.Arm(Scope::Of(path, kSilenceTimer), kNever);
  SetRange(s);
}

void TakePathOpen(const Scope& s, const Packet& p, const Arrival& a) {
  const ReceivePathEvent event = Judge(s, p);
  const uint8_t path = p.headers.common.path;
  if (event == ReceivePathEvent::kOpenNoPath) {
    return SendRefuse(s, p, a, spec::RefuseCode::kBadPath);
  }
  Event(s, path, event);
  switch (event) {
    case ReceivePathEvent::kOpenTooOften:
      return SendRefuse(s, p, a, spec::RefuseCode::kEpochRate);
    case ReceivePathEvent::kOpenNoContext:
      SendRefuse(s, p, a, spec::RefuseCode::kNoContext);
      return Reclaim(s);
    case ReceivePathEvent::kOpenAgain:
      s.c.in[path].context->heard = s.now();
      return SendAccept(s, p, a);
    case ReceivePathEvent::kOpenNew:
      OpenReceivePath(s, path, p.headers.common.epoch, PathSeq(p.headers.path_open.start_sequence),
                      TransactionId(p.headers.common.number), a.route);
      PathWasOpened(s, path, true);
      return SendAccept(s, p, a);
    default:
      //= RECEIVE-UNANSWERED
      //# OPEN_OLD is dropped and counted (`stale_path_open`), without an answer.
      return s.Hit(spec::clause::kReceiveUnanswered);
  }
}

void SilenceExpires(const Scope& s, uint8_t path) {
  if (!s.c.in[path].context) return;
  const Nanoseconds silence = s.Time(spec::Constant::kContextSilence);
  // Before the connection is open nothing can be an arrival.
  const bool open = s.c.state == spec::ConnectionState::kOpen;
  const Nanoseconds due = (open ? s.c.in[path].context->heard : s.now()) + silence;
  if (due > s.now()) return s.Arm(Scope::Of(path, kSilenceTimer), due);
  Event(s, path, ReceivePathEvent::kSilence);
  //= RES-ALL-FREE
  //# When a peer falls silent for ever, the receive contexts of its paths are free
  //# `context_silence` later.
  s.Hit(spec::clause::kReceiveStates, spec::clause::kResAllFree);
  s.Count(Counter::kContextsSilent);
  FreeReceivePath(s, path);
}

//= PATH-CLOSE
//# its sender sends PATH_CLOSE with role `sender`, the path's last epoch and the next transaction
//# id
void ClosePath(const Scope& s, uint8_t path, bool receiver, uint8_t epoch,
               spec::CloseReason reason) {
  Box<CloseState>& close = CloseOf(s, path, receiver);
  CloseState fresh;
  if (close) fresh.state = close->state;
  fresh.epoch = epoch;
  fresh.reason = reason;
  fresh.id = NextId(s);
  close.emplace(fresh);
  CloseEvent(s, path, receiver, spec::PathCloseEvent::kCloseWanted);
  SendClose(s, path, receiver);
}

void CloseExpires(const Scope& s, uint8_t path, bool receiver) {
  Box<CloseState>& close = CloseOf(s, path, receiver);
  if (!close) return;
  if (close->attempt >= s.Constant(spec::Constant::kCloseTries)) {
    s.Hit(spec::clause::kPathCloseRepeat);
    s.Count(Counter::kClosesGivenUp);
    return CloseEvent(s, path, receiver, spec::PathCloseEvent::kTriesSpent);
  }
  CloseEvent(s, path, receiver, spec::PathCloseEvent::kRepeatExpires);
  SendClose(s, path, receiver);
}

void PathWasOpened(const Scope& s, uint8_t path, bool receiver) {
  CloseEvent(s, path, receiver, spec::PathCloseEvent::kPathOpened);
}

void EndPathContexts(const Scope& s, uint8_t path) {
  Event(s, path, ReceivePathEvent::kConnectionEnds);
  FreeReceivePath(s, path);
  CloseEvent(s, path, false, spec::PathCloseEvent::kConnectionEnds);
  // A wish of this endpoint ends with it, answered by nobody.
  const Nanoseconds next = s.e.reclaim_next;
  CloseEvent(s, path, true, spec::PathCloseEvent::kConnectionEnds);
  s.e.reclaim_next = next;
}

void TakePathClose(const Scope& s, const Packet& p, const Arrival& a) {
  const spec::Common& common = p.headers.common;
  const auto role = static_cast<spec::CloseRole>(p.headers.path_close.role);
  const bool sender = role == spec::CloseRole::kSender;
  //= PATH-CLOSE-ANSWER
  //# One with another role is ignored and counted (`stale_path_close`).
  if (!sender && role != spec::CloseRole::kReceiver) return s.Count(Counter::kStalePathClose);
  Packet reply = packet::NewPacket(Opcode::kPathCloseReply);
  reply.headers.common.path = common.path;
  reply.headers.common.epoch = common.epoch;
  reply.headers.common.number = common.number;
  s.Hit(spec::clause::kPathCloseAnswer);
  Answer(s, reply, a.route);
  if (sender) {
    if (common.path >= s.c.in.size()) return s.Count(Counter::kStalePathClose);
    const ReceiveSlot& slot = s.c.in[common.path];
    const bool current = slot.context && slot.context->books.epoch() == common.epoch;
    Event(s, common.path,
          current ? ReceivePathEvent::kCloseCurrent : ReceivePathEvent::kCloseOther);
    if (current) return FreeReceivePath(s, common.path);
    return s.Count(Counter::kStalePathClose);
  }
  //= PATH-CLOSE-ASKED
  //# if its path is not path 0 and its epoch is that of the path's live epoch or latest PATH_OPEN.
  const bool counts = common.path != 0 && common.path < s.c.out.size() &&
                      s.c.out[common.path].context && s.c.out[common.path].epoch == common.epoch;
  if (!counts) {
    s.Hit(spec::clause::kPathCloseAsked);
    return s.Count(Counter::kStalePathClose);
  }
  PathEvent(s, common.path, spec::PathEvent::kCloseAsked);
}

//= PATH-CLOSE-STATES
//# A PATH_CLOSE_REPLY matches if path, epoch and `number` are those of the unanswered PATH_CLOSE.
void TakePathCloseReply(const Scope& s, const Packet& p) {
  const spec::Common& common = p.headers.common;
  const auto matches = [&](const Box<CloseState>& close) {
    return close && close->epoch == common.epoch && close->id == TransactionId(common.number);
  };
  if (common.path < s.c.out.size() && matches(s.c.out[common.path].close)) {
    return CloseEvent(s, common.path, false, spec::PathCloseEvent::kReplyMatched);
  }
  if (common.path < s.c.in.size() && matches(s.c.in[common.path].close)) {
    return CloseEvent(s, common.path, true, spec::PathCloseEvent::kReplyMatched);
  }
  s.Hit(spec::clause::kPathCloseStates);
  const bool waits = common.path < s.c.out.size() && s.c.out[common.path].close;
  auto state = waits ? spec::PathCloseState::kWaiting : spec::PathCloseState::kIdle;
  Enter(s, &state, spec::PathCloseEvent::kReplyOther);
}

}  // namespace metaroce::endpoint
