// What a check says of the first packet that the text does not allow, or of one that did not come.
#ifndef METAROCE_CONFORMANCE_CHECK_VERDICT_H_
#define METAROCE_CONFORMANCE_CHECK_VERDICT_H_

#include <optional>
#include <string>

#include "conformance/check/story.h"
#include "conformance/check/trace.h"
#include "model/endpoint/sink.h"
#include "spec/tables.h"

namespace metaroce::check {

struct Verdict {
  const Record* record = nullptr;  // the packet at which it shows
  uint8_t side = 0;                // whose fault it is
  bool missing = false;            // a packet that was due did not come before `record`
  Nanoseconds latest = 0;          // missing: when it could have come at the latest
  spec::Clause clause = spec::kNoClause;
  std::string field;     // name of chapter 15; empty if the packet as a whole is concerned
  std::string expected;  // value, or the packet that was due
  std::string got;
  std::string why;  // one sentence
};

// The clause by which a packet of this kind is sent: it is broken by one that comes unasked, or
// that does not come.
spec::Clause ClauseOf(const packet::Packet& packet, bool missing);

// "DATA path 2 epoch 0 number 15", by opcode.
std::string Title(const packet::Packet& packet);

// The first field in which the packet that was sent differs from the one that the model would have
// sent. Nothing if they differ in nothing that a receiver reads.
std::optional<Verdict> Differ(const Record& got, packet::Bytes expected);

// A number as people read it: "17", "4294967292 (0xfffffffc)".
std::string ShowNumber(uint64_t number);

}  // namespace metaroce::check

#endif  // METAROCE_CONFORMANCE_CHECK_VERDICT_H_
