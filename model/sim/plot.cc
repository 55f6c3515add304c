// Samples as SVG: four panels over one time axis, a line for each path. Integers alone, so that the
// file is the same everywhere; coordinates are in tenths of a unit.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/sim/recorder.h"
#include "tools/page/svg.h"

namespace metaroce::sim {
namespace {

constexpr int64_t kWidth = 9600;  // tenths
constexpr int64_t kLeft = 900;
constexpr int64_t kRight = 200;
constexpr int64_t kTop = 600;
constexpr int64_t kPanel = 1800;
constexpr int64_t kGap = 450;
constexpr size_t kLegend = 16;

struct Panel {
  const char* label;
  // In thousandths of the unit on the axis.
  std::function<int64_t(const PathSample&)> value;
};

class Plot {
 public:
  explicit Plot(const std::vector<Sample>& samples) : samples_(samples) {
    for (const Sample& sample : samples_) {
      for (const PathSample& p : sample.paths) paths_ = std::max<size_t>(paths_, p.path + 1u);
    }
    end_ = samples_.empty() ? 1 : std::max<int64_t>(1, samples_.back().at);
  }

  std::string Draw(const std::string& title) {
    const Panel panels[] = {
        {"sent, packets", [](const PathSample& p) { return static_cast<int64_t>(p.sent) * 1000; }},
        {"window, packets",
         [](const PathSample& p) { return static_cast<int64_t>(uint64_t{p.w} * 1000 >> 16); }},
        {"in flight, packets", [](const PathSample& p) { return int64_t{p.in_flight} * 1000; }},
        {"RTT, us", [](const PathSample& p) { return int64_t{p.rtt}; }},
    };
    const int64_t height = kTop + 4 * (kPanel + kGap) + 100;
    svg_.emplace(kWidth, height);
    svg_->Text(kLeft, 200, "start", title, {{"font-size", "14"}, {"font-weight", "bold"}});
    Legend();
    for (int64_t i = 0; i < 4; ++i) Draw(panels[i], kTop + i * (kPanel + kGap), i == 3);
    return svg_->Take();
  }

 private:
  void Legend() {
    int64_t x = kLeft;
    svg_->Text(x, 420, "start", "path");
    x += 350;
    for (size_t q = 0; q < std::min(paths_, kLegend); ++q) {
      svg_->Box(x, 330, 100, 100, page::Colour(q));
      svg_->Text(x + 130, 420, "start", absl::StrCat(q));
      x += 400;
    }
    if (paths_ > kLegend) svg_->Text(x, 420, "start", absl::StrCat("... ", paths_, " in all"));
  }
  int64_t X(int64_t at) const { return kLeft + at * (kWidth - kLeft - kRight) / end_; }

  void Axes(const Panel& panel, int64_t top, int64_t most, bool last) {
    const int64_t bottom = top + kPanel;
    const int64_t step = page::StepOf(most);
    for (int64_t value = 0; value <= most; value += step) {
      const int64_t y = bottom - value * kPanel / most;
      svg_->Line(kLeft, y, kWidth - kRight, y, value == 0 ? "#000000" : "#dddddd");
      svg_->Text(kLeft - 60, y + 40, "end", page::Thousandths(value));
    }
    const int64_t times = page::StepOf(end_);
    for (int64_t at = 0; at <= end_; at += times) {
      svg_->Line(X(at), top, X(at), bottom, at == 0 ? "#000000" : "#eeeeee");
      svg_->Text(X(at), bottom + 150, "middle", page::Thousandths(at));
    }
    if (last) svg_->Text((kLeft + kWidth - kRight) / 2, bottom + 330, "middle", "time, us");
    const int64_t middle = top + kPanel / 2;
    svg_->Text(160, middle, "middle", panel.label,
               {{"transform", absl::StrCat("rotate(-90 16 ", page::ToString(middle), ")")}});
  }

  void Draw(const Panel& panel, int64_t top, bool last) {
    int64_t most = 1;
    for (const Sample& sample : samples_) {
      for (const PathSample& p : sample.paths) most = std::max(most, panel.value(p));
    }
    most = std::max<int64_t>(most + most / 20, 1);
    Axes(panel, top, most, last);
    for (size_t q = 0; q < paths_; ++q) {
      std::vector<std::pair<page::Tenths, page::Tenths>> points;
      const auto flush = [&] {
        svg_->Polyline(points, page::Colour(q));
        points.clear();
      };
      for (const Sample& sample : samples_) {
        const auto p = std::find_if(sample.paths.begin(), sample.paths.end(),
                                    [&](const PathSample& s) { return s.path == q; });
        // The line ends where the path is closed, and begins again where it is opened.
        if (p == sample.paths.end()) {
          flush();
          continue;
        }
        const int64_t y = top + kPanel - panel.value(*p) * kPanel / most;
        points.emplace_back(X(sample.at), y);
      }
      flush();
    }
  }

  const std::vector<Sample>& samples_;
  size_t paths_ = 0;
  int64_t end_ = 1;
  std::optional<page::Svg> svg_;
};

}  // namespace

std::string ToSvg(const std::vector<Sample>& samples, const std::string& title) {
  return Plot(samples).Draw(title);
}

}  // namespace metaroce::sim
