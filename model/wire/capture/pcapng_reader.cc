#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/wire/capture/pcapng_format.h"
#include "model/wire/capture/readers.h"

namespace metaroce::capture {
namespace {

using namespace pcapng;  // the numbers of the format

__extension__ using Wide = __int128;

constexpr uint64_t kNsPerSecond = 1'000'000'000;
// Every packet carries a copy of the name of its interface.
constexpr size_t kMaxName = 255;

struct Interface {
  uint16_t link_type = 0;
  uint32_t snap_length = 0;  // 0: no limit
  uint8_t resolution = 6;    // as in if_tsresol
  int64_t offset_seconds = 0;
  std::string name;
};

uint64_t ToNanoseconds(uint64_t ticks, const Interface& interface) {
  const int exponent = interface.resolution & 0x7F;
  Wide ns = Wide{ticks} * kNsPerSecond;
  if ((interface.resolution & 0x80) != 0) {
    ns = exponent > 96 ? 0 : ns >> exponent;
  } else {
    for (int i = 0; i < exponent && ns != 0; ++i) ns /= 10;
  }
  ns += Wide{interface.offset_seconds} * kNsPerSecond;
  const Wide max = std::numeric_limits<uint64_t>::max();
  return static_cast<uint64_t>(std::clamp(ns, Wide{0}, max));
}

class PcapngReader final : public CaptureReader {
 public:
  explicit PcapngReader(Bytes bytes) : bytes_(bytes) {}

  bool Next(CapturedPacket* packet) override {
    bool is_packet = false;
    while (!is_packet && status_.ok() && at_ < bytes_.size()) {
      status_ = ReadBlock(packet, is_packet);
    }
    return is_packet && status_.ok();
  }

  const absl::Status& status() const override { return status_; }
  Format format() const override { return Format::kPcapng; }

  // Reads the section header that the file begins with.
  absl::Status Begin() {
    CapturedPacket none;
    bool is_packet;
    return ReadBlock(&none, is_packet);
  }

 private:
  // A block without its type and lengths, and its offset in the file.
  struct Body {
    Bytes bytes;
    size_t at;
  };

  // An offset in the body of a block as an offset in the file.
  static size_t FileOffset(const Body& body, size_t offset) {
    return body.at + kBlockHeaderLength + offset;
  }

  absl::Status ReadBlock(CapturedPacket* packet, bool& is_packet);
  absl::Status ReadSectionHeader(const Body& body);
  absl::Status ReadInterface(const Body& body);
  absl::Status ReadSimplePacket(const Body& body, CapturedPacket* packet);
  absl::Status ReadTimedPacket(const Body& body, bool obsolete, CapturedPacket* packet);
  absl::Status FillPacket(const Body& body, uint32_t interface, size_t data_at, uint32_t captured,
                          CapturedPacket* packet);

  // Calls use(code, value) for each option from `offset` on.
  template <typename Use>
  absl::Status ForEachOption(const Body& body, size_t offset, Use use);

  static absl::Status NeedBody(const Body& body, size_t needed, absl::string_view block) {
    if (body.bytes.size() >= needed) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("The ", block, " at byte ", body.at, " has ",
                                                   body.bytes.size(), " bytes of body, not ",
                                                   needed, "."));
  }

  Bytes bytes_;
  size_t at_ = 0;
  ByteOrder order_;
  std::vector<Interface> interfaces_;  // of the current section
  absl::Status status_;
};

template <typename Use>
absl::Status PcapngReader::ForEachOption(const Body& body, size_t offset, Use use) {
  while (offset < body.bytes.size()) {
    const size_t left = body.bytes.size() - offset;
    if (left < kOptionHeaderLength) {
      return absl::InvalidArgumentError(
          absl::StrCat("The option at byte ", FileOffset(body, offset), " needs ",
                       kOptionHeaderLength, " bytes, ", left, " are left of the block."));
    }
    const uint16_t code = order_.U16(&body.bytes[offset]);
    const size_t length = order_.U16(&body.bytes[offset + 2]);
    if (code == kEndOfOptions) return absl::OkStatus();
    if (left - kOptionHeaderLength < length) {
      return absl::InvalidArgumentError(
          absl::StrCat("The option at byte ", FileOffset(body, offset), " has a length of ", length,
                       ", ", left - kOptionHeaderLength, " bytes are left of the block."));
    }
    const size_t value_at = offset + kOptionHeaderLength;
    use(code, body.bytes.subspan(value_at, length));
    offset = value_at + Padded(length);
  }
  return absl::OkStatus();
}

absl::Status PcapngReader::ReadBlock(CapturedPacket* packet, bool& is_packet) {
  is_packet = false;
  const size_t left = bytes_.size() - at_;
  if (left < kMinBlockLength) return EndsInside("block", at_, kMinBlockLength, bytes_.size());
  // A section header says itself in which order its numbers are; its type is the
  // same in both.
  if (IsPcapng(bytes_.subspan(at_))) {
    const uint32_t magic = ByteOrder{true}.U32(&bytes_[at_ + 8]);
    order_.big = magic == kByteOrderMagic;
    if (!order_.big && ByteOrder{false}.U32(&bytes_[at_ + 8]) != kByteOrderMagic) {
      return absl::InvalidArgumentError(
          absl::StrCat("The byte-order magic at byte ", at_ + 8, " is wrong."));
    }
  }
  const uint32_t type = order_.U32(&bytes_[at_]);
  const uint32_t length = order_.U32(&bytes_[at_ + 4]);
  if (length < kMinBlockLength || length % 4 != 0) {
    return absl::InvalidArgumentError(absl::StrCat("The block length at byte ", at_ + 4, " is ",
                                                   length, ", not a multiple of 4 from 12 on."));
  }
  if (left < length) return EndsInside("block", at_, length, bytes_.size());
  const uint32_t length_again = order_.U32(&bytes_[at_ + length - 4]);
  if (length_again != length) {
    return absl::InvalidArgumentError(absl::StrCat("The block at byte ", at_, " has the length ",
                                                   length, " at its beginning and ", length_again,
                                                   " at its end."));
  }
  const Body body{bytes_.subspan(at_ + kBlockHeaderLength, length - kMinBlockLength), at_};
  at_ += length;
  is_packet = type == kEnhancedPacket || type == kSimplePacket || type == kObsoletePacket;
  switch (type) {
    case kSectionHeader:
      return ReadSectionHeader(body);
    case kInterfaceDescription:
      return ReadInterface(body);
    case kEnhancedPacket:
      return ReadTimedPacket(body, /*obsolete=*/false, packet);
    case kSimplePacket:
      return ReadSimplePacket(body, packet);
    case kObsoletePacket:
      return ReadTimedPacket(body, /*obsolete=*/true, packet);
    default:
      return absl::OkStatus();
  }
}

absl::Status PcapngReader::ReadSectionHeader(const Body& body) {
  absl::Status status = NeedBody(body, kSectionHeaderBody, "section header");
  if (!status.ok()) return status;
  const uint16_t major = order_.U16(&body.bytes[4]);
  if (major != kMajorVersion) {
    return absl::InvalidArgumentError(absl::StrCat("The pcapng version at byte ",
                                                   FileOffset(body, 4), " is ", major, ", not ",
                                                   kMajorVersion, "."));
  }
  interfaces_.clear();
  return absl::OkStatus();
}

absl::Status PcapngReader::ReadInterface(const Body& body) {
  absl::Status status = NeedBody(body, kInterfaceBody, "interface description");
  if (!status.ok()) return status;
  Interface interface;
  interface.link_type = order_.U16(&body.bytes[0]);
  interface.snap_length = order_.U32(&body.bytes[4]);
  status = ForEachOption(body, kInterfaceBody, [&](uint16_t code, Bytes value) {
    if (code == kInterfaceName) {
      const Bytes name = value.subspan(0, kMaxName);
      interface.name.assign(name.begin(), name.end());
    }
    if (code == kTimeResolution && value.size() == 1) interface.resolution = value[0];
    if (code == kTimeOffset && value.size() == 8) {
      const uint64_t low = order_.U32(&value[order_.big ? 4 : 0]);
      const uint64_t high = order_.U32(&value[order_.big ? 0 : 4]);
      interface.offset_seconds = static_cast<int64_t>(high << 32 | low);
    }
  });
  if (!status.ok()) return status;
  interfaces_.push_back(std::move(interface));
  return absl::OkStatus();
}

// Everything but time and options. The data begin behind the fixed part of the
// body, `data_at`.
absl::Status PcapngReader::FillPacket(const Body& body, uint32_t interface, size_t data_at,
                                      uint32_t captured, CapturedPacket* packet) {
  if (interface >= interfaces_.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The packet block at byte ", body.at, " is of interface ", interface, ", but only ",
        interfaces_.size(), " are described before it in its section."));
  }
  if (body.bytes.size() - data_at < captured) {
    return absl::InvalidArgumentError(absl::StrCat("The packet block at byte ", body.at, " claims ",
                                                   captured, " bytes of packet, its body has ",
                                                   body.bytes.size() - data_at, " for it."));
  }
  const Bytes data = body.bytes.subspan(data_at, captured);
  packet->timestamp_ns = 0;
  packet->link_type = interfaces_[interface].link_type;
  packet->interface = interface;
  packet->interface_name = interfaces_[interface].name;
  packet->bytes.assign(data.begin(), data.end());
  packet->comment.clear();
  packet->direction = Direction::kUnknown;
  packet->position = body.at;
  return absl::OkStatus();
}

absl::Status PcapngReader::ReadSimplePacket(const Body& body, CapturedPacket* packet) {
  absl::Status status = NeedBody(body, kSimplePacketBody, "simple packet block");
  if (!status.ok()) return status;
  // The block has no captured length: it is the original one, cut to the snap
  // length of interface 0.
  packet->original_length = order_.U32(&body.bytes[0]);
  uint32_t captured = packet->original_length;
  if (!interfaces_.empty() && interfaces_[0].snap_length != 0) {
    captured = std::min(captured, interfaces_[0].snap_length);
  }
  return FillPacket(body, 0, kSimplePacketBody, captured, packet);
}

// The enhanced packet block; the obsolete one differs only in the first word.
absl::Status PcapngReader::ReadTimedPacket(const Body& body, bool obsolete,
                                           CapturedPacket* packet) {
  absl::Status status = NeedBody(body, kTimedPacketBody, "packet block");
  if (!status.ok()) return status;
  const uint8_t* p = body.bytes.data();
  const uint32_t interface = obsolete ? order_.U16(p) : order_.U32(p);
  const uint32_t captured = order_.U32(p + 12);
  status = FillPacket(body, interface, kTimedPacketBody, captured, packet);
  if (!status.ok()) return status;
  const uint64_t ticks = uint64_t{order_.U32(p + 4)} << 32 | order_.U32(p + 8);
  packet->timestamp_ns = ToNanoseconds(ticks, interfaces_[interface]);
  packet->original_length = order_.U32(p + 16);
  if (packet->original_length < captured) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The packet block at byte ", body.at, " holds ", captured, " bytes of a packet of ",
        packet->original_length, "; it must not hold more than there were."));
  }
  const size_t options_at = kTimedPacketBody + Padded(captured);
  return ForEachOption(body, options_at, [&](uint16_t code, Bytes value) {
    if (code == kComment) {
      if (!packet->comment.empty()) packet->comment.push_back('\n');
      packet->comment.append(value.begin(), value.end());
    }
    if (code == kPacketFlags && value.size() == 4) {
      const uint32_t direction = order_.U32(value.data()) & kDirectionMask;
      if (direction == kInbound) packet->direction = Direction::kInbound;
      if (direction == kOutbound) packet->direction = Direction::kOutbound;
    }
  });
}

}  // namespace

bool IsPcapng(Bytes bytes) {
  return bytes.size() >= 4 && ByteOrder{}.U32(bytes.data()) == pcapng::kSectionHeader;
}

absl::StatusOr<std::unique_ptr<CaptureReader>> NewPcapngReader(Bytes bytes) {
  auto reader = std::make_unique<PcapngReader>(bytes);
  if (absl::Status status = reader->Begin(); !status.ok()) return status;
  return reader;
}

}  // namespace metaroce::capture
