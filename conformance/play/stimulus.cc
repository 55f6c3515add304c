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

std::string DescribeWhat(const Step& step) {
  switch (step.what_case()) {
    case Step::kDecode:
      return absl::StrCat("a frame of ", ShowBytes(step.decode().size()), " to decode");
    case Step::kEncode:
      return absl::StrCat("to encode: ", Show(step.encode(), kLineBytes));
    case Step::kApply:
      return Show(step.apply(), kLineBytes);
    case Step::kArrive:
      return step.arrive().has_frame()
                 ? absl::StrCat("a packet of ", ShowBytes(step.arrive().frame().size()))
                 : absl::StrCat("a packet with ", Show(step.arrive().fields(), kLineBytes));
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

std::string DescribeStimulus(const Step& step, uint32_t k, uint64_t at, bool timed) {
  std::string out = DescribeWhat(step);
  if (timed) absl::StrAppend(&out, ", at ", at + k * step.repeat().every(), " ns");
  const uint32_t count = CountOf(step);
  if (count > 1) absl::StrAppend(&out, " (", k + 1, " of ", count, ")");
  if (!step.note().empty()) absl::StrAppend(&out, "    ", vectors::Printable(step.note()));
  return out;
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
