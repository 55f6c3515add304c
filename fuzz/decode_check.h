// What holds of the packet decoder for every byte string.
#ifndef METAROCE_FUZZ_DECODE_CHECK_H_
#define METAROCE_FUZZ_DECODE_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/wire/packet/packet.h"

namespace metaroce::packet {

// What one decode showed; counted by tests.
struct Decoded {
  bool accepted;
  // The bytes got as far as the iCRC and it was right.
  bool behind_icrc;
};

// Decodes `frame` as Ethernet and ends the program (METAROCE_REQUIRE) unless
//
//   * a packet that is accepted lies within the bytes, and one that is refused has a reason of
//     the checks on the bytes alone, a place within the bytes or at their end, and a sentence;
//   * with the iCRC left unchecked the verdict is the same, or accepted in place of `icrc`.
Decoded CheckVerdict(const std::vector<uint8_t>& frame);

// CheckVerdict, and for an accepted packet: writing it and reading it again gives the same packet;
// what is written differs from `frame` only where a receiver looks away; the parts of the
// dissection lie end to end; the fields build a frame with the same fields; Validate ends. For a
// refused one: the dissection stays within the bytes. The naive twin has the same verdict.
Decoded CheckDecode(const std::vector<uint8_t>& frame);

}  // namespace metaroce::packet

#endif  // METAROCE_FUZZ_DECODE_CHECK_H_
