// The layers below the transport and the iCRC.
//
// Input: a byte that chooses link type, checksum check and kind of iCRC, then the
// frame.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fuzz/require.h"
#include "model/wire/frame/builder.h"
#include "model/wire/frame/bytes.h"
#include "model/wire/frame/fast_path.h"
#include "model/wire/frame/frame.h"
#include "model/wire/frame/icrc.h"

namespace metaroce::frame {
namespace {

constexpr LinkType kLinks[] = {LinkType::kEthernet, LinkType::kRawIp, LinkType::kIpv4,
                               LinkType::kIpv6};

struct Choice {
  explicit Choice(uint8_t byte)
      : link(kLinks[byte & 3]),
        options{.check_ip_checksum = (byte & 4) != 0},
        kind((byte & 8) != 0 ? IcrcKind::kRoceV2 : IcrcKind::kMetaRoce) {}

  LinkType link;
  FrameOptions options;
  IcrcKind kind;
};

Frame Marked() {
  Frame frame;
  std::memset(static_cast<void*>(&frame), 0xA5, sizeof(frame));
  return frame;
}

void RequireUntouched(const Frame& frame) {
  const Frame marked = Marked();
  METAROCE_REQUIRE(std::memcmp(&frame, &marked, sizeof(frame)) == 0);
}

void RequireRebuilds(const Frame& frame, Bytes bytes) {
  METAROCE_REQUIRE(frame.end() <= bytes.size());
  const auto rebuilt = BuildFrame(SpecOf(frame, bytes), Payload(frame, bytes));
  METAROCE_REQUIRE(rebuilt.ok());
  METAROCE_REQUIRE(rebuilt->size() == frame.end());
  METAROCE_REQUIRE(std::equal(rebuilt->begin(), rebuilt->end(), bytes.begin()));
}

// A stored iCRC is right, and wrong after any change of a covered byte that is
// not masked; the source port is one.
void RequireIcrc(const Frame& frame, std::vector<uint8_t> bytes, IcrcKind kind) {
  const uint32_t crc = Icrc(frame, bytes, kind);
  if (!HasIcrc(frame)) {
    METAROCE_REQUIRE(!IcrcOk(frame, bytes, kind));
    return;
  }
  METAROCE_REQUIRE(IcrcOk(frame, bytes, kind) == (LoadIcrc(frame, bytes) == crc));
  METAROCE_REQUIRE(StoreIcrc(frame, absl::MakeSpan(bytes), kind));
  METAROCE_REQUIRE(LoadIcrc(frame, bytes) == crc);
  METAROCE_REQUIRE(IcrcOk(frame, bytes, kind));
  bytes[frame.udp_offset] ^= 0x10;
  METAROCE_REQUIRE(!IcrcOk(frame, bytes, kind));
}

void Run(const uint8_t* data, size_t size) {
  if (size == 0) return;
  const Choice choice(data[0]);
  // A copy of its own, so that the sanitizer sees a read on either side of it.
  const std::vector<uint8_t> bytes(data + 1, data + size);
  Frame frame = Marked();
  const FrameFault fault = ParseFrame(bytes, choice.link, choice.options, &frame);
  Frame usual = Marked();
  if (ParseUsualIpv4(bytes, choice.link, choice.options, &usual) ||
      ParseUsualIpv6(bytes, choice.link, &usual)) {
    METAROCE_REQUIRE(fault.ok());
    RequireRebuilds(usual, bytes);
  } else {
    RequireUntouched(usual);
  }
  if (!fault.ok()) {
    RequireUntouched(frame);
    METAROCE_REQUIRE(ToString(fault).size() > std::strlen(Name(fault.reason)));
    return;
  }
  RequireRebuilds(frame, bytes);
  RequireIcrc(frame, bytes, choice.kind);
}

// Puts the right checksum into a frame that only lacks it: by chance a fuzzer
// does so once in 65536 times.
[[maybe_unused]] void MendChecksum(uint8_t* data, size_t size) {
  if (size == 0) return;
  const Choice choice(data[0]);
  const Bytes bytes(data + 1, size - 1);
  Frame frame;
  const FrameFault fault = ParseFrame(bytes, choice.link, {}, &frame);
  if (fault.reason != FrameReason::kIpChecksum) return;
  StoreBe16(data + 1 + fault.offset, static_cast<uint16_t>(fault.bound));
}

}  // namespace
}  // namespace metaroce::frame

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  metaroce::frame::Run(data, size);
  return 0;
}

#ifdef METAROCE_LIBFUZZER
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 4 != 0) metaroce::frame::MendChecksum(data, size);
  return size;
}
#endif
