// A value that may be absent and, if there, lives on the heap: copying it copies what it holds,
// comparing it compares that. For state that few of many slots have.
#ifndef METAROCE_MODEL_BOX_H_
#define METAROCE_MODEL_BOX_H_

#include <memory>
#include <utility>

namespace metaroce {

template <typename T>
class Box {
 public:
  Box() = default;
  Box(const Box& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Box(Box&&) noexcept = default;
  Box& operator=(Box other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }

  template <typename... Args>
  T& emplace(Args&&... args) {
    value_ = std::make_unique<T>(std::forward<Args>(args)...);
    return *value_;
  }
  void reset() { value_.reset(); }

  explicit operator bool() const { return value_ != nullptr; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

  bool operator==(const Box& other) const {
    return bool(*this) == bool(other) && (!*this || **this == *other);
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_BOX_H_
