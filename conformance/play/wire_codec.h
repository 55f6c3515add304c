// Packets by named fields, by way of the reference codec.
#ifndef METAROCE_CONFORMANCE_PLAY_WIRE_CODEC_H_
#define METAROCE_CONFORMANCE_PLAY_WIRE_CODEC_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/play/codec.h"

namespace metaroce::conformance {

class WirePacketCodec : public PacketCodec {
 public:
  absl::StatusOr<std::string> Encode(const vectors::Fields& fields) const override;
  absl::StatusOr<vectors::Fields> Decode(absl::string_view frame) const override;
  std::optional<size_t> ByteOf(absl::string_view frame, absl::string_view field) const override;
  std::string Title(const vectors::Fields& fields) const override;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_PLAY_WIRE_CODEC_H_
