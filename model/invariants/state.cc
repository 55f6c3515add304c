#include "model/invariants/state.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/endpoint/state.h"
#include "spec/tables.h"

namespace metaroce::invariants {
namespace {

using endpoint::Connection;
using spec::LadderState;
using spec::PathState;

absl::Status Broken(absl::string_view invariant, const Connection& c, absl::string_view what) {
  return absl::InternalError(absl::StrCat(invariant, ": connection ", c.cid(), ": ", what));
}

// What is counted beside what is there to be counted.
absl::Status Count(absl::string_view invariant, const Connection& c, absl::string_view what,
                   uint64_t counted, uint64_t found) {
  if (counted == found) return absl::OkStatus();
  return Broken(invariant, c, absl::StrCat(what, " is ", counted, "; there are ", found, "."));
}

//= INVARIANT-HOME
//# A CSN that is not below the cumulative CSN is unacknowledged on at most one live path and epoch,
//# and does not wait to be moved while it is
absl::Status CheckHomes(const Connection& c) {
  const uint32_t outstanding = static_cast<uint32_t>(c.sent.next() - c.sent.cumulative());
  std::vector<int> home(outstanding, -1);
  for (size_t p = 0; p < c.out.size(); ++p) {
    if (!c.out[p].context) continue;
    const TransmitWindow& window = c.out[p].context->window;
    for (PathSeq s = window.oldest(); s < window.next(); ++s) {
      const SendRecord& record = window.at(s);
      if (record.condition == Condition::kAcknowledged || !c.sent.Has(record.csn)) continue;
      int& place = home[static_cast<uint32_t>(record.csn - c.sent.cumulative())];
      if (place >= 0 || c.sent.at(record.csn).waits) {
        return Broken("INVARIANT-HOME", c,
                      absl::StrCat("CSN ", record.csn.value(), " is unacknowledged on path ", p,
                                   " as path sequence ", s.value(), " and ",
                                   place >= 0 ? absl::StrCat("on path ", place)
                                              : std::string("waits to be moved"),
                                   "."));
      }
      place = static_cast<int>(p);
    }
  }
  uint32_t waiting = 0;
  uint32_t unacknowledged = 0;
  for (Csn csn = c.sent.cumulative(); csn < c.sent.next(); ++csn) {
    const SentCsn& sent = c.sent.at(csn);
    waiting += sent.waits;
    unacknowledged += !sent.done;
    const bool has_home = home[static_cast<uint32_t>(csn - c.sent.cumulative())] >= 0;
    if (!sent.done && !sent.waits && !has_home) {
      return Broken("INVARIANT-HOME", c,
                    absl::StrCat("CSN ", csn.value(),
                                 " is unacknowledged, on no path, and does not wait to be moved."));
    }
  }
  absl::Status status =
      Count("INVARIANT-HOME", c, "the number that wait to be moved", c.sent.waiting(), waiting);
  status.Update(Count("INVARIANT-HOME", c, "the number of unacknowledged CSNs", c.unacknowledged,
                      unacknowledged));
  return status;
}

// The sums that the connection keeps of its paths' books.
absl::Status CheckSums(const Connection& c) {
  uint64_t bytes = 0;
  uint64_t windows = 0;
  uint32_t slow = 0;
  uint32_t lost = 0;
  std::array<uint16_t, 9> in_state = {};
  for (const SendPath& path : c.out) {
    ++in_state[static_cast<size_t>(path.state)];
    if (!path.context) continue;
    lost += path.context->window.lost();
    if (!IsActive(path.state)) continue;
    bytes += path.context->window.flight_bytes();
    windows += path.context->congestion.w;
    slow += path.context->congestion.slow;
  }
  absl::Status status =
      Count("CC-FLIGHT", c, "the number of bytes in flight", c.flight_bytes, bytes);
  status.Update(Count("CC-MEAN", c, "the sum of the windows", c.congestion.sum, windows));
  status.Update(
      Count("CC-STATE", c, "the number of paths in slow start", c.congestion.slow_paths, slow));
  status.Update(
      Count("RTX-FIRST", c, "the number of retransmissions that wait", c.lost_waiting, lost));
  for (size_t state = 0; state < in_state.size(); ++state) {
    status.Update(Count("PATH-STATES", c, absl::StrCat("the number of paths in state ", state),
                        c.in_state[state], in_state[state]));
  }
  return status;
}

//= INVARIANT-LIMITS
//# its path sequence is below the oldest unacknowledged one plus `path_window`
absl::Status CheckWindow(const Connection& c, size_t path) {
  const TransmitWindow& window = c.out[path].context->window;
  const int32_t span = window.next() - window.oldest();
  uint32_t in_flight = 0;
  uint64_t bytes = 0;
  for (PathSeq s = window.oldest(); s < window.next(); ++s) {
    if (window.at(s).condition != Condition::kInFlight) continue;
    ++in_flight;
    bytes += window.at(s).bytes;
  }
  const std::string where = absl::StrCat(" on path ", path);
  if (span < 0 || span > static_cast<int32_t>(TransmitWindow::kSize)) {
    return Broken("INVARIANT-LIMITS", c,
                  absl::StrCat(span, " path sequences are open", where, "."));
  }
  absl::Status status =
      Count("BOOK-FLIGHT", c, absl::StrCat("in flight", where), window.in_flight(), in_flight);
  status.Update(Count("BOOK-FLIGHT", c, absl::StrCat("the number of bytes in flight", where),
                      window.flight_bytes(), bytes));
  return status;
}

// Something that may be waited for has a timer that ends the wait (RES-NO-DEADLOCK).
absl::Status CheckTimers(const Connection& c, size_t p) {
  const SendPath& path = c.out[p];
  const SendContext& x = *path.context;
  const bool armed = c.timers.Armed(endpoint::TimerOf(p, endpoint::kPathTimer));
  const auto broken = [&](absl::string_view what) {
    return Broken("RES-NO-DEADLOCK", c, absl::StrCat("path ", p, " ", what));
  };
  if (path.state == PathState::kOpening) {
    const bool waits_for_plane = x.opening.waits && c.up == 0;
    return armed || waits_for_plane ? absl::OkStatus()
                                    : broken("is OPENING and has no timer that ends it.");
  }
  if (armed != (x.ladder.state != LadderState::kIdle)) {
    return broken(armed ? "has a timer and its ladder is IDLE."
                        : "has a ladder that is not IDLE and no timer.");
  }
  if (x.window.in_flight() > 0 && x.ladder.state == LadderState::kIdle) {
    return broken("has packets in flight and its ladder is IDLE.");
  }
  if (IsSuspect(path.state) != (x.ladder.state == LadderState::kRto)) {
    return broken("is SUSPECT without the RTO, or has the RTO and is not SUSPECT.");
  }
  return absl::OkStatus();
}

//= ENTROPY-RULE
//# differs from that of every OPENING, ACTIVE and SUSPECT path of the direction
absl::Status CheckEntropies(const Connection& c) {
  std::map<uint16_t, size_t> taken;
  for (size_t p = 0; p < c.out.size(); ++p) {
    const SendPath& path = c.out[p];
    if (!path.context || (path.state == PathState::kOpening && path.context->opening.waits)) {
      continue;
    }
    const auto [it, is_new] = taken.emplace(path.route.entropy, p);
    if (!is_new) {
      return Broken("ENTROPY-RULE", c,
                    absl::StrCat("paths ", it->second, " and ", p, " have the entropy ",
                                 path.route.entropy, "."));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckReceiver(const Connection& c) {
  uint32_t open = 0;
  for (const endpoint::ReceiveSlot& slot : c.in) open += bool(slot.context);
  absl::Status status =
      Count("INVARIANT-CONTEXTS", c, "the number of open receive paths", c.open_in, open);
  if (c.received.right_edge() < c.received.cumulative()) {
    status.Update(Broken("INVARIANT-MONOTONE", c, "the right edge is below the cumulative CSN."));
  }
  return status;
}

absl::Status CheckConnection(const Connection& c) {
  absl::Status status = CheckReceiver(c);
  if (c.state == spec::ConnectionState::kOpen) {
    status.Update(CheckSums(c));
    status.Update(CheckEntropies(c));
    status.Update(CheckHomes(c));
  }
  for (size_t p = 0; p < c.out.size(); ++p) {
    const PathState state = c.out[p].state;
    const bool open = state == PathState::kOpening || IsActive(state) || IsSuspect(state);
    if (open != bool(c.out[p].context)) {
      status.Update(Broken("INVARIANT-CONTEXTS", c,
                           absl::StrCat("path ", p,
                                        open ? " is open and has no send context."
                                             : " is not open and has a send context.")));
    }
    if (!status.ok()) return status;
    if (!c.out[p].context) continue;
    status.Update(CheckWindow(c, p));
    status.Update(CheckTimers(c, p));
  }
  return status;
}

//= INVARIANT-CONTEXTS
//# Contexts in use are at most those of the pool, and what is counted as used is what is used
absl::Status CheckPool(absl::string_view pool, uint64_t counted, uint64_t found, uint64_t holding,
                       uint64_t all) {
  if (counted == found && counted + holding <= all) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(
      "INVARIANT-CONTEXTS: ", counted, " shared ", pool, " contexts are counted as used, ", found,
      " are used, ", holding, " are reserved for path 0; there are ", all, "."));
}

}  // namespace

absl::Status CheckState(const endpoint::State& e) {
  uint64_t out = 0;
  uint64_t in = 0;
  uint64_t holding = 0;
  std::map<uint32_t, uint32_t> waiting;
  absl::Status status;
  for (const auto& c : e.connections) {
    if (c == nullptr) continue;
    holding += c->holds;
    if (c->waits_on != 0) ++waiting[c->waits_on];
    for (size_t p = 1; p < c->out.size(); ++p) out += bool(c->out[p].context);
    for (size_t p = 1; p < c->in.size(); ++p) in += bool(c->in[p].context);
    status.Update(CheckConnection(*c));
  }
  if (holding != e.holding) {
    status.Update(absl::InternalError(absl::StrCat(
        "INVARIANT-CONTEXTS: ", e.holding,
        " connections are counted as holding a context of path 0, ", holding, " do.")));
  }
  if (waiting != e.waiting) {
    status.Update(absl::InternalError(
        "CC-SHARE: the connections that wait are not those that are counted as waiting."));
  }
  status.Update(CheckPool("send", e.shared_out, out, holding,
                          e.settings.profile[spec::Constant::kSendContexts]));
  status.Update(CheckPool("receive", e.shared_in, in, holding,
                          e.settings.profile[spec::Constant::kReceiveContexts]));
  return status;
}

}  // namespace metaroce::invariants
