#include "spec/compiler/names.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace metaroce::compiler {
namespace {

bool IsSeparator(char c) { return c == '-' || c == '_'; }

// One or more words of `letter` and digits joined by single `separator`s, beginning with a letter.
template <typename IsLetter>
bool IsWords(absl::string_view name, char separator, IsLetter letter, bool digit_may_begin) {
  if (name.empty()) return false;
  if (!letter(name[0]) && !(digit_may_begin && absl::ascii_isdigit(name[0]))) return false;
  if (name.back() == separator) return false;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == separator) {
      if (name[i - 1] == separator) return false;
    } else if (!letter(c) && !absl::ascii_isdigit(c)) {
      return false;
    }
  }
  return true;
}

bool IsLower(char c) { return absl::ascii_islower(static_cast<unsigned char>(c)); }
bool IsUpper(char c) { return absl::ascii_isupper(static_cast<unsigned char>(c)); }

constexpr absl::string_view kCppKeywords[] = {
    "alignas",       "alignof",     "and",
    "and_eq",        "asm",         "auto",
    "bitand",        "bitor",       "bool",
    "break",         "case",        "catch",
    "char",          "char16_t",    "char32_t",
    "char8_t",       "class",       "co_await",
    "co_return",     "co_yield",    "compl",
    "concept",       "const",       "const_cast",
    "consteval",     "constexpr",   "constinit",
    "continue",      "decltype",    "default",
    "delete",        "do",          "double",
    "dynamic_cast",  "else",        "enum",
    "explicit",      "export",      "extern",
    "false",         "float",       "for",
    "friend",        "goto",        "if",
    "inline",        "int",         "long",
    "mutable",       "namespace",   "new",
    "noexcept",      "not",         "not_eq",
    "nullptr",       "operator",    "or",
    "or_eq",         "private",     "protected",
    "public",        "register",    "reinterpret_cast",
    "requires",      "return",      "short",
    "signed",        "sizeof",      "static",
    "static_assert", "static_cast", "struct",
    "switch",        "template",    "this",
    "thread_local",  "throw",       "true",
    "try",           "typedef",     "typeid",
    "typename",      "union",       "unsigned",
    "using",         "virtual",     "void",
    "volatile",      "wchar_t",     "while",
    "xor",           "xor_eq",
};

}  // namespace

std::string CamelCase(absl::string_view name) {
  std::string out;
  bool begins = true;
  for (char c : name) {
    if (IsSeparator(c)) {
      begins = true;
      continue;
    }
    out.push_back(begins ? absl::ascii_toupper(c) : absl::ascii_tolower(c));
    begins = false;
  }
  return out;
}

std::string SnakeCase(absl::string_view name) {
  std::string out = absl::AsciiStrToLower(name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

std::string ShoutCase(absl::string_view name) {
  std::string out = absl::AsciiStrToUpper(name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

bool IsSnakeCase(absl::string_view name) { return IsWords(name, '_', IsLower, false); }
bool IsKebabCase(absl::string_view name) { return IsWords(name, '-', IsLower, true); }
bool IsClauseId(absl::string_view name) { return IsWords(name, '-', IsUpper, false); }
bool IsShoutCase(absl::string_view name) { return IsWords(name, '_', IsUpper, false); }

bool IsCppKeyword(absl::string_view name) {
  return std::binary_search(std::begin(kCppKeywords), std::end(kCppKeywords), name);
}

}  // namespace metaroce::compiler
