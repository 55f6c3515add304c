// Goes through the seeded defects that a person names, or all of them.
#ifndef METAROCE_FUZZ_MUTANTS_EACH_H_
#define METAROCE_FUZZ_MUTANTS_EACH_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fuzz/mutants/active.h"

namespace metaroce::mutants {

// Of `[-v] [NAME...]`: calls `visit` with each mutant that has a preset and is named (all, if none
// is), its number, and whether -v stands there. Returns how many there were.
inline size_t Each(const std::vector<std::string>& args,
                   const std::function<void(const Mutant&, uint32_t, bool)>& visit) {
  const auto has = [&](const std::string& word) {
    return std::find(args.begin(), args.end(), word) != args.end();
  };
  const bool verbose = has("-v");
  const bool all = args.size() == (verbose ? 1 : 0);
  size_t visited = 0;
  for (size_t i = 0; i < All().size(); ++i) {
    const Mutant& mutant = All()[i];
    if (mutant.preset.empty() || !(all || has(mutant.name))) continue;
    ++visited;
    visit(mutant, static_cast<uint32_t>(i + 1), verbose);
  }
  return visited;
}

}  // namespace metaroce::mutants

#endif  // METAROCE_FUZZ_MUTANTS_EACH_H_
