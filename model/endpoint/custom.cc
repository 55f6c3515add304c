// Another algorithm: what it is told and what of its answers is taken (section 8.13).
#include "model/congestion/custom.h"

#include "model/congestion/built_in.h"
#include "model/endpoint/congestion.h"

namespace metaroce::endpoint {
namespace {

using congestion::EventKind;

//= CUSTOM-OUTPUTS
//# The sender takes them clamped: w to `window_min` to 256 packets, W to one packet to
//# `connection_window_max` packets, the pace to one unit to the port share, the target to 1 to L.
void TakeForAll(const Scope& s, const congestion::Outputs& out) {
  congestion::ConnectionState& all = s.c.congestion;
  if (out.wp || out.pace || out.target) s.Hit(spec::clause::kCustomOutputs);
  if (out.wp) {
    all.wp = std::clamp<uint64_t>(*out.wp, 65536,
                                  s.Constant(spec::Constant::kConnectionWindowMax) << 16);
  }
  if (out.pace) {
    all.pace = static_cast<uint32_t>(std::clamp<uint64_t>(*out.pace, 1, PortShare(s)));
  }
  if (out.target) {
    const uint64_t most =
        std::min<uint64_t>(s.c.local.paths, s.Constant(spec::Constant::kSendContexts));
    all.target = static_cast<uint32_t>(std::clamp<uint64_t>(*out.target, 1, most));
    s.c.target = all.target;
  }
}

congestion::Outputs Tell(const Scope& s, const congestion::Event& event, congestion::Memory& path) {
  s.Hit(spec::clause::kCustomEvents);
  const congestion::Settings& windows = s.e.settings.windows;
  return windows.custom->step(windows.parameters, event, path, *s.c.congestion.memory);
}

}  // namespace

void TellCustom(const Scope& s, uint8_t path, congestion::Event event) {
  SendContext& x = *s.c.out[path].context;
  congestion::PathState& state = x.congestion;
  if (!state.memory) return;
  event.path = path;
  event.now = s.now();
  event.min_rtt = x.rtt.minimum();
  event.srtt = x.rtt.srtt();
  event.in_flight = x.window.in_flight();
  event.active = s.c.active();
  event.w = state.w;
  const congestion::Outputs answer = Tell(s, event, *state.memory);
  TakeForAll(s, answer);
  if (event.kind == EventKind::kPathDown) return;
  if (answer.w) {
    s.Hit(spec::clause::kCustomOutputs);
    const WindowBefore before = Before(state);
    state.w = congestion::Clamp(*answer.w, s.e.settings.profile);
    state.given = true;
    WindowChanged(s, path, before);
  }
  state.wish = state.wish || answer.another_entropy;
}

void TellCustomAll(const Scope& s, congestion::Event event) {
  congestion::Memory none{};
  event.now = s.now();
  event.min_rtt = s.c.congestion.min_rtt;
  event.srtt = s.c.congestion.srtt;
  event.active = s.c.active();
  for (const SendPath& path : s.c.out) {
    if (IsActive(path.state)) event.in_flight += path.context->window.in_flight();
  }
  TakeForAll(s, Tell(s, event, none));
}

//= CUSTOM-OUTPUTS
//# A wish is granted if the path is ACTIVE and does not drain, and no path of the direction drains
//# for its next epoch; this is judged at the end of step 7 of [TAKE-BLOCK]
void GrantWish(const Scope& s, uint8_t path) {
  s.c.out[path].context->congestion.wish = false;
  if (s.c.out[path].state != spec::PathState::kActive || s.c.draining_to_epoch() > 0) return;
  s.Hit(spec::clause::kCustomOutputs);
  PathEvent(s, path, spec::PathEvent::kDrainToEpoch);
}

}  // namespace metaroce::endpoint
