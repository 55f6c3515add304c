// metaroce check: explains what both ends of a connection sent, or says where the text does not
// allow it.
#include "conformance/check/check.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/check/trace.h"
#include "tools/metaroce/commands.h"
#include "tools/metaroce/input.h"
#include "vectors/text.h"

namespace metaroce::cli {
namespace {

int Refuse(const Streams& streams, const std::string& file, const absl::Status& status) {
  streams.err << vectors::Printable(
                     absl::StrCat(file == "-" ? "Standard input" : file, ": ", status.message()))
              << "\n";
  return status.code() == absl::StatusCode::kUnimplemented ? kUnsupported : kBadInput;
}

}  // namespace

int Check(const CheckOptions& options, const Streams& streams) {
  const absl::StatusOr<std::string> file = ReadInput(options.file);
  if (!file.ok()) {
    streams.err << file.status().message() << "\n";
    return kBadInput;
  }
  const packet::Bytes bytes(reinterpret_cast<const uint8_t*>(file->data()), file->size());
  const absl::StatusOr<check::Trace> trace = check::ReadTrace(bytes, options.port);
  if (!trace.ok()) return Refuse(streams, options.file, trace.status());
  check::Profiles profiles;
  absl::Status status = check::ReadProfile(trace->profile, &profiles);
  if (!status.ok()) return Refuse(streams, options.file, status);
  if (!options.profile.empty()) {
    const absl::StatusOr<std::string> lines = ReadInput(options.profile);
    if (!lines.ok()) {
      streams.err << lines.status().message() << "\n";
      return kBadInput;
    }
    status = check::ReadProfile(*lines, &profiles);
    if (!status.ok()) return Refuse(streams, options.profile, status);
  }
  const absl::StatusOr<check::Result> result = check::Check(*trace, profiles);
  if (!result.ok()) return Refuse(streams, options.file, result.status());
  streams.out << (options.json ? check::ToJson(*result) : check::ToText(*result));
  return result->verdict ? kMismatch : kOk;
}

}  // namespace metaroce::cli
