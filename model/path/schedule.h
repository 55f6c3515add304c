// Which path takes the next packet: the least loaded of those that may (clause CC-SCHEDULER).
//
// A tournament over path ids. A change of one path costs log2(paths), and so does the answer.
#ifndef METAROCE_MODEL_PATH_SCHEDULE_H_
#define METAROCE_MODEL_PATH_SCHEDULE_H_

#include <bit>
#include <cstdint>
#include <vector>

namespace metaroce {

struct StateFields;  // model/state/fields.h

// A plain value that follows from the books of the paths.
class Schedule {
 public:
  static constexpr uint32_t kNobody = UINT32_MAX;

  // For path ids 0 to `paths` - 1.
  explicit Schedule(uint32_t paths = 1)
      : leaves_(std::bit_ceil(paths)), best_(2 * leaves_, kNobody), load_(paths) {}

  // Path `id` may take a packet and has `in_flight` of its window `w` (Q16.16, above 0) in use.
  void Enter(uint32_t id, uint32_t in_flight, uint32_t w) {
    if (best_[leaves_ + id] == id && load_[id].in_flight == in_flight && load_[id].w == w) return;
    load_[id] = {in_flight, w};
    if (best_[leaves_ + id] != id) ++size_;
    best_[leaves_ + id] = id;
    Replay(id);
  }
  // Path `id` may not take a packet.
  void Leave(uint32_t id) {
    if (best_[leaves_ + id] == kNobody) return;
    best_[leaves_ + id] = kNobody;
    --size_;
    Replay(id);
  }

  uint32_t size() const { return size_; }
  bool Has(uint32_t id) const { return best_[leaves_ + id] == id; }

  //= CC-SCHEDULER
  //# Paths that are equal stand in ascending order of id, in cyclic order beginning behind the path
  //# of the latest moved or new packet
  //
  // The first in this order, kNobody if no path may. `latest` is kNobody before there was one.
  uint32_t First(uint32_t latest) const {
    const uint32_t from = latest == kNobody ? 0 : latest + 1;
    // Of the least loaded ones the root has the lowest id.
    if (size_ == 0 || best_[1] >= from) return best_[1];
    return Better(Range(from), best_[1]);
  }

  // True if path a stands before path b in the order, cyclic order aside.
  bool Less(uint32_t a, uint32_t b) const {
    return uint64_t{load_[a].in_flight} * load_[b].w < uint64_t{load_[b].in_flight} * load_[a].w;
  }

 private:
  friend struct StateFields;

  struct Load {
    uint32_t in_flight = 0;
    uint32_t w = 1;
  };

  // `a` unless b is strictly less loaded.
  uint32_t Better(uint32_t a, uint32_t b) const {
    if (a == kNobody) return b;
    if (b == kNobody) return a;
    return Less(b, a) ? b : a;
  }
  void Replay(uint32_t id) {
    for (uint32_t node = (leaves_ + id) / 2; node >= 1; node /= 2) {
      const uint32_t best = Better(best_[2 * node], best_[2 * node + 1]);
      // Where another path stays the best, nothing changes further up.
      if (best == best_[node] && best != id) return;
      best_[node] = best;
    }
  }
  // The best of the ids from `from` on.
  uint32_t Range(uint32_t from) const {
    if (from >= leaves_) return kNobody;
    uint32_t node = leaves_ + from;
    uint32_t best = best_[node];
    for (; node > 1; node /= 2) {
      if (node % 2 == 0) best = Better(best, best_[node + 1]);
    }
    return best;
  }

  uint32_t leaves_;
  uint32_t size_ = 0;
  std::vector<uint32_t> best_;
  std::vector<Load> load_;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_PATH_SCHEDULE_H_
