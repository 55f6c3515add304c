#include "spec/compiler/backends/wireshark/wireshark.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "spec/compiler/backends/support/support.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {
namespace {

constexpr char kEngine[] =
#include "spec/compiler/backends/wireshark/dissector_lua.inc"
    ;

// A Lua string of any bytes.
std::string Quoted(absl::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      absl::StrAppend(&out, "\\", std::string(1, c));
    } else if (absl::ascii_isprint(byte)) {
      out.push_back(c);
    } else {
      absl::StrAppendFormat(&out, "\\%03d", byte);
    }
  }
  return out + "\"";
}

// "transmit_time" -> "Transmit time".
std::string Label(absl::string_view name) {
  std::string out = absl::StrReplaceAll(name, {{"_", " "}});
  if (!out.empty()) out[0] = absl::ascii_toupper(out[0]);
  return out;
}

class Writer {
 public:
  explicit Writer(const Spec& spec) : spec_(spec) {}

  absl::StatusOr<std::string> Write() {
    absl::StrAppend(&out_,
                    "-- Generated from the text of the MetaRoCE specification. Do not edit.\n");
    absl::StrAppend(&out_, "-- Version ", CommentText(spec_.version()), ", hash ",
                    CommentText(spec_.hash()), "\n\nlocal spec = {\n");
    if (auto s = Head(); !s.ok()) return s;
    absl::StrAppend(&out_, "  layouts = {\n");
    for (const Layout& layout : spec_.data().layout()) {
      if (auto s = WriteLayout(layout); !s.ok()) return s;
    }
    absl::StrAppend(&out_, "  },\n  opcodes = {\n");
    for (const Opcode& opcode : spec_.data().opcode()) WriteOpcode(opcode);
    absl::StrAppend(&out_, "  },\n");
    ReservedOpcodeRanges();
    Enums();
    absl::StrAppend(&out_, "}\n\n", kEngine);
    return std::move(out_);
  }

 private:
  const Constant* FindConstant(absl::string_view name) const {
    for (const Constant& constant : spec_.data().constant()) {
      if (constant.name() == name) return &constant;
    }
    return nullptr;
  }

  absl::Status Head() {
    const Constant* port = FindConstant("udp_port");
    if (port == nullptr || port->default_() == 0 || port->default_() > 65535) {
      return absl::NotFoundError(
          "The dissector needs a constant udp_port whose default is between 1 and 65535.");
    }
    absl::StrAppend(&out_, "  udp_port = ", port->default_(), ",\n");
    if (const Constant* version = FindConstant("wire_version"); version != nullptr) {
      absl::StrAppend(&out_, "  version = ", version->default_(), ",\n");
    }
    absl::StrAppend(&out_, "  common = ", Quoted(spec_.data().opcode(0).header(0)), ",\n");
    // The engine looks up every value of two bits.
    std::string names[4] = {"unknown", "unknown", "unknown", "unknown"};
    for (const OpcodeClassRule& rule : spec_.data().opcode_class()) {
      if (rule.value() < 4) names[rule.value()] = OpcodeClass_Name(rule.class_());
    }
    absl::StrAppend(&out_, "  classes = {[0] = ", Quoted(names[0]));
    for (int i = 1; i < 4; ++i) absl::StrAppend(&out_, ", ", Quoted(names[i]));
    absl::StrAppend(&out_, "},\n");
    return absl::OkStatus();
  }

  absl::Status WriteLayout(const Layout& layout) {
    // Fields of no layout have names of one word below "metaroce".
    static constexpr absl::string_view kOwn[] = {
        "class", "fault", "payload", "pad", "option", "filler", "undecoded", "icrc", "expert"};
    for (absl::string_view own : kOwn) {
      if (layout.name() == own) {
        return absl::AlreadyExistsError(absl::StrCat(
            "Layout ", layout.name(), " has the name of a field of the dissector's own."));
      }
    }
    absl::StrAppend(&out_, "    {\n      name = ", Quoted(layout.name()), ", title = ",
                    Quoted(layout.title().empty() ? Label(layout.name()) : layout.title()),
                    ", bytes = ", FixedBytes(layout), ",\n      fields = {\n");
    uint32_t first_bit = 0;
    for (const Field& field : layout.field()) {
      WriteField(field, first_bit);
      first_bit += field.bits();
    }
    absl::StrAppend(&out_, "      },\n");
    if (layout.has_bitmap()) {
      const Bitmap& bitmap = layout.bitmap();
      absl::StrAppend(&out_, "      bitmap = {name = ", Quoted(bitmap.name()),
                      ", label = ", Quoted(Label(bitmap.name())),
                      ", selector = ", Quoted(bitmap.selected_by()), ", lengths = {");
      for (int i = 0; i < bitmap.lengths_size(); ++i) {
        absl::StrAppend(&out_, i > 0 ? ", " : "", bitmap.lengths(i));
      }
      absl::StrAppend(&out_, "}},\n");
    }
    absl::StrAppend(&out_, "    },\n");
    return absl::OkStatus();
  }

  void WriteField(const Field& field, uint32_t first_bit) {
    absl::StrAppend(&out_, "        {name = ", Quoted(field.name()),
                    ", label = ", Quoted(Label(field.name())), ", first_bit = ", first_bit,
                    ", bits = ", field.bits());
    if (field.bits() > 32) absl::StrAppend(&out_, ", max = \"", MaxOf(field.bits()), "\"");
    if (field.reserved()) absl::StrAppend(&out_, ", reserved = true");
    if (field.unit() != NONE) absl::StrAppend(&out_, ", unit = ", Quoted(UnitText(field.unit())));
    if (HasEnum(field.enum_())) absl::StrAppend(&out_, ", enum = ", Quoted(field.enum_()));
    if (!field.all_ones().empty()) {
      absl::StrAppend(&out_, ", all_ones = ", Quoted(field.all_ones()));
    }
    if (!field.note().empty()) absl::StrAppend(&out_, ", note = ", Quoted(field.note()));
    absl::StrAppend(&out_, "},\n");
  }

  // The lists of opcodes and reasons can explain a field like an Enum.
  bool HasEnum(absl::string_view name) const {
    if (name == "opcode" || name == "reason") return true;
    for (const Enum& e : spec_.data().enum_()) {
      if (e.name() == name) return true;
    }
    return false;
  }

  void WriteOpcode(const Opcode& opcode) {
    absl::StrAppend(
        &out_, "    [", opcode.value(), "] = {name = ", Quoted(opcode.name()),
        ", tail = ", Quoted(opcode.tail() == TAIL_UNSPECIFIED ? "EMPTY" : Tail_Name(opcode.tail())),
        ", headers = {");
    for (int i = 0; i < opcode.header_size(); ++i) {
      absl::StrAppend(&out_, i > 0 ? ", " : "", Quoted(opcode.header(i)));
    }
    absl::StrAppend(&out_, "}");
    if (opcode.tail() == PATH_BLOCKS) {
      const size_t dot = opcode.count_field().find('.');
      absl::StrAppend(&out_, ",\n      block = ", Quoted(opcode.repeat()),
                      ", count = {layout = ", Quoted(opcode.count_field().substr(0, dot)),
                      ", field = ", Quoted(opcode.count_field().substr(dot + 1)),
                      ", min = ", opcode.count_min(), ", max = ", opcode.count_max(), "}");
    }
    absl::StrAppend(&out_, "},\n");
  }

  void ReservedOpcodeRanges() {
    absl::StrAppend(&out_, "  reserved_opcodes = {\n");
    for (const ReservedOpcodes& range : spec_.data().reserved_opcodes()) {
      absl::StrAppend(&out_, "    {first = ", range.first(), ", last = ", range.last(),
                      ", note = ", Quoted(range.note()), "},\n");
    }
    absl::StrAppend(&out_, "  },\n");
  }

  void Enums() {
    absl::StrAppend(&out_, "  enums = {\n");
    std::set<std::string> names;
    for (const Enum& e : spec_.data().enum_()) {
      names.insert(e.name());
      absl::StrAppend(&out_, "    [", Quoted(e.name()), "] = {\n");
      for (const EnumValue& v : e.value()) WriteValue(v.value(), v.name());
      absl::StrAppend(&out_, "    },\n");
    }
    if (names.count("opcode") == 0) {
      absl::StrAppend(&out_, "    opcode = {\n");
      for (const Opcode& o : spec_.data().opcode()) WriteValue(o.value(), o.name());
      absl::StrAppend(&out_, "    },\n");
    }
    if (names.count("reason") == 0) {
      absl::StrAppend(&out_, "    reason = {\n");
      for (const Reason& r : spec_.data().reason()) WriteValue(r.code(), r.name());
      absl::StrAppend(&out_, "    },\n");
    }
    absl::StrAppend(&out_, "  },\n");
  }

  void WriteValue(uint32_t value, absl::string_view name) {
    absl::StrAppend(&out_, "      [", value, "] = ", Quoted(name), ",\n");
  }

  const Spec& spec_;
  std::string out_;
};

}  // namespace

absl::StatusOr<std::string> GenerateWireshark(const Spec& spec) {
  if (auto s = CheckSpec(spec); !s.ok()) return s;
  return Writer(spec).Write();
}

}  // namespace metaroce::compiler
