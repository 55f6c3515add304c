// The tests of the model on the patched copy. METAROCE_MUTANT names the mutant or negation that is
// active; empty: none.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/mutants/active.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* set = std::getenv("METAROCE_MUTANT");
  const std::string name = set == nullptr ? "" : set;
  for (uint32_t i = 0; i < metaroce::mutants::All().size(); ++i) {
    if (metaroce::mutants::All()[i].name == name) metaroce::mutants::active = i + 1;
  }
  if (!name.empty() && metaroce::mutants::active == 0) {
    std::fprintf(stderr, "METAROCE_MUTANT: there is no \"%s\".\n", name.c_str());
    return 2;
  }
  return RUN_ALL_TESTS();
}
