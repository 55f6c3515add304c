// What of each clause is named by code, made to happen by a test, and demanded by a vector.
#ifndef METAROCE_TOOLS_COVER_COVER_H_
#define METAROCE_TOOLS_COVER_COVER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "spec/tables.h"
#include "tools/cover/mentions.h"
#include "vectors/manifest.h"

namespace metaroce::cover {

struct ClauseCover {
  std::vector<Mention> code;
  // Steps of each test in which the rule took effect (model/testing/hits.h).
  std::map<std::string, uint64_t> hits;
  std::vector<Mention> tests;        // that cite it
  std::vector<std::string> vectors;  // that name it, sorted

  bool Tested() const { return !hits.empty() || !tests.empty() || !vectors.empty(); }
};

class Cover {
 public:
  Cover();

  void AddMentions(const std::vector<Mention>& mentions);
  void AddVectors(const std::vector<vectors::StoredVector>& vectors);
  // Lines "TEST<tab>CLAUSE<tab>COUNT". InvalidArgumentError "line N: sentence".
  absl::Status AddHits(absl::string_view text);
  bool has_hits() const { return has_hits_; }

  const ClauseCover& of(spec::Clause clause) const { return clauses_[static_cast<size_t>(clause)]; }

  // What is wrong with the clause, a sentence, or nothing. A clause that prescribes (all but INFO)
  // is named by code and tested, or is marked `unproven` with a reason, and not both. Whether it is
  // tested is not judged before there are hits.
  std::string Problem(spec::Clause clause) const;

 private:
  std::vector<ClauseCover> clauses_;
  bool has_hits_ = false;
};

}  // namespace metaroce::cover

#endif  // METAROCE_TOOLS_COVER_COVER_H_
