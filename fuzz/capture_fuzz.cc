// The readers of captures, all formats through their front door.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/require.h"
#include "model/wire/capture/capture.h"
#include "model/wire/capture/hex.h"
#include "model/wire/capture/pcapng_writer.h"

namespace metaroce::capture {
namespace {

constexpr size_t kMaxComment = 0xFFFF;

// Each packet comes back from pcapng as it was.
void RequireRoundTrip(const std::vector<CapturedPacket>& packets) {
  PcapngWriter writer;
  std::vector<const CapturedPacket*> written;
  for (const CapturedPacket& p : packets) {
    const auto interface =
        writer.AddInterface(static_cast<uint16_t>(p.link_type), p.interface_name);
    METAROCE_REQUIRE(interface.ok());
    const absl::Status status = writer.AddPacket({.interface = *interface,
                                                  .timestamp_ns = p.timestamp_ns,
                                                  .bytes = p.bytes,
                                                  .original_length = p.original_length,
                                                  .comment = p.comment,
                                                  .direction = p.direction});
    METAROCE_REQUIRE(status.ok() == (p.comment.size() <= kMaxComment));
    if (status.ok()) written.push_back(&p);
  }
  const std::vector<uint8_t> file = writer.Take();
  const Capture back = ReadCapture(file);
  METAROCE_REQUIRE(back.status.ok());
  METAROCE_REQUIRE(back.packets.size() == written.size());
  for (size_t i = 0; i < written.size(); ++i) {
    const CapturedPacket& got = back.packets[i];
    METAROCE_REQUIRE(got.bytes == written[i]->bytes);
    METAROCE_REQUIRE(got.link_type == written[i]->link_type);
    METAROCE_REQUIRE(got.timestamp_ns == written[i]->timestamp_ns);
    METAROCE_REQUIRE(got.comment == written[i]->comment);
    METAROCE_REQUIRE(got.interface_name == written[i]->interface_name);
    METAROCE_REQUIRE(got.direction == written[i]->direction);
  }
}

void RequireHexRoundTrip(const CapturedPacket& packet) {
  if (packet.bytes.empty() || (packet.link_type != 1 && packet.link_type != 101)) return;
  CapturedPacket bare = packet;
  bare.comment.clear();  // its bytes need not be lines of text
  const std::string line = ToHexLine(bare);
  const Capture back = ReadCapture({reinterpret_cast<const uint8_t*>(line.data()), line.size()});
  METAROCE_REQUIRE(back.status.ok());
  METAROCE_REQUIRE(back.packets.size() == 1);
  METAROCE_REQUIRE(back.packets[0].bytes == packet.bytes);
  METAROCE_REQUIRE(back.packets[0].link_type == packet.link_type);
}

void Run(const uint8_t* data, size_t size) {
  const std::vector<uint8_t> bytes(data, data + size);
  const Capture capture = ReadCapture(bytes);
  METAROCE_REQUIRE(capture.status.ok() || absl::IsDataLoss(capture.status) ||
                   absl::IsInvalidArgument(capture.status));
  size_t sum = 0;
  uint64_t position = 0;
  for (const CapturedPacket& p : capture.packets) {
    sum += p.bytes.size() + p.comment.size();
    METAROCE_REQUIRE(p.position > position);
    position = p.position;
    METAROCE_REQUIRE(p.link_type <= 0xFFFF);
    RequireHexRoundTrip(p);
  }
  METAROCE_REQUIRE(sum <= size);
  RequireRoundTrip(capture.packets);
}

}  // namespace
}  // namespace metaroce::capture

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  metaroce::capture::Run(data, size);
  return 0;
}
