// From which sides the vectors show each clause of level MUST (CONF-SIDE).
#ifndef METAROCE_TOOLS_COVER_SIDES_H_
#define METAROCE_TOOLS_COVER_SIDES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/tables.h"
#include "vectors/vector.pb.h"

namespace metaroce::cover {

// The vectors that show a clause, by id.
struct Sides {
  std::vector<std::string> positive;
  std::vector<std::string> negative;
};

class SideTable {
 public:
  SideTable() : sides_(spec::kClauseCount) {}

  void Add(const vectors::Vector& vector);
  const Sides& of(spec::Clause clause) const { return sides_[static_cast<size_t>(clause)]; }

  // What lacks of the clause: "positive", "negative", both or nothing. A side that the text says no
  // vector can show does not lack.
  std::vector<std::string> Gaps(spec::Clause clause) const;
  // A sentence about the first side that a vector shows though the text says that none can; empty
  // if there is none.
  std::string Problem(spec::Clause clause) const;

 private:
  std::vector<Sides> sides_;
};

}  // namespace metaroce::cover

#endif  // METAROCE_TOOLS_COVER_SIDES_H_
