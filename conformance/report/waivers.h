// The list of failures that are known (CONF-WAIVER).
#ifndef METAROCE_CONFORMANCE_REPORT_WAIVERS_H_
#define METAROCE_CONFORMANCE_REPORT_WAIVERS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vectors/spec_index.h"

namespace metaroce::conformance {

struct Waiver {
  std::string vector;
  std::string clause;
  std::string reason;
  std::string owner;
  std::string expires;  // "2026-12-31": the last day on which it is in force
};

// Reads {"waivers": [{"vector": ..., "clause": ..., "reason": ..., "owner": ..., "expires": ...}]}.
// InvalidArgumentError "file:line: sentence" for anything else: a member too many or too few, a day
// that does not exist, two waivers of one vector and clause.
absl::StatusOr<std::vector<Waiver>> LoadWaivers(absl::string_view text, absl::string_view file);

// The same from a file of at most 1 MiB.
absl::StatusOr<std::vector<Waiver>> LoadWaiversFile(const std::string& path);

// InvalidArgumentError that names the first waiver whose vector is none of `ids`, or whose clause
// the text does not have.
absl::Status CheckWaivers(const std::vector<Waiver>& waivers, const std::set<std::string>& ids,
                          const vectors::SpecIndex& index);

// True for "YYYY-MM-DD" with a day that exists.
bool IsDay(absl::string_view text);

// True if the waiver is no longer in force on `today`, "YYYY-MM-DD".
bool IsExpired(const Waiver& waiver, absl::string_view today);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_REPORT_WAIVERS_H_
