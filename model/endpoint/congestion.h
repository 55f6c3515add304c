// Congestion control of a direction: where the events of an endpoint move the windows, the pace and
// the number of paths (chapter 8). But for the windows themselves not for use outside of this
// folder.
//
// Fixed windows (congestion::Kind::kFixed) pass through the inline functions here and cost a packet
// one comparison each; everything else stands behind them.
#ifndef METAROCE_MODEL_ENDPOINT_CONGESTION_H_
#define METAROCE_MODEL_ENDPOINT_CONGESTION_H_

#include <cstdint>

#include "model/congestion/custom.h"
#include "model/congestion/window.h"
#include "model/endpoint/scope.h"

namespace metaroce::endpoint {

// X of a direction with a hint, or with a window that another algorithm gave.
uint64_t BoundX(const Connection& c, Nanoseconds now);
// X of a direction at `now`, in Q16.16 packets.
inline uint64_t WindowX(const Connection& c, Nanoseconds now) {
  const congestion::ConnectionState& all = c.congestion;
  if (all.hint == 0 && all.wp == 0) return std::min(all.sum, all.bound);
  return BoundX(c, now);
}
// Wp.
inline uint64_t WindowPackets(const Connection& c, Nanoseconds now) {
  //= CC-WINDOW
  //# Wp = max(65536, X).
  return std::max<uint64_t>(65536, WindowX(c, now));
}
// W, in bytes of wire size.
inline uint64_t WindowBytes(const Connection& c, Nanoseconds now) {
  //= CC-WINDOW
  //# W = (Wp * S) >> 16.
  return (WindowPackets(c, now) * c.ip_mtu_bytes) >> 16;
}

// The windows move, DATA is paced, the number of paths follows from the rules.
inline bool Moves(const Scope& s) { return s.e.settings.windows.kind != congestion::Kind::kFixed; }
inline bool BuiltIn(const Scope& s) {
  return s.e.settings.windows.kind == congestion::Kind::kBuiltIn;
}

// The connection opens; its first path becomes ACTIVE thereafter. `rtt` is that of the handshake.
void BeginCongestion(const Scope& s, Nanoseconds rtt);
// What gave a path another window when it became ACTIVE.
enum class Rise : uint8_t { kOpened, kAdded, kAgain, kHeard };
void WindowUp(const Scope& s, uint8_t path, Rise rise);
void WindowDown(const Scope& s, uint8_t path, congestion::Way way);
// The context of a path goes.
void WindowGone(const Scope& s, uint8_t path);

//= CC-WAITS
//# A DATA packet waits while it is a retransmission or a moved packet that has not been sent, or a
//# new packet that neither [MSG-READY] nor [SEQ-CSN-LIMIT] holds back.
inline bool Waits(Connection& c) {
  return c.lost_waiting > 0 || c.sent.waiting() > 0 ||
         (c.sent.next() < c.peer_edge && c.outbound.AnyReady());
}

// What a block told, in the order of TAKE-BLOCK: after the counters, after a loss, and steps 6
// and 7. `echo` is -1 without one.
void TellAckBlock(const Scope& s, uint8_t path, const congestion::Block& block);
void TellLoss(const Scope& s, uint8_t path, uint32_t lost);
void TakeWindows(const Scope& s, uint8_t path, Nanoseconds echo, const congestion::Block& block);
bool PathCongested(const Scope& s, uint8_t path);
void WindowAtRto(const Scope& s, uint8_t path);
void TellProbe(const Scope& s, uint8_t path);

// pace.cc
// DATA may leave now, as far as the pacer is concerned; else it is looked at again when it may. The
// direction is no longer idle if something waits.
bool PacerAdmits(const Scope& s);
// A DATA packet of `bytes` left on the path.
void DataLeft(const Scope& s, SendContext& x, uint32_t bytes);
void TakeHint(const Scope& s, uint16_t hint);
bool HintLives(const Connection& c, Nanoseconds now);
// At the end of a step: the direction may have become idle.
void IdlePerhaps(const Scope& s);

// count.cc
// Mb/s of the own ports to the connection's planes that are up.
uint64_t PortsMbps(const Scope& s);
uint32_t PortShare(const Scope& s);
uint32_t ReferenceRate(const Scope& s);
uint32_t TargetAtOpening(const Scope& s, Nanoseconds rtt);
void GrowTarget(const Scope& s);
// A round of this path ended.
void RoundCounts(const Scope& s, uint8_t path);
void ShrinkExpires(const Scope& s);

// hints.cc
// A DATA packet of `bytes` passed the check `path-window`.
void HintArrival(const Scope& s, uint32_t bytes);
// The hint of an ACK that is built now.
uint16_t HintValue(const Scope& s);
// The tell timer expires: the slots of the connections of which an ACK is due at once.
std::vector<uint32_t> ToTell(const Scope& s);
void TellExpires(const Scope& s);
// The connection leaves OPEN.
void TellEnds(const Scope& s);

// custom.cc
// Tells the algorithm of another name, takes what it answers.
void TellCustom(const Scope& s, uint8_t path, congestion::Event event);
void TellCustomAll(const Scope& s, congestion::Event event);
// Grants the wish of a path for another entropy if that may be.
void GrantWish(const Scope& s, uint8_t path);

// The path's w, `slow` or minRTT changed from these: what follows for the connection.
struct WindowBefore {
  uint32_t w;
  bool slow;
};
inline WindowBefore Before(const congestion::PathState& path) { return {path.w, path.slow}; }
void WindowChanged(const Scope& s, uint8_t path, const WindowBefore& before);

}  // namespace metaroce::endpoint

#endif  // METAROCE_MODEL_ENDPOINT_CONGESTION_H_
