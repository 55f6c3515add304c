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
constexpr size_t kLongestMark = 40;  // characters, about

struct Panel {
  const char* label;
  // In thousandths of the unit on the axis; none: there is no value yet.
  std::function<std::optional<int64_t>(const PathSample&)> value;
};

// There are eight colours: the next eight paths are broken lines, and so on.
page::Attributes DashOf(size_t path) {
  static constexpr const char* kDashes[] = {"6 3", "2 2", "8 2 2 2"};
  const size_t round = path / 8;
  if (round == 0) return {};
  return {{"stroke-dasharray", kDashes[(round - 1) % std::size(kDashes)]}};
}

class Plot {
 public:
  Plot(const std::vector<Sample>& samples, const std::vector<Mark>& marks)
      : samples_(samples), marks_(marks) {
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
        {"RTT, us",
         [](const PathSample& p) {
           return p.rtt == 0 ? std::nullopt : std::optional<int64_t>(p.rtt);
         }},
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
      svg_->Polyline({{x, 380}, {x + 200, 380}}, page::Colour(q), DashOf(q));
      svg_->Text(x + 230, 420, "start", absl::StrCat(q));
      x += 470;
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

  // Thin lines; in the first panel with a word.
  void Marks(int64_t top, bool words) {
    for (const Mark& mark : marks_) {
      if (mark.at <= 0 || mark.at > end_) continue;
      svg_->Line(X(mark.at), top, X(mark.at), top + kPanel, "#d55e00",
                 {{"stroke-width", "0.5"}, {"class", "fault"}});
      if (!words) continue;
      const std::string place =
          absl::StrCat(page::ToString(X(mark.at) - 20), " ", page::ToString(top + 30));
      svg_->Text(X(mark.at) - 20, top + 30, "end", mark.word,
                 {{"font-size", "8"}, {"transform", absl::StrCat("rotate(-90 ", place, ")")}});
    }
  }

  void Draw(const Panel& panel, int64_t top, bool last) {
    int64_t most = 1;
    for (const Sample& sample : samples_) {
      for (const PathSample& p : sample.paths) most = std::max(most, panel.value(p).value_or(0));
    }
    most = std::max<int64_t>(most + most / 20, 1);
    Axes(panel, top, most, last);
    Marks(top, top == kTop);
    for (size_t q = 0; q < paths_; ++q) {
      std::vector<std::pair<page::Tenths, page::Tenths>> points;
      const auto flush = [&] {
        svg_->Polyline(points, page::Colour(q), DashOf(q));
        points.clear();
      };
      for (const Sample& sample : samples_) {
        const auto p = std::find_if(sample.paths.begin(), sample.paths.end(),
                                    [&](const PathSample& s) { return s.path == q; });
        // The line ends where the path is closed, and begins again where it is opened.
        const std::optional<int64_t> value =
            p == sample.paths.end() ? std::nullopt : panel.value(*p);
        if (!value) {
          flush();
          continue;
        }
        const int64_t y = top + kPanel - *value * kPanel / most;
        points.emplace_back(X(sample.at), y);
      }
      flush();
    }
  }

  const std::vector<Sample>& samples_;
  const std::vector<Mark>& marks_;
  size_t paths_ = 0;
  int64_t end_ = 1;
  std::optional<page::Svg> svg_;
};

}  // namespace

std::vector<Mark> MarksOf(const Scenario& scenario) {
  std::vector<Mark> marks;
  const auto add = [&](uint64_t at, const std::string& word) {
    if (at == 0) return;
    const auto mark = std::find_if(marks.begin(), marks.end(), [&](const Mark& m) {
      return m.at == static_cast<Nanoseconds>(at);
    });
    if (mark == marks.end()) {
      marks.push_back({static_cast<Nanoseconds>(at), word});
    } else if (mark->word.size() < kLongestMark) {
      absl::StrAppend(&mark->word, ", ", word);
    }
  };
  for (const Fault& fault : scenario.fault()) {
    add(fault.from_ns(), FaultKind_Name(fault.kind()));
    add(fault.until_ns(), absl::StrCat("end of ", FaultKind_Name(fault.kind())));
  }
  return marks;
}

std::string ToSvg(const std::vector<Sample>& samples, const std::vector<Mark>& marks,
                  const std::string& title) {
  return Plot(samples, marks).Draw(title);
}

}  // namespace metaroce::sim
