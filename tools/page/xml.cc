#include "tools/page/xml.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace metaroce::page {
namespace {

constexpr absl::string_view kUnknown = "\xef\xbf\xbd";  // U+FFFD

// The bytes of the character at the beginning of `text` and its code point; 0 bytes if it is no
// UTF-8 (RFC 3629).
size_t CharacterAt(absl::string_view text, uint32_t* code) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) {
    *code = first;
    return 1;
  }
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  *code = first & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (byte(i) & 0x3f);
  }
  const bool shortest = length == 2 || (length == 3 && *code >= 0x800) ||
                        (length == 4 && *code >= 0x10000 && *code <= 0x10ffff);
  return shortest && (*code < 0xd800 || *code > 0xdfff) ? length : 0;
}

// XML 1.0, production 2, without the C1 control characters, which terminals and browsers obey.
bool InXml(uint32_t code) {
  return code == '\t' || code == '\n' || (code >= 0x20 && code < 0x7f) ||
         (code >= 0xa0 && code != 0xfffe && code != 0xffff);
}

}  // namespace

std::string Escape(absl::string_view text) {
  std::string out;
  while (!text.empty()) {
    uint32_t code = 0;
    const size_t length = CharacterAt(text, &code);
    if (length == 0) {
      out.append(kUnknown.data(), kUnknown.size());
      text.remove_prefix(1);
      continue;
    }
    switch (code) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (InXml(code)) {
          out.append(text.data(), length);
        } else {
          out += '?';
        }
    }
    text.remove_prefix(length);
  }
  return out;
}

void Xml::Tag(absl::string_view name, const Attributes& attributes, absl::string_view end) {
  absl::StrAppend(&out_, "<", name);
  for (const auto& [attribute, value] : attributes) {
    absl::StrAppend(&out_, " ", attribute, "=\"", Escape(value), "\"");
  }
  absl::StrAppend(&out_, end);
}

void Xml::Open(absl::string_view name, const Attributes& attributes) {
  Tag(name, attributes, ">");
  open_.emplace_back(name);
}

void Xml::Close() {
  absl::StrAppend(&out_, "</", open_.back(), ">");
  open_.pop_back();
}

void Xml::Text(absl::string_view text) { out_ += Escape(text); }

void Xml::Element(absl::string_view name, const Attributes& attributes, absl::string_view text) {
  if (text.empty()) return Tag(name, attributes, "/>");
  Open(name, attributes);
  Text(text);
  Close();
}

void Xml::Append(absl::string_view xml) { out_.append(xml.data(), xml.size()); }

void Xml::Break() { out_ += '\n'; }

std::string Xml::Take() {
  while (!open_.empty()) Close();
  return std::move(out_);
}

}  // namespace metaroce::page
