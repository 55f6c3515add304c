// A calendar queue of events in virtual time: two wheels of buckets, and a heap for what lies far
// ahead. Events of the same time leave in the order in which they were put in, so that a run is the
// same everywhere.
//
// Nothing is allocated once the buckets have grown to what a load needs.
#ifndef METAROCE_MODEL_FABRIC_CALENDAR_H_
#define METAROCE_MODEL_FABRIC_CALENDAR_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/check.h"

namespace metaroce::fabric {

// Virtual time inside the fabric: a byte at 400 Gb/s takes 20 ps. Never negative; 106 days fit.
using Picoseconds = int64_t;
inline constexpr Picoseconds kPicosecondsPerNanosecond = 1000;

// What happens is the caller's: a small number and an index.
struct Event {
  Picoseconds at = 0;
  uint32_t order = 0;  // set by the calendar
  uint32_t what = 0;
};

class Calendar {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  // The time of the event that left last; 0 before one did.
  Picoseconds now() const { return now_; }

  // Precondition: `at` is not before now().
  void Push(Picoseconds at, uint32_t what) {
    METAROCE_CHECK(at >= now_);
    ++size_;
    const Event event{at, order_++, what};
    const uint64_t tick = TickOf(at);
    if (tick <= tick_) {
      Insert(event);
    } else if ((tick >> kBits) == (tick_ >> kBits)) {
      Put(near_, tick & kMask, event);
    } else if ((tick >> (2 * kBits)) == (tick_ >> (2 * kBits))) {
      Put(far_, (tick >> kBits) & kMask, event);
    } else {
      beyond_.push_back(event);
      std::push_heap(beyond_.begin(), beyond_.end(), Later);
    }
  }

  // The time of the next event. Precondition: there is one.
  Picoseconds Next() {
    Advance();
    return current_[first_].at;
  }
  // One of the events that come soon, or null: for who wants to have its data at hand.
  const Event* Coming() const {
    return first_ + 1 < current_.size() ? &current_[first_ + 1] : nullptr;
  }
  // Takes the next event. Precondition: there is one.
  Event Pop() {
    Advance();
    const Event event = current_[first_++];
    if (first_ == current_.size()) {
      current_.clear();
      first_ = 0;
    }
    --size_;
    now_ = event.at;
    return event;
  }

 private:
  static constexpr uint32_t kTickShift = 13;  // a bucket of the near wheel holds 8,192 ps
  static constexpr uint32_t kBits = 11;       // 2,048 buckets in a wheel
  static constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;

  static constexpr uint32_t kNone = UINT32_MAX;

  // An event that waits in a bucket.
  struct Node {
    Event event;
    uint32_t next = kNone;
  };

  // Buckets as lists of nodes, and a bit for each that is not empty.
  struct Wheel {
    Wheel() { head.fill(kNone); }
    // The first at or behind `from` that is not empty, kMask + 1 if there is none.
    uint64_t First(uint64_t from) const {
      if (from > kMask) return kMask + 1;
      size_t word = from / 64;
      uint64_t bits = set[word] & (~uint64_t{0} << (from % 64));
      while (bits == 0) {
        if (++word == set.size()) return kMask + 1;
        bits = set[word];
      }
      return word * 64 + static_cast<uint64_t>(std::countr_zero(bits));
    }

    std::array<uint32_t, kMask + 1> head;
    std::array<uint64_t, (kMask + 1) / 64> set = {};
  };

  void Put(Wheel& wheel, uint64_t bucket, const Event& event) {
    uint32_t node = free_;
    if (node == kNone) {
      node = static_cast<uint32_t>(nodes_.size());
      nodes_.push_back({});
    } else {
      free_ = nodes_[node].next;
    }
    nodes_[node] = {event, wheel.head[bucket]};
    wheel.head[bucket] = node;
    wheel.set[bucket / 64] |= uint64_t{1} << (bucket % 64);
  }
  // Empties a bucket: calls `f` with each of its events.
  template <typename F>
  void Open(Wheel& wheel, uint64_t bucket, F f) {
    wheel.set[bucket / 64] &= ~(uint64_t{1} << (bucket % 64));
    uint32_t node = wheel.head[bucket];
    wheel.head[bucket] = kNone;
    while (node != kNone) {
      const Node taken = nodes_[node];
      nodes_[node].next = free_;
      free_ = node;
      f(taken.event);
      node = taken.next;
    }
  }

  static uint64_t TickOf(Picoseconds at) { return static_cast<uint64_t>(at) >> kTickShift; }
  // By time, then by order; the orders of events that wait at once are less than 2^31 apart.
  static bool Before(const Event& a, const Event& b) {
    if (a.at != b.at) return a.at < b.at;
    return static_cast<int32_t>(a.order - b.order) < 0;
  }
  static bool Later(const Event& a, const Event& b) { return Before(b, a); }

  // Into the bucket that is being emptied, behind all of its time.
  void Insert(const Event& event) {
    size_t place = current_.size();
    current_.push_back(event);
    while (place > first_ && event.at < current_[place - 1].at) {
      current_[place] = current_[place - 1];
      --place;
    }
    current_[place] = event;
  }

  // Until the bucket that is being emptied holds the next event.
  void Advance() {
    while (first_ == current_.size()) {
      current_.clear();
      first_ = 0;
      const uint64_t near = near_.First((tick_ & kMask) + 1);
      if (near <= kMask) {
        tick_ = (tick_ & ~kMask) | near;
        Open(near_, near, [&](const Event& event) { current_.push_back(event); });
        Sort();
        return;
      }
      const uint64_t far = far_.First(((tick_ >> kBits) & kMask) + 1);
      if (far <= kMask) {
        tick_ = (((tick_ >> kBits) & ~kMask) | far) << kBits;
        Open(far_, far, [&](const Event& event) { Spread(event); });
        Sort();
        continue;
      }
      METAROCE_CHECK(!beyond_.empty());
      // The whole turn of the far wheel in which the first of them lies.
      const uint64_t turn = TickOf(beyond_.front().at) >> (2 * kBits);
      tick_ = turn << (2 * kBits);
      while (!beyond_.empty() && TickOf(beyond_.front().at) >> (2 * kBits) == turn) {
        std::pop_heap(beyond_.begin(), beyond_.end(), Later);
        Spread(beyond_.back());
        beyond_.pop_back();
      }
      Sort();
    }
  }
  // An event of a bucket that was opened, into the wheels below.
  void Spread(const Event& event) {
    const uint64_t tick = TickOf(event.at);
    if (tick == tick_) {
      current_.push_back(event);
    } else if ((tick >> kBits) == (tick_ >> kBits)) {
      Put(near_, tick & kMask, event);
    } else {
      Put(far_, (tick >> kBits) & kMask, event);
    }
  }
  void Sort() {
    if (current_.size() > 24) {
      std::sort(current_.begin(), current_.end(), Before);
      return;
    }
    for (size_t i = 1; i < current_.size(); ++i) {
      const Event event = current_[i];
      size_t place = i;
      while (place > 0 && Before(event, current_[place - 1])) {
        current_[place] = current_[place - 1];
        --place;
      }
      current_[place] = event;
    }
  }

  Wheel near_;
  Wheel far_;
  std::vector<Node> nodes_;
  uint32_t free_ = kNone;
  std::vector<Event> beyond_;   // a heap
  std::vector<Event> current_;  // sorted from first_ on: the events of tick_ and before
  size_t first_ = 0;
  uint64_t tick_ = 0;
  Picoseconds now_ = 0;
  uint32_t order_ = 0;
  size_t size_ = 0;
};

}  // namespace metaroce::fabric

#endif  // METAROCE_MODEL_FABRIC_CALENDAR_H_
