#include "vectors/spec_tables_index.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "spec/tables.h"

namespace metaroce::vectors {
namespace {

// Abseil's string_view is not the standard's.
absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

class TablesIndex : public SpecIndex {
 public:
  TablesIndex() {
    for (const spec::ClauseInfo& clause : spec::Clauses()) {
      levels_[View(clause.id)] = std::string(spec::Name(clause.level));
    }
    for (const spec::ReasonInfo& reason : spec::kReasons) {
      if (spec::Info(reason.check).stateless) codec_reasons_.insert(View(reason.name));
    }
    for (const spec::NoteInfo& info : spec::kCapabilities) capabilities_.insert(View(info.name));
    for (const spec::NoteInfo& info : spec::kFlags) flags_.insert(View(info.name));
    for (const spec::ChoiceInfo& info : spec::kChoices) choices_.insert(View(info.name));
    for (const spec::NumberInfo& info : spec::kConstants) AddParameter(info, false);
    for (const spec::NumberInfo& info : spec::kProfileParameters) AddParameter(info, true);
    for (const spec::LayoutInfo* layout : spec::kLayouts) {
      for (const spec::FieldInfo& field : layout->fields) {
        if (field.reserved) continue;
        bits_[{View(layout->name), View(field.name)}] = field.bits;
      }
    }
  }

  std::string version() const override { return std::string(spec::kVersion); }
  std::string hash() const override { return std::string(spec::kHash); }

  std::optional<std::string> ClauseLevel(absl::string_view id) const override {
    const auto found = levels_.find(id);
    if (found == levels_.end()) return std::nullopt;
    return found->second;
  }
  bool HasCodecReason(absl::string_view name) const override {
    return codec_reasons_.contains(name);
  }
  bool HasCapability(absl::string_view name) const override { return capabilities_.contains(name); }
  bool HasFlag(absl::string_view name) const override { return flags_.contains(name); }
  bool HasChoice(absl::string_view name) const override { return choices_.contains(name); }

  std::optional<ParameterInfo> Parameter(absl::string_view name) const override {
    const auto found = parameters_.find(name);
    if (found == parameters_.end()) return std::nullopt;
    return found->second;
  }

  std::optional<int> LayoutFieldBits(absl::string_view layout,
                                     absl::string_view field) const override {
    const auto found = bits_.find({layout, field});
    if (found == bits_.end()) return std::nullopt;
    return found->second;
  }

 private:
  void AddParameter(const spec::NumberInfo& info, bool profile) {
    parameters_[View(info.name)] = {info.default_value, info.min,
                                    info.max,           info.unit == spec::Unit::kNanoseconds,
                                    info.fixed,         profile};
  }

  absl::flat_hash_map<absl::string_view, std::string> levels_;
  absl::flat_hash_set<absl::string_view> codec_reasons_;
  absl::flat_hash_set<absl::string_view> capabilities_;
  absl::flat_hash_set<absl::string_view> flags_;
  absl::flat_hash_set<absl::string_view> choices_;
  absl::flat_hash_map<absl::string_view, ParameterInfo> parameters_;
  absl::flat_hash_map<std::pair<absl::string_view, absl::string_view>, int> bits_;
};

}  // namespace

const SpecIndex& SpecTables() {
  static const TablesIndex* const kIndex = new TablesIndex;
  return *kIndex;
}

}  // namespace metaroce::vectors
