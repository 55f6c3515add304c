// An endpoint: both halves of any number of connections (chapters 4 to 13).
//
// A pure relation: what it does follows from its state, the input, the chooser and the profile, and
// from nothing else. It has no clock, no randomness but what follows from Settings::seed, and no
// I/O. Time comes in with each call and never goes back.
//
// What must follow an input at once (answers, placements, completions) is told to the sink within
// the call. What may leave later (DATA, ACKs, what timers send) leaves by Poll, one event at a
// time.
#ifndef METAROCE_MODEL_ENDPOINT_ENDPOINT_H_
#define METAROCE_MODEL_ENDPOINT_ENDPOINT_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/chooser.h"
#include "model/endpoint/sink.h"
#include "model/endpoint/state.h"
#include "model/serial.h"

namespace metaroce::endpoint {

// What comes with every input. The pointers outlive the call; chooser and hits may be null.
struct Step {
  Nanoseconds now = 0;
  Sink* sink = nullptr;
  Memory* memory = nullptr;
  Chooser* chooser = nullptr;
  Hits* hits = nullptr;  // clauses whose code ran, and cells that were entered, are added
};

// By what a packet came.
struct Arrival {
  frame::IpAddress from;
  frame::MacAddress from_mac;
  Route route;  // UDP source port, and the plane of the port at which it came
  bool ce = false;
};

// What an application asks for when it opens a connection (CONNECT-SEND).
struct ConnectCommand {
  std::vector<Port> peer;  // one address, or one for each plane
};

class Endpoint {
 public:
  // InvalidArgumentError if a setting is out of its range or breaks a rule between settings.
  static absl::StatusOr<Endpoint> Make(Settings settings);

  Endpoint(Endpoint&&) = default;
  Endpoint& operator=(Endpoint&&) = default;
  Endpoint(const Endpoint&);
  Endpoint& operator=(const Endpoint&);

  // Inputs of the network. Any bytes; any packet that Parse gave.
  void ArriveFrame(packet::Bytes frame, uint8_t plane, const Step& step);
  void ArrivePacket(const packet::Packet& packet, const Arrival& arrival, const Step& step);

  // Inputs of the application. A cid that names no connection: NotFoundError.
  absl::StatusOr<uint32_t> Connect(const ConnectCommand& command, const Step& step);
  absl::Status Close(uint32_t cid, const Step& step);
  // FailedPreconditionError or InvalidArgumentError if it is refused (MSG-POST-REFUSED).
  absl::Status Post(uint32_t cid, const WorkRequest& work, const Step& step);
  absl::Status PostReceive(uint32_t cid, const PostedReceive& receive, const Step& step);
  // InvalidArgumentError if the region does not end within 2^64 or its rkey names another.
  absl::Status Register(uint32_t cid, const Region& region);
  absl::Status Deregister(uint32_t cid, uint32_t rkey);

  // Inputs of the operator and of the ports. NotFoundError if there is no such connection, path, or
  // port.
  absl::Status Deny(uint32_t cid, uint8_t path, const Step& step);
  absl::Status Lift(uint32_t cid, uint8_t path, const Step& step);
  absl::Status SetPort(uint8_t plane, bool up, const Step& step);
  // The path drains for its next epoch, as REENTROPY-CHOOSE would have it; or to be closed, as
  // COUNT-SHRINK would.
  absl::Status Drain(uint32_t cid, uint8_t path, bool to_close, const Step& step);

  // Sends an ACK of a path of the peer's direction now, whether it is due or not (ACK-EARLY).
  // NotFoundError or FailedPreconditionError if there is none to send.
  absl::Status Acknowledge(uint32_t cid, uint8_t path, const Step& step);

  // For who explains a trace: a work request waits for credit; it has this receive index and
  // nothing else is known of it, or it is one that was posted. NotFoundError if there is no such
  // connection.
  absl::Status SupposeWaits(uint32_t cid, std::optional<ReceiveIndex> index, const Step& step);

  // Makes a connection that is OPEN as if the handshake were over (CONF-ENDPOINT-STATE), as its
  // initiator or its acceptor. The bodies are those of the own and of the peer's CONNECT or
  // CONNECT_REPLY. InvalidArgumentError if a size is illegal.
  absl::Status Establish(uint32_t tag, const spec::Connect& local, const spec::Connect& peer,
                         const std::vector<Port>& peer_ports, Route route, const Step& step,
                         bool initiator = true);

  // A path of the peer's direction of that connection becomes open, as if a PATH_OPEN that came by
  // the route of path 0 had opened it. NotFoundError if there is no such connection or path.
  absl::Status OpenPath(uint32_t cid, uint8_t path, uint8_t epoch, PathSeq start, const Step& step);

  // Does the next thing that is due at or before `step.now`: the expiry of one timer, or one ACK;
  // if nothing is due, sends one DATA packet if one may be sent. False if there was nothing to do.
  bool Poll(const Step& step) { return Poll(step, 1) > 0; }
  // The same until there is nothing to do, or `most` times. Returns how often.
  uint32_t Poll(const Step& step, uint32_t most);
  // When Poll may next do something, if nothing else comes: 0 if at once, kNever if never.
  Nanoseconds NextDue() const { return state_->ready_order.empty() ? state_->timers.First() : 0; }

  // The connection with this cid, or null.
  const Connection* Find(uint32_t cid) const;
  uint64_t Count(spec::Counter counter) const {
    return state_->counters[static_cast<size_t>(counter)];
  }
  // How often a packet failed for `reason` (CHECK-COUNT).
  uint64_t Failed(spec::Reason reason) const { return state_->failed[static_cast<size_t>(reason)]; }
  const State& state() const { return *state_; }
  State& state() { return *state_; }

 private:
  explicit Endpoint(Settings settings);

  std::unique_ptr<State> state_;
};

// The entropy at place `index` (below 2^14) of the default order under a key: the connection's tag
// at its initiator, the tag's complement at the other end (ENTROPY-CHOICE).
uint16_t EntropyOf(uint32_t index, uint32_t key);

}  // namespace metaroce::endpoint

#endif  // METAROCE_MODEL_ENDPOINT_ENDPOINT_H_
