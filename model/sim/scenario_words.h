// What the sentences about scenarios have in common.
#ifndef METAROCE_MODEL_SIM_SCENARIO_WORDS_H_
#define METAROCE_MODEL_SIM_SCENARIO_WORDS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "model/sim/scenario.pb.h"

namespace metaroce::sim {

inline absl::Status Invalid(const std::string& sentence) {
  return absl::InvalidArgumentError(sentence);
}

// What a person wrote, without what a terminal obeys, and not all of it if it is long.
inline std::string Shown(absl::string_view text) {
  constexpr size_t kShown = 60;
  return absl::StrCat(absl::CHexEscape(text.substr(0, kShown)), text.size() > kShown ? "..." : "");
}

// "between 2 and 4096 hosts"
inline std::string Between(const Range& range) {
  return absl::StrCat("between ", range.min(), " and ", range.max(),
                      range.unit().empty() ? "" : " ", range.unit());
}

}  // namespace metaroce::sim

#endif  // METAROCE_MODEL_SIM_SCENARIO_WORDS_H_
