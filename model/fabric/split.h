// What waits in a fabric that is split: events at hosts, and packets on their way to the queues of
// switches. In the order of time, then of rank; of a packet that is the link by which it arrives.
#ifndef METAROCE_MODEL_FABRIC_SPLIT_H_
#define METAROCE_MODEL_FABRIC_SPLIT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "model/fabric/calendar.h"
#include "model/ring.h"

namespace metaroce::fabric {

struct Arrival {
  Picoseconds at = 0;
  uint32_t rank = 0;
  uint32_t what = 0;

  bool operator<(const Arrival& other) const {
    return at != other.at ? at < other.at : rank < other.rank;
  }
};

// The events of one host. No two have the same time and rank, unless it is no matter which is
// first.
class HostEvents {
 public:
  static constexpr Picoseconds kNone = INT64_MAX;

  // The time of the first event, kNone if there is none.
  Picoseconds first() const { return first_; }

  // A packet arrives: mostly behind all others.
  void PushArrival(const Arrival& put) {
    if (!arrivals_.empty() && put < arrivals_[arrivals_.size() - 1]) return Push(put);
    arrivals_.push_back(put);
    first_ = std::min(first_, put.at);
  }
  // Something else: there are few, and mostly it is the next.
  void Push(const Arrival& put) {
    size_t place = others_.size();
    others_.push_back(put);
    for (; place > 0 && others_[place - 1] < put; --place) others_[place] = others_[place - 1];
    others_[place] = put;
    first_ = std::min(first_, put.at);
  }
  // Precondition: there is one.
  Arrival Pop() {
    Arrival popped;
    if (others_.empty() || (!arrivals_.empty() && arrivals_.front() < others_.back())) {
      popped = arrivals_.front();
      arrivals_.pop_front();
    } else {
      popped = others_.back();
      others_.pop_back();
    }
    first_ = std::min(arrivals_.empty() ? kNone : arrivals_.front().at,
                      others_.empty() ? kNone : others_.back().at);
    return popped;
  }

 private:
  Picoseconds first_ = kNone;
  Ring<Arrival> arrivals_;
  std::vector<Arrival> others_;  // the last first
};

// The packets that will be put into the queue of one link.
class Inbox {
 public:
  bool empty() const { return taken_ == waiting_.size(); }
  // True if it was empty.
  bool Push(const Arrival& put) {
    const bool was_empty = empty();
    if (put < last_) in_order_ = false;
    last_ = put;
    waiting_.push_back(put);
    return was_empty;
  }
  // Those that arrive before `until`, in order. They hold until the next call.
  absl::Span<const Arrival> Take(Picoseconds until) {
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(taken_));
    if (!in_order_) {
      std::sort(waiting_.begin(), waiting_.end());
      last_ = waiting_.back();
      in_order_ = true;
    }
    taken_ = 0;
    for (const Arrival& waits : waiting_) {
      if (waits.at >= until) break;
      ++taken_;
    }
    return absl::MakeConstSpan(waiting_).first(taken_);
  }

 private:
  std::vector<Arrival> waiting_;
  size_t taken_ = 0;  // of the first ones
  bool in_order_ = true;
  Arrival last_;  // put in; where they are in order, the last of them
};

}  // namespace metaroce::fabric

#endif  // METAROCE_MODEL_FABRIC_SPLIT_H_
