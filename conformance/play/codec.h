// Packets by named fields (CONF-CODEC-FRAME, CONF-CODEC-PACKET), as the runner needs them: to build
// the frame that a vector gives by fields, and to compare a frame with fields.
#ifndef METAROCE_CONFORMANCE_PLAY_CODEC_H_
#define METAROCE_CONFORMANCE_PLAY_CODEC_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

class PacketCodec {
 public:
  virtual ~PacketCodec() = default;

  // The canonical frame (CONF-ENCODE). InvalidArgumentError with a sentence if there is none.
  virtual absl::StatusOr<std::string> Encode(const vectors::Fields& fields) const = 0;

  // The fields (CONF-DECODE). If a check fails, FailedPreconditionError whose message is the
  // reason.
  virtual absl::StatusOr<vectors::Fields> Decode(absl::string_view frame) const = 0;

  // The byte of the frame in which the field begins; nothing if the frame has no such field.
  virtual std::optional<size_t> ByteOf(absl::string_view frame, absl::string_view field) const = 0;

  // What a packet with these fields, which may be only some of its fields, is called in one line:
  // "WRITE path 2 epoch 0 number 15 csn 7 rtx"; empty if it has no name.
  virtual std::string Title(const vectors::Fields& fields) const = 0;
};

// "WRITE path 0 epoch 0 number 3 csn 7 rtx, ", as a description of it begins; empty if it has no
// name or there is no codec.
inline std::string NameOf(const vectors::Fields& fields, const PacketCodec* codec) {
  const std::string title = codec == nullptr ? "" : codec->Title(fields);
  return title.empty() ? "" : title + ", ";
}

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_PLAY_CODEC_H_
