#include "spec/compiler/backends/c/c.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "spec/compiler/backends/support/support.h"
#include "spec/compiler/names.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {
namespace {

std::string Literal(uint64_t value) {
  return value > 0xffffffffu ? absl::StrFormat("UINT64_C(0x%x)", value)
                             : absl::StrFormat("UINT32_C(%d)", value);
}

// The C type that holds `bits` bits.
absl::string_view TypeOf(uint32_t bits) {
  if (bits <= 8) return "uint8_t";
  if (bits <= 16) return "uint16_t";
  return bits <= 32 ? "uint32_t" : "uint64_t";
}

// One name = value pair of an enumeration, with its comment.
struct Enumerator {
  std::string name;
  uint64_t value;
  std::string comment;
};

class Writer {
 public:
  explicit Writer(const Spec& spec) : spec_(spec) {}

  absl::StatusOr<std::string> Write() {
    Preamble();
    Opcodes();
    Enums();
    ChecksAndReasons();
    Machines();
    Numbers();
    for (const Layout& layout : spec_.data().layout()) WriteLayout(layout);
    absl::StrAppend(&out_, "#endif /* METAROCE_SPEC_H */\n");
    if (!status_.ok()) return status_;
    return std::move(out_);
  }

 private:
  void Name(const std::string& identifier, const std::string& item) {
    if (status_.ok()) status_ = names_.Add(identifier, item);
  }

  void Comment(absl::string_view text) {
    absl::StrAppend(&out_, "/* ", CommentText(text), " */\n");
  }

  void Define(const std::string& name, const std::string& value, const std::string& item) {
    Name(name, item);
    absl::StrAppend(&out_, "#define ", name, " ", value, "\n");
  }

  // An enumeration, or macros where a value is no int: C99 knows no other enumerators.
  void Enumeration(const std::string& tag, const std::vector<Enumerator>& values) {
    if (values.empty()) return;
    bool fits = true;
    for (const Enumerator& v : values) fits &= v.value <= 0x7fffffffu;
    if (fits) absl::StrAppend(&out_, "enum ", tag, " {\n");
    Name(tag, absl::StrCat("the enumeration ", tag));
    for (size_t i = 0; i < values.size(); ++i) {
      const Enumerator& v = values[i];
      const std::string comment =
          v.comment.empty() ? "" : absl::StrCat(" /* ", CommentText(v.comment), " */");
      Name(v.name, absl::StrCat(v.name, " of ", tag));
      if (fits) {
        absl::StrAppend(&out_, "  ", v.name, " = ", v.value, i + 1 < values.size() ? "," : "",
                        comment, "\n");
      } else {
        absl::StrAppend(&out_, "#define ", v.name, " ", Literal(v.value), comment, "\n");
      }
    }
    absl::StrAppend(&out_, fits ? "};\n\n" : "\n");
  }

  // A function of one number that is a switch: `cases` are (case label, result).
  void SwitchFunction(absl::string_view type, const std::string& name, absl::string_view argument,
                      const std::vector<std::pair<std::string, std::string>>& cases,
                      absl::string_view otherwise) {
    Name(name, absl::StrCat("the function ", name));
    absl::StrAppend(&out_, "static inline ", type, name, "(unsigned ", argument, ") {\n");
    absl::StrAppend(&out_, "  switch (", argument, ") {\n");
    for (const auto& [label, result] : cases) {
      absl::StrAppend(&out_, "    case ", label, ": return ", result, ";\n");
    }
    absl::StrAppend(&out_, "    default: return ", otherwise, ";\n  }\n}\n\n");
  }

  void Preamble() {
    Comment("Generated from the text of the MetaRoCE specification. Do not edit.");
    absl::StrAppend(&out_,
                    "#ifndef METAROCE_SPEC_H\n#define METAROCE_SPEC_H\n\n#include <stdint.h>\n\n");
    Define("MR_SPEC_VERSION", absl::StrCat("\"", Quotable(spec_.version()), "\""), "the version");
    Define("MR_SPEC_HASH", absl::StrCat("\"", Quotable(spec_.hash()), "\""), "the hash");
    absl::StrAppend(&out_, "\n");
  }

  static std::string Quotable(absl::string_view text) {
    std::string out = CommentText(text);
    std::replace(out.begin(), out.end(), '"', '\'');
    // "??" could begin a trigraph.
    std::replace(out.begin(), out.end(), '?', '.');
    return out;
  }

  static std::string TailName(Tail tail) {
    return tail == TAIL_UNSPECIFIED ? "MR_TAIL_NONE" : absl::StrCat("MR_TAIL_", Tail_Name(tail));
  }

  void Opcodes() {
    std::vector<Enumerator> classes;
    for (const OpcodeClassRule& rule : spec_.data().opcode_class()) {
      classes.push_back(
          {absl::StrCat("MR_CLASS_", OpcodeClass_Name(rule.class_())), rule.value(), ""});
    }
    Comment("The two most significant bits of an opcode.");
    Enumeration("mr_class", classes);
    std::vector<Enumerator> opcodes;
    std::vector<std::pair<std::string, std::string>> names, bytes, tails;
    for (const Opcode& opcode : spec_.data().opcode()) {
      const std::string label = absl::StrCat("MR_OPCODE_", ShoutCase(opcode.name()));
      uint32_t fixed = 0;
      for (const std::string& name : opcode.header()) fixed += FixedBytes(*FindLayout(spec_, name));
      opcodes.push_back({label, opcode.value(),
                         absl::StrCat(absl::StrJoin(opcode.header(), " "),
                                      opcode.note().empty() ? "" : "; ", opcode.note())});
      names.push_back({label, absl::StrCat("\"", opcode.name(), "\"")});
      bytes.push_back({label, absl::StrCat(fixed)});
      tails.push_back({label, TailName(opcode.tail())});
    }
    Enumeration("mr_opcode", opcodes);
    std::vector<Enumerator> tail_values;
    for (int tail = TAIL_UNSPECIFIED; Tail_IsValid(tail); ++tail) {
      tail_values.push_back({TailName(static_cast<Tail>(tail)), uint64_t(tail), ""});
    }
    Comment("What stands between the headers and the iCRC.");
    Enumeration("mr_tail", tail_values);
    Comment("The opcode's name, or a null pointer where it is unknown.");
    SwitchFunction("const char *", "mr_opcode_name", "opcode", names, "0");
    Comment("Bytes of all headers without bitmaps and tail, or -1 where the opcode is unknown.");
    SwitchFunction("int ", "mr_opcode_header_bytes", "opcode", bytes, "-1");
    Comment("One of mr_tail; MR_TAIL_NONE where the opcode is unknown.");
    SwitchFunction("int ", "mr_opcode_tail", "opcode", tails, "MR_TAIL_NONE");
    for (const Opcode& opcode : spec_.data().opcode()) {
      if (opcode.tail() != PATH_BLOCKS) continue;
      const std::string prefix = absl::StrCat("MR_OPCODE_", ShoutCase(opcode.name()));
      const std::string item = absl::StrCat("the block count of opcode ", opcode.name());
      Define(absl::StrCat(prefix, "_COUNT_MIN"), absl::StrCat(opcode.count_min()), item);
      Define(absl::StrCat(prefix, "_COUNT_MAX"), absl::StrCat(opcode.count_max()), item);
      absl::StrAppend(&out_, "\n");
    }
  }

  void Enums() {
    for (const Enum& e : spec_.data().enum_()) {
      std::vector<Enumerator> values;
      for (const EnumValue& v : e.value()) {
        values.push_back({absl::StrCat("MR_", ShoutCase(e.name()), "_", ShoutCase(v.name())),
                          v.value(), v.note()});
      }
      Enumeration(absl::StrCat("mr_", e.name()), values);
    }
  }

  void ChecksAndReasons() {
    std::vector<Enumerator> checks;
    for (const Check& check : spec_.data().check()) {
      checks.push_back(
          {absl::StrCat("MR_CHECK_", ShoutCase(check.name())), checks.size(), check.note()});
    }
    if (!checks.empty()) Comment("The receiver's checks in their order; the first failure counts.");
    Enumeration("mr_check", checks);
    std::vector<Enumerator> reasons;
    std::vector<std::pair<std::string, std::string>> names;
    for (const Reason& reason : spec_.data().reason()) {
      const std::string label = absl::StrCat("MR_REASON_", ShoutCase(reason.name()));
      reasons.push_back({label, reason.code(), reason.note()});
      names.push_back({label, absl::StrCat("\"", reason.name(), "\"")});
    }
    Enumeration("mr_reason", reasons);
    if (names.empty()) return;
    Comment("The reason's name, or a null pointer where the code is not assigned.");
    SwitchFunction("const char *", "mr_reason_name", "code", names, "0");
  }

  void Machines() {
    for (const Machine& machine : spec_.data().machine()) {
      std::vector<Enumerator> states, events;
      const std::string prefix = absl::StrCat("MR_", ShoutCase(machine.name()));
      for (const std::string& state : machine.state()) {
        states.push_back({absl::StrCat(prefix, "_STATE_", state), states.size(), ""});
      }
      for (const std::string& event : machine.event()) {
        events.push_back({absl::StrCat(prefix, "_EVENT_", event), events.size(), ""});
      }
      Enumeration(absl::StrCat("mr_", machine.name(), "_state"), states);
      Enumeration(absl::StrCat("mr_", machine.name(), "_event"), events);
    }
  }

  // Constants and parameters alike.
  template <typename Item>
  void Ranged(absl::string_view prefix, const Item& item, bool fixed) {
    const std::string name = absl::StrCat(prefix, ShoutCase(item.name()));
    const std::string what = absl::StrCat("the number ", item.name());
    Comment(absl::StrCat(item.name(), item.unit() == NONE ? "" : ", ", UnitText(item.unit()),
                         item.note().empty() ? "" : ": ", item.note(), " [", item.clause(), "]"));
    Define(name, Literal(item.default_()), what);
    if (fixed) return;
    Define(absl::StrCat("MR_MIN_", ShoutCase(item.name())), Literal(item.min()), what);
    Define(absl::StrCat("MR_MAX_", ShoutCase(item.name())), Literal(item.max()), what);
  }

  void Numbers() {
    for (const Constant& c : spec_.data().constant()) Ranged("MR_CONST_", c, c.fixed());
    for (const ProfileParameter& p : spec_.data().profile()) Ranged("MR_PROFILE_", p, false);
    for (const Derived& d : spec_.data().derived()) {
      Comment(absl::StrCat(d.name(), ": ", absl::StrJoin(d.layout(), " + "), " + ", d.plus(), " (",
                           d.plus_note(), ") [", d.clause(), "]"));
      Define(absl::StrCat("MR_DERIVED_", ShoutCase(d.name())), Literal(DerivedValue(spec_, d)),
             absl::StrCat("the derived number ", d.name()));
    }
    absl::StrAppend(&out_, "\n");
  }

  void WriteLayout(const Layout& layout) {
    const std::string shout = absl::StrCat("MR_", ShoutCase(layout.name()));
    Comment(absl::StrCat(layout.title().empty() ? layout.name() : layout.title(), " [",
                         layout.clause(), "]"));
    Define(absl::StrCat(shout, "_BYTES"), absl::StrCat(FixedBytes(layout)),
           absl::StrCat("the size of layout ", layout.name()));
    absl::StrAppend(&out_, "\n");
    uint32_t first_bit = 0;
    for (const Field& field : layout.field()) {
      WriteField(layout, field, first_bit);
      first_bit += field.bits();
    }
    if (layout.has_bitmap()) WriteBitmap(layout);
  }

  void WriteField(const Layout& layout, const Field& field, uint32_t first_bit) {
    const std::string item = absl::StrCat("field ", layout.name(), ".", field.name());
    std::string comment = absl::StrCat(layout.name(), ".", field.name());
    if (field.reserved()) absl::StrAppend(&comment, ", reserved");
    if (field.unit() != NONE) absl::StrAppend(&comment, ", ", UnitText(field.unit()));
    if (!field.enum_().empty()) absl::StrAppend(&comment, ", enum mr_", field.enum_());
    if (!field.all_ones().empty()) absl::StrAppend(&comment, ", all ones = ", field.all_ones());
    if (!field.note().empty()) absl::StrAppend(&comment, ": ", field.note());
    Comment(comment);
    const std::string shout =
        absl::StrCat("MR_", ShoutCase(layout.name()), "_", ShoutCase(field.name()));
    Define(absl::StrCat(shout, "_FIRST_BIT"), absl::StrCat(first_bit), item);
    Define(absl::StrCat(shout, "_BITS"), absl::StrCat(field.bits()), item);
    Define(absl::StrCat(shout, "_MAX"), Literal(MaxOf(field.bits())), item);
    WriteGetter(layout, field, first_bit, item);
    WriteSetter(layout, field, first_bit, item);
  }

  void WriteGetter(const Layout& layout, const Field& field, uint32_t first_bit,
                   const std::string& item) {
    const absl::string_view type = TypeOf(field.bits());
    const absl::string_view wide = field.bits() > 32 ? "uint64_t" : "uint32_t";
    const std::string name = absl::StrCat("mr_", layout.name(), "_get_", field.name());
    Name(name, item);
    std::vector<std::string> terms;
    ForEachByteShare(first_bit, field.bits(), [&](const ByteShare& share) {
      std::string term = absl::StrFormat("(%s)header[%d]", wide, share.byte);
      if (share.byte_shift != 0) term = absl::StrFormat("(%s >> %d)", term, share.byte_shift);
      if (share.bits != 8) term = absl::StrFormat("(%s & 0x%xu)", term, MaxOf(share.bits));
      if (share.value_shift != 0) term = absl::StrFormat("(%s << %d)", term, share.value_shift);
      terms.push_back(term);
    });
    std::string value = absl::StrJoin(terms, " | ");
    if (type != wide) value = absl::StrCat("(", type, ")(", value, ")");
    absl::StrAppend(&out_, "static inline ", type, " ", name, "(const uint8_t *header) {\n");
    absl::StrAppend(&out_, "  return ", value, ";\n}\n");
  }

  void WriteSetter(const Layout& layout, const Field& field, uint32_t first_bit,
                   const std::string& item) {
    const std::string name = absl::StrCat("mr_", layout.name(), "_set_", field.name());
    Name(name, item);
    absl::StrAppend(&out_, "static inline void ", name, "(uint8_t *header, ", TypeOf(field.bits()),
                    " value) {\n");
    ForEachByteShare(first_bit, field.bits(), [&](const ByteShare& share) {
      const std::string shifted =
          share.value_shift == 0 ? "value" : absl::StrFormat("(value >> %d)", share.value_shift);
      if (share.bits == 8) {
        absl::StrAppend(&out_, "  header[", share.byte, "] = (uint8_t)", shifted, ";\n");
        return;
      }
      const uint64_t mask = MaxOf(share.bits);
      absl::StrAppend(&out_,
                      absl::StrFormat("  header[%d] = (uint8_t)((header[%d] & 0x%xu) | "
                                      "((uint32_t)(%s & 0x%xu) << %d));\n",
                                      share.byte, share.byte, 0xff & ~(mask << share.byte_shift),
                                      shifted, mask, share.byte_shift));
    });
    absl::StrAppend(&out_, "}\n\n");
  }

  void WriteBitmap(const Layout& layout) {
    const Bitmap& bitmap = layout.bitmap();
    const std::string item = absl::StrCat("the bitmap of layout ", layout.name());
    const std::string stem = absl::StrCat("mr_", layout.name(), "_", bitmap.name());
    const uint32_t longest = *std::max_element(bitmap.lengths().begin(), bitmap.lengths().end());
    Define(
        absl::StrCat("MR_", ShoutCase(layout.name()), "_", ShoutCase(bitmap.name()), "_MAX_BITS"),
        absl::StrCat(longest), item);
    std::vector<std::pair<std::string, std::string>> cases;
    cases.reserve(bitmap.lengths_size());
    for (int i = 0; i < bitmap.lengths_size(); ++i) {
      cases.push_back({absl::StrCat(i), absl::StrCat(bitmap.lengths(i))});
    }
    Comment(absl::StrCat("Bits of the bitmap for a value of ", bitmap.selected_by(), ", or -1."));
    SwitchFunction("int ", absl::StrCat(stem, "_bits"), bitmap.selected_by(), cases, "-1");
    const std::string bits =
        absl::StrCat(stem, "_bits(mr_", layout.name(), "_get_", bitmap.selected_by(), "(header))");
    const std::string bytes = absl::StrCat("mr_", layout.name(), "_bytes");
    const std::string get = absl::StrCat("mr_", layout.name(), "_get_", bitmap.name(), "_bit");
    const std::string set = absl::StrCat("mr_", layout.name(), "_set_", bitmap.name(), "_bit");
    for (const std::string& name : {bytes, get, set}) Name(name, item);
    const uint32_t fixed = FixedBytes(layout);
    Comment("Bytes of the layout with its bitmap, or -1 where the selector selects none.");
    absl::StrAppend(&out_, "static inline int ", bytes,
                    "(const uint8_t *header) {\n  const int bits = ", bits,
                    ";\n  return bits < 0 ? -1 : ", fixed, " + bits / 8;\n}\n\n");
    Comment("The bit of weight 2^bit; 0 beyond the bitmap's length.");
    absl::StrAppend(&out_, "static inline int ", get,
                    "(const uint8_t *header, unsigned bit) {\n  const int bits = ", bits,
                    ";\n  if (bits < 0 || bit >= (unsigned)bits) return 0;\n  return (header[",
                    fixed, "u + ((unsigned)bits - 1u - bit) / 8u] >> (bit % 8u)) & 1;\n}\n\n");
    Comment("Writes the bit of weight 2^bit; nothing beyond the bitmap's length.");
    absl::StrAppend(
        &out_, "static inline void ", set,
        "(uint8_t *header, unsigned bit, int on) {\n  const int bits = ", bits,
        ";\n  uint8_t *byte;\n  if (bits < 0 || bit >= (unsigned)bits) return;\n  byte = header + ",
        fixed, "u + ((unsigned)bits - 1u - bit) / 8u;\n",
        "  *byte = (uint8_t)((*byte & ~(1u << (bit % 8u))) | ((on ? 1u : 0u) << (bit % "
        "8u)));\n}\n\n");
  }

  const Spec& spec_;
  std::string out_;
  Identifiers names_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<std::string> GenerateCHeader(const Spec& spec) {
  if (auto s = CheckSpec(spec); !s.ok()) return s;
  return Writer(spec).Write();
}

}  // namespace metaroce::compiler
