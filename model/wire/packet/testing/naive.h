// The checks of sections 4.1 and 4.2 once more, written from the text alone and as plainly as can
// be: no table of the compiler, no code of the codec, one byte at a time. For Ethernet.
#ifndef METAROCE_MODEL_WIRE_PACKET_TESTING_NAIVE_H_
#define METAROCE_MODEL_WIRE_PACKET_TESTING_NAIVE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace metaroce::packet::testing {

// The reason of the first check that fails, "ok" if all pass.
std::string NaiveVerdict(const std::vector<uint8_t>& frame);

// The bytes of the headers of an opcode, -1 if it is unknown.
int NaiveHeaderBytes(int opcode);

}  // namespace metaroce::packet::testing

#endif  // METAROCE_MODEL_WIRE_PACKET_TESTING_NAIVE_H_
