// The time-line of a failure as a drawing.
#ifndef METAROCE_CONFORMANCE_REPORT_TIMELINE_SVG_H_
#define METAROCE_CONFORMANCE_REPORT_TIMELINE_SVG_H_

#include <string>
#include <vector>

#include "conformance/play/timeline.h"

namespace metaroce::conformance {

// An SVG with a lane for each path: what the device received above its line, what it did and what
// was expected of it below. The lanes stand in the order in which they first occur. Equal times are
// told apart by their order. Empty if there is no mark.
std::string TimelineSvg(const std::vector<Mark>& marks);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_REPORT_TIMELINE_SVG_H_
