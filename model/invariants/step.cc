#include "model/invariants/step.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace metaroce::invariants {
namespace {

using endpoint::Connection;
using spec::Opcode;
using spec::PathState;

absl::Status Broken(absl::string_view invariant, uint32_t cid, absl::string_view what) {
  return absl::InternalError(absl::StrCat(invariant, ": connection ", cid, ": ", what));
}

// The context but for what a PROBE changes that is sent on the path for another reason.
SendContext WithoutProbes(SendContext x) {
  x.latest = 0;
  x.probes = ProbeMemory();
  x.probe_id = TransactionId();
  x.probe_sent = 0;
  return x;
}

}  // namespace

void StepCheck::Take(const endpoint::State& e) {
  before_.clear();
  for (uint32_t slot = 0; slot < e.connections.size(); ++slot) {
    const Connection* c = e.connections[slot].get();
    if (c == nullptr) continue;
    Before& b = before_.emplace_back();
    b.slot = slot;
    b.cid = c->cid();
    b.open = c->state == spec::ConnectionState::kOpen;
    b.cumulative = c->received.cumulative();
    b.right_edge = c->received.right_edge();
    b.next = c->sent.next();
    b.peer_edge = c->peer_edge;
    b.idle_since = c->congestion.idle_since;
    for (size_t p = 0; p < c->out.size(); ++p) {
      Path& path = b.out.emplace_back();
      path.state = c->out[p].state;
      path.epoch = c->out[p].epoch;
      path.deadline = c->timers.Of(endpoint::TimerOf(p, endpoint::kPathTimer));
      if (c->out[p].context) path.context = *c->out[p].context;
    }
    for (const endpoint::ReceiveSlot& slot_in : c->in) {
      Receive& receive = b.in.emplace_back();
      receive.open = bool(slot_in.context);
      if (!receive.open) continue;
      receive.epoch = slot_in.context->books.epoch();
      receive.id = slot_in.context->id;
      receive.vector = slot_in.context->books.vector();
    }
  }
}

void StepCheck::BeforePacket(const endpoint::State& e, const packet::Packet& packet) {
  Take(e);
  cid_ = packet.headers.common.cid;
  paths_.clear();
  cause_ = Cause::kPaths;
  switch (packet.opcode()) {
    case Opcode::kAck:
      for (uint32_t i = 0; i < packet.headers.ack.blocks; ++i) {
        paths_.push_back(packet.headers.path_block[i].path);
      }
      return;
    case Opcode::kNackBadEpoch:
      paths_.push_back(packet.headers.nack_epoch.path);
      return;
    case Opcode::kPathAccept:
    case Opcode::kPathRefuse:
    case Opcode::kPathClose:
      paths_.push_back(packet.headers.common.path);
      return;
    case Opcode::kPortStatus:
      cause_ = Cause::kAny;
      return;
    default:
      return;
  }
}

void StepCheck::BeforePoll(const endpoint::State& e, Nanoseconds now) {
  Take(e);
  paths_.clear();
  cause_ = Cause::kSend;
  if (e.timers.First() > now) return;
  cause_ = Cause::kPaths;
  const Connection& c = *e.connections[e.timers.FirstId()];
  cid_ = c.cid();
  const uint32_t timer = c.timers.FirstId();
  if (timer < endpoint::kConnectionTimers) return;
  const uint32_t kind = (timer - endpoint::kConnectionTimers) % endpoint::kPathTimers;
  if (kind == endpoint::kPathTimer || kind == endpoint::kKeepaliveTimer) {
    paths_.push_back(
        static_cast<uint8_t>((timer - endpoint::kConnectionTimers) / endpoint::kPathTimers));
  }
}

void StepCheck::BeforeCommand(const endpoint::State& e) {
  Take(e);
  cause_ = Cause::kAny;
}

//= TAKE-OTHERS-UNTOUCHED
//# A block, a timer or a plane event of one path changes nothing of another path's RTT, minRTT,
//# tolerance, ladder, w, alpha, counts or records.
bool StepCheck::Concerned(const Before& before, size_t path) const {
  return before.cid == cid_ && std::find(paths_.begin(), paths_.end(), path) != paths_.end();
}

//= INVARIANT-LIMITS
//# nothing was in flight on its path, or in flight with it is at most w; and its CSN is below the
//# right edge
absl::Status StepCheck::Sent(const Before& before, const Connection& c, size_t p) const {
  const SendContext& was = *before.out[p].context;
  const TransmitWindow& window = was.window;
  const SendContext& is = *c.out[p].context;
  if (is.window.next() == window.next()) return absl::OkStatus();  // a retransmission
  const auto broken = [&](absl::string_view what) {
    return Broken("INVARIANT-LIMITS", c.cid(),
                  absl::StrCat("path ", p, " path sequence ", window.next().value(), ": ", what));
  };
  if (before.out[p].state != PathState::kActive) return broken("the path is not ACTIVE.");
  if (!window.HasRoom()) {
    return broken(absl::StrCat("the oldest unacknowledged is ", window.oldest().value(), "."));
  }
  const uint32_t in_flight = window.in_flight();
  if (in_flight > 0 && uint64_t{in_flight + 1} << 16 > was.congestion.w) {
    return broken(
        absl::StrCat(in_flight, " are in flight and w is ", was.congestion.w, " / 65536."));
  }
  const Csn csn = is.window.at(window.next()).csn;
  if (csn == before.next && !(csn < before.peer_edge)) {
    return broken(absl::StrCat("CSN ", csn.value(), " is not below the right edge ",
                               before.peer_edge.value(), "."));
  }
  return absl::OkStatus();
}

//= INVARIANT-BOOKS-APART
//# leaves RTT, minRTT, tolerance, ladder, w, alpha, counts, records and timer of every other path
//# as they were
absl::Status StepCheck::Sender(const Before& before, const Connection& c) const {
  uint32_t sent = 0;
  // The first transmission after a pause may begin all windows anew (CC-WINDOW-IDLE).
  const bool idle_ends =
      before.idle_since != kNever && c.congestion.idle_since != before.idle_since;
  for (size_t p = 0; p < before.out.size() && p < c.out.size(); ++p) {
    const Path& was = before.out[p];
    const SendPath& is = c.out[p];
    // A path that this step opened, began to drain, or found drained had an event of its own.
    if (!was.context || !is.context) continue;
    const bool drained = was.context->window.empty() && is.epoch != was.epoch;
    const bool drains = !IsActive(was.state) || is.state == was.state
                            ? false
                            : DrainsToEpoch(is.state) || DrainsToClose(is.state);
    if (drained || drains) continue;
    if (cause_ == Cause::kSend) {
      if (*is.context == *was.context) continue;
      if (idle_ends && is.context->window == was.context->window) continue;
      ++sent;
      if (sent > 1) {
        return Broken("INVARIANT-BOOKS-APART", c.cid(),
                      absl::StrCat("one transmission changed path ", p, " and one before it."));
      }
      const absl::Status status = Sent(before, c, p);
      if (!status.ok()) return status;
      continue;
    }
    if (Concerned(before, p)) continue;
    if (!(WithoutProbes(*is.context) == WithoutProbes(*was.context))) {
      return Broken("INVARIANT-BOOKS-APART", c.cid(),
                    absl::StrCat("the books of path ", p, " changed in a step of ", paths_.size(),
                                 " other paths, the first ",
                                 paths_.empty() ? 255u : uint32_t{paths_[0]}, "."));
    }
    if (was.state != PathState::kOpening &&
        c.timers.Of(endpoint::TimerOf(p, endpoint::kPathTimer)) != was.deadline) {
      return Broken("INVARIANT-BOOKS-APART", c.cid(),
                    absl::StrCat("the timer of path ", p, " went from ", was.deadline, " to ",
                                 c.timers.Of(endpoint::TimerOf(p, endpoint::kPathTimer)),
                                 " in a step of another path."));
    }
  }
  return absl::OkStatus();
}

//= INVARIANT-MONOTONE
//# In the receiver's state `base`, the reported bits, the cumulative CSN and the right edge never go
//# back; the first two within an epoch
absl::Status StepCheck::Receiver(const Before& before, const Connection& c) const {
  const auto broken = [&](absl::string_view what, uint32_t was, uint32_t is) {
    return Broken("INVARIANT-MONOTONE", c.cid(),
                  absl::StrCat(what, " went back from ", was, " to ", is, "."));
  };
  if (c.received.cumulative() < before.cumulative) {
    return broken("the cumulative CSN", before.cumulative.value(), c.received.cumulative().value());
  }
  if (c.received.right_edge() < before.right_edge) {
    return broken("the right edge", before.right_edge.value(), c.received.right_edge().value());
  }
  for (size_t p = 0; p < before.in.size() && p < c.in.size(); ++p) {
    const Receive& was = before.in[p];
    if (!was.open || !c.in[p].context || c.in[p].context->id != was.id) continue;
    const ReceiveVector& is = c.in[p].context->books.vector();
    if (is == was.vector) continue;
    if (is.base() < was.vector.base()) {
      return broken(absl::StrCat("the base of path ", p), was.vector.base().value(),
                    is.base().value());
    }
    for (uint32_t i = 1; i < ReceiveVector::kBits; ++i) {
      if (((was.vector.bitmap()[i / 64] >> (i % 64)) & 1) == 0) continue;
      const PathSeq s = was.vector.base() + i;
      const int32_t place = s - is.base();
      if (place >= 0 && ((is.bitmap()[place / 64] >> (place % 64)) & 1) == 0) {
        return Broken(
            "INVARIANT-MONOTONE", c.cid(),
            absl::StrCat("path ", p, " no longer reports the path sequence ", s.value(), "."));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status StepCheck::After(const endpoint::State& e) const {
  for (const Before& before : before_) {
    const Connection* c = e.connections[before.slot].get();
    if (c == nullptr || c->cid() != before.cid || !before.open ||
        c->state != spec::ConnectionState::kOpen) {
      continue;
    }
    absl::Status status = Receiver(before, *c);
    if (cause_ != Cause::kAny) status.Update(Sender(before, *c));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace metaroce::invariants
