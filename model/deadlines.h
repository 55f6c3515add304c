// Timers as data: a deadline for each of a dense range of ids, and which comes first.
//
// An indexed binary heap. Ids of equal deadlines come in ascending order, so the order in which
// timers of one nanosecond expire is fixed by their ids and by nothing that went before.
#ifndef METAROCE_MODEL_DEADLINES_H_
#define METAROCE_MODEL_DEADLINES_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/serial.h"

namespace metaroce {

struct StateFields;  // model/state/fields.h

class Deadlines {
 public:
  // The deadline of `id`, kNever if it is not armed.
  Nanoseconds Of(uint32_t id) const {
    return id < place_.size() && place_[id] != kNowhere ? heap_[place_[id]].deadline : kNever;
  }
  bool Armed(uint32_t id) const { return Of(id) != kNever; }

  // The earliest deadline, kNever if nothing is armed; and whose it is.
  Nanoseconds First() const { return heap_.empty() ? kNever : heap_[0].deadline; }
  uint32_t FirstId() const { return heap_[0].id; }

  // Arms `id` for `deadline`, whatever it was; kNever stops it.
  void Arm(uint32_t id, Nanoseconds deadline) {
    if (deadline != Of(id)) Change(id, deadline);
  }
  // Arms it unless it is armed for an earlier time already: for deadlines that are looked at again
  // when they expire and only ever move back.
  void ArmBy(uint32_t id, Nanoseconds deadline) {
    if (deadline < Of(id)) Arm(id, deadline);
  }

  void Stop(uint32_t id) {
    if (id >= place_.size() || place_[id] == kNowhere) return;
    const uint32_t at = place_[id];
    place_[id] = kNowhere;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (at == heap_.size()) return;
    Put(at, last);
    Up(at);
    Down(place_[last.id]);
  }
  void StopAll() {
    heap_.clear();
    place_.clear();
  }

 private:
  friend struct StateFields;

  struct Entry {
    Nanoseconds deadline;
    uint32_t id;
    bool operator<(const Entry& other) const {
      return deadline != other.deadline ? deadline < other.deadline : id < other.id;
    }
  };
  static constexpr uint32_t kNowhere = UINT32_MAX;

  // Apart from Arm, whose call mostly changes nothing.
  [[gnu::noinline]] void Change(uint32_t id, Nanoseconds deadline) {
    if (deadline == kNever) return Stop(id);
    if (id >= place_.size()) place_.resize(id + 1, kNowhere);
    if (place_[id] == kNowhere) {
      place_[id] = static_cast<uint32_t>(heap_.size());
      heap_.push_back({deadline, id});
      Up(place_[id]);
      return;
    }
    const uint32_t at = place_[id];
    const Nanoseconds before = heap_[at].deadline;
    heap_[at].deadline = deadline;
    if (deadline < before) {
      Up(at);
    } else {
      Down(at);
    }
  }
  void Put(uint32_t at, const Entry& entry) {
    heap_[at] = entry;
    place_[entry.id] = at;
  }
  void Up(uint32_t at) {
    const Entry entry = heap_[at];
    while (at > 0 && entry < heap_[(at - 1) / 2]) {
      Put(at, heap_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    Put(at, entry);
  }
  void Down(uint32_t at) {
    const Entry entry = heap_[at];
    while (true) {
      uint32_t child = 2 * at + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
      if (!(heap_[child] < entry)) break;
      Put(at, heap_[child]);
      at = child;
    }
    Put(at, entry);
  }

  std::vector<Entry> heap_;
  std::vector<uint32_t> place_;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_DEADLINES_H_
