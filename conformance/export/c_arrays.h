// Vectors as the C data that metaroce_vectors.h declares.
#ifndef METAROCE_CONFORMANCE_EXPORT_C_ARRAYS_H_
#define METAROCE_CONFORMANCE_EXPORT_C_ARRAYS_H_

#include <string>
#include <vector>

#include "conformance/export/unroll.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

class CArrays {
 public:
  // `steps` are those of Unroll.
  void Add(const vectors::Vector& vector, const std::vector<FlatStep>& steps);
  // metaroce_vectors.c: C99, the same bytes for the same vectors.
  std::string Take();

 private:
  void Define(const std::string& type, const std::string& name, const std::string& body);
  std::string Bytes(const std::string& bytes);
  template <typename FieldList>
  std::string Record(const FieldList& fields);
  std::string Stimulus(const dut::Request& request);
  std::string ExpectBody(const vectors::Expectation& expect, uint64_t from, uint64_t until);
  std::string Step(const FlatStep& flat);
  std::string NewName(char kind);

  std::string out_;
  std::string table_;
  size_t count_ = 0;  // of vectors
  size_t names_ = 0;  // of this vector
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_EXPORT_C_ARRAYS_H_
