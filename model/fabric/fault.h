// Scripted faults of links and switches.
#ifndef METAROCE_MODEL_FABRIC_FAULT_H_
#define METAROCE_MODEL_FABRIC_FAULT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "model/fabric/calendar.h"

namespace metaroce::fabric {

enum class FaultKind : uint8_t {
  kDrop,
  kCorrupt,    // a bit of the packet is flipped, and its receiver's codec sees it
  kDuplicate,  // a second one follows it
  kDelay,      // it arrives later by `extra`
  kDown,       // the link delivers nothing
  kRate,       // the link has another rate
  kRehash,     // the switches where the links begin hash by another seed
};

// Which links: all that fit. Negative: any.
struct LinkSelector {
  bool host_up = true;
  bool host_down = true;
  bool leaf_up = true;    // leaf to spine
  bool leaf_down = true;  // spine to leaf
  int32_t plane = -1;
  int32_t host = -1;
  int32_t leaf = -1;  // of a link between leaf and spine, or where the host hangs
  int32_t spine = -1;
};

struct Fault {
  FaultKind kind = FaultKind::kDrop;
  LinkSelector where;
  Picoseconds from = 0;
  Picoseconds until = INT64_MAX;  // not included

  // kDrop to kDelay: which packets of each link. Those of the chosen classes are counted from 1
  // while the fault is on; the n-th of `nth` are struck, or those whose place in the endlessly
  // repeated `pattern` is not '0', or each with a chance of `ppm` in a million.
  bool data = true;
  bool acks = true;
  bool control = true;
  std::vector<uint64_t> nth;  // ascending
  std::string pattern;
  uint32_t ppm = 0;

  Picoseconds extra = 0;     // kDelay
  uint32_t rate_mbps = 0;    // kRate
  uint64_t seed = 0;         // kRehash
  bool silent = false;       // kDown: neither hosts nor routing ever know
  Picoseconds converge = 0;  // kDown: how long after its begin and end routing knows
};

}  // namespace metaroce::fabric

#endif  // METAROCE_MODEL_FABRIC_FAULT_H_
