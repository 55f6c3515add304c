#include "model/endpoint/endpoint.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "model/endpoint/congestion.h"

namespace metaroce::endpoint {
namespace {

using spec::ConnectionEvent;
using spec::ConnectionState;
using spec::Counter;

absl::Status NoConnection(uint32_t cid) {
  return absl::NotFoundError(absl::StrCat("There is no connection with the cid ", cid, "."));
}

absl::Status Within(absl::string_view name, uint64_t value, uint64_t min, uint64_t max) {
  if (value >= min && value <= max) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is ", value, "; it must lie between ", min, " and ", max, "."));
}

//= CONNECT-RANGES
//# 256, 512, 1024, 2048 or 4096
absl::Status LegalMtu(absl::string_view name, uint64_t mtu) {
  for (const uint64_t legal : {256, 512, 1024, 2048, 4096}) {
    if (mtu == legal) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is ", mtu, "; it must be 256, 512, 1024, 2048 or 4096."));
}

// Addresses of the peer, one for every plane or one each, of the IP version of the own ports.
absl::Status LegalPeer(const std::vector<Port>& peer, const std::vector<Port>& own) {
  absl::Status status =
      Within("The number of addresses of the peer", peer.size(), 1, spec::constant::kPlanesMax);
  for (size_t plane = 0; plane < peer.size(); ++plane) {
    if (peer[plane].ip.version() == own[0].ip.version()) continue;
    status.Update(absl::InvalidArgumentError(
        absl::StrCat("Address ", plane, " of the peer, ", peer[plane].ip.ToString(),
                     ", is of IP version ", peer[plane].ip.version(),
                     "; the own addresses are of IP version ", own[0].ip.version(), ".")));
  }
  return status;
}

void Remove(State& e, uint32_t slot) {
  e.by_cid.erase(e.connections[slot]->cid());
  e.connections[slot].reset();
  e.timers.Arm(slot, kNever);
}

//= CC-SHARE
//# q is the number of the endpoint's connections that use one of these planes and in whose own
//# direction a DATA packet waits [CC-WAITS], this connection counted in any case.
//
// Counted as it changes: to ask all connections at the end of each round is too much with many.
inline void CountWaiting(State& e, Connection& c) {
  const bool waits = c.state == ConnectionState::kOpen && Waits(c);
  const uint16_t planes = waits ? c.up : 0;
  if (planes == c.waits_on) return;
  if (c.waits_on != 0 && --e.waiting[c.waits_on] == 0) e.waiting.erase(c.waits_on);
  c.waits_on = planes;
  if (planes != 0) ++e.waiting[planes];
}

// The timers of a connection changed, or it has ended.
inline void Sync(State& e, uint32_t slot, Connection* c) {
  if (c == nullptr) return e.timers.Arm(slot, kNever);
  if (e.settings.windows.kind != congestion::Kind::kFixed) CountWaiting(e, *c);
  if (c->state == ConnectionState::kClosed) return Remove(e, slot);
  e.timers.Arm(slot, c->timers.First());
}

// Runs `what` on the connection of a slot and sees to what every step does at its end.
template <typename F>
void Run(State& e, uint32_t slot, const Step& step, F what) {
  const Scope s{e, *e.connections[slot], step, slot};
  what(s);
  if (s.c.state == ConnectionState::kOpen) ArmClocks(s);
  Sync(e, slot, &s.c);
  if (e.touched.empty()) return;
  for (uint32_t other : e.touched) Sync(e, other, e.connections[other].get());
  e.touched.clear();
}

void Expire(const Scope& s, uint32_t timer) {
  if (timer < kConnectionTimers) {
    switch (timer) {
      case kRetryTimer:
        return RetryExpires(s);
      case kAcceptTimer:
        Enter(s, &s.c.state, ConnectionEvent::kAcceptExpires);
        return Quarantine(s);
      case kRestTimer:
        Enter(s, &s.c.state, ConnectionEvent::kRestExpires);
        return;
      //= ERROR-HOLD
      //# a connection goes to CLOSING and sends DISCONNECT with reason `error`.
      case kErrorTimer:
        Enter(s, &s.c.state, ConnectionEvent::kErrorExpires);
        s.c.disconnect_reason = spec::DisconnectReason::kError;
        s.c.request_id = NextId(s);
        s.c.tries = 0;
        return SendDisconnect(s);
      case kProgressTimer:
        return ProgressExpires(s);
      case kLivenessTimer:
        return LivenessExpires(s);
      case kCreditTimer:
        return CreditExpires(s);
      case kPortTimer:
        return PortExpires(s);
      case kBackoffTimer:
        return BackoffEnds(s);
      case kPacerTimer:
        return s.Wake();
      case kShrinkTimer:
        return ShrinkExpires(s);
      case kTellTimer:
        return TellExpires(s);
      default:
        return;
    }
  }
  const uint8_t path = static_cast<uint8_t>((timer - kConnectionTimers) / kPathTimers);
  switch ((timer - kConnectionTimers) % kPathTimers) {
    case kPathTimer:
      return PathTimerExpires(s, path);
    case kKeepaliveTimer:
      return KeepaliveExpires(s, path);
    case kCloseTimer:
      return CloseExpires(s, path, false);
    case kAckTimer:
      return AckExpires(s, path);
    case kSilenceTimer:
      return SilenceExpires(s, path);
    default:
      return CloseExpires(s, path, true);
  }
}

absl::Status Refused(State& e, const Step& step, absl::StatusCode code,
                     const std::string& sentence) {
  Hit(step, spec::clause::kMsgPostRefused);
  ++e.counters[static_cast<size_t>(Counter::kPostsRefused)];
  return absl::Status(code, sentence);
}

}  // namespace

Endpoint::Endpoint(Settings settings) : state_(std::make_unique<State>()) {
  state_->random = settings.seed;
  state_->ports_up = static_cast<uint16_t>((1u << settings.ports.size()) - 1);
  state_->settings = std::move(settings);
}

absl::StatusOr<Endpoint> Endpoint::Make(Settings settings) {
  absl::Status status = settings.profile.Validate();
  status.Update(
      Within("The number of ports", settings.ports.size(), 1, spec::constant::kPlanesMax));
  status.Update(Within("The path window in Q16.16", settings.windows.path_window, 1024, 256 << 16));
  status.Update(Within("The connection window in Q16.16", settings.windows.connection_window, 1,
                       uint64_t{65280} << 16));
  status.Update(congestion::Validate(settings.windows));
  status.Update(Within("The number of paths aimed at", settings.target_paths, 1, 255));
  for (const uint32_t rate : settings.port_rates) {
    status.Update(Within("The rate of a port in Mb/s", rate, 1, UINT32_MAX));
  }
  status.Update(LegalMtu("mtu", settings.profile[spec::Constant::kMtu]));
  for (size_t plane = 0; plane < settings.ports.size(); ++plane) {
    const frame::IpAddress& ip = settings.ports[plane].ip;
    if (ip.version() == settings.ports[0].ip.version()) continue;
    status.Update(absl::InvalidArgumentError(absl::StrCat(
        "The address of port ", plane, ", ", ip.ToString(), ", is of IP version ", ip.version(),
        "; that of port 0 is of IP version ", settings.ports[0].ip.version(), ".")));
  }
  if (!status.ok()) return status;
  return Endpoint(std::move(settings));
}

Endpoint::Endpoint(const Endpoint& other) { *this = other; }

Endpoint& Endpoint::operator=(const Endpoint& other) {
  if (this == &other) return *this;
  const State& from = *other.state_;
  state_ = std::make_unique<State>();
  state_->settings = from.settings;
  state_->random = from.random;
  state_->ports_up = from.ports_up;
  for (const auto& c : from.connections) {
    state_->connections.push_back(c == nullptr ? nullptr : std::make_unique<Connection>(*c));
  }
  state_->ready = from.ready;
  state_->ready_order = from.ready_order;
  state_->by_cid = from.by_cid;
  state_->timers = from.timers;
  state_->waiting = from.waiting;
  state_->open_turn = from.open_turn;
  state_->latest_plane = from.latest_plane;
  state_->shared_out = from.shared_out;
  state_->shared_in = from.shared_in;
  state_->holding = from.holding;
  state_->reclaiming_in = from.reclaiming_in;
  state_->reclaim_next = from.reclaim_next;
  state_->hints = from.hints;
  state_->tell_runs = from.tell_runs;
  state_->counters = from.counters;
  state_->failed = from.failed;
  return *this;
}

const Connection* Endpoint::Find(uint32_t cid) const {
  const std::optional<uint32_t> slot = state_->SlotOf(cid);
  return slot ? state_->connections[*slot].get() : nullptr;
}

absl::StatusOr<uint32_t> Endpoint::Connect(const ConnectCommand& command, const Step& step) {
  State& e = *state_;
  const absl::Status status = LegalPeer(command.peer, e.settings.ports);
  if (!status.ok()) return status;
  //= CONNECT-SEND
  //# Without a free cid or context the endpoint refuses the application and counts it
  //# (`connects_refused`).
  if (!SharedFree(e, true) || !SharedFree(e, false)) {
    Hit(step, spec::clause::kConnectSend);
    ++e.counters[static_cast<size_t>(Counter::kConnectsRefused)];
    return absl::ResourceExhaustedError("No context is free for path 0 of a connection.");
  }
  const uint32_t slot = NewConnection(e, step.chooser);
  const uint32_t cid = e.connections[slot]->cid();
  Run(e, slot, step, [&](const Scope& s) {
    s.c.initiator = true;
    s.c.peer_ports = command.peer;
    s.c.local = Offer(e, step.chooser);
    s.c.local.cid = cid;
    s.c.receives = ReceiveQueue(ReceiveIndex(s.c.local.start_index));
    s.c.tag = DrawTag(e, step.chooser);
    s.c.connect_id = DrawId(e, step.chooser);
    s.Hit(spec::clause::kConnectCid, spec::clause::kConnectTag, spec::clause::kConnectStart);
    s.c.next_id = s.c.connect_id + 1;
    ++e.holding;
    s.c.holds = true;
    Enter(s, &s.c.state, ConnectionEvent::kOpenCommand);
    SendConnect(s);
  });
  return cid;
}

absl::Status Endpoint::Close(uint32_t cid, const Step& step) {
  const std::optional<uint32_t> slot = state_->SlotOf(cid);
  if (!slot) return NoConnection(cid);
  Run(*state_, *slot, step, [&](const Scope& s) {
    const ConnectionState before = s.c.state;
    Enter(s, &s.c.state, ConnectionEvent::kCloseCommand);
    s.Hit(spec::clause::kCloseCommand);
    if (s.c.state == before) return;
    if (s.c.state == ConnectionState::kQuarantine) {
      Tell(s, spec::ConnectionCause::kClosed, 0);
      return Quarantine(s);
    }
    LeaveOpen(s, Outgoing::kNone, spec::CompletionStatus::kFlushed, std::nullopt);
    Tell(s, spec::ConnectionCause::kClosed, 0);
    s.c.disconnect_reason = spec::DisconnectReason::kApplication;
    s.c.request_id = NextId(s);
    s.c.tries = 0;
    SendDisconnect(s);
  });
  return absl::OkStatus();
}

//= MSG-POST-REFUSED
//# A post is refused to the application, takes no number, makes no completion and is counted
//# (`posts_refused`)
absl::Status Endpoint::Post(uint32_t cid, const WorkRequest& work, const Step& step) {
  const std::optional<uint32_t> slot = state_->SlotOf(cid);
  if (!slot) {
    ++state_->counters[static_cast<size_t>(Counter::kPostsRefused)];
    return NoConnection(cid);
  }
  Connection& c = *state_->connections[*slot];
  const auto invalid = [&](const std::string& sentence) {
    return Refused(*state_, step, absl::StatusCode::kInvalidArgument, sentence);
  };
  if (c.state == ConnectionState::kConnecting || c.state == ConnectionState::kAccepted) {
    if (step.hits != nullptr) [[unlikely]] {
      SetHits(*step.hits, CellOf(c.state, ConnectionEvent::kPostWork));
    }
    return Refused(*state_, step, absl::StatusCode::kFailedPrecondition,
                   "The connection is not open yet: no work can be posted.");
  }
  if (work.stream >= c.local.streams) {
    return invalid(
        absl::StrCat("stream is ", work.stream, "; it must be below ", c.local.streams, "."));
  }
  if (work.length > spec::constant::kMessageLengthMax) {
    return invalid(absl::StrCat("length is ", work.length, "; it must be at most ",
                                spec::constant::kMessageLengthMax, "."));
  }
  if (IsAtomic(work.kind) && (work.length != 8 || work.address % 8 != 0)) {
    return invalid(absl::StrCat("An atomic has length ", work.length, " and address ", work.address,
                                "; it must have 8 and a multiple of 8."));
  }
  if (HasResponse(work.kind) && c.local.reads == 0) {
    return invalid("reads is 0 on this connection: no Read and no atomic can be posted.");
  }
  if (work.solicited && !ConsumesReceive(work.kind)) {
    return invalid("solicited is set on a work request that consumes no receive.");
  }
  Run(*state_, *slot, step, [&](const Scope& s) {
    Enter(s, &s.c.state, ConnectionEvent::kPostWork);
    if (s.c.state != ConnectionState::kOpen) {
      WorkDone done;
      done.id = work.id;
      done.stream = work.stream;
      done.status = spec::CompletionStatus::kFlushed;
      return step.sink->OnWork(cid, done);
    }
    s.Hit(spec::clause::kSeqMsn);
    s.c.outbound.Post(work);
    s.Wake();
    WaitForCredit(s);
  });
  return absl::OkStatus();
}

//= CREDIT-RECEIVES
//# Receives may be posted in every state; in CLOSING, ERROR and QUARANTINE they are flushed
absl::Status Endpoint::PostReceive(uint32_t cid, const PostedReceive& receive, const Step& step) {
  const std::optional<uint32_t> slot = state_->SlotOf(cid);
  if (!slot) return NoConnection(cid);
  Run(*state_, *slot, step, [&](const Scope& s) {
    if (s.c.state >= ConnectionState::kClosing) {
      s.Hit(spec::clause::kCreditReceives);
      ReceiveDone done;
      done.id = receive.id;
      done.status = spec::CompletionStatus::kFlushed;
      return step.sink->OnReceive(cid, done);
    }
    s.c.receives.Post(receive);
    if (s.c.state == ConnectionState::kOpen) CreditLate(s);
  });
  return absl::OkStatus();
}

absl::Status Endpoint::Register(uint32_t cid, const Region& region) {
  const std::optional<uint32_t> slot = state_->SlotOf(cid);
  if (!slot) return NoConnection(cid);
  if (region.length > 0 && region.address > UINT64_MAX - (region.length - 1)) {
    return absl::InvalidArgumentError(absl::StrCat("A region at ", region.address, " has length ",
                                                   region.length,
                                                   "; it must end at 2^64 or before."));
  }
  for (const Region& other : state_->connections[*slot]->regions) {
    if (other.rkey != region.rkey || !other.valid) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("rkey is ", region.rkey, ", which names another region."));
  }
  state_->connections[*slot]->regions.push_back(region);
  return absl::OkStatus();
}

absl::Status Endpoint::Deregister(uint32_t cid, uint32_t rkey) {
  const std::optional<uint32_t> slot = state_->SlotOf(cid);
  if (!slot) return NoConnection(cid);
  std::vector<Region>& regions = state_->connections[*slot]->regions;
  const auto last = std::remove_if(regions.begin(), regions.end(),
                                   [&](const Region& region) { return region.rkey == rkey; });
  if (last == regions.end()) {
    return absl::NotFoundError(absl::StrCat("No region has the rkey ", rkey, "."));
  }
  regions.erase(last, regions.end());
  return absl::OkStatus();
}

namespace {

absl::Status OnPath(State& e, uint32_t cid, uint8_t path, const Step& step, spec::PathEvent event) {
  const std::optional<uint32_t> slot = e.SlotOf(cid);
  if (!slot) return NoConnection(cid);
  if (path >= e.connections[*slot]->out.size()) {
    return absl::NotFoundError(absl::StrCat("path is ", path, "; this connection has ",
                                            e.connections[*slot]->out.size(), " paths."));
  }
  Run(e, *slot, step, [&](const Scope& s) {
    PathEvent(s, path, event);
    OpenMore(s, false);
  });
  return absl::OkStatus();
}

}  // namespace

absl::Status Endpoint::Deny(uint32_t cid, uint8_t path, const Step& step) {
  return OnPath(*state_, cid, path, step, spec::PathEvent::kDeny);
}

absl::Status Endpoint::Lift(uint32_t cid, uint8_t path, const Step& step) {
  return OnPath(*state_, cid, path, step, spec::PathEvent::kLift);
}

absl::Status Endpoint::Drain(uint32_t cid, uint8_t path, bool to_close, const Step& step) {
  const Connection* c = Find(cid);
  if (c == nullptr) return NoConnection(cid);
  const bool active = path < c->out.size() && c->out[path].state == spec::PathState::kActive;
  if (active && !to_close && c->draining_to_epoch() > 0) Hit(step, spec::clause::kPathDrainOne);
  if (!active || (!to_close && c->draining_to_epoch() > 0) || (to_close && path == 0)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "Path ", path,
        " cannot drain now: it must be ACTIVE and not drain, path 0 is never closed, and only one "
        "path of a direction drains for its next epoch."));
  }
  return OnPath(*state_, cid, path, step,
                to_close ? spec::PathEvent::kDrainToClose : spec::PathEvent::kDrainToEpoch);
}

absl::Status Endpoint::SupposeWaits(uint32_t cid, std::optional<ReceiveIndex> index,
                                    const Step& step) {
  const std::optional<uint32_t> slot = state_->SlotOf(cid);
  if (!slot) return NoConnection(cid);
  Run(*state_, *slot, step, [&](const Scope& s) {
    if (index) s.c.outbound.SupposeWaits(*index);
    WaitForCredit(s);
  });
  return absl::OkStatus();
}

absl::Status Endpoint::Acknowledge(uint32_t cid, uint8_t path, const Step& step) {
  const std::optional<uint32_t> slot = state_->SlotOf(cid);
  if (!slot) return NoConnection(cid);
  const Connection& c = *state_->connections[*slot];
  if (path >= c.in.size() || !c.in[path].context || !c.in[path].context->books.has_arrival()) {
    return absl::FailedPreconditionError(
        absl::StrCat("Receive path ", path, " is not open or has had no arrival in its epoch."));
  }
  //= ACK-EARLY
  //# A receiver may send an ACK of an open path that has had an arrival at any time without its
  //# being due.
  Hit(step, spec::clause::kAckEarly);
  Run(*state_, *slot, step, [&](const Scope& s) { AckLeaves(s, path); });
  return absl::OkStatus();
}

absl::Status Endpoint::SetPort(uint8_t plane, bool up, const Step& step) {
  State& e = *state_;
  if (plane >= e.settings.ports.size()) {
    return absl::NotFoundError(absl::StrCat("plane is ", plane, "; this endpoint has ",
                                            e.settings.ports.size(), " ports."));
  }
  const uint16_t before = e.ports_up;
  e.ports_up = static_cast<uint16_t>(up ? before | (1u << plane) : before & ~(1u << plane));
  if (e.ports_up == before) return absl::OkStatus();
  e.hints.CapacityChanged();
  for (uint32_t slot = 0; slot < e.connections.size(); ++slot) {
    Connection* c = e.connections[slot].get();
    if (c == nullptr || c->state != ConnectionState::kOpen || plane >= c->local.planes) continue;
    Run(e, slot, step, [&](const Scope& s) {
      PlanesChanged(s);
      PortChanged(s);
    });
  }
  return absl::OkStatus();
}

absl::Status Endpoint::Establish(uint32_t tag, const spec::Connect& local,
                                 const spec::Connect& peer, const std::vector<Port>& peer_ports,
                                 Route route, const Step& step, bool initiator) {
  State& e = *state_;
  absl::Status status = Within("local.cid", local.cid, 1, (1u << 24) - 1);
  for (const auto& [name, body] : {std::pair{"local", &local}, std::pair{"peer", &peer}}) {
    const auto field = [side = name](const char* f) { return absl::StrCat(side, ".", f); };
    status.Update(Within(field("range"), body->range, spec::constant::kCsnRangeMin,
                         spec::constant::kCsnRangeMax));
    status.Update(Within(field("paths"), body->paths, 1, 255));
    status.Update(LegalMtu(field("mtu"), body->mtu));
    status.Update(Within(field("hint_unit"), body->hint_unit, 1, UINT16_MAX));
    status.Update(Within(absl::StrCat(field("credit"), " less ", field("start_index")),
                         body->credit - body->start_index, 0, INT32_MAX));
    status.Update(Within(field("streams"), body->streams, 1, UINT16_MAX));
    status.Update(Within(field("open_messages"), body->open_messages, 1, UINT16_MAX));
    status.Update(Within(field("planes"), body->planes, 1, spec::constant::kPlanesMax));
  }
  status.Update(Within("peer.cid", peer.cid, 1, (1u << 24) - 1));
  status.Update(LegalPeer(peer_ports, e.settings.ports));
  status.Update(Within("The plane of the route", route.plane, 0, e.settings.ports.size() - 1));
  if (status.ok() && !SharedFree(e, true)) {
    status = absl::ResourceExhaustedError("No context is free for path 0 of a connection.");
  }
  if (status.ok() && e.by_cid.contains(local.cid)) {
    status =
        absl::InvalidArgumentError(absl::StrCat("local.cid is ", local.cid, ", which is in use."));
  }
  if (!status.ok()) return status;
  const uint32_t slot = NewConnection(e, nullptr);
  e.by_cid.erase(e.connections[slot]->cid());
  e.by_cid[local.cid] = slot;
  Run(e, slot, step, [&](const Scope& s) {
    s.c.initiator = initiator;
    s.c.tag = tag;
    s.c.local = local;
    s.c.peer = peer;
    Agree(&s.c.local, &s.c.peer);
    s.c.peer_ports = peer_ports;
    s.c.connect_route = route;
    s.c.receives = ReceiveQueue(ReceiveIndex(local.start_index));
    s.c.next_id = s.c.connect_id + 1;
    s.c.request_sent = step.now;
    ++e.holding;
    s.c.holds = true;
    s.c.state = ConnectionState::kOpen;
    Begin(s);
    s.c.last_heard = step.now;
    Opened(s, route, s.Time(spec::Constant::kHandshakeRtt));
  });
  return absl::OkStatus();
}

absl::Status Endpoint::OpenPath(uint32_t cid, uint8_t path, uint8_t epoch, PathSeq start,
                                const Step& step) {
  const std::optional<uint32_t> slot = state_->SlotOf(cid);
  if (!slot) return NoConnection(cid);
  const Connection& c = *state_->connections[*slot];
  if (path >= c.in.size()) {
    return absl::NotFoundError(
        absl::StrCat("path is ", path, "; the connection has ", c.in.size(), " paths."));
  }
  Run(*state_, *slot, step, [&](const Scope& s) {
    OpenReceivePath(s, path, epoch, start, c.connect_id, c.connect_route);
  });
  return absl::OkStatus();
}

uint32_t Endpoint::Poll(const Step& step, uint32_t most) {
  State& e = *state_;
  uint32_t done = 0;
  while (done < most) {
    if (e.timers.First() <= step.now) {
      Run(e, e.timers.FirstId(), step, [&](const Scope& s) {
        const uint32_t timer = s.c.timers.FirstId();
        s.c.timers.Stop(timer);
        Expire(s, timer);
      });
      ++done;
      continue;
    }
    if (e.ready_order.empty()) break;
    const uint32_t slot = e.ready_order.front();
    bool sent = false;
    if (e.connections[slot] != nullptr) {
      Run(e, slot, step, [&](const Scope& s) {
        // Connections take turns; one that is alone goes on while no timer comes between.
        do {
          sent = TrySend(s);
          if (sent) ++done;
        } while (sent && done < most && e.ready_order.size() == 1 &&
                 s.c.timers.First() > step.now && e.touched.empty());
      });
    }
    if (sent) {
      e.ready_order.Turn();
    } else {
      e.ready_order.pop_front();
      e.ready[slot] = 0;
    }
  }
  return done;
}

}  // namespace metaroce::endpoint
