// The bounds of a configuration that no single field's width shows: the ranges of constants
// (CONF-CONSTANTS), and what makes an endpoint's configuration a handshake that can have been
// (CONF-ENDPOINT-STATE).
#ifndef METAROCE_VECTORS_CONFIG_RULES_H_
#define METAROCE_VECTORS_CONFIG_RULES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "vectors/records.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::vectors {

// Why the configuration is not legal, a sentence each with field, value and bound. Precondition:
// FaultOf finds nothing in its fields.
std::vector<std::string> FaultsOfConfig(Record record, const Fields& config,
                                        const SpecIndex& index);

// How many planes an endpoint's configuration gives the DUT, and both endpoints together.
uint64_t LocalPlanes(const Fields& config);
uint64_t AgreedPlanes(const Fields& config);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_CONFIG_RULES_H_
