// The receiver's record of CSNs: which were received, and up to where the peer may send
// (clauses SEQ-CSN-CUMULATIVE, SEQ-CSN-EDGE).
#ifndef METAROCE_MODEL_CONNECTION_CSN_WINDOW_H_
#define METAROCE_MODEL_CONNECTION_CSN_WINDOW_H_

#include <cstdint>
#include <vector>

#include "model/serial.h"

namespace metaroce {

struct StateFields;  // model/state/fields.h

// A plain value. Memory: one bit for each CSN of the largest range so far, rounded up to a power of
// two of at least 64.
class CsnWindow {
 public:
  // The peer's first CSN is `start`; `range` CSNs are granted from the cumulative one on (1..2^30).
  CsnWindow(Csn start, uint32_t range);
  CsnWindow() : CsnWindow(Csn(), 64) {}

  // True if `csn` was received: it is below the cumulative CSN or marked.
  bool Received(Csn csn) const {
    //= CHECK-CSN-DUPLICATE
    //# it is not less than the cumulative CSN and is not marked in the receiver's record.
    if (csn == cumulative_) return false;
    if (csn < cumulative_) return true;
    return Granted(csn) && ((Word(csn.value()) >> (csn.value() % 64)) & 1) != 0;
  }
  // True if `csn` is below the right edge.
  bool Granted(Csn csn) const { return csn < right_edge_; }
  // Records a CSN that is granted and was not received.
  void Mark(Csn csn) {
    const uint32_t shift = csn.value() % 64;
    if (csn == cumulative_ && shift < 63 && ((Word(csn.value()) >> (shift + 1)) & 1) == 0) {
      ++cumulative_;  // nothing behind it was received: the usual case
      return GrowEdge();
    }
    MarkBit(csn);
  }
  // A receive path was opened or closed: the range is now the greater of the negotiated one and
  // what the open paths need. The right edge never goes back.
  void SetRange(uint32_t range);

  Csn cumulative() const { return cumulative_; }
  Csn right_edge() const { return right_edge_; }

  bool operator==(const CsnWindow&) const = default;

 private:
  friend struct StateFields;

  uint64_t& Word(uint32_t csn) { return bits_[(csn / 64) & (bits_.size() - 1)]; }
  uint64_t Word(uint32_t csn) const { return bits_[(csn / 64) & (bits_.size() - 1)]; }
  void MarkBit(Csn csn);
  void Advance();
  void GrowEdge() {
    //= SEQ-CSN-EDGE
    //# the greatest value that cumulative CSN + range has had, so it never goes back.
    const Csn edge = cumulative_ + range_;
    if (right_edge_ < edge) right_edge_ = edge;
  }

  Csn cumulative_;
  Csn right_edge_;
  uint32_t range_;
  std::vector<uint64_t> bits_;  // a ring: CSN c is bit c % 64 of word (c / 64) % size
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_CONNECTION_CSN_WINDOW_H_
