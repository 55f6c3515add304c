// emit KIND FILE: what one backend makes of a Spec in text form, for tests of the backends alone.
// KIND is c, systemverilog, wireshark or json (the Spec itself).
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "spec/compiler/backends/c/c.h"
#include "spec/compiler/backends/systemverilog/systemverilog.h"
#include "spec/compiler/backends/wireshark/wireshark.h"
#include "spec/compiler/spec.pb.h"

namespace {

using metaroce::compiler::Spec;

absl::StatusOr<std::string> Json(const Spec& spec) {
  std::string out;
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  const auto status = google::protobuf::util::MessageToJsonString(spec, &out, options);
  if (!status.ok()) return absl::InternalError("The Spec cannot be written as JSON.");
  return out;
}

absl::StatusOr<std::string> Emit(absl::string_view kind, const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  Spec spec;
  if (!in || !google::protobuf::TextFormat::ParseFromString(text.str(), &spec)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " holds no Spec in text form."));
  }
  if (kind == "c") return metaroce::compiler::GenerateCHeader(spec);
  if (kind == "systemverilog") return metaroce::compiler::GenerateSystemVerilog(spec);
  if (kind == "wireshark") return metaroce::compiler::GenerateWireshark(spec);
  if (kind == "json") return Json(spec);
  return absl::InvalidArgumentError(absl::StrCat("There is no backend ", kind, "."));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: emit c|systemverilog|wireshark|json FILE\n";
    return 2;
  }
  const auto out = Emit(argv[1], argv[2]);
  if (!out.ok()) {
    std::cerr << out.status().message() << "\n";
    return 1;
  }
  std::cout << *out;
  return 0;
}
