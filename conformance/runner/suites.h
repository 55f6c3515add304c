// Suites of vectors: runner/suites.textproto.
#ifndef METAROCE_CONFORMANCE_RUNNER_SUITES_H_
#define METAROCE_CONFORMANCE_RUNNER_SUITES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/runner/suites.pb.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

// Reads a table. InvalidArgumentError if it is none, or a suite is unnamed, doubled or empty.
absl::StatusOr<Suites> ParseSuites(const std::string& text);

// The table that was there when the runner was built.
const Suites& AllSuites();

// Null if there is none of that name.
const Suite* FindSuite(const Suites& suites, absl::string_view name);

bool Contains(const Suite& suite, const vectors::Vector& vector);

// Names, in the order of the table.
std::vector<std::string> SuitesOf(const Suites& suites, const vectors::Vector& vector);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_RUNNER_SUITES_H_
