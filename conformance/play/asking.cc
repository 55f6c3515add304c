#include "conformance/play/asking.h"

#include "absl/strings/str_cat.h"
#include "conformance/play/compare.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::Printable;
using vectors::Shorten;

// The capability of setting constants.
constexpr absl::string_view kConstants = "constants";

}  // namespace

void Asking::Number(dut::Request& request, int step) {
  request.set_id(ids_.Next());
  request.set_vector(vector_.id());
  request.set_step(static_cast<uint32_t>(step + 1));
}

std::optional<Misfit> Asking::Ask(dut::Request& request, int step, dut::Answer* answer) {
  Number(request, step);
  const Fault fault = dut_.Ask(request, answer);
  if (!fault.ok()) {
    //= CONF-DEATH
    //# fails the vector in which it does so, whatever was expected.
    const std::string log = dut_.LogTail();
    return Misfit{"CONF-DEATH",
                  absl::StrCat(fault.text, log.empty() ? "" : absl::StrCat(" Its log: ", log)),
                  fault.kind};
  }
  //= CONF-ANSWER
  //# An answer of a kind that does not fit the request fails the vector.
  switch (answer->kind_case()) {
    case dut::Answer::kError:
      return Misfit{"CONF-ERROR", absl::StrCat("the answer Error: ",
                                               Printable(Shorten(answer->error().text(), 200)))};
    case dut::Answer::kUnsupported:
      return Refused(request, answer->unsupported().capability());
    case dut::Answer::kDone:
      return std::nullopt;
    case dut::Answer::kReject:
      if (request.apply().has_decode()) return std::nullopt;
      return Misfit{"CONF-ANSWER", "the answer Reject, which only a Decode can have"};
    default:
      return Misfit{"CONF-ANSWER", "an answer of a kind that does not fit the request"};
  }
}

// CONF-UNSUPPORTED: anything but these refusals is an answer that does not fit.
//
//= CONF-UNSUPPORTED
//# Any other `Unsupported` is an answer that does not fit the request
std::optional<Misfit> Asking::Refused(const dut::Request& request,
                                      const std::string& capability) const {
  const std::string answer =
      absl::StrCat("the answer Unsupported ", Printable(Shorten(capability, 60)));
  const auto misfit = [&](absl::string_view why) {
    return Misfit{"CONF-ANSWER", absl::StrCat(answer, why)};
  };
  if (!request.has_reset()) return misfit(", which only a Reset or a Snapshot can have");
  if (!index_.HasCapability(capability)) return misfit(", and the text has no such capability");
  if (info_.Has(capability)) return misfit(", a capability that the DUT declared");
  if (!Needs(capability)) return misfit(", a capability that this Reset does not need");
  return Misfit{"", absl::StrCat("The DUT answered Unsupported: ", capability, ".")};
}

// What the vector lists is declared, or it would not be played. What else a Reset may need is
// that a constant can be set to another value than the device has (CONF-CONSTANTS).
bool Asking::Needs(absl::string_view capability) const {
  if (capability != kConstants) return false;
  for (const vectors::Field& field : vector_.config().field()) {
    const auto parameter = index_.Parameter(field.name());
    if (!parameter.has_value()) continue;
    if (ParameterOf(field.name(), info_, index_) != field.number()) return true;
  }
  return false;
}

std::string Asking::Snapshot(int step, FaultKind* left) {
  //= CONF-SNAPSHOT
  //# Runners show the answer and never compare it.
  if (!info_.Has("snapshot")) return "";
  dut::Request request;
  Number(request, step);
  request.mutable_snapshot();
  dut::Answer answer;
  const Fault fault = dut_.Ask(request, &answer);
  if (!fault.ok()) {
    *left = fault.kind;
    return absl::StrCat("not known: ", fault.text);
  }
  if (answer.done().event_size() != 1 || !answer.done().event(0).has_fields()) return "";
  const DutFields& fields = answer.done().event(0).fields().field();
  return fields.empty() ? "" : Show(FromDut(fields), 200);
}

//= CONF-EVENTS
//# not before the time of the request before it, not after the time of this request, and not
//# before the event that stands in front of it.
std::optional<Misfit> JudgeEvent(const dut::Event& event, uint64_t earliest, uint64_t latest) {
  if (event.at_ns() > latest || event.at_ns() < earliest) {
    return Misfit{"CONF-EVENTS", absl::StrCat("an event at ", event.at_ns(), " ns, not between ",
                                              earliest, " and ", latest, " ns")};
  }
  if (event.kind_case() == dut::Event::KIND_NOT_SET) {
    return Misfit{"CONF-EVENTS", "an event of no kind"};
  }
  std::string fault = event.has_fields()       ? FaultOfRecord(event.fields().field())
                      : event.has_completion() ? FaultOfRecord(event.completion().field())
                                               : "";
  if (fault.empty()) return std::nullopt;
  return Misfit{"CONF-RECORDS", std::move(fault)};
}

}  // namespace metaroce::conformance
