// The model as a library of seeded defects.
#include "fuzz/mutants/library.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/abi/export_handler.h"
#include "fuzz/mutants/active.h"
#include "fuzz/mutants/devices/conformance/duts/model/model_dut.h"

namespace metaroce::conformance {
namespace {

absl::StatusOr<std::unique_ptr<Handler>> MakeMutant(absl::Span<const char* const> arguments) {
  const absl::string_view name = arguments.size() == 1 ? arguments[0] : "";
  mutants::active = 0;
  for (uint32_t i = 0; i < mutants::All().size(); ++i) {
    if (mutants::All()[i].name == name) mutants::active = i + 1;
  }
  if (mutants::active == 0 && name != "none") {
    return absl::InvalidArgumentError(
        absl::StrCat("There is no defect \"", name, "\"; \"none\" stands for none."));
  }
  return std::make_unique<ModelDut>();
}

}  // namespace
}  // namespace metaroce::conformance

METAROCE_EXPORT_HANDLER(metaroce::conformance::MakeMutant);

const char* metaroce_mutants(void) {
  static const std::string* const kList = [] {
    auto* list = new std::string;
    for (const auto& mutant : metaroce::mutants::All()) {
      absl::StrAppend(list, mutant.name, " ", mutant.clause, mutant.bug.empty() ? "" : " ",
                      mutant.bug, "\n");
    }
    return list;
  }();
  return kList->c_str();
}
