// Words of the command line that select vectors.
#ifndef METAROCE_TOOLS_METAROCE_SELECTING_H_
#define METAROCE_TOOLS_METAROCE_SELECTING_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "conformance/runner/selection.h"

namespace metaroce::cli {

// Adds the levels of these names. InvalidArgumentError for a name that is none.
absl::Status ReadLevels(const std::vector<std::string>& names, conformance::Selection* selection);

// Splits a command line at blanks; '...' and "..." keep blanks. Empty if a quote is left open or
// there is no word.
std::vector<std::string> SplitCommand(const std::string& text);

}  // namespace metaroce::cli

#endif  // METAROCE_TOOLS_METAROCE_SELECTING_H_
