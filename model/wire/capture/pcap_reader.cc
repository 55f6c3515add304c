#include <utility>

#include "absl/strings/str_cat.h"
#include "model/wire/capture/readers.h"

namespace metaroce::capture {
namespace {

constexpr uint32_t kMicrosecondMagic = 0xA1B2C3D4;
constexpr uint32_t kNanosecondMagic = 0xA1B23C4D;
constexpr size_t kFileHeaderLength = 24;
constexpr size_t kRecordHeaderLength = 16;
constexpr uint16_t kVersion = 2;

class PcapReader final : public CaptureReader {
 public:
  PcapReader(Bytes bytes, ByteOrder order, uint32_t tick_ns, uint32_t link_type)
      : bytes_(bytes), order_(order), tick_ns_(tick_ns), link_type_(link_type) {}

  bool Next(CapturedPacket* packet) override {
    const size_t left = bytes_.size() - at_;
    if (left == 0 || !status_.ok()) return false;
    if (left < kRecordHeaderLength) {
      return Fail(EndsInside("packet record", at_, kRecordHeaderLength, bytes_.size()));
    }
    const uint8_t* record = &bytes_[at_];
    const uint32_t captured = order_.U32(record + 8);
    if (left - kRecordHeaderLength < captured) {
      return Fail(EndsInside("packet record", at_, uint64_t{kRecordHeaderLength} + captured,
                             bytes_.size()));
    }
    if (order_.U32(record + 12) < captured) {
      return Fail(absl::InvalidArgumentError(absl::StrCat(
          "The packet record at byte ", at_, " holds ", captured, " bytes of a packet of ",
          order_.U32(record + 12), "; it must not hold more than there were.")));
    }
    packet->timestamp_ns =
        order_.U32(record) * uint64_t{1'000'000'000} + order_.U32(record + 4) * uint64_t{tick_ns_};
    packet->link_type = link_type_;
    packet->interface = 0;
    packet->interface_name.clear();
    packet->bytes.assign(record + kRecordHeaderLength, record + kRecordHeaderLength + captured);
    packet->original_length = order_.U32(record + 12);
    packet->comment.clear();
    packet->direction = Direction::kUnknown;
    packet->position = at_;
    at_ += kRecordHeaderLength + captured;
    return true;
  }

  const absl::Status& status() const override { return status_; }
  Format format() const override { return Format::kPcap; }

 private:
  bool Fail(absl::Status status) {
    status_ = std::move(status);
    return false;
  }

  Bytes bytes_;
  ByteOrder order_;
  uint32_t tick_ns_;
  uint32_t link_type_;
  size_t at_ = kFileHeaderLength;
  absl::Status status_;
};

}  // namespace

bool IsPcap(Bytes bytes) {
  if (bytes.size() < 4) return false;
  const uint32_t big = ByteOrder{true}.U32(bytes.data());
  const uint32_t little = ByteOrder{false}.U32(bytes.data());
  return big == kMicrosecondMagic || big == kNanosecondMagic || little == kMicrosecondMagic ||
         little == kNanosecondMagic;
}

absl::StatusOr<std::unique_ptr<CaptureReader>> NewPcapReader(Bytes bytes) {
  if (bytes.size() < kFileHeaderLength) {
    return EndsInside("pcap file header", 0, kFileHeaderLength, bytes.size());
  }
  const ByteOrder order{bytes[0] == kMicrosecondMagic >> 24};
  const uint32_t tick_ns = order.U32(bytes.data()) == kNanosecondMagic ? 1 : 1000;
  const uint16_t version = order.U16(&bytes[4]);
  if (version != kVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("The pcap version at byte 4 is ", version, ", not ", kVersion, "."));
  }
  const uint32_t link_type = order.U32(&bytes[20]) & 0xFFFF;
  return std::make_unique<PcapReader>(bytes, order, tick_ns, link_type);
}

}  // namespace metaroce::capture
