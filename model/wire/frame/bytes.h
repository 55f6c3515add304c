// Loads and stores of integers at any alignment, in network order (Be) or
// least-significant byte first (Le), the same on every machine.
//
// Precondition of all: the pointer has the bytes. Bounds are the caller's.
#ifndef METAROCE_MODEL_WIRE_FRAME_BYTES_H_
#define METAROCE_MODEL_WIRE_FRAME_BYTES_H_

#include <cstdint>

namespace metaroce::frame {

inline uint16_t LoadBe16(const uint8_t* p) { return static_cast<uint16_t>(p[0] << 8 | p[1]); }

inline uint32_t LoadBe32(const uint8_t* p) {
  return uint32_t{p[0]} << 24 | uint32_t{p[1]} << 16 | uint32_t{p[2]} << 8 | p[3];
}

inline uint64_t LoadBe64(const uint8_t* p) { return uint64_t{LoadBe32(p)} << 32 | LoadBe32(p + 4); }

inline uint16_t LoadLe16(const uint8_t* p) { return static_cast<uint16_t>(p[1] << 8 | p[0]); }

inline uint32_t LoadLe32(const uint8_t* p) {
  return uint32_t{p[3]} << 24 | uint32_t{p[2]} << 16 | uint32_t{p[1]} << 8 | p[0];
}

inline uint64_t LoadLe64(const uint8_t* p) { return uint64_t{LoadLe32(p + 4)} << 32 | LoadLe32(p); }

inline void StoreBe16(uint8_t* p, uint16_t v) {
  p[0] = static_cast<uint8_t>(v >> 8);
  p[1] = static_cast<uint8_t>(v);
}

inline void StoreBe32(uint8_t* p, uint32_t v) {
  StoreBe16(p, static_cast<uint16_t>(v >> 16));
  StoreBe16(p + 2, static_cast<uint16_t>(v));
}

inline void StoreBe64(uint8_t* p, uint64_t v) {
  StoreBe32(p, static_cast<uint32_t>(v >> 32));
  StoreBe32(p + 4, static_cast<uint32_t>(v));
}

inline void StoreLe32(uint8_t* p, uint32_t v) {
  p[0] = static_cast<uint8_t>(v);
  p[1] = static_cast<uint8_t>(v >> 8);
  p[2] = static_cast<uint8_t>(v >> 16);
  p[3] = static_cast<uint8_t>(v >> 24);
}

}  // namespace metaroce::frame

#endif  // METAROCE_MODEL_WIRE_FRAME_BYTES_H_
