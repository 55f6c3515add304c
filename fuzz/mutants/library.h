/* A library of seeded defects: a device over metaroce_dut.h whose only argument, at
 * metaroce_dut_open, is the name of one of its defects, or "none"; and a list of them. `metaroce
 * mutants` says which vectors find each. */
#ifndef METAROCE_FUZZ_MUTANTS_LIBRARY_H_
#define METAROCE_FUZZ_MUTANTS_LIBRARY_H_

#include "conformance/abi/metaroce_dut.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A line each: its name, a blank, the clause that it breaks, and, after another blank, a word for
 * the kind of bug, if it has one. Lives as long as the library. */
METAROCE_DUT_EXPORT const char* metaroce_mutants(void);

#ifdef __cplusplus
}
#endif

#endif /* METAROCE_FUZZ_MUTANTS_LIBRARY_H_ */
