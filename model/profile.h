// The constants of the text as one endpoint has them (PROFILE-PARAMETERS): the defaults, but for
// those that were set. Every constant is there, so nothing in the model uses a default that a
// profile changes.
#ifndef METAROCE_MODEL_PROFILE_H_
#define METAROCE_MODEL_PROFILE_H_

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "model/serial.h"
#include "spec/tables.h"

namespace metaroce {

class Profile {
 public:
  Profile();

  uint64_t operator[](spec::Constant c) const { return values_[static_cast<size_t>(c)]; }
  // A constant in nanoseconds.
  Nanoseconds Time(spec::Constant c) const { return static_cast<Nanoseconds>((*this)[c]); }

  // Sets the constant of that name. NotFoundError if the text has none of it, InvalidArgumentError
  // with name, value and bounds if it is fixed or the value outside of its range.
  absl::Status Set(absl::string_view name, uint64_t value);

  // OK if the relations between constants hold (PROFILE-RULES); otherwise InvalidArgumentError with
  // the rule's sentence and both values.
  absl::Status Validate() const;

  bool operator==(const Profile&) const = default;

 private:
  std::array<uint64_t, spec::kConstants.size()> values_;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_PROFILE_H_
