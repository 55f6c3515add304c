#include "model/connection/csn_window.h"

#include <bit>

namespace metaroce {
namespace {

// Words of a ring that holds `range` CSNs at any alignment.
uint32_t RingWords(uint32_t range) { return std::bit_ceil(range / 64 + 2); }

}  // namespace

CsnWindow::CsnWindow(Csn start, uint32_t range)
    : cumulative_(start), right_edge_(start + range), range_(range), bits_(RingWords(range)) {}

bool CsnWindow::Received(Csn csn) const {
  //= CHECK-CSN-DUPLICATE
  //# it is not less than the cumulative CSN and is not marked in the receiver's record.
  if (csn < cumulative_) return true;
  return Granted(csn) && ((Word(csn.value()) >> (csn.value() % 64)) & 1) != 0;
}

void CsnWindow::Mark(Csn csn) {
  uint64_t& word = Word(csn.value());
  const uint32_t shift = csn.value() % 64;
  if (csn == cumulative_ && shift < 63 && ((word >> (shift + 1)) & 1) == 0) {
    ++cumulative_;  // nothing behind it was received: the usual case
    return GrowEdge();
  }
  word |= uint64_t{1} << shift;
  if (csn == cumulative_) Advance();
}

//= SEQ-CSN-CUMULATIVE
//# A receiver's cumulative CSN is the first CSN not received.
void CsnWindow::Advance() {
  while (true) {
    uint64_t& word = Word(cumulative_.value());
    const uint32_t shift = cumulative_.value() % 64;
    const uint32_t run = static_cast<uint32_t>(std::countr_one(word >> shift));
    // Bits that the cumulative CSN has passed are cleared, for the ring's next lap.
    const uint64_t passed = run == 64 ? UINT64_MAX : ((uint64_t{1} << run) - 1) << shift;
    word &= ~passed;
    cumulative_ = cumulative_ + run;
    if (run == 0 || shift + run < 64) break;
  }
  GrowEdge();
}

void CsnWindow::SetRange(uint32_t range) {
  const uint32_t words = RingWords(range);
  range_ = range;
  if (words > bits_.size()) {
    const std::vector<uint64_t> old = bits_;
    bits_.assign(words, 0);
    for (Csn c = cumulative_; c < right_edge_; ++c) {
      if ((old[(c.value() / 64) & (old.size() - 1)] >> (c.value() % 64)) & 1) {
        Word(c.value()) |= uint64_t{1} << (c.value() % 64);
      }
    }
  }
  GrowEdge();
}

void CsnWindow::GrowEdge() {
  //= SEQ-CSN-EDGE
  //# the greatest value that cumulative CSN + range has had, so it never goes back.
  const Csn edge = cumulative_ + range_;
  if (right_edge_ < edge) right_edge_ = edge;
}

}  // namespace metaroce
