// Writes pcapng: one little-endian section, any number of interfaces, times in
// nanoseconds. The same calls give the same bytes on every machine.
#ifndef METAROCE_MODEL_WIRE_CAPTURE_PCAPNG_WRITER_H_
#define METAROCE_MODEL_WIRE_CAPTURE_PCAPNG_WRITER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/wire/capture/capture.h"

namespace metaroce::capture {

class PcapngWriter {
 public:
  // `application` is named in the section header if it is not empty; longer than
  // 65535 bytes, it is cut.
  explicit PcapngWriter(absl::string_view application = "");

  // Adds an interface; the result is its index, from 0. `link_type` is the
  // LINKTYPE_ number of its packets. InvalidArgumentError if `name` is longer
  // than 65535 bytes.
  absl::StatusOr<uint32_t> AddInterface(uint16_t link_type, absl::string_view name);

  struct Packet {
    uint32_t interface = 0;
    uint64_t timestamp_ns = 0;  // since 1970-01-01 UTC
    Bytes bytes = {};
    uint32_t original_length = 0;    // less than that of `bytes`: that of `bytes` is written
    absl::string_view comment = {};  // UTF-8; empty: none
    Direction direction = Direction::kUnknown;
  };

  // InvalidArgumentError, and nothing is written, if the interface was not
  // added, the comment is longer than 65535 bytes, or the packet does not fit in
  // a block (4 GiB).
  absl::Status AddPacket(const Packet& packet);

  // What was written since the last call of Take: put together, the pieces are
  // the file.
  std::vector<uint8_t> Take();

 private:
  void BeginBlock(uint32_t type);
  void EndBlock();
  void Put16(uint16_t value);
  void Put32(uint32_t value);
  void PutPadded(Bytes bytes);
  void PutOption(uint16_t code, Bytes value);

  std::vector<uint8_t> out_;
  size_t block_at_ = 0;
  uint32_t interfaces_ = 0;
};

}  // namespace metaroce::capture

#endif  // METAROCE_MODEL_WIRE_CAPTURE_PCAPNG_WRITER_H_
