#include "conformance/play/stimulus.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/play/compare.h"
#include "vectors/records.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::Expectation;
using vectors::Fields;
using vectors::Packet;
using vectors::Record;
using vectors::Step;
using vectors::Vector;

constexpr size_t kLineBytes = 90;

bool ByFields(const Packet& packet) { return packet.has_fields() || packet.has_includes(); }

bool NeedsCodec(const Expectation& expectation) {
  for (const Expectation& outcome : expectation.one_of().outcomes()) {
    if (NeedsCodec(outcome)) return true;
  }
  return ByFields(expectation.packet());
}

// False if the k-th is like the first.
bool Grows(const Step& step, uint32_t k) { return k > 0 && step.repeat().by().field_size() > 0; }

absl::Status MakeArrival(const Step& step, uint32_t k, const PacketCodec* codec,
                         const vectors::SpecIndex& index, dut::Arrive* arrive) {
  arrive->set_plane(step.arrive().plane());
  if (step.arrive().has_frame()) {
    arrive->set_frame(step.arrive().frame());
    return absl::OkStatus();
  }
  Fields grown;
  const bool grows = Grows(step, k);
  if (grows) {
    grown = step.arrive().fields();
    Grow(grown, step.repeat().by(), k, Record::kCodec, index);
  }
  absl::StatusOr<std::string> frame = codec->Encode(grows ? grown : step.arrive().fields());
  if (!frame.ok()) return frame.status();
  arrive->set_frame(*std::move(frame));
  return absl::OkStatus();
}

Record InputRecord(const Vector& vector, const Step& step) {
  if (step.has_post()) return Record::kPost;
  const vectors::BlockInfo* block = vectors::FindBlock(vector.block());
  return block == nullptr ? Record::kCodec : block->input;
}

Record OutputRecord(const Vector& vector) {
  const vectors::BlockInfo* block = vectors::FindBlock(vector.block());
  return block == nullptr ? Record::kCodec : block->output;
}

std::string DescribeWhat(const Step& step, const PacketCodec* codec) {
  switch (step.what_case()) {
    case Step::kDecode:
      return absl::StrCat("a frame of ", ShowBytes(step.decode().size()), " to decode");
    case Step::kEncode:
      return absl::StrCat("to encode: ", Show(step.encode(), kLineBytes));
    case Step::kApply:
      return Show(step.apply(), kLineBytes);
    case Step::kArrive: {
      if (!step.arrive().has_frame()) {
        return absl::StrCat(NameOf(step.arrive().fields(), codec), "a packet with ",
                            Show(step.arrive().fields(), kLineBytes));
      }
      const std::string size =
          absl::StrCat("a packet of ", ShowBytes(step.arrive().frame().size()));
      if (codec == nullptr) return size;
      const absl::StatusOr<Fields> fields = codec->Decode(step.arrive().frame());
      return fields.ok() ? absl::StrCat(NameOf(*fields, codec), size) : size;
    }
    case Step::kPost:
      return absl::StrCat("a post: ", Show(step.post(), kLineBytes));
    case Step::kAdvance:
      return "nothing, but time passes";
    default:
      return "nothing";
  }
}

}  // namespace

uint32_t CountOf(const Step& step) { return step.has_repeat() ? step.repeat().count() : 1; }

bool NeedsCodec(const Vector& vector) {
  for (const Step& step : vector.steps()) {
    if (ByFields(step.arrive()) || NeedsCodec(step.expect())) return true;
  }
  return false;
}

absl::Status MakeRequest(const Vector& vector, const Step& step, uint32_t k, uint64_t time,
                         const PacketCodec* codec, const vectors::SpecIndex& index,
                         dut::Request* request) {
  if (step.what_case() == Step::kAdvance) {
    request->mutable_advance()->set_to_ns(time);
    return absl::OkStatus();
  }
  dut::Apply& apply = *request->mutable_apply();
  apply.set_at_ns(time);
  //= CONF-BURST
  //# each number named in `by` is greater by k times the number given there
  const auto give = [&](const Fields& fields, DutFields* out) {
    ToDut(fields, out);
    if (Grows(step, k)) Grow(*out, step.repeat().by(), k, InputRecord(vector, step), index);
    return absl::OkStatus();
  };
  switch (step.what_case()) {
    case Step::kDecode:
      apply.mutable_decode()->set_frame(step.decode());
      return absl::OkStatus();
    case Step::kEncode:
      return give(step.encode(), apply.mutable_encode()->mutable_field());
    case Step::kApply:
      return give(step.apply(), apply.mutable_block()->mutable_field());
    case Step::kArrive:
      return MakeArrival(step, k, codec, index, apply.mutable_arrive());
    case Step::kPost:
      return give(step.post(), apply.mutable_post()->mutable_field());
    default:
      return absl::InvalidArgumentError("The step is no stimulus.");
  }
}

std::string DescribeStimulus(const Step& step, uint32_t k, uint64_t at, bool timed,
                             const PacketCodec* codec) {
  // A later one of a burst has other numbers than the step.
  std::string out = DescribeWhat(step, Grows(step, k) ? nullptr : codec);
  if (timed) absl::StrAppend(&out, ", at ", at + k * step.repeat().every(), " ns");
  const uint32_t count = CountOf(step);
  if (count > 1) absl::StrAppend(&out, " (", k + 1, " of ", count, ")");
  if (!step.note().empty()) absl::StrAppend(&out, "    ", vectors::Printable(step.note()));
  return out;
}

namespace {

// The record of an expectation or a stimulus in which names may stand, or null.
const Fields* Named(const Expectation& expectation) {
  if (expectation.has_fields()) return &expectation.fields();
  if (expectation.has_includes()) return &expectation.includes();
  if (expectation.has_completion()) return &expectation.completion();
  if (expectation.packet().has_fields()) return &expectation.packet().fields();
  if (expectation.packet().has_includes()) return &expectation.packet().includes();
  return nullptr;
}

const Fields* Named(const Step& step) {
  if (step.has_encode()) return &step.encode();
  if (step.has_apply()) return &step.apply();
  if (step.has_post()) return &step.post();
  if (step.arrive().has_fields()) return &step.arrive().fields();
  return nullptr;
}

//= CONF-TAKEN
//# The first expectation that holds the name, in the order of the steps, takes the field's value
//# over as it comes
int TakerOf(const std::string& name, const Vector& vector) {
  for (int i = 0; i < vector.steps_size(); ++i) {
    const Fields* fields = Named(vector.steps(i).expect());
    if (fields == nullptr) continue;
    for (const vectors::Field& field : fields->field()) {
      if (field.has_taken() && field.taken().name() == name) return i;
    }
  }
  return -1;
}

std::string NameIn(const Fields* fields) {
  if (fields == nullptr) return "";
  for (const vectors::Field& field : fields->field()) {
    if (field.has_taken()) return field.taken().name();
  }
  return "";
}

//= CONF-TAKEN
//# From then on the name stands for that value
void ResolveFields(const TakenNames& names, Record record, const vectors::SpecIndex& index,
                   Fields& fields) {
  for (vectors::Field& field : *fields.mutable_field()) {
    if (!field.has_taken()) continue;
    const auto known = names.find(field.taken().name());
    if (known == names.end()) continue;
    const auto rule = vectors::RuleOf(record, field.name(), index);
    const uint64_t mask = rule.has_value() ? rule->max() : ~uint64_t{0};
    field.set_number((known->second + field.taken().plus()) & mask);
  }
}

}  // namespace

bool HasNames(const Vector& vector) {
  for (const Step& step : vector.steps()) {
    if (!NameIn(Named(step)).empty() || !NameIn(Named(step.expect())).empty()) return true;
    for (const Expectation& outcome : step.expect().one_of().outcomes()) {
      if (!NameIn(Named(outcome)).empty()) return true;
    }
  }
  return false;
}

std::string NameLeft(const Step& stimulus) { return NameIn(Named(stimulus)); }

void Resolve(const TakenNames& names, const Vector& vector, const vectors::SpecIndex& index,
             Step& stimulus) {
  if (stimulus.has_encode()) {
    ResolveFields(names, Record::kCodec, index, *stimulus.mutable_encode());
  } else if (stimulus.has_apply()) {
    ResolveFields(names, InputRecord(vector, stimulus), index, *stimulus.mutable_apply());
  } else if (stimulus.has_post()) {
    ResolveFields(names, Record::kPost, index, *stimulus.mutable_post());
  } else if (stimulus.arrive().has_fields()) {
    ResolveFields(names, Record::kCodec, index, *stimulus.mutable_arrive()->mutable_fields());
  }
}

void Resolve(const TakenNames& names, const Vector& vector, const vectors::SpecIndex& index,
             Expectation& expectation) {
  if (expectation.has_one_of()) {
    for (Expectation& outcome : *expectation.mutable_one_of()->mutable_outcomes()) {
      Resolve(names, vector, index, outcome);
    }
  } else if (expectation.has_fields()) {
    ResolveFields(names, OutputRecord(vector), index, *expectation.mutable_fields());
  } else if (expectation.has_includes()) {
    ResolveFields(names, OutputRecord(vector), index, *expectation.mutable_includes());
  } else if (expectation.has_completion()) {
    ResolveFields(names, Record::kCompletion, index, *expectation.mutable_completion());
  } else if (expectation.packet().has_fields()) {
    ResolveFields(names, Record::kCodec, index, *expectation.mutable_packet()->mutable_fields());
  } else if (expectation.packet().has_includes()) {
    ResolveFields(names, Record::kCodec, index, *expectation.mutable_packet()->mutable_includes());
  }
}

std::string NameAhead(const Expectation& expectation, int step, const Vector& vector) {
  for (const Expectation& outcome : expectation.one_of().outcomes()) {
    const std::string name = NameIn(Named(outcome));
    if (!name.empty()) return name;
  }
  const Fields* fields = Named(expectation);
  if (fields == nullptr) return "";
  for (const vectors::Field& field : fields->field()) {
    if (!field.has_taken()) continue;
    if (TakerOf(field.taken().name(), vector) != step) return field.taken().name();
  }
  return "";
}

void TakeOver(const Expectation& expectation, const Fields& got, TakenNames& names) {
  const Fields* fields = Named(expectation);
  if (fields == nullptr) return;
  for (const vectors::Field& field : fields->field()) {
    const vectors::Field* came =
        field.has_taken() ? vectors::FindField(got, field.name()) : nullptr;
    if (came != nullptr) names[field.taken().name()] = came->number();
  }
}

void GrowExpectation(Expectation& expectation, const Fields& by, uint64_t k, const Vector& vector,
                     const vectors::SpecIndex& index) {
  if (expectation.has_fields()) {
    Grow(*expectation.mutable_fields(), by, k, OutputRecord(vector), index);
  } else if (expectation.has_includes()) {
    Grow(*expectation.mutable_includes(), by, k, OutputRecord(vector), index);
  } else if (expectation.has_completion()) {
    Grow(*expectation.mutable_completion(), by, k, Record::kCompletion, index);
  } else if (expectation.packet().has_fields()) {
    Grow(*expectation.mutable_packet()->mutable_fields(), by, k, Record::kCodec, index);
  } else if (expectation.packet().has_includes()) {
    Grow(*expectation.mutable_packet()->mutable_includes(), by, k, Record::kCodec, index);
  }
}

}  // namespace metaroce::conformance
