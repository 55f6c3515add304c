#include "conformance/promote/from_capture.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conformance/play/compare.h"
#include "conformance/promote/fields.h"
#include "conformance/promote/retell.h"
#include "model/connection/inbound.h"
#include "model/connection/outbound.h"
#include "spec/tables.h"
#include "vectors/lint.h"
#include "vectors/records.h"

namespace metaroce::promote {
namespace {

using check::Given;
using check::Record;
using spec::Opcode;
using vectors::Fields;
using vectors::Step;

// Where the buffers lie: of receives, each as long as any message of a capture is going to be, and
// of work.
constexpr uint64_t kReceives = uint64_t{1} << 40;
constexpr uint64_t kReceiveBytes = uint64_t{1} << 24;
constexpr uint64_t kBuffer = 1 << 16;
constexpr uint8_t kAllRights = 7;
// Opcodes of the class CTRL (WIRE-OPCODE-CLASS).
constexpr uint64_t kFirstControl = uint64_t{static_cast<uint8_t>(spec::OpcodeClass::kCtrl)} << 6;

absl::string_view TextOf(packet::Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What makes the connection is over when the vector begins.
bool IsHandshake(const Record& record) {
  if (!record.parsed.ok()) return false;
  switch (record.packet.opcode()) {
    case Opcode::kConnect:
    case Opcode::kConnectReply:
    case Opcode::kConnectConfirm:
      return true;
    default:
      return false;
  }
}

class Maker {
 public:
  Maker(const check::Trace& trace, const check::Profiles& profiles, const check::Result& result,
        char side, const vectors::SpecIndex& index, const conformance::PacketCodec& codec)
      : trace_(trace),
        declared_(profiles.side[side == 'b']),
        result_(result),
        side_(side == 'b'),
        letter_(side),
        index_(index),
        codec_(codec) {}

  absl::StatusOr<FromCapture> Run() {
    absl::Status status = FindHandshake();
    if (status.ok()) status = Configure();
    if (status.ok()) status = Give();
    if (!status.ok()) return status;
    AddMemory();
    Declare();
    const auto told = Retold(vector_, static_cast<uint64_t>(end_ - begin_), index_, codec_);
    if (!told.ok()) return told.status();
    FromCapture made;
    made.vector = told->vector;
    made.made = told->made;
    made.differs = FirstDifference(made.vector);
    return made;
  }

 private:
  absl::Status FindHandshake() {
    for (const Record& record : trace_.records) {
      if (!record.parsed.ok() || record.side != side_) continue;
      const Opcode opcode = record.packet.opcode();
      if (opcode != Opcode::kConnect && opcode != Opcode::kConnectReply) continue;
      const Record*& place = record.received ? theirs_ : mine_;
      if (place == nullptr) place = &record;
    }
    if (mine_ == nullptr || theirs_ == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("The capture does not show side ", std::string(1, letter_),
                       mine_ == nullptr ? " send" : " receive",
                       " a CONNECT or a CONNECT_REPLY; a vector begins after the handshake."));
    }
    begin_ = mine_->at;
    end_ = result_.verdict ? result_.verdict->record->at : trace_.records.back().at;
    return absl::OkStatus();
  }

  // The fields of a CONNECT or a CONNECT_REPLY under the name of its side.
  absl::Status AddOffer(const char* side, const Record& record) {
    const auto fields = codec_.Decode(TextOf(record.frame));
    if (!fields.ok()) return fields.status();
    Fields* config = vector_.mutable_config();
    for (const vectors::Field& field : fields->field()) {
      absl::string_view name = field.name();
      std::string config_name;
      if (name == "eth.src") {
        config_name = absl::StrCat(side, ".mac");
      } else if (name == "ip.src") {
        config_name = absl::StrCat(side, ".ip");
      } else if (absl::ConsumePrefix(&name, "connect.") ||
                 absl::ConsumePrefix(&name, "connect_reply.")) {
        // What is 0 by default need not be said.
        const bool zero =
            absl::StartsWith(name, "start_") || name == "credit" || name == "features";
        if (zero && field.number() == 0) continue;
        config_name = absl::StrCat(side, ".", name);
      }
      if (config_name.empty() ||
          !vectors::RuleOf(vectors::Record::kEndpointConfig, config_name, index_)) {
        continue;
      }
      vectors::Field& added = *config->add_field() = field;
      added.set_name(config_name);
    }
    return absl::OkStatus();
  }

  absl::Status Configure() {
    vector_.set_level(vectors::ENDPOINT);
    Fields* config = vector_.mutable_config();
    AddUnlessZero("tag", mine_->packet.headers.ctrl.tag, config);
    absl::Status status = AddOffer("local", *mine_);
    if (status.ok()) status = AddOffer("peer", *theirs_);
    constants_ = AddConstants(declared_.settings.profile, config);
    const auto& windows = declared_.settings.windows;
    if (windows.kind == congestion::Kind::kFixed) {
      AddNumber("window", std::max(1u, windows.path_window >> 16), config);
      if (declared_.settings.target_paths != 1) {
        AddNumber("target_paths", declared_.settings.target_paths, config);
      }
    }
    return status;
  }

  Step* Add(Nanoseconds at) {
    Step* step = vector_.add_steps();
    step->set_at(static_cast<uint64_t>(at - begin_));
    return step;
  }

  absl::Status Give() {
    const uint64_t over = std::max(mine_->number, theirs_->number);
    for (const Given& given : result_.given[side_]) {
      if (given.kind == Given::Kind::kPacket) {
        if (given.record->number > over && !IsHandshake(*given.record)) GivePacket(*given.record);
      } else if (given.at >= begin_) {
        Post(given);
      }
      if (vector_.steps_size() > vectors::kMaxSteps ||
          result_.given[side_].size() == check::kMostGiven) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Side ", std::string(1, letter_), " is given more than ", vectors::kMaxSteps,
            " packets and posts up to ", result_.verdict ? "the verdict" : "the end of the capture",
            "; a vector has at most as many steps. Record the connection from closer to where it "
            "goes wrong."));
      }
    }
    return absl::OkStatus();
  }

  // Both sides count transactions from that of the CONNECT, which is 0 in a vector.
  void Renumber(Fields* fields) const {
    const vectors::Field* opcode = vectors::FindField(*fields, "common.opcode");
    if (opcode == nullptr || opcode->number() < kFirstControl) return;
    for (vectors::Field& field : *fields->mutable_field()) {
      if (field.name() != "common.number") continue;
      field.set_number(static_cast<uint32_t>(field.number() - mine_->packet.headers.common.number));
    }
  }

  void GivePacket(const Record& record) {
    Step* step = Add(record.at);
    const std::string frame(TextOf(record.frame));
    step->mutable_arrive()->set_plane(record.plane);
    auto fields = codec_.Decode(frame);
    // By its fields, if they make these very bytes.
    if (fields.ok()) {
      const auto again = codec_.Encode(*fields);
      if (again.ok() && *again == frame) {
        Renumber(&*fields);
        *step->mutable_arrive()->mutable_fields() = *std::move(fields);
      }
    }
    if (!step->arrive().has_fields()) step->mutable_arrive()->set_frame(frame);
    if (record.parsed.ok() && check::NamesMemory(record.packet.opcode())) Reach(record);
  }

  // The memory that a request reaches for belongs to it, unless it was refused.
  void Reach(const Record& record) {
    const RequestPacket request = ToRequest(record.packet.headers, record.packet.payload.size());
    for (const Record& sent : trace_.records) {
      if (sent.side != side_ || sent.received || !sent.parsed.ok() || sent.at < record.at) continue;
      if (sent.packet.opcode() != Opcode::kNackRemoteAccess) continue;
      const auto reason = static_cast<spec::Reason>(sent.packet.headers.nack_request.reason);
      if (reason == spec::Reason::kRkey || reason == spec::Reason::kAccessRights ||
          reason == spec::Reason::kAccessBounds) {
        return;
      }
    }
    const uint64_t length = std::max<uint64_t>(request.length, 8);
    auto [it, fresh] =
        reached_.try_emplace(request.rkey, request.address, request.address + length);
    if (fresh) return;
    it->second.first = std::min(it->second.first, request.address);
    it->second.second = std::max(it->second.second, request.address + length);
  }

  void GiveWork(WorkRequest work) {
    work.id = ++works_;
    work.local = kBuffer;
    *vector_.mutable_steps(vector_.steps_size() - 1)->mutable_post() = PostOf(work);
  }

  void Post(const Given& given) {
    Fields* post = Add(given.at)->mutable_post();
    switch (given.kind) {
      case Given::Kind::kReceive:
        AddWord("kind", "receive", post);
        AddNumber("id", ++receives_, post);
        AddNumber("address", kReceives + receives_ * kReceiveBytes, post);
        AddNumber("length", kReceiveBytes, post);
        return;
      case Given::Kind::kWork:
        GiveWork(given.work);
        return;
      case Given::Kind::kClose:
        AddWord("kind", "close", post);
        return;
      case Given::Kind::kDeny:
      case Given::Kind::kLift:
        AddWord("kind", given.kind == Given::Kind::kDeny ? "deny" : "lift", post);
        AddNumber("path", given.number, post);
        break;
      case Given::Kind::kDrain:
        AddWord("kind", "drain", post);
        AddNumber("path", given.number, post);
        AddUnlessZero("to_close", given.on, post);
        break;
      default:
        AddWord("kind", "port", post);
        AddNumber("plane", given.number, post);
        AddUnlessZero("up", given.on, post);
        break;
    }
    operator_ = true;
  }

  void AddMemory() {
    int i = 0;
    for (const auto& [rkey, range] : reached_) {
      const auto add = [&](const char* name, uint64_t value) {
        AddNumber(absl::StrCat("memory[", i, "].", name), value, vector_.mutable_config());
      };
      add("address", range.first);
      add("length", range.second - range.first);
      add("rkey", rkey);
      add("rights", kAllRights);
      ++i;
    }
  }

  void Declare() {
    const auto need = [&](const char* capability) { vector_.add_capabilities(capability); };
    need("endpoint-receiver");
    need("endpoint-requester");
    if (operator_) need("endpoint-operator");
    if (declared_.settings.windows.kind == congestion::Kind::kFixed) need("fixed-window");
    // Its expectations take the default of every choice.
    need("default-sender");
    need("default-ack-generation");
    if (constants_) need("constants");
    vectors::Predicate* exact = vector_.add_profile();
    exact->set_parameter("react_max");
    exact->set_relation("=");
  }

  // A packet of the capture beside the one that the model sends in its place.
  std::string FirstDifference(const vectors::Vector& vector) const {
    std::vector<const Fields*> expected;
    for (const Step& step : vector.steps()) {
      if (step.expect().has_packet()) expected.push_back(&step.expect().packet().includes());
    }
    size_t n = 0;
    const uint64_t over = std::max(mine_->number, theirs_->number);
    for (const Record& record : trace_.records) {
      if (record.side != side_ || record.received || record.number <= over || record.at > end_ ||
          IsHandshake(record)) {
        continue;
      }
      const std::string who = absl::StrCat(
          "Packet ", record.number, " of the capture, ",
          record.parsed.ok() ? check::Title(record.packet) : std::string("unreadable"));
      if (n == expected.size()) return absl::StrCat(who, ", is none that the model sends.");
      const Fields& model = *expected[n++];
      auto got = codec_.Decode(TextOf(record.frame));
      if (got.ok()) Renumber(&*got);
      for (const vectors::Field& field : model.field()) {
        if (field.name() == "payload") continue;  // the memory of the vector is another
        const vectors::Field* other = got.ok() ? vectors::FindField(*got, field.name()) : nullptr;
        if (other != nullptr && conformance::Equal(field, *other)) continue;
        return absl::StrCat(who, ": the model has ", conformance::Show(field), ", the capture ",
                            other == nullptr ? "no such field" : conformance::Show(*other), ".");
      }
    }
    if (n == expected.size()) return "";
    return absl::StrCat("The model sends ", codec_.Title(*expected[n]),
                        ", and the capture has no such packet.");
  }

  const check::Trace& trace_;
  const check::Declared& declared_;
  const check::Result& result_;
  const int side_;
  const char letter_;
  const vectors::SpecIndex& index_;
  const conformance::PacketCodec& codec_;

  const Record* mine_ = nullptr;
  const Record* theirs_ = nullptr;
  Nanoseconds begin_ = 0;
  Nanoseconds end_ = 0;
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> reached_;  // rkey: from, to before
  uint64_t receives_ = 0;
  uint64_t works_ = 0;
  bool operator_ = false;
  bool constants_ = false;
  vectors::Vector vector_;
};

}  // namespace

absl::StatusOr<FromCapture> VectorOf(const check::Trace& trace, const check::Profiles& profiles,
                                     const check::Result& result, char side,
                                     const vectors::SpecIndex& index,
                                     const conformance::PacketCodec& codec) {
  return Maker(trace, profiles, result, side, index, codec).Run();
}

}  // namespace metaroce::promote
