// What a fuzz target claims about the code under test.
#ifndef METAROCE_FUZZ_REQUIRE_H_
#define METAROCE_FUZZ_REQUIRE_H_

#include <cstdio>
#include <cstdlib>

// Ends the program, which the fuzzer reports as a finding, if `condition` is
// false.
#define METAROCE_REQUIRE(condition)                                                  \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                  \
    }                                                                                \
  } while (false)

#endif  // METAROCE_FUZZ_REQUIRE_H_
