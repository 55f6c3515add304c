// Packets from files: pcap, pcapng and hex text, told apart by their bytes.
//
// Reading is total: any bytes give packets, then an end that is OK or one error.
// Memory is bounded by a small multiple of the input: no length field is believed
// beyond the bytes that back it. Comments and interface names are the file's own bytes, not
// checked to be UTF-8 or printable.
//
//   pcap    micro- and nanosecond magic, both byte orders, version 2. The FCS
//           bits above the link type are ignored.
//   pcapng  both byte orders, several sections and interfaces; interface name,
//           if_tsresol (powers of 10 and 2), if_tsoffset; enhanced, simple and
//           (obsolete) packet blocks with comments and direction. Blocks of
//           other types are skipped.
//   hex     hex.h
#ifndef METAROCE_MODEL_WIRE_CAPTURE_CAPTURE_H_
#define METAROCE_MODEL_WIRE_CAPTURE_CAPTURE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace metaroce::capture {

using Bytes = absl::Span<const uint8_t>;

enum class Format : uint8_t { kPcap, kPcapng, kHex };

// "pcap", "pcapng", "hex".
const char* Name(Format format);

enum class Direction : uint8_t { kUnknown, kInbound, kOutbound };

struct CapturedPacket {
  // Nanoseconds since 1970-01-01 UTC, rounded down, held between 0 and 2^64-1;
  // 0 where the format has none (hex, simple packet block).
  uint64_t timestamp_ns = 0;
  uint32_t link_type = 0;        // LINKTYPE_ number; see frame::IsSupportedLinkType
  uint32_t interface = 0;        // pcapng: the index in its section; else 0
  std::string interface_name;    // pcapng, the first 255 bytes; else empty
  std::vector<uint8_t> bytes;    // as captured
  uint32_t original_length = 0;  // as it was on the wire
  std::string comment;           // several are joined by a newline
  Direction direction = Direction::kUnknown;
  // Where the packet stands: the offset of its record or block in bytes; hex: the
  // line, from 1.
  uint64_t position = 0;

  // True if the capture holds less than was on the wire (snap length).
  bool cut() const { return bytes.size() < original_length; }
};

// Gives the packets of one capture in the file's order.
class CaptureReader {
 public:
  virtual ~CaptureReader() = default;

  // Fills `*packet` with the next packet and returns true. At the end, or at the
  // first error, returns false, then and ever after; `*packet` is unspecified.
  virtual bool Next(CapturedPacket* packet) = 0;

  // Why Next returned false. OK: every byte was read. DataLossError: the bytes
  // end inside a record or block; all packets before it were given.
  // InvalidArgumentError: the bytes are not of the format from there on. Both
  // name the place (hex: line and column).
  virtual const absl::Status& status() const = 0;

  virtual Format format() const = 0;
};

// The reader for `bytes`, which must outlive it. InvalidArgumentError if they
// are of none of the formats, DataLossError if they end inside the file header
// of one.
absl::StatusOr<std::unique_ptr<CaptureReader>> OpenCapture(Bytes bytes);

// All at once. `status` is that of OpenCapture or of the reader; `packets` are
// those that came before it.
struct Capture {
  Format format = Format::kHex;
  std::vector<CapturedPacket> packets;
  absl::Status status;
};
Capture ReadCapture(Bytes bytes);

// "line 3" or "byte 24".
std::string Place(Format format, const CapturedPacket& packet);

}  // namespace metaroce::capture

#endif  // METAROCE_MODEL_WIRE_CAPTURE_CAPTURE_H_
