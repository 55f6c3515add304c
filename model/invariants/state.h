// The invariants of the state of one endpoint (section 15.7): what holds between any two steps.
#ifndef METAROCE_MODEL_INVARIANTS_STATE_H_
#define METAROCE_MODEL_INVARIANTS_STATE_H_

#include "absl/status/status.h"
#include "model/endpoint/state.h"

namespace metaroce::invariants {

// OK, or InternalError with the invariant, the place and the values. Looks at everything: the time
// is that of all records.
absl::Status CheckState(const endpoint::State& e);

}  // namespace metaroce::invariants

#endif  // METAROCE_MODEL_INVARIANTS_STATE_H_
