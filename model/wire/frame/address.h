// Link and network addresses as plain values.
#ifndef METAROCE_MODEL_WIRE_FRAME_ADDRESS_H_
#define METAROCE_MODEL_WIRE_FRAME_ADDRESS_H_

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace metaroce::frame {

// An Ethernet address, in the order of the wire.
struct MacAddress {
  std::array<uint8_t, 6> bytes{};

  // "02:00:00:00:00:01"
  std::string ToString() const;

  friend auto operator<=>(const MacAddress&, const MacAddress&) = default;
};

// An IPv4 or IPv6 address. Default: 0.0.0.0.
class IpAddress {
 public:
  IpAddress() = default;

  // `bytes` in the order of the wire.
  static IpAddress V4(const std::array<uint8_t, 4>& bytes) {
    IpAddress a;
    std::copy(bytes.begin(), bytes.end(), a.bytes_.begin());
    return a;
  }
  static IpAddress V6(const std::array<uint8_t, 16>& bytes) {
    IpAddress a;
    a.version_ = 6;
    a.bytes_ = bytes;
    return a;
  }

  // The usual text forms ("10.0.0.1", "2001:db8::1", RFC 4291 section 2.2).
  // InvalidArgumentError with the text otherwise.
  static absl::StatusOr<IpAddress> Parse(absl::string_view text);

  bool is_v4() const { return version_ == 4; }
  // 4 or 6.
  int version() const { return version_; }
  // 4 or 16 bytes, in the order of the wire; valid as long as this object.
  absl::Span<const uint8_t> bytes() const { return {bytes_.data(), is_v4() ? size_t{4} : 16}; }

  // "10.0.0.1" or the form of RFC 5952.
  std::string ToString() const;

  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;
  friend bool operator==(const IpAddress& a, const IpAddress& b) {
    // By words: g++ calls memcmp for an array of bytes.
    return a.version_ == b.version_ && a.Word(0) == b.Word(0) && a.Word(8) == b.Word(8);
  }

  template <typename H>
  friend H AbslHashValue(H h, const IpAddress& a) {
    return H::combine(std::move(h), a.version_, a.bytes_);
  }

 private:
  uint64_t Word(size_t at) const {
    uint64_t word;
    std::memcpy(&word, bytes_.data() + at, sizeof(word));
    return word;
  }

  uint8_t version_ = 4;
  std::array<uint8_t, 16> bytes_{};  // IPv4: the last twelve are zero
};

}  // namespace metaroce::frame

#endif  // METAROCE_MODEL_WIRE_FRAME_ADDRESS_H_
