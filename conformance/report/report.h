// What a run found, and how it is shown.
#ifndef METAROCE_CONFORMANCE_REPORT_REPORT_H_
#define METAROCE_CONFORMANCE_REPORT_REPORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/play/play.h"
#include "conformance/report/waivers.h"

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
  std::vector<std::string> clauses;  // that it exercises
  std::vector<std::string> suites;   // that it belongs to
  Verdict verdict = Verdict::kPass;
  Divergence divergence;     // kFail, kWaived
  std::string text;          // kUnsupported, kHarnessError: why. kFail: a note, if there is one.
  Waiver waiver;             // kWaived, kUnexpectedPass
  uint64_t nanoseconds = 0;  // of real time that it took, the device's start not counted
};

// What a run was asked for and how it went as a whole.
struct RunInfo {
  size_t selected = 0;       // vectors; a run that was stopped has fewer results
  std::string shard;         // "2/4"; empty: not split
  int jobs = 1;              // processes that played
  uint64_t loading_ns = 0;   // real time: reading and checking the vectors
  uint64_t running_ns = 0;   // real time: playing them
  bool interrupted = false;  // by the user
  bool failed_fast = false;  // at the first failure
};

struct Report {
  DutInfo dut;
  std::string spec_version;  // of the text from which the runner was built
  std::string spec_hash;
  std::map<std::string, std::string> clause_levels;  // "MUST", of the clauses that occur
  RunInfo run;
  // In the order of the vectors' paths, whatever the order in which they were played; what could
  // not be read comes first.
  std::vector<VectorResult> results;
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
  std::string replay_command;  // "metaroce replay --dut ./mine", to which `--only` and a vector
                               // are added; empty: the line is left out
  std::string run_command;     // the same for the whole run, with what selects its vectors
};

// One result as a block of text, as the golden files of the tests show it. Empty for a PASS and for
// UNSUPPORTED, which the table counts.
std::string FormatResult(const VectorResult& result, const PrintOptions& options);

// All blocks, then the table.
void PrintReport(const Report& report, const PrintOptions& options, std::ostream& out);

// Counts by level, why vectors are unsupported, notes and problems, and the outcome in one line.
void PrintTable(const Report& report, const PrintOptions& options, std::ostream& out);

// The rows of the first divergence: received, expected, got, state, note, replay.
std::vector<std::pair<std::string, std::string>> DivergenceRows(const VectorResult& result,
                                                                const PrintOptions& options);
// "step 3", "before step 1".
std::string StepText(const Divergence& divergence);
// "[ACK-DUE-HOLE MUST]".
std::string Bracket(const Divergence& divergence);
// "reason (owner, until day)".
std::string WaiverText(const Waiver& waiver);
// "0.012 s", of real time.
std::string Seconds(uint64_t nanoseconds);

// JUnit's XML: a suite a level, a case a vector; the suite "run" has the notes as properties and
// the problems as cases.
std::string WriteJUnit(const Report& report, const PrintOptions& options);

// A page in one file: verdicts by level, suite and clause, each failure with both sides and its
// time-line, all vectors. Well-formed as XML.
std::string WriteHtml(const Report& report, const PrintOptions& options);

// The version of what WriteJson writes. It grows when a member changes its meaning or goes; new
// members do not change it.
inline constexpr int kJsonFormat = 2;

// Everything, as JSON.
std::string WriteJson(const Report& report, const PrintOptions& options);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_REPORT_REPORT_H_
