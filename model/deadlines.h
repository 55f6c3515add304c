// Timers as data: a deadline for each of a dense range of ids, and which comes first.
//
// A tree of minima over the ids. Of equal deadlines the lowest id comes first, so the order in
// which timers of one nanosecond expire is fixed by their ids and by nothing that went before.
#ifndef METAROCE_MODEL_DEADLINES_H_
#define METAROCE_MODEL_DEADLINES_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/serial.h"

namespace metaroce {

struct StateFields;  // model/state/fields.h

class Deadlines {
 public:
  // The deadline of `id`, kNever if it is not armed.
  Nanoseconds Of(uint32_t id) const { return id < leaves_ ? least_[leaves_ + id] : kNever; }
  bool Armed(uint32_t id) const { return Of(id) != kNever; }

  // The earliest deadline, kNever if nothing is armed; and whose it is, if something is.
  Nanoseconds First() const { return first_; }
  uint32_t FirstId() const {
    uint32_t node = 1;
    while (node < leaves_) {
      node *= 2;
      if (least_[node] != first_) ++node;
    }
    return node - leaves_;
  }

  // Arms `id` for `deadline`, whatever it was; kNever stops it.
  void Arm(uint32_t id, Nanoseconds deadline) {
    if (deadline != Of(id)) Change(id, deadline);
  }
  // Arms it unless it is armed for an earlier time already: for deadlines that are looked at again
  // when they expire and only ever move back.
  void ArmBy(uint32_t id, Nanoseconds deadline) {
    if (deadline < Of(id)) Change(id, deadline);
  }

  void Stop(uint32_t id) { Arm(id, kNever); }
  void StopAll() { *this = Deadlines(); }

 private:
  friend struct StateFields;

  // Apart from Arm, whose call mostly changes nothing.
  [[gnu::noinline]] void Change(uint32_t id, Nanoseconds deadline) {
    if (id >= leaves_) Grow(id);
    Nanoseconds* least = least_.data();
    uint32_t node = leaves_ + id;
    least[node] = deadline;
    while (node > 1) {
      const Nanoseconds of_two = std::min(least[node], least[node ^ 1]);
      node /= 2;
      // Where the minimum stays, nothing changes further up.
      if (least[node] == of_two) return;
      least[node] = of_two;
    }
    first_ = least[1];
  }
  // Room for `id`.
  void Grow(uint32_t id) {
    const std::vector<Nanoseconds> old = std::move(least_);
    const uint32_t before = leaves_;
    leaves_ = std::bit_ceil(id + 1);
    least_.assign(2 * size_t{leaves_}, kNever);
    for (uint32_t i = 0; i < before; ++i) least_[leaves_ + i] = old[before + i];
    for (uint32_t node = leaves_ - 1; node > 0; --node) {
      least_[node] = std::min(least_[2 * node], least_[2 * node + 1]);
    }
  }

  uint32_t leaves_ = 0;         // a power of two, or 0
  Nanoseconds first_ = kNever;  // of all
  std::vector<Nanoseconds>
      least_;  // of node n: of nodes 2n and 2n + 1; of node leaves_ + id: its own
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_DEADLINES_H_
