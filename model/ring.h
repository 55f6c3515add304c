// A queue in one piece of memory that grows with what it holds and then allocates nothing; a
// std::deque allocates again and again while elements pass through it.
#ifndef METAROCE_MODEL_RING_H_
#define METAROCE_MODEL_RING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
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

// A power of two of places for what is numbered without end: number n has the place n modulo their
// count, which is told without a division by the size of T.
template <typename T>
class Slots {
 public:
  uint32_t size() const { return mask_ + 1; }
  bool empty() const { return size() == 0; }
  T& operator[](uint32_t n) { return places_[n & mask_]; }
  const T& operator[](uint32_t n) const { return places_[n & mask_]; }

  // `size` places, all of them `value`.
  void assign(size_t size, const T& value) {
    places_.assign(size, value);
    mask_ = static_cast<uint32_t>(size) - 1;
  }
  // Twice as many, or `least`; those of the numbers from `first` on, `count` of them, are kept.
  void Grow(uint32_t least, uint32_t first, uint32_t count) {
    Slots bigger;
    bigger.assign(empty() ? least : 2 * size(), T());
    for (uint32_t i = 0; i < count; ++i) bigger[first + i] = (*this)[first + i];
    std::swap(*this, bigger);
  }

  bool operator==(const Slots&) const = default;

 private:
  std::vector<T> places_;
  uint32_t mask_ = UINT32_MAX;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_RING_H_
