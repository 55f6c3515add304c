// Numbers of a sequence space, compared by serial arithmetic (clause SEQ-COMPARE), and times.
//
// A type for each space, so that a path sequence is never handed over where a CSN is wanted.
#ifndef METAROCE_MODEL_SERIAL_H_
#define METAROCE_MODEL_SERIAL_H_

#include <compare>
#include <cstdint>

namespace metaroce {

// A number modulo 2^32 of the space named by Tag. Ordering is by signed distance; it is no total
// order, so these are never keys of an ordered container.
template <typename Tag>
class Serial32 {
 public:
  constexpr Serial32() = default;
  constexpr explicit Serial32(uint32_t value) : value_(value) {}

  constexpr uint32_t value() const { return value_; }

  constexpr Serial32 operator+(uint32_t n) const { return Serial32(value_ + n); }
  constexpr Serial32& operator++() {
    ++value_;
    return *this;
  }
  // Distance from `other` to this, -2^31..2^31-1.
  constexpr int32_t operator-(Serial32 other) const {
    return static_cast<int32_t>(value_ - other.value_);
  }
  //= SEQ-COMPARE
  //# `a` is less than `b` when `a` - `b`, taken as a signed number of n bits in two's complement,
  //# is negative.
  constexpr bool operator<(Serial32 other) const { return *this - other < 0; }
  constexpr bool operator>(Serial32 other) const { return other < *this; }
  constexpr bool operator>=(Serial32 other) const { return !(*this < other); }
  constexpr bool operator<=(Serial32 other) const { return !(other < *this); }
  constexpr bool operator==(const Serial32&) const = default;

 private:
  uint32_t value_ = 0;
};

using PathSeq = Serial32<struct PathSeqTag>;
using Csn = Serial32<struct CsnTag>;
using Msn = Serial32<struct MsnTag>;
using ReceiveIndex = Serial32<struct ReceiveIndexTag>;
using AckSerial = Serial32<struct AckSerialTag>;
using TransactionId = Serial32<struct TransactionIdTag>;
// A clock reading as it stands on the wire: nanoseconds modulo 2^32.
using WireTime = Serial32<struct WireTimeTag>;

// Nanoseconds of virtual time, never negative. Times come in as arguments; the model has no clock.
using Nanoseconds = int64_t;
inline constexpr Nanoseconds kNever = INT64_MAX;

inline constexpr WireTime ToWire(Nanoseconds t) { return WireTime(static_cast<uint32_t>(t)); }

}  // namespace metaroce

#endif  // METAROCE_MODEL_SERIAL_H_
