#include "vectors/lint.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "vectors/config_rules.h"
#include "vectors/records.h"
#include "vectors/system_rules.h"
#include "vectors/taken_names.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

constexpr size_t kMaxTextBytes = 400;
constexpr int kMaxOutcomes = 16;

class Checker {
 public:
  Checker(const Vector& vector, const SpecIndex& index)
      : vector_(vector),
        index_(index),
        block_(FindBlock(vector.block())),
        timed_(IsTimed(vector)),
        system_(vector.level() == SYSTEM) {}

  std::vector<Finding> Run() {
    CheckHead();
    CheckNames();
    CheckConfig();
    CheckSteps();
    return std::move(findings_);
  }

 private:
  void Add(std::string member, std::string sentence) {
    findings_.push_back({std::move(member), std::move(sentence)});
  }

  void CheckText(absl::string_view member, absl::string_view text, bool needed) {
    if (needed && text.empty()) Add(std::string(member), "This is missing.");
    if (text.size() > kMaxTextBytes) {
      Add(std::string(member),
          absl::StrCat("This has ", text.size(), " bytes; at most ", kMaxTextBytes, "."));
    } else if (Printable(text) != text) {
      Add(std::string(member), "This holds a control character or is no UTF-8.");
    }
  }

  void CheckHead() {
    if (!IsWordId(vector_.id())) {
      Add("id", absl::StrCat(Quoted(vector_.id()),
                             " is not made of lower-case words and digits joined by hyphens, at "
                             "most ",
                             kMaxIdBytes, " characters."));
    }
    CheckText("title", vector_.title(), true);
    switch (vector_.level()) {
      case CODEC:
      case ENDPOINT:
      case SYSTEM:
        if (!vector_.block().empty()) Add("block", "Only a vector of level block names a block.");
        break;
      case BLOCK:
        if (block_ == nullptr) {
          Add("block", absl::StrCat("There is no block ", Quoted(vector_.block()), "."));
        }
        break;
      default:
        Add("level", "The level is none of codec, block, endpoint and system.");
    }
    if (vector_.has_system() && vector_.level() != SYSTEM) {
      Add("system", "Only a vector of level system has this.");
    }
    if (vector_.provenance().kind() == SOURCE_UNSPECIFIED ||
        !Source_IsValid(vector_.provenance().kind())) {
      Add("provenance.kind", "This is missing.");
    }
    CheckText("provenance.note", vector_.provenance().note(), true);
  }

  template <typename Known>
  void CheckList(absl::string_view member,
                 const google::protobuf::RepeatedPtrField<std::string>& list,
                 absl::string_view kind, bool needed, Known known) {
    if (needed && list.empty()) Add(std::string(member), absl::StrCat("It names no ", kind, "."));
    absl::flat_hash_set<absl::string_view> seen;
    for (const std::string& name : list) {
      if (!known(name)) {
        Add(std::string(member), absl::StrCat("There is no ", kind, " ", Quoted(name), "."));
      } else if (!seen.insert(name).second) {
        Add(std::string(member), absl::StrCat(Quoted(name), " is named twice."));
      }
    }
  }

  void CheckNames() {
    CheckList("clauses", vector_.clauses(), "clause", true,
              [&](absl::string_view name) { return index_.ClauseLevel(name).has_value(); });
    absl::flat_hash_set<absl::string_view> named(vector_.clauses().begin(),
                                                 vector_.clauses().end());
    CheckList("negative", vector_.negative(), "clause of the vector's", false,
              [&](absl::string_view name) { return named.contains(name); });
    CheckList("capabilities", vector_.capabilities(), "capability", true,
              [&](absl::string_view name) { return index_.HasCapability(name); });
    CheckList("flags", vector_.flags(), "flag", true,
              [&](absl::string_view name) { return index_.HasFlag(name); });
    CheckList("ignore", vector_.ignore(), "kind of event", false, [](absl::string_view name) {
      return name == "packet" || name == "completion" || name == "placement";
    });
    if (vector_.level() != ENDPOINT && !vector_.ignore().empty()) {
      Add("ignore", "Only a vector of level endpoint may leave events uncompared.");
    }
    for (int i = 0; i < vector_.profile_size(); ++i) {
      const Predicate& predicate = vector_.profile(i);
      const std::string member = absl::StrCat("profile[", i, "]");
      if (!index_.Parameter(predicate.parameter()).has_value()) {
        Add(member, absl::StrCat("There is no parameter ", Quoted(predicate.parameter()), "."));
      }
      if (predicate.relation() != "<=" && predicate.relation() != ">=" &&
          predicate.relation() != "=") {
        Add(member, absl::StrCat("The relation ", Quoted(predicate.relation()),
                                 " is none of <=, >= and =."));
      }
    }
  }

  void Need(absl::string_view capability) {
    const auto& have = vector_.capabilities();
    if (std::find(have.begin(), have.end(), capability) != have.end()) return;
    if (capability.empty() || !needed_.insert(std::string(capability)).second) return;
    Add("capabilities",
        absl::StrCat("The vector needs ", Quoted(capability), " and does not say so."));
  }

  // True if the record has the name of its field `i` before. A few are compared quickest; `seen`
  // holds those of a large record.
  static bool IsDoubled(const Fields& fields, int i, absl::flat_hash_set<absl::string_view>& seen) {
    constexpr int kCompared = 24;
    const std::string& name = fields.field(i).name();
    if (fields.field_size() > kCompared) return !seen.insert(name).second;
    for (int k = 0; k < i; ++k) {
      if (fields.field(k).name() == name) return true;
    }
    return false;
  }

  void CheckRecord(const std::string& member, Record record, const Fields& fields) {
    absl::flat_hash_set<absl::string_view> seen;
    for (int i = 0; i < fields.field_size(); ++i) {
      const Field& field = fields.field(i);
      const std::string fault = FaultOf(record, field, index_);
      if (!fault.empty()) Add(member, fault);
      if (field.has_taken()) CheckName(member, record, field);
      if (IsDoubled(fields, i, seen)) {
        Add(member, absl::StrCat(Quoted(field.name()), " is given twice."));
      }
      if (record == Record::kCodec && field.name().size() > 5 && field.number() == 0 &&
          field.value_case() == Field::kNumber && field.name().substr(0, 7) == "option[" &&
          field.name().substr(field.name().size() - 5) == ".type") {
        Add(member, "An option of type 0 ends the list and is no option.");
      }
    }
  }

  void CheckName(const std::string& member, Record record, const Field& field) {
    const std::optional<FieldRule> rule = RuleOf(record, field.name(), index_);
    if (!rule.has_value() || rule->kind != ValueKind::kNumber) return;
    names_.Look(member, *rule, field);
    if (system_) Add(member, "A vector of level system takes nothing over.");
  }

  void CheckConfigRecord(Record record) {
    const size_t before = findings_.size();
    CheckRecord("config", record, vector_.config());
    if (findings_.size() > before) return;  // of wrong kinds and widths no more can be said
    for (std::string& fault : FaultsOfConfig(record, vector_.config(), index_)) {
      Add("config", std::move(fault));
    }
  }

  void CheckConfig() {
    if (vector_.level() == ENDPOINT) {
      Need("endpoint-receiver");
      CheckConfigRecord(Record::kEndpointConfig);
    } else if (system_) {
      CheckSystem();
    } else if (block_ != nullptr && vector_.level() == BLOCK) {
      Need(block_->capability);
      //= CONF-BLOCK-DEFAULTS
      //# each of their vectors requires the capability `default-` and the block's name.
      if (!block_->timed && !block_->default_capability.empty()) Need(block_->default_capability);
      CheckConfigRecord(block_->config);
    } else if (vector_.config().field_size() > 0) {
      Add("config", "The level codec has no configuration.");
    }
  }

  void CheckSystem() {
    Need("endpoint-receiver");
    //= CONF-SYSTEM
    //# A vector whose configuration has no `window` requires
    //# `default-sender`, because the windows are then those of the built-in algorithm, another one
    //# `fixed-window`.
    Need(FindField(vector_.config(), "window") == nullptr ? "default-sender" : "fixed-window");
    CheckConfigRecord(Record::kEndpointConfig);
    if (!vector_.has_system()) {
      Add("system", "This is missing.");
      return;
    }
    for (auto& [member, fault] : FaultsOfSystem(vector_, index_)) {
      Add(std::move(member), std::move(fault));
    }
  }

  // --- steps

  struct Burst {
    uint64_t count = 1;
    uint64_t every = 0;
  };

  void CheckSteps() {
    if (vector_.steps_size() == 0) Add("steps", "There is no step.");
    if (vector_.steps_size() > kMaxSteps) {
      Add("steps",
          absl::StrCat("There are ", vector_.steps_size(), " steps; at most ", kMaxSteps, "."));
      return;
    }
    bool any_expectation = false;
    for (int i = 0; i < vector_.steps_size(); ++i) {
      const Step& step = vector_.steps(i);
      const std::string member = absl::StrCat("steps[", i, "]");
      CheckText(absl::StrCat(member, ".note"), step.note(), false);
      if (step.peer() && !system_) Add(member, "Only a step of level system is of the peer.");
      if (step.what_case() == Step::WHAT_NOT_SET) {
        Add(member, "The step is neither a stimulus nor an expectation.");
      } else if (IsStimulus(step)) {
        if (!timed_) CheckBalance(member);
        names_.Enter(i, TakenNames::Place::kUsed);
        CheckStimulus(member, step);
      } else {
        any_expectation = true;
        if (last_ == nullptr) Add(member, "No stimulus comes before this expectation.");
        names_.Enter(i, step.has_repeat() ? TakenNames::Place::kNone : TakenNames::Place::kTaken);
        CheckExpectStep(member, step);
      }
    }
    names_.Finish();
    if (!timed_) CheckBalance("steps");
    if (!any_expectation) Add("steps", "There is no expectation.");
  }

  // Without time, each stimulus is answered by exactly one event.
  void CheckBalance(const std::string& member) {
    if (last_ != nullptr && expected_ != stimuli_) {
      Add(member, absl::StrCat("The stimulus before stands for ", stimuli_, " and is followed by ",
                               expected_, " expectations; here each has exactly one."));
    }
    expected_ = 0;
  }

  Burst CheckRepeat(const std::string& member, const Step& step, const Fields* fields) {
    Burst burst;
    if (!step.has_repeat()) return burst;
    const Repeat& repeat = step.repeat();
    const std::string place = absl::StrCat(member, ".repeat");
    if (repeat.count() < 2 || repeat.count() > kMaxBurst) {
      Add(place,
          absl::StrCat("The count ", repeat.count(), " is not between 2 and ", kMaxBurst, "."));
      return burst;
    }
    burst = {repeat.count(), repeat.every()};
    if (repeat.every() >= kTimeLimit / kMaxBurst) Add(place, "`every` is too long.");
    if (!timed_ && repeat.every() != 0) Add(place, "Without time there is no `every`.");
    for (const Field& field : repeat.by().field()) {
      if (field.value_case() != Field::kNumber) {
        Add(place, absl::StrCat(Quoted(field.name()), " grows by something that is no number."));
        continue;
      }
      const Field* grown = fields == nullptr ? nullptr : FindField(*fields, field.name());
      if (grown == nullptr || grown->value_case() != Field::kNumber) {
        Add(place,
            absl::StrCat("The step gives no number ", Quoted(field.name()), " to start from."));
      }
    }
    return burst;
  }

  void CheckTime(const std::string& member, const Step& step, const Burst& burst) {
    if (!timed_) {
      if (step.has_at()) Add(member, "This level or block has no time.");
      return;
    }
    if (step.at() >= kTimeLimit) {
      Add(member, absl::StrCat("The time ", step.at(), " is too far off."));
      return;
    }
    const uint64_t at = step.has_at() ? step.at() : now_;
    const uint64_t earliest = after_advance_ ? now_ + 1 : now_;
    if (at < earliest) {
      Add(member, absl::StrCat("The time ", at, " comes before ", earliest,
                               after_advance_ ? ", the first after the advance."
                                              : ", the time of the stimulus before."));
    }
    now_ = at + (burst.count - 1) * std::min(burst.every, kTimeLimit / kMaxBurst);
    after_advance_ = step.what_case() == Step::kAdvance;
  }

  void Allow(const std::string& member, bool allowed) {
    if (!allowed) Add(member, "A stimulus of this kind does not belong to this level.");
  }

  void CheckStimulus(const std::string& member, const Step& step) {
    if (!step.clause().empty()) Add(member, "Only an expectation names a clause.");
    const Fields* fields = nullptr;
    switch (step.what_case()) {
      case Step::kDecode:
        Allow(member, vector_.level() == CODEC);
        Need("codec-decode");
        break;
      case Step::kEncode:
        Allow(member, vector_.level() == CODEC);
        Need("codec-encode");
        fields = &step.encode();
        CheckEncode(absl::StrCat(member, ".encode"), *fields);
        break;
      case Step::kApply:
        Allow(member, vector_.level() == BLOCK);
        fields = &step.apply();
        if (block_ != nullptr) CheckInput(absl::StrCat(member, ".apply"), *fields);
        break;
      case Step::kArrive:
        Allow(member, vector_.level() == ENDPOINT || system_);
        fields = CheckPacket(absl::StrCat(member, ".arrive"), step.arrive(), true);
        CheckPlane(absl::StrCat(member, ".arrive"), step.arrive().plane(), "local.planes",
                   LocalPlanes(vector_.config()));
        break;
      case Step::kPost:
        Allow(member, vector_.level() == ENDPOINT || system_);
        fields = &step.post();
        CheckRecord(absl::StrCat(member, ".post"), Record::kPost, *fields);
        if (system_ && !step.peer()) Need(CapabilityOfPost(*fields));
        break;
      default:
        Allow(member, timed_);
        if (!step.advance()) Add(member, "An advance is true or not there.");
        if (step.has_repeat()) Add(member, "An advance is not repeated.");
    }
    const Burst burst = CheckRepeat(member, step, fields);
    CheckTime(member, step, burst);
    last_ = &step;
    stimuli_ = burst.count;
  }

  void CheckEncode(const std::string& member, const Fields& fields) {
    CheckRecord(member, Record::kCodec, fields);
    if (FindField(fields, "common.opcode") == nullptr) Add(member, "\"common.opcode\" is missing.");
  }

  void CheckInput(const std::string& member, const Fields& fields) {
    CheckRecord(member, block_->input, fields);
    const Field* kind = FindField(fields, "kind");
    if (kind == nullptr) {
      Add(member, "\"kind\" is missing.");
    } else if (kind->word() == "data" && RuleOf(block_->input, "sequence", index_).has_value() &&
               FindField(fields, "sequence") == nullptr) {
      Add(member, "\"sequence\" is missing.");
    }
  }

  void CheckPlane(const std::string& member, uint64_t plane, absl::string_view name,
                  uint64_t planes) {
    if (plane < std::max<uint64_t>(planes, 1)) return;
    Add(member, absl::StrCat("\"plane\" is ", plane, "; \"", name, "\" is ", planes,
                             ", so the last is ", std::max<uint64_t>(planes, 1) - 1, "."));
  }

  // Returns the fields of the packet, or null.
  const Fields* CheckPacket(const std::string& member, const Packet& packet, bool stimulus) {
    switch (packet.kind_case()) {
      case Packet::kFrame:
        return nullptr;
      case Packet::kFields:
        if (stimulus) {
          CheckEncode(member, packet.fields());
        } else {
          CheckRecord(member, Record::kCodec, packet.fields());
        }
        return &packet.fields();
      case Packet::kIncludes:
        if (stimulus) Add(member, "A packet that arrives is given by `frame` or `fields`.");
        CheckRecord(member, Record::kCodec, packet.includes());
        return &packet.includes();
      case Packet::KIND_NOT_SET:
        break;
    }
    Add(member, "The packet is empty.");
    return nullptr;
  }

  // --- expectations

  std::optional<uint64_t> CheckBound(const std::string& member, const Bound& bound) {
    if (bound.term_size() == 0 || bound.term_size() > 8) {
      Add(member, "A bound has one to eight terms.");
      return std::nullopt;
    }
    uint64_t sum = 0;
    bool exact = true;
    for (const Term& term : bound.term()) {
      if (term.kind_case() == Term::kNanoseconds) {
        if (term.nanoseconds() >= kTimeLimit) {
          Add(member, absl::StrCat(term.nanoseconds(), " ns is too long."));
          return std::nullopt;
        }
        sum += term.nanoseconds();
        continue;
      }
      exact = false;
      const std::optional<ParameterInfo> parameter = index_.Parameter(term.parameter());
      if (!parameter.has_value()) {
        Add(member, absl::StrCat("There is no parameter ", Quoted(term.parameter()), "."));
      } else if (!parameter->nanoseconds) {
        Add(member, absl::StrCat(Quoted(term.parameter()), " is not in nanoseconds."));
      }
    }
    return exact ? std::optional<uint64_t>(sum) : std::nullopt;
  }

  void CheckExpectStep(const std::string& member, const Step& step) {
    const Expectation& expect = step.expect();
    const std::string place = absl::StrCat(member, ".expect");
    if (!step.clause().empty() && std::find(vector_.clauses().begin(), vector_.clauses().end(),
                                            step.clause()) == vector_.clauses().end()) {
      Add(member, absl::StrCat("The clause ", Quoted(step.clause()), " is none of the vector's."));
    }
    if (step.at() >= kTimeLimit)
      Add(member, absl::StrCat("The time ", step.at(), " is too far off."));
    if (!timed_ && (step.has_at() || expect.has_after() || expect.has_within())) {
      Add(member, "This level or block has no time.");
    }
    std::optional<uint64_t> after;
    std::optional<uint64_t> within;
    if (expect.has_after()) after = CheckBound(absl::StrCat(place, ".after"), expect.after());
    if (expect.has_within()) within = CheckBound(absl::StrCat(place, ".within"), expect.within());
    if (after.has_value() && within.has_value() && *after > *within) {
      Add(place, absl::StrCat("It comes after ", *after, " and within ", *within,
                              ": there is no such time."));
    }
    const Fields* fields = CheckContents(place, expect, false);
    const bool plain = expect.kind_case() != Expectation::kNothing &&
                       expect.kind_case() != Expectation::kOneOf &&
                       expect.kind_case() != Expectation::kMemory;
    if (step.has_repeat() && !plain) Add(member, "This kind of expectation is not repeated.");
    expected_ += CheckRepeat(member, step, fields).count;
  }

  const Fields* CheckOutput(const std::string& place, const Fields& fields, bool exact) {
    const bool decode = last_ != nullptr && last_->what_case() == Step::kDecode;
    if (vector_.level() == BLOCK) {
      if (block_ != nullptr) CheckRecord(place, block_->output, fields);
    } else if (vector_.level() == CODEC && decode) {
      CheckRecord(place, Record::kCodec, fields);
    } else {
      Add(place, "No record can come here.");
    }
    if (!exact && fields.field_size() == 0) Add(place, "It expects nothing in particular.");
    return &fields;
  }

  // Returns the fields that a burst may let grow, or null.
  const Fields* CheckContents(const std::string& place, const Expectation& expect, bool inner) {
    const bool endpoint = vector_.level() == ENDPOINT;
    const auto what = last_ == nullptr ? Step::WHAT_NOT_SET : last_->what_case();
    switch (expect.kind_case()) {
      case Expectation::kFields:
        return CheckOutput(absl::StrCat(place, ".fields"), expect.fields(), true);
      case Expectation::kIncludes:
        return CheckOutput(absl::StrCat(place, ".includes"), expect.includes(), false);
      case Expectation::kReject:
        if (what != Step::kDecode) Add(place, "Only a decode is rejected.");
        if (!index_.HasCodecReason(expect.reject())) {
          Add(place, absl::StrCat(Quoted(expect.reject()),
                                  " is no reason of a check on the bytes alone."));
        }
        return nullptr;
      case Expectation::kPacket:
        if (!endpoint && what != Step::kEncode) Add(place, "No packet can come here.");
        CheckPlane(absl::StrCat(place, ".packet"), expect.packet().plane(), "peer.planes",
                   endpoint ? AgreedPlanes(vector_.config()) : 1);
        return CheckPacket(absl::StrCat(place, ".packet"), expect.packet(), false);
      case Expectation::kCompletion:
        if (!endpoint && !system_) Add(place, "No completion can come here.");
        CheckRecord(absl::StrCat(place, ".completion"), Record::kCompletion, expect.completion());
        return &expect.completion();
      case Expectation::kPlacement:
        if (!endpoint) Add(place, "No placement can come here.");
        if (expect.placement().data().empty()) Add(place, "A placement of no bytes never comes.");
        return nullptr;
      case Expectation::kMemory:
        if (!system_ || inner) Add(place, "No memory is looked at here.");
        if (expect.has_after() || expect.has_within()) {
          Add(place, "`memory` has no bound of its own.");
        }
        return nullptr;
      case Expectation::kNothing:
        if (!timed_ || inner) Add(place, "Nothing cannot be expected here.");
        if (expect.has_after() || expect.has_within()) {
          Add(place, "`nothing` has its own bound and no other.");
        }
        CheckBound(absl::StrCat(place, ".nothing"), expect.nothing());
        return nullptr;
      case Expectation::kOneOf:
        CheckOneOf(absl::StrCat(place, ".one_of"), expect.one_of(), inner);
        return nullptr;
      case Expectation::KIND_NOT_SET:
        break;
    }
    Add(place, "The expectation is empty.");
    return nullptr;
  }

  void CheckOneOf(const std::string& place, const OneOf& one_of, bool inner) {
    if (inner) {
      Add(place, "One `one_of` does not stand inside another.");
      return;
    }
    if (one_of.outcomes_size() < 2 || one_of.outcomes_size() > kMaxOutcomes) {
      Add(place, absl::StrCat("There are ", one_of.outcomes_size(), " outcomes, not 2 to ",
                              kMaxOutcomes, "."));
      return;
    }
    //= CONF-VECTOR-CHOICE
    //# Any other vector accepts every outcome that the text allows.
    if (!one_of.choice().empty() && !index_.HasChoice(one_of.choice())) {
      Add(place, absl::StrCat("There is no choice ", Quoted(one_of.choice()), "."));
    }
    names_.EnterOutcomes();
    for (int i = 0; i < one_of.outcomes_size(); ++i) {
      const Expectation& outcome = one_of.outcomes(i);
      const std::string member = absl::StrCat(place, ".outcomes[", i, "]");
      if (outcome.has_after() || outcome.has_within()) {
        Add(member, "The bounds in time belong to the whole, not to one outcome.");
      }
      CheckContents(member, outcome, true);
    }
  }

  const Vector& vector_;
  const SpecIndex& index_;
  const BlockInfo* block_;
  bool timed_;
  bool system_;
  std::vector<Finding> findings_;
  absl::flat_hash_set<std::string> needed_;

  const Step* last_ = nullptr;  // the latest stimulus
  uint64_t now_ = 0;            // its time
  bool after_advance_ = false;
  uint64_t stimuli_ = 0;   // that it stands for
  uint64_t expected_ = 0;  // events expected since
  TakenNames names_{findings_};
};

}  // namespace

std::vector<Finding> CheckVector(const Vector& vector, const SpecIndex& index) {
  return Checker(vector, index).Run();
}

std::string ToString(absl::string_view file, const Finding& finding) {
  return absl::StrCat(file, ": ", finding.member, finding.member.empty() ? "" : ": ",
                      finding.sentence);
}

bool IsStimulus(const Step& step) {
  return step.what_case() != Step::WHAT_NOT_SET && step.what_case() != Step::kExpect;
}

bool IsTimed(const Vector& vector) {
  if (vector.level() == BLOCK) {
    const BlockInfo* block = FindBlock(vector.block());
    return block != nullptr && block->timed;
  }
  return vector.level() == ENDPOINT || vector.level() == SYSTEM;
}

}  // namespace metaroce::vectors
