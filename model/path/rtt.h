// The round-trip time of one path and epoch (section 7.5). Nanoseconds, integers.
#ifndef METAROCE_MODEL_PATH_RTT_H_
#define METAROCE_MODEL_PATH_RTT_H_

#include <algorithm>
#include <cstdint>

#include "model/serial.h"

namespace metaroce {

struct StateFields;  // model/state/fields.h

// A plain value.
class Rtt {
 public:
  Rtt() = default;
  // The epoch begins at `now`.
  explicit Rtt(Nanoseconds now) : bucket_began_(now) {}

  // A sample r > 0, from a block or from the handshake that opened the epoch.
  void Sample(Nanoseconds r, bool of_block, Nanoseconds now, Nanoseconds bucket) {
    //= RTT-SMOOTH
    //# the first sample of the epoch, and the first one that a block gives: `s` = r << 3, `v` = r
    //# << 1;
    if (last_ == 0 || (of_block && !block_gave_)) {
      s_ = r << 3;
      v_ = r << 1;
    } else {
      const Nanoseconds d = r - (s_ >> 3);
      v_ = v_ + (d < 0 ? -d : d) - (v_ >> 2);
      s_ = s_ + d;
    }
    block_gave_ = block_gave_ || of_block;
    last_ = r;
    last_at_ = now;
    Minimum(r, now, bucket);
  }

  Nanoseconds srtt_8() const { return s_; }    // SRTT times 8, 0 before a sample
  Nanoseconds rttvar_4() const { return v_; }  // RTTVAR times 4
  Nanoseconds srtt() const { return s_ >> 3; }
  Nanoseconds rttvar() const { return v_ >> 2; }
  Nanoseconds minimum() const { return std::min(bucket_, former_); }  // kNever before a sample
  Nanoseconds last() const { return last_; }                          // 0 before a sample
  Nanoseconds last_at() const { return last_at_; }

  bool operator==(const Rtt&) const = default;

 private:
  friend struct StateFields;

  //= RTT-MIN
  //# minRTT of a path is the least sample in two buckets.
  void Minimum(Nanoseconds r, Nanoseconds now, Nanoseconds bucket) {
    const Nanoseconds age = now - bucket_began_;
    if (age >= 2 * bucket) {
      former_ = kNever;
      bucket_ = r;
      bucket_began_ = now;
    } else if (age >= bucket) {
      former_ = bucket_;
      bucket_ = r;
      bucket_began_ += bucket;
    } else {
      bucket_ = std::min(bucket_, r);
    }
  }

  Nanoseconds s_ = 0;  // SRTT times 8
  Nanoseconds v_ = 0;  // RTTVAR times 4
  Nanoseconds last_ = 0;
  Nanoseconds last_at_ = 0;
  Nanoseconds bucket_began_ = 0;
  Nanoseconds bucket_ = kNever;
  Nanoseconds former_ = kNever;
  bool block_gave_ = false;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_PATH_RTT_H_
