// The blocks of a receiver, the order of messages, and the machines of a path.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "conformance/duts/model/untimed.h"
#include "model/connection/csn_window.h"
#include "model/connection/inbound.h"
#include "model/connection/outbound.h"
#include "model/endpoint/congestion.h"

namespace metaroce::conformance {
namespace {

//= CONF-CSN-TRACKER
//# The block `csn-tracker` is a receiver's record of the CSNs of one direction.
class CsnTracker : public UntimedBlock {
 public:
  explicit CsnTracker(const RecordView& config)
      : granted_(config.Small("range")),
        csns_(Csn(config.Small("base")), Range(config.Small("open_paths", 1))) {}

  absl::Status Take(const RecordView& in, FieldList* out) override {
    std::string outcome = "none";
    const Csn csn(in.Small("csn"));
    if (in.Word("kind") == "paths") {
      csns_.SetRange(Range(in.Small("open_paths")));
    } else if (csns_.Received(csn)) {
      outcome = "duplicate";
    } else if (!csns_.Granted(csn)) {
      outcome = "beyond-edge";
    } else {
      outcome = "new";
      csns_.Mark(csn);
    }
    AddWord("outcome", outcome, out);
    AddNumber("cumulative", csns_.cumulative().value(), out);
    AddNumber("right_edge", csns_.right_edge().value(), out);
    return absl::OkStatus();
  }

 private:
  //= SEQ-CSN-EDGE
  //# the greater of what the receiver granted in its CONNECT or CONNECT_REPLY and `path_window` times
  //# the number of its open receive paths of this connection.
  uint32_t Range(uint32_t open_paths) const {
    return std::max<uint32_t>(granted_, spec::constant::kPathWindow * open_paths);
  }

  const uint32_t granted_;
  CsnWindow csns_;
};

// An endpoint with connections that are made up.
//
//= CONF-RECEIVER-HINT
//# The block `receiver-hint` is what a receiver keeps to compute hints, over all its connections
class ReceiverHint : public UntimedBlock {
 public:
  ReceiverHint(const RecordView& config, const Profile& profile) {
    e_.settings.profile = profile;
    e_.settings.ports.resize(spec::constant::kPlanesMax);
    e_.ports_up = UINT16_MAX;
    SetRate(config.Number("rate"));
    e_.connections.resize(16);
    for (const uint32_t i : config.Members("connection")) {
      const std::string name = absl::StrCat("connection[", i, "].");
      auto c = std::make_unique<endpoint::Connection>();
      c->local.cid = config.Small(name + "cid");
      c->local.features = static_cast<uint16_t>(spec::Feature::kHint);
      c->local.hint_unit = static_cast<uint16_t>(config.Number(name + "unit", 16));
      c->ip_mtu_bytes = config.Small(name + "full_packet", 4214);
      c->handshake_rtt = config.Time(name + "rtt");
      for (uint8_t a = 0; a < 16; ++a) {
        if (((config.Number(name + "addresses") >> a) & 1) == 0) continue;
        c->peer_ports.emplace_back().ip = frame::IpAddress::V4({10, 0, 0, a});
      }
      e_.by_cid[c->local.cid] = i;
      e_.connections[i] = std::move(c);
    }
  }

  absl::Status Take(const RecordView& in, FieldList* out) override {
    const std::string kind = in.Word("kind");
    const uint64_t i = in.Number("connection");
    uint64_t hint = 0;
    const congestion::Sender* shown = nullptr;
    if (kind == "rate") {
      SetRate(in.Number("rate"));
    } else if (kind == "tell") {
      Write(0, Told(in.Time("now")), nullptr, out);
      return absl::OkStatus();
    } else {
      if (i >= e_.connections.size() || e_.connections[i] == nullptr) {
        return absl::InvalidArgumentError(absl::StrCat("there is no connection ", i, "."));
      }
      endpoint::Step step;
      step.now = in.Time("now");
      const endpoint::Scope s{e_, *e_.connections[i], step, static_cast<uint32_t>(i)};
      if (kind == "data") {
        endpoint::HintArrival(s, in.Small("size"));
      } else {
        hint = endpoint::HintValue(s);
      }
      for (const congestion::Sender& sender : e_.hints.senders()) {
        if (sender.cid == s.c.cid()) shown = &sender;
      }
    }
    uint64_t active = 0;
    for (size_t c = 0; c < e_.connections.size(); ++c) {
      if (e_.connections[c] == nullptr) continue;
      active |= uint64_t{e_.hints.Active(e_.connections[c]->cid())} << c;
    }
    Write(hint, active, shown, out);
    return absl::OkStatus();
  }

 private:
  // The connections of which an ACK is due at once, if news are due by now.
  uint64_t Told(Nanoseconds now) {
    uint64_t told = 0;
    for (size_t i = 0; i < e_.connections.size(); ++i) {
      endpoint::Connection* c = e_.connections[i].get();
      if (c == nullptr || c->timers.Of(endpoint::kTellTimer) > now) continue;
      c->timers.Stop(endpoint::kTellTimer);
      endpoint::Step step;
      step.now = now;
      const endpoint::Scope s{e_, *c, step, static_cast<uint32_t>(i)};
      for (const uint32_t slot : endpoint::ToTell(s)) told |= uint64_t{1} << slot;
      break;
    }
    return told;
  }

  void SetRate(uint64_t mbps) {
    e_.hints.CapacityChanged();
    for (uint32_t& rate : e_.settings.port_rates) {
      rate = static_cast<uint32_t>(std::min<uint64_t>(mbps, UINT32_MAX));
      mbps -= rate;
    }
  }

  void Write(uint64_t hint, uint64_t active, const congestion::Sender* shown, FieldList* out) {
    AddNumber("hint", hint, out);
    AddNumber("active", active, out);
    AddNumber("bytes", shown == nullptr ? 0 : shown->bytes, out);
    AddNumber("r1", shown == nullptr ? 0 : shown->r1, out);
    AddNumber("r2", shown == nullptr ? 0 : shown->r2, out);
    AddNumber("low", shown == nullptr ? 0 : shown->low, out);
    AddNumber("demand", shown == nullptr ? 0 : shown->demand, out);
  }

  endpoint::State e_;
};

// "ACTIVE_TO_EPOCH" -> "active-to-epoch".
std::string Hyphened(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    c = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

template <typename E>
std::optional<E> Named(std::string_view name) {
  for (const auto& entry : spec::Named<E>::kAll) {
    if (Hyphened(entry.name) == name) return entry.value;
  }
  return std::nullopt;
}

//= CONF-PATH-LIFECYCLE
//# An input is an event that the machine takes or ignores in its state.
template <typename State, typename Event>
class Machine : public UntimedBlock {
 public:
  explicit Machine(State state) : state_(state) {}

  absl::Status Take(const RecordView& in, FieldList* out) override {
    const std::optional<Event> event = Named<Event>(in.Word("kind"));
    if (!event) return absl::InvalidArgumentError("the machine has no event of that name.");
    const spec::Cell<State>& cell = spec::Lookup(state_, *event);
    if (cell.kind == spec::CellKind::kImpossible) {
      return absl::InvalidArgumentError(
          absl::StrCat("that event cannot come here: ", std::string(cell.impossible), "."));
    }
    const bool ignored = cell.kind == spec::CellKind::kIgnored;
    state_ = cell.next;
    AddWord("state", Hyphened(spec::Name(state_)), out);
    AddWord("outcome", ignored ? "ignored" : "taken", out);
    AddWord("counter", ignored ? Hyphened(spec::Name(*cell.counter)) : "none", out);
    return absl::OkStatus();
  }

 private:
  State state_;
};

template <typename State, typename Event>
MadeBlock MakeMachine(const RecordView& config) {
  const std::optional<State> state = Named<State>(config.Word("state"));
  if (!state) return absl::InvalidArgumentError("the machine has no state of that name.");
  return std::make_unique<Machine<State, Event>>(*state);
}

struct RequestName {
  absl::string_view name;
  WorkKind work;
  spec::Opcode opcode;
};

constexpr RequestName kRequests[] = {
    {"write", WorkKind::kWrite, spec::Opcode::kWrite},
    {"write-with-immediate", WorkKind::kWriteImmediate, spec::Opcode::kWriteWithImmediate},
    {"send", WorkKind::kSend, spec::Opcode::kSend},
    {"read", WorkKind::kRead, spec::Opcode::kReadRequest},
    {"fetch-add", WorkKind::kFetchAdd, spec::Opcode::kFetchAdd},
};

constexpr uint32_t kSlots = 64;
constexpr uint32_t kMtu = 1024;

// What both ends have in common.
//
//= CONF-COMPLETION-ORDER
//# The block `completion-order` is the order of messages of one direction at the requester or at the
//# responder.
class Order : public UntimedBlock {
 public:
  explicit Order(Msn start) { next_.fill(start); }

  absl::Status Take(const RecordView& in, FieldList* out) override {
    if (in.Number("stream") >= kSlots) {
      return absl::InvalidArgumentError(
          absl::StrCat("stream is ", in.Number("stream"), "; it must be less than 64."));
    }
    const auto stream = static_cast<uint16_t>(in.Number("stream"));
    const RequestName* request = nullptr;
    for (const RequestName& name : kRequests) {
      if (name.name == in.Word("request")) request = &name;
    }
    const std::string kind = in.Word("kind");
    if (request == nullptr && (kind == "post" || kind == "packet")) {
      return absl::InvalidArgumentError("\"request\" is missing.");
    }
    Msn msn(in.Small("msn"));
    absl::StatusOr<bool> complete = Happen(kind, request, stream, in, &msn);
    if (!complete.ok()) return complete.status();
    uint32_t finished = 0;
    while (FinishOne(stream)) ++finished;
    next_[stream] = next_[stream] + finished;
    AddNumber("msn", msn.value(), out);
    AddNumber("complete", *complete, out);
    AddNumber("finished", finished, out);
    AddNumber("next", next_[stream].value(), out);
    return absl::OkStatus();
  }

 private:
  // Whether the message is complete; `request` is there where the kind asks for it.
  virtual absl::StatusOr<bool> Happen(absl::string_view kind, const RequestName* request,
                                      uint16_t stream, const RecordView& in, Msn* msn) = 0;
  // Completes or delivers the next message of the stream, if that may be.
  virtual bool FinishOne(uint16_t stream) = 0;

  std::array<Msn, kSlots> next_;
};

class Requester : public Order {
 public:
  explicit Requester(Msn start)
      : Order(start), messages_(start, ReceiveIndex(), ReceiveIndex(), OutboundLimits()) {}

 private:
  absl::StatusOr<bool> Happen(absl::string_view kind, const RequestName* request, uint16_t stream,
                              const RecordView& in, Msn* msn) override {
    if (kind == "post") {
      WorkRequest work;
      work.kind = request->work;
      work.stream = stream;
      work.length = in.Small("length");
      *msn = messages_.at(messages_.Post(work)).msn;
      return false;
    }
    const uint32_t message = messages_.WithMsn(stream, *msn);
    if (kind == "packet" || message == Outgoing::kNone) {
      return absl::InvalidArgumentError(
          absl::StrCat(kind, " of stream ", stream, " and MSN ", msn->value(), " cannot come."));
    }
    const Outgoing& m = messages_.at(message);
    if (kind == "acknowledged") {
      while (m.sent < m.packets) messages_.Sent(message);
      messages_.Acknowledged(message, m.packets);
      return m.done;
    }
    if (m.sent == 0) messages_.Sent(message);
    const uint32_t packets =
        IsAtomic(m.work.kind) ? 1 : std::max<uint32_t>(1, (m.work.length + kMtu - 1) / kMtu);
    for (uint32_t i = 1; i <= packets; ++i) messages_.Placed(message, i == packets);
    return m.done;
  }

  bool FinishOne(uint16_t stream) override {
    if (messages_.Complete(stream) == Outgoing::kNone) return false;
    messages_.Reap(stream);
    return true;
  }

  Outbound messages_;
};

class Responder : public Order {
 public:
  explicit Responder(Msn start) : Order(start), messages_(start, InboundLimits()) {}

 private:
  absl::StatusOr<bool> Happen(absl::string_view kind, const RequestName* request, uint16_t stream,
                              const RecordView& in, Msn* msn) override {
    if (kind != "packet") {
      return absl::InvalidArgumentError(absl::StrCat(kind, " cannot come at the responder."));
    }
    RequestPacket packet;
    packet.opcode = request->opcode;
    packet.stream = stream;
    packet.msn = *msn;
    packet.offset = in.Small("offset");
    packet.length = in.Small("length");
    if (packet.HasPayloadTail()) {
      packet.payload = std::min(kMtu, packet.length - std::min(packet.length, packet.offset));
    }
    if (const auto reason = messages_.Check(packet)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the packet fails: ", std::string(spec::Name(*reason)), "."));
    }
    return messages_.Accept(packet)->complete;
  }

  bool FinishOne(uint16_t stream) override {
    const std::optional<InboundMessage> message = messages_.Deliver(stream);
    if (!message) return false;
    if (message->kind != MessageKind::kWrite && message->kind != MessageKind::kSend) {
      messages_.ReadAnswered();
    }
    return true;
  }

  Inbound messages_;
};

}  // namespace

MadeBlock MakeCsnTracker(const RecordView& config, const Profile&) {
  const uint64_t range = config.Number("range");
  if (range < spec::constant::kCsnRangeMin || range > spec::constant::kCsnRangeMax) {
    return absl::InvalidArgumentError(absl::StrCat("range is ", range, "; it lies between ",
                                                   spec::constant::kCsnRangeMin, " and ",
                                                   spec::constant::kCsnRangeMax, "."));
  }
  return std::make_unique<CsnTracker>(config);
}
MadeBlock MakeReceiverHint(const RecordView& config, const Profile& profile) {
  return std::make_unique<ReceiverHint>(config, profile);
}
MadeBlock MakePathLifecycle(const RecordView& config, const Profile&) {
  const std::string machine = config.Word("machine");
  if (machine == "path") return MakeMachine<spec::PathState, spec::PathEvent>(config);
  if (machine == "ladder") return MakeMachine<spec::LadderState, spec::LadderEvent>(config);
  if (machine == "path-close") {
    return MakeMachine<spec::PathCloseState, spec::PathCloseEvent>(config);
  }
  if (machine == "receive-path") {
    return MakeMachine<spec::ReceivePathState, spec::ReceivePathEvent>(config);
  }
  return absl::InvalidArgumentError("\"machine\" is missing.");
}
MadeBlock MakeCompletionOrder(const RecordView& config, const Profile&) {
  const Msn start(config.Small("start_msn"));
  if (config.Word("role") == "requester") return std::make_unique<Requester>(start);
  if (config.Word("role") == "responder") return std::make_unique<Responder>(start);
  return absl::InvalidArgumentError("\"role\" is missing.");
}

}  // namespace metaroce::conformance
