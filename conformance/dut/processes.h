// Processes of a device: how they begin, and how all of them end.
#ifndef METAROCE_CONFORMANCE_DUT_PROCESSES_H_
#define METAROCE_CONFORMANCE_DUT_PROCESSES_H_

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace metaroce::conformance {

// Starts `command`, searched on PATH if it has no '/', in a process group of its own, with these
// descriptors as its standard input, output and error. The kernel ends it when the calling thread
// ends, however that ends. The error of the operating system if it cannot be started: "cannot be
// started: ...".
absl::StatusOr<pid_t> Spawn(const std::vector<std::string>& command, int in, int out, int err);

// "ended with exit status 3", of a status that waitpid gave.
std::string HowItEnded(int status);

// From now on this process becomes the parent of whatever its children leave behind.
void AdoptOrphans();

// The children of this process, ended ones that nobody waited for included.
std::set<pid_t> Children();

// Ends the children that are not `spared`, and theirs, and takes their status. Returns after at
// most a second, even if some cannot be ended.
void EndChildrenBut(const std::set<pid_t>& spared);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_DUT_PROCESSES_H_
