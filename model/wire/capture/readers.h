// The binary readers behind OpenCapture, and what they share.
#ifndef METAROCE_MODEL_WIRE_CAPTURE_READERS_H_
#define METAROCE_MODEL_WIRE_CAPTURE_READERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/wire/capture/capture.h"

namespace metaroce::capture {

// Integers in the byte order of a file. Precondition: the pointer has the bytes.
struct ByteOrder {
  bool big = false;

  uint16_t U16(const uint8_t* p) const {
    return static_cast<uint16_t>(big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
  }
  uint32_t U32(const uint8_t* p) const {
    return big ? uint32_t{U16(p)} << 16 | U16(p + 2) : uint32_t{U16(p + 2)} << 16 | U16(p);
  }
};

// DataLossError: the bytes end at `end`, inside `what`, which begins at `begin`
// and needs `needed` bytes.
absl::Status EndsInside(absl::string_view what, size_t begin, uint64_t needed, size_t end);

// True if the four bytes are one of pcap's magic numbers.
bool IsPcap(Bytes bytes);
// True if the four bytes are the type of a section header block.
bool IsPcapng(Bytes bytes);

// Precondition: IsPcap(bytes) or IsPcapng(bytes).
absl::StatusOr<std::unique_ptr<CaptureReader>> NewPcapReader(Bytes bytes);
absl::StatusOr<std::unique_ptr<CaptureReader>> NewPcapngReader(Bytes bytes);

}  // namespace metaroce::capture

#endif  // METAROCE_MODEL_WIRE_CAPTURE_READERS_H_
