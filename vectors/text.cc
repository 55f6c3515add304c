#include "vectors/text.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace metaroce::vectors {
namespace {

uint8_t At(absl::string_view text, size_t i) { return static_cast<uint8_t>(text[i]); }

// The length of the well-formed sequence that begins at `i`, or 0.
size_t SequenceLength(absl::string_view text, size_t i) {
  const uint8_t lead = At(text, i);
  if (lead < 0x80) return 1;
  size_t length = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
  } else {
    return 0;
  }
  if (i + length > text.size()) return 0;
  for (size_t k = 1; k < length; ++k) {
    if ((At(text, i + k) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  const uint8_t second = At(text, i + 1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

// Most texts are: no control character, nothing above ASCII.
bool IsPlainAscii(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

bool IsUtf8(absl::string_view text) {
  if (IsPlainAscii(text)) return true;
  for (size_t i = 0; i < text.size();) {
    const size_t length = SequenceLength(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string MakeUtf8(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t length = SequenceLength(text, i);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++i;
    } else {
      absl::StrAppend(&out, text.substr(i, length));
      i += length;
    }
  }
  return out;
}

size_t CodePoints(absl::string_view text) {
  size_t count = 0;
  for (const char c : text) {
    if ((static_cast<uint8_t>(c) & 0xC0) != 0x80) ++count;
  }
  return count;
}

std::string Printable(absl::string_view text) {
  if (IsPlainAscii(text)) return std::string(text);
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t length = SequenceLength(text, i);
    const bool control = length == 1 && (At(text, i) < 0x20 || At(text, i) == 0x7F);
    const bool c1 = length == 2 && At(text, i) == 0xC2 && At(text, i + 1) < 0xA0;
    if (length == 0 || control) {
      absl::StrAppendFormat(&out, "\\x%02x", At(text, i));
      ++i;
    } else if (c1) {
      absl::StrAppendFormat(&out, "\\xc2\\x%02x", At(text, i + 1));
      i += 2;
    } else {
      absl::StrAppend(&out, text.substr(i, length));
      i += length;
    }
  }
  return out;
}

std::string Shorten(absl::string_view text, size_t length) {
  if (text.size() <= length) return std::string(text);
  size_t cut = length < 3 ? 0 : length - 3;
  while (cut > 0 && (At(text, cut) & 0xC0) == 0x80) --cut;
  return absl::StrCat(text.substr(0, cut), "...");
}

std::string Quoted(absl::string_view text) {
  return absl::StrCat("\"", Printable(Shorten(text, 60)), "\"");
}

bool IsWordId(absl::string_view text) {
  if (text.empty() || text.size() > kMaxIdBytes || !absl::ascii_islower(text[0])) return false;
  char last = '-';
  for (const char c : text) {
    if (!absl::ascii_islower(c) && !absl::ascii_isdigit(c) && c != '-') return false;
    if (c == '-' && last == '-') return false;
    last = c;
  }
  return last != '-';
}

std::string Hex(absl::string_view bytes) {
  return absl::StrCat("0x", absl::BytesToHexString(bytes));
}

absl::StatusOr<std::string> Unhex(absl::string_view text) {
  const auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", Printable(Shorten(text, 40)), "\" ", why, "."));
  };
  if (text.substr(0, 2) != "0x") return refuse("does not begin with \"0x\"");
  const absl::string_view digits = text.substr(2);
  if (!std::all_of(digits.begin(), digits.end(), IsHexDigit)) {
    return refuse("holds other characters than 0 to 9 and a to f");
  }
  if (digits.size() % 2 != 0) return refuse("has an odd number of digits");
  return absl::HexStringToBytes(digits);
}

}  // namespace metaroce::vectors
