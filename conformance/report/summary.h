// What the verdicts of a run say of each clause and of each suite.
#ifndef METAROCE_CONFORMANCE_REPORT_SUMMARY_H_
#define METAROCE_CONFORMANCE_REPORT_SUMMARY_H_

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "conformance/report/report.h"

namespace metaroce::conformance {

// Of several vectors, the worst of: FAIL, UNEXPECTED_PASS, HARNESS_ERROR, WAIVED, PASS,
// UNSUPPORTED.
struct Summary {
  std::string name;
  std::string level;                     // of a clause: "MUST"
  std::string verdict;                   // as below
  std::array<size_t, kVerdicts> counts;  // of vectors, indexed by Verdict
  size_t not_reached = 0;                // of a clause: vectors that exercise it and diverge at
                                         // another, so that they say nothing of this one
  std::vector<std::string> failures;     // ids of the vectors that diverge there
};

// A line for each suite that a vector of the report belongs to, in the order of their names. The
// verdict is the worst of its vectors.
std::vector<Summary> SummariseSuites(const Report& report);

// A line for each clause that a vector of the report exercises or diverges at, by name. The verdict
// is FAIL or WAIVED if a vector diverges at this very clause, and only such are counted so; else
// PASS if a vector that exercises it passes; else NOT_REACHED if one diverges elsewhere or has no
// verdict on the device; else UNSUPPORTED.
std::vector<Summary> SummariseClauses(const Report& report);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_REPORT_SUMMARY_H_
