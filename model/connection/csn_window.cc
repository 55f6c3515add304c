#include "model/connection/csn_window.h"

#include <bit>

namespace metaroce {
namespace {

// Words of a ring that holds `range` CSNs at any alignment.
uint32_t RingWords(uint32_t range) { return std::bit_ceil(range / 64 + 2); }

}  // namespace

CsnWindow::CsnWindow(Csn start, uint32_t range)
    : cumulative_(start), right_edge_(start + range), range_(range), bits_(RingWords(range)) {}

void CsnWindow::MarkBit(Csn csn) {
  Word(csn.value()) |= uint64_t{1} << (csn.value() % 64);
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

}  // namespace metaroce
