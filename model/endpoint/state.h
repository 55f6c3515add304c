// The state of an endpoint: plain values. What they mean stands in chapters 5 to 13.
#ifndef METAROCE_MODEL_ENDPOINT_STATE_H_
#define METAROCE_MODEL_ENDPOINT_STATE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "model/box.h"
#include "model/congestion/hint.h"
#include "model/congestion/window.h"
#include "model/connection/csn_window.h"
#include "model/connection/inbound.h"
#include "model/connection/outbound.h"
#include "model/connection/receive_queue.h"
#include "model/connection/sent_csns.h"
#include "model/deadlines.h"
#include "model/endpoint/cells.h"
#include "model/endpoint/region.h"
#include "model/endpoint/sink.h"
#include "model/path/receive_path.h"
#include "model/path/schedule.h"
#include "model/path/send_path.h"
#include "model/profile.h"
#include "model/ring.h"
#include "model/serial.h"
#include "spec/layouts.h"
#include "spec/tables.h"

namespace metaroce::endpoint {

// An open receive path: one receive context (RECEIVE-STATES).
struct ReceiveContext {
  ReceivePath books;
  TransactionId id;       // of the PATH_OPEN that opened it
  Route route;            // of that packet
  Nanoseconds heard = 0;  // latest of OPEN_NEW, OPEN_AGAIN, ARRIVAL
  uint32_t epochs = 0;    // RECEIVE-RATE
  Nanoseconds epochs_began = -1;
  uint32_t second_answers = 0;  // PROBEs still owed their second answer (ACK-PROBE-TWICE)
  uint8_t second_by = 0;
  bool delayed = false;  // the ACK that is due was put off by a choice

  bool operator==(const ReceiveContext&) const = default;
};

// A path of the peer's direction.
struct ReceiveSlot {
  Box<ReceiveContext> context;
  Box<CloseState> close;           // role receiver
  Nanoseconds bad_epoch_next = 0;  // no NACK_BAD_EPOCH before (CHECK-PATH)

  bool operator==(const ReceiveSlot&) const = default;
};

// A retransmission that waits: valid while the record is lost in that epoch.
struct Retransmission {
  uint8_t path = 0;
  uint8_t epoch = 0;
  PathSeq sequence;

  bool operator==(const Retransmission&) const = default;
};

// The NACK that a connection in ERROR repeats (ERROR-NACK-STORED).
struct StoredNack {
  spec::Opcode opcode = spec::Opcode::kNackClosing;
  spec::NackRequest body{};

  bool operator==(const StoredNack&) const = default;
};

// Timers of a connection: first those of its own, then kPathTimers for each path id.
enum Timer : uint32_t {
  kRetryTimer,
  kAcceptTimer,
  kRestTimer,
  kErrorTimer,
  kProgressTimer,
  kLivenessTimer,
  kCreditTimer,
  kPortTimer,
  kBackoffTimer,
  kPacerTimer,
  kShrinkTimer,
  kTellTimer,
  kConnectionTimers,
};
enum PathTimer : uint32_t {
  kPathTimer,  // of OPENING, and of the ladder
  kKeepaliveTimer,
  kCloseTimer,  // PATH_CLOSE of the own direction
  kAckTimer,    // of the peer's path
  kSilenceTimer,
  kAskTimer,  // PATH_CLOSE with role receiver
  kPathTimers,
};
// The timer of a path among those of its connection.
constexpr uint32_t TimerOf(size_t path, PathTimer timer) {
  return uint32_t{kConnectionTimers} + static_cast<uint32_t>(path) * uint32_t{kPathTimers} + timer;
}

struct Connection {
  spec::ConnectionState state = spec::ConnectionState::kClosed;
  bool initiator = false;
  uint32_t tag = 0;
  spec::Connect local{};  // as in CONNECT or CONNECT_REPLY: the own numbers, and what both use
  spec::Connect peer{};
  std::vector<Port> peer_ports;  // by plane
  uint32_t ip_mtu_bytes = 0;     // S (CC-S)

  // Setting up and ending.
  TransactionId connect_id;
  TransactionId next_id;     // of the next CTRL request
  TransactionId request_id;  // of the CONNECT or DISCONNECT that is unanswered
  uint32_t tries = 0;        // transmissions of it
  uint16_t setup_entropy = 0;
  uint8_t setup_plane = 0;
  Nanoseconds request_sent = 0;
  Nanoseconds connect_came = 0;  // arrival of the latest CONNECT, its transmit time and way
  WireTime connect_time;
  Route connect_route;
  spec::DisconnectReason disconnect_reason = spec::DisconnectReason::kApplication;
  StoredNack nack;
  bool holds = false;         // it is CONNECTING, ACCEPTED or OPEN (RES-RESERVED)
  bool told = false;          // the application knows why it ended
  Nanoseconds nack_next = 0;  // no further NACK before
  Nanoseconds handshake_rtt = 0;

  // The receiver's half.
  CsnWindow received;
  Inbound inbound;
  ReceiveQueue receives;
  std::vector<Region> regions;
  std::vector<ReceiveSlot> in;    // by path id
  Nanoseconds bad_path_next = 0;  // no NACK_BAD_EPOCH for a path id beyond those agreed before
  uint32_t open_in = 0;
  TransactionId closed_id;  // RECEIVE-CLOSED-ID
  AckSerial next_serial;
  uint16_t hint_sent = UINT16_MAX;  // of the latest ACK since it became active (HINT-TELL)
  Route last_route;                 // of the latest packet that passed the check `connection`
  Nanoseconds last_heard = 0;       // latest packet that passed the check `connection`
  struct Asked {                    // the latest CREDIT_PROBE answered by RNR (CREDIT-LATE)
    ReceiveIndex index;
    TransactionId id;
    Route route;
    bool operator==(const Asked&) const = default;
  };
  std::optional<Asked> asked;

  // The sender's half.
  Outbound outbound;
  SentCsns sent;
  uint32_t unacknowledged = 0;  // CSNs not done
  Csn peer_edge;
  AckSerial newest_serial;
  uint16_t acks_seen = 0;
  std::vector<SendPath> out;              // by path id
  std::array<uint16_t, 9> in_state = {};  // paths of the own direction in each state
  Schedule schedule;
  uint32_t latest_path = Schedule::kNobody;
  std::deque<Retransmission> lost;  // in the order in which they were declared lost; some withdrawn
  uint32_t lost_waiting = 0;
  uint64_t flight_bytes = 0;  // of ACTIVE paths
  congestion::ConnectionState congestion;
  bool edge_held = false;  // the next new packet was counted in csn_limited
  bool data_acknowledged = false;
  uint32_t target = 1;             // open paths aimed at (COUNT-OPEN-PATHS)
  std::vector<uint8_t> by_sample;  // paths with an RTT sample, the latest first (RTT-NEWEST)
  Nanoseconds last_srtt = 0;       // RTT-OF-CONNECTION while no path is ACTIVE
  Nanoseconds outstanding_since = kNever;
  Nanoseconds liveness_from = 0;  // t of CLOCK-LIVENESS at the last look
  uint32_t liveness_k = 0;        // PROBEs sent since
  uint8_t liveness_path = 255;    // 255: none yet
  uint32_t entropy_index = 0;     // i of ENTROPY-CHOICE
  uint32_t refusals = 0;          // j of PATH-REFUSED
  bool backs_off = false;
  spec::CreditState credit = spec::CreditState::kIdle;
  TransactionId credit_id;
  Nanoseconds credit_sent = kNever;  // latest transmission of that CREDIT_PROBE, kNever before one
  ReceiveIndex credit_asked;
  uint8_t credit_path = 255;
  uint32_t rnr_count = 0;

  // Planes.
  spec::PortStatusState port_status = spec::PortStatusState::kIdle;
  uint32_t port_version = 0;  // of the latest PORT_STATUS sent
  TransactionId port_id;
  Nanoseconds port_sent = 0;  // latest transmission of it
  uint32_t port_tries = 0;
  uint8_t port_path = 255;
  uint32_t peer_version = 0;  // newest taken
  uint16_t peer_up = 0xFFFF;
  uint16_t up = 0;        // planes that are up, by PLANE-UP
  uint16_t waits_on = 0;  // the planes under which it is counted in State::waiting, 0 if it is not

  Deadlines timers;

  uint32_t cid() const { return local.cid; }
  uint32_t Count(spec::PathState s) const { return in_state[static_cast<size_t>(s)]; }
  uint32_t active() const {
    return Count(spec::PathState::kActive) + Count(spec::PathState::kActiveToEpoch) +
           Count(spec::PathState::kActiveToClose);
  }
  uint32_t suspect() const {
    return Count(spec::PathState::kSuspect) + Count(spec::PathState::kSuspectToEpoch) +
           Count(spec::PathState::kSuspectToClose);
  }
  uint32_t opening() const { return Count(spec::PathState::kOpening); }
  // COUNT-OPEN-PATHS.
  uint32_t open() const {
    return opening() + Count(spec::PathState::kActive) + Count(spec::PathState::kActiveToEpoch);
  }
  uint32_t draining_to_epoch() const {
    return Count(spec::PathState::kActiveToEpoch) + Count(spec::PathState::kSuspectToEpoch);
  }
};

constexpr std::array<uint32_t, spec::constant::kPlanesMax> EveryPort(uint32_t mbps) {
  std::array<uint32_t, spec::constant::kPlanesMax> rates{};
  for (uint32_t& rate : rates) rate = mbps;
  return rates;
}

// What an endpoint is told when it is made.
struct Settings {
  Profile profile;
  std::vector<Port> ports = std::vector<Port>(1);  // by plane
  congestion::Settings windows;
  uint32_t target_paths = 1;  // with fixed windows: open paths that a direction aims at
  // Mb/s of each port, by plane (CC-SHARE).
  std::array<uint32_t, spec::constant::kPlanesMax> port_rates = EveryPort(400000);
  // The longest that the choice ack-moment may take (PROFILE-LATENCY).
  Nanoseconds ack_max =
      static_cast<Nanoseconds>(spec::Info(spec::ProfileParameter::kAckMax).default_value);
  bool accepts = true;            // somebody accepts connections here
  bool secondary_blocks = false;  // the feature is offered (ACK-SECONDARY)
  bool hint = false;              // the feature is offered, and hints are computed (HINT-VALUE)
  uint64_t seed = 1;              // of the numbers drawn at random
};

inline constexpr size_t kCounters = spec::Named<spec::Counter>::kAll.size();

struct State {
  Settings settings;
  uint64_t random = 0;
  uint16_t ports_up = 1;                                 // bit i: the own port to plane i
  std::vector<std::unique_ptr<Connection>> connections;  // by slot; null is a free slot
  std::vector<uint8_t> ready;  // by slot: its connection may have a packet to send, 0 or 1
  Ring<uint32_t> ready_order;
  std::map<uint32_t, uint32_t> by_cid;  // own cid -> slot; see SlotOf
  Deadlines timers;                     // by slot
  std::vector<uint32_t> touched;        // other slots whose timers a step changed
  // Connections that are OPEN and in whose own direction a DATA packet waits, by the planes that
  // are up there (CC-SHARE). Of windows that move.
  std::map<uint32_t, uint32_t> waiting;
  Nanoseconds open_turn = -kNever;   // of the next PATH_OPEN (PATH-OPEN-SHARE)
  uint8_t latest_plane = UINT8_MAX;  // given last by PLANE-SPREAD
  uint32_t shared_out = 0;           // send contexts of paths other than path 0
  uint32_t shared_in = 0;
  uint32_t holding = 0;  // connections in CONNECTING, ACCEPTED, OPEN (RES-RESERVED)
  bool reclaiming_in = false;
  Nanoseconds reclaim_next = 0;
  congestion::Allocator hints;  // for those who send to it
  bool tell_runs = false;       // the timer of one of them runs (HINT-TELL)
  std::array<uint64_t, kCounters> counters = {};
  std::array<uint64_t, 256> failed = {};  // by reason

  // The slot of the connection with this own cid.
  std::optional<uint32_t> SlotOf(uint32_t cid) const {
    // By default both are the lowest that is free, so the slot is cid - 1 and no map is searched.
    const uint32_t guess = cid - 1;
    if (guess < connections.size() && connections[guess] != nullptr &&
        connections[guess]->cid() == cid) {
      return guess;
    }
    const auto it = by_cid.find(cid);
    if (it == by_cid.end()) return std::nullopt;
    return it->second;
  }
};

}  // namespace metaroce::endpoint

#endif  // METAROCE_MODEL_ENDPOINT_STATE_H_
