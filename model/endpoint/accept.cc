// The receiver's half: checks from `path` on in their order, placement, delivery, and the ACKs owed
// (chapters 4, 6 and 10).
#include <cstring>

#include "model/endpoint/congestion.h"
#include "model/endpoint/leave.h"

namespace metaroce::endpoint {
namespace {

using packet::Packet;
using spec::Opcode;
using spec::Reason;

const Region* FindRegion(const Connection& c, uint32_t rkey) {
  for (const Region& region : c.regions) {
    if (region.valid && region.rkey == rkey) return &region;
  }
  return nullptr;
}

// The ACK of a path is due at another time, perhaps.
inline void ArmAck(const Scope& s, uint8_t path, const ReceiveContext& x) {
  if (!x.delayed) s.Arm(Scope::Of(path, kAckTimer), x.books.AckDue());
}

bool IsResponse(Opcode opcode) {
  return opcode == Opcode::kReadResponse || opcode == Opcode::kAtomicResponse;
}

// Of a packet that fails CHECK-PATH. Answers with NACK_BAD_EPOCH within its rate.
ReceiveContext* NoPath(const Scope& s, const Packet& p, const Arrival& a) {
  const spec::Common& common = p.headers.common;
  const bool exists = common.path < s.c.in.size();
  ReceiveSlot* slot = exists ? &s.c.in[common.path] : nullptr;
  const bool known = exists && bool(slot->context);
  s.Fail(known ? Reason::kEpoch : Reason::kPathUnknown);
  auto state = known ? spec::ReceivePathState::kOpen : spec::ReceivePathState::kNone;
  Enter(s, &state, spec::ReceivePathEvent::kOtherEpoch);
  //= CHECK-PATH
  //# at most one per path in each `bad_epoch_interval`, counted from the last one sent
  //
  // Path ids beyond those agreed have no slot: they have one interval together.
  Nanoseconds& next = exists ? slot->bad_epoch_next : s.c.bad_path_next;
  if (s.now() < next) return nullptr;
  next = s.now() + s.Time(spec::Constant::kBadEpochInterval);
  Packet nack = packet::NewPacket(Opcode::kNackBadEpoch);
  spec::NackEpoch& body = nack.headers.nack_epoch;
  body.path = common.path;
  body.epoch = common.epoch;
  body.has_current = known;
  body.current_epoch = known ? slot->context->books.epoch() : 0;
  body.number = common.number;
  nack.headers.common.path = spec::constant::kNoPath;
  Answer(s, nack, a.route);
  return nullptr;
}

// CHECK-PATH.
inline ReceiveContext* PathOk(const Scope& s, const Packet& p, const Arrival& a) {
  const spec::Common& common = p.headers.common;
  ReceiveSlot* slot = s.c.in.data() + common.path;
  if (slot < s.c.in.data() + s.c.in.size()) {
    Box<ReceiveContext>& context = slot->context;
    if (context && context->books.epoch() == common.epoch) return &*context;
  }
  return NoPath(s, p, a);
}

// CHECK-CREDIT, of a packet that carries a receive index.
std::optional<Reason> CheckCredit(const Scope& s, const RequestPacket& request) {
  if (request.index >= s.c.receives.credit()) return Reason::kReceiveCredit;
  const PostedReceive* receive = s.c.receives.Find(request.index);
  const InboundMessage* message = s.c.inbound.Find(request.stream, request.msn);
  const bool own = message != nullptr && message->has_index;
  if (receive == nullptr || (receive->taken && !own)) return Reason::kReceiveReused;
  const bool send = request.opcode != Opcode::kWriteWithImmediate;
  if (send && request.length > receive->length) return Reason::kReceiveLength;
  return std::nullopt;
}

//= CHECK-ACCESS
//# the rkey names a memory region that is valid (`rkey`), the region admits the operation
//# (`access-rights`), and it holds the bytes
std::optional<Reason> CheckAccess(const Scope& s, const RequestPacket& request) {
  const bool send = request.has_index && request.opcode != Opcode::kWriteWithImmediate;
  if (send || request.length == 0) return std::nullopt;
  const Region* region = FindRegion(s.c, request.rkey);
  if (region == nullptr) return Reason::kRkey;
  uint8_t right = kRemoteWrite;
  uint64_t length = request.payload;
  if (request.opcode == Opcode::kReadRequest) {
    right = kRemoteRead;
    length = request.length;
  } else if (!request.HasPayloadTail()) {
    right = kRemoteAtomic;
    length = 8;
  }
  if ((region->rights & right) == 0) return Reason::kAccessRights;
  const uint64_t start = request.address + request.offset;
  if (start < request.address || !region->Holds(start, length)) return Reason::kAccessBounds;
  return std::nullopt;
}

//= CHECK-MESSAGE
//# READ_RESPONSE and ATOMIC_RESPONSE name the stream and MSN of an outstanding request of their
//# kind (`response-unmatched`), and a READ_RESPONSE has the `length` of that request
//# (`response-length`).
std::optional<Reason> CheckResponse(const Scope& s, const RequestPacket& packet,
                                    uint32_t* request) {
  const bool atomic = packet.opcode == Opcode::kAtomicResponse;
  *request = s.c.outbound.FindOutstanding(packet.stream, packet.msn, atomic);
  if (*request == Outgoing::kNone) return Reason::kResponseUnmatched;
  if (!atomic && s.c.outbound.at(*request).work.length != packet.length) {
    return Reason::kResponseLength;
  }
  return std::nullopt;
}

inline void Place(const Scope& s, uint64_t address, packet::Bytes bytes) {
  if (bytes.empty()) return;
  s.Hit(spec::clause::kMsgPlace);
  s.step.sink->OnPlacement(s.c.cid(), address, bytes);
}

//= MSG-ATOMIC
//# FETCH_ADD stores the sum with `operand` modulo 2^64; COMPARE_SWAP stores `operand` if the number
//# equals `compare`.
//
// The model's host is little-endian.
bool ExecuteAtomic(const Scope& s, const InboundMessage& m) {
  const packet::Bytes bytes = s.step.memory->Read(m.address, 8);
  if (bytes.size() != 8) return false;
  uint64_t before = 0;
  for (int i = 7; i >= 0; --i) before = before << 8 | bytes[i];
  const bool add = m.kind == MessageKind::kFetchAdd;
  if (add || before == m.compare) {
    const uint64_t after = add ? before + m.operand : m.operand;
    uint8_t stored[8];
    for (int i = 0; i < 8; ++i) stored[i] = static_cast<uint8_t>(after >> (8 * i));
    Place(s, m.address, stored);
  }
  s.Hit(spec::clause::kMsgAtomic, spec::clause::kMsgDeliverActs);
  WorkRequest work;
  work.kind = add ? WorkKind::kFetchAdd : WorkKind::kCompareSwap;
  work.length = 8;
  work.stream = m.stream;
  s.Hit(spec::clause::kMsgResponse, spec::clause::kSeqMsnResponse);
  s.c.outbound.Respond(work, m.msn, before);
  return true;
}

void RespondToRead(const Scope& s, const InboundMessage& m) {
  WorkRequest work;
  work.kind = WorkKind::kRead;
  work.length = m.length;
  work.stream = m.stream;
  work.local = m.address;
  //= SEQ-MSN-RESPONSE
  //# In a response, stream and MSN belong to the requester's space and do not advance the
  //# responder's.
  s.Hit(spec::clause::kMsgResponse, spec::clause::kSeqMsnResponse, spec::clause::kMsgDeliverActs);
  s.c.outbound.Respond(work, m.msn, 0);
}

//= MSG-RECEIVE-COMPLETION
//# A receive is completed once, with its index, a status, the kind and the stream of the message,
//# and the `length` of the message
void CompleteReceive(const Scope& s, const InboundMessage& m) {
  const PostedReceive receive = *s.c.receives.Find(m.index);
  ReceiveDone done;
  done.id = receive.id;
  done.length = m.length;
  done.stream = m.stream;
  done.solicited = m.solicited;
  if (m.attached == Attached::kImmediate) done.immediate = m.word;
  if (m.attached == Attached::kInvalidate) done.invalidated = m.word;
  //= MSG-SOLICITED
  //# The last packet of a work request that is marked solicited has `se` set.
  if (m.solicited) s.Hit(spec::clause::kMsgSolicited);
  s.Hit(spec::clause::kMsgReceiveCompletion, spec::clause::kMsgDeliverActs);
  s.c.receives.Complete(m.index);
  s.step.sink->OnReceive(s.c.cid(), done);
}

// False if the connection has erred.
bool Deliver(const Scope& s, const InboundMessage& m) {
  //= MSG-DELIVER-ACTS
  //# At its delivery a request acts, and in no other way before:
  switch (m.kind) {
    case MessageKind::kRead:
      RespondToRead(s, m);
      s.Wake();
      return true;
    case MessageKind::kFetchAdd:
    case MessageKind::kCompareSwap:
      s.Wake();
      if (ExecuteAtomic(s, m)) return true;
      RefuseOperation(s,
                      m.kind == MessageKind::kFetchAdd ? Opcode::kFetchAdd : Opcode::kCompareSwap,
                      m.stream, m.msn);
      return false;
    default:
      break;
  }
  if (!m.has_index) return true;
  //= MSG-INVALIDATE
  //# A Send with invalidate whose key is not one that this connection may end is not delivered and
  //# is refused
  if (m.attached == Attached::kInvalidate && !Invalidates(s, m.word)) {
    s.Hit(spec::clause::kMsgInvalidate);
    RefuseOperation(s, Opcode::kSendWithInvalidate, m.stream, m.msn);
    return false;
  }
  CompleteReceive(s, m);
  return true;
}

//= MSG-DELIVER-AT-ONCE
//# Delivery takes place as part of the event that made it possible.
void DeliverAll(const Scope& s, uint16_t stream) {
  while (const std::optional<InboundMessage> m = s.c.inbound.Deliver(stream)) {
    s.Hit(spec::clause::kMsgDeliver, spec::clause::kMsgDeliverAtOnce);
    if (!Deliver(s, *m)) return;
  }
}

// True if its message is complete now.
bool AcceptRequest(const Scope& s, const Packet& p, const RequestPacket& request) {
  const InboundMessage* message = s.c.inbound.Accept(request);
  uint64_t base = request.address;
  if (request.has_index) {
    PostedReceive* receive = s.c.receives.Find(request.index);
    receive->taken = true;
    if (message->kind == MessageKind::kSend) base = receive->address;
  }
  //= WIRE-ADDRESS
  //# The payload of a packet goes to address + offset
  Place(s, base + request.offset, p.payload);
  return message->complete;
}

void AcceptResponse(const Scope& s, const Packet& p, const RequestPacket& packet,
                    uint32_t request) {
  const WorkRequest work = s.c.outbound.at(request).work;
  if (packet.opcode == Opcode::kAtomicResponse) {
    uint8_t value[8];
    for (int i = 0; i < 8; ++i) {
      value[i] = static_cast<uint8_t>(p.headers.atomic_response.value >> (8 * i));
    }
    Place(s, work.local, value);
  } else {
    Place(s, work.local + packet.offset, p.payload);
  }
  s.c.outbound.Placed(request, packet.last());
  s.Wake();
  CompleteAll(s, work.stream);
  // A Send may wait for credit that waited for its fence.
  if (s.c.outbound.LacksCredit()) WaitForCredit(s);
}

// CHECK-CSN-RANGE and the checks behind it; nothing if the packet is accepted.
std::optional<Reason> CheckRest(const Scope& s, const Packet& p, const RequestPacket& request,
                                uint32_t* answered) {
  //= CHECK-CSN-RANGE
  //# The CSN is less than the right edge
  if (!s.c.received.Granted(Csn(p.headers.data.csn))) return Reason::kCsnRange;
  if (p.opcode() == Opcode::kVoid) return Reason::kVoidUnknown;
  if (const auto reason = s.c.inbound.CheckShape(request)) return reason;
  if (IsResponse(request.opcode)) return CheckResponse(s, request, answered);
  if (const auto reason = s.c.inbound.CheckSequence(request)) return reason;
  if (request.has_index) {
    if (const auto reason = CheckCredit(s, request)) return reason;
  }
  return CheckAccess(s, request);
}

}  // namespace

bool Invalidates(const Scope& s, uint32_t rkey) {
  for (Region& region : s.c.regions) {
    if (!region.valid || region.rkey != rkey) continue;
    s.Hit(spec::clause::kMsgInvalidate);
    region.valid = false;
    return true;
  }
  return false;
}

std::optional<uint8_t> LatestArrival(const Scope& s, std::optional<uint8_t> except) {
  std::optional<uint8_t> latest;
  for (size_t q = 0; q < s.c.in.size(); ++q) {
    if (q == except || !s.c.in[q].context || !s.c.in[q].context->books.has_arrival()) continue;
    if (!latest ||
        s.c.in[q].context->books.last_arrival() > s.c.in[*latest].context->books.last_arrival()) {
      latest = static_cast<uint8_t>(q);
    }
  }
  return latest;
}

void AckNow(const Scope& s, uint8_t path) {
  ReceiveContext& x = *s.c.in[path].context;
  x.books.DueNow(s.now());
  ArmAck(s, path, x);
}

void ArriveProbe(const Scope& s, const Packet& p, const Arrival& a) {
  ReceiveContext* x = PathOk(s, p, a);
  if (x == nullptr) return;
  const uint8_t path = p.headers.common.path;
  x->heard = s.now();
  s.Hit(spec::clause::kAckArrivalProbe);
  x->books.ArriveProbe(WireTime(p.headers.common.transmit_time), a.route, s.now());
  ArmAck(s, path, *x);
  if (p.headers.probe.attempt < 2) return;
  //= ACK-PROBE-TWICE
  //# by an ACK whose first block is that of the other path that had the latest arrival, and whose
  //# second block is that of p.
  const std::optional<uint8_t> other = LatestArrival(s, path);
  if (!other) return;
  s.Hit(spec::clause::kAckProbeTwice);
  ++x->second_answers;
  x->second_by = *other;
}

namespace {

// After an arrival: the choice to acknowledge it although no ACK is due yet.
void AckPerhaps(const Scope& s, uint8_t path) {
  if (s.step.chooser == nullptr || s.c.state != spec::ConnectionState::kOpen) return;
  if (s.c.in[path].context->books.AckDue() <= s.now()) return;
  if (ChooseName(s.step.chooser, spec::Choice::kAckEarly) == 0) return;
  s.Hit(spec::clause::kAckEarly);
  SendAck(s, path, std::nullopt);
}

// CHECK-PATH-WINDOW and the checks behind it.
void TakeData(const Scope& s, const Packet& p, const Arrival& a, ReceiveContext* x) {
  const spec::Headers& h = p.headers;
  const uint8_t path = h.common.path;
  const PathSeq sequence(h.common.number);
  AckLimits limits;
  limits.every = static_cast<uint32_t>(s.Constant(spec::Constant::kAckEvery));
  limits.delay_max = s.Time(spec::Constant::kAckDelayMax);
  //= CHECK-PATH-ARRIVAL
  //# the arrival counter, the CE counter and the echo of its path take it in [ACK-ARRIVAL] before
  //# any later check.
  const metaroce::Arrival outcome = x->books.Arrive(sequence, WireTime(h.common.transmit_time),
                                                    a.ce, h.common.ar, a.route, s.now(), limits);
  if (outcome == metaroce::Arrival::kBeyondWindow) {
    ArmAck(s, path, *x);
    return s.Fail(Reason::kPathWindow);
  }
  x->heard = s.now();
  if (s.e.settings.hint) HintArrival(s, WireBytes(s, p));
  if (outcome == metaroce::Arrival::kDuplicate) {
    ArmAck(s, path, *x);
    return s.Fail(Reason::kPathDuplicate);
  }
  const Csn csn(h.data.csn);
  if (s.c.received.Received(csn)) {
    const bool is_void = p.opcode() == Opcode::kVoid;
    if (!is_void) s.Fail(Reason::kCsnDuplicate);
    x->books.Mark(sequence, outcome, !is_void, s.now());
    return ArmAck(s, path, *x);
  }
  const RequestPacket request = ToRequest(h, p.payload.size());
  uint32_t answered = Outgoing::kNone;
  if (const auto reason = CheckRest(s, p, request, &answered)) return Refuse(s, p, a, *reason);
  //= CHECK-ACCEPT
  //# its payload is placed, its CSN and its path sequence are marked
  s.Hit(spec::clause::kCheckAccept);
  //= CHECK-NEVER-WAITS
  //# Acceptance and acknowledgement of a packet never wait
  s.c.received.Mark(csn);
  x->books.Mark(sequence, outcome, false, s.now());
  ArmAck(s, path, *x);
  if (IsResponse(p.opcode())) return AcceptResponse(s, p, request, answered);
  //= MSG-DELIVER-SEES
  //# sees the bytes of all earlier messages of its stream, and of its own, placed.
  if (AcceptRequest(s, p, request)) DeliverAll(s, request.stream);
}

}  // namespace

void ArriveData(const Scope& s, const Packet& p, const Arrival& a) {
  ReceiveContext* x = PathOk(s, p, a);
  if (x == nullptr) return;
  TakeData(s, p, a, x);
  AckPerhaps(s, p.headers.common.path);
}

void AckExpires(const Scope& s, uint8_t path) {
  ReceiveContext& x = *s.c.in[path].context;
  //= PROFILE-LATENCY
  //# `ack_max`: the same where the packet is an ACK.
  if (s.step.chooser != nullptr && !x.delayed) [[unlikely]] {
    //= ACK-MOMENT
    //# An ACK that is due leaves within the profile's `ack_max`.
    const Nanoseconds leaves =
        x.books.AckDue() +
        static_cast<Nanoseconds>(ChooseNumber(s.step.chooser, spec::Choice::kAckMoment, 0,
                                              static_cast<uint64_t>(s.e.settings.ack_max), 0));
    if (leaves > s.now()) {
      x.delayed = true;
      return s.Arm(Scope::Of(path, kAckTimer), leaves);
    }
  }
  AckLeaves(s, path);
}

void AckLeaves(const Scope& s, uint8_t path) {
  ReceiveContext& x = *s.c.in[path].context;
  x.delayed = false;
  SendAck(s, path, std::nullopt);
  //= ACK-PROBE-TWICE
  //# It leaves after the first.
  if (x.second_answers > 0) {
    --x.second_answers;
    // The path chosen may have been closed, or have begun an epoch that has had no arrival.
    const ReceiveSlot& by = s.c.in[x.second_by];
    if (by.context && by.context->books.has_arrival()) {
      SendAck(s, x.second_by, path);
    } else if (const std::optional<uint8_t> other = LatestArrival(s, path)) {
      SendAck(s, *other, path);
    }
  }
}

namespace {

//= ACK-SECONDARY
//# an ACK may carry up to three further blocks of other open receive paths of the connection, each
//# path at most once.
void AddBlocks(const Scope& s, Packet* ack) {
  constexpr uint16_t kFeature = static_cast<uint16_t>(spec::Feature::kSecondaryBlocks);
  //= CONNECT-FEATURES
  //# Without `secondary-blocks`, an ACK has one block
  if ((s.c.local.features & kFeature) == 0) return s.Hit(spec::clause::kConnectFeatures);
  spec::Ack& body = ack->headers.ack;
  const auto in_ack = [&](size_t q) {
    for (uint32_t i = 0; i < body.blocks; ++i) {
      if (ack->headers.path_block[i].path == q) return true;
    }
    return false;
  };
  const uint64_t most = std::min<uint64_t>(3, s.c.open_in - 1);
  uint64_t more = ChooseNumber(s.step.chooser, spec::Choice::kAckSecondary, 0, most, 0);
  for (; more > 0; --more) {
    std::array<uint8_t, 256> others;
    uint64_t count = 0;
    for (size_t q = 0; q < s.c.in.size(); ++q) {
      if (s.c.in[q].context && !in_ack(q)) others[count++] = static_cast<uint8_t>(q);
    }
    const uint8_t q = others[ChoosePlace(s.step.chooser, spec::Choice::kAckSecondaryPath, count,
                                         [&](uint64_t place) { return others[place]; })];
    ack->headers.path_block[body.blocks++] = s.c.in[q].context->books.Block(q, s.now());
    s.Hit(spec::clause::kAckSecondary);
  }
}

}  // namespace

void SendAck(const Scope& s, uint8_t path, std::optional<uint8_t> second) {
  ReceiveContext& x = *s.c.in[path].context;
  ReceivePath& books = x.books;
  Packet ack;
  ack.payload = {};
  ack.options = {};
  ack.filler_length = 0;
  ack.headers.common = spec::Common{};
  spec::Common& common = ack.headers.common;
  common.version = spec::constant::kWireVersion;
  common.opcode = static_cast<uint8_t>(Opcode::kAck);
  common.path = path;
  common.epoch = books.epoch();
  //= SEQ-SERIAL
  //# Each ACK of a connection and direction carries the successor of the serial of the one before
  //# it, in the order in which they were built.
  common.number = s.c.next_serial.value();
  ++s.c.next_serial;
  spec::Ack& body = ack.headers.ack;
  //= ACK-CUMULATIVE
  //# `csn` is the cumulative CSN, `right_edge` the right edge and `credit` the credit of the
  //# connection when the ACK is built.
  body.csn = s.c.received.cumulative().value();
  body.right_edge = s.c.received.right_edge().value();
  body.credit = s.c.receives.credit().value();
  body.hint = s.e.settings.hint ? HintValue(s) : UINT16_MAX;
  body.blocks = 1;
  ack.headers.path_block[0] = books.Block(path, s.now());
  if (second) {
    body.blocks = 2;
    ack.headers.path_block[1] = s.c.in[*second].context->books.Block(*second, s.now());
  } else if (s.step.chooser != nullptr) [[unlikely]] {
    AddBlocks(s, &ack);
  }
  s.Hit(spec::clause::kAckSnapshot);
  //= ACK-ENTROPY
  //# The UDP source port of an ACK is that of the latest arrival of the path of its first block
  const Route route = books.route();
  books.Acknowledged(!second);
  x.delayed = false;
  ArmAck(s, path, x);
  Answer(s, ack, route);
}

}  // namespace metaroce::endpoint
