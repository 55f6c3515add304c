#include "conformance/system/history.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace metaroce::conformance {

//= CONF-FIRST
//# it is the last stimulus that the DUT was given by then
int History::StepAt(uint64_t at) const {
  int step = -1;
  for (const Happening& h : happened_) {
    if (h.end == End::kDut && h.given && !h.arrives && h.step.at <= at) step = h.step.step;
  }
  return step;
}

std::string History::ReceivedBefore(uint64_t at) const {
  const Happening* last = nullptr;
  for (const Happening& h : happened_) {
    if (h.end == End::kDut && h.given && h.event.at_ns() <= at) last = &h;
  }
  if (last == nullptr) return script_.Received(-1, 0, 0, codec_);
  if (!last->arrives) {
    return script_.Received(last->step.step, last->step.k, last->step.began, codec_);
  }
  return absl::StrCat(MarkOf(*last).text, " from the peer, at ", last->event.at_ns(), " ns");
}

Mark History::MarkOf(const Happening& h) const {
  if (h.given && !h.arrives) {
    return MarkOfStimulus(script_, h.step.step, h.step.k, h.step.at, codec_);
  }
  Mark mark = MarkOfOutcome(script_, h.given ? -1 : h.step.step, {&h.event, ""}, codec_);
  if (h.given) mark.kind = Mark::Kind::kStimulus;
  if (h.end == End::kPeer) mark.lane = "peer";
  return mark;
}

std::vector<Mark> History::Marks(uint64_t at) const {
  std::vector<Mark> marks;
  for (auto h = happened_.rbegin(); h != happened_.rend() && marks.size() < kMaxMarks; ++h) {
    const bool of_peer = h->end == End::kPeer && (h->arrives || h->event.has_packet());
    if (h->event.at_ns() <= at && !of_peer) marks.push_back(MarkOf(*h));
  }
  std::reverse(marks.begin(), marks.end());
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.at < b.at; });
  return marks;
}

}  // namespace metaroce::conformance
