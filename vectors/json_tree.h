// JSON as a tree, read strictly and written in one canonical layout.
//
// What is read is RFC 8259 with these restrictions, so that nothing is guessed: numbers are
// unsigned integers below 2^64 without fraction or exponent, no member name stands twice in an
// object, strings are valid UTF-8. Reading is total and bounded: see JsonLimits.
#ifndef METAROCE_VECTORS_JSON_TREE_H_
#define METAROCE_VECTORS_JSON_TREE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace metaroce::vectors {

struct JsonLimits {
  size_t bytes = size_t{1} << 20;
  size_t values = 100000;  // of all kinds, nested ones included
  int depth = 24;          // of arrays and objects
};

struct JsonMember;

class JsonValue {
 public:
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };
  // Not a std::pair: clang 14 refuses one of a type that is not complete yet.
  using Member = JsonMember;

  static JsonValue Bool(bool value);
  static JsonValue Number(uint64_t value);
  static JsonValue String(absl::string_view value);
  static JsonValue Array();
  static JsonValue Object();

  Kind kind = Kind::kNull;
  int line = 0;    // where it begins, from 1; 0 if it was not read
  int column = 0;  // the same, in bytes
  bool boolean = false;
  uint64_t number = 0;
  std::string text;              // kString
  std::vector<JsonValue> items;  // kArray
  std::vector<Member> members;   // kObject, in the order of the text

  // The member, or null.
  const JsonValue* Find(absl::string_view name) const;
  // "3:14", where it begins.
  std::string Place() const;
  // Appends to kArray, or to kObject. Returns itself.
  JsonValue& Add(JsonValue item);
  JsonValue& Add(absl::string_view name, JsonValue value);
};

struct JsonMember {
  std::string first;  // the name
  JsonValue second;
};

// "null", "a boolean", "a number", "a string", "an array", "an object".
const char* Name(JsonValue::Kind kind);

// InvalidArgumentError "LINE:COLUMN: steps[3].at: sentence" for anything else than one value; the
// member is left out at the outermost value.
absl::StatusOr<JsonValue> ParseJson(absl::string_view text, const JsonLimits& limits = {});

// The canonical layout: two blanks a level; the outermost value, and every array that holds an
// array or object, has one element a line; any other array or object stands on one line if that
// line is no longer than 100 columns. Ends with a newline. Bytes that are no UTF-8 are written as
// U+FFFD.
std::string WriteJson(const JsonValue& value);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_JSON_TREE_H_
