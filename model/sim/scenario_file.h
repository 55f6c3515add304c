// Scenarios as texts (scenario.proto), read and checked.
#ifndef METAROCE_MODEL_SIM_SCENARIO_FILE_H_
#define METAROCE_MODEL_SIM_SCENARIO_FILE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/endpoint/state.h"
#include "model/sim/scenario.pb.h"

namespace metaroce::sim {

// The scenario that `text` describes, not yet checked; `name` stands in front of what is said about
// it. InvalidArgumentError with name, line and column for what is no textproto of a Scenario.
absl::StatusOr<Scenario> ParseScenario(absl::string_view name, absl::string_view text);

// Sets one field: "fabric.hosts=4", "workload[1].kind=SEND". The index behind the last of a
// repeated message adds one; a repeated number is replaced. InvalidArgumentError with the
// assignment and what is wrong.
absl::Status SetField(absl::string_view assignment, Scenario* scenario);

// OK if the scenario can be run. Otherwise InvalidArgumentError with the field, its value and what
// it must be.
absl::Status CheckScenario(const Scenario& scenario);

// What an endpoint of a scenario is told, but for its ports and its seed. Errors as above.
absl::StatusOr<endpoint::Settings> SettingsOf(const Scenario& scenario);

// Connections of a workload.
uint64_t ConnectionsOf(const Scenario& scenario, const Workload& workload);

}  // namespace metaroce::sim

#endif  // METAROCE_MODEL_SIM_SCENARIO_FILE_H_
