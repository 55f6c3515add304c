// Frames as cases describe them: fields, and then what is wrong with them.
#ifndef METAROCE_VECTORS_GEN_FRAMES_H_
#define METAROCE_VECTORS_GEN_FRAMES_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vectors/gen/case.pb.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::vectors {

// The canonical frame with these fields (CONF-ENCODE).
absl::StatusOr<std::string> CanonicalFrame(const Fields& fields);

// The fields of a frame, by the tables of the text alone (CONF-DECODE).
absl::StatusOr<Fields> FieldsOf(absl::string_view frame);

// The name of the first check that fails, or "ok": the model's decoder.
std::string ModelVerdict(absl::string_view frame);

struct FrameRecipe {
  Fields fields;
  const google::protobuf::RepeatedPtrField<Wrong>* wrong = nullptr;
  std::optional<uint32_t> cut;  // the UDP payload ends after so many bytes
  // This byte of the transport has this value.
  std::optional<uint32_t> byte;
  uint8_t value = 0;
};

struct MadeFrame {
  std::string bytes;
  // What a receiver that accepts it decodes: the fields given and their defaults, as they were
  // changed in flight.
  Fields decoded;
};

// InvalidArgumentError if a change is not possible, in a sentence.
absl::StatusOr<MadeFrame> MakeFrame(const FrameRecipe& recipe, const SpecIndex& index);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_GEN_FRAMES_H_
