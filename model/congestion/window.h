// What congestion control keeps of a path and of a direction (chapter 8), and which algorithm an
// endpoint uses. The rules stand in built_in.h, pacer.h, count.h; another algorithm in custom.h.
#ifndef METAROCE_MODEL_CONGESTION_WINDOW_H_
#define METAROCE_MODEL_CONGESTION_WINDOW_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model/box.h"
#include "model/congestion/pacer.h"
#include "model/serial.h"

namespace metaroce::congestion {

struct Algorithm;  // custom.h

enum class Kind : uint8_t {
  kBuiltIn,  // that of chapter 8
  kFixed,    // windows that never move, no pace, one target: for tests, benchmarks and exploration
  kCustom,   // another, behind the interface of section 8.13
};

// Which algorithm, with its parameters. Windows in Q16.16 packets (CC-UNITS).
struct Settings {
  Kind kind = Kind::kBuiltIn;
  // Of kFixed.
  uint32_t path_window = 64 << 16;            // w of every path
  uint64_t connection_window = 65280u << 16;  // bound of the sum of w
  // Of kCustom: set by Choose.
  const Algorithm* custom = nullptr;
  std::vector<uint64_t> parameters;  // by their places in the algorithm's table

  bool operator==(const Settings&) const = default;
};

//= CUSTOM-PURE
//# Its state is 64 bytes a path, set to zero when an epoch begins, and 64 bytes a connection, set
//# to zero when the connection opens.
using Memory = std::array<uint64_t, 8>;

// Of a path and epoch (CC-STATE).
struct PathState {
  uint32_t w = 1 << 16;
  uint32_t since_ar = 0;
  uint32_t alpha = 0;
  uint32_t clean = 0;
  uint32_t ce = 0;  // of the running round, as the next two
  uint32_t arrived = 0;
  uint32_t lost = 0;
  bool slow = false;
  bool first = true;
  bool skip = false;
  bool limited = false;
  bool limited_before = false;
  bool marked_before = false;
  bool ever_marked = false;
  bool given = false;  // another algorithm gave w: no rule of this chapter moves it any more
  bool wish = false;   // it wished another entropy, and the step has not come to that yet
  uint8_t history = 0;
  Nanoseconds round_start = 0;
  // Kept from block to block: minRTT as last seen, and w over it (CC-PACE-TIME).
  Nanoseconds min_rtt = kNever;
  uint64_t speed = 0;
  Box<Memory> memory;  // of another algorithm

  bool operator==(const PathState&) const = default;
};

// Of a direction.
struct ConnectionState {
  uint64_t sum = 0;            // of w over the ACTIVE paths
  uint64_t bound = 0;          // of X, but for the hint
  uint64_t speed = 0;          // V: sum over the ACTIVE paths
  uint32_t slow_paths = 0;     // ACTIVE paths with `slow`
  bool zero_slow = true;       // what path 0 has, or had last
  uint16_t hint = 0;           // 0: none
  Nanoseconds hint_until = 0;  // it does not live at that time
  uint64_t kb = 0;             // CC-KB
  // RTT-OF-CONNECTION, and the path whose SRTT it is.
  Nanoseconds min_rtt = 0;
  Nanoseconds srtt = 0;
  uint8_t srtt_path = 0;
  Pacer pacer;
  uint64_t byte_time = 0;       // T without a hint, 0 if it is to be computed anew
  uint64_t last_byte_time = 1;  // T of the last transmission
  Nanoseconds idle_since = kNever;

  // Of the number of paths and of another entropy (sections 8.11, 8.12).
  uint32_t base = 1;
  Nanoseconds grown_at = 0;
  uint32_t narrow = 0;
  uint32_t rounds = 0;
  uint32_t limited_rounds = 0;

  // Of another algorithm: what it gave, 0 if it gave none yet.
  uint64_t wp = 0;
  uint32_t pace = 0;
  uint32_t target = 0;
  uint16_t told_hint = 0;  // of its latest event HINT
  Box<Memory> memory;

  bool operator==(const ConnectionState&) const = default;
};

// A block as CUSTOM-EVENTS tells it, and as the rules of rounds see it.
struct Block {
  uint32_t acknowledged = 0;
  uint32_t arrivals = 0;  // a of TAKE-COUNTERS
  uint32_t marks = 0;     // m
  uint32_t lost = 0;
  uint32_t in_flight = 0;  // before the block
  Nanoseconds sample = 0;  // 0: none
};

// The bound of X by a hint; `bdp` in Q16.16 packets.
//
//= CC-WINDOW
//# H = b + (b >> 2) + 65536 with b = BDP(hint, minRTT of the connection)
constexpr uint64_t HintBound(uint64_t bdp) { return bdp + (bdp >> 2) + 65536; }

}  // namespace metaroce::congestion

#endif  // METAROCE_MODEL_CONGESTION_WINDOW_H_
