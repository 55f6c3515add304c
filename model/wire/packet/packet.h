// MetaRoCE packets: bytes to a Packet and back, by the tables of the text.
//
// Parse is total: every byte string gives either a Packet or the reason of the first check of
// chapter 4 that fails, of those on the bytes alone (sections 4.1 and 4.2). Nothing is copied but
// header fields and bitmaps: payload and options are spans into the bytes that were parsed.
//
// Validate asks whether a sender may send a Packet. Serialize writes it in the one canonical form:
// reserved bits, pad, option padding and filler are zero, lengths and iCRC are right. So:
//
//   * Parse accepts what Serialize wrote, and gives the same packet (SamePacket).
//   * If Parse accepts `bytes`, Serialize of that packet with SpecOf(packet.frame, bytes) gives
//     `bytes` again, without Ethernet padding, unless something in them was not zero that a
//     receiver ignores: a reserved bit, a pad byte, a byte of filler or of option padding.
//   * Parse accepts more than Validate does: a receiver ignores what a sender must not send.
//
// Packets that are wrong on purpose: raw.h. Fields by name: fields.h.
#ifndef METAROCE_MODEL_WIRE_PACKET_PACKET_H_
#define METAROCE_MODEL_WIRE_PACKET_PACKET_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/wire/frame/builder.h"
#include "model/wire/frame/frame.h"
#include "spec/layouts.h"
#include "spec/tables.h"

namespace metaroce::packet {

using frame::Bytes;

// The greatest number of path blocks in an ACK.
inline constexpr size_t kMaxPathBlocks = spec::Info(spec::Opcode::kAck).count_max;

// A packet. `Packet p;` is uninitialised, for speed; `Packet p{}` or NewPacket is all zero.
//
// `headers` holds the layouts of the opcode, and where the tail is PATH_BLOCKS as many path blocks
// as its count field says; its others are not set and mean nothing. Validate and Serialize take no
// notice of `common.version` and `common.pad`: they use the version of the text and the pad that
// the payload needs.
struct Packet {
  frame::Frame frame;      // of Parse only: offsets into the bytes that were parsed
  spec::Headers headers;   // headers.common.opcode is the packet's opcode
  Bytes payload;           // tail PAYLOAD, else empty; without pad
  Bytes options;           // tail OPTIONS, else empty: whole options, without the filler after them
  uint32_t filler_length;  // tails OPTIONS and FILLER, else 0: bytes, a multiple of four

  spec::Opcode opcode() const { return static_cast<spec::Opcode>(headers.common.opcode); }
  const spec::OpcodeInfo& info() const { return spec::Info(opcode()); }
  // The path blocks there are; none unless the tail is PATH_BLOCKS. At most kMaxPathBlocks.
  absl::Span<const spec::PathBlock> path_blocks() const {
    if (info().tail != spec::Tail::kPathBlocks) return {};
    return {headers.path_block.data(), std::min<size_t>(headers.ack.blocks, kMaxPathBlocks)};
  }
};
static_assert(std::is_trivially_copyable_v<Packet>);

// All zero but opcode and version.
Packet NewPacket(spec::Opcode opcode);

// True if both have the same opcode, fields, path blocks, payload and options, and as much filler.
// What follows from these or is ignored does not count: `frame`, `common.pad`, `common.version`,
// padding between options, and bits beyond the length of a bitmap.
bool SamePacket(const Packet& a, const Packet& b);

struct ParseOptions {
  frame::LinkType link = frame::LinkType::kEthernet;
  uint16_t udp_port = spec::constant::kUdpPort;  // [WIRE-UDP-PORT]
  bool check_icrc = true;                        // false: CHECK-ICRC passes always
  bool check_ip_checksum = true;                 // false: so does the reason `ip-checksum`
};

// Accepted, or the first check that failed: where, what was there, what it was held against.
class ParseResult {
 public:
  static constexpr ParseResult Accepted() { return ParseResult(0, 0); }
  static constexpr ParseResult Failed(spec::Reason reason, size_t offset, uint32_t value,
                                      uint32_t bound) {
    return ParseResult(uint64_t{value} << 32 | static_cast<uint32_t>(offset),
                       uint64_t{bound} << 32 | static_cast<uint8_t>(reason));
  }

  constexpr bool ok() const { return reason_and_bound_ == 0; }
  // Precondition: !ok().
  constexpr spec::Reason reason() const { return static_cast<spec::Reason>(reason_and_bound_); }
  // The byte of the frame where the field stands that failed.
  constexpr size_t offset() const { return static_cast<uint32_t>(offset_and_value_); }
  // What was found there, and what was wanted or the bound that it breaks.
  constexpr uint32_t value() const { return static_cast<uint32_t>(offset_and_value_ >> 32); }
  constexpr uint32_t bound() const { return static_cast<uint32_t>(reason_and_bound_ >> 32); }

  // The name of the reason, "ok" if there is none.
  absl::string_view name() const;
  // One sentence: reason, place, value and bound.
  std::string ToString() const;

 private:
  constexpr ParseResult(uint64_t offset_and_value, uint64_t reason_and_bound)
      : offset_and_value_(offset_and_value), reason_and_bound_(reason_and_bound) {}

  // In two registers, put together only when a check failed.
  uint64_t offset_and_value_;
  uint64_t reason_and_bound_;  // 0: accepted; no reason is 0
};

// Parses one frame. If the result is ok, `*packet` is set. If the reason is of a check after
// `frame`, packet->frame is set; if it is of a check after `packet-length`, so is
// packet->headers.common, whatever the version. The rest of `*packet` then holds anything.
ParseResult Parse(Bytes bytes, const ParseOptions& options, Packet* packet);

// OK if a sender may send this: the opcode is known, each field fits its width, each enumerated
// field has a value of its list, the fields agree with each other as chapter 3 demands of a
// sender, and only the tail of the opcode is there. Otherwise InvalidArgumentError with field,
// value, bound and clause. What depends on a connection or a profile is not judged.
absl::Status Validate(const Packet& packet);

// The bytes of the UDP payload: headers, tail, pad and iCRC. Precondition: the opcode is known and
// every bitmap code in use is one of the table.
size_t TransportLength(const Packet& packet);

// Writes the whole frame to the beginning of `out` and returns its length. Of `spec`, the overrides
// count as well. InvalidArgumentError where there is no such frame: an unknown opcode, a number of
// blocks outside its bounds, a field too great for its width, options that do not parse as a
// list without end, filler that is no multiple of four, a tail that the opcode has not, an IP
// length over 65535, or `out` too short. Does not allocate unless it fails.
absl::StatusOr<size_t> Serialize(const Packet& packet, const frame::FrameSpec& spec,
                                 absl::Span<uint8_t> out);

// The same without payload, pad and iCRC, for a sender whose payload stays where it is: returns the
// length of what comes before them. Path blocks, options and filler are written.
absl::StatusOr<size_t> SerializeHeaders(const Packet& packet, const frame::FrameSpec& spec,
                                        absl::Span<uint8_t> out);
absl::StatusOr<size_t> SerializeHeaders(const Packet& packet, const frame::Flow& flow,
                                        absl::Span<uint8_t> out);
absl::StatusOr<size_t> SerializeHeaders(const Packet& packet, const frame::FlowHeaders& flow,
                                        absl::Span<uint8_t> out);

// Serialize, as a value of its own.
absl::StatusOr<std::vector<uint8_t>> Serialize(const Packet& packet, const frame::FrameSpec& spec);

// What a sender writes below the transport for a packet of this opcode between default addresses
// [WIRE-TRAFFIC-CLASS, WIRE-IP-FIELDS, WIRE-FLOW-LABEL]. `source_port` is the path's entropy.
frame::FrameSpec DefaultFrame(spec::Opcode opcode, uint16_t source_port, bool ipv6);

// Options [WIRE-TAIL-OPTIONS].
struct Option {
  uint16_t type = 0;
  Bytes value;
};

// Takes the first option off `*list` into `*option`. False, and nothing changes, if the list ends
// here: no bytes are left, the type is 0, or the option does not fit.
bool NextOption(Bytes* list, Option* option);

// Appends an option with its padding. InvalidArgumentError if the type is 0 or the value longer
// than 65535 bytes.
absl::Status AppendOption(const Option& option, std::vector<uint8_t>* list);

}  // namespace metaroce::packet

#endif  // METAROCE_MODEL_WIRE_PACKET_PACKET_H_
