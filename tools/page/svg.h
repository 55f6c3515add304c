// A drawing as SVG, of lines, boxes and text. Integers alone: the same file everywhere.
#ifndef METAROCE_TOOLS_PAGE_SVG_H_
#define METAROCE_TOOLS_PAGE_SVG_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/page/xml.h"

namespace metaroce::page {

// A length or a place, in tenths of a unit of the drawing; places count from the upper left.
using Tenths = int64_t;

// "12.3" of 123, "-0.5" of -5.
std::string ToString(Tenths tenths);

// One of eight colours that can be told apart, also by those who see no difference of red and
// green; they begin anew behind the eighth.
const char* Colour(size_t i);

// The distance of the marks of an axis that is `range` long: 1, 2 or 5 times a power of ten, so
// that at most six of them lie in it. Precondition: `range` is above 0.
int64_t StepOf(int64_t range);

// "12" of 12000 thousandths, "0.25" of 250.
std::string Thousandths(int64_t thousandths);

class Svg {
 public:
  // A white drawing of that size.
  Svg(Tenths width, Tenths height);

  // `anchor`: "start", "middle" or "end", where `x` is in the text.
  void Text(Tenths x, Tenths y, absl::string_view anchor, absl::string_view text,
            const Attributes& more = {});
  void Line(Tenths x1, Tenths y1, Tenths x2, Tenths y2, absl::string_view colour,
            const Attributes& more = {});
  void Box(Tenths x, Tenths y, Tenths width, Tenths height, absl::string_view colour,
           const Attributes& more = {});
  // A dot that shows `title` to one who points at it; no title if it is empty.
  void Dot(Tenths x, Tenths y, Tenths radius, absl::string_view colour, absl::string_view title);
  void Polyline(const std::vector<std::pair<Tenths, Tenths>>& points, absl::string_view colour,
                const Attributes& more = {});

  std::string Take();

 private:
  Xml xml_;
};

}  // namespace metaroce::page

#endif  // METAROCE_TOOLS_PAGE_SVG_H_
