// The packet decoder, and all that is built on it.
//
// Input: a byte, then a frame from its Ethernet header on. If the lowest bit of the byte is set,
// the frame is decoded as it is; else its port, version, lengths and checksums are made right
// first, so that what stands behind the iCRC is reached.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/decode_check.h"
#include "model/wire/packet/testing/mutate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kLongest = 16384;  // beyond it nothing new, only slower
  if (size < 1 || size > kLongest) return 0;
  std::vector<uint8_t> frame(data + 1, data + size);
  if ((data[0] & 1) == 0) metaroce::packet::testing::Mutator(0).Mend(frame);
  frame.shrink_to_fit();  // so that the sanitizer sees a read past the end
  metaroce::packet::CheckDecode(frame);
  return 0;
}
