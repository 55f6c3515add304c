#include "conformance/duts/model/model_dut.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/duts/model/levels.h"
#include "conformance/duts/model/setup.h"
#include "conformance/play/compare.h"
#include "spec/tables.h"
#include "vectors/config_rules.h"
#include "vectors/spec_tables_index.h"
#include "vectors/text.h"

namespace metaroce::conformance {

namespace {

vectors::FieldView ViewOf(const dut::Field& field) {
  vectors::FieldView view;
  view.name = field.name();
  switch (field.value_case()) {
    case dut::Field::kNumber:
      view.kind = vectors::ValueKind::kNumber;
      view.number = field.number();
      break;
    case dut::Field::kData:
      view.kind = vectors::ValueKind::kData;
      view.bytes = field.data();
      break;
    case dut::Field::kWord:
      view.kind = vectors::ValueKind::kWord;
      view.bytes = field.word();
      break;
    case dut::Field::VALUE_NOT_SET:
      break;
  }
  return view;
}

}  // namespace

absl::Status CheckRecord(vectors::Record record, const FieldList& fields) {
  std::string fault = FaultOfRecord(fields);
  if (!fault.empty()) return absl::InvalidArgumentError(fault);
  const vectors::SpecIndex& index = vectors::SpecTables();
  for (const dut::Field& field : fields) {
    fault = vectors::FaultOf(record, ViewOf(field), index);
    if (!fault.empty()) return absl::InvalidArgumentError(fault);
  }
  return absl::OkStatus();
}

absl::Status CheckConfig(vectors::Record record, const FieldList& config) {
  const absl::Status status = CheckRecord(record, config);
  if (!status.ok() || config.empty()) return status;
  const std::vector<std::string> faults =
      vectors::FaultsOfConfig(record, FromDut(config), vectors::SpecTables());
  return faults.empty() ? absl::OkStatus() : absl::InvalidArgumentError(faults.front());
}

const dut::Field* FindField(const FieldList& fields, absl::string_view name) {
  for (const dut::Field& field : fields) {
    if (field.name() == name) return &field;
  }
  return nullptr;
}

uint64_t NumberOr(const FieldList& fields, absl::string_view name, uint64_t otherwise) {
  const dut::Field* field = FindField(fields, name);
  return field == nullptr ? otherwise : field->number();
}

std::string WordOr(const FieldList& fields, absl::string_view name, absl::string_view otherwise) {
  const dut::Field* field = FindField(fields, name);
  return field == nullptr ? std::string(otherwise) : field->word();
}

void AddNumber(absl::string_view name, uint64_t value, FieldList* out) {
  dut::Field* field = out->Add();
  field->mutable_name()->assign(name.data(), name.size());
  field->set_number(value);
}

void AddData(absl::string_view name, absl::string_view value, FieldList* out) {
  dut::Field* field = out->Add();
  field->mutable_name()->assign(name.data(), name.size());
  field->mutable_data()->assign(value.data(), value.size());
}

void AddWord(absl::string_view name, absl::string_view value, FieldList* out) {
  dut::Field* field = out->Add();
  field->mutable_name()->assign(name.data(), name.size());
  field->mutable_word()->assign(value.data(), value.size());
}

namespace {

// A name that came in a request, fit for a sentence.
std::string Safe(absl::string_view name) { return vectors::Printable(vectors::Shorten(name, 60)); }

// The model's times are signed, and the last of them stands for never.
constexpr uint64_t kLastTime = INT64_MAX - 1;

absl::Status TooLate(uint64_t time) {
  return absl::InvalidArgumentError(
      absl::StrCat("the time is ", time, "; it must be at most ", kLastTime, "."));
}

// Every capability of the text that the model has; the text's list is the model's.
void SayHello(dut::HelloAnswer* hello) {
  hello->set_contract(kContractVersion);
  hello->set_name("metaroce reference model");
  hello->set_version(std::string(spec::kVersion));
  hello->set_spec_hash(std::string(spec::kHash));
  for (const spec::NoteInfo& capability : spec::kCapabilities) {
    hello->add_capability(std::string(capability.name));
  }
  // Virtual time: nothing takes any.
  for (const char* name : {"react_max", "ack_max", "stamp_max"}) {
    AddNumber(name, 0, hello->mutable_profile());
  }
}

absl::StatusOr<std::unique_ptr<ModelDut::Level>> MakeLevel(const dut::Reset& reset, Seed seed) {
  if (reset.level() != "block" && !reset.block().empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the block is \"", Safe(reset.block()),
                                                   "\"; at the level \"", Safe(reset.level()),
                                                   "\" there is none."));
  }
  if (reset.level() == "codec") return MakeCodecLevel(reset, seed);
  if (reset.level() == "endpoint") {
    const absl::Status legal = CheckConfig(vectors::Record::kEndpointConfig, reset.config());
    if (!legal.ok()) return legal;
    return MakeEndpointLevel(Setup(reset.config()));
  }
  if (reset.level() == "block" && reset.block() == "receive-vector") {
    return MakeReceiveVectorLevel(reset);
  }
  if (reset.level() == "block" && reset.block() == "ack-generation") {
    return MakeAckGenerationLevel(reset);
  }
  if (reset.level() == "block") {
    const vectors::BlockInfo* info = vectors::FindBlock(reset.block());
    if (info != nullptr) return MakeUntimedLevel(reset, *info);
    std::vector<absl::string_view> blocks;
    for (const vectors::BlockInfo& block : vectors::Blocks()) blocks.push_back(block.name);
    return absl::InvalidArgumentError(absl::StrCat("the block is \"", Safe(reset.block()),
                                                   "\"; it must be one of ",
                                                   absl::StrJoin(blocks, ", "), "."));
  }
  return absl::InvalidArgumentError(absl::StrCat("the level is \"", Safe(reset.level()),
                                                 "\"; it must be codec, block or endpoint."));
}

}  // namespace

absl::Status ModelDut::Level::Advance(uint64_t, dut::Answer* answer) {
  answer->mutable_done();
  return absl::OkStatus();
}

void ModelDut::Level::Snapshot(dut::Answer* answer) {
  answer->mutable_done()->add_event()->mutable_fields();
}

ModelDut::ModelDut(Seed seed) : seed_(seed) {}
ModelDut::~ModelDut() = default;

absl::Status ModelDut::Reset(const dut::Reset& reset) {
  level_.reset();
  absl::StatusOr<std::unique_ptr<Level>> level = MakeLevel(reset, seed_);
  if (!level.ok()) return level.status();
  level_ = *std::move(level);
  return absl::OkStatus();
}

absl::Status ModelDut::Do(const dut::Request& request, dut::Answer* answer) {
  switch (request.kind_case()) {
    case dut::Request::kHello:
      SayHello(answer->mutable_hello());
      return absl::OkStatus();
    case dut::Request::kReset:
      answer->mutable_done();
      return Reset(request.reset());
    case dut::Request::kBye:
      answer->mutable_done();
      return absl::OkStatus();
    case dut::Request::kApply:
      if (level_ == nullptr) break;
      if (request.apply().at_ns() > kLastTime) return TooLate(request.apply().at_ns());
      return level_->Apply(request.apply(), answer);
    case dut::Request::kAdvance:
      if (level_ == nullptr) break;
      if (request.advance().to_ns() > kLastTime) return TooLate(request.advance().to_ns());
      return level_->Advance(request.advance().to_ns(), answer);
    case dut::Request::kSnapshot:
      if (level_ == nullptr) break;
      level_->Snapshot(answer);
      return absl::OkStatus();
    case dut::Request::KIND_NOT_SET:
      return absl::InvalidArgumentError("the request has no kind.");
  }
  return absl::FailedPreconditionError("there was no Reset that could be done.");
}

void ModelDut::Handle(const dut::Request& request, dut::Answer* answer) {
  const absl::Status status = Do(request, answer);
  if (!status.ok()) answer->mutable_error()->set_text(std::string(status.message()));
}

}  // namespace metaroce::conformance
