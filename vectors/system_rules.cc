#include "vectors/system_rules.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "vectors/config_rules.h"
#include "vectors/lint.h"
#include "vectors/records.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

constexpr int kMaxFaults = 64;
constexpr size_t kMaxNoteBytes = 400;
constexpr absl::string_view kEnds[] = {"peer", "dut"};
constexpr absl::string_view kDoes[] = {"drop", "duplicate", "delay", "corrupt", "mark"};

class Checker {
 public:
  Checker(const Vector& vector, const SpecIndex& index)
      : vector_(vector), system_(vector.system()), index_(index) {}

  std::vector<std::pair<std::string, std::string>> Run() {
    CheckConfig();
    CheckPeer();
    CheckDelays();
    if (system_.faults_size() > kMaxFaults) {
      Add("system.faults", "There are ", system_.faults_size(), "; at most ", kMaxFaults, ".");
    }
    for (int i = 0; i < std::min(system_.faults_size(), kMaxFaults); ++i) {
      CheckFault(absl::StrCat("system.faults[", i, "]"), system_.faults(i));
    }
    CheckSteps();
    return std::move(faults_);
  }

 private:
  template <typename... Parts>
  void Add(absl::string_view member, const Parts&... parts) {
    faults_.emplace_back(std::string(member), absl::StrCat(parts...));
  }

  void CheckBetween(absl::string_view member, absl::string_view name, uint64_t value, uint64_t min,
                    uint64_t max) {
    if (value >= min && value <= max) return;
    Add(member, Quoted(name), " is ", value, "; it lies between ", min, " and ", max, ".");
  }

  //= CONF-SYSTEM
  //# The configuration has no `path[i]` and no `accept`.
  void CheckConfig() {
    //= CONF-SYSTEM
    //# Each requires `react_max` = 0 of the profile
    const auto at_once = [](const Predicate& predicate) {
      return predicate.parameter() == "react_max" && predicate.relation() == "=" &&
             predicate.value() == 0;
    };
    if (std::none_of(vector_.profile().begin(), vector_.profile().end(), at_once)) {
      Add("profile", "A vector of level system requires \"react_max\" = 0 and does not say so.");
    }
    for (const Field& field : vector_.config().field()) {
      if (field.name() == "accept" || absl::StartsWith(field.name(), "path[")) {
        Add("config", "A vector of level system does not set ", Quoted(field.name()), ".");
      }
    }
  }

  void CheckPeer() {
    absl::flat_hash_set<absl::string_view> seen;
    const size_t before = faults_.size();
    for (const Field& field : system_.peer().field()) {
      const std::string fault = field.has_taken()
                                    ? absl::StrCat(Quoted(field.name()), " is taken over.")
                                    : FaultOf(Record::kSystemPeer, field, index_);
      if (!fault.empty()) Add("system.peer", fault);
      if (!seen.insert(field.name()).second) {
        Add("system.peer", Quoted(field.name()), " is given twice.");
      }
    }
    if (faults_.size() > before) return;
    for (const std::string& fault : FaultsOfConfig(Record::kSystemPeer, system_.peer(), index_)) {
      Add("system.peer", fault);
    }
  }

  uint64_t Planes() const { return std::max<uint64_t>(AgreedPlanes(vector_.config()), 1); }

  void CheckDelays() {
    const auto planes = static_cast<int>(Planes());
    if (system_.delays_size() == 0 || system_.delays_size() > planes) {
      Add("system.delays", "There are ", system_.delays_size(), " delays; the planes are ", planes,
          ", so there are 1 to ", planes, ".");
    }
    for (int i = 0; i < std::min(system_.delays_size(), planes); ++i) {
      const std::string member = absl::StrCat("system.delays[", i, "]");
      CheckBetween(member, "to_peer", system_.delays(i).to_peer(), kMinDelay, kMaxDelay);
      CheckBetween(member, "to_dut", system_.delays(i).to_dut(), kMinDelay, kMaxDelay);
    }
  }

  void CheckWord(absl::string_view member, absl::string_view name, absl::string_view word,
                 absl::Span<const absl::string_view> words) {
    if (std::find(words.begin(), words.end(), word) != words.end()) return;
    Add(member, Quoted(name), " is ", Quoted(word), ", not ", absl::StrJoin(words, " or "), ".");
  }

  void CheckFault(const std::string& member, const PathFault& fault) {
    CheckWord(member, "toward", fault.toward(), kEnds);
    CheckWord(member, "does", fault.does(), kDoes);
    if (fault.has_plane()) CheckBetween(member, "plane", fault.plane(), 0, Planes() - 1);
    if (fault.has_entropy()) CheckBetween(member, "entropy", fault.entropy(), 0, UINT16_MAX);
    if (fault.has_opcode()) CheckBetween(member, "opcode", fault.opcode(), 0, UINT8_MAX);
    if (fault.has_path()) CheckBetween(member, "path", fault.path(), 0, UINT8_MAX);
    if (fault.has_first()) CheckBetween(member, "first", fault.first(), 1, UINT32_MAX);
    if (fault.has_count()) CheckBetween(member, "count", fault.count(), 1, UINT32_MAX);
    if (fault.has_until() && fault.until() <= fault.from()) {
      Add(member, "\"until\" is ", fault.until(), " and \"from\" is ", fault.from(),
          ": there is no such time.");
    }
    if (fault.does() == "duplicate" || fault.does() == "delay") {
      CheckBetween(member, "by", fault.by(), fault.does() == "delay" ? 1 : 0, kMaxDelay);
    } else if (fault.by() != 0) {
      Add(member, "\"by\" belongs to duplicate and delay alone.");
    }
    if (fault.does() == "corrupt") {
      CheckBetween(member, "byte", fault.byte(), 0, UINT16_MAX);
    } else if (fault.byte() != 0) {
      Add(member, "\"byte\" belongs to corrupt alone.");
    }
    if (fault.note().size() > kMaxNoteBytes || Printable(fault.note()) != fault.note()) {
      Add(member, "The note has more than ", kMaxNoteBytes,
          " bytes, holds a control character or is no UTF-8.");
    }
  }

  //= CONF-SYSTEM-STEPS
  //# A bound names no parameter
  uint64_t CheckBound(absl::string_view member, const Bound& bound) {
    uint64_t sum = 0;
    for (const Term& term : bound.term()) {
      sum += std::min(term.nanoseconds(), kTimeLimit);
      if (term.kind_case() != Term::kParameter) continue;
      Add(member, "In a vector of level system a bound names no parameter.");
    }
    return sum;
  }

  void CheckSteps() {
    CheckLengths();
    uint64_t began = 0;  // the latest stimulus, or its first
    uint64_t now = 0;
    uint64_t end = 0;
    for (int i = 0; i < vector_.steps_size(); ++i) {
      const Step& step = vector_.steps(i);
      const std::string member = absl::StrCat("steps[", i, "]");
      const uint64_t span = uint64_t{std::min(step.repeat().count(), kMaxBurst)} *
                            std::min(step.repeat().every(), kTimeLimit / kMaxBurst);
      const uint64_t at = std::min(step.has_at()       ? step.at()
                                   : step.has_expect() ? began
                                                       : now,
                                   kTimeLimit);
      uint64_t bound = 0;
      if (step.has_expect()) {
        bound = CheckExpectation(absl::StrCat(member, ".expect"), step.expect());
      } else {
        CheckStimulus(member, step);
        began = at;
        now = at + span;
      }
      end = std::max(end, at + span + bound);
    }
    //= CONF-SYSTEM-STEPS
    //# no vector needs more than 100,000 turns.
    const uint64_t turn = ShortestDelay(system_);
    if (turn > 0 && end / turn >= kMaxTurns) {
      Add("steps", "They last ", end, " ns and the shortest delay is ", turn, " ns, so there are ",
          end / turn + 1, " turns; at most ", kMaxTurns, ".");
    }
  }

  //= CONF-SYSTEM
  //# What both ends post has 524,288 bytes at most
  void CheckLengths() {
    constexpr uint64_t kMost = 524288;
    uint64_t sum = 0;
    for (const Step& step : vector_.steps()) {
      const Field* kind = FindField(step.post(), "kind");
      const Field* length = FindField(step.post(), "length");
      if (!step.has_post() || length == nullptr || kind == nullptr) continue;
      if (kind->word() == "receive") continue;
      const uint64_t times = std::max<uint64_t>(1, std::min(step.repeat().count(), kMaxBurst));
      sum += times * std::min<uint64_t>(length->number(), UINT32_MAX);
    }
    if (sum > kMost) {
      Add("steps", "They post ", sum, " bytes; an answer of a device has room for ", kMost, ".");
    }
  }

  void CheckStimulus(const std::string& member, const Step& step) {
    if (step.peer() && !step.has_post()) {
      Add(member, "Of all stimuli only a post is of the peer.");
    }
    if (!step.has_post()) return;
    const Field* kind = FindField(step.post(), "kind");
    if (kind == nullptr) Add(member, "The post has no \"kind\".");
    if (kind != nullptr && kind->word() == "connect") {
      Add(member, "In a vector of level system nobody connects.");
    }
  }

  // How long it waits.
  uint64_t CheckExpectation(const std::string& member, const Expectation& expect) {
    if (expect.has_nothing()) return CheckBound(member, expect.nothing());
    if (expect.has_memory()) {
      const Placement& memory = expect.memory();
      if (!completes_) Add(member, "No completion is expected in front of it: it says not when.");
      if (memory.data().empty()) Add(member, "A memory of no bytes says nothing.");
      // One that ends at 2^64 itself lies within.
      if (!memory.data().empty() && memory.data().size() - 1 > UINT64_MAX - memory.address()) {
        Add(member, "\"address\" is ", memory.address(), " and there are ", memory.data().size(),
            " bytes; they do not end within 2^64.");
      }
      return 0;
    }
    completes_ = true;
    return std::max(CheckBound(member, expect.after()), CheckBound(member, expect.within()));
  }

  const Vector& vector_;
  const System& system_;
  const SpecIndex& index_;
  std::vector<std::pair<std::string, std::string>> faults_;
  bool completes_ = false;  // a completion was expected
};

}  // namespace

absl::string_view CapabilityOfPost(const Fields& post) {
  const Field* kind = FindField(post, "kind");
  if (kind == nullptr) return "";
  const absl::string_view word = kind->word();
  if (word.empty() || word == "receive") return "";
  const bool of_operator = word == "deny" || word == "lift" || word == "drain" || word == "port";
  return of_operator ? "endpoint-operator" : "endpoint-requester";
}

uint64_t ShortestDelay(const System& system) {
  uint64_t shortest = 0;
  for (const Delay& delay : system.delays()) {
    const uint64_t least = std::min(delay.to_peer(), delay.to_dut());
    if (shortest == 0 || least < shortest) shortest = least;
  }
  return shortest;
}

std::vector<std::pair<std::string, std::string>> FaultsOfSystem(const Vector& vector,
                                                                const SpecIndex& index) {
  return Checker(vector, index).Run();
}

}  // namespace metaroce::vectors
