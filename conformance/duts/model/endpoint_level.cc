#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "conformance/duts/model/levels.h"
#include "conformance/duts/model/memory.h"
#include "model/check.h"
#include "model/endpoint/endpoint.h"
#include "model/wire/packet/packet.h"
#include "vectors/spec_tables_index.h"

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

// CONF-ENDPOINT-STATE.
class SetupReader {
 public:
  explicit SetupReader(const FieldList& config) : config_(config) {}

  absl::StatusOr<endpoint::Settings> Settings() const {
    endpoint::Settings settings;
    //= CONF-CONSTANTS
    //# A field of a configuration that has the name of a constant sets that constant until the next
    //# Reset.
    for (const dut::Field& field : config_) {
      if (!vectors::SpecTables().Parameter(field.name()).has_value()) continue;
      const absl::Status status = settings.profile.Set(field.name(), field.number());
      if (!status.ok()) return status;
    }
    absl::StatusOr<endpoint::Port> port = Port("local", 2);
    if (!port.ok()) return port.status();
    settings.ports.assign(NumberOr(config_, "local.planes", 1), *port);
    settings.target_paths = static_cast<uint32_t>(NumberOr(config_, "target_paths", 1));
    if (const dut::Field* window = FindField(config_, "window")) {
      settings.windows.kind = congestion::Kind::kFixed;
      settings.windows.path_window = static_cast<uint32_t>(window->number() << 16);
    }
    settings.port_rates =
        endpoint::EveryPort(static_cast<uint32_t>(NumberOr(config_, "port_rate", 400000)));
    settings.accepts = NumberOr(config_, "accept", 0) != 0;
    return settings;
  }

  //= CONF-ENDPOINT-STATE
  //# After Reset the connection is in the state
  absl::Status Establish(EndpointLevel* level) const {
    const spec::Connect local = Body("local", 1);
    const absl::StatusOr<endpoint::Port> peer = Peer();
    if (!peer.ok()) return peer.status();
    Endpoint& e = level->endpoint();
    const spec::Connect body = Body("peer", 2);
    absl::Status status = e.Establish(static_cast<uint32_t>(NumberOr(config_, "tag", 0)), local,
                                      body, std::vector<endpoint::Port>(body.planes, *peer),
                                      Route{spec::constant::kEntropyMin, 0}, level->step());
    for (auto& [i, fields] : Entries("path")) {
      const bool base = fields.contains("base");
      const uint64_t start = base || i != 0 ? fields["base"] : body.start_sequence;
      if (!status.ok()) break;
      status = e.OpenPath(local.cid, static_cast<uint8_t>(i), static_cast<uint8_t>(fields["epoch"]),
                          PathSeq(static_cast<uint32_t>(start)), level->step());
    }
    for (auto& [i, fields] : Entries("memory")) {
      Region region;
      region.address = fields["address"];
      region.length = fields["length"];
      region.rkey = static_cast<uint32_t>(fields["rkey"]);
      region.rights = static_cast<uint8_t>(fields["rights"]);
      if (status.ok()) status = e.Register(local.cid, region);
      level->memory().Register(region.address, region.length);
    }
    return status;
  }

  absl::StatusOr<endpoint::Port> Peer() const { return Port("peer", 1); }

 private:
  // The fields of the entries NAME[i], by i.
  std::map<int, std::map<std::string, uint64_t>> Entries(absl::string_view name) const {
    std::map<int, std::map<std::string, uint64_t>> out;
    for (const dut::Field& field : config_) {
      absl::string_view rest = field.name();
      if (!absl::ConsumePrefix(&rest, absl::StrCat(name, "["))) continue;
      const size_t end = rest.find("].");
      int i = 0;
      if (end == absl::string_view::npos || !absl::SimpleAtoi(rest.substr(0, end), &i)) continue;
      out[i][std::string(rest.substr(end + 2))] = field.number();
    }
    return out;
  }

  absl::StatusOr<endpoint::Port> Port(const std::string& side, uint8_t last) const {
    absl::StatusOr<frame::IpAddress> ip = Address(absl::StrCat(side, ".ip"), last);
    if (!ip.ok()) return ip.status();
    return endpoint::Port{Mac(absl::StrCat(side, ".mac"), last), *ip};
  }

  spec::Connect Body(const std::string& side, uint32_t cid) const {
    const auto number = [&](const char* field, uint64_t otherwise) {
      return NumberOr(config_, absl::StrCat(side, ".", field), otherwise);
    };
    spec::Connect body{};
    body.cid = static_cast<uint32_t>(number("cid", cid));
    body.start_csn = static_cast<uint32_t>(number("start_csn", 0));
    body.start_msn = static_cast<uint32_t>(number("start_msn", 0));
    body.start_sequence = static_cast<uint32_t>(number("start_sequence", 0));
    body.start_serial = static_cast<uint32_t>(number("start_serial", 0));
    body.start_index = static_cast<uint32_t>(number("start_index", 0));
    body.credit = static_cast<uint32_t>(number("credit", 0));
    body.range = static_cast<uint32_t>(number("range", 4096));
    body.mtu = static_cast<uint16_t>(number("mtu", 1024));
    body.streams = static_cast<uint16_t>(number("streams", 64));
    body.open_messages = static_cast<uint16_t>(number("open_messages", 64));
    body.reads = static_cast<uint16_t>(number("reads", 64));
    body.paths = static_cast<uint8_t>(number("paths", 8));
    body.planes = static_cast<uint8_t>(number("planes", 1));
    body.features = static_cast<uint16_t>(number("features", 0));
    body.hint_unit = static_cast<uint16_t>(number("hint_unit", 16));
    return body;
  }

  frame::MacAddress Mac(absl::string_view name, uint8_t last) const {
    frame::MacAddress mac{{2, 0, 0, 0, 0, last}};
    if (const dut::Field* field = FindField(config_, name); field && field->data().size() == 6) {
      for (size_t i = 0; i < 6; ++i) mac.bytes[i] = static_cast<uint8_t>(field->data()[i]);
    }
    return mac;
  }

  absl::StatusOr<frame::IpAddress> Address(absl::string_view name, uint8_t last) const {
    const dut::Field* field = FindField(config_, name);
    if (field == nullptr) return frame::IpAddress::V4({192, 0, 2, last});
    const std::string& data = field->data();
    if (data.size() == 4) {
      std::array<uint8_t, 4> bytes;
      std::copy(data.begin(), data.end(), bytes.begin());
      return frame::IpAddress::V4(bytes);
    }
    if (data.size() == 16) {
      std::array<uint8_t, 16> bytes;
      std::copy(data.begin(), data.end(), bytes.begin());
      return frame::IpAddress::V6(bytes);
    }
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has ", data.size(), " bytes; it must have 4 or 16."));
  }

  const FieldList& config_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ModelDut::Level>> MakeEndpointLevel(const dut::Reset& reset) {
  const absl::Status legal = CheckConfig(vectors::Record::kEndpointConfig, reset.config());
  if (!legal.ok()) return legal;
  const SetupReader reader(reset.config());
  absl::StatusOr<endpoint::Settings> settings = reader.Settings();
  if (!settings.ok()) return settings.status();
  absl::StatusOr<Endpoint> made = Endpoint::Make(*std::move(settings));
  if (!made.ok()) return made.status();
  const absl::StatusOr<endpoint::Port> peer = reader.Peer();
  if (!peer.ok()) return peer.status();
  auto level = std::make_unique<EndpointLevel>(
      *std::move(made), static_cast<uint32_t>(NumberOr(reset.config(), "local.cid", 1)),
      static_cast<uint32_t>(NumberOr(reset.config(), "local.planes", 1)), *peer);
  const absl::Status status = reader.Establish(level.get());
  if (!status.ok()) return status;
  level->Begin();
  return level;
}

}  // namespace metaroce::conformance
