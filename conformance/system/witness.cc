#include "conformance/system/witness.h"

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/duts/model/setup.h"
#include "conformance/play/compare.h"
#include "conformance/play/stimulus.h"

namespace metaroce::conformance {
namespace {

packet::Bytes BytesOf(const std::string& frame) {
  return {reinterpret_cast<const uint8_t*>(frame.data()), frame.size()};
}

Unexplained InWords(const check::Verdict& verdict) {
  Unexplained out;
  const check::Record& record = *verdict.record;
  out.at = static_cast<uint64_t>(verdict.missing ? verdict.latest : record.at);
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

void Witness::Posts(const FieldList& post) {
  Work work;
  std::string kind;
  for (const dut::Field& field : post) {
    if (field.name() == "kind") kind = field.word();
    if (field.name() == "id") work.id = field.number();
    if (field.name() == "stream") work.stream = static_cast<uint16_t>(field.number());
  }
  work.responds = kind == "read" || kind == "fetch-add" || kind == "compare-swap";
  if (work.responds || absl::StartsWith(kind, "write") || absl::StartsWith(kind, "send")) {
    posts_.push_back(work);
  }
}

void Witness::Told(uint64_t at, const dut::Completion& completion) {
  std::string kind;
  std::string status;
  uint64_t id = 0;
  for (const dut::Field& field : completion.field()) {
    if (field.name() == "kind") kind = field.word();
    if (field.name() == "status") status = field.word();
    if (field.name() == "id") id = field.number();
  }
  if (kind == "work" && status == "success") successes_.push_back({at, id});
  if (kind != "refused") return;
  const auto refused =
      std::find_if(posts_.rbegin(), posts_.rend(), [&](const Work& work) { return work.id == id; });
  if (refused != posts_.rend()) refused->refused = true;
}

// The first work that the device completed before the text does. An id that is posted twice says
// not of which it speaks.
//
//= CONF-SYSTEM-VERDICT
//# No work request is told to be a success before the moment at which it is one.
std::optional<Unexplained> Witness::TooEarly(const check::Result& result, uint32_t start_msn,
                                             uint64_t until) const {
  std::map<uint64_t, uint64_t> done;  // by stream and MSN
  for (const check::Completed& work : result.completed) {
    if (work.success) {
      done.emplace(FaceOf(work.stream, Msn(work.msn)), static_cast<uint64_t>(work.at));
    }
  }
  std::map<uint16_t, Msn> next;
  std::map<uint64_t, std::pair<const Work*, uint64_t>> faces;  // by id; null: of several
  for (const Work& work : posts_) {
    uint64_t face = 0;
    if (!work.refused) {
      Msn& msn = next.try_emplace(work.stream, Msn(start_msn)).first->second;
      face = FaceOf(work.stream, msn);
      ++msn;
    }
    const auto [at, fresh] = faces.emplace(work.id, std::pair(&work, face));
    if (!fresh) at->second.first = nullptr;
  }
  for (const Success& success : successes_) {
    if (success.at > until) break;
    const auto posted = faces.find(success.id);
    if (posted == faces.end() || posted->second.first == nullptr) continue;
    const Work& work = *posted->second.first;
    const auto at = done.find(posted->second.second);
    if (!work.refused && at != done.end() && at->second <= success.at) continue;
    Unexplained out;
    out.at = success.at;
    const spec::Clause clause =
        work.responds ? spec::clause::kMsgDoneResponse : spec::clause::kMsgDoneAcknowledged;
    out.clause = std::string(spec::Info(clause).id);
    out.expected = absl::StrCat("no success of the work with id = ", success.id, " before ",
                                work.responds ? "its response is placed" : "it is acknowledged",
                                " and all before it on its stream is done");
    out.got = absl::StrCat("the success at ", success.at, " ns");
    return out;
  }
  return std::nullopt;
}

//= CONF-SYSTEM-VERDICT
//# The text explains what the DUT sent
absl::StatusOr<std::optional<Unexplained>> Witness::Explain(const FieldList& config,
                                                            const DutInfo& info,
                                                            const vectors::SpecIndex& index,
                                                            uint64_t until) const {
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
  add(until + 1, 0, true, {});
  const absl::StatusOr<check::Result> result = check::CheckSide(trace, 0, declared);
  if (!result.ok()) return result.status();
  uint64_t start_msn = 0;
  for (const dut::Field& field : config) {
    if (field.name() == "local.start_msn") start_msn = field.number();
  }
  if (!result->verdict.has_value()) {
    return TooEarly(*result, static_cast<uint32_t>(start_msn), until);
  }
  Unexplained packet = InWords(*result->verdict);
  if (packet.at == 0) return packet;
  auto early = TooEarly(*result, static_cast<uint32_t>(start_msn), packet.at - 1);
  return early.has_value() ? early : packet;
}

}  // namespace metaroce::conformance
