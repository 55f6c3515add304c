// layouts.h and layouts.cc: structs of the headers and the code between them and bytes.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "spec/compiler/backends/cpp/writer.h"
#include "spec/compiler/names.h"

namespace metaroce::compiler::cpp {
namespace {

// The bitmap of a struct has four words.
constexpr uint32_t kBitmapWords = 4;

// A word that Load and Store handle at once.
struct Word {
  uint32_t offset;  // bytes from the start of the layout
  uint32_t bits;    // 64, or 32 for the last of an odd number
};

std::vector<Word> WordsOf(uint32_t bytes) {
  std::vector<Word> words;
  uint32_t offset = 0;
  for (; offset + 8 <= bytes; offset += 8) words.push_back({offset, 64});
  if (offset < bytes) words.push_back({offset, 32});
  return words;
}

// Generated functions write this-> before members: a field may have the name of a parameter.

// The part of a field that lies in one word.
struct Piece {
  size_t word;
  uint32_t bits;
  uint32_t word_shift;   // of the lowest bit in the word
  uint32_t value_shift;  // of the lowest bit in the field's value
};

std::vector<Piece> PiecesOf(uint32_t first_bit, uint32_t bits, const std::vector<Word>& words) {
  std::vector<Piece> pieces;
  const uint32_t end = first_bit + bits;
  for (size_t i = 0; i < words.size(); ++i) {
    const uint32_t word_begin = words[i].offset * 8;
    const uint32_t word_end = word_begin + words[i].bits;
    const uint32_t from = std::max(first_bit, word_begin);
    const uint32_t to = std::min(end, word_end);
    if (from < to) pieces.push_back({i, to - from, word_end - to, end - to});
  }
  return pieces;
}

std::string Shift(const std::string& value, absl::string_view direction, uint32_t by) {
  return by == 0 ? value : absl::StrCat(value, " ", direction, " ", by);
}

std::string Mask(const std::string& value, uint32_t bits) {
  if (bits >= 64) return value;
  return absl::StrCat(value, " & ", Hex((uint64_t{1} << bits) - 1));
}

absl::string_view MemberType(const Field& field) {
  return field.bits() == 1 ? "bool" : UnsignedType(field.bits());
}

// "w0 >> 8 & 0xffu", or the pieces in parentheses with | between them.
std::string LoadExpression(const std::vector<Piece>& pieces) {
  return absl::StrJoin(pieces, " | ", [&](std::string* out, const Piece& piece) {
    const std::string shifted = Shift(absl::StrCat("w", piece.word), ">>", piece.word_shift);
    if (pieces.size() == 1) {
      absl::StrAppend(out, Mask(shifted, piece.bits));
    } else {
      absl::StrAppend(out, "((", Mask(shifted, piece.bits), ") << ", piece.value_shift, ")");
    }
  });
}

std::string StoreExpression(const std::string& member, const Piece& piece) {
  const std::string shifted =
      Shift(absl::StrCat("uint64_t{this->", member, "}"), ">>", piece.value_shift);
  return absl::StrCat("((", Mask(shifted, piece.bits), ") << ", piece.word_shift, ")");
}

// Into a struct in its place: g++ puts the bytes of one that is returned together in a register
// before it stores them.
std::string LoadFunction(const Layout& layout, const std::vector<Word>& words) {
  const std::string name = CamelCase(layout.name());
  std::string out = "  void LoadFrom(const uint8_t* bytes) {\n";
  std::string fields;
  std::set<size_t> used;
  uint32_t offset = 0;
  for (const Field& field : layout.field()) {
    const std::vector<Piece> pieces = PiecesOf(offset, field.bits(), words);
    offset += field.bits();
    if (field.reserved()) continue;
    for (const Piece& piece : pieces) used.insert(piece.word);
    absl::StrAppend(&fields, "    this->", Member(field.name()), " = static_cast<",
                    MemberType(field), ">(", LoadExpression(pieces), ");\n");
  }
  for (size_t i : used) {
    absl::StrAppend(&out, "    const uint64_t w", i, " = LoadWord", words[i].bits, "(bytes + ",
                    words[i].offset, ");\n");
  }
  absl::StrAppend(&out, fields);
  if (used.empty()) absl::StrAppend(&out, "    (void)bytes;\n");
  if (layout.has_bitmap()) {
    const std::string bitmap = absl::StrCat("this->", Member(layout.bitmap().name()));
    // Word by word: g++ clears an array this small with a slow string instruction.
    for (uint32_t i = 0; i < kBitmapWords; ++i) {
      absl::StrAppend(&out, "    ", bitmap, "[", i, "] = 0;\n");
    }
    absl::StrAppend(&out, "    const uint32_t bits = BitmapBits();\n",
                    "    const uint8_t* end = bytes + kBytes + bits / 8;\n",
                    "    for (uint32_t i = 0; 64 * i < bits; ++i) {\n      ", bitmap,
                    "[i] = bits >= 64 * (i + 1) ? LoadWord64(end - 8 * (i + 1))\n",
                    "                                 : LoadWord32(bytes + kBytes);\n    }\n");
  }
  absl::StrAppend(&out, "  }\n  static ", name, " Load(const uint8_t* bytes) {\n    ", name,
                  " out;\n    out.LoadFrom(bytes);\n    return out;\n  }\n");
  return out;
}

std::string StoreFunction(const Layout& layout, const std::vector<Word>& words) {
  std::vector<std::vector<std::string>> parts(words.size());
  uint32_t offset = 0;
  for (const Field& field : layout.field()) {
    for (const Piece& piece : PiecesOf(offset, field.bits(), words)) {
      if (field.reserved()) continue;
      parts[piece.word].push_back(StoreExpression(Member(field.name()), piece));
    }
    offset += field.bits();
  }
  std::string out = "  void Store(uint8_t* bytes) const {\n";
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string value = parts[i].empty() ? "0" : absl::StrJoin(parts[i], " |\n        ");
    absl::StrAppend(&out, "    StoreWord", words[i].bits, "(static_cast<uint", words[i].bits,
                    "_t>(", value, "), bytes + ", words[i].offset, ");\n");
  }
  if (layout.has_bitmap()) {
    const std::string bitmap = absl::StrCat("this->", Member(layout.bitmap().name()));
    absl::StrAppend(&out, "    const uint32_t bits = BitmapBits();\n",
                    "    uint8_t* end = bytes + kBytes + bits / 8;\n",
                    "    for (uint32_t i = 0; 64 * i < bits; ++i) {\n",
                    "      if (bits >= 64 * (i + 1)) {\n        StoreWord64(", bitmap,
                    "[i], end - 8 * (i + 1));\n      } else {\n",
                    "        StoreWord32(static_cast<uint32_t>(", bitmap,
                    "[i]), bytes + kBytes);\n      }\n    }\n");
  }
  absl::StrAppend(&out, "  }\n");
  return out;
}

std::string BitmapMembers(const Layout& layout) {
  if (!layout.has_bitmap()) return "";
  const std::string lengths = absl::StrCat("k", CamelCase(layout.name()), "BitmapLengths");
  return absl::StrCat("  // Bit i of the bitmap is bit i % 64 of word i / 64.\n",
                      "  std::array<uint64_t, ", kBitmapWords, "> ", Member(layout.bitmap().name()),
                      ";\n\n", "  uint32_t BitmapBits() const {\n    return ", lengths, "[",
                      Member(layout.bitmap().selected_by()), " & (", lengths,
                      ".size() - 1)];\n  }\n", "  // With the bitmap.\n",
                      "  uint32_t Size() const { return kBytes + BitmapBits() / 8; }\n");
}

std::string Struct(const Layout& layout) {
  const std::string name = CamelCase(layout.name());
  const std::vector<Word> words = WordsOf(FixedBytes(layout));
  std::string out = absl::StrCat(
      "// ", Comment(layout.title().empty() ? layout.name() : layout.title()), ".\n", "struct ",
      name, " {\n  static constexpr Layout kLayout = Layout::", Enumerator(layout.name()),
      ";\n  static constexpr uint32_t kBytes = ", FixedBytes(layout), ";\n\n");
  for (const Field& field : layout.field()) {
    if (field.reserved()) continue;
    absl::StrAppend(&out, "  ", MemberType(field), " ", Member(field.name()), ";");
    std::vector<std::string> notes;
    if (field.bits() != 1) notes.push_back(absl::StrCat(field.bits(), " bits"));
    if (!field.note().empty()) notes.push_back(Comment(field.note()));
    if (!field.all_ones().empty()) {
      notes.push_back(absl::StrCat("all ones: ", Comment(field.all_ones())));
    }
    if (!notes.empty()) absl::StrAppend(&out, "  // ", absl::StrJoin(notes, "; "));
    absl::StrAppend(&out, "\n");
  }
  absl::StrAppend(
      &out, BitmapMembers(layout), "\n", LoadFunction(layout, words), StoreFunction(layout, words),
      "\n", "  // By index of Info(kLayout).fields; a reserved field is 0 and cannot be set.\n",
      "  uint64_t Get(size_t field) const;\n", "  void Set(size_t field, uint64_t value);\n\n",
      "  friend bool operator==(const ", name, "&, const ", name, "&) = default;\n};\n\n");
  return out;
}

// The layouts that stand in the headers of some opcode, in the order of the text.
std::vector<const Layout*> HeaderLayouts(const Spec& spec) {
  std::set<std::string> names;
  for (const Opcode& opcode : spec.data().opcode()) {
    names.insert(opcode.header().begin(), opcode.header().end());
  }
  std::vector<const Layout*> out;
  for (const Layout& layout : spec.data().layout()) {
    if (names.count(layout.name()) != 0) out.push_back(&layout);
  }
  return out;
}

std::string HeadersStruct(const Spec& spec) {
  std::string out =
      "// The headers of any packet. Only those of its opcode have a value; the others, and path\n"
      "// blocks beyond the count, are not initialised (that would cost more than decoding).\n"
      "struct Headers {\n";
  for (const Layout* layout : HeaderLayouts(spec)) {
    absl::StrAppend(&out, "  ", CamelCase(layout->name()), " ", Member(layout->name()), ";\n");
  }
  const std::map<std::string, uint32_t> repeated = RepeatedLayouts(spec);
  for (const Layout& layout : spec.data().layout()) {
    auto found = repeated.find(layout.name());
    if (found == repeated.end()) continue;
    absl::StrAppend(&out, "  std::array<", CamelCase(layout.name()), ", ", found->second, "> ",
                    Member(layout.name()), ";\n");
  }
  absl::StrAppend(&out, "};\n\n");
  return out;
}

// Opcodes with the same headers share a case: `line` makes one statement from layout and offset,
// or nothing.
template <typename Line>
std::string Cases(const Spec& spec, Line line) {
  std::vector<std::vector<const Opcode*>> groups;
  for (const Opcode& opcode : spec.data().opcode()) {
    auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return std::equal(opcode.header().begin(), opcode.header().end(), group[0]->header().begin(),
                        group[0]->header().end());
    });
    if (same == groups.end()) {
      groups.push_back({&opcode});
    } else {
      same->push_back(&opcode);
    }
  }
  std::string out;
  for (const std::vector<const Opcode*>& group : groups) {
    for (const Opcode* opcode : group) {
      absl::StrAppend(&out, "    case Opcode::", Enumerator(opcode->name()), ":\n");
    }
    uint32_t offset = 0;
    for (const std::string& header : group[0]->header()) {
      const std::string statement = line(header, offset);
      if (!statement.empty()) absl::StrAppend(&out, "      ", statement, "\n");
      offset += FixedBytes(LayoutNamed(spec, header));
    }
    absl::StrAppend(&out, "      break;\n");
  }
  return out;
}

std::string At(absl::string_view bytes, uint32_t offset) {
  return offset == 0 ? std::string(bytes) : absl::StrCat(bytes, " + ", offset);
}

std::string HeaderFunctions(const Spec& spec) {
  const std::string& common =
      spec.data().layout().empty() ? std::string() : spec.data().layout(0).name();
  const auto load = [](const std::string& header, uint32_t offset) {
    return absl::StrCat("headers.", Member(header), ".LoadFrom(", At("bytes", offset), ");");
  };
  const auto store = [](const std::string& header, uint32_t offset) {
    return absl::StrCat("headers.", Member(header), ".Store(", At("bytes", offset), ");");
  };
  // The frontend sees to it that each opcode begins with the common header.
  const auto behind_common = [](auto line) {
    return [line](const std::string& header, uint32_t offset) {
      return offset == 0 ? std::string() : line(header, offset);
    };
  };
  const auto equal = [](const std::string& header, uint32_t) {
    return absl::StrCat("if (!(a.", Member(header), " == b.", Member(header), ")) return false;");
  };
  return absl::StrCat(
      "// Bytes of the headers of an opcode, of the common header if the opcode is unknown.\n",
      "constexpr uint32_t FixedBytes(Opcode opcode) {\n",
      "  const OpcodeInfo& info = Info(opcode);\n  return info.known ? info.fixed_bytes : ",
      CamelCase(common), "::kBytes;\n}\n\n",
      "// Loads the headers of `opcode` behind the common header. `bytes` are those of the "
      "packet,\n"
      "// FixedBytes(opcode) of them.\n",
      "inline void LoadBody(Opcode opcode, const uint8_t* bytes, Headers& headers) {\n",
      "  switch (opcode) {\n", Cases(spec, behind_common(load)), "    default:\n      break;",
      "\n  }\n}\n\n", "// The same with the common header.\n",
      "inline void LoadHeaders(Opcode opcode, const uint8_t* bytes, Headers& headers) {\n  ",
      load(common, 0), "\n  LoadBody(opcode, bytes, headers);\n}\n\n",
      "// Stores the headers of `opcode` behind the common header. `bytes` are those of the "
      "packet,\n"
      "// FixedBytes(opcode) of them. Reserved bits become 0, and bits for which a field has no\n"
      "// room are dropped.\n",
      "inline void StoreBody(Opcode opcode, const Headers& headers, uint8_t* bytes) {\n",
      "  switch (opcode) {\n", Cases(spec, behind_common(store)), "    default:\n      break;",
      "\n  }\n}\n\n", "// The same with the common header.\n",
      "inline void StoreHeaders(Opcode opcode, const Headers& headers, uint8_t* bytes) {\n  ",
      store(common, 0), "\n  StoreBody(opcode, headers, bytes);\n}\n\n",
      "// Compares the headers of `opcode`, not what is repeated behind them.\n",
      "inline bool HeadersEqual(Opcode opcode, const Headers& a, const Headers& b) {\n",
      "  switch (opcode) {\n", Cases(spec, equal), "    default:\n      return a.", Member(common),
      " == b.", Member(common), ";\n  }\n  return true;\n}\n\n");
}

constexpr absl::string_view kFieldAccess =
    "// A field of a header by layout and index; 0, and no effect, for a layout that is no "
    "header.\n"
    "uint64_t GetField(const Headers& headers, Layout layout, size_t field);\n"
    "void SetField(Headers& headers, Layout layout, size_t field, uint64_t value);\n\n";

std::string GetAndSet(const Layout& layout) {
  const std::string name = CamelCase(layout.name());
  std::string get =
      absl::StrCat("uint64_t ", name, "::Get(size_t field) const {\n", "  switch (field) {\n");
  std::string set = absl::StrCat("void ", name, "::Set(size_t field, uint64_t value) {\n",
                                 "  switch (field) {\n");
  for (int i = 0; i < layout.field_size(); ++i) {
    const Field& field = layout.field(i);
    if (field.reserved()) continue;
    absl::StrAppend(&get, "    case ", i, ":\n      return this->", Member(field.name()), ";\n");
    absl::StrAppend(&set, "    case ", i, ":\n      this->", Member(field.name()),
                    " = static_cast<", MemberType(field), ">(value);\n      break;\n");
  }
  return absl::StrCat(get, "    default:\n      return 0;\n  }\n}\n\n", set,
                      "    default:\n      (void)value;\n  }\n}\n\n");
}

}  // namespace

std::string LayoutsHeader(const Spec& spec) {
  std::string out =
      "// Generated from the chapters of spec/ by spec_compiler.\n"
      "//\n"
      "// The structs are plain aggregates: `Common c;` is not initialised, `Common c{};` is "
      "zero.\n"
      "// Load and LoadFrom read kBytes bytes (Size() with a bitmap, whose selector is among the\n"
      "// kBytes), Store writes as many; the caller sees to it that they are there. All take any\n"
      "// alignment.\n"
      "#ifndef SPEC_LAYOUTS_H_\n#define SPEC_LAYOUTS_H_\n\n"
      "#include <array>\n#include <cstddef>\n#include <cstdint>\n\n"
      "#include \"spec/compiler/runtime/words.h\"\n#include \"spec/tables.h\"\n\n"
      "namespace metaroce::spec {\n\n";
  for (const Layout& layout : spec.data().layout()) absl::StrAppend(&out, Struct(layout));
  if (!spec.data().opcode().empty()) {
    absl::StrAppend(&out, HeadersStruct(spec), HeaderFunctions(spec), kFieldAccess);
  }
  absl::StrAppend(&out, "}  // namespace metaroce::spec\n\n#endif  // SPEC_LAYOUTS_H_\n");
  return out;
}

std::string LayoutsSource(const Spec& spec) {
  std::string out =
      "// Generated from the chapters of spec/ by spec_compiler.\n#include \"spec/layouts.h\"\n\n"
      "namespace metaroce::spec {\n\n";
  for (const Layout& layout : spec.data().layout()) absl::StrAppend(&out, GetAndSet(layout));
  if (!spec.data().opcode().empty()) {
    std::string get =
        "uint64_t GetField(const Headers& headers, Layout layout, size_t field) {\n"
        "  switch (layout) {\n";
    std::string set =
        "void SetField(Headers& headers, Layout layout, size_t field, "
        "uint64_t value) {\n  switch (layout) {\n";
    for (const Layout* layout : HeaderLayouts(spec)) {
      absl::StrAppend(&get, "    case Layout::", Enumerator(layout->name()),
                      ":\n      return headers.", Member(layout->name()), ".Get(field);\n");
      absl::StrAppend(&set, "    case Layout::", Enumerator(layout->name()), ":\n      headers.",
                      Member(layout->name()), ".Set(field, value);\n      break;\n");
    }
    absl::StrAppend(&out, get, "    default:\n      return 0;\n  }\n}\n\n", set,
                    "    default:\n      break;\n  }\n}\n\n");
  }
  absl::StrAppend(&out, "}  // namespace metaroce::spec\n");
  return out;
}

}  // namespace metaroce::compiler::cpp
