#include "model/wire/packet/violation.h"

#include "absl/strings/str_format.h"

namespace metaroce::packet {

absl::Status ToStatus(const Violation& v) {
  const auto text = [](std::string_view s) { return absl::string_view(s.data(), s.size()); };
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s%s%s is %d; it %s %d [%s].", text(v.layout), v.layout.empty() ? "" : ".", text(v.field),
      v.value, text(v.relation), v.bound, text(spec::Info(v.clause).id)));
}

}  // namespace metaroce::packet
