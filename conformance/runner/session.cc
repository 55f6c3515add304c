#include "conformance/runner/session.h"

#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/serve.h"
#include "conformance/system/system.h"
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
    previous_ = nullptr;
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
    const std::string said =
        answer.has_error()
            ? absl::StrCat("It answers Error: ", Printable(Shorten(answer.error().text(), 200)))
            : "The DUT's answer to Hello is of another kind.";
    why = absl::StrCat(fault.ok() ? said : fault.text,
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
  sink_.Connected(info_);
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

void Session::ChargePrevious(const Fault& fault) {
  if (previous_ == nullptr || previous_failed_) return;  // its first divergence stands
  previous_failed_ = true;
  sink_.Played(previous_number_, ChargedAfterwards(*previous_, index_, fault));
}

VectorResult Session::Judge(const vectors::StoredVector& stored, size_t number) {
  const auto harness_error = [&](std::string text) {
    VectorResult result;
    result.verdict = Verdict::kHarnessError;
    result.text = std::move(text);
    return result;
  };
  if (!stored.findings.empty()) return harness_error(Printable(stored.findings.front()));
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
    VectorResult result;
    result.verdict = Verdict::kUnsupported;
    result.text = unbound;
    return result;
  }
  const auto play = [&] {
    const auto player = stored.vector.level() == vectors::SYSTEM ? PlaySystem : Play;
    return player(stored.vector, info_, index_, codec_, dut_, ids_, progress_);
  };
  PlayResult played = play();
  if (played.fault != FaultKind::kNone && !played.answered && previous_ != nullptr) {
    // It broke before it answered anything of this vector. If a fresh device plays the vector, it
    // was the vector before that left it broken.
    const PlayResult first = played;
    const vectors::Vector* previous = previous_;
    Break();
    if (EnsureRunning()) {
      played = play();
      if (played.fault == FaultKind::kNone || played.answered) {
        previous_ = previous;
        ChargePrevious({first.fault, first.divergence.got});
      }
    }
  }
  if (played.fault != FaultKind::kNone) Break();
  VectorResult result = VerdictOf(played);
  previous_ = &stored.vector;
  previous_number_ = number;
  previous_failed_ = result.verdict == Verdict::kFail;
  return result;
}

void Session::PlayOne(const vectors::StoredVector& stored, size_t number) {
  const auto begin = std::chrono::steady_clock::now();
  VectorResult result = Judge(stored, number);
  const auto took = std::chrono::steady_clock::now() - begin;
  result.nanoseconds =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
  sink_.Played(number, result);
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
  if (!fault.ok()) sink_.Problem(absl::StrCat(fault.text, " (CONF-BYE)"));
  running_ = false;
}

//= CONF-SURPLUS
//# Bytes that nobody asked for fail the vector after whose last request they came.
VectorResult ChargedAfterwards(const vectors::Vector& vector, const vectors::SpecIndex& index,
                               const Fault& fault) {
  VectorResult result;
  result.verdict = Verdict::kFail;
  result.divergence.step = vector.steps_size();
  result.divergence.clause = fault.kind == FaultKind::kGarbage ? "CONF-SURPLUS" : "CONF-DEATH";
  result.divergence.level = index.ClauseLevel(result.divergence.clause).value_or("");
  result.divergence.received = "nothing more, the vector was over";
  result.divergence.expected = "silence until the next request";
  result.divergence.got = fault.text;
  return result;
}

//= CONF-VERDICT
//# A run gives each vector exactly one verdict.
VectorResult VerdictOf(const PlayResult& played) {
  VectorResult result;
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
  return result;
}

}  // namespace metaroce::conformance
