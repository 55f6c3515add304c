// One step over a list of options, shared by the parser and those who walk the list.
#ifndef METAROCE_MODEL_WIRE_PACKET_OPTION_LIST_H_
#define METAROCE_MODEL_WIRE_PACKET_OPTION_LIST_H_

#include <cstddef>
#include <cstdint>

#include "model/wire/frame/bytes.h"
#include "model/wire/frame/frame.h"

namespace metaroce::packet {

// An option is a type of 16 bits, a length of 16 bits, and the value [WIRE-TAIL-OPTIONS].
inline constexpr size_t kOptionHeaderBytes = 4;

// Bytes that `n` lacks to a multiple of four.
constexpr size_t PaddingTo4(size_t n) { return (4 - n % 4) % 4; }
constexpr size_t RoundUp4(size_t n) { return n + PaddingTo4(n); }

struct OptionStep {
  enum Kind : uint8_t {
    kOption,    // value_length and total_length are set, and in bounds
    kEnd,       // the list ends here: no room is left, or a type of 0
    kOverruns,  // the value (value_length is set) or the header itself runs past the room
  };
  Kind kind;
  uint16_t value_length;
  uint32_t total_length;  // with header and padding
};

// What stands at the beginning of `room`.
inline OptionStep StepOption(frame::Bytes room) {
  if (room.empty()) return {OptionStep::kEnd, 0, 0};
  if (room.size() < kOptionHeaderBytes) return {OptionStep::kOverruns, 0, 0};
  if (frame::LoadBe16(room.data()) == 0) return {OptionStep::kEnd, 0, 0};
  const uint16_t value_length = frame::LoadBe16(room.data() + 2);
  const size_t total_length = kOptionHeaderBytes + RoundUp4(value_length);
  if (total_length > room.size()) return {OptionStep::kOverruns, value_length, 0};
  return {OptionStep::kOption, value_length, static_cast<uint32_t>(total_length)};
}

}  // namespace metaroce::packet

#endif  // METAROCE_MODEL_WIRE_PACKET_OPTION_LIST_H_
