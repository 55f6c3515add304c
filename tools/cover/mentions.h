// Where the sources name a clause.
//
// Code names a clause by a citation ("//= ID", in Python "#= ID"), by its C++ name
// (`spec::clause::kAckOnHole`), or by a reason that the text gives to it (`Reason::kRkey`). A test
// names one by a citation: above it, or within it above the line that demands the rule.
#ifndef METAROCE_TOOLS_COVER_MENTIONS_H_
#define METAROCE_TOOLS_COVER_MENTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/tables.h"

namespace metaroce::cover {

struct Mention {
  spec::Clause clause;
  std::string file;  // below the root
  int line = 0;
  // In a file of tests: "SUITE.TEST", in Python the function; the file's name where the citation
  // stands before every test.
  std::string test;
};

// In the order of the lines. `path` says the language, and whether the file holds tests.
std::vector<Mention> MentionsIn(absl::string_view path, absl::string_view text);

// Of every source in the folders that hold code, sorted by path. NotFoundError if `root` has none
// of these folders.
absl::StatusOr<std::vector<Mention>> MentionsBelow(const std::string& root);

}  // namespace metaroce::cover

#endif  // METAROCE_TOOLS_COVER_MENTIONS_H_
