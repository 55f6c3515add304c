// The reference model as a shared library behind the C ABI: libmetaroce_model.so. Its only argument
// may be --seed=pad-outside-icrc, as that of the program.
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/abi/export_handler.h"
#include "conformance/duts/model/model_dut.h"

namespace metaroce::conformance {
namespace {

absl::StatusOr<std::unique_ptr<Handler>> MakeModel(absl::Span<const char* const> arguments) {
  Seed seed = Seed::kNone;
  for (const absl::string_view argument : arguments) {
    if (argument != "--seed=pad-outside-icrc") {
      return absl::InvalidArgumentError(
          absl::StrCat("The model has no argument \"", argument, "\"."));
    }
    seed = Seed::kPadOutsideIcrc;
  }
  return std::make_unique<ModelDut>(seed);
}

}  // namespace
}  // namespace metaroce::conformance

METAROCE_EXPORT_HANDLER(metaroce::conformance::MakeModel);
