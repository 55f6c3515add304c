#include "model/profile.h"

#include <string_view>

#include "absl/strings/str_cat.h"

namespace metaroce {
namespace {

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

Profile::Profile() {
  for (size_t i = 0; i < values_.size(); ++i) values_[i] = spec::kConstants[i].default_value;
}

absl::Status Profile::Set(absl::string_view name, uint64_t value) {
  for (size_t i = 0; i < values_.size(); ++i) {
    const spec::NumberInfo& info = spec::kConstants[i];
    if (View(info.name) != name) continue;
    if (value < info.min || value > info.max) {
      return absl::InvalidArgumentError(absl::StrCat(name, " is ", value, "; it must lie between ",
                                                     info.min, " and ", info.max, "."));
    }
    values_[i] = value;
    return absl::OkStatus();
  }
  return absl::NotFoundError(absl::StrCat("The text has no constant \"", name, "\"."));
}

absl::Status Profile::Validate() const {
  const auto sum = [&](std::span<const spec::TermInfo> terms) {
    uint64_t total = 0;
    for (const spec::TermInfo& term : terms) {
      switch (term.kind) {
        case spec::TermInfo::Kind::kNumber:
          total += term.factor;
          break;
        case spec::TermInfo::Kind::kConstant:
          total += term.factor * values_[term.index];
          break;
        case spec::TermInfo::Kind::kProfile:
          total += term.factor * spec::kProfileParameters[term.index].default_value;
          break;
      }
    }
    return total;
  };
  //= PROFILE-RULES
  //# The parameters of a profile satisfy the rules of the block below.
  for (const spec::CrossRuleInfo& rule : spec::kCrossRules) {
    const uint64_t left = sum(rule.left);
    const uint64_t right = sum(rule.right);
    const bool holds = rule.relation == spec::Relation::kEqual  ? left == right
                       : rule.relation == spec::Relation::kLess ? left < right
                                                                : left <= right;
    if (!holds) {
      return absl::InvalidArgumentError(
          absl::StrCat(View(rule.sentence), "; here they are ", left, " and ", right, "."));
    }
  }
  return absl::OkStatus();
}

}  // namespace metaroce
