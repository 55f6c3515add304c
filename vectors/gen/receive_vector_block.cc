#include "vectors/gen/receive_vector_block.h"

#include "absl/strings/str_cat.h"
#include "vectors/json.h"

namespace metaroce::vectors {
namespace {

uint64_t NumberOf(const Fields& fields, absl::string_view name) {
  const Field* field = FindField(fields, name);
  return field == nullptr ? 0 : field->number();
}

void AddNumber(absl::string_view name, uint64_t value, Fields* out) {
  Field* field = out->add_field();
  field->set_name(std::string(name));
  field->set_number(value);
}

}  // namespace

ReceiveVectorBlock::ReceiveVectorBlock(const Fields& config)
    : path_(0, PathSeq(static_cast<uint32_t>(NumberOf(config, "base")))) {}

absl::StatusOr<Fields> ReceiveVectorBlock::Complete(const Fields& input, const Fields& demanded) {
  const Field* kind = FindField(input, "kind");
  const WireTime transmitted(static_cast<uint32_t>(NumberOf(input, "transmit_time")));
  std::string outcome = "probe";
  if (kind != nullptr && kind->word() == "probe") {
    path_.ArriveProbe(transmitted, Route(), 0);
  } else {
    const PathSeq sequence(static_cast<uint32_t>(NumberOf(input, "sequence")));
    const Arrival arrival = path_.Arrive(sequence, transmitted, NumberOf(input, "ce") != 0, false,
                                         Route(), 0, AckLimits());
    if (arrival != Arrival::kBeyondWindow && arrival != Arrival::kDuplicate) {
      path_.Mark(sequence, arrival, false, 0);
    }
    outcome = Name(arrival);
  }
  const spec::PathBlock block = path_.Block(0, 0);
  Fields out;
  Field* word = out.add_field();
  word->set_name("outcome");
  word->set_word(outcome);
  AddNumber("base", block.base, &out);
  std::string wire(block.Size(), '\0');
  block.Store(reinterpret_cast<uint8_t*>(wire.data()));
  Field* bitmap = out.add_field();
  bitmap->set_name("bitmap");
  bitmap->set_data(wire.substr(spec::PathBlock::kBytes));
  AddNumber("arrivals", block.arrivals, &out);
  AddNumber("ce", block.ce, &out);
  AddNumber("duplicates", block.duplicates, &out);
  AddNumber("echo", block.echo, &out);
  for (const Field& want : demanded.field()) {
    const Field* have = FindField(out, want.name());
    if (have != nullptr && have->SerializeAsString() == want.SerializeAsString()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the case demands ", want.name(), "=", ToString(want), " and the model gives ",
                     have == nullptr ? "no such field" : ToString(*have), "."));
  }
  return out;
}

Fields Advanced(const Fields& fields, const Fields& by, uint32_t k, Record record,
                const SpecIndex& index) {
  Fields out = fields;
  for (Field& field : *out.mutable_field()) {
    const Field* increment = FindField(by, field.name());
    if (increment == nullptr) continue;
    const std::optional<FieldRule> rule = RuleOf(record, field.name(), index);
    field.set_number((field.number() + k * increment->number()) &
                     (rule ? rule->max() : ~uint64_t{0}));
  }
  return out;
}

}  // namespace metaroce::vectors
