// What arrives: the checks on the connection and its state, and who takes the packet
// (sections 4.2, 4.3).
#include <algorithm>
#include <array>

#include "model/endpoint/scope.h"
#include "model/wire/frame/bytes.h"
#include "model/wire/frame/icrc.h"

namespace metaroce::endpoint {
namespace {

using packet::Packet;
using spec::ConnectionEvent;
using spec::ConnectionState;
using spec::Counter;
using spec::Opcode;
using spec::OpcodeClass;
using spec::Reason;

//= CHECK-REQUESTS
//# CTRL requests are CONNECT, CONNECT_REPLY (which asks for its confirmation), DISCONNECT,
//# PATH_OPEN, PATH_CLOSE, PROBE, PORT_STATUS and CREDIT_PROBE.
bool IsCtrlRequest(Opcode opcode) {
  switch (opcode) {
    case Opcode::kConnect:
    case Opcode::kConnectReply:
    case Opcode::kDisconnect:
    case Opcode::kPathOpen:
    case Opcode::kPathClose:
    case Opcode::kProbe:
    case Opcode::kPortStatus:
    case Opcode::kCreditProbe:
      return true;
    default:
      return false;
  }
}

//= WIRE-OPCODE-CLASS
//# The two most significant bits of the opcode are its class.
bool IsData(Opcode opcode) { return spec::Info(opcode).opcode_class == OpcodeClass::kData; }

bool HasTag(Opcode opcode) {
  static constexpr auto kHasTag = [] {
    std::array<bool, 256> table{};
    for (const Opcode o : spec::kOpcodes) {
      const auto& headers = spec::Info(o).headers;
      table[static_cast<uint8_t>(o)] =
          std::find(headers.begin(), headers.end(), spec::Layout::kCtrl) != headers.end();
    }
    return table;
  }();
  return kHasTag[static_cast<uint8_t>(opcode)];
}

// Counts a failed check where no connection is at hand.
//
//= CHECK-COUNT
//# A packet that fails a check adds one to the counter of its reason
void FailAlone(State& e, Reason reason, const Step& step) {
  ++e.failed[static_cast<size_t>(reason)];
  ++e.counters[static_cast<size_t>(spec::Info(reason).counter)];
  Hit(step, spec::Info(reason).clause);
}

//= NACK-BAD-CONNECTION-SEND
//# NACK_BAD_CONNECTION answers DATA and CTRL requests to a cid that names no connection, and
//# nothing else; never an ACK, a NACK or a reply.
void NoSuchConnection(State& e, const Packet& p, const Arrival& a, const Step& step) {
  FailAlone(e, Reason::kConnectionUnknown, step);
  const Opcode opcode = p.opcode();
  if (!IsData(opcode) && !IsCtrlRequest(opcode)) return;
  //= NACK-BAD-CONNECTION-LIMIT
  //# An endpoint may leave such a packet unanswered.
  if (ChooseName(step.chooser, spec::Choice::kBadConnectionAnswer) == 1) {
    return Hit(step, spec::clause::kNackBadConnectionLimit);
  }
  Packet nack = packet::NewPacket(Opcode::kNackBadConnection);
  nack.headers.common.path = spec::constant::kNoPath;
  //= WIRE-NACK-CONNECTION
  //# NACK_BAD_CONNECTION has `cid` 0 in its common header and names the `cid`, the `number` and the
  nack.headers.nack_connection = {p.headers.common.cid, p.headers.common.number,
                                  p.headers.common.transmit_time};
  Hit(step, spec::clause::kNackBadConnectionSend);
  AnswerStranger(e, step, a, nack);
}

ConnectionEvent EventOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kConnectReply:
      return ConnectionEvent::kConnectReply;
    case Opcode::kConnectReject:
      return ConnectionEvent::kConnectReject;
    case Opcode::kConnectConfirm:
      return ConnectionEvent::kConnectConfirm;
    case Opcode::kDisconnect:
      return ConnectionEvent::kDisconnect;
    case Opcode::kDisconnectReply:
      return ConnectionEvent::kDisconnectReply;
    case Opcode::kProbe:
      return ConnectionEvent::kProbe;
    case Opcode::kAck:
      return ConnectionEvent::kAck;
    case Opcode::kNackInvalidRequest:
    case Opcode::kNackRemoteAccess:
    case Opcode::kNackRemoteOperation:
      return ConnectionEvent::kNackRefusal;
    case Opcode::kNackClosing:
      return ConnectionEvent::kNackClosing;
    case Opcode::kNackBadEpoch:
      return ConnectionEvent::kNackBadEpoch;
    default:
      if (IsData(opcode)) return ConnectionEvent::kData;
      return IsCtrlRequest(opcode) ? ConnectionEvent::kOtherRequest : ConnectionEvent::kOtherReply;
  }
}

bool FromPeer(const Connection& c, const Arrival& a) {
  for (const Port& port : c.peer_ports) {
    if (port.ip == a.from) return true;
  }
  return false;
}

constexpr uint32_t kNoSlot = UINT32_MAX;

// CHECK-CONNECTION. The slot, if the packet passes, else kNoSlot.
inline uint32_t CheckConnection(State& e, const Packet& p, const Arrival& a, const Step& step) {
  const uint32_t slot = e.SlotOf(p.headers.common.cid).value_or(kNoSlot);
  const Opcode opcode = p.opcode();
  //= CHECK-CONNECTION
  //# A connection in QUARANTINE counts as unknown for every packet but DISCONNECT
  const bool unknown =
      slot == kNoSlot ||
      (e.connections[slot]->state == ConnectionState::kQuarantine && opcode != Opcode::kDisconnect);
  if (unknown) {
    if (slot != kNoSlot && step.hits != nullptr) [[unlikely]] {
      SetHits(*step.hits, CellOf(ConnectionState::kQuarantine, EventOf(opcode)));
    }
    NoSuchConnection(e, p, a, step);
    return kNoSlot;
  }
  const Connection& c = *e.connections[slot];
  if (!FromPeer(c, a)) {
    FailAlone(e, Reason::kPeerAddress, step);
    return kNoSlot;
  }
  if (HasTag(opcode) && p.headers.ctrl.tag != c.tag) {
    FailAlone(e, Reason::kTag, step);
    return kNoSlot;
  }
  return slot;
}

// A DATA packet in ACCEPTED: one that passes the check `path-window` opens the connection.
//
//= CONNECT-OPEN-ACCEPTOR
//# a DATA packet that passes the check `path-window`, takes the acceptor from ACCEPTED to OPEN.
bool OpensAcceptor(const Scope& s, const Packet& p) {
  const spec::Common& common = p.headers.common;
  const bool known = common.path < s.c.in.size() && bool(s.c.in[common.path].context);
  if (!known) {
    s.Fail(Reason::kPathUnknown);
    return false;
  }
  const ReceivePath& books = s.c.in[common.path].context->books;
  if (books.epoch() != common.epoch) {
    s.Fail(Reason::kEpoch);
    return false;
  }
  if (books.vector().Classify(PathSeq(common.number)) == metaroce::Arrival::kBeyondWindow) {
    s.Fail(Reason::kPathWindow);
    return false;
  }
  return true;
}

//= CHECK-CLASSES
//# DATA passes through all checks.
void InOpen(const Scope& s, const Packet& p, const Arrival& a) {
  switch (p.opcode()) {
    case Opcode::kAck:
      ++s.c.acks_seen;
      return TakeAck(s, p);
    case Opcode::kProbe:
      return ArriveProbe(s, p, a);
    case Opcode::kPathOpen:
      return TakePathOpen(s, p, a);
    case Opcode::kPathAccept:
      return TakeAccept(s, p);
    case Opcode::kPathRefuse:
      return TakeRefuse(s, p);
    case Opcode::kPathClose:
      return TakePathClose(s, p, a);
    case Opcode::kPathCloseReply:
      return TakePathCloseReply(s, p);
    case Opcode::kPortStatus:
      return TakePortStatus(s, p, a);
    case Opcode::kPortStatusAck:
      return TakePortStatusAck(s, p);
    case Opcode::kCreditProbe:
      return TakeCreditProbe(s, p, a);
    case Opcode::kCredit:
      return TakeCreditAnswer(s, p, false);
    case Opcode::kRnr:
      return TakeCreditAnswer(s, p, true);
    case Opcode::kNackBadEpoch:
      return TakeBadEpoch(s, p);
    default:
      return ArriveData(s, p, a);
  }
}

//= WIRE-NACK-CLOSING
//# NACK_CLOSING carries the tag alone.
void SendNackClosing(const Scope& s, const Arrival& a) {
  s.Fail(Reason::kStateClosing);
  s.c.nack = StoredNack();
  SendStoredNack(s, a.route);
}

// CHECK-STATE, by the machine; then the packet goes to whoever takes it.
void Dispatch(const Scope& s, const Packet& p, const Arrival& a) {
  if (s.c.state == ConnectionState::kOpen && IsData(p.opcode())) return ArriveData(s, p, a);
  const ConnectionEvent event = EventOf(p.opcode());
  //= CONNECT-STATES
  //# A connection has the states and events of the machine `connection`.
  const auto& cell = spec::Lookup(s.c.state, event);
  METAROCE_CHECK(cell.kind != spec::CellKind::kImpossible);
  //= CHECK-STATE
  //# The opcode is legal in the connection's state by the table of chapter 11 (`state`).
  if (cell.kind == spec::CellKind::kIgnored) {
    s.HitCell(s.c.state, event);
    return s.Fail(Reason::kState);
  }
  s.Hit(cell.clause);
  switch (event) {
    case ConnectionEvent::kConnectReply:
      if (s.c.state == ConnectionState::kError) break;
      return TakeConnectReply(s, p, a);
    case ConnectionEvent::kConnectConfirm:
      return TakeConfirm(s, p, a);
    case ConnectionEvent::kConnectReject:
      return TakeReject(s, p);
    case ConnectionEvent::kDisconnect:
      return TakeDisconnect(s, p, a);
    case ConnectionEvent::kDisconnectReply:
      if (TransactionId(p.headers.common.number) != s.c.request_id) return s.Fail(Reason::kState);
      Enter(s, &s.c.state, event);
      return Quarantine(s);
    case ConnectionEvent::kNackRefusal:
    case ConnectionEvent::kNackClosing:
      return TakeNack(s, p);
    default:
      break;
  }
  if (s.c.state != ConnectionState::kAccepted) s.HitCell(s.c.state, event);
  if (s.c.state == ConnectionState::kError) {
    s.Fail(Reason::kStateError);
    return SendStoredNack(s, a.route);
  }
  //= CLOSE-CLOSING
  //# In CLOSING, a DATA packet is answered with NACK_CLOSING
  if (s.c.state == ConnectionState::kClosing) return SendNackClosing(s, a);
  if (s.c.state == ConnectionState::kAccepted) {
    if (!OpensAcceptor(s, p)) return;
    Enter(s, &s.c.state, event);
    Opened(s, a.route, s.Time(spec::Constant::kHandshakeRtt));
  }
  InOpen(s, p, a);
}

//= NACK-BAD-CONNECTION-MATCH
//# its `number` and `transmit_time` are those of the latest transmission of an unacknowledged DATA
//# packet of a live epoch, of the latest PROBE of a path, or of the latest transmission of another
//# unanswered CTRL request.
bool Matches(const Connection& c, const spec::NackConnection& nack) {
  const TransactionId id(nack.number);
  const WireTime time(nack.transmit_time);
  const bool closing = c.state == ConnectionState::kClosing && id == c.request_id;
  const bool accepted = c.state == ConnectionState::kAccepted && id == c.connect_id;
  if ((closing || accepted) && time == ToWire(c.request_sent)) return true;
  if (c.state != ConnectionState::kOpen) return false;
  const bool probing = c.credit == spec::CreditState::kProbing && c.credit_sent != kNever;
  if (probing && id == c.credit_id && time == ToWire(c.credit_sent)) return true;
  const bool told = c.port_status == spec::PortStatusState::kWaiting;
  if (told && id == c.port_id && time == ToWire(c.port_sent)) return true;
  const auto closes = [&](const Box<CloseState>& close) {
    return close && id == close->id && time == ToWire(close->sent);
  };
  for (const ReceiveSlot& slot : c.in) {
    if (closes(slot.close)) return true;
  }
  for (const SendPath& path : c.out) {
    if (closes(path.close)) return true;
    if (!path.context) continue;
    const SendContext& x = *path.context;
    const bool probed = x.probe_sent != kNever;
    if (probed && id == x.probe_id && time == ToWire(x.probe_sent)) return true;
    if (x.opening.unanswered && id == x.opening.id && time == ToWire(x.opening.sent)) return true;
    const PathSeq sequence(nack.number);
    const bool in_window = sequence >= x.window.oldest() && sequence < x.window.next();
    if (!in_window || x.window.at(sequence).condition == Condition::kAcknowledged) continue;
    if (ToWire(x.window.at(sequence).sent) == time) return true;
  }
  return false;
}

void TakeBadConnection(State& e, const Packet& p, const Arrival& a, const Step& step) {
  const spec::NackConnection& nack = p.headers.nack_connection;
  for (uint32_t slot = 0; slot < e.connections.size(); ++slot) {
    Connection* c = e.connections[slot].get();
    if (c == nullptr || c->peer.cid != nack.cid || c->peer.cid == 0) continue;
    if (!FromPeer(*c, a) || !Matches(*c, nack)) continue;
    e.touched.push_back(slot);
    const Scope s{e, *c, step, slot};
    s.Hit(spec::clause::kNackBadConnectionMatch);
    if (c->state == ConnectionState::kOpen) {
      return Err(s, ConnectionEvent::kNackBadConnection, spec::ConnectionCause::kBadConnection, 0,
                 c->outbound.Oldest(), spec::CompletionStatus::kBadConnection, nullptr);
    }
    Enter(s, &c->state, ConnectionEvent::kNackBadConnection);
    Tell(s, spec::ConnectionCause::kBadConnection, 0);
    return Quarantine(s);
  }
  ++e.counters[static_cast<size_t>(Counter::kStaleBadConnection)];
}

// A CONNECT_REJECT without a cid belongs to the connection whose tag and transaction id it has.
uint32_t RejectedSlot(const State& e, const Packet& p, const Arrival& a) {
  for (uint32_t slot = 0; slot < e.connections.size(); ++slot) {
    const Connection* c = e.connections[slot].get();
    if (c == nullptr || c->state != ConnectionState::kConnecting) continue;
    if (c->tag != p.headers.ctrl.tag || c->connect_id != TransactionId(p.headers.common.number)) {
      continue;
    }
    if (FromPeer(*c, a)) return slot;
  }
  return kNoSlot;
}

// A packet of another version.
void OtherVersion(State& e, const Packet& p, packet::Bytes bytes, const Arrival& a,
                  const Step& step) {
  //= CHECK-VERSION
  //# one whose opcode value is that of CONNECT and whose iCRC is right is answered with CONNECT_REJECT, code `version`.
  const packet::Bytes udp = frame::Payload(p.frame, bytes);
  constexpr size_t kTagAt = spec::Common::kBytes;
  if (p.opcode() != Opcode::kConnect || udp.size() < kTagAt + spec::Ctrl::kBytes + 4) return;
  if (!frame::IcrcOk(p.frame, bytes, frame::IcrcKind::kMetaRoce)) return;
  Packet reject = packet::NewPacket(Opcode::kConnectReject);
  reject.headers.common.path = spec::constant::kNoPath;
  reject.headers.common.number = p.headers.common.number;
  reject.headers.ctrl = spec::Ctrl::Load(udp.data() + kTagAt);
  reject.headers.connect_reject = {static_cast<uint8_t>(spec::RejectCode::kVersion),
                                   spec::constant::kWireVersion, spec::constant::kWireVersion};
  AnswerStranger(e, step, a, reject);
}

void Settle(State& e) {
  for (uint32_t slot : e.touched) {
    Connection* c = e.connections[slot].get();
    if (c != nullptr) e.timers.Arm(slot, c->timers.First());
  }
  e.touched.clear();
}

}  // namespace

//= CHECK-ORDER
//# A receiver applies the checks in the order of the table and reports the first that fails.
void Endpoint::ArriveFrame(packet::Bytes frame, uint8_t plane, const Step& step) {
  Packet p;
  packet::ParseOptions options;
  options.udp_port = static_cast<uint16_t>(state_->settings.profile[spec::Constant::kUdpPort]);
  const packet::ParseResult parsed = packet::Parse(frame, options, &p);
  Arrival a;
  if (parsed.ok() || parsed.reason() >= Reason::kVersion) {
    a.from = frame::SourceAddress(p.frame, frame);
    // No port has an address of that version of IP: nothing of it arrives here, and no answer could
    // leave.
    if (a.from.version() != state_->settings.ports[0].ip.version()) return;
    a.from_mac = frame::SourceMac(p.frame, frame);
    a.route = {p.frame.src_port, plane};
    //= WIRE-CE-CONTROL
    //# A receiver ignores the ECN field of every packet but DATA.
    a.ce = p.frame.ecn() == frame::Ecn::kCe;
  }
  if (parsed.ok()) return ArrivePacket(p, a, step);
  FailAlone(*state_, parsed.reason(), step);
  if (parsed.reason() == Reason::kVersion) OtherVersion(*state_, p, frame, a, step);
}

namespace {

// The slot of the connection to which a packet belongs, if it passes CHECK-CONNECTION, else
// kNoSlot. What the packets do that have no cid of the receiver's is done.
inline uint32_t SlotFor(State& e, const Packet& p, const Arrival& a, const Step& step) {
  switch (p.opcode()) {
    case Opcode::kConnect:
      TakeConnect(e, p, a, step);
      return kNoSlot;
    case Opcode::kNackBadConnection:
      TakeBadConnection(e, p, a, step);
      return kNoSlot;
    case Opcode::kConnectReject:
      if (p.headers.common.cid == 0) {
        const uint32_t slot = RejectedSlot(e, p, a);
        if (slot == kNoSlot) FailAlone(e, Reason::kConnectionUnknown, step);
        return slot;
      }
      [[fallthrough]];
    default:
      return CheckConnection(e, p, a, step);
  }
}

}  // namespace

void Endpoint::ArrivePacket(const Packet& p, const Arrival& a, const Step& step) {
  State& e = *state_;
  const uint32_t slot = SlotFor(e, p, a, step);
  if (slot != kNoSlot) {
    Connection& c = *e.connections[slot];
    const Scope s{e, c, step, slot};
    c.last_heard = step.now;
    c.last_route = a.route;
    Dispatch(s, p, a);
    if (c.state == ConnectionState::kOpen) ArmClocks(s);
    e.timers.Arm(slot, c.timers.First());
  }
  if (!e.touched.empty()) Settle(e);
}

}  // namespace metaroce::endpoint
