// What can be said of a vector and a device without playing: whether one binds the other, and how
// it ends if the device is gone.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/play/play.h"

namespace metaroce::conformance {

using vectors::Vector;

//= CONF-CLAIM
//# A vector binds an implementation that declares every capability the vector requires and whose
//# profile satisfies every predicate of the vector.
std::string WhyUnbound(const Vector& vector, const DutInfo& info, const vectors::SpecIndex& index) {
  for (const std::string& capability : vector.capabilities()) {
    if (!info.Has(capability)) return absl::StrCat("The DUT does not declare ", capability, ".");
  }
  for (const vectors::Predicate& predicate : vector.profile()) {
    const uint64_t value = ParameterOf(predicate.parameter(), info, index).value_or(0);
    const bool holds = predicate.relation() == "<="   ? value <= predicate.value()
                       : predicate.relation() == ">=" ? value >= predicate.value()
                                                      : value == predicate.value();
    if (!holds) {
      return absl::StrCat("The DUT's ", predicate.parameter(), " is ", value, "; the vector needs ",
                          predicate.relation(), " ", predicate.value(), ".");
    }
  }
  return "";
}

PlayResult Broken(const Vector& vector, const DutInfo& info, const vectors::SpecIndex& index,
                  const PacketCodec* codec, const Progress& progress, const Fault& fault) {
  const Script script(vector, info, index);
  PlayResult result;
  result.kind = PlayKind::kDiverged;
  result.fault = fault.kind;
  result.answered = progress.answered;
  Divergence& divergence = result.divergence;
  divergence.step = progress.step + 1;
  divergence.clause = "CONF-DEATH";
  divergence.level = script.LevelOf(divergence.clause);
  divergence.received = script.Received(progress.stimulus, progress.sent, progress.at, codec);
  divergence.expected =
      progress.waits ? script.Describe(progress.waiting, codec) : "an answer that fits the request";
  divergence.got = fault.text;
  for (Mark& mark : MarksOf(script, codec)) {
    if (mark.kind != Mark::Kind::kStimulus || mark.step > divergence.step) continue;
    divergence.marks.push_back(std::move(mark));
  }
  if (progress.waits) {
    divergence.marks.push_back(MarkOfExpectation(script, progress.waiting, codec));
  }
  return result;
}

}  // namespace metaroce::conformance
