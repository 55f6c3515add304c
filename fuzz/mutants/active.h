// Which seeded defect the patched copy of the model has now. mutants.py lists them.
#ifndef METAROCE_FUZZ_MUTANTS_ACTIVE_H_
#define METAROCE_FUZZ_MUTANTS_ACTIVE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace metaroce::mutants {

struct Mutant {
  std::string name;
  std::string clause;
  std::string file;
  std::string preset;  // of the explorer, that finds it; empty: it is no business of the explorer
  std::string shown;   // the clause that a capture of it breaks
  std::string bug;     // the kind of defect that real implementations had; empty: none
};

// In the order of their numbers, which begin with 1.
const std::vector<Mutant>& All();

extern uint32_t active;  // 0: none

}  // namespace metaroce::mutants

#endif  // METAROCE_FUZZ_MUTANTS_ACTIVE_H_
