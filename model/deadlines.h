// Timers as data: a deadline for each of a dense range of ids, and which comes first.
//
// A tree of minima over the ids, four to a node. Of equal deadlines the lowest id comes first, so
// the order in which timers of one nanosecond expire is fixed by their ids and by nothing that went
// before.
#ifndef METAROCE_MODEL_DEADLINES_H_
#define METAROCE_MODEL_DEADLINES_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/serial.h"

namespace metaroce {

struct StateFields;  // model/state/fields.h

class Deadlines {
 public:
  // The deadline of `id`, kNever if it is not armed.
  Nanoseconds Of(uint32_t id) const { return id < ids_ ? least_[id] : kNever; }
  bool Armed(uint32_t id) const { return Of(id) != kNever; }
  // Ids from this one on are not armed.
  uint32_t ids() const { return ids_; }

  // The earliest deadline, kNever if nothing is armed; and whose it is, if something is.
  Nanoseconds First() const { return first_; }
  uint32_t FirstId() const {
    std::array<uint32_t, kLevels> begins;
    uint32_t level = 0;
    uint32_t begin = 0;
    for (uint32_t size = ids_; size > 1; size = Above(size)) {
      begins[level++] = begin;
      begin += size;
    }
    uint32_t id = 0;
    while (level-- > 0) {
      id *= kWide;
      while (least_[begins[level] + id] != first_) ++id;
    }
    return id;
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

  static constexpr uint32_t kWide = 4;
  static constexpr uint32_t kLevels = 16;  // of 2^32 ids

  // Places of the level above one of `size` places, which are whole nodes; 1 above the root.
  static constexpr uint32_t Above(uint32_t size) {
    return size == kWide ? 1 : (size / kWide + kWide - 1) & ~(kWide - 1);
  }

  // Apart from Arm, whose call mostly changes nothing.
  [[gnu::noinline]] void Change(uint32_t id, Nanoseconds deadline) {
    if (id >= ids_) Grow(id);
    Nanoseconds* level = least_.data();
    for (uint32_t size = ids_;; size = Above(size)) {
      Nanoseconds* node = level + (id & ~(kWide - 1));
      const Nanoseconds before = std::exchange(level[id], deadline);
      level += size;
      id /= kWide;
      Nanoseconds& least = size == kWide ? first_ : level[id];
      // Where the minimum stays, nothing changes further up.
      if (deadline > least) {
        if (before > least) return;
        deadline = std::min(std::min(node[0], node[1]), std::min(node[2], node[3]));
      }
      if (deadline == least) return;
      if (size > kWide) continue;
      first_ = deadline;
      return;
    }
  }
  // Room for `id`.
  void Grow(uint32_t id) {
    std::vector<std::pair<uint32_t, Nanoseconds>> armed;
    for (uint32_t i = 0; i < ids_; ++i) {
      if (Armed(i)) armed.emplace_back(i, Of(i));
    }
    ids_ = (std::max(id + 1, ids_ + ids_ / 2) + kWide - 1) & ~(kWide - 1);
    size_t places = 0;
    for (uint32_t size = ids_; size > 1; size = Above(size)) places += size;
    least_.assign(places, kNever);
    first_ = kNever;
    for (const auto& [i, deadline] : armed) Arm(i, deadline);
  }

  uint32_t ids_ = 0;            // whole nodes
  Nanoseconds first_ = kNever;  // of all
  // Of each id; then the minima of their nodes, whole nodes again; and so on up to the root.
  std::vector<Nanoseconds> least_;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_DEADLINES_H_
