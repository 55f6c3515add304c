#include "conformance/report/timeline_svg.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "tools/page/svg.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

constexpr page::Tenths kWidth = 9600;
constexpr page::Tenths kLeft = 1100;
constexpr page::Tenths kRight = 300;
constexpr page::Tenths kTop = 500;
constexpr page::Tenths kRow = 150;  // of text
constexpr page::Tenths kGap = 160;  // between lanes
constexpr page::Tenths kDot = 35;
constexpr page::Tenths kLetter = 55;  // about the width of one
constexpr size_t kRowsOfLane = 6;     // texts beside each other on one side of a lane

const char* ColourOf(Mark::Kind kind) {
  switch (kind) {
    case Mark::Kind::kStimulus:
      return page::Colour(0);
    case Mark::Kind::kGot:
      return page::Colour(2);
    case Mark::Kind::kExpected:
      break;
  }
  return page::Colour(5);
}

const char* Word(Mark::Kind kind) {
  switch (kind) {
    case Mark::Kind::kStimulus:
      return "received";
    case Mark::Kind::kGot:
      return "done by the DUT";
    case Mark::Kind::kExpected:
      break;
  }
  return "still expected";
}

// Where on the axis each time stands: marks of different times are apart, and what comes much
// later is not much further. So places are ranks of times, and the axis names the times.
class Axis {
 public:
  explicit Axis(const std::vector<Mark>& marks) {
    for (const Mark& mark : marks) rank_[mark.at] = 0;
    size_t next = 0;
    for (auto& [time, rank] : rank_) rank = next++;
  }

  page::Tenths Place(uint64_t time) const {
    const auto room = kWidth - kLeft - kRight;
    return kLeft + static_cast<page::Tenths>(rank_.at(time)) * room /
                       static_cast<page::Tenths>(std::max<size_t>(rank_.size(), 1));
  }

  // The times, each one that has room for its label.
  template <typename Visit>
  void Labels(Visit visit) const {
    page::Tenths free = 0;
    for (const auto& [time, rank] : rank_) {
      const std::string label = absl::StrCat(time);
      const page::Tenths place = Place(time);
      if (place < free) continue;
      visit(place, label);
      free = place + static_cast<page::Tenths>(label.size() + 2) * kLetter;
    }
  }

 private:
  std::map<uint64_t, size_t> rank_;
};

// Texts on one side of a lane, in rows so that none lies on another.
class Rows {
 public:
  // The row for a text that begins at `x`; nothing is drawn if all rows are taken.
  size_t Take(page::Tenths x, size_t letters) {
    size_t row = 0;
    while (row < free_.size() && free_[row] > x) ++row;
    if (row == free_.size()) free_.push_back(0);
    free_[row] = x + static_cast<page::Tenths>(letters + 2) * kLetter;
    return row;
  }

  size_t count() const { return std::min(free_.size(), kRowsOfLane); }

 private:
  std::vector<page::Tenths> free_;
};

struct Placed {
  const Mark* mark;
  size_t row;
};

struct Lane {
  std::string name;
  Rows above;
  Rows below;
  std::vector<Placed> placed;
};

std::string Label(const Mark& mark, page::Tenths x) {
  const size_t letters = static_cast<size_t>(std::max<page::Tenths>((kWidth - x) / kLetter, 8));
  return vectors::Shorten(mark.text, std::min<size_t>(letters, 46));
}

std::vector<Lane> Arrange(const std::vector<Mark>& marks, const Axis& axis) {
  std::vector<Lane> lanes;
  for (const Mark& mark : marks) {
    auto lane = std::find_if(lanes.begin(), lanes.end(),
                             [&](const Lane& known) { return known.name == mark.lane; });
    if (lane == lanes.end()) lane = lanes.insert(lanes.end(), Lane{mark.lane, {}, {}, {}});
    Rows& rows = mark.kind == Mark::Kind::kStimulus ? lane->above : lane->below;
    const page::Tenths x = axis.Place(mark.at);
    lane->placed.push_back({&mark, rows.Take(x, Label(mark, x).size())});
  }
  return lanes;
}

void DrawLegend(page::Svg& svg) {
  page::Tenths x = kLeft;
  for (const Mark::Kind kind : {Mark::Kind::kStimulus, Mark::Kind::kGot, Mark::Kind::kExpected}) {
    svg.Dot(x, 160, kDot, ColourOf(kind), "");
    svg.Text(x + 80, 200, "start", Word(kind));
    x += 1500;
  }
  svg.Text(kWidth - kRight, 200, "end", "time, ns: in order, not to scale");
}

void DrawLane(const Lane& lane, const Axis& axis, page::Tenths line, page::Svg& svg) {
  svg.Line(kLeft, line, kWidth - kRight, line, "#999999");
  svg.Text(kLeft - 100, line + 40, "end", lane.name, {{"font-weight", "bold"}});
  for (const Placed& placed : lane.placed) {
    const Mark& mark = *placed.mark;
    const page::Tenths x = axis.Place(mark.at);
    const char* colour = ColourOf(mark.kind);
    svg.Dot(x, line, kDot, colour,
            absl::StrCat(mark.at, " ns, ", Word(mark.kind),
                         mark.step > 0 ? absl::StrCat(", step ", mark.step) : "", ": ", mark.text));
    if (placed.row >= kRowsOfLane) continue;
    const auto row = static_cast<page::Tenths>(placed.row);
    const bool above = mark.kind == Mark::Kind::kStimulus;
    const page::Tenths y = above ? line - 80 - row * kRow : line + 160 + row * kRow;
    if (row > 0) svg.Line(x, line, x, above ? y : y - 80, "#dddddd");
    svg.Text(x + 20, y, "start", Label(mark, x), {{"fill", colour}});
  }
}

}  // namespace

std::string TimelineSvg(const std::vector<Mark>& marks) {
  if (marks.empty()) return "";
  const Axis axis(marks);
  const std::vector<Lane> lanes = Arrange(marks, axis);
  page::Tenths height = kTop + 100;
  for (const Lane& lane : lanes) {
    height += static_cast<page::Tenths>(lane.above.count() + lane.below.count()) * kRow + 2 * kGap;
  }
  page::Svg svg(kWidth, height);
  DrawLegend(svg);
  axis.Labels([&](page::Tenths x, const std::string& label) {
    svg.Line(x, 400, x, height - 100, "#f0f0f0");
    svg.Text(x, 370, "start", label, {{"fill", "#666666"}});
  });
  page::Tenths y = kTop;
  for (const Lane& lane : lanes) {
    y += static_cast<page::Tenths>(lane.above.count()) * kRow + kGap;
    DrawLane(lane, axis, y, svg);
    y += static_cast<page::Tenths>(lane.below.count()) * kRow + kGap;
  }
  return svg.Take();
}

}  // namespace metaroce::conformance
