// What the C, SystemVerilog and Wireshark backends share: places of fields, sizes, checks that a
// Spec can be expressed at all, and text made fit for comments.
#ifndef SPEC_COMPILER_BACKENDS_SUPPORT_SUPPORT_H_
#define SPEC_COMPILER_BACKENDS_SUPPORT_SUPPORT_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

// The part of one byte that belongs to a field, counted in the byte and in the field's value.
struct ByteShare {
  uint32_t byte;         // offset from the start of the layout
  uint32_t byte_shift;   // of the share's lowest bit in the byte, 0..7
  uint32_t value_shift;  // of the share's lowest bit in the value, 0..63
  uint32_t bits;         // 1..8
};

// Calls `visit(const ByteShare&)` for each byte that a field of `bits` bits touches, most
// significant first. `first_bit` counts from the most significant bit of the layout's first byte.
template <typename Visit>
void ForEachByteShare(uint32_t first_bit, uint32_t bits, Visit visit) {
  const uint32_t end = first_bit + bits;
  for (uint32_t byte = first_bit / 8; byte * 8 < end; ++byte) {
    const uint32_t from = first_bit > byte * 8 ? first_bit : byte * 8;
    const uint32_t to = end < (byte + 1) * 8 ? end : (byte + 1) * 8;
    visit(ByteShare{byte, (byte + 1) * 8 - to, end - to, to - from});
  }
}

// Bytes of a layout without its bitmap.
uint32_t FixedBytes(const Layout& layout);

// The largest value of `bits` bits, bits in 1..64.
constexpr uint64_t MaxOf(uint32_t bits) {
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

// Bits needed to hold `value`, at least 1.
uint32_t BitsFor(uint64_t value);

// The layout of that name, or null.
const Layout* FindLayout(const Spec& spec, absl::string_view name);

// The widest field that names the Enum, else what its largest value needs.
uint32_t EnumBits(const Spec& spec, const Enum& e);

// The value of a Derived: its layouts without bitmaps, and `plus`. Call only after CheckSpec.
uint64_t DerivedValue(const Spec& spec, const Derived& derived);

// "ns", "packets", ...; empty for NONE.
absl::string_view UnitText(Unit unit);

// `text` on one line of printable characters that ends no comment of C or SystemVerilog: control
// and non-ASCII bytes become spaces or '?', "*/" and "/*" are pulled apart, no '\' remains.
std::string CommentText(absl::string_view text);

// Everything a backend relies on, so that no Spec can make it fail otherwise or emit text that is
// not of its language: names are words, fields have 1..64 bits and fill whole 32-bit words, a
// bitmap's selector and lengths exist, opcodes fit a byte and name layouts that exist, and the
// common header (the first of every opcode, the same for all) has a field `opcode` of 8 bits.
// InvalidArgument names the offending item in a full sentence.
absl::Status CheckSpec(const Spec& spec);

// The identifiers of one generated file: two items of the text must not become one name.
class Identifiers {
 public:
  // AlreadyExists, naming both items, where `identifier` was added before.
  absl::Status Add(const std::string& identifier, const std::string& item);

 private:
  std::map<std::string, std::string> item_of_;
};

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_BACKENDS_SUPPORT_SUPPORT_H_
