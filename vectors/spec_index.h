// The names of the text, as far as vectors and verdicts use them. One place stands between them and
// the generated tables, so that tests can bring a text of their own.
#ifndef METAROCE_VECTORS_SPEC_INDEX_H_
#define METAROCE_VECTORS_SPEC_INDEX_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace metaroce::vectors {

// A constant or a profile parameter.
struct ParameterInfo {
  uint64_t value = 0;  // its default
  uint64_t min = 0;
  uint64_t max = 0;
  bool nanoseconds = false;  // its unit
  bool fixed = false;
  bool profile = false;  // a profile parameter
};

class SpecIndex {
 public:
  virtual ~SpecIndex() = default;

  virtual std::string version() const = 0;  // "0.1.0"
  virtual std::string hash() const = 0;     // lower-case hexadecimal

  // "MUST", "SHOULD", "MAY" or "INFO"; nothing if there is no such clause.
  virtual std::optional<std::string> ClauseLevel(absl::string_view id) const = 0;
  // True if a check on the bytes alone reports this reason.
  virtual bool HasCodecReason(absl::string_view name) const = 0;
  virtual bool HasCapability(absl::string_view name) const = 0;
  virtual bool HasFlag(absl::string_view name) const = 0;
  virtual bool HasChoice(absl::string_view name) const = 0;
  virtual std::optional<ParameterInfo> Parameter(absl::string_view name) const = 0;
  // The bits of a field of a layout that is not reserved; nothing if there is none.
  virtual std::optional<int> LayoutFieldBits(absl::string_view layout,
                                             absl::string_view field) const = 0;
};

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_SPEC_INDEX_H_
