// The files of cases that the twin of chapter 8 wrote (twin_cases.py says how).
#ifndef METAROCE_MODEL_CONGESTION_TESTING_TWIN_FILE_H_
#define METAROCE_MODEL_CONGESTION_TESTING_TWIN_FILE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/profile.h"

namespace metaroce::congestion {

// One side of a case: `name=value name=value ...`. What a test asks for and does not find fails it.
class Fields {
 public:
  // InvalidArgumentError with the field if one is not a name and a list of numbers of 64 bits,
  // written in the shortest way, or if a name stands twice.
  static absl::StatusOr<Fields> Parse(absl::string_view text);

  // The one number of a field.
  int64_t operator[](absl::string_view name);
  std::vector<int64_t> List(absl::string_view name);
  // A list of records of `size` numbers each.
  std::vector<std::vector<int64_t>> Records(absl::string_view name, size_t size);
  // No function of model/congestion gives this field.
  void Skip(absl::string_view name) { List(name); }

  // The names of those that were not asked for.
  std::string Unread() const;

 private:
  struct Field {
    std::string name;
    std::vector<int64_t> values;
    bool read = false;
  };
  std::vector<Field> fields_;
};

struct Case {
  Fields in;
  Fields out;
};
absl::StatusOr<Case> ParseCase(absl::string_view line);

// Calls `check` with each case of testdata/RULE.txt, its place in the scope of what fails, and sees
// that it asks for every field. Fails if the file is missing, has no case, or has a line that is
// neither one nor a comment above them all.
void ForEachCase(absl::string_view rule, const std::function<void(Fields&, Fields&)>& check);

// Numbers as the model has them; out of their range they fail the test.
using List = std::vector<int64_t>;
uint64_t U(int64_t x);
uint32_t U32(int64_t x);
bool Flag(int64_t x);

// The defaults, but for these constants.
Profile With(const std::vector<absl::string_view>& names, const List& values);

}  // namespace metaroce::congestion

#endif  // METAROCE_MODEL_CONGESTION_TESTING_TWIN_FILE_H_
