#include "spec/compiler/backends/json/json.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"

namespace metaroce::compiler {

absl::StatusOr<std::string> GenerateJson(const Spec& spec) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.add_whitespace = true;
  std::string json;
  const google::protobuf::util::Status status =
      google::protobuf::util::MessageToJsonString(spec, &json, options);
  if (!status.ok()) {
    return absl::InternalError(absl::StrCat("the Spec has no JSON form: ", status.ToString()));
  }
  // The printer ends with a newline of its own in this version; later ones do not.
  while (!json.empty() && json.back() == '\n') json.pop_back();
  json.push_back('\n');
  return json;
}

}  // namespace metaroce::compiler
