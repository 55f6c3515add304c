#include "conformance/export/unroll.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/play/script.h"
#include "conformance/play/stimulus.h"
#include "vectors/lint.h"

namespace metaroce::conformance {
namespace {

using vectors::Expectation;
using vectors::Step;

// The record alone.
Expectation WithoutBounds(Expectation expect) {
  expect.clear_after();
  expect.clear_within();
  return expect;
}

//= CONF-STEP
//# each stimulus is answered by exactly one event or rejection, and one expectation stands behind it
void Interleave(std::vector<FlatStep>& steps) {
  std::vector<FlatStep> stimuli;
  std::vector<FlatStep> expectations;
  for (FlatStep& flat : steps) (flat.stimulus ? stimuli : expectations).push_back(std::move(flat));
  steps.clear();
  for (size_t i = 0; i < std::max(stimuli.size(), expectations.size()); ++i) {
    if (i < stimuli.size()) steps.push_back(std::move(stimuli[i]));
    if (i < expectations.size()) steps.push_back(std::move(expectations[i]));
  }
}

}  // namespace

std::string WhyNoSeries(const vectors::Vector& vector) {
  if (vector.level() == vectors::SYSTEM) return "has a peer that answers";
  return HasNames(vector) ? "takes over what the device chose" : "";
}

absl::StatusOr<std::vector<FlatStep>> Unroll(const vectors::Vector& vector,
                                             const vectors::SpecIndex& index,
                                             const PacketCodec* codec) {
  if (const std::string why = WhyNoSeries(vector); !why.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(vector.id(), " ", why, ": only a bundle and JSON can say that."));
  }
  const DutInfo defaults;
  const Script script(vector, defaults, index);
  std::vector<FlatStep> out;
  uint64_t now = 0;      // of the first of the stimulus before
  uint64_t reached = 0;  // of its last
  int stimulus = -1;
  for (int i = 0; i < vector.steps_size(); ++i) {
    const Step& step = vector.steps(i);
    FlatStep flat;
    flat.step = i + 1;
    flat.note = step.note();
    if (vectors::IsStimulus(step)) {
      flat.stimulus = true;
      flat.clause = step.clause();
      now = step.has_at() ? step.at() : reached;
      reached = now;
      stimulus = i;
      for (uint32_t k = 0; k < CountOf(step); ++k) {
        reached = now + k * step.repeat().every();
        flat.request.Clear();
        flat.request.set_vector(vector.id());
        flat.request.set_step(static_cast<uint32_t>(flat.step));
        const absl::Status made =
            MakeRequest(vector, step, k, reached, codec, index, &flat.request);
        if (!made.ok()) {
          return absl::InvalidArgumentError(
              absl::StrCat(vector.id(), ": steps[", i, "]: ", made.message()));
        }
        out.push_back(flat);
      }
      continue;
    }
    Waiting waiting = script.Wait(i, stimulus, now);
    flat.clause = script.ClauseOf(i);
    for (; waiting.next < waiting.count; ++waiting.next) {
      Expectation grown;
      flat.expect = WithoutBounds(script.Next(waiting, &grown));
      if (script.timed()) {
        flat.from = waiting.nothing ? waiting.base() : waiting.base() + waiting.after;
        flat.until = waiting.deadline();
      }
      out.push_back(flat);
    }
  }
  if (!script.timed()) Interleave(out);
  return out;
}

}  // namespace metaroce::conformance
