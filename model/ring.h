// A queue in one piece of memory that grows with what it holds and then allocates nothing; a
// std::deque allocates again and again while elements pass through it.
#ifndef METAROCE_MODEL_RING_H_
#define METAROCE_MODEL_RING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace metaroce {

// A plain value; two are equal if they hold the same in the same order. Indices count from the
// front. Preconditions are those of std::deque.
template <typename T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return places_[(first_ + i) & (places_.size() - 1)]; }
  const T& operator[](size_t i) const { return places_[(first_ + i) & (places_.size() - 1)]; }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }

  void push_back(const T& value) {
    if (size_ == places_.size()) Grow();
    ++size_;
    (*this)[size_ - 1] = value;
  }
  void pop_front() {
    ++first_;
    --size_;
  }
  // The first becomes the last.
  void Turn() {
    if (size_ == 1) return;
    const T value = front();
    pop_front();
    push_back(value);
  }
  // New elements are T().
  void resize(size_t size) {
    while (places_.size() < size) Grow();
    for (; size_ < size; ++size_) (*this)[size_] = T();
    size_ = size;
  }

  template <typename RingType>
  class Iterator {
   public:
    Iterator(RingType* ring, size_t at) : ring_(ring), at_(at) {}
    auto& operator*() const { return (*ring_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    RingType* ring_;
    size_t at_;
  };
  auto begin() { return Iterator<Ring>(this, 0); }
  auto end() { return Iterator<Ring>(this, size_); }
  auto begin() const { return Iterator<const Ring>(this, 0); }
  auto end() const { return Iterator<const Ring>(this, size_); }

  friend bool operator==(const Ring& a, const Ring& b) {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i) {
      if (!(a[i] == b[i])) return false;
    }
    return true;
  }

 private:
  void Grow() {
    std::vector<T> bigger(std::max<size_t>(4, 2 * places_.size()));
    for (size_t i = 0; i < size_; ++i) bigger[i] = (*this)[i];
    places_.swap(bigger);
    first_ = 0;
  }

  std::vector<T> places_;  // a power of two
  size_t first_ = 0;       // modulo their number
  size_t size_ = 0;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_RING_H_
