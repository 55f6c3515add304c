#include "conformance/play/script.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/play/match.h"
#include "conformance/play/stimulus.h"
#include "vectors/lint.h"
#include "vectors/records.h"

namespace metaroce::conformance {

using vectors::Expectation;
using vectors::Step;
using vectors::Term;

std::optional<uint64_t> ParameterOf(absl::string_view name, const DutInfo& info,
                                    const vectors::SpecIndex& index) {
  const auto own = info.profile.find(std::string(name));
  if (own != info.profile.end()) return own->second;
  const auto parameter = index.Parameter(name);
  if (!parameter.has_value()) return std::nullopt;
  return parameter->value;
}

Script::Script(const vectors::Vector& vector, const DutInfo& info, const vectors::SpecIndex& index)
    : vector_(vector), info_(info), index_(index), timed_(vectors::IsTimed(vector)) {}

std::string Script::ClauseOf(int step) const {
  if (step >= 0 && step < vector_.steps_size() && !vector_.steps(step).clause().empty()) {
    return vector_.steps(step).clause();
  }
  return vector_.clauses_size() > 0 ? vector_.clauses(0) : "";
}

std::string Script::LevelOf(absl::string_view clause) const {
  return index_.ClauseLevel(clause).value_or("");
}

uint64_t Script::ValueOf(const vectors::Bound& bound) const {
  uint64_t sum = 0;
  for (const Term& term : bound.term()) {
    if (term.kind_case() == Term::kNanoseconds) {
      sum += term.nanoseconds();
      continue;
    }
    const vectors::Field* set = vectors::FindField(vector_.config(), term.parameter());
    sum +=
        set != nullptr ? set->number() : ParameterOf(term.parameter(), info_, index_).value_or(0);
  }
  return sum;
}

Waiting Script::Wait(int step, int stimulus, uint64_t stimulus_at) const {
  const Step& source = vector_.steps(step);
  const Expectation& expect = source.expect();
  Waiting waiting;
  waiting.step = step;
  waiting.stimulus = stimulus;
  waiting.count = CountOf(source);
  waiting.every = source.repeat().every();
  waiting.at = source.has_at() ? source.at() : stimulus_at;
  waiting.nothing = expect.kind_case() == Expectation::kNothing;
  // One of several is taken for what its first is.
  const Expectation& kind =
      expect.one_of().outcomes_size() > 0 ? expect.one_of().outcomes(0) : expect;
  waiting.completion = kind.has_completion();
  waiting.placement = kind.has_placement();
  waiting.after = ValueOf(expect.after());
  waiting.within = waiting.nothing       ? ValueOf(expect.nothing())
                   : expect.has_within() ? ValueOf(expect.within())
                                         : waiting.after;
  return waiting;
}

const Expectation& Script::Next(const Waiting& waiting, Expectation* grown) const {
  const Step& step = vector_.steps(waiting.step);
  if (waiting.next == 0 || step.repeat().by().field_size() == 0) return step.expect();
  *grown = step.expect();
  GrowExpectation(*grown, step.repeat().by(), waiting.next, vector_, index_);
  return *grown;
}

std::string Script::Describe(const Waiting& waiting, const PacketCodec* codec) const {
  Expectation grown;
  const std::string what = conformance::Describe(Next(waiting, &grown), codec);
  if (!timed_) return what;
  if (waiting.nothing) return absl::StrCat("nothing until ", waiting.deadline(), " ns");
  if (waiting.after == waiting.within)
    return absl::StrCat(what, ", at ", waiting.deadline(), " ns");
  return absl::StrCat(what, ", by ", waiting.deadline(), " ns");
}

std::string Script::Received(int stimulus, uint32_t k, uint64_t at,
                             const PacketCodec* codec) const {
  if (stimulus < 0) return "the configuration";
  return absl::StrCat(DescribeStimulus(vector_.steps(stimulus), k, at, timed_, codec),
                      MachineBefore(stimulus, k));
}

std::string Script::MachineBefore(int stimulus, uint32_t k) const {
  const vectors::Field* machine = vectors::FindField(vector_.config(), "machine");
  if (vector_.level() != vectors::BLOCK || machine == nullptr) return "";
  // All that was expected before has come, so the state is the one that was expected last.
  const vectors::Field* state = vectors::FindField(vector_.config(), "state");
  for (int i = 0; i < stimulus; ++i) {
    const Expectation& expect = vector_.steps(i).expect();
    const vectors::Field* now =
        vectors::FindField(expect.has_fields() ? expect.fields() : expect.includes(), "state");
    if (now != nullptr) state = now;
  }
  const bool known = state != nullptr && state->has_word() && k == 0;
  return absl::StrCat("    machine ", machine->word(),
                      known ? absl::StrCat(" in state ", state->word()) : "");
}

}  // namespace metaroce::conformance
