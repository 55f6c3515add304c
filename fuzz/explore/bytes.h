// Numbers and strings one after the other, least significant byte first.
#ifndef METAROCE_FUZZ_EXPLORE_BYTES_H_
#define METAROCE_FUZZ_EXPLORE_BYTES_H_

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace metaroce::explore {

inline void Put16(std::string* out, uint64_t v) {
  out->push_back(static_cast<char>(v));
  out->push_back(static_cast<char>(v >> 8));
}
inline void Put32(std::string* out, uint64_t v) {
  Put16(out, v);
  Put16(out, v >> 16);
}
inline void Put64(std::string* out, uint64_t v) {
  Put32(out, v);
  Put32(out, v >> 32);
}

// Takes numbers off the front of what the functions above wrote.
class Taker {
 public:
  explicit Taker(absl::string_view in) : p_(in.data()) {}
  uint64_t Take(int bytes) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; ++i) v |= uint64_t{static_cast<uint8_t>(p_[i])} << (8 * i);
    p_ += bytes;
    return v;
  }

 private:
  const char* p_;
};

inline void PutString(std::string* out, absl::string_view text) {
  Put64(out, text.size());
  out->append(text.data(), text.size());
}

// Total: what is missing is 0 or empty.
inline uint64_t TakeNumber(absl::string_view* in) {
  if (in->size() < 8) {
    *in = {};
    return 0;
  }
  const uint64_t value = Taker(*in).Take(8);
  in->remove_prefix(8);
  return value;
}
inline absl::string_view TakeString(absl::string_view* in) {
  const uint64_t length = TakeNumber(in);
  const absl::string_view text = in->substr(0, std::min<uint64_t>(length, in->size()));
  in->remove_prefix(text.size());
  return text;
}

}  // namespace metaroce::explore

#endif  // METAROCE_FUZZ_EXPLORE_BYTES_H_
