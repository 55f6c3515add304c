// Which test made the rule of which clause take effect, for `metaroce cover`.
//
// If METAROCE_HITS names a file, the program appends to it, at its end, lines
// "SUITE.TEST<tab>CLAUSE<tab>COUNT", COUNT being the number of steps. Otherwise nothing is kept.
#ifndef METAROCE_MODEL_TESTING_HITS_H_
#define METAROCE_MODEL_TESTING_HITS_H_

#include "model/endpoint/state.h"

namespace metaroce::testing {

bool RecordsHits();

// What one step of the test that runs now did.
void RecordHits(const endpoint::Hits& hits);

}  // namespace metaroce::testing

#endif  // METAROCE_MODEL_TESTING_HITS_H_
