#include "vectors/json_tree.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "vectors/json_writer.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

// Room that an array or object begins with, and how many names are compared one by one.
constexpr size_t kFew = 4;
constexpr size_t kCompared = 24;
// Of the name of a place in a sentence.
constexpr size_t kMaxPlace = 120;

void AppendUtf8(uint32_t point, std::string& out) {
  if (point < 0x80) {
    out.push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (point >> 6)));
    out.push_back(static_cast<char>(0x80 | (point & 0x3F)));
  } else if (point < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | (point >> 12)));
    out.push_back(static_cast<char>(0x80 | ((point >> 6) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (point & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | (point >> 18)));
    out.push_back(static_cast<char>(0x80 | ((point >> 12) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | ((point >> 6) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (point & 0x3F)));
  }
}

class Parser {
 public:
  Parser(absl::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

  absl::StatusOr<JsonValue> Run() {
    JsonValue value;
    if (text_.size() > limits_.bytes) {
      Refuse(absl::StrCat("The file has ", text_.size(), " bytes; at most ", limits_.bytes,
                          " are read."));
      return Failure();
    }
    if (!Value(0, value)) return Failure();
    SkipBlanks();
    if (at_ != text_.size()) {
      Refuse("Something stands behind the end of the value.");
      return Failure();
    }
    return value;
  }

 private:
  absl::Status Failure() const { return absl::InvalidArgumentError(error_); }

  bool Refuse(absl::string_view sentence) { return RefuseAt(at_, sentence); }

  // `at` is on the line that is read.
  bool RefuseAt(size_t at, absl::string_view sentence) {
    const std::string member = Shorten(Printable(Member()), kMaxPlace);
    error_ = absl::StrCat(line_, ":", at - line_begin_ + 1, ": ", member,
                          member.empty() ? "" : ": ", sentence);
    return false;
  }

  // "steps[3].at", of the value that is read.
  std::string Member() const {
    std::string out;
    for (const JsonValue* value : open_) {
      if (value->kind == JsonValue::Kind::kArray) {
        if (!value->items.empty()) absl::StrAppend(&out, "[", value->items.size() - 1, "]");
      } else if (!value->members.empty()) {
        absl::StrAppend(&out, out.empty() ? "" : ".", value->members.back().first);
      }
    }
    return out;
  }

  int Peek() const { return at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : -1; }

  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  void SkipBlanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        line_begin_ = at_ + 1;
      }
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return;
      ++at_;
    }
  }

  bool Word(absl::string_view word) {
    if (text_.substr(at_, word.size()) != word) {
      return Refuse("This is no JSON value.");
    }
    at_ += word.size();
    return true;
  }

  bool Value(int depth, JsonValue& out) {
    SkipBlanks();
    out.line = line_;
    out.column = static_cast<int>(at_ - line_begin_ + 1);
    if (++values_ > limits_.values) {
      return Refuse(absl::StrCat("The file has more than ", limits_.values, " values."));
    }
    const int c = Peek();
    if ((c == '{' || c == '[') && depth >= limits_.depth) {
      return Refuse(
          absl::StrCat("Arrays and objects are nested deeper than ", limits_.depth, " levels."));
    }
    switch (c) {
      case '{':
      case '[': {
        open_.push_back(&out);
        const bool read = c == '{' ? Object(depth, out) : Array(depth, out);
        open_.pop_back();
        return read;
      }
      case '"':
        out.kind = JsonValue::Kind::kString;
        return String(out.text);
      case 't':
        out.kind = JsonValue::Kind::kBool;
        out.boolean = true;
        return Word("true");
      case 'f':
        out.kind = JsonValue::Kind::kBool;
        return Word("false");
      case 'n':
        return Word("null");
      case -1:
        return Refuse("The file ends where a value is expected.");
      default:
        return Number(out);
    }
  }

  bool Number(JsonValue& out) {
    const size_t begin = at_;
    while (at_ < text_.size() && absl::ascii_isdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
    const size_t plain_end = at_;
    while (at_ < text_.size() &&
           absl::string_view("0123456789+-.eE").find(text_[at_]) != absl::string_view::npos) {
      ++at_;
    }
    const absl::string_view digits = text_.substr(begin, at_ - begin);
    if (digits.empty()) return RefuseAt(begin, "This is no JSON value.");
    const bool plain = at_ == plain_end;
    if (!plain || (digits.size() > 1 && digits[0] == '0') ||
        !absl::SimpleAtoi(digits, &out.number)) {
      return RefuseAt(begin, absl::StrCat("The number ", Shorten(digits, 40),
                                          " is not an unsigned integer below 2^64."));
    }
    out.kind = JsonValue::Kind::kNumber;
    return true;
  }

  bool Hex4(uint32_t& out) {
    out = 0;
    for (int i = 0; i < 4; ++i) {
      const int c = Peek();
      uint32_t digit = 0;
      if (c >= '0' && c <= '9') {
        digit = c - '0';
      } else if (c >= 'a' && c <= 'f') {
        digit = c - 'a' + 10;
      } else if (c >= 'A' && c <= 'F') {
        digit = c - 'A' + 10;
      } else {
        return Refuse("\\u is not followed by four hexadecimal digits.");
      }
      out = out * 16 + digit;
      ++at_;
    }
    return true;
  }

  bool UnicodeEscape(std::string& out) {
    uint32_t point = 0;
    if (!Hex4(point)) return false;
    if (point >= 0xD800 && point < 0xDC00) {
      uint32_t low = 0;
      if (!Take('\\') || !Take('u')) return Refuse("Half of a surrogate pair stands alone.");
      if (!Hex4(low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) return Refuse("Half of a surrogate pair stands alone.");
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    } else if (point >= 0xDC00 && point < 0xE000) {
      return Refuse("Half of a surrogate pair stands alone.");
    }
    AppendUtf8(point, out);
    return true;
  }

  bool Escape(std::string& out) {
    const int c = Peek();
    ++at_;
    switch (c) {
      case '"':
      case '\\':
      case '/':
        out.push_back(static_cast<char>(c));
        return true;
      case 'b':
        out.push_back('\b');
        return true;
      case 'f':
        out.push_back('\f');
        return true;
      case 'n':
        out.push_back('\n');
        return true;
      case 'r':
        out.push_back('\r');
        return true;
      case 't':
        out.push_back('\t');
        return true;
      case 'u':
        return UnicodeEscape(out);
      default:
        return Refuse("A backslash is followed by no known escape.");
    }
  }

  static bool IsPlain(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

  bool String(std::string& out) {
    ++at_;  // the opening quote
    bool plain = true;
    while (true) {
      // What needs no care is most of any string, and all of a long one.
      const size_t begin = at_;
      while (at_ < text_.size() && IsPlain(text_[at_])) ++at_;
      out.append(text_.data() + begin, at_ - begin);
      const int c = Peek();
      if (c < 0x20) {
        return Refuse(c < 0 ? "The file ends inside a string."
                            : "A string holds a control character.");
      }
      ++at_;
      if (c == '"') break;
      plain = false;
      if (c != '\\') {
        out.push_back(static_cast<char>(c));
      } else if (!Escape(out)) {
        return false;
      }
    }
    if (!plain && !IsUtf8(out)) return Refuse("A string is not valid UTF-8.");
    return true;
  }

  // Behind a comma.
  bool IsLastComma(char end) {
    SkipBlanks();
    return Peek() == end;
  }

  bool Array(int depth, JsonValue& out) {
    ++at_;
    out.kind = JsonValue::Kind::kArray;
    SkipBlanks();
    if (Take(']')) return true;
    out.items.reserve(kFew);
    while (true) {
      out.items.emplace_back();
      if (!Value(depth + 1, out.items.back())) return false;
      SkipBlanks();
      if (Take(']')) return true;
      if (!Take(',')) return Refuse("An array goes on without a comma.");
      if (IsLastComma(']')) return Refuse("A comma stands behind the last value of an array.");
    }
  }

  // True if no other member has the name of the last. `names` holds them once they are many.
  static bool IsNew(const std::vector<JsonMember>& members,
                    absl::flat_hash_set<std::string>& names) {
    if (members.size() > kCompared) {
      if (names.empty()) {
        for (size_t i = 0; i + 1 < members.size(); ++i) names.insert(members[i].first);
      }
      return names.insert(members.back().first).second;
    }
    for (size_t i = 0; i + 1 < members.size(); ++i) {
      if (members[i].first == members.back().first) return false;
    }
    return true;
  }

  bool Object(int depth, JsonValue& out) {
    ++at_;
    out.kind = JsonValue::Kind::kObject;
    absl::flat_hash_set<std::string> names;  // of a large object
    SkipBlanks();
    if (Take('}')) return true;
    out.members.reserve(kFew);
    while (true) {
      SkipBlanks();
      if (Peek() != '"') return Refuse("A member of an object does not begin with its name.");
      const size_t begin = at_;
      out.members.emplace_back();
      auto& [name, value] = out.members.back();
      if (!String(name)) return false;
      if (!IsNew(out.members, names)) {
        return RefuseAt(begin, absl::StrCat("The member \"", Printable(Shorten(name, 40)),
                                            "\" stands twice in one object."));
      }
      SkipBlanks();
      if (!Take(':')) return Refuse("The name of a member is not followed by a colon.");
      if (!Value(depth + 1, value)) return false;
      SkipBlanks();
      if (Take('}')) return true;
      if (!Take(',')) return Refuse("An object goes on without a comma.");
      if (IsLastComma('}')) return Refuse("A comma stands behind the last member of an object.");
    }
  }

  absl::string_view text_;
  JsonLimits limits_;
  size_t at_ = 0;
  int line_ = 1;
  size_t line_begin_ = 0;  // where the line begins
  size_t values_ = 0;
  std::vector<const JsonValue*> open_;  // arrays and objects around what is read, outermost first
  std::string error_;
};

void Give(const JsonValue& value, JsonWriter& writer) {
  switch (value.kind) {
    case JsonValue::Kind::kNull:
      return writer.Null();
    case JsonValue::Kind::kBool:
      return writer.Bool(value.boolean);
    case JsonValue::Kind::kNumber:
      return writer.Number(value.number);
    case JsonValue::Kind::kString:
      return writer.String(value.text);
    case JsonValue::Kind::kArray:
      writer.OpenArray();
      for (const JsonValue& item : value.items) Give(item, writer);
      return writer.Close();
    case JsonValue::Kind::kObject:
      writer.OpenObject();
      for (const auto& [name, member] : value.members) {
        writer.Name(name);
        Give(member, writer);
      }
      return writer.Close();
  }
}

}  // namespace

JsonValue JsonValue::Bool(bool value) {
  JsonValue out;
  out.kind = Kind::kBool;
  out.boolean = value;
  return out;
}

JsonValue JsonValue::Number(uint64_t value) {
  JsonValue out;
  out.kind = Kind::kNumber;
  out.number = value;
  return out;
}

JsonValue JsonValue::String(absl::string_view value) {
  JsonValue out;
  out.kind = Kind::kString;
  out.text = std::string(value);
  return out;
}

JsonValue JsonValue::Array() {
  JsonValue out;
  out.kind = Kind::kArray;
  return out;
}

JsonValue JsonValue::Object() {
  JsonValue out;
  out.kind = Kind::kObject;
  return out;
}

std::string JsonValue::Place() const { return absl::StrCat(line, ":", column); }

const JsonValue* JsonValue::Find(absl::string_view name) const {
  for (const auto& [key, value] : members) {
    if (key == name) return &value;
  }
  return nullptr;
}

JsonValue& JsonValue::Add(JsonValue item) {
  items.push_back(std::move(item));
  return *this;
}

JsonValue& JsonValue::Add(absl::string_view name, JsonValue value) {
  members.push_back({std::string(name), std::move(value)});
  return *this;
}

const char* Name(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::kNull:
      return "null";
    case JsonValue::Kind::kBool:
      return "a boolean";
    case JsonValue::Kind::kNumber:
      return "a number";
    case JsonValue::Kind::kString:
      return "a string";
    case JsonValue::Kind::kArray:
      return "an array";
    case JsonValue::Kind::kObject:
      return "an object";
  }
  return "nothing";
}

absl::StatusOr<JsonValue> ParseJson(absl::string_view text, const JsonLimits& limits) {
  return Parser(text, limits).Run();
}

std::string WriteJson(const JsonValue& value) {
  JsonWriter writer;
  Give(value, writer);
  return writer.Take();
}

}  // namespace metaroce::vectors
