#include "model/wire/packet/raw.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/wire/frame/bytes.h"
#include "model/wire/frame/icrc.h"
#include "model/wire/packet/bits.h"
#include "model/wire/packet/places.h"

namespace metaroce::packet {
namespace {

constexpr size_t kMaxFrame = 0xFFFF + frame::kMaxHeadersLength;

absl::Status SetNumber(const Part& part, uint64_t value, absl::Span<uint8_t> bytes) {
  if (part.bits > 64) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s has %d bits and takes data, not a number.", part.name, part.bits));
  }
  if (part.bits < 64 && value >> part.bits != 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s is set to %d and has only %d bits.", part.name, value, part.bits));
  }
  SetBits(bytes, part.bit_offset, part.bits, value);
  return absl::OkStatus();
}

absl::Status SetData(const Part& part, const std::vector<uint8_t>& data,
                     absl::Span<uint8_t> bytes) {
  if (part.bits != data.size() * 8 || part.bit_offset % 8 != 0) {
    return absl::InvalidArgumentError(absl::StrFormat("%s is set to %d bytes and has %d bits.",
                                                      part.name, data.size(), part.bits));
  }
  std::copy(data.begin(), data.end(), bytes.begin() + part.bit_offset / 8);
  return absl::OkStatus();
}

absl::Status SetIn(const std::vector<Part>& parts, const NamedValue& edit,
                   absl::Span<uint8_t> bytes) {
  for (const Part& part : parts) {
    if (part.name != edit.name) continue;
    if (const uint64_t* number = std::get_if<uint64_t>(&edit.value)) {
      return SetNumber(part, *number, bytes);
    }
    return SetData(part, std::get<std::vector<uint8_t>>(edit.value), bytes);
  }
  return absl::InvalidArgumentError(absl::StrCat("The packet has no part ", edit.name, "."));
}

void PutIcrc(RawIcrc kind, uint32_t stale, const frame::Frame& f, absl::Span<uint8_t> bytes) {
  if (!frame::HasIcrc(f)) return;
  const uint32_t right = frame::Icrc(f, bytes, frame::IcrcKind::kMetaRoce);
  uint8_t* place = bytes.data() + f.end() - frame::kIcrcLength;
  switch (kind) {
    case RawIcrc::kRight:
      return frame::StoreLe32(place, right);
    case RawIcrc::kWrong:
      return frame::StoreLe32(place, right ^ 1);
    case RawIcrc::kSwapped:
      return frame::StoreBe32(place, right);
    case RawIcrc::kStale:
      return frame::StoreLe32(place, stale);
  }
}

}  // namespace

absl::Status SetPart(const NamedValue& edit, absl::Span<uint8_t> transport) {
  return SetIn(DissectTransport(transport), edit, transport);
}

absl::StatusOr<std::vector<uint8_t>> RawSerialize(const Packet& packet,
                                                  const frame::FrameSpec& spec,
                                                  const RawEdits& edits) {
  const absl::StatusOr<std::vector<uint8_t>> canonical = Serialize(packet, spec);
  if (!canonical.ok()) return canonical.status();
  std::vector<uint8_t> transport(canonical->begin() + frame::HeadersLength(spec), canonical->end());
  const uint32_t stale = frame::LoadLe32(&transport[transport.size() - frame::kIcrcLength]);
  const std::vector<Part> parts = DissectTransport(transport);
  for (const NamedValue& edit : edits.set) {
    if (absl::Status status = SetIn(parts, edit, absl::MakeSpan(transport)); !status.ok()) {
      return status;
    }
  }
  if (edits.transport_length) {
    if (*edits.transport_length > kMaxFrame) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "A UDP payload of %d bytes does not fit an IP packet.", *edits.transport_length));
    }
    transport.resize(transport.size() - frame::kIcrcLength);
    transport.resize(*edits.transport_length < frame::kIcrcLength
                         ? 0
                         : *edits.transport_length - frame::kIcrcLength);
    transport.resize(*edits.transport_length);
  }
  absl::StatusOr<std::vector<uint8_t>> bytes = frame::BuildFrame(spec, transport);
  if (!bytes.ok()) return bytes.status();
  PutIcrc(edits.icrc, stale, PlacesOf(spec, frame::HeadersLength(spec), transport.size()),
          absl::MakeSpan(*bytes));
  if (edits.frame_length) {
    if (*edits.frame_length > kMaxFrame) {
      return absl::InvalidArgumentError(absl::StrFormat("A frame of %d bytes is longer than %d.",
                                                        *edits.frame_length, kMaxFrame));
    }
    bytes->resize(*edits.frame_length);
  }
  return bytes;
}

}  // namespace metaroce::packet
