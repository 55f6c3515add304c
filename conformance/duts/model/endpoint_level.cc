#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/duts/model/levels.h"
#include "conformance/duts/model/memory.h"
#include "conformance/duts/model/setup.h"
#include "model/check.h"
#include "model/endpoint/endpoint.h"
#include "model/wire/packet/packet.h"

namespace metaroce::conformance {
namespace {

using endpoint::Endpoint;

// The name of a value of a closed list of the text.
template <typename E>
std::string NameIn(E value) {
  for (const auto& named : spec::Named<E>::kAll) {
    if (named.value == value) return std::string(named.name);
  }
  return "";
}

// What an endpoint does, as events of the contract.
class EventSink : public endpoint::Sink {
 public:
  explicit EventSink(SparseMemory* memory) : memory_(memory) {}

  void OnPacket(uint32_t, const endpoint::PacketOut& out) override {
    dut::Packet* packet = Add()->mutable_packet();
    const auto frame = packet::Serialize(out.packet, FrameOf(out));
    METAROCE_CHECK(frame.ok());
    packet->set_frame(std::string(frame->begin(), frame->end()));
    packet->set_plane(out.route.plane);
  }
  //= CONF-PLACEMENT
  //# with the address of the payload's first byte and the payload.
  void OnPlacement(uint32_t, uint64_t address, packet::Bytes data) override {
    memory_->Write(address, data);
    dut::Placement* placement = Add()->mutable_placement();
    placement->set_address(address);
    placement->set_data(std::string(data.begin(), data.end()));
  }
  void OnReceive(uint32_t, const endpoint::ReceiveDone& done) override {
    FieldList* out = Completion("receive");
    AddNumber("id", done.id, out);
    AddWord("status", NameIn(done.status), out);
    AddNumber("length", done.length, out);
    if (done.immediate) AddNumber("immediate", *done.immediate, out);
    if (done.invalidated) AddNumber("invalidated", *done.invalidated, out);
    if (done.solicited) AddNumber("solicited", 1, out);
  }
  void OnWork(uint32_t, const endpoint::WorkDone& done) override {
    FieldList* out = Completion("work");
    AddNumber("id", done.id, out);
    AddWord("status", NameIn(done.status), out);
  }
  void OnEnded(uint32_t, const endpoint::Ended& ended) override {
    FieldList* out = Completion("ended");
    AddWord("cause", NameIn(ended.cause), out);
    if (ended.code != 0) AddNumber("code", ended.code, out);
  }
  void Refused(uint64_t id) { AddNumber("id", id, Completion("refused")); }

  void set_now(Nanoseconds now) { now_ = now; }
  // No message of the contract could hold more (CONF-TRANSPORT).
  bool TooMany() const { return done_.event_size() > kMostEvents; }
  absl::Status Take(dut::Answer* answer) {
    answer->mutable_done()->Swap(&done_);
    if (answer->done().event_size() <= kMostEvents) return absl::OkStatus();
    return absl::OutOfRangeError(
        absl::StrCat("more than ", kMostEvents, " events follow one request."));
  }
  void Clear() { done_.Clear(); }

 private:
  dut::Event* Add() {
    dut::Event* event = done_.add_event();
    event->set_at_ns(static_cast<uint64_t>(now_));
    return event;
  }
  //= CONF-COMPLETION
  //# A completion has the field `kind`, a word, and of the others those that its kind has and that say
  //# something.
  FieldList* Completion(absl::string_view kind) {
    FieldList* out = Add()->mutable_completion()->mutable_field();
    AddWord("kind", kind, out);
    return out;
  }

  static constexpr int kMostEvents = 16384;

  SparseMemory* memory_;
  Nanoseconds now_ = 0;
  dut::Done done_;
};

// CONF-ENDPOINT: one endpoint with one open connection, in virtual time.
//
//= CONF-ENDPOINT
//# At this level the DUT is one endpoint with
class EndpointLevel : public ModelDut::Level {
 public:
  EndpointLevel(Endpoint endpoint, uint32_t cid, uint32_t planes, const endpoint::Port& peer)
      : endpoint_(std::move(endpoint)), cid_(cid), planes_(planes), peer_(peer) {
    step_.sink = &sink_;
    step_.memory = &memory_;
  }

  absl::Status Apply(const dut::Apply& apply, dut::Answer* answer) override;
  absl::Status Advance(uint64_t to_ns, dut::Answer* answer) override;

  Endpoint& endpoint() { return endpoint_; }
  SparseMemory& memory() { return memory_; }
  const endpoint::Step& step() const { return step_; }
  // The connection is as the configuration says, and nothing has happened yet.
  void Begin() { sink_.Clear(); }

 private:
  //= CONF-ENDPOINT-CLOCK
  //# The DUT's clock is the time of the contract
  void SetNow(Nanoseconds now) {
    step_.now = now;
    sink_.set_now(now);
  }
  void RunUntil(Nanoseconds until);
  absl::Status Post(const dut::Post& post);
  absl::Status PostKind(const FieldList& post);

  Endpoint endpoint_;
  const uint32_t cid_;
  const uint32_t planes_;
  const endpoint::Port peer_;  // on plane 0
  SparseMemory memory_;
  EventSink sink_{&memory_};
  endpoint::Step step_;
};

void EndpointLevel::RunUntil(Nanoseconds until) {
  while (endpoint_.NextDue() <= until && !sink_.TooMany()) {
    SetNow(std::max(step_.now, endpoint_.NextDue()));
    endpoint_.Poll(step_);
  }
}

absl::Status EndpointLevel::Apply(const dut::Apply& apply, dut::Answer* answer) {
  const Nanoseconds now = static_cast<Nanoseconds>(apply.at_ns());
  if (apply.arrive().plane() >= planes_) {
    return absl::InvalidArgumentError(absl::StrCat("plane is ", apply.arrive().plane(),
                                                   "; local.planes is ", planes_,
                                                   ", so the last is ", planes_ - 1, "."));
  }
  //= CONF-TIME
  //# the DUT first does all that falls due before t, then takes the stimulus at t and does what
  //# follows from it at t.
  RunUntil(now - 1);
  SetNow(now);
  switch (apply.stimulus_case()) {
    case dut::Apply::kArrive: {
      const std::string& frame = apply.arrive().frame();
      endpoint_.ArriveFrame({reinterpret_cast<const uint8_t*>(frame.data()), frame.size()},
                            static_cast<uint8_t>(apply.arrive().plane()), step_);
      break;
    }
    case dut::Apply::kPost:
      if (absl::Status status = Post(apply.post()); !status.ok()) return status;
      break;
    default:
      return absl::InvalidArgumentError("the level endpoint takes Arrive and Post only.");
  }
  RunUntil(now);
  return sink_.Take(answer);
}

absl::Status EndpointLevel::Advance(uint64_t to_ns, dut::Answer* answer) {
  RunUntil(static_cast<Nanoseconds>(to_ns));
  return sink_.Take(answer);
}

absl::Status EndpointLevel::Post(const dut::Post& post) {
  const absl::Status status = CheckRecord(vectors::Record::kPost, post.field());
  return status.ok() ? PostKind(post.field()) : status;
}

std::optional<WorkKind> WorkKindOf(absl::string_view kind) {
  static constexpr std::pair<absl::string_view, WorkKind> kKinds[] = {
      {"write", WorkKind::kWrite},
      {"write-immediate", WorkKind::kWriteImmediate},
      {"send", WorkKind::kSend},
      {"send-immediate", WorkKind::kSendImmediate},
      {"send-invalidate", WorkKind::kSendInvalidate},
      {"read", WorkKind::kRead},
      {"fetch-add", WorkKind::kFetchAdd},
      {"compare-swap", WorkKind::kCompareSwap},
  };
  for (const auto& [name, value] : kKinds) {
    if (name == kind) return value;
  }
  return std::nullopt;
}

//= CONF-POST
//# A `Post` is what the application, the operator or a port of the DUT does.
absl::Status EndpointLevel::PostKind(const FieldList& post) {
  const auto number = [&](absl::string_view name) { return NumberOr(post, name, 0); };
  const std::string kind = WordOr(post, "kind", "");
  const auto path = static_cast<uint8_t>(number("path"));
  if (kind == "receive") {
    PostedReceive receive;
    receive.id = number("id");
    receive.address = number("address");
    receive.length = static_cast<uint32_t>(number("length"));
    return endpoint_.PostReceive(cid_, receive, step_);
  }
  if (kind == "close") return endpoint_.Close(cid_, step_);
  if (kind == "connect") {
    if (!endpoint_.Connect({{peer_}}, step_).ok()) sink_.Refused(number("id"));
    return absl::OkStatus();
  }
  if (kind == "deny") return endpoint_.Deny(cid_, path, step_);
  if (kind == "lift") return endpoint_.Lift(cid_, path, step_);
  if (kind == "drain") return endpoint_.Drain(cid_, path, number("to_close") != 0, step_);
  if (kind == "port") {
    return endpoint_.SetPort(static_cast<uint8_t>(number("plane")), number("up") != 0, step_);
  }
  const std::optional<WorkKind> work_kind = WorkKindOf(kind);
  if (!work_kind) return absl::InvalidArgumentError("the post has no kind.");
  WorkRequest work;
  work.kind = *work_kind;
  work.id = number("id");
  work.fenced = number("fence") != 0;
  work.solicited = number("solicited") != 0;
  work.stream = static_cast<uint16_t>(number("stream"));
  work.length = static_cast<uint32_t>(number("length"));
  work.rkey = static_cast<uint32_t>(number("rkey"));
  work.word = static_cast<uint32_t>(number("word"));
  work.local = number("local");
  work.address = number("address");
  work.operand = number("operand");
  work.compare = number("compare");
  //= CONF-POST
  //# Work that is refused [MSG-POST-REFUSED] is one event `completion` whose `kind` is `refused`
  if (!endpoint_.Post(cid_, work, step_).ok()) sink_.Refused(work.id);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<ModelDut::Level>> MakeEndpointLevel(const Setup& setup) {
  absl::StatusOr<endpoint::Settings> settings = setup.Settings();
  if (!settings.ok()) return settings.status();
  const size_t planes = settings->ports.size();
  absl::StatusOr<Endpoint> made = Endpoint::Make(*std::move(settings));
  if (!made.ok()) return made.status();
  const absl::StatusOr<endpoint::Port> peer = setup.Peer();
  if (!peer.ok()) return peer.status();
  auto level = std::make_unique<EndpointLevel>(*std::move(made), setup.Cid(),
                                               static_cast<uint32_t>(planes), *peer);
  setup.Register(&level->memory());
  const absl::Status status = setup.Establish(&level->endpoint(), level->step());
  if (!status.ok()) return status;
  level->Begin();
  return level;
}

}  // namespace metaroce::conformance
