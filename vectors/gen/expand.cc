#include "vectors/gen/expand.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "model/path/receive_path.h"
#include "vectors/gen/frames.h"
#include "vectors/gen/receive_vector_block.h"
#include "vectors/gen/record_text.h"
#include "vectors/json.h"
#include "vectors/lint.h"

namespace metaroce::vectors {
namespace {

// One frame or record out of a step's sweep.
struct Variant {
  std::optional<Field> field;
  std::optional<uint32_t> cut;
  std::optional<uint32_t> byte;
  uint8_t value = 0;
};

class Expander {
 public:
  Expander(const CaseFile& file, const Case& c, const SpecIndex& index)
      : file_(file), case_(c), index_(index) {}

  absl::StatusOr<Vector> Run() {
    if (absl::Status status = Head(); !status.ok()) return status;
    for (int i = 0; i < case_.step_size(); ++i) {
      const absl::Status status = Step(case_.step(i));
      if (!status.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat(case_.id(), ": step ", i + 1, ": ", status.message()));
      }
      if (vector_.steps_size() > kMaxSteps) {
        return absl::InvalidArgumentError(absl::StrCat(case_.id(), ": step ", i + 1,
                                                       ": the vector has ", vector_.steps_size(),
                                                       " steps by now; at most ", kMaxSteps, "."));
      }
    }
    return std::move(vector_);
  }

 private:
  absl::Status Head();
  absl::Status Step(const CaseStep& step);
  absl::Status DecodeStep(const CaseStep& step);
  absl::Status EncodeStep(const CaseStep& step);
  absl::Status BlockStep(const CaseStep& step);
  absl::Status PeerAndPath();
  absl::Status ArriveStep(const CaseStep& step);
  absl::Status ExpectStep(const CaseStep& step);

  absl::StatusOr<std::vector<Variant>> Variants(const CaseStep& step, Record record) const;
  absl::StatusOr<Fields> WithBase(Record record, absl::string_view text) const;
  absl::Status AddRepeat(const CaseStep& step, Record record, const Fields& given,
                         vectors::Step* out) const;
  absl::StatusOr<Fields> Whole(Record record, const Fields& gives, absl::string_view rest) const;
  absl::Status Bounds(const CaseExpect& expect, Expectation* out) const;
  absl::Status Contents(const CaseExpect& expect, Expectation* out) const;
  vectors::Step* Add(const CaseStep& step);

  const CaseFile& file_;
  const Case& case_;
  const SpecIndex& index_;
  Vector vector_;
  std::optional<ReceiveVectorBlock> block_;
};

// "react_max<=1000".
absl::StatusOr<Predicate> PredicateFromText(absl::string_view text) {
  for (const absl::string_view relation : {"<=", ">=", "="}) {
    const std::vector<absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits(relation, 1));
    uint64_t value = 0;
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &value)) continue;
    Predicate predicate;
    predicate.set_parameter(std::string(parts[0]));
    predicate.set_relation(std::string(relation));
    predicate.set_value(value);
    return predicate;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("profile: \"", text, "\" is no name, relation (<=, >= or =) and number."));
}

absl::Status Expander::Head() {
  vector_.set_id(case_.id());
  vector_.set_title(case_.title());
  vector_.set_level(file_.level() == "codec"    ? CODEC
                    : file_.level() == "block"  ? BLOCK
                    : file_.level() == "system" ? SYSTEM
                                                : ENDPOINT);
  vector_.set_block(file_.block());
  *vector_.mutable_clauses() = case_.clauses();
  *vector_.mutable_negative() = case_.negative();
  *vector_.mutable_capabilities() = file_.capabilities();
  vector_.mutable_capabilities()->MergeFrom(case_.capabilities());
  for (const std::string& text : file_.profile()) {
    absl::StatusOr<Predicate> predicate = PredicateFromText(text);
    if (!predicate.ok()) return predicate.status();
    *vector_.add_profile() = *std::move(predicate);
  }
  *vector_.mutable_flags() = case_.flags();
  vector_.mutable_provenance()->set_kind(case_.bug().empty() ? SPEC : BUG);
  std::string note = case_.bug().empty() ? "expectation written from the text" : case_.bug();
  if (std::any_of(case_.step().begin(), case_.step().end(),
                  [](const CaseStep& step) { return !step.rest().empty(); })) {
    absl::StrAppend(&note, case_.bug().empty() ? ", and" : " Expectation",
                    " completed by the blocks of conformance/duts/python");
  }
  vector_.mutable_provenance()->set_note(note);
  *vector_.mutable_ignore() = case_.ignore();
  Record record = Record::kEndpointConfig;
  if (const BlockInfo* block = FindBlock(file_.block())) record = block->config;
  std::string text;
  for (const std::string& line : case_.config()) absl::StrAppend(&text, line, " ");
  absl::StatusOr<Fields> config = RecordFromText(record, text, index_);
  if (!config.ok()) return config.status();
  if (config->field_size() > 0) *vector_.mutable_config() = *config;
  if (file_.block() == "receive-vector") block_.emplace(*config);
  return file_.level() == "system" ? PeerAndPath() : absl::OkStatus();
}

absl::Status Expander::PeerAndPath() {
  System& system = *vector_.mutable_system();
  absl::StatusOr<Fields> peer = RecordFromText(Record::kSystemPeer, case_.peer(), index_);
  if (!peer.ok()) return peer.status();
  if (peer->field_size() > 0) *system.mutable_peer() = *std::move(peer);
  *system.mutable_delays() = case_.delay();
  *system.mutable_faults() = case_.fault();
  return absl::OkStatus();
}

vectors::Step* Expander::Add(const CaseStep& step) {
  vectors::Step* out = vector_.add_steps();
  if (step.has_at()) out->set_at(step.at());
  out->set_clause(step.clause());
  out->set_note(step.note());
  out->set_peer(step.peer());
  return out;
}

bool HasTaken(const Fields& fields) {
  return std::any_of(fields.field().begin(), fields.field().end(),
                     [](const Field& field) { return field.has_taken(); });
}

absl::StatusOr<Fields> Expander::WithBase(Record record, absl::string_view text) const {
  absl::StatusOr<Fields> fields =
      RecordFromText(record, absl::StrCat(case_.base(), " ", text), index_);
  if (fields.ok() && HasTaken(*fields) && file_.level() != "endpoint") {
    return absl::InvalidArgumentError("only a case of level endpoint takes a name over.");
  }
  return fields;
}

absl::StatusOr<std::vector<Variant>> Expander::Variants(const CaseStep& step, Record record) const {
  std::vector<Variant> out;
  const Sweep& sweep = step.sweep();
  if (!step.has_sweep()) out.emplace_back();
  // Each step becomes a stimulus and an expectation, of at most so many steps in a vector.
  const uint64_t count = uint64_t(sweep.cut_size()) + sweep.payload_size() +
                         uint64_t(sweep.byte_size()) * sweep.value_size() +
                         (sweep.field().empty() ? 0 : sweep.value_size());
  if (count > kMaxSteps / 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("sweep: it stands for ", count, " steps; at most ", kMaxSteps / 2, "."));
  }
  for (uint32_t cut : sweep.cut()) out.push_back({std::nullopt, cut, std::nullopt, 0});
  for (uint32_t byte : sweep.byte()) {
    for (uint64_t value : sweep.value()) {
      out.push_back({std::nullopt, std::nullopt, byte, static_cast<uint8_t>(value)});
    }
  }
  for (uint32_t length : sweep.payload()) {
    absl::StatusOr<Field> field =
        FieldFromText(record, "payload", absl::StrCat("pattern:", length), index_);
    if (!field.ok()) return field.status();
    out.push_back({*field, std::nullopt, std::nullopt, 0});
  }
  if (sweep.field().empty()) return out;
  const std::optional<FieldRule> rule = RuleOf(record, sweep.field(), index_);
  if (!rule || rule->kind != ValueKind::kNumber) {
    return absl::InvalidArgumentError(absl::StrCat("sweep: ", sweep.field(), " is no number."));
  }
  std::vector<uint64_t> values(sweep.value().begin(), sweep.value().end());
  if (sweep.edges()) {
    values = {0, 1};
    if (rule->bits > 1) values.insert(values.end(), {rule->max() - 1, rule->max()});
  }
  for (uint64_t value : values) {
    Field field;
    field.set_name(sweep.field());
    field.set_number(value);
    out.push_back({field, std::nullopt, std::nullopt, 0});
  }
  return out;
}

absl::Status Expander::DecodeStep(const CaseStep& step) {
  absl::StatusOr<Fields> fields = WithBase(Record::kCodec, step.decode());
  if (!fields.ok()) return fields.status();
  absl::StatusOr<std::vector<Variant>> variants = Variants(step, Record::kCodec);
  if (!variants.ok()) return variants.status();
  for (const Variant& variant : *variants) {
    FrameRecipe recipe;
    recipe.fields = *fields;
    if (variant.field) SetField(*variant.field, &recipe.fields);
    recipe.wrong = &step.wrong();
    recipe.cut = variant.cut;
    recipe.byte = variant.byte;
    recipe.value = variant.value;
    absl::StatusOr<MadeFrame> made = MakeFrame(recipe, index_);
    if (!made.ok()) return made.status();
    const std::string verdict = ModelVerdict(made->bytes);
    const std::string& wanted = step.reject().empty() ? std::string("ok") : step.reject();
    if (verdict != wanted) {
      return absl::InvalidArgumentError(
          absl::StrCat("the case demands \"", wanted, "\" and the model says \"", verdict, "\"."));
    }
    Add(step)->set_decode(made->bytes);
    Expectation* expect = vector_.add_steps()->mutable_expect();
    if (!step.reject().empty()) {
      expect->set_reject(step.reject());
      continue;
    }
    *expect->mutable_fields() = made->decoded;
    absl::StatusOr<Fields> model = FieldsOf(made->bytes);
    if (!model.ok()) return model.status();
    if (model->SerializeAsString() != made->decoded.SerializeAsString()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the model decodes other fields than the case gives: ", model->ShortDebugString(),
          " instead of ", made->decoded.ShortDebugString(), "."));
    }
  }
  return absl::OkStatus();
}

absl::Status Expander::EncodeStep(const CaseStep& step) {
  absl::StatusOr<Fields> fields = WithBase(Record::kCodec, step.encode());
  if (!fields.ok()) return fields.status();
  absl::StatusOr<std::vector<Variant>> variants = Variants(step, Record::kCodec);
  if (!variants.ok()) return variants.status();
  for (const Variant& variant : *variants) {
    Fields given = *fields;
    if (variant.field) SetField(*variant.field, &given);
    absl::StatusOr<std::string> frame = CanonicalFrame(given);
    if (!frame.ok()) return frame.status();
    if (const std::string verdict = ModelVerdict(*frame); verdict != "ok") {
      return absl::InvalidArgumentError(
          absl::StrCat("the model refuses the frame it encodes: ", verdict, "."));
    }
    *Add(step)->mutable_encode() = given;
    vector_.add_steps()->mutable_expect()->mutable_packet()->set_frame(*frame);
  }
  return absl::OkStatus();
}

// The part of a burst's increments that belongs to the fields of this record that are given.
absl::StatusOr<Fields> Increments(absl::string_view by, Record record, const Fields& given,
                                  const SpecIndex& index) {
  Fields out;
  for (absl::string_view item : absl::StrSplit(by, ' ', absl::SkipEmpty())) {
    const std::vector<absl::string_view> parts = absl::StrSplit(item, absl::MaxSplits('=', 1));
    if (parts.size() != 2) {
      return absl::InvalidArgumentError(absl::StrCat("by: \"", item, "\" has no \"=\"."));
    }
    if (FindField(given, parts[0]) == nullptr) continue;
    absl::StatusOr<Field> field = FieldFromText(record, parts[0], parts[1], index);
    if (!field.ok()) return field.status();
    *out.add_field() = *field;
  }
  return out;
}

absl::Status Expander::AddRepeat(const CaseStep& step, Record record, const Fields& given,
                                 vectors::Step* out) const {
  if (!step.has_repeat()) return absl::OkStatus();
  if (step.repeat().count() > kMaxBurst) {
    return absl::InvalidArgumentError(
        absl::StrCat("repeat: the count is ", step.repeat().count(), "; at most ", kMaxBurst, "."));
  }
  absl::StatusOr<Fields> by = Increments(step.repeat().by(), record, given, index_);
  if (!by.ok()) return by.status();
  // A step of a block stands for input and output, and its increments for those of both.
  const bool shared = step.what_case() == CaseStep::kApply;
  const auto items = absl::StrSplit(step.repeat().by(), ' ', absl::SkipEmpty());
  const auto count = static_cast<int>(std::distance(items.begin(), items.end()));
  if (!shared && by->field_size() != count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "repeat: by names ", count, " fields, and the step gives ", by->field_size(), " of them."));
  }
  out->mutable_repeat()->set_count(step.repeat().count());
  out->mutable_repeat()->set_every(step.repeat().every());
  if (by->field_size() > 0) *out->mutable_repeat()->mutable_by() = *std::move(by);
  return absl::OkStatus();
}

// `gives` and the record in `rest` together, in the order of the record's table: every field once.
absl::StatusOr<Fields> Expander::Whole(Record record, const Fields& gives,
                                       absl::string_view rest) const {
  absl::StatusOr<Fields> others = RecordFromText(record, rest, index_);
  if (!others.ok()) return others.status();
  Fields out;
  for (const absl::string_view name : NamesOf(record)) {
    const Field* given = FindField(gives, name);
    const Field* other = FindField(*others, name);
    if ((given == nullptr) == (other == nullptr)) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " is in ", given == nullptr ? "neither" : "both",
                       " of gives and rest; it belongs in one of them."));
    }
    *out.add_field() = given != nullptr ? *given : *other;
  }
  return out;
}

absl::Status Expander::BlockStep(const CaseStep& step) {
  const BlockInfo* block = FindBlock(file_.block());
  absl::StatusOr<Fields> input = WithBase(block->input, step.apply());
  if (!input.ok()) return input.status();
  vectors::Step* apply = Add(step);
  *apply->mutable_apply() = *input;
  if (!block->timed) apply->clear_clause();  // it is that of the expectation
  Fields input_by;
  if (absl::Status status = AddRepeat(step, block->input, *input, apply); !status.ok())
    return status;
  input_by = apply->repeat().by();
  if (block->timed) return absl::OkStatus();
  absl::StatusOr<Fields> gives = RecordFromText(block->output, step.gives(), index_);
  if (!gives.ok()) return gives.status();
  vectors::Step* expect = vector_.add_steps();
  expect->set_clause(step.clause());
  if (!step.has_repeat()) {
    absl::StatusOr<Fields> whole =
        block_ ? block_->Complete(*input, *gives) : Whole(block->output, *gives, step.rest());
    if (!whole.ok()) return whole.status();
    *expect->mutable_expect()->mutable_fields() = *whole;
    return absl::OkStatus();
  }
  absl::StatusOr<Fields> output_by = Increments(step.repeat().by(), block->output, *gives, index_);
  if (!output_by.ok()) return output_by.status();
  *expect->mutable_expect()->mutable_includes() = *gives;
  expect->mutable_repeat()->set_count(step.repeat().count());
  if (output_by->field_size() > 0) *expect->mutable_repeat()->mutable_by() = *output_by;
  for (absl::string_view item : absl::StrSplit(step.repeat().by(), ' ', absl::SkipEmpty())) {
    const absl::string_view name = item.substr(0, item.find('='));
    if (FindField(input_by, name) != nullptr || FindField(*output_by, name) != nullptr) continue;
    return absl::InvalidArgumentError(absl::StrCat("by: neither record gives ", name, "."));
  }
  if (!block_) return absl::OkStatus();
  for (uint32_t k = 0; k < step.repeat().count(); ++k) {
    absl::StatusOr<Fields> whole =
        block_->Complete(Advanced(*input, input_by, k, block->input, index_),
                         Advanced(*gives, *output_by, k, block->output, index_));
    if (!whole.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("number ", k, ": ", whole.status().message()));
    }
  }
  return absl::OkStatus();
}

absl::Status Expander::ArriveStep(const CaseStep& step) {
  absl::StatusOr<Fields> fields = WithBase(Record::kCodec, step.arrive());
  if (!fields.ok()) return fields.status();
  vectors::Step* arrive = Add(step);
  arrive->mutable_arrive()->set_plane(step.plane());
  if (absl::Status status = AddRepeat(step, Record::kCodec, *fields, arrive); !status.ok())
    return status;
  if (step.wrong_size() == 0) {
    *arrive->mutable_arrive()->mutable_fields() = *fields;
    // Whatever is taken over fits the field: 0 stands for it.
    for (Field& field : *fields->mutable_field()) {
      if (field.has_taken()) field.set_number(0);
    }
    return CanonicalFrame(*fields).status();
  }
  if (HasTaken(*fields)) {
    return absl::InvalidArgumentError("a frame that is spoiled has no name in it.");
  }
  FrameRecipe recipe;
  recipe.fields = *fields;
  recipe.wrong = &step.wrong();
  absl::StatusOr<MadeFrame> made = MakeFrame(recipe, index_);
  if (!made.ok()) return made.status();
  arrive->mutable_arrive()->set_frame(made->bytes);
  return absl::OkStatus();
}

absl::StatusOr<Bound> BoundFromText(absl::string_view text) {
  Bound bound;
  for (absl::string_view item : absl::StrSplit(text, '+')) {
    item = absl::StripAsciiWhitespace(item);
    uint64_t number = 0;
    if (absl::SimpleAtoi(item, &number)) {
      bound.add_term()->set_nanoseconds(number);
    } else if (!item.empty()) {
      bound.add_term()->set_parameter(std::string(item));
    } else {
      return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is no bound."));
    }
  }
  return bound;
}

absl::Status Expander::Bounds(const CaseExpect& expect, Expectation* out) const {
  const std::pair<const std::string&, Bound* (Expectation::*)()> bounds[] = {
      {expect.nothing(), &Expectation::mutable_nothing},
      {expect.after(), &Expectation::mutable_after},
      {expect.within(), &Expectation::mutable_within},
  };
  for (const auto& [text, member] : bounds) {
    if (text.empty()) continue;
    absl::StatusOr<Bound> bound = BoundFromText(text);
    if (!bound.ok()) return bound.status();
    *(out->*member)() = *bound;
  }
  return absl::OkStatus();
}

absl::Status Expander::Contents(const CaseExpect& expect, Expectation* out) const {
  for (const CaseExpect& outcome : expect.one_of()) {
    OneOf* one_of = out->mutable_one_of();
    one_of->set_choice(expect.choice());
    const absl::Status status = Contents(outcome, one_of->add_outcomes());
    if (!status.ok()) return status;
  }
  Record record = Record::kCodec;
  if (const BlockInfo* block = FindBlock(file_.block())) record = block->output;
  const std::pair<const std::string&, Fields* (Expectation::*)()> records[] = {
      {expect.fields(), &Expectation::mutable_fields},
      {expect.includes(), &Expectation::mutable_includes},
  };
  for (const auto& [text, member] : records) {
    if (text.empty()) continue;
    absl::StatusOr<Fields> fields = RecordFromText(record, text, index_);
    if (!fields.ok()) return fields.status();
    *(out->*member)() = *fields;
  }
  if (!expect.packet().empty()) {
    absl::StatusOr<Fields> fields = RecordFromText(Record::kCodec, expect.packet(), index_);
    if (!fields.ok()) return fields.status();
    *out->mutable_packet()->mutable_includes() = *fields;
    out->mutable_packet()->set_plane(expect.plane());
  }
  if (!expect.completion().empty()) {
    absl::StatusOr<Fields> fields =
        RecordFromText(Record::kCompletion, expect.completion(), index_);
    if (!fields.ok()) return fields.status();
    *out->mutable_completion() = *fields;
  }
  if (!expect.placement().empty()) {
    absl::StatusOr<std::string> data = DataFromText(expect.placement());
    if (!data.ok()) return data.status();
    out->mutable_placement()->set_address(expect.placement_address());
    out->mutable_placement()->set_data(*data);
  }
  if (!expect.memory().empty()) {
    absl::StatusOr<std::string> data = DataFromText(expect.memory());
    if (!data.ok()) return data.status();
    out->mutable_memory()->set_address(expect.memory_address());
    out->mutable_memory()->set_data(*data);
  }
  return absl::OkStatus();
}

absl::Status Expander::ExpectStep(const CaseStep& step) {
  const CaseExpect& expect = step.expect();
  vectors::Step* added = Add(step);
  Expectation* out = added->mutable_expect();
  if (absl::Status status = Contents(expect, out); !status.ok()) return status;
  const bool completion = out->has_completion();
  const absl::Status status =
      AddRepeat(step, completion ? Record::kCompletion : Record::kCodec,
                completion ? out->completion() : out->packet().includes(), added);
  return status.ok() ? Bounds(expect, out) : status;
}

absl::Status Expander::Step(const CaseStep& step) {
  const auto what = step.what_case();
  if (step.has_repeat() && what != CaseStep::kApply && what != CaseStep::kArrive &&
      what != CaseStep::kPost && what != CaseStep::kExpect) {
    return absl::InvalidArgumentError("repeat: only apply, arrive, post and expect are repeated.");
  }
  switch (step.what_case()) {
    case CaseStep::kDecode:
      return DecodeStep(step);
    case CaseStep::kEncode:
      return EncodeStep(step);
    case CaseStep::kRaw: {
      absl::StatusOr<std::string> bytes = DataFromText(step.raw());
      if (!bytes.ok()) return bytes.status();
      Add(step)->set_decode(*bytes);
      vector_.add_steps()->mutable_expect()->set_reject(step.reject());
      return absl::OkStatus();
    }
    case CaseStep::kApply:
      return BlockStep(step);
    case CaseStep::kArrive:
      return ArriveStep(step);
    case CaseStep::kPost: {
      absl::StatusOr<Fields> fields = RecordFromText(Record::kPost, step.post(), index_);
      if (!fields.ok()) return fields.status();
      vectors::Step* post = Add(step);
      *post->mutable_post() = *fields;
      return AddRepeat(step, Record::kPost, *fields, post);
    }
    case CaseStep::kAdvance:
      Add(step)->set_advance(true);
      return absl::OkStatus();
    case CaseStep::kExpect:
      return ExpectStep(step);
    case CaseStep::WHAT_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("it is neither a stimulus nor an expectation.");
}

}  // namespace

absl::StatusOr<Vector> Expand(const CaseFile& file, const Case& c, const SpecIndex& index) {
  return Expander(file, c, index).Run();
}

}  // namespace metaroce::vectors
