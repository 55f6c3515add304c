// The names of the text from which this program was built.
#ifndef METAROCE_VECTORS_SPEC_TABLES_INDEX_H_
#define METAROCE_VECTORS_SPEC_TABLES_INDEX_H_

#include "vectors/spec_index.h"

namespace metaroce::vectors {

// Lives as long as the program.
const SpecIndex& SpecTables();

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_SPEC_TABLES_INDEX_H_
