// State as bytes, and back: archives for the lists of fields.h that write numbers in the order of
// the list, without names.
#ifndef METAROCE_MODEL_STATE_BYTES_H_
#define METAROCE_MODEL_STATE_BYTES_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "model/serial.h"

namespace metaroce::state {

// A number takes a byte for each 7 bits; a time is written such that kNever takes one.
class ByteWriter {
 public:
  static constexpr bool kReads = false;

  // Appends to `*out`, which outlives this.
  ByteWriter(std::string* out, bool counters) : out_(*out), counters_(counters) {}

  void Number(const char*, uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<char>(value));
  }
  void Time(const char* name, Nanoseconds t) {
    if (t == kNever) return Number(name, 0);
    const uint64_t bits = static_cast<uint64_t>(t);
    Number(name, ((bits << 1) ^ (t < 0 ? UINT64_MAX : 0)) + 1);
  }
  void Begin(const char*) {}
  void End() {}
  bool counters() const { return counters_; }

 private:
  std::string& out_;
  bool counters_;
};

// Reads what ByteWriter wrote. Total: other bytes give some value or a failure; after one every
// number is 0.
class ByteReader {
 public:
  static constexpr bool kReads = true;

  ByteReader(absl::string_view in, bool counters) : in_(in), counters_(counters) {}

  uint64_t Number(const char*) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (in_.empty()) return Fail();
      const uint8_t byte = static_cast<uint8_t>(in_[0]);
      in_.remove_prefix(1);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    return Fail();
  }
  Nanoseconds Time(const char* name) {
    const uint64_t coded = Number(name);
    if (coded == 0) return kNever;
    const uint64_t bits = coded - 1;
    return static_cast<Nanoseconds>((bits >> 1) ^ (0 - (bits & 1)));
  }
  void Begin(const char*) {}
  void End() {}
  bool counters() const { return counters_; }

  // Nothing was missing, too great or left over.
  bool ok() const { return !failed_ && in_.empty(); }
  // Bytes not read yet: no list can have more elements.
  size_t left() const { return in_.size(); }

 private:
  uint64_t Fail() {
    failed_ = true;
    in_ = {};
    return 0;
  }

  absl::string_view in_;
  bool counters_;
  bool failed_ = false;
};

}  // namespace metaroce::state

#endif  // METAROCE_MODEL_STATE_BYTES_H_
