// Records side by side: the first difference, in words.
#ifndef METAROCE_CONFORMANCE_PLAY_COMPARE_H_
#define METAROCE_CONFORMANCE_PLAY_COMPARE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/dut.pb.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "vectors/records.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

using DutFields = google::protobuf::RepeatedPtrField<dut::Field>;

vectors::Fields FromDut(const DutFields& fields);
void ToDut(const vectors::Fields& fields, DutFields* out);

// Why this is no record (CONF-RECORDS): a field twice or without a value. Empty if it is one.
std::string FaultOfRecord(const DutFields& fields);

// "1 byte", "7 bytes".
std::string ShowBytes(size_t count);
// A number as people read it: "17", "4294967292 (0xfffffffc)".
std::string ShowNumber(uint64_t number);
// "base = 5", "bitmap = 0x0a", "outcome = hole". Long data is cut, with its length.
std::string Show(const vectors::Field& field);
// "kind = data, sequence = 7": as much as fits into `length` bytes.
std::string Show(const vectors::Fields& fields, size_t length);

// The same kind and the same value (CONF-RECORDS); names are not looked at.
bool Equal(const vectors::Field& a, const vectors::Field& b);

// The same for an expectation: a name that nobody took over yet agrees with every number.
bool Agrees(const vectors::Field& expected, const vectors::Field& got);

// True if `got` has the fields expected, in their order, and no others if `exact`. A quick answer
// for the common case: false means that Compare has to look.
bool Same(const vectors::Fields& expected, const DutFields& got, bool exact);

struct Difference {
  std::string field;     // its name
  std::string expected;  // "base = 5"; "no field base" if it should not be there
  std::string got;       // the same of what came
  size_t equal = 0;      // expected fields that came with their value
  size_t others = 0;     // further fields that differ
};

// The first difference in the order of `expected`, then fields of `got` that were not expected, if
// `exact`. Nothing if there is none.
std::optional<Difference> Compare(const vectors::Fields& expected, const vectors::Fields& got,
                                  bool exact);

// Adds k times each number of `by` to the field of that name, modulo 2 to the power of its bits.
void Grow(vectors::Fields& fields, const vectors::Fields& by, uint64_t k, vectors::Record record,
          const vectors::SpecIndex& index);
void Grow(DutFields& fields, const vectors::Fields& by, uint64_t k, vectors::Record record,
          const vectors::SpecIndex& index);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_PLAY_COMPARE_H_
