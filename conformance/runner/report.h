// What a run found, and how it is shown.
#ifndef METAROCE_CONFORMANCE_RUNNER_REPORT_H_
#define METAROCE_CONFORMANCE_RUNNER_REPORT_H_

#include <array>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/runner/play.h"
#include "conformance/runner/waivers.h"

namespace metaroce::conformance {

// CONF-VERDICT.
enum class Verdict { kPass, kFail, kWaived, kUnexpectedPass, kUnsupported, kHarnessError };
inline constexpr size_t kVerdicts = 6;

// "PASS", "UNEXPECTED_PASS".
const char* Name(Verdict verdict);

struct VectorResult {
  std::string id;
  std::string path;   // below the root of the vectors
  std::string level;  // "codec"
  std::string title;
  Verdict verdict = Verdict::kPass;
  Divergence divergence;  // kFail, kWaived
  std::string text;       // kUnsupported, kHarnessError: why. kFail: a note, if there is one.
  Waiver waiver;          // kWaived, kUnexpectedPass
};

struct Report {
  DutInfo dut;
  std::string spec_version;  // of the text from which the runner was built
  std::string spec_hash;
  std::vector<VectorResult> results;  // in the order in which they were played
  std::vector<std::string> problems;  // of the run as a whole; any makes it fail
  std::vector<std::string> notes;     // worth knowing, such as another hash of the text or vectors
                                      // that were changed

  // Of one level, or of all if it is empty; indexed by Verdict.
  std::array<size_t, kVerdicts> Counts(absl::string_view level = "") const;
  // The run succeeds: only PASS, WAIVED and UNSUPPORTED, and no problem.
  bool ok() const;
  // No vector said anything about the device, because none binds it.
  bool nothing_binds() const;
};

struct PrintOptions {
  bool colour = false;         // for a terminal only
  std::string replay_command;  // "metaroce replay --dut ./mine"; empty: the line is left out
};

// One result as a block of text, as the golden files of the tests show it. Empty for a PASS and for
// UNSUPPORTED, which the table counts.
std::string FormatResult(const VectorResult& result, const PrintOptions& options);

// All blocks, then the table.
void PrintReport(const Report& report, const PrintOptions& options, std::ostream& out);

// Counts by level, why vectors are unsupported, notes and problems, and the outcome in one line.
void PrintTable(const Report& report, const PrintOptions& options, std::ostream& out);

// JUnit's XML: a suite a level, a case a vector; the suite "run" has the notes as properties and
// the problems as cases.
std::string WriteJUnit(const Report& report, const PrintOptions& options);

// Everything, as JSON.
std::string WriteJson(const Report& report);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_RUNNER_REPORT_H_
