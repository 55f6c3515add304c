// Samples as SVG: four panels over one time axis, a line for each path. Integers alone, so that the
// file is the same everywhere; coordinates are in tenths of a unit.
#include <algorithm>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/sim/recorder.h"

namespace metaroce::sim {
namespace {

constexpr int64_t kWidth = 9600;  // tenths
constexpr int64_t kLeft = 900;
constexpr int64_t kRight = 200;
constexpr int64_t kTop = 600;
constexpr int64_t kPanel = 1800;
constexpr int64_t kGap = 450;
constexpr size_t kLegend = 16;

// Eight colours that can be told apart, also by those who see no difference of red and green.
constexpr const char* kColours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                    "#56b4e9", "#d55e00", "#7f7f7f", "#000000"};

struct Panel {
  const char* label;
  // In thousandths of the unit on the axis.
  std::function<int64_t(const PathSample&)> value;
};

std::string Tenths(int64_t n) { return absl::StrCat(n / 10, ".", n % 10); }

// 1, 2 or 5 times a power of ten: at most six of them lie in the range.
int64_t StepOf(int64_t range) {
  int64_t step = 1;
  while (true) {
    for (const int64_t factor : {1, 2, 5}) {
      if (range / (step * factor) < 6) return step * factor;
    }
    step *= 10;
  }
}

// "12" of 12000 thousandths, "0.25" of 250.
std::string Number(int64_t thousandths) {
  std::string text = absl::StrFormat("%d.%03d", thousandths / 1000, thousandths % 1000);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    }
  }
  return out;
}

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
    out_ = absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", kWidth / 10,
                        " ", height / 10,
                        "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" "
                        "height=\"100%\" fill=\"#ffffff\"/>\n");
    Text(kLeft, 200, "start", Escaped(title), " font-size=\"14\" font-weight=\"bold\"");
    Legend();
    for (int64_t i = 0; i < 4; ++i) Draw(panels[i], kTop + i * (kPanel + kGap), i == 3);
    return out_ + "</svg>\n";
  }

 private:
  void Text(int64_t x, int64_t y, const char* anchor, const std::string& text,
            const std::string& more = "") {
    absl::StrAppend(&out_, "<text x=\"", Tenths(x), "\" y=\"", Tenths(y), "\" text-anchor=\"",
                    anchor, "\"", more, ">", text, "</text>\n");
  }
  void Rule(int64_t x1, int64_t y1, int64_t x2, int64_t y2, const char* colour) {
    absl::StrAppend(&out_, "<line x1=\"", Tenths(x1), "\" y1=\"", Tenths(y1), "\" x2=\"",
                    Tenths(x2), "\" y2=\"", Tenths(y2), "\" stroke=\"", colour, "\"/>\n");
  }
  void Legend() {
    int64_t x = kLeft;
    Text(x, 420, "start", "path");
    x += 350;
    for (size_t q = 0; q < std::min(paths_, kLegend); ++q) {
      absl::StrAppend(&out_, "<rect x=\"", Tenths(x),
                      "\" y=\"33.0\" width=\"10\" height=\"10\" fill=\"", kColours[q % 8],
                      "\"/>\n");
      Text(x + 130, 420, "start", absl::StrCat(q));
      x += 400;
    }
    if (paths_ > kLegend) Text(x, 420, "start", absl::StrCat("... ", paths_, " in all"));
  }
  int64_t X(int64_t at) const { return kLeft + at * (kWidth - kLeft - kRight) / end_; }

  void Axes(const Panel& panel, int64_t top, int64_t most, bool last) {
    const int64_t bottom = top + kPanel;
    const int64_t step = StepOf(most);
    for (int64_t value = 0; value <= most; value += step) {
      const int64_t y = bottom - value * kPanel / most;
      Rule(kLeft, y, kWidth - kRight, y, value == 0 ? "#000000" : "#dddddd");
      Text(kLeft - 60, y + 40, "end", Number(value));
    }
    const int64_t times = StepOf(end_);
    for (int64_t at = 0; at <= end_; at += times) {
      Rule(X(at), top, X(at), bottom, at == 0 ? "#000000" : "#eeeeee");
      Text(X(at), bottom + 150, "middle", Number(at));
    }
    if (last) Text((kLeft + kWidth - kRight) / 2, bottom + 330, "middle", "time, us");
    const std::string y = Tenths(top + kPanel / 2);
    absl::StrAppend(&out_, "<text x=\"16\" y=\"", y,
                    "\" text-anchor=\"middle\" transform=\"rotate(-90 16 ", y, ")\">", panel.label,
                    "</text>\n");
  }

  void Draw(const Panel& panel, int64_t top, bool last) {
    int64_t most = 1;
    for (const Sample& sample : samples_) {
      for (const PathSample& p : sample.paths) most = std::max(most, panel.value(p));
    }
    most = std::max<int64_t>(most + most / 20, 1);
    Axes(panel, top, most, last);
    for (size_t q = 0; q < paths_; ++q) {
      std::string points;
      const auto flush = [&] {
        if (points.empty()) return;
        absl::StrAppend(&out_, "<polyline fill=\"none\" stroke-width=\"1\" stroke=\"",
                        kColours[q % 8], "\" points=\"", points, "\"/>\n");
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
        absl::StrAppend(&points, points.empty() ? "" : " ", Tenths(X(sample.at)), ",", Tenths(y));
      }
      flush();
    }
  }

  const std::vector<Sample>& samples_;
  size_t paths_ = 0;
  int64_t end_ = 1;
  std::string out_;
};

}  // namespace

std::string ToSvg(const std::vector<Sample>& samples, const std::string& title) {
  return Plot(samples).Draw(title);
}

}  // namespace metaroce::sim
