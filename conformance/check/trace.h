// A capture of both ends of a connection, as a check needs it: what left each side and what reached
// it, in order, with the time.
//
// Each end has two interfaces for each plane, which are named by side, plane and direction: "a0
// sent", "a0 received", "b0 sent", "b0 received". Packets stand in the order in which they left or
// arrived; a packet that was lost on the way has no second record. The comment of the first packet
// may hold lines of a profile (ReadProfile).
#ifndef METAROCE_CONFORMANCE_CHECK_TRACE_H_
#define METAROCE_CONFORMANCE_CHECK_TRACE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/endpoint/endpoint.h"
#include "model/wire/capture/capture.h"
#include "model/wire/packet/packet.h"

namespace metaroce::check {

struct Record {
  uint64_t number = 0;    // of the packet in the capture, from 1
  uint64_t position = 0;  // its place in the file, in bytes
  Nanoseconds at = 0;
  uint8_t side = 0;  // 0: a, 1: b
  uint8_t plane = 0;
  bool received = false;
  packet::Bytes frame;
  packet::ParseResult parsed = packet::ParseResult::Accepted();
  packet::Packet packet;  // if `parsed` is ok
};

struct Trace {
  capture::Capture capture;  // owns the bytes
  std::vector<Record> records;
  std::string profile;  // lines of the first packet's comment

  Trace() = default;
  Trace(Trace&&) = default;
  Trace& operator=(Trace&&) = default;
};

// InvalidArgumentError if the file is no capture, or its times go back; UnimplementedError if its
// interfaces are not named as above or packets are cut.
absl::StatusOr<Trace> ReadTrace(packet::Bytes file, uint16_t udp_port);

// The packets of that opcode name registered memory.
bool NamesMemory(spec::Opcode opcode);

// What a check is told of each side.
struct Declared {
  endpoint::Settings settings;
  uint32_t planes = 1;
  Nanoseconds react_max = 0;
  // Makes the connection that is open when the trace begins, with its regions, and returns its cid.
  // Without it the trace shows the handshake, and the regions are as refusals tell.
  std::function<absl::StatusOr<uint32_t>(endpoint::Endpoint*)> open;
};
struct Profiles {
  Declared side[2];
  Profiles();
};

// Lines "NAME = VALUE", "a.NAME = VALUE" or "b.NAME = VALUE"; empty lines and those that begin with
// # are skipped. A NAME is a constant of the text, `react_max`, `ack_max`, or one of these:
//
//   window             of every path, in packets, Q16.16
//   connection_window  likewise
//   target_paths       open paths that a direction aims at
//   planes             ports
//   secondary_blocks   0 or 1: the feature is offered
//
// InvalidArgumentError with the line, the value and the bound.
absl::Status ReadProfile(absl::string_view text, Profiles* profiles);

// The lines that say what `settings` has.
std::string WriteProfile(char side, const endpoint::Settings& settings);

}  // namespace metaroce::check

#endif  // METAROCE_CONFORMANCE_CHECK_TRACE_H_
