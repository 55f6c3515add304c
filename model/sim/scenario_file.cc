#include "model/sim/scenario_file.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "model/endpoint/endpoint.h"

namespace metaroce::sim {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::TextFormat;

constexpr uint64_t kMaxConnections = 65536;
// In one direction each; a link takes about 100 bytes.
constexpr uint64_t kMaxLinks = 1 << 20;
constexpr uint64_t kMaxWindows = 1000000;
constexpr size_t kMaxPattern = 65536;
// Work posted and not complete, of all connections: each takes some hundred bytes.
constexpr uint64_t kMaxOutstanding = uint64_t{1} << 22;

absl::Status Invalid(const std::string& sentence) { return absl::InvalidArgumentError(sentence); }

// Keeps the first error.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (!text_.empty()) return;
    text_ = message;
    place_ = absl::StrCat(line + 1, ":", column + 1);
  }
  const std::string& text() const { return text_; }
  const std::string& place() const { return place_; }

 private:
  std::string text_;
  std::string place_;
};

// One sentence; the library's end with a full stop or without.
std::string Sentence(absl::string_view text) {
  while (absl::ConsumeSuffix(&text, ".")) {
  }
  return absl::StrCat(text, ".");
}

uint64_t NumberOf(const Message& message, const FieldDescriptor* field, int index) {
  const Reflection& r = *message.GetReflection();
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32) {
    return index < 0 ? r.GetUInt32(message, field) : r.GetRepeatedUInt32(message, field, index);
  }
  return index < 0 ? r.GetUInt64(message, field) : r.GetRepeatedUInt64(message, field, index);
}

absl::Status CheckRange(const std::string& place, uint64_t value, const Range& range) {
  if (value >= range.min() && value <= range.max()) return absl::OkStatus();
  const std::string unit = range.unit().empty() ? "" : absl::StrCat(" ", range.unit());
  return Invalid(absl::StrCat(place, " is ", value, "; it must be between ", range.min(), " and ",
                              range.max(), unit, "."));
}

// Every number of the message lies in the range that scenario.proto gives.
absl::Status CheckRanges(const std::string& prefix, const Message& message) {
  const Reflection& r = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  r.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const std::string place = absl::StrCat(prefix, field->name());
    const int count = field->is_repeated() ? r.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      const std::string at = field->is_repeated() ? absl::StrCat(place, "[", i, "]") : place;
      absl::Status status;
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        status = CheckRanges(absl::StrCat(at, "."), field->is_repeated()
                                                        ? r.GetRepeatedMessage(message, field, i)
                                                        : r.GetMessage(message, field));
      } else if (field->options().HasExtension(range)) {
        status = CheckRange(at, NumberOf(message, field, field->is_repeated() ? i : -1),
                            field->options().GetExtension(range));
      }
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status CheckLink(const std::string& place, const Link& link) {
  if (link.ramp_bytes() > 0 && link.ramp_bytes() <= link.mark_bytes()) {
    return Invalid(absl::StrCat(place, ".ramp_bytes is ", link.ramp_bytes(),
                                "; it must be 0 or above mark_bytes, which is ", link.mark_bytes(),
                                "."));
  }
  return absl::OkStatus();
}

absl::Status CheckFabric(const Fabric& fabric) {
  if (fabric.hosts() % fabric.hosts_per_leaf() != 0) {
    return Invalid(absl::StrCat("fabric.hosts_per_leaf is ", fabric.hosts_per_leaf(),
                                "; it must divide fabric.hosts, which is ", fabric.hosts(), "."));
  }
  if (fabric.spines() == 0 && fabric.hosts_per_leaf() != fabric.hosts()) {
    return Invalid(absl::StrCat("fabric.hosts_per_leaf is ", fabric.hosts_per_leaf(),
                                "; without spines it must be fabric.hosts, which is ",
                                fabric.hosts(), "."));
  }
  const uint64_t leaves = fabric.hosts() / fabric.hosts_per_leaf();
  const uint64_t links =
      2 * uint64_t{fabric.planes()} * (fabric.hosts() + leaves * fabric.spines());
  if (links > kMaxLinks) {
    return Invalid(absl::StrCat("fabric has ", links, " links of one direction, with hosts ",
                                fabric.hosts(), ", spines ", fabric.spines(), " and planes ",
                                fabric.planes(), "; there may be at most ", kMaxLinks, "."));
  }
  absl::Status status = CheckLink("fabric.host_link", fabric.host_link());
  status.Update(CheckLink("fabric.spine_link", fabric.spine_link()));
  return status;
}

absl::Status CheckHost(const std::string& place, uint32_t host, uint32_t hosts) {
  if (host < hosts) return absl::OkStatus();
  return Invalid(
      absl::StrCat(place, " is ", host, "; it must be below fabric.hosts, which is ", hosts, "."));
}

absl::Status CheckWorkload(const std::string& place, const Scenario& scenario,
                           const Workload& workload) {
  const uint32_t hosts = scenario.fabric().hosts();
  absl::Status status;
  const Pattern pattern = workload.pattern();
  if (pattern == PAIR) {
    status.Update(CheckHost(place + ".from", workload.from(), hosts));
    if (workload.from() == workload.to()) {
      status.Update(
          Invalid(absl::StrCat(place, ".to is ", workload.to(),
                               ", which is also `from`; a host does not send to itself.")));
    }
  }
  if (pattern == PAIR || pattern == INCAST) {
    status.Update(CheckHost(place + ".to", workload.to(), hosts));
  }
  if (pattern == RING) {
    for (const int kind : workload.kind()) {
      if (kind == WRITE_WITH_IMMEDIATE) continue;
      status.Update(Invalid(absl::StrCat(place, ".kind is ", Kind_Name(static_cast<Kind>(kind)),
                                         "; in RING it must be WRITE_WITH_IMMEDIATE.")));
    }
  }
  if (workload.stop_ns() != 0 && workload.stop_ns() <= workload.start_ns()) {
    status.Update(Invalid(absl::StrCat(place, ".stop_ns is ", workload.stop_ns(),
                                       "; it must be 0 or above start_ns, which is ",
                                       workload.start_ns(), ".")));
  }
  if ((workload.on_ns() == 0) != (workload.off_ns() == 0)) {
    status.Update(Invalid(absl::StrCat(place, ".on_ns is ", workload.on_ns(), " and off_ns ",
                                       workload.off_ns(), "; both must be 0, or both above 0.")));
  }
  return status;
}

absl::Status CheckStrikes(const std::string& place, const Fault& fault) {
  const int ways = (fault.nth_size() > 0) + (!fault.pattern().empty()) + (fault.ppm() > 0);
  if (ways != 1) {
    return Invalid(absl::StrCat(place, " has ", ways, " of nth, pattern and ppm; ",
                                FaultKind_Name(fault.kind()), " must have one of them."));
  }
  if (fault.pattern().find_first_not_of("01") != std::string::npos ||
      fault.pattern().size() > kMaxPattern) {
    return Invalid(absl::StrCat(place, ".pattern is \"",
                                absl::CHexEscape(fault.pattern().substr(0, 40)),
                                "\"; it must be at most ", kMaxPattern, " digits 0 and 1."));
  }
  if (fault.kind() == DELAY && fault.extra_ns() == 0) {
    return Invalid(absl::StrCat(place, ".extra_ns is 0; it must be above 0 in DELAY."));
  }
  return absl::OkStatus();
}

absl::Status CheckFault(const std::string& place, const Scenario& scenario, const Fault& fault) {
  const Fabric& fabric = scenario.fabric();
  const auto below = [&](const char* field, bool there, uint32_t value, uint32_t bound) {
    if (!there || value < bound) return absl::OkStatus();
    return Invalid(absl::StrCat(place, ".", field, " is ", value, "; the fabric has ", bound, "."));
  };
  absl::Status status = below("plane", fault.has_plane(), fault.plane(), fabric.planes());
  status.Update(below("host", fault.has_host(), fault.host(), fabric.hosts()));
  status.Update(
      below("leaf", fault.has_leaf(), fault.leaf(), fabric.hosts() / fabric.hosts_per_leaf()));
  status.Update(below("spine", fault.has_spine(), fault.spine(), fabric.spines()));
  if (fault.until_ns() != 0 && fault.until_ns() <= fault.from_ns()) {
    status.Update(
        Invalid(absl::StrCat(place, ".until_ns is ", fault.until_ns(),
                             "; it must be 0 or above from_ns, which is ", fault.from_ns(), ".")));
  }
  if (fault.kind() <= DELAY) status.Update(CheckStrikes(place, fault));
  const bool strikes_where_none =
      fault.kind() > DELAY && (fault.nth_size() > 0 || fault.has_pattern() || fault.has_ppm());
  const auto only = [&](const char* field, bool there, FaultKind kind) {
    if (!there || fault.kind() == kind) return;
    status.Update(
        Invalid(absl::StrCat(place, ".", field, " is there; it belongs to ", FaultKind_Name(kind),
                             ", not to ", FaultKind_Name(fault.kind()), ".")));
  };
  if (strikes_where_none) {
    status.Update(Invalid(
        absl::StrCat(place, " chooses packets; ", FaultKind_Name(fault.kind()), " strikes all.")));
  }
  only("extra_ns", fault.has_extra_ns(), DELAY);
  only("rate_mbps", fault.has_rate_mbps(), RATE);
  only("seed", fault.has_seed(), REHASH);
  only("silent", fault.has_silent(), DOWN);
  only("converge_ns", fault.has_converge_ns(), DOWN);
  return status;
}

// The message in which the last name of the path stands.
absl::StatusOr<Message*> Descend(absl::string_view name, const FieldDescriptor** field,
                                 Message* message) {
  const std::vector<std::string> steps = absl::StrSplit(name, '.');
  for (size_t i = 0; i < steps.size(); ++i) {
    std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(steps[i], absl::MaxSplits('[', 1));
    *field = message->GetDescriptor()->FindFieldByName(std::string(parts.first));
    if (*field == nullptr) {
      return Invalid(absl::StrCat("there is no field \"", absl::CHexEscape(parts.first), "\" in ",
                                  message->GetDescriptor()->name(), "."));
    }
    const bool is_message = (*field)->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (i + 1 == steps.size()) {
      if (is_message || steps[i] != parts.first) {
        return Invalid(absl::StrCat("the last name must be a field with a value, not \"",
                                    absl::CHexEscape(steps[i]), "\"."));
      }
      return message;
    }
    if (!is_message) {
      return Invalid(absl::StrCat("\"", parts.first, "\" has no fields of its own."));
    }
    const Reflection& r = *message->GetReflection();
    if (!(*field)->is_repeated()) {
      message = r.MutableMessage(message, *field);
      continue;
    }
    const int size = r.FieldSize(*message, *field);
    int index = -1;
    if (!absl::ConsumeSuffix(&parts.second, "]") || !absl::SimpleAtoi(parts.second, &index) ||
        index < 0 || index > size) {
      return Invalid(absl::StrCat("\"", absl::CHexEscape(steps[i]), "\" must be ", parts.first,
                                  "[i] with i from 0 to ", size, "."));
    }
    message = index == size ? r.AddMessage(message, *field)
                            : r.MutableRepeatedMessage(message, *field, index);
  }
  return Invalid("there is no name.");
}

}  // namespace

absl::StatusOr<Scenario> ParseScenario(absl::string_view name, absl::string_view text) {
  Scenario scenario;
  FirstError error;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(10);
  if (parser.ParseFromString(std::string(text), &scenario)) return scenario;
  return Invalid(absl::StrCat(name, ":", error.place(), ": ", Sentence(error.text())));
}

absl::Status SetField(absl::string_view assignment, Scenario* scenario) {
  const auto wrong = [&](absl::string_view what) {
    return Invalid(absl::StrCat("\"", absl::CHexEscape(assignment), "\": ", what));
  };
  const std::pair<absl::string_view, absl::string_view> sides =
      absl::StrSplit(assignment, absl::MaxSplits('=', 1));
  if (sides.first.size() == assignment.size()) return wrong("it must be field=value.");
  const FieldDescriptor* field = nullptr;
  Scenario changed = *scenario;
  const absl::StatusOr<Message*> message = Descend(sides.first, &field, &changed);
  if (!message.ok()) return wrong(message.status().message());
  (*message)->GetReflection()->ClearField(*message, field);
  const bool text = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
  const std::string value =
      text ? absl::StrCat("\"", absl::CHexEscape(sides.second), "\"") : std::string(sides.second);
  // One value, and nothing behind it.
  if (!text && value.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-") != std::string::npos) {
    return wrong("the value must be one number or word.");
  }
  FirstError error;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (!parser.MergeFromString(absl::StrCat(field->name(), ": ", value), *message)) {
    return wrong(Sentence(error.text()));
  }
  *scenario = changed;
  return absl::OkStatus();
}

uint64_t ConnectionsOf(const Scenario& scenario, const Workload& workload) {
  const uint64_t hosts = scenario.fabric().hosts();
  switch (workload.pattern()) {
    case PAIR:
      return workload.connections();
    case INCAST:
      return uint64_t{workload.senders()} * workload.connections();
    case PERMUTATION:
    case RING:
      return hosts * workload.connections();
    case ALL_TO_ALL:
      return hosts * (hosts - 1) * workload.connections();
  }
  return 0;
}

// No control characters, neither those of ASCII nor those of Latin-1 in UTF-8: a terminal obeys
// them.
bool IsLine(absl::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F) return false;
    if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) {
      return false;
    }
  }
  return true;
}

absl::Status CheckEndpoint(const Endpoint& endpoint) {
  const std::pair<const char*, bool> of_fixed[] = {
      {"target_paths", endpoint.has_target_paths()},
      {"path_window", endpoint.has_path_window()},
      {"connection_window", endpoint.has_connection_window()}};
  for (const auto& [field, there] : of_fixed) {
    if (!there || endpoint.algorithm() == FIXED) continue;
    return Invalid(absl::StrCat("endpoint.", field,
                                " is there; it belongs to algorithm FIXED, not to ",
                                Algorithm_Name(endpoint.algorithm()), "."));
  }
  return absl::OkStatus();
}

absl::StatusOr<endpoint::Settings> SettingsOf(const Scenario& scenario) {
  if (absl::Status status = CheckEndpoint(scenario.endpoint()); !status.ok()) return status;
  endpoint::Settings settings;
  const Endpoint& endpoint = scenario.endpoint();
  std::map<std::string, int> places;
  for (int i = 0; i < endpoint.constant_size(); ++i) {
    const Constant& constant = endpoint.constant(i);
    if (const auto [it, added] = places.emplace(constant.name(), i); !added) {
      return Invalid(absl::StrCat("endpoint.constant[", i, "]: \"",
                                  absl::CHexEscape(constant.name()), "\" is there already, as [",
                                  it->second, "]."));
    }
    const absl::Status status = settings.profile.Set(constant.name(), constant.value());
    if (!status.ok()) {
      return Invalid(absl::StrCat("endpoint.constant[", i, "]: ", status.message()));
    }
  }
  settings.hint = endpoint.hint();
  settings.port_rates.fill(scenario.fabric().host_link().rate_mbps());
  if (endpoint.algorithm() == FIXED) {
    settings.windows.kind = congestion::Kind::kFixed;
    settings.windows.path_window = endpoint.path_window() << 16;
    settings.windows.connection_window = uint64_t{endpoint.connection_window()} << 16;
    settings.target_paths = endpoint.target_paths();
  }
  endpoint::Settings tried = settings;
  const auto made = endpoint::Endpoint::Make(std::move(tried));
  if (!made.ok()) return Invalid(absl::StrCat("endpoint: ", made.status().message()));
  return settings;
}

absl::Status CheckScenario(const Scenario& scenario) {
  absl::Status status = CheckRanges("", scenario);
  if (!status.ok()) return status;
  if (scenario.end_ns() / scenario.window_ns() > kMaxWindows) {
    return Invalid(absl::StrCat("window_ns is ", scenario.window_ns(),
                                "; it must be at least end_ns / ", kMaxWindows, ", which is ",
                                (scenario.end_ns() + kMaxWindows - 1) / kMaxWindows, "."));
  }
  status.Update(CheckFabric(scenario.fabric()));
  if (scenario.workload().empty()) status.Update(Invalid("There is no workload."));
  if (!IsLine(scenario.title())) {
    status.Update(Invalid(absl::StrCat("title is \"", absl::CHexEscape(scenario.title()),
                                       "\"; it must be a line without control characters.")));
  }
  uint64_t connections = 0;
  uint64_t outstanding = 0;
  for (int i = 0; i < scenario.workload_size(); ++i) {
    const Workload& workload = scenario.workload(i);
    outstanding += ConnectionsOf(scenario, workload) * workload.depth();
    if (outstanding > kMaxOutstanding) {
      status.Update(Invalid(absl::StrCat(
          "workload[", i, "].depth is ", workload.depth(), " on ",
          ConnectionsOf(scenario, workload), " connections; all workloads up to it have ",
          outstanding, " messages outstanding, and may have at most ", kMaxOutstanding, ".")));
    }
    status.Update(CheckWorkload(absl::StrCat("workload[", i, "]"), scenario, workload));
    connections += ConnectionsOf(scenario, workload);
  }
  if (connections > kMaxConnections) {
    status.Update(
        Invalid(absl::StrCat("The workloads have ", connections,
                             " connections; there may be at most ", kMaxConnections, ".")));
  }
  const bool down = std::any_of(scenario.fault().begin(), scenario.fault().end(),
                                [](const Fault& fault) { return fault.kind() == DOWN; });
  if (scenario.expect().has_recover_max_ns() && !down) {
    status.Update(
        Invalid("expect.recover_max_ns is there; no fault is of kind DOWN, so there is "
                "nothing to recover from."));
  }
  for (int i = 0; i < scenario.fault_size(); ++i) {
    status.Update(CheckFault(absl::StrCat("fault[", i, "]"), scenario, scenario.fault(i)));
  }
  if (status.ok()) status = SettingsOf(scenario).status();
  return status;
}

}  // namespace metaroce::sim
