// The fields of every value that an endpoint's state is made of, each listed once. What is written,
// compared, hashed, printed or stored of a state goes through these lists.
//
// Not listed: the settings, what follows from the rest (the scheduler's tournament, the tree of
// timers, sizes of rings), and what a finished record has left behind. Restored state behaves as
// the one that was saved, and states of equal lists behave alike.
#ifndef METAROCE_MODEL_STATE_FIELDS_H_
#define METAROCE_MODEL_STATE_FIELDS_H_

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "model/endpoint/state.h"
#include "model/wire/packet/bits.h"
#include "spec/layouts.h"
#include "spec/tables.h"

namespace metaroce::state {

template <typename T, typename U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

// A field by its name. `a` is an archive (bytes.h, tree.h), and `x` is const if it writes.
template <typename A, typename T>
void Field(A& a, const char* name, T& x);

}  // namespace metaroce::state

namespace metaroce {

// A friend of the classes whose state is private.
struct StateFields {
  // The list of x. Overloads by the type of x; each serves const and mutable x.
  template <typename A, state::Is<Route> T>
  static void Of(A& a, T& x) {
    F(a, "entropy", x.entropy);
    F(a, "plane", x.plane);
  }
  template <typename A, state::Is<endpoint::Port> T>
  static void Of(A& a, T& x) {
    F(a, "mac", x.mac.bytes);
    uint8_t version = static_cast<uint8_t>(x.ip.version());
    std::array<uint8_t, 16> bytes{};
    std::copy(x.ip.bytes().begin(), x.ip.bytes().end(), bytes.begin());
    F(a, "ip_version", version);
    F(a, "ip", bytes);
    if constexpr (A::kReads) {
      std::array<uint8_t, 4> four;
      std::copy(bytes.begin(), bytes.begin() + 4, four.begin());
      x.ip = version == 4 ? frame::IpAddress::V4(four) : frame::IpAddress::V6(bytes);
    }
  }
  template <typename A, state::Is<Region> T>
  static void Of(A& a, T& x) {
    F(a, "address", x.address);
    F(a, "length", x.length);
    F(a, "rkey", x.rkey);
    F(a, "rights", x.rights);
    F(a, "valid", x.valid);
  }

  // The receiver's half of a path.
  template <typename A, state::Is<ReceiveVector> T>
  static void Of(A& a, T& x) {
    F(a, "base", x.base_);
    F(a, "span", x.span_);
    F(a, "bitmap", x.bits_);
  }
  template <typename A, state::Is<ReceivePath> T>
  static void Of(A& a, T& x) {
    F(a, "epoch", x.epoch_);
    F(a, "has_arrival", x.has_arrival_);
    F(a, "duplicates", x.duplicates_);
    F(a, "route", x.route_);
    F(a, "arrivals", x.arrivals_);
    F(a, "ce", x.ce_);
    F(a, "unacknowledged", x.unacknowledged_);
    F(a, "probes_owed", x.probes_owed_);
    F(a, "echo", x.echo_);
    F(a, "echo_at", x.echo_at_);
    F(a, "due", x.due_);
    F(a, "probe_due", x.probe_due_);
    F(a, "vector", x.vector_);
  }
  template <typename A, state::Is<endpoint::ReceiveContext> T>
  static void Of(A& a, T& x) {
    F(a, "books", x.books);
    F(a, "id", x.id);
    F(a, "route", x.route);
    F(a, "heard", x.heard);
    F(a, "epochs", x.epochs);
    F(a, "epochs_began", x.epochs_began);
    F(a, "second_answers", x.second_answers);
    F(a, "second_by", x.second_by);
    F(a, "delayed", x.delayed);
  }
  template <typename A, state::Is<CloseState> T>
  static void Of(A& a, T& x) {
    F(a, "state", x.state);
    F(a, "epoch", x.epoch);
    F(a, "attempt", x.attempt);
    F(a, "reason", x.reason);
    F(a, "id", x.id);
    F(a, "sent", x.sent);
  }
  template <typename A, state::Is<endpoint::ReceiveSlot> T>
  static void Of(A& a, T& x) {
    F(a, "context", x.context);
    F(a, "close", x.close);
    F(a, "bad_epoch_next", x.bad_epoch_next);
  }

  // The sender's half of a path.
  template <typename A, state::Is<SendRecord> T>
  static void Of(A& a, T& x) {
    Condition condition = x.condition;
    bool moved = x.moved;
    F(a, "condition", condition);
    F(a, "csn", x.csn);
    F(a, "sent", x.sent);
    F(a, "bytes", x.bytes);
    F(a, "losses", x.losses);
    F(a, "moved", moved);
    if constexpr (A::kReads) {
      x.condition = condition;
      x.moved = moved;
    }
    // The neighbours of a record that is not in flight mean nothing.
    if (condition != Condition::kInFlight) return;
    F(a, "earlier", x.earlier);
    F(a, "later", x.later);
  }
  template <typename A, state::Is<TransmitWindow> T>
  static void Of(A& a, T& x) {
    F(a, "oldest", x.oldest_);
    F(a, "next", x.next_);
    F(a, "in_flight", x.in_flight_);
    F(a, "flight_bytes", x.flight_bytes_);
    F(a, "lost", x.lost_);
    if (x.in_flight_ > 0) {
      F(a, "first_sent", x.first_sent_);
      F(a, "last_sent", x.last_sent_);
    }
    uint32_t outstanding = x.next_.value() - x.oldest_.value();
    if constexpr (A::kReads) {
      outstanding = std::min(outstanding, TransmitWindow::kSize);
      x.next_ = x.oldest_ + outstanding;
      x.ring_.assign(std::bit_ceil(std::max(outstanding, 4u)), SendRecord());
    }
    a.Begin("records");
    for (uint32_t i = 0; i < outstanding; ++i) {
      F(a, nullptr, x.ring_[(x.oldest_ + i).value()]);
    }
    a.End();
  }
  template <typename A, state::Is<Rtt> T>
  static void Of(A& a, T& x) {
    F(a, "s", x.s_);
    F(a, "v", x.v_);
    F(a, "last", x.last_);
    F(a, "last_at", x.last_at_);
    F(a, "bucket_began", x.bucket_began_);
    F(a, "bucket", x.bucket_);
    F(a, "former", x.former_);
    F(a, "block_gave", x.block_gave_);
  }
  template <typename A, state::Is<Ladder> T>
  static void Of(A& a, T& x) {
    F(a, "state", x.state);
    F(a, "one_legged", x.one_legged);
    F(a, "burst_known", x.burst_known);
    F(a, "ended_by_second", x.ended_by_second);
    F(a, "first_echoed", x.first_echoed);
    F(a, "siblings_lived", x.siblings_lived);
    F(a, "k", x.k);
    F(a, "first_probe", x.first_probe);
  }
  template <typename A, state::Is<Opening> T>
  static void Of(A& a, T& x) {
    F(a, "reason", x.reason);
    F(a, "was_free", x.was_free);
    F(a, "waits", x.waits);
    F(a, "unanswered", x.unanswered);
    F(a, "turn", x.turn);
    F(a, "accepted", x.accepted);
    F(a, "attempt", x.attempt);
    F(a, "probes", x.probes);
    F(a, "k", x.k);
    F(a, "id", x.id);
    F(a, "sent", x.sent);
    F(a, "srtt", x.srtt);
    F(a, "drained", x.drained);
    F(a, "changes", x.changes);
    F(a, "hold_until", x.hold_until);
  }
  template <typename A, state::Is<ProbeMemory> T>
  static void Of(A& a, T& x) {
    F(a, "sent", x.sent_);
  }
  template <typename A, state::Is<congestion::PathState> T>
  static void Of(A& a, T& x) {
    F(a, "w", x.w);
    F(a, "since_ar", x.since_ar);
    F(a, "alpha", x.alpha);
    F(a, "clean", x.clean);
    F(a, "ce", x.ce);
    F(a, "arrived", x.arrived);
    F(a, "lost", x.lost);
    F(a, "slow", x.slow);
    F(a, "first", x.first);
    F(a, "skip", x.skip);
    F(a, "limited", x.limited);
    F(a, "limited_before", x.limited_before);
    F(a, "marked_before", x.marked_before);
    F(a, "ever_marked", x.ever_marked);
    F(a, "given", x.given);
    F(a, "wish", x.wish);
    F(a, "history", x.history);
    F(a, "round_start", x.round_start);
    F(a, "min_rtt", x.min_rtt);
    F(a, "speed", x.speed);
    F(a, "memory", x.memory);
  }
  template <typename A, state::Is<congestion::Pacer> T>
  static void Of(A& a, T& x) {
    F(a, "due", x.due_);
    F(a, "part", x.part_);
  }
  template <typename A, state::Is<congestion::ConnectionState> T>
  static void Of(A& a, T& x) {
    F(a, "sum", x.sum);
    F(a, "bound", x.bound);
    F(a, "speed", x.speed);
    F(a, "slow_paths", x.slow_paths);
    F(a, "zero_slow", x.zero_slow);
    F(a, "hint", x.hint);
    if (x.hint != 0) F(a, "hint_until", x.hint_until);
    F(a, "kb", x.kb);
    F(a, "min_rtt", x.min_rtt);
    F(a, "srtt", x.srtt);
    F(a, "srtt_path", x.srtt_path);
    F(a, "pacer", x.pacer);
    F(a, "last_byte_time", x.last_byte_time);
    // T follows from the speed, and is computed when it is needed.
    if constexpr (A::kReads) x.byte_time = 0;
    F(a, "idle_since", x.idle_since);
    F(a, "base", x.base);
    F(a, "grown_at", x.grown_at);
    F(a, "narrow", x.narrow);
    F(a, "rounds", x.rounds);
    F(a, "limited_rounds", x.limited_rounds);
    F(a, "wp", x.wp);
    F(a, "pace", x.pace);
    F(a, "target", x.target);
    F(a, "told_hint", x.told_hint);
    F(a, "memory", x.memory);
  }
  template <typename A, state::Is<SendContext> T>
  static void Of(A& a, T& x) {
    F(a, "window", x.window);
    F(a, "rtt", x.rtt);
    F(a, "latest", x.latest);
    F(a, "heard", x.heard);
    F(a, "sampled", x.sampled);
    F(a, "news_at", x.news_at);
    F(a, "arrivals", x.arrivals);
    F(a, "ce", x.ce);
    F(a, "duplicates", x.duplicates);
    F(a, "tolerance", x.tolerance);
    F(a, "tolerance_at", x.tolerance_at);
    F(a, "ladder", x.ladder);
    F(a, "opening", x.opening);
    F(a, "probes", x.probes);
    F(a, "probe_id", x.probe_id);
    F(a, "probe_sent", x.probe_sent);
    F(a, "congestion", x.congestion);
    F(a, "counted_bytes", x.counted_bytes);
  }
  template <typename A, state::Is<SendPath> T>
  static void Of(A& a, T& x) {
    F(a, "state", x.state);
    F(a, "used", x.used);
    F(a, "lifted", x.lifted);
    F(a, "balance_drain", x.balance_drain);
    F(a, "epoch", x.epoch);
    F(a, "route", x.route);
    F(a, "next_plane", x.next_plane);
    F(a, "drain_reason", x.drain_reason);
    F(a, "epochs", x.epochs);
    F(a, "epochs_began", x.epochs_began);
    F(a, "context", x.context);
    F(a, "close", x.close);
  }
  template <typename A, state::Is<Schedule> T>
  static void Of(A& a, T& x) {
    // The tournament follows from who takes part and with what.
    uint32_t paths = static_cast<uint32_t>(x.load_.size());
    F(a, "paths", paths);
    if constexpr (A::kReads) x = Schedule(std::clamp(paths, 1u, 256u));
    a.Begin("loads");
    for (uint32_t id = 0; id < x.load_.size(); ++id) {
      bool in = x.Has(id);
      uint32_t flight = x.load_[id].in_flight;
      uint32_t w = x.load_[id].w;
      F(a, "in", in);
      if (!in) continue;
      F(a, "in_flight", flight);
      F(a, "w", w);
      if constexpr (A::kReads) x.Enter(id, flight, w);
    }
    a.End();
  }

  // The connection's records.
  template <typename A, state::Is<CsnWindow> T>
  static void Of(A& a, T& x) {
    F(a, "cumulative", x.cumulative_);
    F(a, "right_edge", x.right_edge_);
    F(a, "range", x.range_);
    F(a, "bits", x.bits_);
  }
  template <typename A, state::Is<InboundMessage> T>
  static void Of(A& a, T& x) {
    F(a, "stream", x.stream);
    F(a, "msn", x.msn);
    F(a, "kind", x.kind);
    F(a, "attached", x.attached);
    F(a, "last_seen", x.last_seen);
    F(a, "solicited", x.solicited);
    F(a, "has_index", x.has_index);
    F(a, "complete", x.complete);
    F(a, "packets", x.packets);
    F(a, "length", x.length);
    F(a, "rkey", x.rkey);
    F(a, "word", x.word);
    F(a, "index", x.index);
    F(a, "address", x.address);
    F(a, "operand", x.operand);
    F(a, "compare", x.compare);
  }
  template <typename A, state::Is<InboundLimits> T>
  static void Of(A& a, T& x) {
    F(a, "mtu", x.mtu);
    F(a, "streams", x.streams);
    F(a, "open_messages", x.open_messages);
    F(a, "reads", x.reads);
  }
  template <typename A, state::Is<Inbound> T>
  static void Of(A& a, T& x) {
    F(a, "limits", x.limits_);
    F(a, "reads", x.reads_);
    F(a, "slots", x.slots_);
  }
  template <typename A, state::Is<PostedReceive> T>
  static void Of(A& a, T& x) {
    F(a, "id", x.id);
    F(a, "address", x.address);
    F(a, "length", x.length);
    F(a, "taken", x.taken);
    F(a, "done", x.done);
  }
  template <typename A, state::Is<ReceiveQueue> T>
  static void Of(A& a, T& x) {
    F(a, "front", x.front_);
    F(a, "queue", x.queue_);
  }
  template <typename A, state::Is<WorkRequest> T>
  static void Of(A& a, T& x) {
    F(a, "id", x.id);
    F(a, "kind", x.kind);
    F(a, "fenced", x.fenced);
    F(a, "solicited", x.solicited);
    F(a, "stream", x.stream);
    F(a, "length", x.length);
    F(a, "rkey", x.rkey);
    F(a, "word", x.word);
    F(a, "local", x.local);
    F(a, "address", x.address);
    F(a, "operand", x.operand);
    F(a, "compare", x.compare);
  }
  template <typename A, state::Is<Outgoing> T>
  static void Of(A& a, T& x) {
    F(a, "used", x.used);
    F(a, "next", x.next);
    if (!x.used) return;
    F(a, "work", x.work);
    F(a, "msn", x.msn);
    F(a, "index", x.index);
    F(a, "response", x.response);
    F(a, "begun", x.begun);
    F(a, "held", x.held);
    F(a, "done", x.done);
    F(a, "completed", x.completed);
    F(a, "last_placed", x.last_placed);
    F(a, "packets", x.packets);
    F(a, "sent", x.sent);
    F(a, "acknowledged", x.acknowledged);
    F(a, "placed", x.placed);
    F(a, "value", x.value);
    F(a, "order", x.order);
  }
  template <typename A, state::Is<OutboundLimits> T>
  static void Of(A& a, T& x) {
    F(a, "mtu", x.mtu);
    F(a, "streams", x.streams);
    F(a, "open_messages", x.open_messages);
    F(a, "reads", x.reads);
  }
  template <typename A, state::Is<Outbound> T>
  static void Of(A& a, T& x) {
    F(a, "limits", x.limits_);
    F(a, "next_index", x.next_index_);
    F(a, "credit", x.credit_);
    F(a, "outstanding", x.outstanding_);
    F(a, "incomplete", x.incomplete_);
    F(a, "unsent_messages", x.unsent_messages_);
    F(a, "free", x.free_);
    F(a, "response_first", x.response_first_);
    F(a, "response_last", x.response_last_);
    F(a, "last_stream", x.last_stream_);
    F(a, "any_sent", x.any_sent_);
    F(a, "last_was_request", x.last_was_request_);
    F(a, "posts", x.posts_);
    F(a, "hold_next", x.hold_next_);
    F(a, "supposed_index", x.supposed_index_);
    F(a, "supposed", x.supposed_);
    F(a, "slab", x.slab_);
    F(a, "streams", x.streams_);
    F(a, "maybe", x.maybe_);
    if constexpr (A::kReads) x.first_ready_.known = false;
  }
  template <typename A, state::Is<SentCsn> T>
  static void Of(A& a, T& x) {
    F(a, "first_sent", x.first_sent);
    F(a, "message", x.message);
    F(a, "packet", x.packet);
    F(a, "done", x.done);
    F(a, "moved", x.moved);
    F(a, "waits", x.waits);
  }
  template <typename A, state::Is<SentCsns> T>
  static void Of(A& a, T& x) {
    F(a, "cumulative", x.cumulative_);
    F(a, "next", x.next_);
    F(a, "waiting", x.waiting_);
    if (x.waiting_ > 0) {
      F(a, "lowest_moved", x.lowest_moved_);
    } else if constexpr (A::kReads) {
      x.lowest_moved_ = x.cumulative_;
    }
    uint32_t outstanding = x.next_.value() - x.cumulative_.value();
    if constexpr (A::kReads) {
      // A record takes a byte at least.
      outstanding = static_cast<uint32_t>(std::min<size_t>(outstanding, a.left()));
      x.next_ = x.cumulative_ + outstanding;
      x.ring_.assign(std::bit_ceil(std::max(outstanding, 8u)), SentCsn());
    }
    a.Begin("records");
    for (uint32_t i = 0; i < outstanding; ++i) {
      F(a, nullptr, x.ring_[(x.cumulative_ + i).value()]);
    }
    a.End();
  }
  template <typename A, state::Is<Deadlines> T>
  static void Of(A& a, T& x) {
    // The tree follows from the deadlines.
    uint32_t armed = 0;
    for (uint32_t id = 0; id < x.ids(); ++id) armed += x.Armed(id);
    F(a, "armed", armed);
    if constexpr (A::kReads) {
      x.StopAll();
      for (uint32_t i = 0; i < armed && a.left() > 0; ++i) {
        uint32_t id = 0;
        Nanoseconds deadline = 0;
        F(a, nullptr, id);
        F(a, nullptr, deadline);
        if (id < kMostTimers) x.Arm(id, deadline);
      }
    } else {
      for (uint32_t id = 0; id < x.ids(); ++id) {
        Nanoseconds deadline = x.Of(id);
        if (deadline == kNever) continue;
        F(a, nullptr, id);
        F(a, nullptr, deadline);
      }
    }
  }

  template <typename A, state::Is<Outbound::Stream> T>
  static void Of(A& a, T& x) {
    F(a, "next_msn", x.next_msn);
    F(a, "head", x.head);
    F(a, "tail", x.tail);
    F(a, "unsent", x.unsent);
    F(a, "unacknowledged", x.unacknowledged);
    F(a, "uncompleted", x.uncompleted);
  }
  template <typename A, state::Is<Inbound::Slot> T>
  static void Of(A& a, T& x) {
    F(a, "head", x.head);
    F(a, "open", x.open);
  }

  template <typename A, state::Is<endpoint::Retransmission> T>
  static void Of(A& a, T& x) {
    F(a, "path", x.path);
    F(a, "epoch", x.epoch);
    F(a, "sequence", x.sequence);
  }
  template <typename A, state::Is<endpoint::StoredNack> T>
  static void Of(A& a, T& x) {
    F(a, "opcode", x.opcode);
    F(a, "body", x.body);
  }
  template <typename A, state::Is<endpoint::Connection::Asked> T>
  static void Of(A& a, T& x) {
    F(a, "index", x.index);
    F(a, "id", x.id);
    F(a, "route", x.route);
  }
  template <typename A, state::Is<endpoint::Connection> T>
  static void Of(A& a, T& x) {
    F(a, "state", x.state);
    F(a, "initiator", x.initiator);
    F(a, "tag", x.tag);
    F(a, "local", x.local);
    F(a, "peer", x.peer);
    F(a, "peer_ports", x.peer_ports);
    F(a, "ip_mtu_bytes", x.ip_mtu_bytes);
    F(a, "connect_id", x.connect_id);
    F(a, "next_id", x.next_id);
    F(a, "request_id", x.request_id);
    F(a, "tries", x.tries);
    F(a, "setup_entropy", x.setup_entropy);
    F(a, "setup_plane", x.setup_plane);
    F(a, "request_sent", x.request_sent);
    F(a, "connect_came", x.connect_came);
    F(a, "connect_time", x.connect_time);
    F(a, "connect_route", x.connect_route);
    F(a, "disconnect_reason", x.disconnect_reason);
    F(a, "nack", x.nack);
    F(a, "holds", x.holds);
    F(a, "told", x.told);
    F(a, "nack_next", x.nack_next);
    F(a, "handshake_rtt", x.handshake_rtt);

    F(a, "received", x.received);
    F(a, "inbound", x.inbound);
    F(a, "receives", x.receives);
    F(a, "regions", x.regions);
    F(a, "in", x.in);
    F(a, "bad_path_next", x.bad_path_next);
    F(a, "open_in", x.open_in);
    F(a, "closed_id", x.closed_id);
    F(a, "next_serial", x.next_serial);
    F(a, "last_route", x.last_route);
    F(a, "last_heard", x.last_heard);
    F(a, "asked", x.asked);

    F(a, "outbound", x.outbound);
    F(a, "sent", x.sent);
    F(a, "unacknowledged", x.unacknowledged);
    F(a, "peer_edge", x.peer_edge);
    F(a, "newest_serial", x.newest_serial);
    F(a, "acks_seen", x.acks_seen);
    F(a, "out", x.out);
    F(a, "in_state", x.in_state);
    F(a, "schedule", x.schedule);
    F(a, "latest_path", x.latest_path);
    F(a, "lost", x.lost);
    F(a, "lost_waiting", x.lost_waiting);
    F(a, "flight_bytes", x.flight_bytes);
    F(a, "congestion", x.congestion);
    F(a, "edge_held", x.edge_held);
    F(a, "data_acknowledged", x.data_acknowledged);
    F(a, "target", x.target);
    F(a, "by_sample", x.by_sample);
    F(a, "last_srtt", x.last_srtt);
    F(a, "outstanding_since", x.outstanding_since);
    F(a, "liveness_from", x.liveness_from);
    F(a, "liveness_k", x.liveness_k);
    F(a, "liveness_path", x.liveness_path);
    F(a, "entropy_index", x.entropy_index);
    F(a, "refusals", x.refusals);
    F(a, "backs_off", x.backs_off);
    F(a, "credit", x.credit);
    F(a, "credit_id", x.credit_id);
    // When it was sent means something only while it is unanswered.
    if (x.credit == spec::CreditState::kProbing) F(a, "credit_sent", x.credit_sent);
    F(a, "credit_asked", x.credit_asked);
    F(a, "credit_path", x.credit_path);
    F(a, "rnr_count", x.rnr_count);
    F(a, "hint_sent", x.hint_sent);

    F(a, "port_status", x.port_status);
    F(a, "port_version", x.port_version);
    F(a, "port_id", x.port_id);
    if (x.port_status == spec::PortStatusState::kWaiting) F(a, "port_sent", x.port_sent);
    F(a, "port_tries", x.port_tries);
    F(a, "port_path", x.port_path);
    F(a, "peer_version", x.peer_version);
    F(a, "peer_up", x.peer_up);
    F(a, "up", x.up);
    F(a, "waits_on", x.waits_on);
    F(a, "timers", x.timers);
  }
  template <typename A, state::Is<congestion::Sender> T>
  static void Of(A& a, T& x) {
    F(a, "cid", x.cid);
    F(a, "rtt", x.rtt);
    F(a, "full_packet", x.full_packet);
    F(a, "last", x.last);
    F(a, "began", x.began);
    F(a, "bytes", x.bytes);
    F(a, "r1", x.r1);
    F(a, "r2", x.r2);
    F(a, "low", x.low);
    F(a, "demand", x.demand);
  }
  template <typename A, state::Is<congestion::Allocator> T>
  static void Of(A& a, T& x) {
    // What else it keeps is found again from the senders.
    if constexpr (A::kReads) x = congestion::Allocator();
    F(a, "senders", x.senders_);
  }
  template <typename A, state::Is<endpoint::State> T>
  static void Of(A& a, T& x) {
    F(a, "random", x.random);
    F(a, "ports_up", x.ports_up);
    F(a, "connections", x.connections);
    F(a, "ready", x.ready);
    F(a, "ready_order", x.ready_order);
    F(a, "by_cid", x.by_cid);
    F(a, "timers", x.timers);
    F(a, "waiting", x.waiting);
    F(a, "open_turn", x.open_turn);
    F(a, "latest_plane", x.latest_plane);
    F(a, "shared_out", x.shared_out);
    F(a, "shared_in", x.shared_in);
    F(a, "holding", x.holding);
    F(a, "reclaiming_in", x.reclaiming_in);
    F(a, "reclaim_next", x.reclaim_next);
    F(a, "hints", x.hints);
    F(a, "tell_runs", x.tell_runs);
    // What was counted changes nothing that follows.
    if (!a.counters()) return;
    F(a, "counters", x.counters);
    F(a, "failed", x.failed);
  }

 private:
  static constexpr uint32_t kMostTimers = 1 << 20;

  template <typename A, typename T>
  static void F(A& a, const char* name, T& x) {
    state::Field(a, name, x);
  }
};

namespace state {
namespace internal {

template <typename T>
inline constexpr bool kSerial = false;
template <typename Tag>
inline constexpr bool kSerial<Serial32<Tag>> = true;

template <typename T>
inline constexpr bool kList = false;
template <typename T>
inline constexpr bool kList<std::vector<T>> = true;
template <typename T>
inline constexpr bool kList<std::deque<T>> = true;
template <typename T>
inline constexpr bool kList<Ring<T>> = true;

template <typename T>
inline constexpr bool kArray = false;
template <typename T, size_t n>
inline constexpr bool kArray<std::array<T, n>> = true;

// There or not; emplace() makes one.
template <typename T>
inline constexpr bool kMaybe = false;
template <typename T>
inline constexpr bool kMaybe<std::optional<T>> = true;
template <typename T>
inline constexpr bool kMaybe<Box<T>> = true;

template <typename T>
concept LayoutStruct = requires {
  T::kLayout;
  T::kBytes;
};

// The fields of a layout by the names and places of the text.
template <typename A, typename T>
void LayoutFields(A& a, T& x) {
  using Body = std::remove_const_t<T>;
  std::array<uint8_t, Body::kBytes> bytes{};
  x.Store(bytes.data());
  for (const spec::FieldInfo& field : spec::Info(Body::kLayout).fields) {
    if (field.reserved) continue;
    uint64_t value = packet::GetBits(bytes, field.bit_offset, field.bits);
    if constexpr (A::kReads) {
      value = a.Number(nullptr);
      packet::SetBits(absl::MakeSpan(bytes), field.bit_offset, field.bits, value);
    } else {
      a.Number(field.name.data(), value);
    }
  }
  if constexpr (A::kReads) x = Body::Load(bytes.data());
}

}  // namespace internal

template <typename A, typename T>
void Field(A& a, const char* name, T& x) {
  using V = std::remove_const_t<T>;
  if constexpr (std::same_as<V, Nanoseconds>) {
    if constexpr (A::kReads) {
      x = a.Time(name);
    } else {
      a.Time(name, x);
    }
  } else if constexpr (std::is_integral_v<V> || std::is_enum_v<V>) {
    if constexpr (A::kReads) {
      x = static_cast<V>(a.Number(name));
    } else {
      a.Number(name, static_cast<uint64_t>(x));
    }
  } else if constexpr (internal::kSerial<V>) {
    if constexpr (A::kReads) {
      x = V(static_cast<uint32_t>(a.Number(name)));
    } else {
      a.Number(name, x.value());
    }
  } else if constexpr (internal::kList<V>) {
    a.Begin(name);
    size_t size = x.size();
    Field(a, nullptr, size);
    if constexpr (A::kReads) x.resize(size <= a.left() ? size : 0);
    for (auto& element : x) Field(a, nullptr, element);
    a.End();
  } else if constexpr (internal::kArray<V>) {
    a.Begin(name);
    for (auto& element : x) Field(a, nullptr, element);
    a.End();
  } else if constexpr (internal::kMaybe<V>) {
    a.Begin(name);
    bool there = static_cast<bool>(x);
    Field(a, nullptr, there);
    if constexpr (A::kReads) {
      if (!there) {
        x.reset();
      } else if (!x) {
        x.emplace();
      }
    }
    if (there) Field(a, nullptr, *x);
    a.End();
  } else if constexpr (std::same_as<V, std::unique_ptr<endpoint::Connection>>) {
    a.Begin(name);
    bool there = x != nullptr;
    Field(a, nullptr, there);
    if constexpr (A::kReads) {
      if (!there) {
        x.reset();
      } else if (x == nullptr) {
        x = std::make_unique<endpoint::Connection>();
      }
      if (there) Field(a, nullptr, *x);
    } else if (there) {
      Field(a, nullptr, std::as_const(*x));
    }
    a.End();
  } else if constexpr (std::same_as<V, std::map<uint32_t, uint32_t>>) {
    a.Begin(name);
    size_t size = x.size();
    Field(a, nullptr, size);
    if constexpr (A::kReads) {
      x.clear();
      for (size_t i = 0; i < size && a.left() > 0; ++i) {
        uint32_t key = 0;
        Field(a, nullptr, key);
        Field(a, nullptr, x[key]);
      }
    } else {
      for (const auto& [key, value] : x) {
        Field(a, nullptr, key);
        Field(a, nullptr, value);
      }
    }
    a.End();
  } else if constexpr (internal::LayoutStruct<V>) {
    a.Begin(name);
    internal::LayoutFields(a, x);
    a.End();
  } else {
    a.Begin(name);
    StateFields::Of(a, x);
    a.End();
  }
}

}  // namespace state
}  // namespace metaroce

#endif  // METAROCE_MODEL_STATE_FIELDS_H_
