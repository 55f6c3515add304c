// Setting up a connection and ending it (chapter 11).
#include <algorithm>
#include <utility>

#include "model/endpoint/congestion.h"

namespace metaroce::endpoint {
namespace {

using packet::Packet;
using spec::ConnectionEvent;
using spec::ConnectionState;
using spec::Counter;
using spec::Opcode;

//= SEQ-CSN-RANGE
//# The `range` in CONNECT and CONNECT_REPLY lies between `csn_range_min` and `csn_range_max`.
bool LegalRange(const spec::Connect& body) {
  return body.range >= spec::constant::kCsnRangeMin && body.range <= spec::constant::kCsnRangeMax;
}

//= CONNECT-RANGES
//# In CONNECT and in CONNECT_REPLY a size is legal in this range:
bool Legal(const spec::Connect& body) {
  const auto in = [](uint64_t value, uint64_t min, uint64_t max) {
    return value >= min && value <= max;
  };
  const bool mtu = body.mtu == 256 || body.mtu == 512 || body.mtu == 1024 || body.mtu == 2048 ||
                   body.mtu == 4096;
  return mtu && in(body.cid, 1, (1u << 24) - 1) && body.streams >= 1 && body.open_messages >= 1 &&
         in(body.paths, 1, 255) && in(body.planes, 1, spec::constant::kPlanesMax) &&
         LegalRange(body) && body.hint_unit >= 1 && body.credit - body.start_index < (1u << 31);
}

// The addresses of the option, by plane; nothing if there is none. `*legal` is false if there is
// one that is wrong.
std::vector<frame::IpAddress> AddressOption(const Packet& p, const frame::IpAddress& from,
                                            bool* legal) {
  std::vector<frame::IpAddress> addresses;
  const size_t bytes = from.is_v4() ? 4 : 16;
  packet::Bytes list = p.options;
  packet::Option option;
  while (packet::NextOption(&list, &option)) {
    const bool v4 = option.type == static_cast<uint16_t>(spec::ConnectOption::kAddressesIpv4);
    const bool v6 = option.type == static_cast<uint16_t>(spec::ConnectOption::kAddressesIpv6);
    if (!v4 && !v6) continue;
    *legal = v4 == from.is_v4() && option.value.size() == bytes * p.headers.connect.planes;
    if (!*legal) return {};
    for (size_t i = 0; i < p.headers.connect.planes; ++i) {
      std::array<uint8_t, 16> raw{};
      std::copy_n(option.value.begin() + static_cast<ptrdiff_t>(i * bytes), bytes, raw.begin());
      addresses.push_back(v4 ? frame::IpAddress::V4({raw[0], raw[1], raw[2], raw[3]})
                             : frame::IpAddress::V6(raw));
    }
    *legal = std::find(addresses.begin(), addresses.end(), from) != addresses.end();
    return addresses;
  }
  return {};
}

//= CONNECT-ADDRESSES
//# without the option, for every plane the source address of that packet.
std::vector<Port> PeerPorts(const Packet& p, const Arrival& a, bool* legal) {
  const std::vector<frame::IpAddress> addresses = AddressOption(p, a.from, legal);
  std::vector<Port> ports;
  for (const frame::IpAddress& ip : addresses) ports.push_back({a.from_mac, ip});
  if (ports.empty())
    ports.assign(std::max<size_t>(1, p.headers.connect.planes), {a.from_mac, a.from});
  return ports;
}

bool PeerHas(const Connection& c, const frame::IpAddress& ip) {
  return std::any_of(c.peer_ports.begin(), c.peer_ports.end(),
                     [&](const Port& port) { return port.ip == ip; });
}

// An endpoint whose planes have different addresses sends the option.
std::vector<uint8_t> OwnOptions(const Scope& s) {
  std::vector<uint8_t> list;
  const auto& ports = s.e.settings.ports;
  const bool differ = std::any_of(ports.begin(), ports.end(),
                                  [&](const Port& port) { return !(port.ip == ports[0].ip); });
  if (!differ) return list;
  //= CONNECT-ADDRESS-OPTION
  //# The value of an address option is `planes` addresses of 4 or 16 bytes
  s.Hit(spec::clause::kConnectAddressOption);
  std::vector<uint8_t> value;
  for (size_t i = 0; i < s.c.local.planes; ++i) {
    const auto bytes = ports[std::min(i, ports.size() - 1)].ip.bytes();
    value.insert(value.end(), bytes.begin(), bytes.end());
  }
  packet::Option option;
  option.type = static_cast<uint16_t>(ports[0].ip.is_v4() ? spec::ConnectOption::kAddressesIpv4
                                                          : spec::ConnectOption::kAddressesIpv6);
  option.value = value;
  METAROCE_CHECK(packet::AppendOption(option, &list).ok());
  return list;
}

//= WIRE-CONNECT-REJECT
//# CONNECT_REJECT carries the code of the refusal and the lowest and highest wire version that its
//# sender speaks.
void Reject(const State& e, const Step& step, const Packet& p, const Arrival& a,
            spec::RejectCode code) {
  Packet reject = packet::NewPacket(Opcode::kConnectReject);
  const bool spoken = code != spec::RejectCode::kVersion;
  reject.headers.common.cid = spoken ? p.headers.connect.cid : 0;
  reject.headers.common.path = spec::constant::kNoPath;
  reject.headers.common.number = p.headers.common.number;
  reject.headers.ctrl.tag = p.headers.ctrl.tag;
  reject.headers.connect_reject = {static_cast<uint8_t>(code), spec::constant::kWireVersion,
                                   spec::constant::kWireVersion};
  AnswerStranger(e, step, a, reject);
}

// The connection that this endpoint accepted from this CONNECT before, if any (CONNECT-REPEATED).
std::optional<uint32_t> Repeated(const State& e, const Packet& p, const Arrival& a) {
  for (uint32_t slot = 0; slot < e.connections.size(); ++slot) {
    const Connection* c = e.connections[slot].get();
    if (c == nullptr || c->initiator || c->tag != p.headers.ctrl.tag) continue;
    if (c->peer.cid == p.headers.connect.cid && PeerHas(*c, a.from)) return slot;
  }
  return std::nullopt;
}

void KeepConnect(const Scope& s, const Packet& p, const Arrival& a) {
  s.c.connect_came = s.now();
  s.c.connect_time = WireTime(p.headers.common.transmit_time);
  s.c.connect_route = a.route;
  s.Arm(kAcceptTimer, s.now() + s.Time(spec::Constant::kAcceptTimeout));
}

void Accept(State& e, const Packet& p, const Arrival& a, const std::vector<Port>& ports,
            const Step& step) {
  const uint32_t slot = NewConnection(e, step.chooser);
  Connection& c = *e.connections[slot];
  const Scope s{e, c, step, slot};
  e.touched.push_back(slot);
  c.tag = p.headers.ctrl.tag;
  c.peer = p.headers.connect;
  c.peer_ports = ports;
  const uint32_t cid = c.local.cid;
  c.local = Offer(e, step.chooser);
  c.local.cid = cid;
  Agree(&c.local, &c.peer);
  s.Hit(spec::clause::kConnectNegotiation, spec::clause::kConnectAddresses,
        spec::clause::kConnectCid);
  c.connect_id = TransactionId(p.headers.common.number);
  c.next_id = c.connect_id + 1;
  ++e.holding;
  c.holds = true;
  Enter(s, &c.state, ConnectionEvent::kConnectAccepted);
  Begin(s);
  KeepConnect(s, p, a);
  c.tries = 0;
  SendConnectReply(s);
  s.Arm(kRetryTimer, s.now() + s.Time(spec::Constant::kConnectRetryFirst));
  c.tries = 1;
}

void Judge(State& e, const Packet& p, const Arrival& a, const Step& step) {
  //= CONNECT-JUDGE
  //# The first that holds is answered at once with CONNECT_REJECT and that code, the counter
  //# `connects_rejected` grows, and nothing of the CONNECT is kept.
  bool legal = Legal(p.headers.connect);
  const std::vector<Port> ports = legal ? PeerPorts(p, a, &legal) : std::vector<Port>();
  std::optional<spec::RejectCode> code;
  const auto pool = [&](spec::Constant id) { return e.settings.profile[id]; };
  if (!legal) Hit(step, spec::clause::kConnectRanges);
  if (!LegalRange(p.headers.connect)) Hit(step, spec::clause::kSeqCsnRange);
  if (!e.settings.accepts) {
    code = spec::RejectCode::kRefused;
  } else if (!legal) {
    code = spec::RejectCode::kParameters;
  } else if (e.shared_out + e.holding >= pool(spec::Constant::kSendContexts) ||
             e.shared_in + e.holding >= pool(spec::Constant::kReceiveContexts)) {
    code = spec::RejectCode::kResources;
  }
  if (!code) return Accept(e, p, a, ports, step);
  Hit(step, spec::clause::kConnectJudge);
  ++e.counters[static_cast<size_t>(Counter::kConnectsRejected)];
  Reject(e, step, p, a, *code);
}

}  // namespace

uint32_t Random32(State& e) {
  // SplitMix64: every draw is a function of the seed and of how many came before.
  e.random += 0x9E3779B97F4A7C15u;
  uint64_t z = e.random;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return static_cast<uint32_t>((z ^ (z >> 31)) >> 16);
}

uint32_t FreeSlot(const State& e) {
  for (uint32_t slot = 0; slot < e.connections.size(); ++slot) {
    if (e.connections[slot] == nullptr) return slot;
  }
  return static_cast<uint32_t>(e.connections.size());
}

namespace {

// Numbers that no connection of this endpoint has.
class FreeCids : public Numbers {
 public:
  FreeCids(const State& e, uint32_t least) : Numbers(1, (1u << 24) - 1, least), e_(e) {}
  bool Admits(uint64_t cid) const override {
    return Numbers::Admits(cid) && !e_.by_cid.contains(static_cast<uint32_t>(cid));
  }

 private:
  const State& e_;
};

// Tags that no connection has which this endpoint initiated.
class FreeTags : public Numbers {
 public:
  FreeTags(const State& e, uint32_t drawn) : Numbers(0, UINT32_MAX, drawn), e_(e) {}
  bool Admits(uint64_t tag) const override {
    return Numbers::Admits(tag) &&
           std::none_of(e_.connections.begin(), e_.connections.end(), [&](const auto& c) {
             return c != nullptr && c->state != ConnectionState::kClosed && c->initiator &&
                    c->tag == tag;
           });
  }

 private:
  const State& e_;
};

//= CONNECT-START
//# Each endpoint draws its `start_csn`, `start_msn`, `start_sequence`, `start_serial` and
//# `start_index` at random, each on its own
uint32_t Draw(State& e, Chooser* chooser, spec::Choice choice) {
  return static_cast<uint32_t>(ChooseNumber(chooser, choice, 0, UINT32_MAX, Random32(e)));
}

}  // namespace

TransactionId DrawId(State& e, Chooser* chooser) {
  return TransactionId(Draw(e, chooser, spec::Choice::kConnectId));
}

//= CONNECT-TAG
//# The initiator draws the tag at random [TERM-RANDOM], and again if another connection that it has
//# initiated and that is not in the state CLOSED has it.
uint32_t DrawTag(State& e, Chooser* chooser) {
  uint32_t tag = Random32(e);
  while (!FreeTags(e, tag).Admits(tag)) tag = Random32(e);
  if (chooser == nullptr) return tag;
  return static_cast<uint32_t>(chooser->Number(spec::Choice::kConnectTag, FreeTags(e, tag)));
}

uint32_t NewConnection(State& e, Chooser* chooser) {
  const uint32_t slot = FreeSlot(e);
  if (slot == e.connections.size()) {
    e.connections.emplace_back();
    e.ready.push_back(0);
  }
  e.connections[slot] = std::make_unique<Connection>();
  //= CONNECT-CID
  //# from 1 to 2^24 - 1, different from those of all its other connections that are not in the
  //# state CLOSED.
  uint32_t cid = 1;
  for (const auto& [taken, unused] : e.by_cid) {
    if (taken != cid) break;
    ++cid;
  }
  if (chooser != nullptr) {
    cid = static_cast<uint32_t>(chooser->Number(spec::Choice::kCid, FreeCids(e, cid)));
  }
  e.connections[slot]->local.cid = cid;
  e.by_cid[cid] = slot;
  return slot;
}

//= WIRE-CONNECT
//# In CONNECT and CONNECT_REPLY the body describes the sender of the packet
spec::Connect Offer(State& e, Chooser* chooser) {
  const Profile& profile = e.settings.profile;
  spec::Connect body{};
  body.start_csn = Draw(e, chooser, spec::Choice::kConnectCsn);
  body.start_msn = Draw(e, chooser, spec::Choice::kConnectMsn);
  body.start_sequence = Draw(e, chooser, spec::Choice::kConnectSequence);
  body.start_serial = Draw(e, chooser, spec::Choice::kConnectSerial);
  body.start_index = Draw(e, chooser, spec::Choice::kConnectIndex);
  body.credit = body.start_index;
  body.range = static_cast<uint32_t>(profile[spec::Constant::kCsnRange]);
  body.mtu = static_cast<uint16_t>(profile[spec::Constant::kMtu]);
  body.streams = static_cast<uint16_t>(profile[spec::Constant::kStreams]);
  body.open_messages = static_cast<uint16_t>(profile[spec::Constant::kOpenMessages]);
  body.reads = static_cast<uint16_t>(profile[spec::Constant::kReads]);
  body.paths = static_cast<uint8_t>(profile[spec::Constant::kPaths]);
  body.planes = static_cast<uint8_t>(e.settings.ports.size());
  body.hint_unit = static_cast<uint16_t>(profile[spec::Constant::kHintUnit]);
  if (e.settings.secondary_blocks) {
    body.features = static_cast<uint16_t>(spec::Feature::kSecondaryBlocks);
  }
  if (e.settings.hint) body.features |= static_cast<uint16_t>(spec::Feature::kHint);
  return body;
}

//= CONNECT-NEGOTIATION
//# What both use holds in both directions.
void Agree(spec::Connect* own, spec::Connect* peer) {
  const auto lesser = [](auto& a, auto& b) { a = b = std::min(a, b); };
  lesser(own->mtu, peer->mtu);
  lesser(own->streams, peer->streams);
  lesser(own->open_messages, peer->open_messages);
  lesser(own->reads, peer->reads);
  lesser(own->paths, peer->paths);
  lesser(own->planes, peer->planes);
  own->hint_unit = peer->hint_unit = std::max(own->hint_unit, peer->hint_unit);
  own->features = peer->features = own->features & peer->features;
}

void Begin(const Scope& s) {
  Connection& c = s.c;
  const bool v4 = s.e.settings.ports[0].ip.is_v4();
  s.Hit(spec::clause::kCcS);
  //= CC-S
  //# by its IP version, less 4,096, plus its MTU.
  c.ip_mtu_bytes =
      static_cast<uint32_t>(v4 ? spec::derived::kFullPacketIpv4 : spec::derived::kFullPacketIpv6) -
      4096 + c.local.mtu;
  InboundLimits in;
  in.mtu = c.local.mtu;
  in.streams = c.local.streams;
  in.open_messages = c.local.open_messages;
  in.reads = c.local.reads;
  c.received = CsnWindow(Csn(c.peer.start_csn), c.local.range);
  c.inbound = Inbound(Msn(c.peer.start_msn), in);
  if (!c.initiator) c.receives = ReceiveQueue(ReceiveIndex(c.local.start_index));
  OutboundLimits out;
  out.mtu = in.mtu;
  out.streams = in.streams;
  out.open_messages = in.open_messages;
  out.reads = in.reads;
  c.outbound = Outbound(Msn(c.local.start_msn), ReceiveIndex(c.peer.start_index),
                        ReceiveIndex(c.peer.credit), out);
  c.sent = SentCsns(Csn(c.local.start_csn));
  c.peer_edge = Csn(c.local.start_csn) + c.peer.range;
  c.next_serial = AckSerial(c.local.start_serial);
  c.newest_serial = AckSerial(c.peer.start_serial - 1);
  //= PATH-IDS
  //# The paths of a direction have the ids 0 to `paths` - 1 with the agreed `paths`
  s.Hit(spec::clause::kPathIds);
  c.out.assign(c.local.paths, SendPath());
  c.in.assign(c.local.paths, ReceiveSlot());
  c.in_state = {};
  c.in_state[static_cast<size_t>(spec::PathState::kFree)] = c.local.paths;
  c.schedule = Schedule(c.local.paths);
  c.closed_id = TransactionId(c.connect_id.value() - 1);
  c.up = PlanesUp(s.e, c);
  OpenReceivePath(s, 0, 0, PathSeq(c.peer.start_sequence), c.connect_id, c.connect_route);
}

void Opened(const Scope& s, Route route, Nanoseconds rtt) {
  s.Arm(kRetryTimer, kNever);
  s.Arm(kAcceptTimer, kNever);
  s.c.handshake_rtt = rtt;
  s.c.last_srtt = rtt;
  BeginCongestion(s, rtt);
  s.c.in[0].context->heard = s.now();
  s.Hit(spec::clause::kConnectPathZero);
  OpenPathZero(s, route, rtt, s.c.request_sent);
  // Ports may have changed since the CONNECT came.
  PlanesChanged(s);
  s.step.sink->OnOpen(s.c.cid());
  const uint16_t all = static_cast<uint16_t>((1u << s.c.local.planes) - 1);
  //= PORT-STATUS
  //# If a port is down when the connection opens, that counts as a change.
  if ((s.e.ports_up & all) != all) PortChanged(s);
  s.Wake();
}

//= CONNECT-ENTROPY
//# takes a UDP source port of [WIRE-ENTROPY] that the one before it did not have, and the planes
//# that are up in turn;
Route SetupRoute(const Scope& s) {
  const uint16_t least = spec::constant::kEntropyMin;
  const uint16_t next = s.c.setup_entropy < least || s.c.setup_entropy == UINT16_MAX
                            ? least
                            : static_cast<uint16_t>(s.c.setup_entropy + 1);
  class Others : public Numbers {
   public:
    Others(uint16_t before, uint16_t next)
        : Numbers(spec::constant::kEntropyMin, UINT16_MAX, next), before_(before) {}
    bool Admits(uint64_t entropy) const override {
      return Numbers::Admits(entropy) && entropy != before_;
    }

   private:
    uint16_t before_;
  };
  const uint16_t before = std::exchange(s.c.setup_entropy, next);
  if (s.step.chooser != nullptr) [[unlikely]] {
    s.c.setup_entropy = static_cast<uint16_t>(
        s.step.chooser->Number(spec::Choice::kSetupEntropy, Others(before, next)));
  }
  const uint32_t planes = s.c.local.planes;
  const auto up = static_cast<uint16_t>(s.e.ports_up & ((1u << planes) - 1));
  //= CONNECT-ENTROPY
  //# the first CONNECT of a connection takes one of them as [PLANE-SPREAD] says of a path.
  const bool first = s.c.state == ConnectionState::kConnecting && s.c.tries == 0;
  s.Hit(spec::clause::kConnectEntropy);
  if (first && up != 0) {
    s.c.setup_plane = PlaneFor(s, nullptr, up);
    return {s.c.setup_entropy, s.c.setup_plane};
  }
  for (uint32_t i = 0; i < planes; ++i) {
    s.c.setup_plane = static_cast<uint8_t>((s.c.setup_plane + 1u) % planes);
    if (((s.e.ports_up >> s.c.setup_plane) & 1) != 0) break;
  }
  return {s.c.setup_entropy, s.c.setup_plane};
}

void SendConnect(const Scope& s) {
  Packet p = packet::NewPacket(Opcode::kConnect);
  p.headers.common.path = spec::constant::kNoPath;
  p.headers.common.number = s.c.connect_id.value();
  p.headers.connect = s.c.local;
  const std::vector<uint8_t> options = OwnOptions(s);
  p.options = options;
  FullSize(s, p);
  s.c.request_sent = s.now();
  s.Hit(spec::clause::kConnectSend);
  Answer(s, p, SetupRoute(s));
  //= CONNECT-RETRY
  //# After transmission i of it, counted from 0, the initiator waits `connect_retry_first` << i for
  //# an answer
  s.Arm(kRetryTimer, s.now() + (s.Time(spec::Constant::kConnectRetryFirst) << s.c.tries));
  ++s.c.tries;
}

void SendConnectReply(const Scope& s) {
  Packet p = packet::NewPacket(Opcode::kConnectReply);
  p.headers.common.path = spec::constant::kNoPath;
  p.headers.common.number = s.c.connect_id.value();
  p.headers.connect = s.c.local;
  const Nanoseconds hold = s.now() - s.c.connect_came;
  //= WIRE-ANSWER-TIME
  //# `echo` is the transmit time of the very packet that is answered and `hold` the nanoseconds
  //# from its arrival to the transmission of the answer
  p.headers.answer = {s.c.connect_time.value(),
                      hold < Nanoseconds{UINT32_MAX} ? static_cast<uint32_t>(hold) : UINT32_MAX};
  const std::vector<uint8_t> options = OwnOptions(s);
  p.options = options;
  FullSize(s, p);
  s.c.request_sent = s.now();
  s.Hit(spec::clause::kConnectAccept);
  Answer(s, p, s.c.connect_route);
}

void SendDisconnect(const Scope& s) {
  Packet p = packet::NewPacket(Opcode::kDisconnect);
  p.headers.common.path = spec::constant::kNoPath;
  p.headers.common.number = s.c.request_id.value();
  //= WIRE-DISCONNECT
  //# DISCONNECT says why
  p.headers.disconnect.reason = static_cast<uint8_t>(s.c.disconnect_reason);
  s.c.request_sent = s.now();
  Answer(s, p, SetupRoute(s));
  //= CLOSE-RETRY
  //# its sender waits `disconnect_retry_first` << i for an answer
  s.Arm(kRetryTimer, s.now() + (s.Time(spec::Constant::kDisconnectRetryFirst) << s.c.tries));
  ++s.c.tries;
}

void RetryExpires(const Scope& s) {
  const bool connecting = s.c.state == ConnectionState::kConnecting;
  const uint64_t retries =
      s.Constant(connecting ? spec::Constant::kConnectRetries : spec::Constant::kDisconnectRetries);
  if (s.c.state == ConnectionState::kAccepted) {
    Enter(s, &s.c.state, ConnectionEvent::kRetryExpires);
    //= CONNECT-REPLY-REPEAT
    //# `connect_retry_first` << i after its transmission i, counted from 0.
    SendConnectReply(s);
    s.Arm(kRetryTimer, s.now() + (s.Time(spec::Constant::kConnectRetryFirst)
                                  << std::min<uint32_t>(s.c.tries, 20)));
    ++s.c.tries;
    return;
  }
  if (s.c.tries <= retries) {
    Enter(s, &s.c.state, ConnectionEvent::kRetryExpires);
    return connecting ? SendConnect(s) : SendDisconnect(s);
  }
  const ConnectionState before = s.c.state;
  Enter(s, &s.c.state, ConnectionEvent::kRetriesSpent);
  if (before == ConnectionState::kConnecting) {
    Tell(s, spec::ConnectionCause::kConnectTimeout, 0);
  }
  Quarantine(s);
}

void Tell(const Scope& s, const Ended& ended) {
  if (s.c.told) return;
  s.c.told = true;
  s.Hit(spec::clause::kStatusTold);
  s.step.sink->OnEnded(s.c.cid(), ended);
}

//= CLOSE-QUARANTINE
//# keeps its two cids, its tag and its peer addresses for `cid_rest`, then it is CLOSED and its cid
//# is free.
void Quarantine(const Scope& s) {
  LeaveOpen(s, Outgoing::kNone, spec::CompletionStatus::kFlushed, std::nullopt);
  s.Arm(kRestTimer, s.now() + s.Time(spec::Constant::kCidRest));
}

void AnswerStranger(const State& e, const Step& step, const Arrival& a, Packet& p) {
  p.headers.common.transmit_time = static_cast<uint32_t>(step.now);
  const Port& own = e.settings.ports[std::min<size_t>(a.route.plane, e.settings.ports.size() - 1)];
  const Port theirs{a.from_mac, a.from};
  PacketOut out{p,
                a.route,
                own,
                theirs,
                static_cast<uint8_t>(e.settings.profile[spec::Constant::kControlDscp]),
                static_cast<uint8_t>(e.settings.profile[spec::Constant::kHopLimit]),
                static_cast<uint16_t>(e.settings.profile[spec::Constant::kUdpPort])};
  step.sink->OnPacket(0, out);
}

void TakeConnect(State& e, const Packet& p, const Arrival& a, const Step& step) {
  const std::optional<uint32_t> slot = Repeated(e, p, a);
  //= CONNECT-CROSSING
  //# Each CONNECT makes a connection of its own.
  if (!slot) return Judge(e, p, a, step);
  const Scope s{e, *e.connections[*slot], step, *slot};
  e.touched.push_back(*slot);
  if (spec::Lookup(s.c.state, ConnectionEvent::kConnectRepeated).kind == spec::CellKind::kIgnored) {
    s.HitCell(s.c.state, ConnectionEvent::kConnectRepeated);
    return s.Fail(spec::Reason::kState);
  }
  Enter(s, &s.c.state, ConnectionEvent::kConnectRepeated);
  s.c.connect_came = s.now();
  s.c.connect_time = WireTime(p.headers.common.transmit_time);
  s.c.connect_route = a.route;
  //= CONNECT-FORGET
  //# `accept_timeout` after the arrival of the latest CONNECT of a connection in ACCEPTED
  if (s.c.state == ConnectionState::kAccepted) {
    s.Arm(kAcceptTimer, s.now() + s.Time(spec::Constant::kAcceptTimeout));
  }
  s.Hit(spec::clause::kConnectRepeated);
  SendConnectReply(s);
}

namespace {

//= CONNECT-REPLY-CHECK
//# its sizes are legal by [CONNECT-RANGES], those that are the lesser of two are not above, and
//# `hint_unit` not below, what was offered, and no bit of `features` is set that was not offered.
bool GoodReply(const Scope& s, const Packet& p, const Arrival& a, std::vector<Port>* ports) {
  const spec::Connect& own = s.c.local;
  const spec::Connect& body = p.headers.connect;
  if (TransactionId(p.headers.common.number) != s.c.connect_id || !Legal(body)) return false;
  if (body.mtu > own.mtu || body.streams > own.streams || body.reads > own.reads ||
      body.open_messages > own.open_messages || body.paths > own.paths ||
      body.planes > own.planes || body.hint_unit < own.hint_unit ||
      (body.features & ~own.features) != 0) {
    return false;
  }
  bool legal = true;
  *ports = PeerPorts(p, a, &legal);
  return legal;
}

Nanoseconds HandshakeRtt(const Scope& s, const spec::Answer& answer) {
  const int32_t sample =
      static_cast<int32_t>(static_cast<uint32_t>(s.now()) - answer.echo - answer.hold);
  //= CONNECT-RTT
  //# It is `handshake_rtt` where `hold` is all ones, where the result is not above 0, and where
  //# DATA opened the connection.
  s.Hit(spec::clause::kConnectRtt);
  if (answer.hold == UINT32_MAX || sample <= 0) return s.Time(spec::Constant::kHandshakeRtt);
  return sample;
}

void Confirm(const Scope& s, const Packet& p, const Arrival& a) {
  Packet confirm = packet::NewPacket(Opcode::kConnectConfirm);
  confirm.headers.common.path = spec::constant::kNoPath;
  //= WIRE-CONNECT-CONFIRM
  //# it carries the transaction id of both, and its echo is that of the CONNECT_REPLY.
  confirm.headers.common.number = p.headers.common.number;
  confirm.headers.answer = {p.headers.common.transmit_time, 0};
  s.Hit(spec::clause::kConnectConfirm);
  Answer(s, confirm, a.route);
}

}  // namespace

void TakeConnectReply(const Scope& s, const Packet& p, const Arrival& a) {
  if (s.c.state == ConnectionState::kOpen) {
    const bool ours = s.c.initiator && TransactionId(p.headers.common.number) == s.c.connect_id;
    Enter(s, &s.c.state, ConnectionEvent::kConnectReply);
    if (!ours) return s.Fail(spec::Reason::kState);
    return Confirm(s, p, a);
  }
  std::vector<Port> ports;
  if (!GoodReply(s, p, a, &ports)) {
    s.Hit(spec::clause::kConnectReplyCheck);
    Enter(s, &s.c.state, ConnectionEvent::kConnectReplyBad);
    return;
  }
  s.c.peer = p.headers.connect;
  s.c.peer_ports = ports;
  Agree(&s.c.local, &s.c.peer);
  s.Hit(spec::clause::kConnectNegotiation, spec::clause::kConnectAddresses);
  //= CONNECT-OPEN-INITIATOR
  //# A good CONNECT_REPLY takes the initiator from CONNECTING to OPEN.
  Enter(s, &s.c.state, ConnectionEvent::kConnectReply);
  s.c.connect_route = a.route;
  Begin(s);
  Confirm(s, p, a);
  Opened(s, a.route, HandshakeRtt(s, p.headers.answer));
}

void TakeConfirm(const Scope& s, const Packet& p, const Arrival& a) {
  if (TransactionId(p.headers.common.number) != s.c.connect_id) {
    return s.Fail(spec::Reason::kState);
  }
  Enter(s, &s.c.state, ConnectionEvent::kConnectConfirm);
  Opened(s, a.route, HandshakeRtt(s, p.headers.answer));
}

void TakeReject(const Scope& s, const Packet& p) {
  if (TransactionId(p.headers.common.number) != s.c.connect_id) {
    return s.Fail(spec::Reason::kConnectionUnknown);
  }
  //= CONNECT-REJECTED
  //# The application is told the code
  Enter(s, &s.c.state, ConnectionEvent::kConnectReject);
  const spec::ConnectReject& reject = p.headers.connect_reject;
  //= CONNECT-REJECTED
  //# The application is told the code and the versions.
  Tell(s, {spec::ConnectionCause::kRejected, reject.code, reject.version_min, reject.version_max});
  Quarantine(s);
}

//= CLOSE-RECEIVED
//# A DISCONNECT is answered at once with DISCONNECT_REPLY, and the connection goes to QUARANTINE.
void TakeDisconnect(const Scope& s, const Packet& p, const Arrival& a) {
  const ConnectionState before = s.c.state;
  Enter(s, &s.c.state, ConnectionEvent::kDisconnect);
  s.Hit(spec::clause::kCloseReceived);
  //= CLOSE-CONNECTING
  //# Where the peer's cid is not known (in CONNECTING, and in QUARANTINE after it), DISCONNECT is
  //# answered with NACK_BAD_CONNECTION.
  if (s.c.peer.cid == 0) {
    s.Hit(spec::clause::kCloseConnecting);
    Packet nack = packet::NewPacket(Opcode::kNackBadConnection);
    nack.headers.common.path = spec::constant::kNoPath;
    nack.headers.nack_connection = {p.headers.common.cid, p.headers.common.number,
                                    p.headers.common.transmit_time};
    AnswerStranger(s.e, s.step, a, nack);
  } else {
    Packet reply = packet::NewPacket(Opcode::kDisconnectReply);
    reply.headers.common.path = spec::constant::kNoPath;
    reply.headers.common.number = p.headers.common.number;
    Answer(s, reply, a.route);
  }
  if (before == ConnectionState::kQuarantine) return;
  const uint32_t first = before == ConnectionState::kOpen ? s.c.outbound.Oldest() : Outgoing::kNone;
  LeaveOpen(s, first, spec::CompletionStatus::kPeerClosing, std::nullopt);
  Tell(s, spec::ConnectionCause::kPeerClosing, 0);
  Quarantine(s);
}

}  // namespace metaroce::endpoint
