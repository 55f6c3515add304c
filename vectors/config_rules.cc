#include "vectors/config_rules.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace metaroce::vectors {
namespace {

// How the peer's size, that of CONNECT_REPLY, relates to the DUT's (CONNECT-NEGOTIATION).
enum class Relation { kOwn, kSame, kAtMost, kAtLeast };

struct Size {
  absl::string_view field;
  absl::string_view constant;  // whose range is that of the field (CONNECT-RANGES)
  uint64_t otherwise;          // what it is if it is not given (CONF-ENDPOINT-STATE)
  Relation peer;
};

constexpr Size kSizes[] = {
    {"mtu", "mtu", 1024, Relation::kSame},
    {"range", "csn_range", 4096, Relation::kOwn},
    {"streams", "streams", 64, Relation::kAtMost},
    {"open_messages", "open_messages", 64, Relation::kAtMost},
    {"reads", "reads", 64, Relation::kAtMost},
    {"paths", "paths", 8, Relation::kAtMost},
    {"planes", "planes", 1, Relation::kAtMost},
    {"hint_unit", "hint_unit", 16, Relation::kAtLeast},
};

constexpr uint64_t kMaxCredit = (uint64_t{1} << 31) - 1;
constexpr absl::string_view kRegionFields[] = {"address", "length", "rkey", "rights"};

// "name[i].rest" -> i and rest.
std::optional<std::pair<uint32_t, absl::string_view>> Indexed(absl::string_view name,
                                                              absl::string_view text) {
  uint32_t i = 0;
  if (!absl::ConsumePrefix(&text, name) || !absl::ConsumePrefix(&text, "[")) return std::nullopt;
  const size_t close = text.find("].");
  if (close == absl::string_view::npos || !absl::SimpleAtoi(text.substr(0, close), &i)) {
    return std::nullopt;
  }
  return std::pair(i, text.substr(close + 2));
}

uint64_t NumberOr(const Fields& config, absl::string_view name, uint64_t otherwise) {
  const Field* field = FindField(config, name);
  return field == nullptr ? otherwise : field->number();
}

// The size that a side has, given or not.
uint64_t SizeOf(const Fields& config, absl::string_view side, absl::string_view name) {
  for (const Size& size : kSizes) {
    if (size.field == name) {
      return NumberOr(config, absl::StrCat(side, ".", name), size.otherwise);
    }
  }
  return 0;
}

class Rules {
 public:
  Rules(const Fields& config, const SpecIndex& index) : config_(config), index_(index) {}

  void CheckConstants() {
    for (const Field& field : config_.field()) CheckRange(field.name(), field.name());
  }

  void CheckEndpoint() {
    for (const Size& size : kSizes) CheckSize(size);
    for (const char* side : {"local", "peer"}) {
      const std::string cid = absl::StrCat(side, ".cid");
      if (Number(cid, 1) == 0) Add("\"", cid, "\" is 0; it is at least 1.");
      const std::string credit = absl::StrCat(side, ".credit");
      const std::string start = absl::StrCat(side, ".start_index");
      const uint32_t granted =
          static_cast<uint32_t>(Number(credit, 0)) - static_cast<uint32_t>(Number(start, 0));
      if (granted > kMaxCredit) {
        Add("\"", credit, "\" is ", Number(credit, 0), " and \"", start, "\" is ", Number(start, 0),
            "; the difference is at most ", kMaxCredit, ".");
      }
    }
    const uint64_t unoffered = Number("peer.features", 0) & ~Number("local.features", 0);
    if (unoffered != 0) {
      Add("\"peer.features\" is ", Number("peer.features", 0), " and \"local.features\" is ",
          Number("local.features", 0), "; the peer's has no bit that the DUT's has not.");
    }
    if (AddressBytes("local.ip") != AddressBytes("peer.ip")) {
      Add("\"local.ip\" has ", AddressBytes("local.ip"), " bytes and \"peer.ip\" has ",
          AddressBytes("peer.ip"), "; both have as many.");
    }
    CheckPaths();
    CheckOwn();
  }

  // What each end has for itself.
  void CheckOwn() {
    CheckBetween("window", 1, 256);
    CheckBetween("target_paths", 1, 255);
    CheckBetween("port_rate", 1, UINT32_MAX);
    CheckRegions();
  }

  std::vector<std::string> Take() { return std::move(faults_); }

 private:
  template <typename... Parts>
  void Add(const Parts&... parts) {
    faults_.push_back(absl::StrCat(parts...));
  }

  uint64_t Number(absl::string_view name, uint64_t otherwise) const {
    return NumberOr(config_, name, otherwise);
  }

  size_t AddressBytes(absl::string_view name) const {
    const Field* field = FindField(config_, name);
    return field == nullptr ? 4 : field->data().size();
  }

  void CheckBetween(absl::string_view name, uint64_t min, uint64_t max) {
    const Field* field = FindField(config_, name);
    if (field == nullptr || (field->number() >= min && field->number() <= max)) return;
    Add("\"", name, "\" is ", field->number(), "; it lies between ", min, " and ", max, ".");
  }

  // The field, if it is given and a constant of that name has a range.
  void CheckRange(absl::string_view name, absl::string_view constant) {
    const Field* field = FindField(config_, name);
    const std::optional<ParameterInfo> info = index_.Parameter(constant);
    if (field == nullptr || !info.has_value()) return;
    if (field->number() < info->min || field->number() > info->max) {
      Add("\"", name, "\" is ", field->number(), "; it lies between ", info->min, " and ",
          info->max, ".");
    }
  }

  void CheckSize(const Size& size) {
    const std::string local = absl::StrCat("local.", size.field);
    const std::string peer = absl::StrCat("peer.", size.field);
    for (const std::string& name : {local, peer}) {
      CheckRange(name, size.constant);
      const uint64_t value = Number(name, size.otherwise);
      if (size.field == "mtu" && (value & (value - 1)) != 0) {
        Add("\"", name, "\" is ", value, "; it is a power of two.");
      }
    }
    const uint64_t own = Number(local, size.otherwise);
    const uint64_t others = Number(peer, size.otherwise);
    const auto compared = [&](absl::string_view rule) {
      Add("\"", peer, "\" is ", others, " and \"", local, "\" is ", own, "; ", rule, ".");
    };
    if (size.peer == Relation::kSame && others != own) compared("both are the same");
    if (size.peer == Relation::kAtMost && others > own) compared("the peer's is not above");
    if (size.peer == Relation::kAtLeast && others < own) compared("the peer's is not below");
  }

  void CheckPaths() {
    const uint64_t paths = SizeOf(config_, "peer", "paths");
    for (const Field& field : config_.field()) {
      const auto indexed = Indexed("path", field.name());
      if (indexed.has_value() && indexed->first >= paths) {
        Add("\"", field.name(), "\" is of path ", indexed->first, "; \"peer.paths\" is ", paths,
            ", so the last is ", paths - 1, ".");
      }
    }
  }

  void CheckRegions() {
    std::map<uint32_t, std::set<absl::string_view>> regions;
    for (const Field& field : config_.field()) {
      const auto indexed = Indexed("memory", field.name());
      if (indexed.has_value()) regions[indexed->first].insert(indexed->second);
    }
    for (const auto& [i, given] : regions) {
      for (const absl::string_view field : kRegionFields) {
        if (given.count(field) > 0) continue;
        Add("\"memory[", i, "].", field, "\" is missing; a region has ",
            absl::StrJoin(kRegionFields, ", "), ".");
      }
    }
  }

  const Fields& config_;
  const SpecIndex& index_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> FaultsOfConfig(Record record, const Fields& config,
                                        const SpecIndex& index) {
  Rules rules(config, index);
  rules.CheckConstants();
  if (record == Record::kEndpointConfig) rules.CheckEndpoint();
  if (record == Record::kSystemPeer) rules.CheckOwn();
  return rules.Take();
}

uint64_t LocalPlanes(const Fields& config) { return SizeOf(config, "local", "planes"); }

uint64_t AgreedPlanes(const Fields& config) { return SizeOf(config, "peer", "planes"); }

}  // namespace metaroce::vectors
