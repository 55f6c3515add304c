// One vector of level system, played to a device (section 15.10): the model is its peer, a path of
// fixed description is between the two, and the text's own explanation of what the device sent is
// the verdict, with what the applications at both ends are told and find in memory.
#ifndef METAROCE_CONFORMANCE_SYSTEM_SYSTEM_H_
#define METAROCE_CONFORMANCE_SYSTEM_SYSTEM_H_

#include "conformance/dut/dut.h"
#include "conformance/play/codec.h"
#include "conformance/play/play.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

// As Play of conformance/play, for a vector of level system.
PlayResult PlaySystem(const vectors::Vector& vector, const DutInfo& info,
                      const vectors::SpecIndex& index, const PacketCodec* codec, Dut& dut,
                      RequestIds& ids, Progress* progress = nullptr);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_SYSTEM_SYSTEM_H_
