#include "model/wire/capture/capture.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "model/wire/capture/hex.h"
#include "model/wire/capture/readers.h"

namespace metaroce::capture {

const char* Name(Format format) {
  switch (format) {
    case Format::kPcap:
      return "pcap";
    case Format::kPcapng:
      return "pcapng";
    case Format::kHex:
      return "hex";
  }
  return "hex";
}

absl::StatusOr<std::unique_ptr<CaptureReader>> OpenCapture(Bytes bytes) {
  if (IsPcap(bytes)) return NewPcapReader(bytes);
  if (IsPcapng(bytes)) return NewPcapngReader(bytes);
  if (LooksLikeHex(bytes)) return NewHexReader(bytes);
  if (bytes.empty()) return absl::InvalidArgumentError("The capture is empty.");
  if (bytes.size() >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B) {
    return absl::InvalidArgumentError("The capture is compressed with gzip; decompress it first.");
  }
  return absl::InvalidArgumentError("The bytes are neither pcap, nor pcapng, nor hex text.");
}

Capture ReadCapture(Bytes bytes) {
  Capture capture;
  absl::StatusOr<std::unique_ptr<CaptureReader>> reader = OpenCapture(bytes);
  if (!reader.ok()) {
    capture.status = reader.status();
    return capture;
  }
  capture.format = (*reader)->format();
  for (CapturedPacket packet; (*reader)->Next(&packet);) {
    capture.packets.push_back(std::move(packet));
    packet = CapturedPacket();
  }
  capture.status = (*reader)->status();
  return capture;
}

std::string Place(Format format, const CapturedPacket& packet) {
  return absl::StrCat(format == Format::kHex ? "line " : "byte ", packet.position);
}

absl::Status EndsInside(absl::string_view what, size_t begin, uint64_t needed, size_t end) {
  return absl::DataLossError(absl::StrCat("The capture ends at byte ", end, ", inside the ", what,
                                          " that begins at byte ", begin, " and needs ", needed,
                                          " bytes."));
}

}  // namespace metaroce::capture
