#include "conformance/promote/retell.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/dut.pb.h"
#include "conformance/dut/dut.h"
#include "conformance/duts/model/model_dut.h"
#include "conformance/play/compare.h"
#include "conformance/play/script.h"
#include "conformance/play/stimulus.h"
#include "conformance/runner/replay.h"
#include "spec/tables.h"
#include "vectors/lint.h"
#include "vectors/manifest.h"
#include "vectors/records.h"
#include "vectors/text.h"

namespace metaroce::promote {
namespace {

using conformance::CountOf;
using vectors::Expectation;
using vectors::Fields;
using vectors::Step;
using vectors::Vector;

// Something that the model did, in the form of an expectation.
struct Done {
  size_t group = 0;  // behind which stimulus
  uint64_t at = 0;
  Expectation what;
  uint64_t opcode = 0;  // of a packet
};

uint64_t OpcodeOf(const Fields& fields) {
  const vectors::Field* opcode = vectors::FindField(fields, "common.opcode");
  return opcode == nullptr ? 0 : opcode->number();
}

const Fields* RecordOf(const Expectation& e) {
  switch (e.kind_case()) {
    case Expectation::kFields:
      return &e.fields();
    case Expectation::kIncludes:
      return &e.includes();
    case Expectation::kCompletion:
      return &e.completion();
    case Expectation::kPacket:
      return e.packet().has_fields()     ? &e.packet().fields()
             : e.packet().has_includes() ? &e.packet().includes()
                                         : nullptr;
    default:
      return nullptr;
  }
}

bool IsRecord(const Expectation& e) { return e.has_fields() || e.has_includes(); }

bool IsAck(const Done& done) {
  return done.what.has_packet() && done.opcode == static_cast<uint64_t>(spec::Opcode::kAck);
}

// What follows from the configuration and from choices, and what says when a packet left, which the
// bounds leave to the device.
bool LeftOpen(absl::string_view name) {
  return absl::StartsWith(name, "eth.") || absl::StartsWith(name, "ip.") ||
         absl::StartsWith(name, "udp.") || absl::EndsWith(name, ".transmit_time") ||
         absl::EndsWith(name, ".hold");
}

class Teller {
 public:
  Teller(const Vector& vector, const vectors::SpecIndex& index,
         const conformance::PacketCodec& codec, const std::set<int>& made)
      : vector_(vector),
        index_(index),
        codec_(codec),
        made_(made),
        timed_(vectors::IsTimed(vector)) {
    for (const vectors::Predicate& predicate : vector.profile()) {
      exact_ = exact_ || (predicate.parameter() == "react_max" && predicate.value() == 0 &&
                          predicate.relation() != ">=");
    }
  }

  absl::StatusOr<Told> Run(uint64_t until) {
    absl::Status status = Play(until);
    if (!status.ok()) return status;
    return Write();
  }

 private:
  absl::Status Ask(dut::Request& request, size_t group) {
    dut::Answer answer;
    model_.Handle(request, &answer);
    if (answer.has_error()) {
      return absl::InvalidArgumentError(absl::StrCat("The model answers step ", step_ + 1, ": ",
                                                     vectors::Shorten(answer.error().text(), 200)));
    }
    if (answer.has_reject()) {
      Done done;
      done.group = group;
      done.what.set_reject(answer.reject().code());
      done_.push_back(std::move(done));
    }
    for (const dut::Event& event : answer.done().event()) {
      Done done;
      done.group = group;
      done.at = event.at_ns();
      if (event.has_fields()) {
        *done.what.mutable_fields() = conformance::FromDut(event.fields().field());
      } else if (event.has_completion()) {
        *done.what.mutable_completion() = conformance::FromDut(event.completion().field());
      } else if (event.has_placement()) {
        done.what.mutable_placement()->set_address(event.placement().address());
        done.what.mutable_placement()->set_data(event.placement().data());
      } else {
        const auto fields = codec_.Decode(event.packet().frame());
        if (!fields.ok()) return fields.status();
        done.what.mutable_packet()->set_plane(event.packet().plane());
        *done.what.mutable_packet()->mutable_fields() = *fields;
        done.opcode = OpcodeOf(*fields);
      }
      done_.push_back(std::move(done));
    }
    return absl::OkStatus();
  }

  absl::Status Play(uint64_t until) {
    dut::Request reset;
    reset.mutable_reset()->set_level(absl::AsciiStrToLower(vectors::Level_Name(vector_.level())));
    reset.mutable_reset()->set_block(vector_.block());
    conformance::ToDut(vector_.config(), reset.mutable_reset()->mutable_config());
    absl::Status status = Ask(reset, 0);
    const conformance::DutInfo defaults;
    const conformance::Script script(vector_, defaults, index_);
    uint64_t now = 0;
    uint64_t end = until;
    int stimulus = -1;
    for (step_ = 0; status.ok() && step_ < vector_.steps_size(); ++step_) {
      const Step& step = vector_.steps(step_);
      if (!vectors::IsStimulus(step)) {
        end = std::max(end, script.Wait(step_, stimulus, stimulus_at_).last_deadline());
        continue;
      }
      stimulus = step_;
      stimulus_at_ = step.has_at() ? step.at() : now;
      times_.push_back(stimulus_at_);
      for (uint32_t k = 0; status.ok() && k < CountOf(step); ++k) {
        now = stimulus_at_ + k * step.repeat().every();
        dut::Request request;
        status = conformance::MakeRequest(vector_, step, k, now, &codec_, index_, &request);
        if (status.ok()) status = Ask(request, times_.size() - 1);
      }
    }
    if (!status.ok() || !timed_ || times_.empty() || end < now) return status;
    dut::Request advance;
    advance.mutable_advance()->set_to_ns(end);
    return Ask(advance, times_.size() - 1);
  }

  // Whether the expectation is about what was done, whatever the values are.
  static bool SameKind(const Expectation& e, const Done& done) {
    if (IsRecord(e) && IsRecord(done.what)) return true;
    if (e.kind_case() != done.what.kind_case()) return false;
    const Fields* fields = RecordOf(e);
    return !e.has_packet() || fields == nullptr || OpcodeOf(*fields) == 0 ||
           OpcodeOf(*fields) == done.opcode;
  }

  // The values of `have` under the names of `form`; those that are taken over or are no longer
  // there are left out.
  static Fields Filled(const Fields& form, const Fields& have) {
    Fields out;
    for (const vectors::Field& field : form.field()) {
      const vectors::Field* value = vectors::FindField(have, field.name());
      if (value != nullptr) *out.add_field() = *value;
    }
    return out;
  }

  Step Rewritten(const Step& form, const Done& done) const {
    Step step = form;
    Expectation& e = *step.mutable_expect();
    const Fields* have = RecordOf(done.what);
    if (e.has_fields()) {
      *e.mutable_fields() = *have;
    } else if (e.has_includes()) {
      *e.mutable_includes() = Filled(form.expect().includes(), *have);
    } else if (e.has_completion()) {
      *e.mutable_completion() = *have;
    } else if (e.has_reject()) {
      e.set_reject(done.what.reject());
    } else if (e.has_placement()) {
      *e.mutable_placement() = done.what.placement();
    } else if (e.has_packet()) {
      e.mutable_packet()->set_plane(done.what.packet().plane());
      if (form.expect().packet().has_includes()) {
        *e.mutable_packet()->mutable_includes() = Filled(form.expect().packet().includes(), *have);
      } else {
        *e.mutable_packet()->mutable_fields() = *have;
      }
    }
    return step;
  }

  Step Fresh(const Done& done) const {
    Step step;
    Expectation& e = *step.mutable_expect();
    e = done.what;
    if (done.what.has_fields()) {
      *e.mutable_includes() = done.what.fields();
    } else if (done.what.has_packet()) {
      Fields* fields = e.mutable_packet()->mutable_includes();
      for (const vectors::Field& field : done.what.packet().fields().field()) {
        if (!LeftOpen(field.name())) *fields->add_field() = field;
      }
    }
    if (!timed_) return step;
    if (done.at != times_[done.group]) step.set_at(done.at);
    //= ACK-MOMENT
    //# An ACK that is due leaves within the profile's `ack_max`.
    const char* bound = IsAck(done) || done.what.has_placement() ? "ack_max"
                        : exact_                                 ? ""
                                                                 : "react_max";
    if (*bound != '\0') e.mutable_within()->add_term()->set_parameter(bound);
    return step;
  }

  Told Write() {
    // The steps that expect something, each with the stimulus before it.
    struct Form {
      int step;
      size_t group;
      std::vector<size_t> met;  // by which of done_
      bool gone = false;
    };
    std::vector<Form> forms;
    size_t groups = 0;
    for (int i = 0; i < vector_.steps_size(); ++i) {
      if (vectors::IsStimulus(vector_.steps(i))) {
        ++groups;
      } else if (groups > 0) {
        forms.push_back({i, groups - 1, {}, false});
      }
    }
    std::vector<bool> placed(done_.size());
    for (size_t d = 0; d < done_.size(); ++d) {
      for (Form& form : forms) {
        const Step& step = vector_.steps(form.step);
        if (form.gone || form.group > done_[d].group || step.expect().has_nothing()) continue;
        if (form.met.size() == CountOf(step)) continue;
        const bool open = step.expect().has_one_of();
        if (!open && !SameKind(step.expect(), done_[d])) continue;
        form.met.push_back(d);
        placed[d] = true;
        break;
      }
    }
    told_.vector = vector_;
    told_.vector.clear_steps();
    size_t form = 0;
    size_t fresh = 0;
    size_t group = 0;
    for (int i = 0; i < vector_.steps_size(); ++i) {
      if (!vectors::IsStimulus(vector_.steps(i))) continue;
      *told_.vector.add_steps() = vector_.steps(i);
      for (; form < forms.size() && forms[form].group == group; ++form) {
        const Step& step = vector_.steps(forms[form].step);
        const std::vector<size_t>& met = forms[form].met;
        if (met.empty() && !step.expect().has_nothing()) continue;
        // What came in front of it, in the order of events.
        for (; !met.empty() && fresh < met.front(); ++fresh) AddFresh(fresh, placed);
        const bool alone = met.size() == 1 && !step.has_repeat() && !step.expect().has_one_of();
        const Step now = alone ? Rewritten(step, done_[met.front()]) : step;
        const bool other = now.SerializeAsString() != step.SerializeAsString();
        Add(now, other || made_.count(forms[form].step) > 0);
      }
      for (; fresh < done_.size() && done_[fresh].group <= group; ++fresh) {
        AddFresh(fresh, placed);
      }
      ++group;
    }
    return std::move(told_);
  }

  void AddFresh(size_t d, const std::vector<bool>& placed) {
    if (!placed[d] && !Ignored(done_[d])) Add(Fresh(done_[d]), true);
  }

  void Add(const Step& step, bool made) {
    if (made) told_.made.insert(told_.vector.steps_size());
    *told_.vector.add_steps() = step;
  }

  bool Ignored(const Done& done) const {
    const char* kind = done.what.has_packet()       ? "packet"
                       : done.what.has_completion() ? "completion"
                       : done.what.has_placement()  ? "placement"
                                                    : "";
    return std::find(vector_.ignore().begin(), vector_.ignore().end(), kind) !=
           vector_.ignore().end();
  }

  const Vector& vector_;
  const vectors::SpecIndex& index_;
  const conformance::PacketCodec& codec_;
  const std::set<int>& made_;
  const bool timed_;
  bool exact_ = false;  // react_max is 0
  conformance::ModelDut model_;
  int step_ = 0;
  uint64_t stimulus_at_ = 0;
  std::vector<uint64_t> times_;  // of the stimuli
  std::vector<Done> done_;
  Told told_;
};

}  // namespace

std::string FaultOf(const Vector& vector, const vectors::SpecIndex& index,
                    const conformance::PacketCodec& codec) {
  const std::vector<vectors::Finding> findings = vectors::CheckVector(vector, index);
  if (!findings.empty()) return vectors::ToString(vector.id(), findings.front());
  vectors::Tree tree;
  tree.vectors.push_back({vectors::DefaultPath(vector), "", vector, {}});
  conformance::ModelDut model;
  conformance::InProcessDut dut(model);
  const auto report = conformance::Replay(tree, index, &codec, dut, {});
  if (!report.ok()) return std::string(report.status().message());
  const conformance::VectorResult& result = report->results.front();
  if (result.verdict == conformance::Verdict::kPass) return "";
  if (result.verdict != conformance::Verdict::kFail) {
    return absl::StrCat("The model itself does not play it: ", result.text);
  }
  const conformance::Divergence& at = result.divergence;
  return absl::StrCat("The model itself does not pass it: step ", at.step, " [", at.clause,
                      "] expected ", at.expected, ", got ", at.got, ".");
}

absl::StatusOr<Told> Retold(const Vector& vector, uint64_t until, const vectors::SpecIndex& index,
                            const conformance::PacketCodec& codec, const std::set<int>& made) {
  if (conformance::HasNames(vector)) {
    return absl::InvalidArgumentError("The vector takes numbers of the device over (CONF-TAKEN).");
  }
  return Teller(vector, index, codec, made).Run(until);
}

}  // namespace metaroce::promote
