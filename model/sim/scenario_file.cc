#include "model/sim/scenario_file.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/endpoint/endpoint.h"
#include "model/sim/scenario_words.h"

namespace metaroce::sim {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr uint64_t kMaxConnections = 65536;
// In one direction each; a link takes about 100 bytes.
constexpr uint64_t kMaxLinks = 1 << 20;
constexpr uint64_t kMaxWindows = 1000000;
constexpr size_t kMaxPattern = 65536;
// Work posted and not complete, of all connections: each takes some hundred bytes.
constexpr uint64_t kMaxOutstanding = uint64_t{1} << 22;
constexpr int kMaxWorkloads = 1000;
constexpr int kMaxFaults = 1000;
constexpr int kMaxShortForm = 100;
// Of all faults: each takes 24 bytes on each link that it strikes.
constexpr uint64_t kMaxStruck = uint64_t{1} << 22;
constexpr size_t kMaxTitle = 200;

uint64_t NumberOf(const Message& message, const FieldDescriptor* field, int index) {
  const Reflection& r = *message.GetReflection();
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32) {
    return index < 0 ? r.GetUInt32(message, field) : r.GetRepeatedUInt32(message, field, index);
  }
  return index < 0 ? r.GetUInt64(message, field) : r.GetRepeatedUInt64(message, field, index);
}

absl::Status CheckRange(const std::string& place, uint64_t value, const Range& range) {
  if (value >= range.min() && value <= range.max()) return absl::OkStatus();
  return Invalid(absl::StrCat(place, " is ", value, "; it must be ", Between(range), "."));
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
  if (link.has_ramp_ppm() && link.ramp_bytes() == 0) {
    return Invalid(absl::StrCat(place, ".ramp_ppm is ", link.ramp_ppm(),
                                "; it belongs to a ramp, and ramp_bytes is 0."));
  }
  if (link.mark_bytes() > link.limit_bytes()) {
    return Invalid(absl::StrCat(place, ".mark_bytes is ", link.mark_bytes(),
                                "; it must be at most limit_bytes, which is ", link.limit_bytes(),
                                ": no queue gets longer."));
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
  const auto only = [&](const char* field, bool there, bool belongs, const char* to) {
    if (!there || belongs) return;
    status.Update(Invalid(absl::StrCat(place, ".", field, " is there; it belongs to ", to,
                                       ", not to ", Pattern_Name(pattern), ".")));
  };
  only("from", workload.has_from(), pattern == PAIR, "PAIR");
  only("to", workload.has_to(), pattern == PAIR || pattern == INCAST, "PAIR and INCAST");
  only("senders", workload.has_senders(), pattern == INCAST, "INCAST");
  if (workload.start_ns() >= scenario.end_ns()) {
    status.Update(
        Invalid(absl::StrCat(place, ".start_ns is ", workload.start_ns(),
                             "; it must be below end_ns, which is ", scenario.end_ns(), ".")));
  }
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
  if (!fault.pattern().empty() &&
      (fault.pattern().find_first_not_of("01") != std::string::npos ||
       fault.pattern().size() > kMaxPattern || fault.pattern().find('1') == std::string::npos)) {
    return Invalid(absl::StrCat(place, ".pattern is \"", Shown(fault.pattern()),
                                "\"; it must be at most ", kMaxPattern,
                                " digits 0 and 1, one of them a 1."));
  }
  if (fault.kind() == DELAY && fault.extra_ns() == 0) {
    return Invalid(absl::StrCat(place, ".extra_ns is 0; it must be above 0 in DELAY."));
  }
  return absl::OkStatus();
}

// Links of one direction that a fault strikes.
uint64_t StruckBy(const Fabric& fabric, const Fault& fault) {
  const auto of = [&](LinkClass kind) -> uint64_t {
    const auto& kinds = fault.link();
    return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end() ? 1 : 0;
  };
  const uint64_t planes = fault.has_plane() ? 1 : fabric.planes();
  const uint64_t leaves = fabric.hosts() / fabric.hosts_per_leaf();
  uint64_t hosts = fault.has_leaf() ? fabric.hosts_per_leaf() : fabric.hosts();
  if (fault.has_host()) {
    hosts = !fault.has_leaf() || fault.host() / fabric.hosts_per_leaf() == fault.leaf() ? 1 : 0;
  }
  if (fault.has_spine()) hosts = 0;
  uint64_t between = (fault.has_leaf() ? 1 : leaves) * (fault.has_spine() ? 1 : fabric.spines());
  if (fault.has_host()) between = 0;
  return planes * ((of(HOST_UP) + of(HOST_DOWN)) * hosts + (of(LEAF_UP) + of(LEAF_DOWN)) * between);
}

// "link HOST_UP, spine 1"
std::string LinksOf(const Fault& fault) {
  std::string text;
  const auto add = [&](const std::string& part) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", part);
  };
  // Each class once, in the order of the schema, however often it is named.
  for (int kind = 0; kind < LinkClass_ARRAYSIZE; ++kind) {
    if (std::find(fault.link().begin(), fault.link().end(), kind) == fault.link().end()) continue;
    add(absl::StrCat("link ", LinkClass_Name(static_cast<LinkClass>(kind))));
  }
  if (fault.has_plane()) add(absl::StrCat("plane ", fault.plane()));
  if (fault.has_host()) add(absl::StrCat("host ", fault.host()));
  if (fault.has_leaf()) add(absl::StrCat("leaf ", fault.leaf()));
  if (fault.has_spine()) add(absl::StrCat("spine ", fault.spine()));
  return text.empty() ? "all links" : text;
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
  if (status.ok() && StruckBy(fabric, fault) == 0) {
    status.Update(Invalid(absl::StrCat(place, " strikes no link: none fits ", LinksOf(fault),
                                       "; links of hosts have no spine, "
                                       "those between leaf and spine no host, and there are ",
                                       fabric.spines(), " spines.")));
  }
  if (fault.until_ns() != 0 && fault.until_ns() <= fault.from_ns()) {
    status.Update(
        Invalid(absl::StrCat(place, ".until_ns is ", fault.until_ns(),
                             "; it must be 0 or above from_ns, which is ", fault.from_ns(), ".")));
  }
  if (fault.kind() <= DELAY) status.Update(CheckStrikes(place, fault));
  const bool strikes_where_none =
      fault.kind() > DELAY &&
      (fault.packet_size() > 0 || fault.nth_size() > 0 || fault.has_pattern() || fault.has_ppm());
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
  if (fault.silent() && fault.has_converge_ns()) {
    status.Update(Invalid(absl::StrCat(place, ".converge_ns is ", fault.converge_ns(),
                                       "; nobody learns of a fault that is silent.")));
  }
  return status;
}

}  // namespace

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
    for (const auto& [field, there] :
         {std::pair{"name", constant.has_name()}, {"value", constant.has_value()}}) {
      if (there) continue;
      return Invalid(absl::StrCat("endpoint.constant[", i, "].", field, " is missing."));
    }
    if (const auto [it, added] = places.emplace(constant.name(), i); !added) {
      return Invalid(absl::StrCat("endpoint.constant[", i, "]: \"", Shown(constant.name()),
                                  "\" is there already, as [", it->second, "]."));
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

// Goals that nothing could miss, or none could be asked for.
absl::Status CheckExpect(const Scenario& scenario) {
  const Expect& expect = scenario.expect();
  int first = -1;  // of kind DOWN
  for (int i = 0; i < scenario.fault_size(); ++i) {
    const Fault& fault = scenario.fault(i);
    if (fault.kind() != DOWN) continue;
    if (first < 0 || fault.from_ns() < scenario.fault(first).from_ns()) first = i;
  }
  if (expect.has_recover_max_ns() && first < 0) {
    return Invalid(
        "expect.recover_max_ns is there; no fault is of kind DOWN, so there is nothing to recover "
        "from.");
  }
  if (expect.has_recover_max_ns() && scenario.fault(first).from_ns() >= scenario.end_ns()) {
    return Invalid(absl::StrCat("fault[", first, "].from_ns is ", scenario.fault(first).from_ns(),
                                "; expect.recover_max_ns counts from it, so it must be below "
                                "end_ns, which is ",
                                scenario.end_ns(), "."));
  }
  if (expect.has_recover_ppm() && !expect.has_recover_max_ns()) {
    return Invalid("expect.recover_ppm is there; it belongs to recover_max_ns, which is not.");
  }
  if (expect.has_hint_max_ns() && !scenario.endpoint().hint()) {
    return Invalid("expect.hint_max_ns is there; endpoint.hint is false, so there are no hints.");
  }
  return absl::OkStatus();
}

// Each assignment fits a field. Whether they make a scenario that can be run is seen when it is.
absl::Status CheckShortForm(const Scenario& scenario) {
  Scenario changed = scenario;
  for (int i = 0; i < scenario.short_form_size(); ++i) {
    const absl::Status status = SetField(scenario.short_form(i), &changed);
    if (!status.ok()) return Invalid(absl::StrCat("short_form[", i, "]: ", status.message()));
  }
  const absl::Status status = CheckRanges("", changed);
  return status.ok() ? status : Invalid(absl::StrCat("short_form: ", status.message()));
}

// No list and no text is so long that it could exhaust anything.
absl::Status CheckSizes(const Scenario& scenario) {
  const auto most = [](const char* field, int there, int bound) {
    if (there <= bound) return absl::OkStatus();
    return Invalid(absl::StrCat(field, " is there ", there, " times; it may be there at most ",
                                bound, " times."));
  };
  absl::Status status = most("workload", scenario.workload_size(), kMaxWorkloads);
  status.Update(most("fault", scenario.fault_size(), kMaxFaults));
  status.Update(most("short_form", scenario.short_form_size(), kMaxShortForm));
  if (scenario.title().size() > kMaxTitle) {
    status.Update(Invalid(absl::StrCat("title has ", scenario.title().size(),
                                       " bytes; it may have at most ", kMaxTitle, ".")));
  }
  return status;
}

// All faults, and what they strike.
absl::Status CheckFaults(const Scenario& scenario) {
  absl::Status status;
  uint64_t struck = 0;
  for (int i = 0; i < scenario.fault_size() && status.ok(); ++i) {
    status = CheckFault(absl::StrCat("fault[", i, "]"), scenario, scenario.fault(i));
    struck += StruckBy(scenario.fabric(), scenario.fault(i));
    if (struck <= kMaxStruck) continue;
    status.Update(Invalid(absl::StrCat("fault[", i, "]: all faults up to it strike ", struck,
                                       " links, each counted for itself, and may strike at most ",
                                       kMaxStruck, ".")));
  }
  return status;
}

absl::Status CheckScenario(const Scenario& scenario) {
  absl::Status status = CheckSizes(scenario);
  status.Update(CheckRanges("", scenario));
  if (!status.ok()) return status;
  if (scenario.end_ns() / scenario.window_ns() > kMaxWindows) {
    return Invalid(absl::StrCat("window_ns is ", scenario.window_ns(),
                                "; it must be at least end_ns / ", kMaxWindows, ", which is ",
                                (scenario.end_ns() + kMaxWindows - 1) / kMaxWindows, "."));
  }
  status.Update(CheckFabric(scenario.fabric()));
  if (scenario.workload().empty()) status.Update(Invalid("There is no workload."));
  if (!IsLine(scenario.title())) {
    status.Update(Invalid(absl::StrCat("title is \"", Shown(scenario.title()),
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
  // Nothing of what follows holds in a fabric that is none.
  if (!status.ok()) return status;
  status.Update(CheckFaults(scenario));
  status.Update(CheckExpect(scenario));
  status.Update(CheckShortForm(scenario));
  if (status.ok()) status = SettingsOf(scenario).status();
  return status;
}

}  // namespace metaroce::sim
