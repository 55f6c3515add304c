// The windows of a path and of a connection, and where their algorithm is told what happens.
//
// Here the windows are fixed: two parameters of the endpoint. The algorithm of chapter 8, and any
// other, takes the place of the functions below; the model calls them at the events of
// CUSTOM-EVENTS, in its order, and reads nothing but the outputs.
#ifndef METAROCE_MODEL_CONGESTION_WINDOW_H_
#define METAROCE_MODEL_CONGESTION_WINDOW_H_

#include <algorithm>
#include <cstdint>

#include "model/serial.h"
#include "spec/tables.h"

namespace metaroce::congestion {

// Windows in Q16.16 packets (CC-UNITS).
struct Settings {
  uint32_t path_window = 64 << 16;            // w of every path
  uint64_t connection_window = 65280u << 16;  // bound of the sum of w

  bool operator==(const Settings&) const = default;
};

// What the algorithm keeps of a path and epoch.
struct PathState {
  uint32_t w = 1 << 16;
  uint32_t since_ar = 0;  // DATA packets since the last with `ar`

  bool operator==(const PathState&) const = default;
};

// What it keeps of a direction.
struct ConnectionState {
  uint64_t sum = 0;  // of w over the ACTIVE paths

  bool operator==(const ConnectionState&) const = default;
};

// A block as CUSTOM-EVENTS tells it.
struct Block {
  uint32_t acknowledged = 0;
  uint32_t arrivals = 0;
  uint32_t marks = 0;
  uint32_t lost = 0;
};

inline void PathUp(const Settings& settings, PathState& path, ConnectionState& connection) {
  path.w = settings.path_window;
  path.since_ar = 0;
  connection.sum += path.w;
}
inline void PathDown(PathState& path, ConnectionState& connection) { connection.sum -= path.w; }
inline void AckBlock(PathState&, const Block&) {}
inline void RtoStays(PathState&, ConnectionState&) {}
inline bool Congested(const PathState&) { return false; }

//= CC-WINDOW
//# Wp = max(65536, X).
inline uint64_t WindowPackets(const Settings& settings, const ConnectionState& connection) {
  return std::max<uint64_t>(65536, std::min(connection.sum, settings.connection_window));
}
//= CC-WINDOW
//# W = (Wp * S) >> 16.
inline uint64_t WindowBytes(const Settings& settings, const ConnectionState& connection,
                            uint32_t full_packet) {
  return (WindowPackets(settings, connection) * full_packet) >> 16;
}

}  // namespace metaroce::congestion

#endif  // METAROCE_MODEL_CONGESTION_WINDOW_H_
