#include "model/congestion/delay.h"

#include <algorithm>

namespace metaroce::congestion {
namespace {

enum Value : size_t { kQueue, kRange, kLeast, kGreatest, kIncrease, kBeta, kCut, kResets };

constexpr Parameter kParameters[] = {
    {"queue_target", 6000, 100, 10000000, "ns", "delay above minRTT that is aimed at"},
    {"scaling_range", 12000, 0, 10000000, "ns", "what the least window may add to it"},
    {"scaling_least", 6554, 1024, 1 << 16, "Q16_16", "the window that adds all of it"},
    {"scaling_greatest", 64 << 16, 2 << 16, 256 << 16, "Q16_16", "the window that adds nothing"},
    {"increase", 65536, 1, 16 << 16, "Q16_16", "packets a round-trip time"},
    {"beta", 52429, 1, 65536, "Q16_16", "share of the excess of delay that is cut"},
    {"cut_max", 32768, 1, 65535, "Q16_16", "the most that is cut at once"},
    {"resets", 5, 1, 255, "", "expiries of the RTO in a row before the window is the least"},
};

// What it keeps of a path.
enum Kept : size_t { kCutAt, kExpiries };  // time of the last cut plus 1, 0 for none

bool MayCut(const Event& event, const Memory& path) {
  return path[kCutAt] == 0 || event.now - static_cast<Nanoseconds>(path[kCutAt] - 1) >= event.srtt;
}

uint64_t Cut(const Event& event, Memory& path, uint64_t factor) {
  path[kCutAt] = static_cast<uint64_t>(event.now) + 1;
  return (uint64_t{event.w} * factor) >> 16;
}

uint64_t AtAck(absl::Span<const uint64_t> values, const Event& event, Memory& path) {
  path[kExpiries] = 0;
  const Nanoseconds target = TargetDelay(values, event.w, event.min_rtt);
  if (event.sample < target) {
    const uint64_t more = values[kIncrease] * event.acknowledged;
    return event.w >= 65536 ? event.w + (more << 16) / event.w : event.w + more;
  }
  if (!MayCut(event, path)) return event.w;
  const uint64_t excess = static_cast<uint64_t>(event.sample - target);
  const uint64_t cut = values[kBeta] * excess / static_cast<uint64_t>(event.sample);
  return Cut(event, path, 65536 - std::min(cut, values[kCut]));
}

Outputs Step(absl::Span<const uint64_t> values, const Event& event, Memory& path, Memory&) {
  Outputs out;
  switch (event.kind) {
    case EventKind::kPathUp:
      // From here on w is this algorithm's.
      out.w = event.w;
      return out;
    case EventKind::kAckBlock:
      if (event.sample > 0 && event.acknowledged > 0) out.w = AtAck(values, event, path);
      return out;
    case EventKind::kLoss:
      path[kExpiries] = 0;
      if (MayCut(event, path)) out.w = Cut(event, path, 65536 - values[kCut]);
      return out;
    case EventKind::kRto:
      if (++path[kExpiries] >= values[kResets]) {
        out.w = 0;  // the sender takes the least
        path[kCutAt] = static_cast<uint64_t>(event.now) + 1;
      } else if (MayCut(event, path)) {
        out.w = Cut(event, path, 65536 - values[kCut]);
      }
      return out;
    default:
      return out;
  }
}

}  // namespace

uint64_t InverseRoot(uint64_t w) {
  const uint64_t square = (uint64_t{1} << 48) / w;
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 24; bit > 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= square) root += bit;
  }
  return root;
}

Nanoseconds TargetDelay(absl::Span<const uint64_t> values, uint32_t w, Nanoseconds min_rtt) {
  const uint64_t greatest = InverseRoot(values[kGreatest]);
  const uint64_t least = InverseRoot(values[kLeast]);
  const uint64_t at = std::clamp(InverseRoot(w), greatest, least);
  const uint64_t scaling = values[kRange] * (at - greatest) / (least - greatest);
  return min_rtt + static_cast<Nanoseconds>(values[kQueue] + scaling);
}

const Algorithm kDelay = {"delay", kParameters, &Step};

}  // namespace metaroce::congestion
