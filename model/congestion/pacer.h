// The pacer of one direction of a connection (section 8.7): a time before which no DATA leaves.
#ifndef METAROCE_MODEL_CONGESTION_PACER_H_
#define METAROCE_MODEL_CONGESTION_PACER_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "model/congestion/units.h"
#include "model/serial.h"

namespace metaroce {
struct StateFields;  // model/state/fields.h
}

namespace metaroce::congestion {

// A plain value. Times of a byte are in units of 2^-22 ns.
class Pacer {
 public:
  static constexpr int kBits = 22;

  //= CC-PACE
  //# A DATA packet of b bytes of wire size is admitted at time t when `due` is at most t << 22.
  bool Admits(Nanoseconds t) const { return Due() <= t; }
  // The first nanosecond at which it admits.
  Nanoseconds Due() const { return due_ + (part_ > 0 ? 1 : 0); }
  // `due` itself, in units of 2^-22 ns.
  Wide ExactDue() const { return (static_cast<Wide>(due_) << kBits) + part_; }

  // A packet of `bytes` leaves at `t` >= 0, when it is admitted; a byte takes `byte`; `burst` full
  // packets of `full_packet` bytes may leave back to back.
  void Charge(Nanoseconds t, uint32_t bytes, uint64_t byte, uint32_t burst, uint32_t full_packet) {
    //= CC-PACE
    //# `due` becomes max(`due`, (t << 22) - (`pace_burst` - 1) * S * T) + b * T
    const Wide time = static_cast<Wide>(byte);
    const Wide least =
        (static_cast<Wide>(t) << kBits) - Wide{burst - 1} * static_cast<Wide>(full_packet) * time;
    const Wide next = std::max(ExactDue(), least) + static_cast<Wide>(bytes) * time;
    due_ = static_cast<Nanoseconds>(next >> kBits);
    part_ = static_cast<uint32_t>(next & ((1 << kBits) - 1));
  }

  bool operator==(const Pacer&) const = default;

 private:
  friend struct metaroce::StateFields;

  // Whole nanoseconds of `due`, and the rest. At first it is before every other time (CC-PACE).
  Nanoseconds due_ = std::numeric_limits<Nanoseconds>::min() / 2;
  uint32_t part_ = 0;
};

// The time of a byte at `rate` > 0 units of `unit` Mb/s.
constexpr uint64_t ByteTimeOfRate(uint64_t rate, uint64_t unit) {
  //= CC-PACE-TIME
  //# with a hint: T = (8000 << 22) / (hint * U);
  return std::max<uint64_t>(1, (uint64_t{8000} << Pacer::kBits) / (rate * unit));
}

// The speed of one path: its window over its least round-trip time.
constexpr uint64_t Speed(uint32_t w, Nanoseconds min_rtt) {
  //= CC-PACE-TIME
  //# (`w` << 24) / max(minRTT of the path, 1024)
  return (uint64_t{w} << 24) / static_cast<uint64_t>(std::max<Nanoseconds>(min_rtt, 1024));
}

// The time of a byte without a hint. `speed` is the sum of the speeds of the ACTIVE paths, `sum`
// that of their windows (above 0), x is X, `gain` is in quarters. With 255 windows of 256 packets
// and the greatest gain p * S is below 2^62.
constexpr uint64_t ByteTimeOfSpeed(uint64_t speed, uint64_t sum, uint64_t x, uint64_t gain,
                                   uint64_t full_packet) {
  //= CC-PACE-TIME
  //# v = (V * ((X << 16) / sum)) >> 16; p = max(1, (v * g) >> 2)
  const uint64_t part = (x << 16) / sum;
  const uint64_t v = (speed * part) >> 16;
  const uint64_t p = std::max<uint64_t>(1, (v * gain) >> 2);
  //= CC-PACE-TIME
  //# T = 2^62 / (p * S);
  return std::max<uint64_t>(1, (uint64_t{1} << 62) / (p * full_packet));
}

}  // namespace metaroce::congestion

#endif  // METAROCE_MODEL_CONGESTION_PACER_H_
