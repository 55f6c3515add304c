// Every part of a packet by name, with its place in the bytes: for tools that print packets, for
// edits by name, and as a second opinion on Parse, with which it shares no code.
//
// Names are those of chapter 15 [CONF-CODEC-FRAME, CONF-CODEC-PACKET], and these, which are no
// fields of a record there:
//
//   layout.field        also of reserved fields, such as "common.reserved_0", and of derived ones,
//                       such as "common.pad" [CONF-CODEC-DERIVED]
//   path_block[i].*     likewise
//   option[i].length    of the value
//   option[i].padding   data: behind the value, up to a multiple of four
//   eth.type ip.header_length ip.length ip.flags.reserved ip.flags.mf ip.fragment_offset
//   ip.protocol ip.checksum
//   udp.length pad icrc eth.padding
#ifndef METAROCE_MODEL_WIRE_PACKET_DISSECT_H_
#define METAROCE_MODEL_WIRE_PACKET_DISSECT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "model/wire/frame/frame.h"
#include "spec/tables.h"

namespace metaroce::packet {

using frame::Bytes;

// A number, or bytes.
using FieldValue = std::variant<uint64_t, std::vector<uint8_t>>;

struct NamedValue {
  std::string name;
  FieldValue value;

  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

enum class PartRole : uint8_t {
  kField,    // of a record of chapter 15
  kDerived,  // follows from others, or is a length, checksum or type
  kIgnored,  // by a receiver: reserved bits, pad, padding
};

struct Part {
  std::string name;
  FieldValue value;   // number: bits.h; data: the bytes. `filler`: how many bytes
  size_t bit_offset;  // from the first bit of the bytes dissected; 0 the most significant
  size_t bits;
  PartRole role;
  const spec::FieldInfo* info = nullptr;  // of a field of a layout
  const spec::LayoutInfo* layout = nullptr;
};

// True for the fields of layouts that follow from the rest of the packet: pad, count of path
// blocks, code of a bitmap [CONF-CODEC-DERIVED].
bool IsDerived(const spec::LayoutInfo& layout, size_t field);

// The parts of a UDP payload, in the order of the bytes. Total: where the bytes do not fit the
// opcode, as many parts as can be told; a part never runs past the bytes. Without the fields of the
// opcode if that is unknown, and without `icrc` if the headers reach into its place.
std::vector<Part> DissectTransport(Bytes transport);

// The parts of a whole frame. Precondition: `frame` was parsed from `bytes`. The parts below the
// transport are those of any UDP frame; behind them come those of DissectTransport.
std::vector<Part> DissectFrame(const frame::Frame& frame, Bytes bytes);

}  // namespace metaroce::packet

#endif  // METAROCE_MODEL_WIRE_PACKET_DISSECT_H_
