// A small text for tests, so that they do not change with the real one.
#ifndef METAROCE_VECTORS_TESTING_FAKE_SPEC_INDEX_H_
#define METAROCE_VECTORS_TESTING_FAKE_SPEC_INDEX_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "vectors/spec_index.h"

namespace metaroce::vectors {

class FakeSpecIndex : public SpecIndex {
 public:
  std::string version() const override { return "9.8.7"; }
  std::string hash() const override { return std::string(64, 'a'); }

  std::optional<std::string> ClauseLevel(absl::string_view id) const override {
    static const auto* const kLevels = new std::map<std::string, std::string>{
        {"ACK-DUE-HOLE", "MUST"}, {"ACK-DUE-COUNT", "MUST"}, {"ACK-VECTOR", "MUST"},
        {"WIRE-WRITE", "MUST"},   {"CHECK-LENGTH", "MUST"},  {"SHOULD-THING", "SHOULD"},
        {"WIRE-ACK", "MUST"},     {"CHECK-ACCEPT", "MUST"},
    };
    if (id.substr(0, 5) == "CONF-") return "MUST";
    const auto found = kLevels->find(std::string(id));
    if (found == kLevels->end()) return std::nullopt;
    return found->second;
  }

  bool HasCodecReason(absl::string_view name) const override {
    return In({"length-short", "length-long", "icrc"}, name);
  }
  bool HasCapability(absl::string_view name) const override {
    return In({"codec-decode", "codec-encode", "block-receive-vector", "block-ack-generation",
               "default-ack-generation", "endpoint-receiver", "endpoint-requester", "fixed-window",
               "default-sender", "snapshot", "constants"},
              name);
  }
  bool HasFlag(absl::string_view name) const override {
    return In({"LATE_REPAIR", "FIELD_PLACE"}, name);
  }
  bool HasChoice(absl::string_view name) const override { return name == "ack-moment"; }

  std::optional<ParameterInfo> Parameter(absl::string_view name) const override {
    if (name == "ack_max") return ParameterInfo{1000, 0, 100000, true, false, true};
    if (name == "ack_delay_max") return ParameterInfo{8000, 0, 1000000, true, false, false};
    if (name == "ack_every") return ParameterInfo{8, 1, 128, false, false, false};
    if (name == "mtu") return ParameterInfo{4096, 256, 4096, false, false, false};
    if (name == "csn_range") return ParameterInfo{4096, 256, 65536, false, false, false};
    if (name == "paths") return ParameterInfo{144, 1, 255, false, false, false};
    if (name == "planes") return ParameterInfo{1, 1, 16, false, false, false};
    if (name == "wire_version") return ParameterInfo{1, 1, 1, false, true, false};
    return std::nullopt;
  }

  std::optional<int> LayoutFieldBits(absl::string_view layout,
                                     absl::string_view field) const override {
    static const auto* const kBits = new std::map<std::pair<std::string, std::string>, int>{
        {{"common", "version"}, 4},
        {{"common", "pad"}, 2},
        {{"common", "opcode"}, 8},
        {{"common", "number"}, 32},
        {{"data", "csn"}, 32},
        {{"write_target", "address"}, 64},
        {{"ack", "csn"}, 32},
        {{"ack", "blocks"}, 8},
        {{"path_block", "base"}, 32},
        {{"path_block", "bitmap_code"}, 2},
        {{"connect", "start_csn"}, 32},
        {{"connect", "mtu"}, 16},
        {{"connect", "range"}, 32},
        {{"connect", "paths"}, 8},
        {{"connect", "planes"}, 8},
        {{"connect", "hint_unit"}, 16},
        {{"connect", "cid"}, 24},
        {{"connect", "credit"}, 32},
        {{"connect", "start_index"}, 32},
        {{"connect", "features"}, 16},
    };
    const auto found = kBits->find({std::string(layout), std::string(field)});
    if (found == kBits->end()) return std::nullopt;
    return found->second;
  }

 private:
  static bool In(const std::set<std::string>& names, absl::string_view name) {
    return names.count(std::string(name)) > 0;
  }
};

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_TESTING_FAKE_SPEC_INDEX_H_
