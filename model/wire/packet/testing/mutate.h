// Frames made wrong in many small ways, from a seed.
#ifndef METAROCE_MODEL_WIRE_PACKET_TESTING_MUTATE_H_
#define METAROCE_MODEL_WIRE_PACKET_TESTING_MUTATE_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace metaroce::packet::testing {

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  // Changes 1 to 3 things: bits and bytes anywhere, bytes of the headers, length fields by a
  // little, the length of the frame, or that of the UDP payload with all lengths following.
  void Mutate(std::vector<uint8_t>& frame);

  // Changes 1 to 4 bytes of headers, payload or tail, and neither version, opcode nor pad: most
  // such frames, mended, are packets.
  void MutateFields(std::vector<uint8_t>& frame);

  // Gets the frame past the checks `frame` to `version` and makes its iCRC right, as far as its
  // lengths allow: without this hardly a mutated frame comes behind the iCRC.
  void Mend(std::vector<uint8_t>& frame);

  // 0 to bound - 1, or 0 if bound is 0.
  size_t Below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  uint8_t Byte() { return static_cast<uint8_t>(random_()); }
  uint64_t Word() { return random_(); }

 private:
  void Resize(std::vector<uint8_t>& frame);

  std::mt19937_64 random_;
};

}  // namespace metaroce::packet::testing

#endif  // METAROCE_MODEL_WIRE_PACKET_TESTING_MUTATE_H_
