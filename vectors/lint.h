// Whether a vector makes sense: everything that its JSON form cannot say.
//
// A vector without findings can be replayed: every name in it is known, every record is one of
// chapter 15, its times go forward, and its capabilities cover what it does.
#ifndef METAROCE_VECTORS_LINT_H_
#define METAROCE_VECTORS_LINT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::vectors {

inline constexpr int kMaxSteps = 200;
inline constexpr uint32_t kMaxBurst = 512;
// Times and bounds are below this, so that their sums never overflow.
inline constexpr uint64_t kTimeLimit = uint64_t{1} << 60;

struct Finding {
  std::string member;  // "steps[3].expect.fields"; empty: the vector
  std::string sentence;
};

// All findings, in the order of the members. At most a few hundred.
std::vector<Finding> CheckVector(const Vector& vector, const SpecIndex& index);

// "file: member: sentence".
std::string ToString(absl::string_view file, const Finding& finding);

// True for the six kinds of stimulus.
bool IsStimulus(const Step& step);

// True if events of this vector may come at any time, and not only in the answer to a stimulus.
bool IsTimed(const Vector& vector);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_LINT_H_
