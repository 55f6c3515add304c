#include "conformance/runner/session.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/serve.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::Printable;
using vectors::Shorten;

// How often in a row a device may end, or answer garbage, when it comes up. One that hangs is not
// waited for again.
constexpr int kStarts = 3;
constexpr size_t kMaxNameBytes = 80;
constexpr int kMaxCapabilities = 1000;

}  // namespace

std::string Session::TakeHello(const dut::HelloAnswer& hello) {
  //= CONF-HELLO
  //# A runner does not go on with a DUT of another contract version.
  if (hello.contract() != kContractVersion) {
    return absl::StrCat("The DUT speaks version ", hello.contract(),
                        " of the contract, the runner version ", kContractVersion, ".");
  }
  if (hello.capability_size() > kMaxCapabilities || hello.profile_size() > kMaxCapabilities) {
    return "The DUT declares more capabilities or parameters than any text has.";
  }
  DutInfo info;
  info.name = Printable(Shorten(hello.name(), kMaxNameBytes));
  info.version = Printable(Shorten(hello.version(), kMaxNameBytes));
  info.spec_hash = Printable(Shorten(hello.spec_hash(), kMaxNameBytes));
  for (const std::string& capability : hello.capability()) {
    //= CONF-CAPABILITY
    //# An implementation declares the capabilities that it has, out of the block below.
    if (index_.HasCapability(capability)) info.capabilities.insert(capability);
  }
  for (const dut::Field& field : hello.profile()) {
    const auto parameter = index_.Parameter(field.name());
    if (!parameter.has_value()) continue;
    //= PROFILE-PARAMETERS
    //# A value outside the range does not conform.
    if (field.value_case() != dut::Field::kNumber || field.number() < parameter->min ||
        field.number() > parameter->max) {
      return absl::StrCat("The DUT's profile gives ", field.name(), " no number between ",
                          parameter->min, " and ", parameter->max, " (PROFILE-PARAMETERS).");
    }
    info.profile[field.name()] = field.number();
  }
  info_ = std::move(info);
  return "";
}

absl::Status Session::Start() {
  absl::Status status;
  std::string why;
  for (int attempt = 0; attempt < kStarts; ++attempt) {
    status = dut_.Start();
    if (!status.ok()) break;
    ids_ = RequestIds();
    previous_ = -1;
    dut::Request request;
    request.set_id(ids_.Next());
    request.mutable_hello()->set_contract(kContractVersion);
    request.mutable_hello()->set_spec_version(index_.version());
    request.mutable_hello()->set_spec_hash(index_.hash());
    dut::Answer answer;
    const Fault fault = dut_.Ask(request, &answer);
    if (fault.ok() && answer.has_hello()) {
      unreachable_ = TakeHello(answer.hello());
      running_ = unreachable_.empty();
      if (!running_) dut_.Kill();
      return absl::OkStatus();
    }
    const std::string log = dut_.LogTail();
    why = absl::StrCat(fault.ok() ? "The DUT's answer to Hello is of another kind." : fault.text,
                       log.empty() ? "" : absl::StrCat(" Its log: ", log));
    dut_.Kill();
    if (fault.kind == FaultKind::kHung) break;
  }
  unreachable_ = status.ok() ? absl::StrCat("The DUT does not answer Hello: ", why)
                             : std::string(status.message());
  return status;
}

absl::Status Session::Connect() {
  absl::Status status = Start();
  if (!status.ok() || !running_) return status;
  report_.dut = info_;
  if (info_.spec_hash != index_.hash()) {
    report_.notes.push_back(absl::StrCat(
        "The DUT was built from ",
        info_.spec_hash.empty() ? "a text it does not name"
                                : absl::StrCat("the text ", info_.spec_hash.substr(0, 12)),
        ", the vectors from the text ", index_.hash().substr(0, 12), "."));
  }
  return absl::OkStatus();
}

bool Session::EnsureRunning() {
  if (!running_ && unreachable_.empty()) {
    // That a device which once started does so no more is told by `unreachable_`.
    const absl::Status status = Start();
    (void)status;
  }
  return running_;
}

void Session::Break() {
  dut_.Kill();
  running_ = false;
}

//= CONF-SURPLUS
//# Bytes that nobody asked for fail the vector after whose last request they came.
void Session::ChargePrevious(const Fault& fault) {
  if (previous_ < 0) return;
  VectorResult& result = report_.results[static_cast<size_t>(previous_)];
  if (result.verdict == Verdict::kFail) return;  // its first divergence stands
  const std::string clause = fault.kind == FaultKind::kGarbage ? "CONF-SURPLUS" : "CONF-DEATH";
  result.verdict = Verdict::kFail;
  result.text.clear();
  result.divergence = Divergence();
  result.divergence.step = previous_steps_;
  result.divergence.clause = clause;
  result.divergence.level = index_.ClauseLevel(clause).value_or("");
  result.divergence.received = "nothing more, the vector was over";
  result.divergence.expected = "silence until the next request";
  result.divergence.got = fault.text;
}

//= CONF-VERDICT
//# A run gives each vector exactly one verdict.
void Session::SetResult(const PlayResult& played, VectorResult& result) {
  result.text = played.text;
  switch (played.kind) {
    case PlayKind::kMet:
      result.verdict = Verdict::kPass;
      break;
    case PlayKind::kDiverged:
      result.verdict = Verdict::kFail;
      result.divergence = played.divergence;
      break;
    case PlayKind::kUnsupported:
      result.verdict = Verdict::kUnsupported;
      break;
    case PlayKind::kHarness:
      result.verdict = Verdict::kHarnessError;
      break;
  }
}

void Session::PlayOne(const vectors::StoredVector& stored) {
  const size_t own = report_.results.size() - 1;
  const auto harness_error = [&](std::string text) {
    report_.results[own].verdict = Verdict::kHarnessError;
    report_.results[own].text = std::move(text);
  };
  if (!stored.findings.empty()) {
    return harness_error(Printable(stored.findings.front()));
  }
  if (running_) {
    const Fault fault = dut_.Quiet();
    if (!fault.ok()) {
      ChargePrevious(fault);
      Break();
    }
  }
  if (!EnsureRunning()) return harness_error(unreachable_);
  const std::string unbound = WhyUnbound(stored.vector, info_, index_);
  if (!unbound.empty()) {
    report_.results[own].verdict = Verdict::kUnsupported;
    report_.results[own].text = unbound;
    return;
  }
  PlayResult played = Play(stored.vector, info_, index_, codec_, dut_, ids_);
  if (played.fault != FaultKind::kNone && !played.answered && previous_ >= 0) {
    // It broke before it answered anything of this vector. If a fresh device plays the vector, it
    // was the vector before that left it broken.
    const PlayResult first = played;
    const int previous = previous_;
    Break();
    if (EnsureRunning()) {
      played = Play(stored.vector, info_, index_, codec_, dut_, ids_);
      if (played.fault == FaultKind::kNone || played.answered) {
        previous_ = previous;
        ChargePrevious({first.fault, first.divergence.got});
      }
    }
  }
  SetResult(played, report_.results[own]);
  previous_ = static_cast<int>(own);
  previous_steps_ = stored.vector.steps_size();
  if (played.fault != FaultKind::kNone) Break();
}

void Session::End() {
  if (!running_) return;
  const Fault quiet = dut_.Quiet();
  if (!quiet.ok()) {
    ChargePrevious(quiet);
    return Break();
  }
  dut::Request bye;
  bye.set_id(ids_.Next());
  bye.mutable_bye();
  const Fault fault = dut_.Bye(bye);
  if (!fault.ok()) report_.problems.push_back(absl::StrCat(fault.text, " (CONF-BYE)"));
  running_ = false;
}

}  // namespace metaroce::conformance
