#include "conformance/system/witness.h"

#include "absl/strings/str_cat.h"
#include "conformance/check/check.h"
#include "conformance/duts/model/setup.h"
#include "conformance/play/compare.h"
#include "conformance/play/stimulus.h"

namespace metaroce::conformance {
namespace {

packet::Bytes BytesOf(const std::string& frame) {
  return {reinterpret_cast<const uint8_t*>(frame.data()), frame.size()};
}

// The configuration, with the constants that the device has of its own.
FieldList WholeConfig(const vectors::Vector& vector, const DutInfo& info,
                      const vectors::SpecIndex& index) {
  FieldList config;
  ToDut(vector.config(), &config);
  for (const auto& [name, value] : info.profile) {
    const auto parameter = index.Parameter(name);
    if (!parameter.has_value() || parameter->profile || parameter->fixed) continue;
    if (vectors::FindField(vector.config(), name) == nullptr) AddNumber(name, value, &config);
  }
  return config;
}

Unexplained InWords(const check::Verdict& verdict) {
  Unexplained out;
  const check::Record& record = *verdict.record;
  out.at = static_cast<uint64_t>(record.at);
  out.clause = std::string(spec::Info(verdict.clause).id);
  const std::string field = verdict.field.empty() ? "" : absl::StrCat(verdict.field, " ");
  out.expected = absl::StrCat(field, verdict.expected);
  out.got = absl::StrCat(field, verdict.got);
  if (!verdict.missing) {
    absl::StrAppend(&out.got, ", in ",
                    record.parsed.ok() ? check::Title(record.packet) : "what it sent", " at ",
                    out.at, " ns");
    out.frame.assign(reinterpret_cast<const char*>(record.frame.data()), record.frame.size());
  }
  if (!verdict.why.empty()) absl::StrAppend(&out.got, ". ", verdict.why);
  return out;
}

}  // namespace

//= CONF-SYSTEM-VERDICT
//# The text explains what the DUT sent
absl::StatusOr<std::optional<Unexplained>> Witness::Explain(const vectors::Vector& vector,
                                                            const DutInfo& info,
                                                            const vectors::SpecIndex& index,
                                                            uint64_t until) const {
  const FieldList config = WholeConfig(vector, info, index);
  const Setup setup(config);
  absl::StatusOr<endpoint::Settings> settings = setup.Settings();
  if (!settings.ok()) return settings.status();
  packet::ParseOptions options;
  options.udp_port = static_cast<uint16_t>(settings->profile[spec::Constant::kUdpPort]);
  check::Declared declared;
  declared.settings = *std::move(settings);
  declared.settings.ack_max =
      static_cast<Nanoseconds>(ParameterOf("ack_max", info, index).value_or(0));
  declared.react_max = static_cast<Nanoseconds>(ParameterOf("react_max", info, index).value_or(0));
  declared.open = [&setup](endpoint::Endpoint* endpoint) -> absl::StatusOr<uint32_t> {
    class : public endpoint::Sink {
    } nobody;
    SparseMemory memory;
    endpoint::Step step;
    step.sink = &nobody;
    step.memory = &memory;
    const absl::Status status = setup.Establish(endpoint, step);
    if (!status.ok()) return status;
    return setup.Cid();
  };
  check::Trace trace;
  trace.records.reserve(records_.size() + 1);
  const auto add = [&](uint64_t at, uint32_t plane, bool received, packet::Bytes frame) {
    check::Record& record = trace.records.emplace_back();
    record.number = trace.records.size();
    record.at = static_cast<Nanoseconds>(at);
    record.plane = static_cast<uint8_t>(plane);
    record.received = received;
    record.frame = frame;
    record.parsed = packet::Parse(frame, options, &record.packet);
  };
  for (const Record& record : records_) {
    if (record.at <= until) add(record.at, record.plane, record.received, BytesOf(record.frame));
  }
  // A frame of no bytes does nothing; but what is due before it must have left.
  add(until, 0, true, {});
  const absl::StatusOr<check::Result> result = check::CheckSide(trace, 0, declared);
  if (!result.ok()) return result.status();
  if (!result->verdict.has_value()) return std::nullopt;
  return InWords(*result->verdict);
}

}  // namespace metaroce::conformance
