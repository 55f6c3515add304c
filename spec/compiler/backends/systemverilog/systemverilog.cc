#include "spec/compiler/backends/systemverilog/systemverilog.h"

#include <algorithm>
#include <cstdint>
#include <set>
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
#include "spec/compiler/backends/systemverilog/keywords.h"
#include "spec/compiler/names.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {
namespace {

std::string Member(const std::string& name) {
  return IsSystemVerilogKeyword(name) ? absl::StrCat(name, "_") : name;
}

std::string Vector(uint32_t bits) {
  return bits == 1 ? "logic" : absl::StrFormat("logic [%d:0]", bits - 1);
}

std::string Literal(uint32_t bits, uint64_t value) {
  return absl::StrFormat("%d'd%d", bits, value);
}

std::string HexLiteral(uint32_t bits, uint64_t value) {
  return absl::StrFormat("%d'h%0*X", bits, static_cast<int>((bits + 3) / 4), value);
}

std::string Quoted(absl::string_view text) {
  std::string out = CommentText(text);
  std::replace(out.begin(), out.end(), '"', '\'');
  return absl::StrCat("\"", out, "\"");
}

struct Enumerator {
  std::string name;
  uint64_t value;
  std::string comment;
};

class Writer {
 public:
  explicit Writer(const Spec& spec) : spec_(spec) {}

  absl::StatusOr<std::string> Write() {
    Comment("Generated from the text of the MetaRoCE specification. Do not edit.");
    absl::StrAppend(&out_,
                    "// Nobody needs every number of the text.\n"
                    "// verilator lint_off UNUSEDPARAM\n"
                    "// Names are the text's; Verilator renames those that C++ knows by itself.\n"
                    "// verilator lint_off SYMRSVDWORD\n"
                    "package metaroce_spec_pkg;\n\n");
    // Without a type: not every tool takes parameters of type string.
    absl::StrAppend(&out_, "  localparam SPEC_VERSION = ", Quoted(spec_.version()), ";\n");
    absl::StrAppend(&out_, "  localparam SPEC_HASH = ", Quoted(spec_.hash()), ";\n\n");
    Opcodes();
    Enums();
    Numbers();
    for (const Layout& layout : spec_.data().layout()) WriteLayout(layout);
    for (const Opcode& opcode : spec_.data().opcode()) WriteHeaders(opcode);
    absl::StrAppend(&out_,
                    "endpackage\n// verilator lint_on UNUSEDPARAM\n"
                    "// verilator lint_on SYMRSVDWORD\n");
    if (!status_.ok()) return status_;
    return std::move(out_);
  }

 private:
  void Name(const std::string& identifier, const std::string& item) {
    if (status_.ok()) status_ = names_.Add(identifier, item);
  }

  void Comment(absl::string_view text, absl::string_view indent = "") {
    absl::StrAppend(&out_, indent, "// ", CommentText(text), "\n");
  }

  void Parameter(const std::string& name, uint32_t bits, uint64_t value, const std::string& item) {
    Name(name, item);
    absl::StrAppend(&out_, "  localparam ", Vector(bits), " ", name, " = ", Literal(bits, value),
                    ";\n");
  }

  void Enumeration(const std::string& type, uint32_t bits, const std::vector<Enumerator>& values) {
    if (values.empty()) return;
    Name(type, absl::StrCat("the enumeration ", type));
    absl::StrAppend(&out_, "  typedef enum ", Vector(bits), " {\n");
    for (size_t i = 0; i < values.size(); ++i) {
      const Enumerator& v = values[i];
      Name(v.name, absl::StrCat(v.name, " of ", type));
      absl::StrAppend(&out_, "    ", v.name, " = ", HexLiteral(bits, v.value),
                      i + 1 < values.size() ? "," : "",
                      v.comment.empty() ? "" : absl::StrCat("  // ", CommentText(v.comment)), "\n");
    }
    absl::StrAppend(&out_, "  } ", type, ";\n\n");
  }

  // As wide as the greatest value needs.
  void Enumeration(const std::string& type, const std::vector<Enumerator>& values) {
    uint32_t bits = 1;
    for (const Enumerator& v : values) bits = std::max(bits, BitsFor(v.value));
    Enumeration(type, bits, values);
  }

  void Opcodes() {
    std::vector<Enumerator> classes;
    for (const OpcodeClassRule& rule : spec_.data().opcode_class()) {
      classes.push_back(
          {absl::StrCat("CLASS_", OpcodeClass_Name(rule.class_())), rule.value(), ""});
    }
    Comment("The two most significant bits of an opcode.", "  ");
    Enumeration("class_e", 2, classes);
    std::vector<Enumerator> opcodes;
    for (const Opcode& opcode : spec_.data().opcode()) {
      opcodes.push_back({absl::StrCat("OPCODE_", ShoutCase(opcode.name())), opcode.value(),
                         absl::StrCat(absl::StrJoin(opcode.header(), " "),
                                      opcode.note().empty() ? "" : "; ", opcode.note())});
    }
    Enumeration("opcode_e", 8, opcodes);
    std::vector<Enumerator> tails;
    for (int tail = TAIL_UNSPECIFIED; Tail_IsValid(tail); ++tail) {
      tails.push_back({TailName(static_cast<Tail>(tail)), uint64_t(tail), ""});
    }
    Comment("What stands between the headers and the iCRC. TAIL_NONE: the opcode is unknown.",
            "  ");
    Enumeration("tail_e", tails);
    OpcodeFunctions();
    for (const Opcode& opcode : spec_.data().opcode()) {
      if (opcode.tail() != PATH_BLOCKS) continue;
      const std::string stem = absl::StrCat("OPCODE_", ShoutCase(opcode.name()));
      const std::string item = absl::StrCat("the block count of opcode ", opcode.name());
      const uint32_t bits = BitsFor(opcode.count_max());
      Parameter(absl::StrCat(stem, "_COUNT_MIN"), bits, opcode.count_min(), item);
      Parameter(absl::StrCat(stem, "_COUNT_MAX"), bits, opcode.count_max(), item);
      absl::StrAppend(&out_, "\n");
    }
  }

  static std::string TailName(Tail tail) {
    return tail == TAIL_UNSPECIFIED ? "TAIL_NONE" : absl::StrCat("TAIL_", Tail_Name(tail));
  }

  // A function of an opcode that is one case statement.
  void OpcodeFunction(absl::string_view type, const std::string& name,
                      const std::vector<std::pair<std::string, std::string>>& cases,
                      absl::string_view otherwise) {
    Name(name, absl::StrCat("the function ", name));
    absl::StrAppend(&out_, "  function automatic ", type, " ", name,
                    "(input logic [7:0] opcode);\n    case (opcode)\n");
    for (const auto& [label, result] : cases) {
      absl::StrAppend(&out_, "      ", label, ": return ", result, ";\n");
    }
    absl::StrAppend(&out_, "      default: return ", otherwise,
                    ";\n    endcase\n  endfunction\n\n");
  }

  void OpcodeFunctions() {
    std::vector<std::pair<std::string, std::string>> known, bytes, tails;
    for (const Opcode& opcode : spec_.data().opcode()) {
      const std::string label = absl::StrCat("OPCODE_", ShoutCase(opcode.name()));
      uint32_t fixed = 0;
      for (const std::string& name : opcode.header()) fixed += FixedBytes(*FindLayout(spec_, name));
      known.push_back({label, "1'b1"});
      bytes.push_back({label, absl::StrCat("32'd", fixed)});
      tails.push_back({label, TailName(opcode.tail())});
    }
    OpcodeFunction("logic", "opcode_known", known, "1'b0");
    Comment("Bytes of all headers without bitmaps and tail; 0 where the opcode is unknown.", "  ");
    OpcodeFunction("int unsigned", "opcode_header_bytes", bytes, "32'd0");
    OpcodeFunction("tail_e", "opcode_tail", tails, "TAIL_NONE");
  }

  void Enums() {
    for (const Enum& e : spec_.data().enum_()) {
      std::vector<Enumerator> values;
      for (const EnumValue& v : e.value()) {
        values.push_back(
            {absl::StrCat(ShoutCase(e.name()), "_", ShoutCase(v.name())), v.value(), v.note()});
      }
      Enumeration(absl::StrCat(e.name(), "_e"), EnumBits(spec_, e), values);
    }
    std::vector<Enumerator> checks;
    for (const Check& check : spec_.data().check()) {
      checks.push_back(
          {absl::StrCat("CHECK_", ShoutCase(check.name())), checks.size(), check.note()});
    }
    if (!checks.empty()) {
      Comment("The receiver's checks in their order; the first failure counts.", "  ");
    }
    Enumeration("check_e", checks);
    std::vector<Enumerator> reasons;
    for (const Reason& reason : spec_.data().reason()) {
      reasons.push_back(
          {absl::StrCat("REASON_", ShoutCase(reason.name())), reason.code(), reason.note()});
    }
    Enumeration("reason_e", 8, reasons);
    for (const Machine& machine : spec_.data().machine()) WriteMachine(machine);
  }

  void WriteMachine(const Machine& machine) {
    std::vector<Enumerator> states, events;
    const std::string stem = ShoutCase(machine.name());
    for (const std::string& state : machine.state()) {
      states.push_back({absl::StrCat(stem, "_STATE_", state), states.size(), ""});
    }
    for (const std::string& event : machine.event()) {
      events.push_back({absl::StrCat(stem, "_EVENT_", event), events.size(), ""});
    }
    Enumeration(absl::StrCat(machine.name(), "_state_e"), states);
    Enumeration(absl::StrCat(machine.name(), "_event_e"), events);
  }

  // Constants and parameters alike.
  template <typename Item>
  void Ranged(absl::string_view prefix, const Item& item, bool fixed) {
    const std::string name = absl::StrCat(prefix, ShoutCase(item.name()));
    const std::string what = absl::StrCat("the number ", item.name());
    const uint32_t bits = BitsFor(std::max({item.default_(), item.min(), item.max()}));
    Comment(absl::StrCat(item.name(), item.unit() == NONE ? "" : ", ", UnitText(item.unit()),
                         item.note().empty() ? "" : ": ", item.note(), " [", item.clause(), "]"),
            "  ");
    Parameter(name, bits, item.default_(), what);
    if (fixed) return;
    Parameter(absl::StrCat("MIN_", ShoutCase(item.name())), bits, item.min(), what);
    Parameter(absl::StrCat("MAX_", ShoutCase(item.name())), bits, item.max(), what);
  }

  void Numbers() {
    for (const Constant& c : spec_.data().constant()) Ranged("CONST_", c, c.fixed());
    for (const ProfileParameter& p : spec_.data().profile()) Ranged("PROFILE_", p, false);
    for (const Derived& d : spec_.data().derived()) {
      Comment(absl::StrCat(d.name(), ": ", absl::StrJoin(d.layout(), " + "), " + ", d.plus(), " (",
                           d.plus_note(), ") [", d.clause(), "]"),
              "  ");
      const uint64_t value = DerivedValue(spec_, d);
      Parameter(absl::StrCat("DERIVED_", ShoutCase(d.name())), BitsFor(value), value,
                absl::StrCat("the derived number ", d.name()));
    }
    absl::StrAppend(&out_, "\n");
  }

  static std::string FieldComment(const Field& field) {
    std::vector<std::string> parts;
    if (field.reserved()) parts.push_back("reserved");
    if (field.unit() != NONE) parts.push_back(std::string(UnitText(field.unit())));
    if (!field.enum_().empty()) parts.push_back(absl::StrCat("enum ", field.enum_()));
    if (!field.all_ones().empty()) parts.push_back(absl::StrCat("all ones = ", field.all_ones()));
    if (!field.note().empty()) parts.push_back(field.note());
    return parts.empty() ? "" : absl::StrCat("  // ", CommentText(absl::StrJoin(parts, "; ")));
  }

  void WriteLayout(const Layout& layout) {
    const std::string item = absl::StrCat("layout ", layout.name());
    Comment(absl::StrCat(layout.title().empty() ? layout.name() : layout.title(), " [",
                         layout.clause(), "]"),
            "  ");
    absl::StrAppend(&out_, "  typedef struct packed {\n");
    std::set<std::string> members;
    for (const Field& field : layout.field()) {
      const std::string member = Member(field.name());
      absl::StrAppend(&out_, "    ", Vector(field.bits()), " ", member, ";", FieldComment(field),
                      "\n");
      if (!members.insert(member).second && status_.ok()) {
        status_ = absl::AlreadyExistsError(
            absl::StrCat("Two fields of ", item, " would be named ", member, "."));
      }
    }
    const std::string type = absl::StrCat(layout.name(), "_t");
    Name(type, item);
    absl::StrAppend(&out_, "  } ", type, ";\n");
    const std::string shout = ShoutCase(layout.name());
    Parameter(absl::StrCat(shout, "_BITS"), 32, FixedBytes(layout) * 8, item);
    Parameter(absl::StrCat(shout, "_BYTES"), 32, FixedBytes(layout), item);
    absl::StrAppend(&out_, "\n");
    if (layout.has_bitmap()) WriteBitmap(layout);
  }

  void WriteBitmap(const Layout& layout) {
    const Bitmap& bitmap = layout.bitmap();
    const std::string item = absl::StrCat("the bitmap of layout ", layout.name());
    const std::string stem = absl::StrCat(layout.name(), "_", bitmap.name());
    const std::set<uint32_t> lengths(bitmap.lengths().begin(), bitmap.lengths().end());
    Parameter(absl::StrCat(ShoutCase(stem), "_MAX_BITS"), 32, *lengths.rbegin(), item);
    Comment("Bit i of a bitmap has weight 2^i.", "  ");
    for (uint32_t length : lengths) {
      if (length == 0) continue;
      const std::string type = absl::StrCat(stem, "_", length, "_t");
      const std::string whole = absl::StrCat(layout.name(), "_", length, "_t");
      Name(type, item);
      Name(whole, item);
      absl::StrAppend(&out_, "  typedef ", Vector(length), " ", type, ";\n");
      absl::StrAppend(&out_, "  typedef struct packed {\n    ", layout.name(), "_t fixed;\n    ",
                      type, " ", Member(bitmap.name()), ";\n  } ", whole, ";\n");
    }
    WriteBitmapFunctions(layout, stem, item);
  }

  void WriteBitmapFunctions(const Layout& layout, const std::string& stem,
                            const std::string& item) {
    const Bitmap& bitmap = layout.bitmap();
    uint32_t selector_bits = 1;
    for (const Field& field : layout.field()) {
      if (field.name() == bitmap.selected_by()) selector_bits = field.bits();
    }
    Name(absl::StrCat(stem, "_known"), item);
    Name(absl::StrCat(stem, "_bits"), item);
    Comment("Whether the selector selects a length, and which.", "  ");
    const bool all = static_cast<uint64_t>(bitmap.lengths_size()) == MaxOf(selector_bits) + 1;
    absl::StrAppend(&out_, "  function automatic logic ", stem, "_known(input ",
                    Vector(selector_bits), " selector);\n    case (selector)\n");
    for (int i = 0; i < bitmap.lengths_size(); ++i) {
      absl::StrAppend(&out_, "      ", Literal(selector_bits, i), ": return 1'b1;\n");
    }
    absl::StrAppend(&out_, all ? "" : "      default: return 1'b0;\n",
                    "    endcase\n  endfunction\n");
    absl::StrAppend(&out_, "  function automatic int unsigned ", stem, "_bits(input ",
                    Vector(selector_bits), " selector);\n    case (selector)\n");
    for (int i = 0; i < bitmap.lengths_size(); ++i) {
      absl::StrAppend(&out_, "      ", Literal(selector_bits, i), ": return 32'd",
                      bitmap.lengths(i), ";\n");
    }
    absl::StrAppend(&out_, all ? "" : "      default: return 32'd0;\n",
                    "    endcase\n  endfunction\n\n");
  }

  void WriteHeaders(const Opcode& opcode) {
    const std::string type = absl::StrCat(opcode.name(), "_headers_t");
    Name(type, absl::StrCat("the headers of opcode ", opcode.name()));
    Comment(absl::StrCat("All headers of opcode ", opcode.name(), "."), "  ");
    absl::StrAppend(&out_, "  typedef struct packed {\n");
    std::set<std::string> members;
    for (const std::string& name : opcode.header()) {
      std::string member = Member(name);
      for (int i = 2; !members.insert(member).second; ++i) member = absl::StrCat(name, "_", i);
      absl::StrAppend(&out_, "    ", name, "_t ", member, ";\n");
    }
    absl::StrAppend(&out_, "  } ", type, ";\n\n");
  }

  const Spec& spec_;
  std::string out_;
  Identifiers names_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<std::string> GenerateSystemVerilog(const Spec& spec) {
  if (auto s = CheckSpec(spec); !s.ok()) return s;
  return Writer(spec).Write();
}

}  // namespace metaroce::compiler
