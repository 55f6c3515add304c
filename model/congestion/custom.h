// Another algorithm in the place of this text's (section 8.13): a pure function of its memory and
// an event, chosen by name, with a table of parameters.
#ifndef METAROCE_MODEL_CONGESTION_CUSTOM_H_
#define METAROCE_MODEL_CONGESTION_CUSTOM_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/congestion/window.h"
#include "model/serial.h"

namespace metaroce::congestion {

enum class EventKind : uint8_t {
  kPathUp,
  kAckBlock,
  kLoss,
  kRound,
  kHint,
  kProbe,
  kRto,
  kPathDown,
  kIdle,
};
// Whence a path comes at PATH_UP, or where it goes at PATH_DOWN.
enum class Way : uint8_t { kFree, kSuspect, kEpoch };

//= CUSTOM-EVENTS
//# what it is told, besides path, time, minRTT, SRTT, in flight and n
struct Event {
  EventKind kind = EventKind::kPathUp;
  uint8_t path = 0;  // meaningless for kHint and kIdle
  Nanoseconds now = 0;
  Nanoseconds min_rtt = 0;  // of the path; of the connection for kHint and kIdle
  Nanoseconds srtt = 0;
  uint32_t in_flight = 0;     // packets of the path, of all ACTIVE paths for kHint and kIdle
  uint32_t active = 0;        // n
  uint32_t w = 0;             // the path's window now
  Way way = Way::kFree;       // kPathUp, kPathDown; kFree there: to be closed
  uint32_t acknowledged = 0;  // kAckBlock: newly
  uint32_t arrivals = 0;      // kAckBlock: a; kRound: `arrived`
  uint32_t marks = 0;         // kAckBlock: m; kRound: `ce`
  Nanoseconds sample = 0;     // kAckBlock: 0 if there is none
  uint32_t lost = 0;          // kLoss, kRound
  bool limited = false;       // kRound
  uint32_t hint = 0;          // kHint: 0 if there is none
  uint32_t k = 0;             // kRto
  Nanoseconds idle = 0;       // kIdle: how long
};

//= CUSTOM-OUTPUTS
//# Its outputs are w of the path, W, the pace, a wish to change the path's entropy, and the target.
//
//= CUSTOM-BOUNDS
//# No algorithm changes when a packet is lost, what is sent again, a timer of chapter 7, or an
//# answer.
struct Outputs {
  std::optional<uint64_t> w;       // Q16.16 packets; not taken at kHint, kIdle and kPathDown
  std::optional<uint64_t> wp;      // Q16.16 packets
  std::optional<uint64_t> pace;    // units of the connection
  std::optional<uint64_t> target;  // open paths
  bool another_entropy = false;
};

// A number: what it is of stands in the name or the note.
struct Parameter {
  absl::string_view name;
  uint64_t by_default;
  uint64_t min;
  uint64_t max;
  absl::string_view unit;
  absl::string_view note;
};

struct Algorithm {
  absl::string_view name;
  absl::Span<const Parameter> parameters;
  // `values` are the parameters by their places in the table. It reads and changes nothing but its
  // arguments. At kHint and kIdle `path` is a memory of no path.
  Outputs (*step)(absl::Span<const uint64_t> values, const Event& event, Memory& path,
                  Memory& connection);
};

// All but that of the text, in alphabetical order.
absl::Span<const Algorithm> Algorithms();

//= CUSTOM-PARAMETERS
//# A value outside its range is refused with a sentence that names the parameter, the value and the
//# range.
//
// Sets `*settings` to the algorithm of that name: "built-in", whose parameters are the constants of
// the text and stand in the profile; "fixed"; or one of Algorithms(). NotFoundError for an unknown
// name of an algorithm or parameter, InvalidArgumentError for a value.
absl::Status Choose(absl::string_view name,
                    absl::Span<const std::pair<absl::string_view, uint64_t>> parameters,
                    Settings* settings);
// OK if the settings are some that Choose gives.
absl::Status Validate(const Settings& settings);

}  // namespace metaroce::congestion

#endif  // METAROCE_MODEL_CONGESTION_CUSTOM_H_
