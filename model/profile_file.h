// A profile as a text: one constant of the specification a line.
//
//   # what this device has otherwise than the text's defaults
//   csn_range: 8192
//   keepalive_interval: 500000000
//
// A value is decimal, or hexadecimal after 0x. Blank lines and what follows a # mean nothing. The
// form is that of a textproto message whose fields are the constants.
#ifndef METAROCE_MODEL_PROFILE_FILE_H_
#define METAROCE_MODEL_PROFILE_FILE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/profile.h"

namespace metaroce {

// The profile that `text` describes; `name` stands in front of what is said about it.
// InvalidArgumentError with name, line, constant, value and bounds for a line that is no field, an
// unknown or repeated constant, a value out of its range or not to be changed, and with the
// rule's sentence where the whole breaks a relation (PROFILE-RULES).
absl::StatusOr<Profile> ParseProfile(absl::string_view name, absl::string_view text);

}  // namespace metaroce

#endif  // METAROCE_MODEL_PROFILE_FILE_H_
