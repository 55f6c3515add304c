#include "model/wire/capture/pcapng_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/wire/capture/pcapng_format.h"

namespace metaroce::capture {
namespace {

constexpr size_t kMaxOptionLength = 0xFFFF;
constexpr uint16_t kMinorVersion = 0;
constexpr uint8_t kNanoseconds = 9;  // if_tsresol: 10^-9 s
// The room a packet block needs besides packet and comment is well below this.
constexpr uint64_t kMaxPacketLength = 0xFFFFFFFF - 2 * kMaxOptionLength;

Bytes AsBytes(absl::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

absl::Status TooLong(absl::string_view what, size_t length) {
  return absl::InvalidArgumentError(
      absl::StrCat("The ", what, " of ", length, " bytes is longer than ", kMaxOptionLength, "."));
}

}  // namespace

PcapngWriter::PcapngWriter(absl::string_view application) {
  BeginBlock(pcapng::kSectionHeader);
  Put32(pcapng::kByteOrderMagic);
  Put16(pcapng::kMajorVersion);
  Put16(kMinorVersion);
  Put32(0xFFFFFFFF);  // the length of the section is not given
  Put32(0xFFFFFFFF);
  if (!application.empty()) {
    PutOption(pcapng::kUserApplication, AsBytes(application.substr(0, kMaxOptionLength)));
    PutOption(pcapng::kEndOfOptions, {});
  }
  EndBlock();
}

absl::StatusOr<uint32_t> PcapngWriter::AddInterface(uint16_t link_type, absl::string_view name) {
  if (name.size() > kMaxOptionLength) return TooLong("interface name", name.size());
  BeginBlock(pcapng::kInterfaceDescription);
  Put16(link_type);
  Put16(0);  // reserved
  Put32(0);  // no snap length
  if (!name.empty()) PutOption(pcapng::kInterfaceName, AsBytes(name));
  PutOption(pcapng::kTimeResolution, {&kNanoseconds, 1});
  PutOption(pcapng::kEndOfOptions, {});
  EndBlock();
  return interfaces_++;
}

absl::Status PcapngWriter::AddPacket(const Packet& packet) {
  if (packet.interface >= interfaces_) {
    return absl::InvalidArgumentError(absl::StrCat("The packet is of interface ", packet.interface,
                                                   ", only ", interfaces_, " were added."));
  }
  if (packet.comment.size() > kMaxOptionLength) return TooLong("comment", packet.comment.size());
  if (packet.bytes.size() > kMaxPacketLength) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The packet of ", packet.bytes.size(), " bytes is longer than ", kMaxPacketLength, "."));
  }
  const uint32_t captured = static_cast<uint32_t>(packet.bytes.size());
  BeginBlock(pcapng::kEnhancedPacket);
  Put32(packet.interface);
  Put32(static_cast<uint32_t>(packet.timestamp_ns >> 32));
  Put32(static_cast<uint32_t>(packet.timestamp_ns));
  Put32(captured);
  Put32(std::max(captured, packet.original_length));
  PutPadded(packet.bytes);
  if (!packet.comment.empty()) PutOption(pcapng::kComment, AsBytes(packet.comment));
  if (packet.direction != Direction::kUnknown) {
    const bool inbound = packet.direction == Direction::kInbound;
    Put16(pcapng::kPacketFlags);
    Put16(4);
    Put32(inbound ? pcapng::kInbound : pcapng::kOutbound);
  }
  if (!packet.comment.empty() || packet.direction != Direction::kUnknown) {
    PutOption(pcapng::kEndOfOptions, {});
  }
  EndBlock();
  return absl::OkStatus();
}

std::vector<uint8_t> PcapngWriter::Take() { return std::exchange(out_, {}); }

void PcapngWriter::BeginBlock(uint32_t type) {
  block_at_ = out_.size();
  Put32(type);
  Put32(0);  // the length, known to EndBlock
}

void PcapngWriter::EndBlock() {
  const uint32_t length =
      static_cast<uint32_t>(out_.size() - block_at_ + pcapng::kBlockTrailerLength);
  Put32(length);
  std::copy(out_.end() - 4, out_.end(), out_.begin() + block_at_ + 4);
}

void PcapngWriter::Put16(uint16_t value) {
  out_.push_back(static_cast<uint8_t>(value));
  out_.push_back(static_cast<uint8_t>(value >> 8));
}

void PcapngWriter::Put32(uint32_t value) {
  Put16(static_cast<uint16_t>(value));
  Put16(static_cast<uint16_t>(value >> 16));
}

void PcapngWriter::PutPadded(Bytes bytes) {
  out_.insert(out_.end(), bytes.begin(), bytes.end());
  out_.resize(out_.size() + pcapng::Padded(bytes.size()) - bytes.size());
}

void PcapngWriter::PutOption(uint16_t code, Bytes value) {
  Put16(code);
  Put16(static_cast<uint16_t>(value.size()));
  PutPadded(value);
}

}  // namespace metaroce::capture
