// The generated tables, or others of the same shape: the codec knows names only, so that a test can
// compile it against permuted layouts.
#ifndef METAROCE_MODEL_WIRE_PACKET_TABLES_H_
#define METAROCE_MODEL_WIRE_PACKET_TABLES_H_

#ifdef METAROCE_LAYOUTS_HEADER
#include METAROCE_LAYOUTS_HEADER
#else
#include "spec/layouts.h"
#include "spec/tables.h"
#endif

#endif  // METAROCE_MODEL_WIRE_PACKET_TABLES_H_
