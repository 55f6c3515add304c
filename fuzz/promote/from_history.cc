#include "fuzz/promote/from_history.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/promote/fields.h"
#include "conformance/promote/retell.h"
#include "fuzz/explore/memory.h"
#include "model/profile.h"
#include "spec/tables.h"
#include "vectors/lint.h"
#include "vectors/records.h"

namespace metaroce::explore {
namespace {

using promote::AddNumber;
using promote::AddUnlessZero;
using promote::AddWord;
using vectors::Fields;

// The tag of the explorer's connection, its Ecn::kCe, and the first opcode of the class CTRL.
constexpr uint64_t kTag = 7;
constexpr uint64_t kMarked = 3;
constexpr uint64_t kFirstControl = uint64_t{static_cast<uint8_t>(spec::OpcodeClass::kCtrl)} << 6;
constexpr uint64_t kAllRights = 7;

// Why a vector cannot begin as the scenario does; empty if it can.
std::string WhyNot(const Scenario& scenario) {
  if (!scenario.established) return "its connection is made only in the course of it";
  for (const endpoint::Settings& settings : scenario.settings) {
    if (settings.ports.size() != 1) return "it has several planes";
  }
  if (scenario.first_epoch != 0) return "its first epoch is not 0";
  return "";
}

Fields Configuration(const Scenario& scenario, int side) {
  Fields config;
  AddNumber("tag", kTag, &config);
  for (const char* name : {"local", "peer"}) {
    const int whose = name[0] == 'l' ? side : 1 - side;
    const Profile& profile = scenario.settings[whose].profile;
    const auto add = [&](const char* field, uint64_t value) {
      AddNumber(absl::StrCat(name, ".", field), value, &config);
    };
    vectors::Field* ip = config.add_field();
    ip->set_name(absl::StrCat(name, ".ip"));
    ip->set_data(std::string{10, 0, 0, static_cast<char>(whose + 1)});
    add("cid", 1);
    for (const char* field :
         {"start_csn", "start_msn", "start_sequence", "start_serial", "start_index", "credit"}) {
      AddUnlessZero(absl::StrCat(name, ".", field), scenario.start, &config);
    }
    add("range", profile[spec::Constant::kCsnRange]);
    add("mtu", profile[spec::Constant::kMtu]);
    add("streams", profile[spec::Constant::kStreams]);
    add("open_messages", profile[spec::Constant::kOpenMessages]);
    add("reads", profile[spec::Constant::kReads]);
    add("paths", profile[spec::Constant::kPaths]);
    add("hint_unit", 1);
  }
  const endpoint::Settings& settings = scenario.settings[side];
  promote::AddConstants(settings.profile, &config);
  if (settings.windows.kind == congestion::Kind::kFixed) {
    AddNumber("window", std::max(1u, settings.windows.path_window >> 16), &config);
  }
  if (settings.target_paths != 1) AddNumber("target_paths", settings.target_paths, &config);
  AddNumber("memory[0].address", kBase, &config);
  AddNumber("memory[0].length", kMemory, &config);
  AddNumber("memory[0].rkey", kRkey, &config);
  AddNumber("memory[0].rights", kAllRights, &config);
  return config;
}

// The operation as a post (CONF-POST); false if there is none of the kind.
bool PostOf(const Operation& operation, Fields* post) {
  using Kind = Operation::Kind;
  switch (operation.kind) {
    case Kind::kPost:
      *post = promote::PostOf(operation.work);
      return true;
    case Kind::kPostReceive:
      AddWord("kind", "receive", post);
      AddNumber("id", operation.receive.id, post);
      AddNumber("address", operation.receive.address, post);
      AddNumber("length", operation.receive.length, post);
      return true;
    case Kind::kConnect:
      return false;
    case Kind::kClose:
      AddWord("kind", "close", post);
      return true;
    case Kind::kDeny:
    case Kind::kLift:
      AddWord("kind", operation.kind == Kind::kDeny ? "deny" : "lift", post);
      AddNumber("path", operation.number, post);
      return true;
    case Kind::kDrainToEpoch:
    case Kind::kDrainToClose:
      AddWord("kind", "drain", post);
      AddNumber("path", operation.number, post);
      AddUnlessZero("to_close", operation.kind == Kind::kDrainToClose, post);
      return true;
    case Kind::kPortDown:
    case Kind::kPortUp:
      AddWord("kind", "port", post);
      AddNumber("plane", operation.number, post);
      AddUnlessZero("up", operation.kind == Kind::kPortUp, post);
      return true;
  }
  return false;
}

// As it arrives at a device that counts transactions from 1, where the explorer does from `start`.
absl::Status Arrive(const World::Stimulus& input, uint32_t start,
                    const conformance::PacketCodec& codec, vectors::Packet* arrive) {
  auto fields =
      codec.Decode({reinterpret_cast<const char*>(input.frame.data()), input.frame.size()});
  if (!fields.ok()) return fields.status();
  const vectors::Field* opcode = vectors::FindField(*fields, "common.opcode");
  const bool control = opcode != nullptr && opcode->number() >= kFirstControl;
  for (vectors::Field& field : *fields->mutable_field()) {
    if (control && field.name() == "common.number") {
      field.set_number(static_cast<uint32_t>(field.number() - start + 1));
    }
    if (input.marked && field.name() == "ip.ecn") field.set_number(kMarked);
  }
  *arrive->mutable_fields() = *std::move(fields);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<vectors::Vector> AsVector(const Scenario& scenario, const Result& result, int side,
                                         const vectors::SpecIndex& index,
                                         const conformance::PacketCodec& codec) {
  const std::string why = WhyNot(scenario);
  if (!why.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("No vector begins as the preset ", scenario.name, " does: ", why, "."));
  }
  vectors::Vector vector;
  vector.set_id("explored");
  vector.set_title(absl::StrCat("What the explorer found in ", scenario.name));
  vector.set_level(vectors::ENDPOINT);
  vector.add_clauses("CONF-POST");
  for (const char* capability :
       {"endpoint-receiver", "endpoint-requester", "endpoint-operator", "fixed-window",
        "default-sender", "default-ack-generation", "constants"}) {
    vector.add_capabilities(capability);
  }
  vectors::Predicate* exact = vector.add_profile();
  exact->set_parameter("react_max");
  exact->set_relation("=");
  vector.add_flags("STATE_TABLE");
  vector.mutable_provenance()->set_kind(vectors::SHRINK);
  vector.mutable_provenance()->set_note(result.problem.substr(0, 300));
  *vector.mutable_config() = Configuration(scenario, side);
  for (const World::Stimulus& given : result.inputs) {
    if (given.side != side) continue;
    if (vector.steps_size() == vectors::kMaxSteps) {
      return absl::InvalidArgumentError(absl::StrCat("Side ", side, " is given more than ",
                                                     vectors::kMaxSteps, " packets and posts."));
    }
    vectors::Step step;
    step.set_at(static_cast<uint64_t>(given.at));
    if (!given.operation) {
      const absl::Status status = Arrive(given, scenario.start, codec, step.mutable_arrive());
      if (!status.ok()) return status;
    } else if (!PostOf(*given.operation, step.mutable_post())) {
      continue;
    }
    *vector.add_steps() = step;
  }
  if (vector.steps_size() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("There is no history in which side ", side, " is given anything."));
  }
  auto told = promote::Retold(vector, vector.steps(vector.steps_size() - 1).at(), index, codec);
  if (!told.ok()) return told.status();
  return std::move(told->vector);
}

}  // namespace metaroce::explore
