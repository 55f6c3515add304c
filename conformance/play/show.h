// A vector as a person reads it.
#ifndef METAROCE_CONFORMANCE_PLAY_SHOW_H_
#define METAROCE_CONFORMANCE_PLAY_SHOW_H_

#include <string>

#include "conformance/play/codec.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

// What it is about, and its steps on one axis of time: when, which step, on which path, given to
// the device (">") or expected of it ("<"), with the packet's name, its fields and its bytes. Times
// that depend on the device's profile are those of a device with the defaults. Lines have at most
// 100 columns but for names and values that are longer. `codec` may be null: then packets by fields
// have no bytes, and those in bytes no fields. Precondition: no findings of vectors/lint.h.
std::string ShowVector(const vectors::Vector& vector, const vectors::SpecIndex& index,
                       const PacketCodec* codec);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_PLAY_SHOW_H_
