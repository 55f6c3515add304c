// Records of chapter 15, field by field.
#ifndef METAROCE_CONFORMANCE_PROMOTE_FIELDS_H_
#define METAROCE_CONFORMANCE_PROMOTE_FIELDS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "model/connection/outbound.h"
#include "model/profile.h"
#include "vectors/vector.pb.h"

namespace metaroce::promote {

void AddNumber(absl::string_view name, uint64_t value, vectors::Fields* out);
// What is 0 by default need not be said.
void AddUnlessZero(absl::string_view name, uint64_t value, vectors::Fields* out);
void AddWord(absl::string_view name, absl::string_view value, vectors::Fields* out);

// The constants that differ from their defaults, but for those that the handshake has
// (PROFILE-NEGOTIATED). True if there is one.
bool AddConstants(const Profile& profile, vectors::Fields* out);

// The post of that work (CONF-POST).
vectors::Fields PostOf(const WorkRequest& work);

}  // namespace metaroce::promote

#endif  // METAROCE_CONFORMANCE_PROMOTE_FIELDS_H_
