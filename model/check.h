// CHECK for what the code itself guarantees; never for input.
#ifndef METAROCE_MODEL_CHECK_H_
#define METAROCE_MODEL_CHECK_H_

#include <cstdio>
#include <cstdlib>

#define METAROCE_CHECK(condition)                                                             \
  do {                                                                                        \
    if (!(condition)) [[unlikely]] {                                                          \
      std::fprintf(stderr, "%s:%d: this cannot be: !(%s)\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                           \
    }                                                                                         \
  } while (false)

#endif  // METAROCE_MODEL_CHECK_H_
