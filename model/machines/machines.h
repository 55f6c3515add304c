// The state machines of the text as one reads them: every state with every event.
#ifndef METAROCE_MODEL_MACHINES_MACHINES_H_
#define METAROCE_MODEL_MACHINES_MACHINES_H_

#include <string>

namespace metaroce {

// One line for each cell of each machine: the event, what it does (the next state, or that it is
// ignored and what counts it, or that it is impossible and why), its clause and its effect.
std::string PrintMachines();

}  // namespace metaroce

#endif  // METAROCE_MODEL_MACHINES_MACHINES_H_
