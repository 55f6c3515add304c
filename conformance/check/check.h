// Explains a trace by the text, packet by packet, or says where the text does not allow it.
//
// The model of each side is fed what that side received, in virtual time. Every packet that a side
// sent must be one that its model may send at that moment; each freedom takes the value that the
// packets show. Time is linear in the packets.
//
// A check is a safety check: it sees nothing that is not sent and that nobody was owed. It does not
// see what an application posted and a device never sent.
#ifndef METAROCE_CONFORMANCE_CHECK_CHECK_H_
#define METAROCE_CONFORMANCE_CHECK_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/check/given.h"
#include "conformance/check/trace.h"
#include "conformance/check/verdict.h"

namespace metaroce::check {

// A work request that the text completes: its stream and MSN, and when.
struct Completed {
  uint16_t stream = 0;
  uint32_t msn = 0;
  bool success = false;
  Nanoseconds at = 0;
};

struct Result {
  uint64_t packets = 0;   // records of the trace
  uint64_t sent[2] = {};  // packets explained, of each side
  // Nothing: all is explained. `record` points into the trace.
  std::optional<Verdict> verdict;
  // What each side was given up to the verdict, in the order of time; of a long trace the first
  // part.
  std::vector<Given> given[2];
  std::vector<Completed> completed;  // of CheckSide
};

// InvalidArgumentError if the profiles do not hold together; UnimplementedError if the trace does
// not show the handshake.
absl::StatusOr<Result> Check(const Trace& trace, Profiles profiles);

// The same of one side, in a trace of what reached that side and left it, with a connection that is
// open from the beginning. Precondition: `declared.open` is there.
absl::StatusOr<Result> CheckSide(const Trace& trace, uint8_t side, const Declared& declared);

// What a person reads, and the same for machines.
std::string ToText(const Result& result);
std::string ToJson(const Result& result);

}  // namespace metaroce::check

#endif  // METAROCE_CONFORMANCE_CHECK_CHECK_H_
