#include "spec/compiler/backends/support/support.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "spec/compiler/names.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {
namespace {

template <typename... Parts>
absl::Status Invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

absl::Status CheckWord(bool is_word, absl::string_view kind, absl::string_view name) {
  if (is_word) return absl::OkStatus();
  return Invalid("The name '", CommentText(name), "' of ", kind,
                 " is not of the form this kind of name has.");
}

absl::Status CheckBitmap(const Layout& layout, const std::map<std::string, uint32_t>& bits_of) {
  const Bitmap& bitmap = layout.bitmap();
  if (auto s = CheckWord(IsSnakeCase(bitmap.name()), "a bitmap", bitmap.name()); !s.ok()) return s;
  const auto selector = bits_of.find(bitmap.selected_by());
  if (selector == bits_of.end()) {
    return Invalid("The bitmap of layout ", layout.name(), " is selected by '",
                   CommentText(bitmap.selected_by()), "', which is no field of it.");
  }
  if (bits_of.count(bitmap.name()) > 0) {
    return Invalid("Layout ", layout.name(), " has a field and a bitmap named ", bitmap.name(),
                   ".");
  }
  if (selector->second > 8) {
    return Invalid("The bitmap of layout ", layout.name(), " is selected by a field of ",
                   selector->second, " bits; at most 8 are allowed.");
  }
  if (bitmap.lengths().empty() ||
      static_cast<uint64_t>(bitmap.lengths_size()) > MaxOf(selector->second) + 1) {
    return Invalid("The bitmap of layout ", layout.name(), " has ", bitmap.lengths_size(),
                   " lengths; 1 to ", MaxOf(selector->second) + 1, " can be selected.");
  }
  for (uint32_t length : bitmap.lengths()) {
    if (length % 32 != 0 || length > 4096) {
      return Invalid("The bitmap of layout ", layout.name(), " has a length of ", length,
                     " bits; a multiple of 32 up to 4096 is allowed.");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckLayout(const Layout& layout) {
  if (auto s = CheckWord(IsSnakeCase(layout.name()), "a layout", layout.name()); !s.ok()) return s;
  std::map<std::string, uint32_t> bits_of;
  uint64_t total = 0;
  for (const Field& field : layout.field()) {
    if (auto s = CheckWord(IsSnakeCase(field.name()), "a field", field.name()); !s.ok()) return s;
    if (field.bits() < 1 || field.bits() > 64) {
      return Invalid("Field ", layout.name(), ".", field.name(), " has ", field.bits(),
                     " bits; 1 to 64 are allowed.");
    }
    if (!bits_of.emplace(field.name(), field.bits()).second) {
      return Invalid("Layout ", layout.name(), " has two fields named ", field.name(), ".");
    }
    total += field.bits();
  }
  if (total == 0 || total % 32 != 0 || total > 65536) {
    return Invalid("The fields of layout ", layout.name(), " have ", total,
                   " bits together; a multiple of 32 from 32 to 65536 is allowed.");
  }
  return layout.has_bitmap() ? CheckBitmap(layout, bits_of) : absl::OkStatus();
}

absl::Status CheckRepeat(const Spec& spec, const Opcode& opcode) {
  if (FindLayout(spec, opcode.repeat()) == nullptr) {
    return Invalid("Opcode ", opcode.name(), " repeats the layout '", CommentText(opcode.repeat()),
                   "', which does not exist.");
  }
  const std::string& count = opcode.count_field();
  const std::string layout_name = count.substr(0, count.find('.'));
  const Layout* layout = FindLayout(spec, layout_name);
  const bool in_stack = std::find(opcode.header().begin(), opcode.header().end(), layout_name) !=
                        opcode.header().end();
  if (layout != nullptr && in_stack && layout_name.size() + 1 < count.size()) {
    for (const Field& field : layout->field()) {
      if (field.name() == count.substr(layout_name.size() + 1)) return absl::OkStatus();
    }
  }
  return Invalid("Opcode ", opcode.name(), " counts its blocks by '", CommentText(count),
                 "', which is no field of its headers.");
}

absl::Status CheckOpcode(const Spec& spec, const Opcode& opcode) {
  if (auto s = CheckWord(IsSnakeCase(opcode.name()), "an opcode", opcode.name()); !s.ok()) return s;
  if (opcode.value() > 255) {
    return Invalid("Opcode ", opcode.name(), " has the value ", opcode.value(),
                   "; at most 255 is allowed.");
  }
  if (opcode.header().empty()) return Invalid("Opcode ", opcode.name(), " has no header.");
  for (const std::string& name : opcode.header()) {
    if (FindLayout(spec, name) == nullptr) {
      return Invalid("Opcode ", opcode.name(), " names the layout '", CommentText(name),
                     "', which does not exist.");
    }
  }
  const std::string& common =
      spec.data().opcode(0).header().empty() ? opcode.header(0) : spec.data().opcode(0).header(0);
  if (opcode.header(0) != common) {
    return Invalid("Opcode ", opcode.name(), " begins with the layout ", opcode.header(0),
                   ", others begin with ", common, ".");
  }
  return opcode.tail() == PATH_BLOCKS ? CheckRepeat(spec, opcode) : absl::OkStatus();
}

absl::Status CheckOpcodes(const Spec& spec) {
  std::set<uint32_t> values;
  bool pads = false;
  for (const Opcode& opcode : spec.data().opcode()) {
    if (auto s = CheckOpcode(spec, opcode); !s.ok()) return s;
    if (!values.insert(opcode.value()).second) {
      return Invalid("Opcode ", opcode.name(), " has the value ", opcode.value(),
                     " of an earlier opcode.");
    }
    pads |= opcode.tail() == PAYLOAD;
  }
  if (spec.data().opcode().empty()) return Invalid("The text has no opcode.");
  const Layout& common = *FindLayout(spec, spec.data().opcode(0).header(0));
  bool has_opcode = false;
  bool has_pad = false;
  for (const Field& field : common.field()) {
    has_opcode |= field.name() == "opcode" && field.bits() == 8;
    has_pad |= field.name() == "pad" && field.bits() <= 8;
  }
  if (!has_opcode) return Invalid("Layout ", common.name(), " has no 8-bit field named opcode.");
  if (pads && !has_pad) {
    return Invalid("Layout ", common.name(), " has no field named pad, but an opcode has payload.");
  }
  return absl::OkStatus();
}

absl::Status CheckNamesOfTheRest(const Data& data) {
  for (const Enum& e : data.enum_()) {
    if (auto s = CheckWord(IsSnakeCase(e.name()), "an enum", e.name()); !s.ok()) return s;
    for (const EnumValue& v : e.value()) {
      if (auto s = CheckWord(IsKebabCase(v.name()), "a value of an enum", v.name()); !s.ok())
        return s;
    }
  }
  for (const Check& check : data.check()) {
    if (auto s = CheckWord(IsKebabCase(check.name()), "a check", check.name()); !s.ok()) return s;
  }
  for (const Reason& r : data.reason()) {
    if (auto s = CheckWord(IsKebabCase(r.name()), "a reason", r.name()); !s.ok()) return s;
    if (r.code() > 255)
      return Invalid("Reason ", r.name(), " has the code ", r.code(), " over 255.");
  }
  for (const Constant& c : data.constant()) {
    if (auto s = CheckWord(IsSnakeCase(c.name()), "a constant", c.name()); !s.ok()) return s;
  }
  for (const ProfileParameter& p : data.profile()) {
    if (auto s = CheckWord(IsSnakeCase(p.name()), "a parameter", p.name()); !s.ok()) return s;
  }
  for (const Machine& m : data.machine()) {
    if (auto s = CheckWord(IsSnakeCase(m.name()), "a machine", m.name()); !s.ok()) return s;
    for (const std::string& word : m.state()) {
      if (auto s = CheckWord(IsShoutCase(word), "a state", word); !s.ok()) return s;
    }
    for (const std::string& word : m.event()) {
      if (auto s = CheckWord(IsShoutCase(word), "an event", word); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

absl::Status CheckDerived(const Spec& spec) {
  for (const Derived& d : spec.data().derived()) {
    if (auto s = CheckWord(IsSnakeCase(d.name()), "a derived number", d.name()); !s.ok()) return s;
    for (const std::string& name : d.layout()) {
      if (FindLayout(spec, name) == nullptr) {
        return Invalid("The derived number ", d.name(), " names the layout '", CommentText(name),
                       "', which does not exist.");
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

uint32_t FixedBytes(const Layout& layout) {
  uint32_t bits = 0;
  for (const Field& field : layout.field()) bits += field.bits();
  return bits / 8;
}

uint32_t BitsFor(uint64_t value) {
  uint32_t bits = 1;
  while (bits < 64 && (value >> bits) != 0) ++bits;
  return bits;
}

const Layout* FindLayout(const Spec& spec, absl::string_view name) {
  for (const Layout& layout : spec.data().layout()) {
    if (layout.name() == name) return &layout;
  }
  return nullptr;
}

uint32_t EnumBits(const Spec& spec, const Enum& e) {
  uint32_t bits = 1;
  for (const EnumValue& value : e.value()) bits = std::max(bits, BitsFor(value.value()));
  for (const Layout& layout : spec.data().layout()) {
    for (const Field& field : layout.field()) {
      if (field.enum_() == e.name()) bits = std::max(bits, field.bits());
    }
  }
  return bits;
}

uint64_t DerivedValue(const Spec& spec, const Derived& derived) {
  uint64_t bytes = derived.plus();
  for (const std::string& name : derived.layout()) bytes += FixedBytes(*FindLayout(spec, name));
  return bytes;
}

absl::string_view UnitText(Unit unit) {
  switch (unit) {
    case NANOSECONDS:
      return "ns";
    case MICROSECONDS:
      return "us";
    case MILLISECONDS:
      return "ms";
    case PACKETS:
      return "packets";
    case BYTES:
      return "bytes";
    case BITS:
      return "bits";
    case MEGABITS_PER_SECOND:
      return "Mb/s";
    case HINT_UNITS:
      return "hint units";
    case ENTRIES:
      return "entries";
    case Q16_16:
      return "/ 65536";
    case PER_SECOND:
      return "per second";
    default:
      return "";
  }
}

std::string CommentText(absl::string_view text) {
  std::string out;
  for (char c : text) {
    if (absl::ascii_isspace(static_cast<unsigned char>(c))) c = ' ';
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
    if (c == '\\') c = '/';
    out.push_back(c);
    const size_t n = out.size();
    if (n >= 2 && ((out[n - 2] == '*' && c == '/') || (out[n - 2] == '/' && c == '*'))) {
      out.insert(n - 1, " ");
    }
  }
  return out;
}

absl::Status CheckSpec(const Spec& spec) {
  std::set<std::string> layouts;
  for (const Layout& layout : spec.data().layout()) {
    if (auto s = CheckLayout(layout); !s.ok()) return s;
    if (!layouts.insert(layout.name()).second) {
      return Invalid("Two layouts are named ", layout.name(), ".");
    }
  }
  if (auto s = CheckOpcodes(spec); !s.ok()) return s;
  if (auto s = CheckNamesOfTheRest(spec.data()); !s.ok()) return s;
  return CheckDerived(spec);
}

absl::Status Identifiers::Add(const std::string& identifier, const std::string& item) {
  const auto [at, added] = item_of_.emplace(identifier, item);
  if (added) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat("Both ", at->second, " and ", item,
                                               " would be named ", identifier,
                                               " in the generated file."));
}

}  // namespace metaroce::compiler
