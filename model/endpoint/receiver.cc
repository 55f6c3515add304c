#include "model/endpoint/receiver.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace metaroce {
namespace {

using packet::Packet;
using spec::Layout;
using spec::Opcode;
using spec::OpcodeClass;
using spec::Reason;

bool Has(Opcode opcode, Layout layout) {
  for (Layout have : spec::Info(opcode).headers) {
    if (have == layout) return true;
  }
  return false;
}

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

Opcode NackOf(Reason reason) {
  return spec::Info(reason).nack.value_or(Opcode::kNackInvalidRequest);
}

// [address, address + length) lies in the region; no sum is taken that could wrap.
bool Holds(const Region& region, uint64_t address, uint64_t length) {
  return address >= region.address && address - region.address <= region.length &&
         length <= region.length - (address - region.address);
}

}  // namespace

absl::Status Receiver::Open(const ConnectionSetup& setup) {
  const uint32_t cid = setup.local.cid;
  if (connections_.contains(cid)) {
    return absl::InvalidArgumentError(absl::StrCat("cid ", cid, " is in use."));
  }
  const auto within = [](absl::string_view name, uint64_t value, uint64_t min, uint64_t max) {
    if (value >= min && value <= max) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "local.", name, " is ", value, "; it must lie between ", min, " and ", max, "."));
  };
  absl::Status status = within("range", setup.local.range, spec::constant::kCsnRangeMin,
                               spec::constant::kCsnRangeMax);
  status.Update(within("paths", setup.local.paths, 1, spec::constant::kNoPath));
  status.Update(within("mtu", setup.local.mtu, 256, 8192));
  status.Update(within("streams", setup.local.streams, 1, UINT16_MAX));
  status.Update(within("open_messages", setup.local.open_messages, 1, UINT16_MAX));
  if (status.ok()) connections_.emplace(cid, Connection(setup));
  return status;
}

Connection* Receiver::Find(uint32_t cid) {
  const auto it = connections_.find(cid);
  return it == connections_.end() ? nullptr : &it->second;
}

uint64_t Receiver::Count(Reason reason) const { return counts_[static_cast<size_t>(reason)]; }

void Receiver::Arrive(packet::Bytes frame, uint8_t plane, Nanoseconds now, Outcome* out) {
  Packet packet;
  //= CHECK-ORDER
  //# A receiver applies the checks in the order of the table and reports the first that fails.
  const packet::ParseResult parsed = packet::Parse(frame, packet::ParseOptions(), &packet);
  if (!parsed.ok()) return Fail(parsed.reason());
  const Arrived a{packet, Route{packet.frame.src_port, plane}, now,
                  packet.frame.ecn() == frame::Ecn::kCe};
  const Opcode opcode = packet.opcode();
  //= CHECK-CONNECTION
  //# CONNECT has no connection yet and passes.
  if (opcode == Opcode::kConnect || opcode == Opcode::kNackBadConnection) return;
  Connection* connection = Find(packet.headers.common.cid);
  if (connection == nullptr) {
    Fail(Reason::kConnectionUnknown);
    //= CHECK-CONNECTION
    //# DATA and CTRL requests to an unknown connection are answered with NACK_BAD_CONNECTION; all
    //# other packets to one are dropped.
    if (spec::Info(opcode).opcode_class == OpcodeClass::kData || IsCtrlRequest(opcode)) {
      NackBadConnection(a, frame, out);
    }
    return;
  }
  if (!(frame::SourceAddress(packet.frame, frame) == connection->setup.peer_ip)) {
    return Fail(Reason::kPeerAddress);
  }
  if (Has(opcode, Layout::kCtrl) && packet.headers.ctrl.tag != connection->setup.tag) {
    return Fail(Reason::kTag);
  }
  ArriveOn(*connection, a, out);
}

void Receiver::ArriveOn(Connection& c, const Arrived& a, Outcome* out) {
  const Opcode opcode = a.packet.opcode();
  const bool data = spec::Info(opcode).opcode_class == OpcodeClass::kData;
  if (c.error && (data || (IsCtrlRequest(opcode) && opcode != Opcode::kDisconnect))) {
    Fail(Reason::kStateError);
    return SendStoredNack(c, a, out);
  }
  if (c.error) return Fail(Reason::kState);
  if (data) return ArriveData(c, a, out);
  if (opcode == Opcode::kProbe) return ArriveProbe(c, a, out);
}

bool Receiver::PathOk(Connection& c, const Arrived& a, Outcome* out) {
  const spec::Common& common = a.packet.headers.common;
  const bool known = common.path < c.paths.size() && c.paths[common.path].open;
  if (known && c.paths[common.path].books.epoch() == common.epoch) return true;
  Fail(known ? Reason::kEpoch : Reason::kPathUnknown);
  // Path ids beyond those agreed have no context: they have one interval together.
  const bool exists = common.path < c.paths.size();
  Nanoseconds& next = exists ? c.paths[common.path].bad_epoch_next : c.bad_path_next;
  //= CHECK-PATH
  //# at most one per path in each `bad_epoch_interval`, counted from the last one sent
  if (a.now < next) return false;
  next = a.now + static_cast<Nanoseconds>(spec::constant::kBadEpochInterval);
  Packet nack = packet::NewPacket(Opcode::kNackBadEpoch);
  spec::NackEpoch& body = nack.headers.nack_epoch;
  body.path = common.path;
  body.epoch = common.epoch;
  body.has_current = known;
  body.current_epoch = known ? c.paths[common.path].books.epoch() : 0;
  body.number = common.number;
  nack.headers.common.path = spec::constant::kNoPath;
  Send(c, nack, a.route, a.now, out);
  return false;
}

void Receiver::ArriveProbe(Connection& c, const Arrived& a, Outcome* out) {
  if (!PathOk(c, a, out)) return;
  const spec::Common& common = a.packet.headers.common;
  ReceiveContext& context = c.paths[common.path];
  context.books.ArriveProbe(WireTime(common.transmit_time), a.route, a.now);
  if (a.packet.headers.probe.attempt < 2) return;
  //= ACK-PROBE-TWICE
  //# by an ACK whose first block is that of the other path that had the latest arrival, and whose
  //# second block is that of p.
  std::optional<uint8_t> other;
  for (size_t q = 0; q < c.paths.size(); ++q) {
    const ReceiveContext& candidate = c.paths[q];
    if (q == common.path || !candidate.open || !candidate.books.has_arrival()) continue;
    if (!other || candidate.books.last_arrival() > c.paths[*other].books.last_arrival()) {
      other = static_cast<uint8_t>(q);
    }
  }
  if (!other) return;
  ++context.second_answers;
  context.second_by = *other;
}

void Receiver::ArriveData(Connection& c, const Arrived& a, Outcome* out) {
  if (!PathOk(c, a, out)) return;
  const spec::Headers& h = a.packet.headers;
  ReceivePath& books = c.paths[h.common.path].books;
  const PathSeq sequence(h.common.number);
  const Arrival arrival = books.Arrive(sequence, WireTime(h.common.transmit_time), a.ce,
                                       h.common.ar, a.route, a.now, c.setup.ack);
  if (arrival == Arrival::kBeyondWindow) return Fail(Reason::kPathWindow);
  if (arrival == Arrival::kDuplicate) return Fail(Reason::kPathDuplicate);
  const Csn csn(h.data.csn);
  if (c.csn.Received(csn)) {
    const bool is_void = a.packet.opcode() == Opcode::kVoid;
    if (!is_void) Fail(Reason::kCsnDuplicate);
    return books.Mark(sequence, arrival, !is_void, a.now);
  }
  if (!c.csn.Granted(csn)) return Refuse(c, a, Reason::kCsnRange, out);
  if (a.packet.opcode() == Opcode::kVoid) return Refuse(c, a, Reason::kVoidUnknown, out);
  const RequestPacket request = ToRequest(h, a.packet.payload.size());
  if (const auto reason = CheckRequest(c, request)) return Refuse(c, a, *reason, out);
  Accept(c, a, request, out);
  //= CHECK-ACCEPT
  //# its payload is placed, its CSN and its path sequence are marked
  c.csn.Mark(csn);
  books.Mark(sequence, arrival, false, a.now);
}

std::optional<Reason> Receiver::CheckRequest(Connection& c, const RequestPacket& request) {
  // There is no requester in this half: no response matches anything.
  const bool response =
      request.opcode == Opcode::kReadResponse || request.opcode == Opcode::kAtomicResponse;
  if (const auto reason = c.inbound.Check(request)) {
    if (!response || *reason < Reason::kMsnWindow) return reason;
  }
  if (response) return Reason::kResponseUnmatched;
  //= CHECK-CREDIT
  //# The receive index of a packet that carries one is less than the credit (`receive-credit`), it
  //# belongs to no other message (`receive-reused`)
  if (request.has_index) {
    if (request.index >= c.receives.credit()) return Reason::kReceiveCredit;
    const PostedReceive* receive = c.receives.Find(request.index);
    const InboundMessage* message = c.inbound.Find(request.stream, request.msn);
    const bool own = message != nullptr && message->has_index;
    if (receive == nullptr || (receive->taken && !own)) return Reason::kReceiveReused;
    const bool send = request.opcode != Opcode::kWriteWithImmediate;
    if (send && request.length > receive->length) return Reason::kReceiveLength;
  }
  const bool send = request.has_index && request.opcode != Opcode::kWriteWithImmediate;
  //= CHECK-ACCESS
  //# A message of length 0 is not checked.
  if (send || request.length == 0) return std::nullopt;
  const Region* region = c.FindRegion(request.rkey);
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
  if (start < request.address || !Holds(*region, start, length)) return Reason::kAccessBounds;
  return std::nullopt;
}

void Receiver::Accept(Connection& c, const Arrived& a, const RequestPacket& request, Outcome* out) {
  const InboundMessage* message = c.inbound.Accept(request);
  uint64_t base = request.address;
  if (request.has_index) {
    PostedReceive* receive = c.receives.Find(request.index);
    receive->taken = true;
    if (message->kind == MessageKind::kSend) base = receive->address;
  }
  if (!a.packet.payload.empty()) {
    Placement placement;
    placement.address = base + request.offset;
    placement.data.assign(a.packet.payload.begin(), a.packet.payload.end());
    out->push_back({a.now, std::move(placement)});
  }
  DeliverAll(c, request.stream, a.now, out);
}

//= MSG-DELIVER-AT-ONCE
//# Delivery takes place as part of the event that made it possible.
void Receiver::DeliverAll(Connection& c, uint16_t stream, Nanoseconds now, Outcome* out) {
  while (const std::optional<InboundMessage> message = c.inbound.Deliver(stream)) {
    if (!message->has_index) continue;
    const PostedReceive receive = *c.receives.Find(message->index);
    ReceiveCompletion completion;
    completion.id = receive.id;
    completion.length = message->length;
    if (message->attached == Attached::kImmediate) completion.immediate = message->word;
    if (message->attached == Attached::kInvalidate) {
      completion.invalidated = message->word;
      if (Region* region = c.FindRegion(message->word)) region->valid = false;
    }
    c.receives.Complete(message->index);
    out->push_back({now, completion});
  }
}

void Receiver::Refuse(Connection& c, const Arrived& a, Reason reason, Outcome* out) {
  Fail(reason);
  const spec::Headers& h = a.packet.headers;
  c.error = true;
  c.nack_opcode = NackOf(reason);
  c.nack = spec::NackRequest{};
  c.nack.path = h.common.path;
  c.nack.epoch = h.common.epoch;
  c.nack.opcode = h.common.opcode;
  c.nack.reason = static_cast<uint8_t>(reason);
  c.nack.sequence = h.common.number;
  c.nack.csn = h.data.csn;
  c.nack.stream = h.data.stream;
  c.nack.msn = h.data.msn;
  c.nack_next = a.now;
  SendStoredNack(c, a, out);
  for (ReceiveContext& context : c.paths) context = ReceiveContext();
}

void Receiver::SendStoredNack(Connection& c, const Arrived& a, Outcome* out) {
  //= ERROR-NACK-REPEAT
  //# unless less than `error_nack_interval` has passed since the connection last sent a NACK
  if (a.now < c.nack_next) return;
  c.nack_next = a.now + static_cast<Nanoseconds>(spec::constant::kErrorNackInterval);
  Packet nack = packet::NewPacket(c.nack_opcode);
  nack.headers.nack_request = c.nack;
  nack.headers.common.path = spec::constant::kNoPath;
  Send(c, nack, a.route, a.now, out);
}

void Receiver::NackBadConnection(const Arrived& a, packet::Bytes bytes, Outcome* out) {
  Packet nack = packet::NewPacket(Opcode::kNackBadConnection);
  nack.headers.common.path = spec::constant::kNoPath;
  nack.headers.common.transmit_time = static_cast<uint32_t>(a.now);
  nack.headers.nack_connection.cid = a.packet.headers.common.cid;
  nack.headers.nack_connection.number = a.packet.headers.common.number;
  nack.headers.nack_connection.transmit_time = a.packet.headers.common.transmit_time;
  frame::FrameSpec spec =
      packet::DefaultFrame(Opcode::kNackBadConnection, a.route.entropy,
                           !frame::SourceAddress(a.packet.frame, bytes).is_v4());
  spec.src = frame::DestinationAddress(a.packet.frame, bytes);
  spec.dst = frame::SourceAddress(a.packet.frame, bytes);
  spec.src_mac = frame::DestinationMac(a.packet.frame, bytes);
  spec.dst_mac = frame::SourceMac(a.packet.frame, bytes);
  out->push_back({a.now, FrameOut{*packet::Serialize(nack, spec), a.route.plane}});
}

Nanoseconds Receiver::NextDue() const {
  Nanoseconds due = kNever;
  for (const auto& [cid, connection] : connections_) {
    for (const ReceiveContext& context : connection.paths) {
      if (context.open) due = std::min(due, context.books.AckDue());
    }
  }
  return due;
}

void Receiver::Poll(Nanoseconds now, Outcome* out) {
  for (auto& [cid, connection] : connections_) {
    for (size_t p = 0; p < connection.paths.size(); ++p) {
      ReceiveContext& context = connection.paths[p];
      const uint8_t path = static_cast<uint8_t>(p);
      while (context.open && context.books.AckDue() <= now) {
        SendAck(connection, path, std::nullopt, now, out);
        //= ACK-PROBE-TWICE
        //# It leaves after the first.
        if (context.second_answers == 0) continue;
        --context.second_answers;
        SendAck(connection, context.second_by, path, now, out);
      }
    }
  }
}

void Receiver::SendAck(Connection& c, uint8_t path, std::optional<uint8_t> second, Nanoseconds now,
                       Outcome* out) {
  ReceivePath& books = c.paths[path].books;
  Packet ack = packet::NewPacket(Opcode::kAck);
  spec::Common& common = ack.headers.common;
  common.path = path;
  common.epoch = books.epoch();
  common.number = c.next_serial.value();
  ++c.next_serial;
  spec::Ack& body = ack.headers.ack;
  //= ACK-CUMULATIVE
  //# `csn` is the cumulative CSN, `right_edge` the right edge and `credit` the credit of the
  //# connection when the ACK is built.
  body.csn = c.csn.cumulative().value();
  body.right_edge = c.csn.right_edge().value();
  body.credit = c.receives.credit().value();
  body.hint = UINT16_MAX;
  body.blocks = 0;
  const auto add = [&](uint8_t p) {
    ack.headers.path_block[body.blocks] = c.paths[p].books.Block(p, now);
    ++body.blocks;
  };
  add(path);
  if (second) add(*second);
  const Route route = books.route();
  books.Acknowledged();
  Send(c, ack, route, now, out);
}

void Receiver::Send(const Connection& c, Packet& p, Route route, Nanoseconds now, Outcome* out) {
  p.headers.common.cid = c.setup.peer.cid;
  //= CONF-ENDPOINT-CLOCK
  //# The DUT's clock is the time of the contract
  p.headers.common.transmit_time = static_cast<uint32_t>(now);
  p.headers.ctrl.tag = c.setup.tag;
  frame::FrameSpec spec =
      packet::DefaultFrame(p.opcode(), route.entropy, !c.setup.local_ip.is_v4());
  spec.src = c.setup.local_ip;
  spec.dst = c.setup.peer_ip;
  spec.src_mac = c.setup.local_mac;
  spec.dst_mac = c.setup.peer_mac;
  out->push_back({now, FrameOut{*packet::Serialize(p, spec), route.plane}});
}

}  // namespace metaroce
