// JSON in the canonical layout of json_tree.h, given piece by piece: it never stands in memory as a
// tree.
#ifndef METAROCE_VECTORS_JSON_WRITER_H_
#define METAROCE_VECTORS_JSON_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace metaroce::vectors {

// The text on one line is written once; where it does not fit, its pieces are laid out on several.
class JsonWriter {
 public:
  JsonWriter();

  void OpenArray();
  void OpenObject();
  void Close();  // the innermost that is open
  // In an object, before each value.
  void Name(absl::string_view name);

  void Null();
  void Bool(bool value);
  void Number(uint64_t value);
  void String(absl::string_view value);
  void HexString(absl::string_view bytes);  // "0x0102"

  // The text. Precondition: one value was given, and nothing is open.
  std::string Take();

 private:
  // A value: where it stands in text_, and how wide it is there.
  struct Node {
    size_t name = 0;  // where its name begins; else as `begin`
    size_t begin = 0;
    size_t end = 0;
    size_t wide = 0;       // of text_ in front of it, the bytes that are no columns
    size_t name_wide = 0;  // the same of its name
    size_t width = 0;      // columns
    size_t next = 0;       // the number of the first node behind it and all that it holds
    size_t children = 0;
    char bracket = 0;  // of an array or object
    bool breaks = false;
  };

  Node& Begin();
  void End(Node& node);
  void Separate();
  void Open(char bracket);
  void Quote(absl::string_view text);
  void Lay(size_t number, size_t level, size_t column);

  std::string text_;  // all of it on one line
  size_t wide_ = 0;
  std::vector<Node> nodes_;
  std::vector<size_t> open_;
  size_t name_ = 0;  // of the value that comes
  size_t name_wide_ = 0;
  bool named_ = false;
  std::string out_;
};

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_JSON_WRITER_H_
