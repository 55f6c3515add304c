// DATA: what is sent next, on which path, and how it is built (sections 7.4, 8.6, 8.8, 10.2, 10.3).
#include <algorithm>
#include <vector>

#include "model/endpoint/congestion.h"
#include "model/endpoint/leave.h"

namespace metaroce::endpoint {
namespace {

using packet::Packet;
using spec::Counter;
using spec::Opcode;
using spec::PathState;

// A DATA packet on its way out. Nothing but the header fields of its opcode is set.
void Blank(Packet* p, Opcode opcode) {
  p->payload = {};
  p->options = {};
  p->filler_length = 0;
  p->headers.common = spec::Common{};
  p->headers.common.version = spec::constant::kWireVersion;
  p->headers.common.opcode = static_cast<uint8_t>(opcode);
  p->headers.data = spec::Data{};
}

Opcode RequestOpcode(WorkKind kind, bool last) {
  switch (kind) {
    //= WIRE-WRITE
    //# A Write is one or more WRITE packets.
    case WorkKind::kWrite:
      return Opcode::kWrite;
    //= WIRE-WRITE-IMMEDIATE
    //# A Write with immediate is zero or more WRITE packets and one WRITE_WITH_IMMEDIATE packet,
    //# which is the last of the message.
    case WorkKind::kWriteImmediate:
      return last ? Opcode::kWriteWithImmediate : Opcode::kWrite;
    //= WIRE-SEND
    //# A Send is one or more SEND packets.
    case WorkKind::kSend:
      return Opcode::kSend;
    case WorkKind::kSendImmediate:
      return last ? Opcode::kSendWithImmediate : Opcode::kSend;
    case WorkKind::kSendInvalidate:
      return last ? Opcode::kSendWithInvalidate : Opcode::kSend;
    //= WIRE-READ
    //# A Read request is one READ_REQUEST packet.
    case WorkKind::kRead:
      return Opcode::kReadRequest;
    //= WIRE-ATOMIC
    //# An atomic is one FETCH_ADD or COMPARE_SWAP packet.
    case WorkKind::kFetchAdd:
      return Opcode::kFetchAdd;
    case WorkKind::kCompareSwap:
      return Opcode::kCompareSwap;
  }
  return Opcode::kWrite;
}

void FillRequest(const Outgoing& m, Packet* p) {
  const WorkRequest& work = m.work;
  spec::Headers& h = p->headers;
  switch (p->opcode()) {
    case Opcode::kWriteWithImmediate:
      h.send_match.receive_index = m.index.value();
      h.immediate.value = work.word;
      [[fallthrough]];
    case Opcode::kWrite:
      h.write_target = {work.address, work.rkey};
      break;
    case Opcode::kReadRequest:
      h.read_request = {work.address, work.rkey};
      break;
    case Opcode::kFetchAdd:
    case Opcode::kCompareSwap:
      h.atomic = {work.address, work.rkey, work.operand,
                  work.kind == WorkKind::kFetchAdd ? 0 : work.compare};
      break;
    default:
      h.send_match.receive_index = m.index.value();
      h.immediate.value = work.word;
      h.invalidate.rkey = work.word;
      break;
  }
}

// Packet `index` of the message, but for what its transmission adds. False if its payload cannot be
// read.
bool Build(const Scope& s, const Outgoing& m, uint32_t index, Packet* p) {
  const uint32_t mtu = s.c.local.mtu;
  const bool last = index + 1 == m.packets;
  Opcode opcode = RequestOpcode(m.work.kind, last);
  if (m.response) opcode = IsAtomic(m.work.kind) ? Opcode::kAtomicResponse : Opcode::kReadResponse;
  Blank(p, opcode);
  spec::Data& data = p->headers.data;
  data.stream = m.work.stream;
  data.msn = m.msn.value();
  data.length = m.work.length;
  if (spec::Info(opcode).tail == spec::Tail::kPayload) {
    //= MSG-SEGMENT
    //# Packet i, from 0 on, has the offset i * MTU and a payload of min(MTU, `length` - offset)
    //# bytes.
    data.offset = index * mtu;
    const uint32_t bytes = std::min(mtu, m.work.length - data.offset);
    //= MSG-READ-RIGHT
    //# The responder may read the memory of an accepted Read until its response is acknowledged,
    //# even if the key has ended since
    if (bytes > 0) p->payload = s.step.memory->Read(m.work.local + data.offset, bytes);
    if (p->payload.size() != bytes) return false;
  }
  if (m.response) {
    //= MSG-ATOMIC-VALUE
    //# Every transmission of an atomic response carries the same value.
    if (opcode == Opcode::kAtomicResponse) p->headers.atomic_response.value = m.value;
    s.Hit(opcode == Opcode::kAtomicResponse ? spec::clause::kMsgAtomicValue
                                            : spec::clause::kMsgReadMemory);
    return true;
  }
  FillRequest(m, p);
  p->headers.common.se = last && m.work.solicited;
  return true;
}

// The memory of a message could not be read.
[[gnu::noinline]] void Fault(const Scope& s, uint32_t message) {
  const Outgoing& m = s.c.outbound.at(message);
  if (m.response) {
    const Opcode opcode = m.work.kind == WorkKind::kRead       ? Opcode::kReadRequest
                          : m.work.kind == WorkKind::kFetchAdd ? Opcode::kFetchAdd
                                                               : Opcode::kCompareSwap;
    return RefuseOperation(s, opcode, m.work.stream, m.msn);
  }
  Err(s, spec::ConnectionEvent::kLocalFault, spec::ConnectionCause::kLocalAccess, 0, message,
      spec::CompletionStatus::kLocalAccess, nullptr);
}

//= CC-AR
//# A DATA packet has `ar` set exactly when one of these holds, counted with the packet itself:
bool WantsAck(const Scope& s, SendContext& x) {
  const uint64_t window = WindowPackets(s.c, s.now());
  const uint64_t in_flight = x.window.in_flight();
  const uint64_t since = uint64_t{x.congestion.since_ar} + 1;
  // since >= min(w, window / active) >> 18, without the division.
  bool ar = since >= x.congestion.w >> 18 ||
            window < ((since + 1) << 18) * std::max<uint32_t>(1, s.c.active());
  ar = ar || (in_flight + 1) << 16 > x.congestion.w || !x.window.HasRoom();
  ar = ar || !Waits(s.c);
  x.congestion.since_ar = ar ? 0 : x.congestion.since_ar + 1;
  return ar;
}

// One of the paths that may take a packet, by choice.
[[gnu::noinline]] uint8_t ChoosePath(const Scope& s) {
  std::vector<uint8_t> order;
  const uint32_t n = static_cast<uint32_t>(s.c.out.size());
  const uint32_t from = s.c.latest_path == Schedule::kNobody ? 0 : s.c.latest_path + 1;
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t id = (from + i) % n;
    if (s.c.schedule.Has(id)) order.push_back(static_cast<uint8_t>(id));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint8_t a, uint8_t b) { return s.c.schedule.Less(a, b); });
  const uint8_t chosen = order[ChoosePlace(s.step.chooser, spec::Choice::kNextPath, order.size(),
                                           [&](uint64_t place) { return order[place]; })];
  //= CC-STEER
  //# While a path on which the packet may be sent is not freshly marked, an implementation may leave
  //# out those that are.
  const auto marked = [&](uint8_t id) { return s.c.out[id].context->congestion.ce > 0; };
  if (!marked(chosen) && std::any_of(order.begin(), order.end(), marked)) {
    s.Hit(spec::clause::kCcSteer);
  }
  return chosen;
}

}  // namespace

uint32_t PickPath(const Scope& s, uint32_t bytes) {
  if (s.c.schedule.size() == 0) return Schedule::kNobody;
  //= CC-MAY-SEND
  //# the connection's bytes in flight are 0, or they plus b are at most W;
  if (s.c.flight_bytes > 0 && s.c.flight_bytes + bytes > WindowBytes(s.c, s.now())) {
    s.Hit(spec::clause::kCcMaySend, spec::clause::kCcWindow);
    return Schedule::kNobody;
  }
  //= CC-SCHEDULER
  //# Among the paths on which the packet may be sent, an implementation takes any.
  if (s.step.chooser != nullptr) [[unlikely]]
    return ChoosePath(s);
  return s.c.schedule.First(s.c.latest_path);
}

namespace {

// Refresh, of a path at hand.
void RefreshOn(const Scope& s, SendPath& p, uint8_t path) {
  if (!p.context) return s.c.schedule.Leave(path);
  SendContext& x = *p.context;
  //= CC-FLIGHT
  //# When a path leaves ACTIVE its bytes leave the sum at once; when it comes back they come back.
  const uint64_t counted = IsActive(p.state) ? x.window.flight_bytes() : 0;
  s.c.flight_bytes += counted - x.counted_bytes;
  x.counted_bytes = counted;
  const uint32_t in_flight = x.window.in_flight();
  //= CC-MAY-SEND
  //# in flight of the path is 0, or (in flight + 1) << 16 is at most `w`;
  const bool may = p.state == PathState::kActive && x.window.lost() == 0 && x.window.HasRoom() &&
                   (in_flight == 0 || uint64_t{in_flight + 1} << 16 <= x.congestion.w);
  if (may) {
    s.c.schedule.Enter(path, in_flight, x.congestion.w);
    s.Wake();
  } else {
    //= SEQ-PATH-LIMIT
    //# only with a path sequence less than the oldest unacknowledged one plus `path_window`
    if (s.step.hits != nullptr && p.state == PathState::kActive) [[unlikely]] {
      s.Hit(x.window.HasRoom() ? spec::clause::kCcMaySend : spec::clause::kSeqPathLimit);
    }
    s.c.schedule.Leave(path);
  }
}

// What every transmission of DATA has in common, once the books know of it.
void Finish(const Scope& s, SendPath& on, uint8_t path, Csn csn, Nanoseconds sent, bool began,
            uint32_t bytes, Packet& p) {
  SendContext& x = *on.context;
  p.headers.common.ar = WantsAck(s, x);
  if (Moves(s)) DataLeft(s, x, bytes);
  p.headers.data.csn = csn.value();
  //= WIRE-ACKS-SEEN
  //# is the number, modulo 2^16, of ACK packets of this connection that passed the receiver's
  //# checks up to and including `connection`
  p.headers.data.acks_seen = s.c.acks_seen;
  if (began) LadderEvent(s, path, spec::LadderEvent::kFlightBegins);
  RefreshOn(s, on, path);
  SendOn(s, on, path, p, sent);
}

//= RTX-SAME-PATH
//# A packet declared lost is sent again on the path and epoch that lost it, with the same path
//# sequence and the same CSN, and with `rtx` set.
bool Retransmit(const Scope& s) {
  const auto waits = [&](const Retransmission& r) {
    const SendPath& path = s.c.out[r.path];
    if (!path.context || path.epoch != r.epoch) return false;
    const TransmitWindow& window = path.context->window;
    return r.sequence >= window.oldest() && r.sequence < window.next() &&
           window.at(r.sequence).condition == Condition::kLost;
  };
  while (!waits(s.c.lost.front())) s.c.lost.pop_front();
  size_t at = 0;
  if (s.step.chooser != nullptr) [[unlikely]] {
    std::vector<size_t> waiting;
    for (size_t i = 0; i < s.c.lost.size(); ++i) {
      if (waits(s.c.lost[i])) waiting.push_back(i);
    }
    const auto face = [&](uint64_t place) {
      return FaceOf(s.c.lost[waiting[place]].path, s.c.lost[waiting[place]].sequence);
    };
    at = waiting[ChoosePlace(s.step.chooser, spec::Choice::kNextRetransmission, waiting.size(),
                             face)];
  }
  const Retransmission r = s.c.lost[at];
  SendPath& on = s.c.out[r.path];
  SendContext& x = *on.context;
  //= SEQ-PATH-NAMES-CSN
  //# Within an epoch a path sequence stands for one CSN, in its first transmission and in every
  //# retransmission.
  const SendRecord record = x.window.at(r.sequence);
  Packet p;
  //= MSG-BUFFER
  //# An endpoint reads and writes the local buffers of a work request, and the buffer of a receive,
  //# only between its post and its completion.
  //= VOID-BUILD
  //# When a retransmission is built and its CSN is below the cumulative CSN known to the sender, a
  //# VOID is sent in its place
  if (!s.c.sent.Has(record.csn)) {
    s.Count(Counter::kVoids);
    s.Hit(spec::clause::kVoidBuild, spec::clause::kBookOnlyBlocks);
    Blank(&p, Opcode::kVoid);
  } else {
    const SentCsn sent = s.c.sent.at(record.csn);
    if (!Build(s, s.c.outbound.at(sent.message), sent.packet, &p)) {
      Fault(s, sent.message);
      return true;
    }
  }
  s.c.lost.erase(s.c.lost.begin() + static_cast<ptrdiff_t>(at));
  --s.c.lost_waiting;
  s.Count(Counter::kRetransmissions);
  s.Hit(spec::clause::kRtxSamePath, spec::clause::kRtxAtOnce, spec::clause::kRtxFields,
        spec::clause::kSeqPathNamesCsn);
  p.headers.common.rtx = true;
  p.headers.common.moved = record.moved;
  p.headers.common.number = r.sequence.value();
  const bool began = x.window.in_flight() == 0;
  const Nanoseconds sent = Stamp(s, x);
  const uint16_t bytes = WireBytes(s, p);
  x.window.Resend(r.sequence, sent, bytes);
  Finish(s, on, r.path, record.csn, sent, began, bytes, p);
  return true;
}

// Sends the packet that was built as the next of a path and epoch.
void Transmit(const Scope& s, uint8_t path, Csn csn, bool moved, uint16_t bytes, Packet& p) {
  SendPath& on = s.c.out[path];
  SendContext& x = *on.context;
  const bool began = x.window.in_flight() == 0;
  const Nanoseconds sent = Stamp(s, x);
  p.headers.common.moved = moved;
  p.headers.common.number = x.window.Append(csn, sent, bytes, moved).value();
  s.c.latest_path = path;
  Finish(s, on, path, csn, sent, began, bytes, p);
}

bool SendMoved(const Scope& s) {
  const Csn csn = s.c.sent.LowestMoved();
  const SentCsn& sent = s.c.sent.at(csn);
  Packet p;
  if (!Build(s, s.c.outbound.at(sent.message), sent.packet, &p)) {
    Fault(s, sent.message);
    return true;
  }
  const uint16_t bytes = WireBytes(s, p);
  const uint32_t path = PickPath(s, bytes);
  if (path == Schedule::kNobody) return false;
  s.Hit(spec::clause::kPathMoved, spec::clause::kSeqCsnHome, spec::clause::kCcMovedFirst);
  s.c.sent.Sent(csn);
  Transmit(s, static_cast<uint8_t>(path), csn, true, bytes, p);
  return true;
}

// What it calls here is inlined: each is short beside what a call costs.
[[gnu::flatten]] bool SendNew(const Scope& s) {
  //= SEQ-CSN-LIMIT
  //# A sender transmits no new CSN that is not below the greatest right edge it has learned.
  if (s.c.sent.next() >= s.c.peer_edge) {
    if (!s.c.edge_held && s.c.outbound.AnyReady()) {
      s.c.edge_held = true;
      s.Hit(spec::clause::kSeqCsnLimit);
      s.Count(Counter::kCsnLimited);
    }
    return false;
  }
  if (s.c.schedule.size() == 0) return false;
  const uint32_t message = s.c.outbound.Next(s.step.chooser);
  if (message == Outgoing::kNone) return false;
  const Outgoing& m = s.c.outbound.at(message);
  const uint32_t index = m.sent;
  Packet p;
  if (!Build(s, m, index, &p)) {
    Fault(s, message);
    return true;
  }
  const uint16_t bytes = WireBytes(s, p);
  const uint32_t path = PickPath(s, bytes);
  if (path == Schedule::kNobody) return false;
  SentCsn sent;
  sent.first_sent = s.now();
  sent.message = message;
  sent.packet = index;
  const Csn csn = s.c.sent.Append(sent);
  ++s.c.unacknowledged;
  s.c.edge_held = false;
  //= CC-SENDS
  //# While a moved or a new packet waits and a path exists on which it may be sent, one is sent at
  //# once [TERM-AT-ONCE], after the retransmissions [RTX-FIRST].
  s.Hit(spec::clause::kCcSends, spec::clause::kSeqCsn, spec::clause::kBookRecord,
        spec::clause::kMsgReady, spec::clause::kMsgNext, spec::clause::kWireTransmitTime);
  if (index > 0) s.Hit(spec::clause::kMsgSegment, spec::clause::kMsgOffsetOrder);
  if (s.c.outbound.Sent(message)) {
    s.Hit(spec::clause::kMsgReadSlot);
    s.c.inbound.ReadAnswered();
  }
  s.c.timers.ArmBy(kProgressTimer, s.now() + s.Time(spec::Constant::kProgressTimeout));
  Transmit(s, static_cast<uint8_t>(path), csn, false, bytes, p);
  WaitForCredit(s);
  return true;
}

}  // namespace

void Refresh(const Scope& s, uint8_t path) { RefreshOn(s, s.c.out[path], path); }

//= RTX-FIRST
//# While a retransmission waits on any path of a direction, no moved and no new packet of that
//# direction is sent.
bool TrySend(const Scope& s) {
  if (s.c.state != spec::ConnectionState::kOpen) return false;
  if (Moves(s) && !PacerAdmits(s)) return false;
  if (s.c.lost_waiting > 0) {
    s.Hit(spec::clause::kRtxFirst);
    return Retransmit(s);
  }
  if (s.c.sent.waiting() > 0) return SendMoved(s);
  return SendNew(s);
}

}  // namespace metaroce::endpoint
