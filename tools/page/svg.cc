#include "tools/page/svg.h"

#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace metaroce::page {
namespace {

constexpr const char* kColours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                    "#56b4e9", "#d55e00", "#7f7f7f", "#000000"};

Attributes With(Attributes attributes, const Attributes& more) {
  attributes.insert(attributes.end(), more.begin(), more.end());
  return attributes;
}

}  // namespace

std::string ToString(Tenths tenths) {
  const uint64_t size = tenths < 0 ? -static_cast<uint64_t>(tenths) : static_cast<uint64_t>(tenths);
  return absl::StrCat(tenths < 0 ? "-" : "", size / 10, ".", size % 10);
}

const char* Colour(size_t i) { return kColours[i % std::size(kColours)]; }

int64_t StepOf(int64_t range) {
  int64_t step = 1;
  while (true) {
    for (const int64_t factor : {1, 2, 5}) {
      if (range / (step * factor) < 6) return step * factor;
    }
    step *= 10;
  }
}

std::string Thousandths(int64_t thousandths) {
  std::string text = absl::StrFormat("%d.%03d", thousandths / 1000, thousandths % 1000);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

Svg::Svg(Tenths width, Tenths height) {
  xml_.Open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                    {"viewBox", absl::StrCat("0 0 ", width / 10, " ", height / 10)},
                    {"font-family", "sans-serif"},
                    {"font-size", "11"}});
  xml_.Break();
  xml_.Element("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", "#ffffff"}});
  xml_.Break();
}

void Svg::Text(Tenths x, Tenths y, absl::string_view anchor, absl::string_view text,
               const Attributes& more) {
  xml_.Open(
      "text",
      With({{"x", ToString(x)}, {"y", ToString(y)}, {"text-anchor", std::string(anchor)}}, more));
  xml_.Text(text);
  xml_.Close();
  xml_.Break();
}

void Svg::Line(Tenths x1, Tenths y1, Tenths x2, Tenths y2, absl::string_view colour,
               const Attributes& more) {
  xml_.Element("line", With({{"x1", ToString(x1)},
                             {"y1", ToString(y1)},
                             {"x2", ToString(x2)},
                             {"y2", ToString(y2)},
                             {"stroke", std::string(colour)}},
                            more));
  xml_.Break();
}

void Svg::Box(Tenths x, Tenths y, Tenths width, Tenths height, absl::string_view colour,
              const Attributes& more) {
  xml_.Element("rect", With({{"x", ToString(x)},
                             {"y", ToString(y)},
                             {"width", ToString(width)},
                             {"height", ToString(height)},
                             {"fill", std::string(colour)}},
                            more));
  xml_.Break();
}

void Svg::Dot(Tenths x, Tenths y, Tenths radius, absl::string_view colour,
              absl::string_view title) {
  xml_.Open("circle", {{"cx", ToString(x)},
                       {"cy", ToString(y)},
                       {"r", ToString(radius)},
                       {"fill", std::string(colour)}});
  if (!title.empty()) xml_.Element("title", {}, title);
  xml_.Close();
  xml_.Break();
}

void Svg::Polyline(const std::vector<std::pair<Tenths, Tenths>>& points, absl::string_view colour,
                   const Attributes& more) {
  if (points.empty()) return;
  std::string list;
  for (const auto& [x, y] : points) {
    absl::StrAppend(&list, list.empty() ? "" : " ", ToString(x), ",", ToString(y));
  }
  xml_.Element("polyline", With({{"fill", "none"},
                                 {"stroke-width", "1"},
                                 {"stroke", std::string(colour)},
                                 {"points", std::move(list)}},
                                more));
  xml_.Break();
}

std::string Svg::Take() { return xml_.Take() + "\n"; }

}  // namespace metaroce::page
