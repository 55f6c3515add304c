// What the commands about scenarios share.
#ifndef METAROCE_TOOLS_METAROCE_SCENARIO_H_
#define METAROCE_TOOLS_METAROCE_SCENARIO_H_

#include "absl/status/statusor.h"
#include "model/sim/scenario.pb.h"
#include "tools/metaroce/commands.h"

namespace metaroce::cli {

// The scenario with its short form, settings and seed as the options ask for, checked. What is said
// about it begins with the file, or with --set.
absl::StatusOr<sim::Scenario> LoadScenario(const SimOptions& options);

// metaroce sim --entropy.
int Entropy(const SimOptions& options, const Streams& streams);

}  // namespace metaroce::cli

#endif  // METAROCE_TOOLS_METAROCE_SCENARIO_H_
