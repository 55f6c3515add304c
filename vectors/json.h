// A Vector as JSON text and back: the published form.
//
// The members of a JSON object are the fields of the message in vectors/vector.proto, by their
// names there. Mapping of values:
//   uint32, uint64   an integer; from 2^53 on a string of decimal digits, since many JSON readers
//                    keep 53 bits of a number
//   bytes            "0x" and hexadecimal digits, two a byte, lower case
//   enum             the name of the value in lower case
//   Fields           an object: name to number, data ("0x...") or word ("in-order")
//   Bound            an integer, or a string: names and integers joined by " + "
// A field that has its default value is left out.
//
// WriteVector is byte-stable: it depends on the message alone. A vector file is canonical when it
// equals WriteVector of what LoadVector reads from it.
#ifndef METAROCE_VECTORS_JSON_H_
#define METAROCE_VECTORS_JSON_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vectors/vector.pb.h"

namespace metaroce::vectors {

// The longest vector file that is read (CONF-VECTOR-STRICT).
inline constexpr size_t kMaxVectorBytes = size_t{1} << 20;

// Reads one vector. InvalidArgumentError "file:line:column: member: sentence" for text that is no
// JSON, an unknown member, a value of a wrong type or out of its range. The contents are judged by
// lint.h.
absl::StatusOr<Vector> LoadVector(absl::string_view text, absl::string_view file);

// LoadVector of the file at `path`. The error of the operating system if it cannot be read;
// InvalidArgumentError if it is longer than kMaxVectorBytes or no regular file.
absl::StatusOr<Vector> LoadVectorFile(const std::string& path);

// The canonical text. Precondition: `vector` could have come from LoadVector.
std::string WriteVector(const Vector& vector);

// "ack_delay_max + 1", "2000".
std::string ToString(const Bound& bound);

// "5", "0x0a0b", "in-order".
std::string ToString(const Field& field);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_JSON_H_
