// Vectors as memory for `$readmemh`: words of 32 bits in hexadecimal, a file a vector, and a
// SystemVerilog package with the numbers of the names in them.
//
// A file is the word kMagic, the number of records, and the records. A record is a word, its kind
// in the upper 8 bits and the number of words that follow in the lower 24, and these words:
//
//   RESET     FIELDS                          the configuration
//   DECODE    STEP TIME BYTES                 stimuli, as those of chapter 15
//   ENCODE    STEP TIME FIELDS
//   BLOCK     STEP TIME FIELDS
//   ARRIVE    STEP TIME plane BYTES
//   POST      STEP TIME FIELDS
//   ADVANCE   STEP TIME
//   EXPECT_*  STEP FROM UNTIL and             expectations
//             FIELDS; BYTES (a packet: plane BYTES; a placement: address BYTES); a name (reject);
//             nothing (nothing); or the number of outcomes (one of), which follow as records
//
// STEP is a word, from 1. TIME, FROM, UNTIL, the address and a number are two words, the upper one
// first. BYTES are their number and then themselves, four a word, the first in the uppermost bits,
// the last word filled with zeros. FIELDS are their number and then each: a word with its kind (1
// number, 2 data, 3 word) in the upper 8 bits and the number of its name in the lower 24, and a
// number, BYTES or the number of a word. The package has the numbers as NAME_..., the kinds as
// RECORD_....
#ifndef METAROCE_CONFORMANCE_EXPORT_MEMH_H_
#define METAROCE_CONFORMANCE_EXPORT_MEMH_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conformance/export/unroll.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

enum class MemhRecord : uint8_t {
  kReset = 1,
  kDecode,
  kEncode,
  kBlock,
  kArrive,
  kPost,
  kAdvance,
  kExpectFields = 0x81,
  kExpectIncludes,
  kExpectReject,
  kExpectPacket,
  kExpectPacketFields,
  kExpectPacketIncludes,
  kExpectCompletion,
  kExpectPlacement,
  kExpectNothing,
  kExpectOneOf,
};

inline constexpr uint32_t kMemhMagic = 0x4d52'4301;

class Memh {
 public:
  // Gives each name in these vectors a number, the same in all of them.
  explicit Memh(const std::vector<const vectors::Vector*>& vectors);

  // The words of one of them; `steps` are those of Unroll.
  std::vector<uint32_t> Words(const vectors::Vector& vector,
                              const std::vector<FlatStep>& steps) const;

  // Words as the text of a file.
  static std::string Text(const vectors::Vector& vector, const std::vector<uint32_t>& words);

  // metaroce_vectors_pkg.sv.
  std::string Package() const;

  // From 1; 0 if no vector has the name.
  uint32_t NumberOf(const std::string& name) const;

 private:
  std::map<std::string, uint32_t> numbers_;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_EXPORT_MEMH_H_
