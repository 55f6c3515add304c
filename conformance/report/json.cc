// The report as JSON, for programs.
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "conformance/report/report.h"
#include "conformance/report/summary.h"
#include "vectors/json_tree.h"

namespace metaroce::conformance {
namespace {

using vectors::JsonValue;

constexpr Verdict kAll[kVerdicts] = {Verdict::kPass,        Verdict::kFail,
                                     Verdict::kWaived,      Verdict::kUnexpectedPass,
                                     Verdict::kUnsupported, Verdict::kHarnessError};

constexpr absl::string_view kLevels[] = {"codec", "block", "endpoint", "system"};

void AddText(JsonValue& object, absl::string_view name, absl::string_view text) {
  if (!text.empty()) object.Add(name, JsonValue::String(text));
}

template <typename Texts>
JsonValue ListJson(const Texts& texts) {
  JsonValue out = JsonValue::Array();
  for (const std::string& text : texts) out.Add(JsonValue::String(text));
  return out;
}

JsonValue SidesJson(const std::vector<Side>& sides) {
  JsonValue out = JsonValue::Array();
  for (const Side& side : sides) {
    JsonValue one = JsonValue::Object();
    one.Add("field", JsonValue::String(side.field));
    AddText(one, "expected", side.expected);
    AddText(one, "got", side.got);
    one.Add("differs", JsonValue::Bool(side.differs));
    out.Add(std::move(one));
  }
  return out;
}

JsonValue ResultJson(const VectorResult& result, const PrintOptions& options) {
  JsonValue out = JsonValue::Object();
  out.Add("id", JsonValue::String(result.id));
  out.Add("path", JsonValue::String(result.path));
  out.Add("level", JsonValue::String(result.level));
  out.Add("suites", ListJson(result.suites));
  out.Add("verdict", JsonValue::String(Name(result.verdict)));
  out.Add("nanoseconds", JsonValue::Number(result.nanoseconds));
  if (result.verdict == Verdict::kFail || result.verdict == Verdict::kWaived) {
    const Divergence& divergence = result.divergence;
    out.Add("step", JsonValue::Number(static_cast<uint64_t>(divergence.step)));
    AddText(out, "clause", divergence.clause);
    AddText(out, "clause_level", divergence.level);
    AddText(out, "received", divergence.received);
    AddText(out, "expected", divergence.expected);
    AddText(out, "got", divergence.got);
    AddText(out, "state", divergence.state);
    if (!divergence.sides.empty()) out.Add("fields", SidesJson(divergence.sides));
    if (!options.replay_command.empty()) {
      out.Add("replay", JsonValue::String(options.replay_command + " --only " + result.id));
    }
  }
  AddText(out, "text", result.text);
  if (!result.waiver.vector.empty()) {
    JsonValue waiver = JsonValue::Object();
    waiver.Add("reason", JsonValue::String(result.waiver.reason));
    waiver.Add("owner", JsonValue::String(result.waiver.owner));
    waiver.Add("expires", JsonValue::String(result.waiver.expires));
    out.Add("waiver", std::move(waiver));
  }
  return out;
}

JsonValue CountsJson(const std::array<size_t, kVerdicts>& counts) {
  JsonValue out = JsonValue::Object();
  for (const Verdict verdict : kAll) {
    out.Add(Name(verdict), JsonValue::Number(counts[static_cast<size_t>(verdict)]));
  }
  return out;
}

JsonValue DutJson(const DutInfo& dut) {
  JsonValue out = JsonValue::Object();
  out.Add("name", JsonValue::String(dut.name));
  out.Add("version", JsonValue::String(dut.version));
  out.Add("spec_hash", JsonValue::String(dut.spec_hash));
  out.Add("capabilities", ListJson(dut.capabilities));
  JsonValue profile = JsonValue::Object();
  for (const auto& [name, value] : dut.profile) profile.Add(name, JsonValue::Number(value));
  out.Add("profile", std::move(profile));
  return out;
}

JsonValue RunJson(const Report& report, const PrintOptions& options) {
  JsonValue out = JsonValue::Object();
  AddText(out, "command", options.run_command);
  out.Add("selected", JsonValue::Number(report.run.selected));
  out.Add("played", JsonValue::Number(report.results.size()));
  AddText(out, "shard", report.run.shard);
  out.Add("jobs", JsonValue::Number(static_cast<uint64_t>(report.run.jobs)));
  out.Add("interrupted", JsonValue::Bool(report.run.interrupted));
  out.Add("failed_fast", JsonValue::Bool(report.run.failed_fast));
  out.Add("loading_ns", JsonValue::Number(report.run.loading_ns));
  out.Add("running_ns", JsonValue::Number(report.run.running_ns));
  return out;
}

JsonValue SummariesJson(const std::vector<Summary>& lines, bool clauses) {
  JsonValue out = JsonValue::Object();
  for (const Summary& line : lines) {
    JsonValue one = JsonValue::Object();
    AddText(one, "level", line.level);
    one.Add("verdict", JsonValue::String(line.verdict));
    JsonValue counts = CountsJson(line.counts);
    if (clauses) counts.Add("NOT_REACHED", JsonValue::Number(line.not_reached));
    one.Add("counts", std::move(counts));
    if (!line.failures.empty()) one.Add("failures", ListJson(line.failures));
    out.Add(line.name, std::move(one));
  }
  return out;
}

}  // namespace

std::string WriteJson(const Report& report, const PrintOptions& options) {
  JsonValue out = JsonValue::Object();
  out.Add("format", JsonValue::Number(uint64_t{kJsonFormat}));
  out.Add("spec_version", JsonValue::String(report.spec_version));
  out.Add("spec_hash", JsonValue::String(report.spec_hash));
  out.Add("dut", DutJson(report.dut));
  out.Add("ok", JsonValue::Bool(report.ok()));
  out.Add("run", RunJson(report, options));
  JsonValue counts = JsonValue::Object();
  for (const absl::string_view level : kLevels) {
    const auto of_level = report.Counts(level);
    if (of_level != std::array<size_t, kVerdicts>{}) counts.Add(level, CountsJson(of_level));
  }
  counts.Add("all", CountsJson(report.Counts()));
  out.Add("counts", std::move(counts));
  out.Add("suites", SummariesJson(SummariseSuites(report), false));
  out.Add("clauses", SummariesJson(SummariseClauses(report), true));
  JsonValue results = JsonValue::Array();
  for (const VectorResult& result : report.results) results.Add(ResultJson(result, options));
  out.Add("results", std::move(results));
  out.Add("notes", ListJson(report.notes));
  out.Add("problems", ListJson(report.problems));
  return vectors::WriteJson(out);
}

}  // namespace metaroce::conformance
