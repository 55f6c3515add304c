#include "model/congestion/custom.h"

#include "absl/strings/str_cat.h"
#include "model/congestion/delay.h"

namespace metaroce::congestion {
namespace {

//= CUSTOM-ALLOWED
//# One w for all paths, a bound of their sum, one target and no pace are such an algorithm; as its
//# windows never move, it keeps no rounds, and none of its paths is ever congested [CC-CONGESTED].
constexpr Parameter kFixedParameters[] = {
    {"window", 64 << 16, 1024, 256 << 16, "Q16_16", "w of every path"},
    {"connection_window", uint64_t{65280} << 16, 1, uint64_t{65280} << 16, "Q16_16",
     "bound of the sum of w"},
};

absl::Status Within(const Parameter& parameter, uint64_t value) {
  if (value >= parameter.min && value <= parameter.max) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(parameter.name, " is ", value,
                                                 "; it must lie between ", parameter.min, " and ",
                                                 parameter.max, "."));
}

absl::Status SetValues(absl::string_view name, absl::Span<const Parameter> table,
                       absl::Span<const std::pair<absl::string_view, uint64_t>> parameters,
                       std::vector<uint64_t>* values) {
  values->clear();
  for (const Parameter& parameter : table) values->push_back(parameter.by_default);
  for (const auto& [key, value] : parameters) {
    size_t place = 0;
    while (place < table.size() && table[place].name != key) ++place;
    if (place == table.size()) {
      return absl::NotFoundError(
          absl::StrCat("The algorithm \"", name, "\" has no parameter \"", key, "\"."));
    }
    const absl::Status status = Within(table[place], value);
    if (!status.ok()) return status;
    (*values)[place] = value;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Span<const Algorithm> Algorithms() {
  static const Algorithm kAll[] = {kDelay};
  return kAll;
}

absl::Status Choose(absl::string_view name,
                    absl::Span<const std::pair<absl::string_view, uint64_t>> parameters,
                    Settings* settings) {
  Settings chosen;
  absl::Status status;
  if (name == "built-in") {
    status = SetValues(name, {}, parameters, &chosen.parameters);
  } else if (name == "fixed") {
    chosen.kind = Kind::kFixed;
    status = SetValues(name, kFixedParameters, parameters, &chosen.parameters);
    if (status.ok()) {
      chosen.path_window = static_cast<uint32_t>(chosen.parameters[0]);
      chosen.connection_window = chosen.parameters[1];
    }
    chosen.parameters.clear();
  } else {
    chosen.kind = Kind::kCustom;
    for (const Algorithm& algorithm : Algorithms()) {
      if (algorithm.name == name) chosen.custom = &algorithm;
    }
    if (chosen.custom == nullptr) {
      return absl::NotFoundError(
          absl::StrCat("There is no algorithm of congestion control named \"", name, "\"."));
    }
    status = SetValues(name, chosen.custom->parameters, parameters, &chosen.parameters);
  }
  if (status.ok()) *settings = std::move(chosen);
  return status;
}

absl::Status Validate(const Settings& settings) {
  absl::Status status;
  switch (settings.kind) {
    case Kind::kBuiltIn:
      return status;
    case Kind::kFixed:
      return status;  // Endpoint::Make has looked at them
    case Kind::kCustom:
      break;
  }
  if (settings.custom == nullptr ||
      settings.parameters.size() != settings.custom->parameters.size()) {
    return absl::InvalidArgumentError(
        "Another algorithm of congestion control must be chosen by its name.");
  }
  for (size_t i = 0; i < settings.parameters.size(); ++i) {
    status.Update(Within(settings.custom->parameters[i], settings.parameters[i]));
  }
  return status;
}

}  // namespace metaroce::congestion
