// A calendar queue of events in virtual time: two wheels of buckets, and a heap for what lies far
// ahead. Of events of the same time the one with the lowest rank leaves first, of those of one rank
// the one that was put in first, so that a run is the same everywhere.
//
// A bucket is a list, kept in order while it is short and put in order when its turn comes if it
// has grown long; there are so many buckets that most hold one event. Nothing is allocated once as
// many events wait as ever do.
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
  uint32_t what = 0;
};

// All events have one rank.
struct OneRank {
  uint32_t operator()(uint32_t /*what*/) const { return 0; }
};

// `Rank` gives the rank of an event that waits, by what it is; it is asked of events of one time.
template <typename Rank = OneRank>
class Calendar {
 public:
  // A bucket of the near wheel holds 2^shift ps, 0 to 30: best about as much as lies between two
  // events. The order of events does not depend on it.
  explicit Calendar(uint32_t shift = 13, Rank rank = Rank()) : shift_(shift), rank_(rank) {}

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  // The time of the event that left last; 0 before one did.
  Picoseconds now() const { return now_; }

  // Precondition: `at` is not before now().
  void Push(Picoseconds at, uint32_t what) {
    METAROCE_CHECK(at >= now_);
    ++size_;
    const uint64_t tick = TickOf(at);
    const uint64_t apart = tick ^ tick_;
    if (apart <= kMask || tick < tick_) {
      PutInOrder((tick < tick_ ? tick_ : tick) & kMask, Take(at, what));
    } else if ((apart >> kBits) <= kMask) {
      Append(far_, (tick >> kBits) & kMask, Take(at, what));
    } else {
      beyond_.push_back({at, what, order_++});
      std::push_heap(beyond_.begin(), beyond_.end(), Later);
    }
  }

  // The time of the next event. Precondition: there is one.
  Picoseconds Next() { return nodes_[First()].at; }
  // One of the events that come soon, or null: for who wants to have its data at hand.
  const uint32_t* Coming() const {
    const uint32_t node = near_.buckets[tick_ & kMask].head;
    return node == kNone ? nullptr : &nodes_[node].what;
  }
  // Takes the next event. Precondition: there is one.
  Event Pop() {
    const uint32_t node = First();
    return TakeFirst(node);
  }
  // The same if the next event is before `until`. False, and nothing happens, if it is not, or
  // there is none.
  bool PopBefore(Picoseconds until, Event* event) {
    if (size_ == 0) return false;
    const uint32_t node = First();
    if (nodes_[node].at >= until) return false;
    *event = TakeFirst(node);
    return true;
  }

 private:
  static constexpr uint32_t kBits = 12;  // 4,096 buckets in a wheel
  static constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;
  static constexpr uint32_t kNone = UINT32_MAX;
  // How many events of a bucket are passed to find the place of a new one.
  static constexpr int kSteps = 8;

  // An event that waits in a bucket.
  struct Node {
    Picoseconds at;
    uint32_t what;
    uint32_t next;
  };
  struct Bucket {
    uint32_t head = kNone;
    uint32_t tail = kNone;
  };

  // Buckets, and a bit for each that is not empty, and one for each word of bits that is not 0.
  struct Wheel {
    static constexpr size_t kWords = (kMask + 1) / 64;

    void Set(uint64_t bucket) {
      bits[bucket / 64] |= uint64_t{1} << (bucket % 64);
      words |= uint64_t{1} << (bucket / 64);
    }
    void Clear(uint64_t bucket) {
      bits[bucket / 64] &= ~(uint64_t{1} << (bucket % 64));
      if (bits[bucket / 64] == 0) words &= ~(uint64_t{1} << (bucket / 64));
    }
    // The first at or behind `from` that is not empty, kMask + 1 if there is none.
    uint64_t First(uint64_t from) const {
      if (from > kMask) return kMask + 1;
      const uint64_t word = from / 64;
      const uint64_t here = bits[word] & (~uint64_t{0} << (from % 64));
      if (here != 0) return word * 64 + static_cast<uint64_t>(std::countr_zero(here));
      const uint64_t behind = words & (~uint64_t{1} << word);
      if (behind == 0) return kMask + 1;
      const auto other = static_cast<uint64_t>(std::countr_zero(behind));
      return other * 64 + static_cast<uint64_t>(std::countr_zero(bits[other]));
    }

    static_assert(kWords == 64);
    std::array<Bucket, kMask + 1> buckets;
    std::array<uint64_t, kWords> bits = {};
    uint64_t words = 0;
  };
  // What lies beyond both wheels.
  struct Late {
    Picoseconds at;
    uint32_t what;
    uint32_t order;
  };
  // An event of a bucket that is put in order.
  struct Place {
    Picoseconds at;
    uint32_t rank;
    uint32_t place;
    uint32_t node;
    bool operator<(const Place& other) const {
      if (at != other.at) return at < other.at;
      return rank != other.rank ? rank < other.rank : place < other.place;
    }
  };

  uint32_t Take(Picoseconds at, uint32_t what) {
    if (free_ == kNone) [[unlikely]] {
      Grow();
    }
    const uint32_t node = free_;
    Node& taken = nodes_[node];
    free_ = taken.next;
    taken = {at, what, kNone};
    return node;
  }
  [[gnu::noinline]] void Grow() {
    free_ = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({0, 0, kNone});
  }
  // Behind all others of the bucket.
  void Append(Wheel& wheel, uint64_t index, uint32_t node) {
    Bucket& bucket = wheel.buckets[index];
    if (bucket.head == kNone) {
      bucket.head = node;
      wheel.Set(index);
    } else {
      nodes_[bucket.tail].next = node;
    }
    bucket.tail = node;
  }
  // One that is put in leaves after one that is there.
  bool After(const Node& put, const Node& there) const {
    if (put.at != there.at) [[likely]]
      return put.at > there.at;
    return rank_(put.what) >= rank_(there.what);
  }
  // Into a bucket of the near wheel, behind all that leave before it.
  void PutInOrder(uint64_t index, uint32_t node) {
    Bucket& bucket = near_.buckets[index];
    if (bucket.head == kNone || After(nodes_[node], nodes_[bucket.tail]) || mixed_[index])
        [[likely]] {
      return Append(near_, index, node);
    }
    PutBetween(index, node);
  }
  [[gnu::noinline]] void PutBetween(uint64_t index, uint32_t node) {
    uint32_t* link = &near_.buckets[index].head;
    // The bucket that is being emptied stays in order, however long it is.
    for (int left = kSteps; After(nodes_[node], nodes_[*link]); link = &nodes_[*link].next) {
      if (--left >= 0 || index == (tick_ & kMask)) continue;
      mixed_[index] = true;
      return Append(near_, index, node);
    }
    nodes_[node].next = *link;
    *link = node;
  }

  // The next event. Precondition: there is one. The bucket that is being emptied is in order.
  uint32_t First() {
    const uint32_t head = near_.buckets[tick_ & kMask].head;
    return head != kNone ? head : FirstOfNext();
  }
  Event TakeFirst(uint32_t node) {
    const uint64_t index = tick_ & kMask;
    Node& from = nodes_[node];
    const Event event{from.at, from.what};
    near_.buckets[index].head = from.next;
    if (from.next == kNone) near_.Clear(index);
    from.next = free_;
    free_ = node;
    --size_;
    now_ = event.at;
    return event;
  }

  uint64_t TickOf(Picoseconds at) const { return static_cast<uint64_t>(at) >> shift_; }
  // The orders of events that wait at once are less than 2^31 apart.
  static bool Later(const Late& a, const Late& b) {
    if (a.at != b.at) return a.at > b.at;
    return static_cast<int32_t>(a.order - b.order) > 0;
  }

  // Goes on to the next bucket that is not empty.
  uint32_t FirstOfNext() {
    while (true) {
      const uint64_t near = near_.First(tick_ & kMask);
      if (near <= kMask) {
        tick_ = (tick_ & ~kMask) | near;
        if (mixed_[near]) Sort(near);
        return near_.buckets[near].head;
      }
      const uint64_t far = far_.First(((tick_ >> kBits) & kMask) + 1);
      if (far <= kMask) {
        tick_ = (((tick_ >> kBits) & ~kMask) | far) << kBits;
        uint32_t node = far_.buckets[far].head;
        far_.buckets[far] = Bucket();
        far_.Clear(far);
        while (node != kNone) {
          const uint32_t next = nodes_[node].next;
          nodes_[node].next = kNone;
          PutInOrder(TickOf(nodes_[node].at) & kMask, node);
          node = next;
        }
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
    }
  }
  // An event of a turn of the far wheel that has begun, into one of the wheels.
  void Spread(const Late& late) {
    const uint64_t tick = TickOf(late.at);
    const uint32_t node = Take(late.at, late.what);
    if ((tick ^ tick_) <= kMask) {
      PutInOrder(tick & kMask, node);
    } else {
      Append(far_, (tick >> kBits) & kMask, node);
    }
  }
  void Sort(uint64_t index) {
    Bucket& bucket = near_.buckets[index];
    places_.clear();
    for (uint32_t node = bucket.head; node != kNone; node = nodes_[node].next) {
      const Node& waits = nodes_[node];
      places_.push_back({waits.at, rank_(waits.what), static_cast<uint32_t>(places_.size()), node});
    }
    std::sort(places_.begin(), places_.end());
    for (size_t i = 0; i + 1 < places_.size(); ++i) {
      nodes_[places_[i].node].next = places_[i + 1].node;
    }
    nodes_[places_.back().node].next = kNone;
    bucket = {places_.front().node, places_.back().node};
    mixed_[index] = false;
  }

  const uint32_t shift_;
  const Rank rank_;
  uint64_t tick_ = 0;  // the bucket that is being emptied, of all since time 0
  Picoseconds now_ = 0;
  size_t size_ = 0;
  uint32_t free_ = kNone;
  std::vector<Node> nodes_;
  Wheel near_;
  std::array<bool, kMask + 1> mixed_ = {};  // buckets of the near wheel that are out of order
  Wheel far_;
  std::vector<Late> beyond_;  // a heap
  std::vector<Place> places_;
  uint32_t order_ = 0;
};

}  // namespace metaroce::fabric

#endif  // METAROCE_MODEL_FABRIC_CALENDAR_H_
