// The receives an application posted, by receive index (clauses SEQ-INDEX, SEQ-CREDIT).
#ifndef METAROCE_MODEL_CONNECTION_RECEIVE_QUEUE_H_
#define METAROCE_MODEL_CONNECTION_RECEIVE_QUEUE_H_

#include <cstdint>
#include <deque>

#include "model/serial.h"

namespace metaroce {

struct StateFields;  // model/state/fields.h

struct PostedReceive {
  uint64_t id = 0;       // the application's own
  uint64_t address = 0;  // of its buffer
  uint32_t length = 0;   // bytes
  bool taken = false;    // a message has it
  bool done = false;     // completed

  bool operator==(const PostedReceive&) const = default;
};

class ReceiveQueue {
 public:
  explicit ReceiveQueue(ReceiveIndex start = ReceiveIndex()) : front_(start) {}

  void Post(PostedReceive receive) { queue_.push_back(receive); }

  // The first receive index not posted.
  //
  //= SEQ-CREDIT
  //# A receiver's credit is the first receive index that it has not posted.
  ReceiveIndex credit() const { return front_ + static_cast<uint32_t>(queue_.size()); }

  // The receive at `index`, or null if it is not below the credit or was completed long ago.
  PostedReceive* Find(ReceiveIndex index) {
    const int32_t offset = index - front_;
    if (offset < 0 || static_cast<size_t>(offset) >= queue_.size()) return nullptr;
    return &queue_[static_cast<size_t>(offset)];
  }

  // The receive at `index` was completed.
  void Complete(ReceiveIndex index) {
    if (PostedReceive* receive = Find(index)) receive->done = true;
    while (!queue_.empty() && queue_.front().done) {
      queue_.pop_front();
      ++front_;
    }
  }

  // Takes out the receive with the lowest index that is not completed; false if there is none.
  bool TakeFirst(PostedReceive* receive, ReceiveIndex* index) {
    while (!queue_.empty()) {
      *receive = queue_.front();
      *index = front_;
      queue_.pop_front();
      ++front_;
      if (!receive->done) return true;
    }
    return false;
  }

  bool operator==(const ReceiveQueue&) const = default;

 private:
  friend struct StateFields;

  ReceiveIndex front_;
  std::deque<PostedReceive> queue_;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_CONNECTION_RECEIVE_QUEUE_H_
