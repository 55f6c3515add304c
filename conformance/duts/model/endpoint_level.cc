#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "conformance/duts/model/levels.h"
#include "model/endpoint/receiver.h"
#include "model/wire/frame/address.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::conformance {
namespace {

std::string AsText(const std::vector<uint8_t>& bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// CONF-ENDPOINT: one endpoint with one open connection, in virtual time.
//
//= CONF-ENDPOINT
//# At this level the DUT is one endpoint with
class EndpointLevel : public ModelDut::Level {
 public:
  explicit EndpointLevel(Receiver receiver, uint32_t cid, uint32_t planes)
      : receiver_(std::move(receiver)), cid_(cid), planes_(planes) {}

  dut::Answer Apply(const dut::Apply& apply) override;
  dut::Answer Advance(uint64_t to_ns) override;

 private:
  void RunUntil(Nanoseconds until);
  dut::Answer Post(const dut::Post& post);
  dut::Answer Answered();

  Receiver receiver_;
  uint32_t cid_;
  uint32_t planes_;
  Outcome outcome_;
};

void EndpointLevel::RunUntil(Nanoseconds until) {
  while (receiver_.NextDue() <= until) receiver_.Poll(receiver_.NextDue(), &outcome_);
}

dut::Answer EndpointLevel::Apply(const dut::Apply& apply) {
  const Nanoseconds now = static_cast<Nanoseconds>(apply.at_ns());
  if (apply.arrive().plane() >= planes_) {
    return ErrorAnswer(absl::StrCat("plane is ", apply.arrive().plane(), "; local.planes is ",
                                    planes_, ", so the last is ", planes_ - 1, "."));
  }
  //= CONF-TIME
  //# the DUT first does all that falls due before t, then takes the stimulus at t and does what
  //# follows from it at t.
  RunUntil(now - 1);
  switch (apply.stimulus_case()) {
    case dut::Apply::kArrive: {
      const std::string& frame = apply.arrive().frame();
      receiver_.Arrive({reinterpret_cast<const uint8_t*>(frame.data()), frame.size()},
                       static_cast<uint8_t>(apply.arrive().plane()), now, &outcome_);
      break;
    }
    case dut::Apply::kPost:
      return Post(apply.post());
    default:
      return ErrorAnswer("the level endpoint takes Arrive and Post only.");
  }
  RunUntil(now);
  return Answered();
}

dut::Answer EndpointLevel::Advance(uint64_t to_ns) {
  RunUntil(static_cast<Nanoseconds>(to_ns));
  return Answered();
}

//= CONF-POST
//# The kind `receive` posts a receive with the fields `id`, `address` and `length`, all numbers; it
//# gets the next receive index.
dut::Answer EndpointLevel::Post(const dut::Post& post) {
  const absl::Status status = CheckRecord(vectors::Record::kPost, post.field());
  if (!status.ok()) return ErrorAnswer(status.message());
  const std::string kind = WordOr(post.field(), "kind", "");
  if (kind != "receive") {
    return ErrorAnswer(absl::StrCat("the kind of post is \"", kind, "\"; it must be receive."));
  }
  PostedReceive receive;
  receive.id = NumberOr(post.field(), "id", 0);
  receive.address = NumberOr(post.field(), "address", 0);
  receive.length = static_cast<uint32_t>(NumberOr(post.field(), "length", 0));
  receiver_.Find(cid_)->receives.Post(receive);
  return Answered();
}

void AddCompletion(const ReceiveCompletion& completion, FieldList* out) {
  AddWord("kind", "receive", out);
  AddNumber("id", completion.id, out);
  AddWord("status", completion.success ? "success" : "flushed", out);
  AddNumber("length", completion.length, out);
  if (completion.immediate) AddNumber("immediate", *completion.immediate, out);
  if (completion.invalidated) AddNumber("invalidated", *completion.invalidated, out);
}

dut::Answer EndpointLevel::Answered() {
  dut::Answer answer;
  dut::Done* done = answer.mutable_done();
  for (const metaroce::Event& what : outcome_) {
    dut::Event* event = done->add_event();
    event->set_at_ns(static_cast<uint64_t>(what.at));
    if (const FrameOut* frame = std::get_if<FrameOut>(&what.what)) {
      event->mutable_packet()->set_frame(AsText(frame->bytes));
      event->mutable_packet()->set_plane(frame->plane);
    } else if (const metaroce::Placement* placed = std::get_if<metaroce::Placement>(&what.what)) {
      //= CONF-PLACEMENT
      //# with the address of the payload's first byte and the payload.
      event->mutable_placement()->set_address(placed->address);
      event->mutable_placement()->set_data(AsText(placed->data));
    } else {
      AddCompletion(std::get<ReceiveCompletion>(what.what),
                    event->mutable_completion()->mutable_field());
    }
  }
  outcome_.clear();
  return answer;
}

// CONF-ENDPOINT-STATE.
class SetupReader {
 public:
  explicit SetupReader(const FieldList& config) : config_(config) {}

  //= CONF-ENDPOINT-STATE
  //# After Reset the connection is in the state
  absl::StatusOr<ConnectionSetup> Setup() {
    ConnectionSetup setup;
    setup.tag = static_cast<uint32_t>(NumberOr(config_, "tag", 0));
    setup.local = Body("local");
    setup.peer = Body("peer");
    setup.local.cid = static_cast<uint32_t>(NumberOr(config_, "local.cid", 1));
    setup.peer.cid = static_cast<uint32_t>(NumberOr(config_, "peer.cid", 2));
    setup.local_mac = Mac("local.mac", 2);
    setup.peer_mac = Mac("peer.mac", 1);
    absl::StatusOr<frame::IpAddress> local = Address("local.ip", 2);
    absl::StatusOr<frame::IpAddress> peer = Address("peer.ip", 1);
    if (!local.ok()) return local.status();
    if (!peer.ok()) return peer.status();
    setup.local_ip = *local;
    setup.peer_ip = *peer;
    setup.ack.every = static_cast<uint32_t>(NumberOr(config_, "ack_every", setup.ack.every));
    setup.ack.delay_max =
        static_cast<Nanoseconds>(NumberOr(config_, "ack_delay_max", setup.ack.delay_max));
    return setup;
  }

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

 private:
  spec::Connect Body(const std::string& side) const {
    const auto number = [&](const char* field, uint64_t otherwise) {
      return NumberOr(config_, absl::StrCat(side, ".", field), otherwise);
    };
    spec::Connect body{};
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

// CONF-CONSTANTS: these two can be set; of the others the model knows one value.
//
//= CONF-CONSTANTS
//# A field of a configuration that has the name of a constant sets that constant until the next
//# Reset.
absl::Status CheckConstants(const FieldList& config) {
  for (const dut::Field& field : config) {
    const auto constant = vectors::SpecTables().Parameter(field.name());
    if (!constant.has_value() || field.name() == "ack_every" || field.name() == "ack_delay_max" ||
        field.number() == constant->value) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(field.name(), " is ", field.number(),
                                                   "; this device has it at ", constant->value,
                                                   " and at no other value."));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<ModelDut::Level>> MakeEndpointLevel(const dut::Reset& reset) {
  absl::Status status = CheckRecord(vectors::Record::kEndpointConfig, reset.config());
  if (status.ok()) status = CheckConstants(reset.config());
  if (!status.ok()) return status;
  SetupReader reader(reset.config());
  absl::StatusOr<ConnectionSetup> setup = reader.Setup();
  if (!setup.ok()) return setup.status();
  Receiver receiver;
  status = receiver.Open(*setup);
  if (!status.ok()) return status;
  Connection* connection = receiver.Find(setup->local.cid);
  for (auto& [i, fields] : reader.Entries("path")) {
    connection->OpenPath(static_cast<uint8_t>(i), static_cast<uint8_t>(fields["epoch"]),
                         PathSeq(static_cast<uint32_t>(fields["base"])));
  }
  for (auto& [i, fields] : reader.Entries("memory")) {
    Region region;
    region.address = fields["address"];
    region.length = fields["length"];
    region.rkey = static_cast<uint32_t>(fields["rkey"]);
    region.rights = static_cast<uint8_t>(fields["rights"]);
    connection->regions.push_back(region);
  }
  return std::make_unique<EndpointLevel>(std::move(receiver), setup->local.cid,
                                         setup->local.planes);
}

}  // namespace metaroce::conformance
