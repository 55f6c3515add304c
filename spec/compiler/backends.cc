#include "spec/compiler/backends.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/compiler/backends/c/c.h"
#include "spec/compiler/backends/cpp/cpp.h"
#include "spec/compiler/backends/json/json.h"
#include "spec/compiler/backends/systemverilog/covergroups.h"
#include "spec/compiler/backends/systemverilog/systemverilog.h"
#include "spec/compiler/backends/wireshark/wireshark.h"
#include "spec/compiler/output.h"

namespace metaroce::compiler {
namespace {

// The backend of one file that `make` writes.
template <absl::StatusOr<std::string> (*make)(const Spec&)>
absl::StatusOr<std::vector<OutputFile>> OneFile(const Spec& spec, const char* path) {
  absl::StatusOr<std::string> contents = make(spec);
  if (!contents.ok()) return contents.status();
  return std::vector<OutputFile>{{path, *std::move(contents)}};
}

absl::StatusOr<std::vector<OutputFile>> Json(const Spec& spec) {
  return OneFile<GenerateJson>(spec, "registry.json");
}

absl::StatusOr<std::vector<OutputFile>> C(const Spec& spec) {
  return OneFile<GenerateCHeader>(spec, "metaroce_spec.h");
}

absl::StatusOr<std::vector<OutputFile>> SystemVerilog(const Spec& spec) {
  return OneFile<GenerateSystemVerilog>(spec, "metaroce_spec_pkg.sv");
}

absl::StatusOr<std::vector<OutputFile>> Covergroups(const Spec& spec) {
  return OneFile<GenerateCovergroups>(spec, "metaroce_coverage_pkg.sv");
}

absl::StatusOr<std::vector<OutputFile>> Wireshark(const Spec& spec) {
  return OneFile<GenerateWireshark>(spec, "metaroce.lua");
}

constexpr NamedBackend kBackends[] = {
    {"cpp", GenerateCpp, "tables.h, tables.cc, layouts.h, layouts.cc"},
    {"json", Json, "registry.json"},
    {"c", C, "metaroce_spec.h"},
    {"systemverilog", SystemVerilog, "metaroce_spec_pkg.sv"},
    {"covergroups", Covergroups, "metaroce_coverage_pkg.sv"},
    {"wireshark", Wireshark, "metaroce.lua"},
};

}  // namespace

absl::Span<const NamedBackend> Backends() { return kBackends; }

}  // namespace metaroce::compiler
