#include "vectors/json_writer.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

constexpr size_t kColumns = 100;

// True if the text stands in quotes as it is.
bool IsPlain(absl::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7E || c == '"' || c == '\\') return false;
  }
  return true;
}

void Escape(absl::string_view text, std::string& out) {
  for (const char c : MakeUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      absl::StrAppendFormat(&out, "\\u%04x", byte);
    } else {
      out.push_back(c);
    }
  }
}

}  // namespace

JsonWriter::JsonWriter() {
  nodes_.reserve(64);
  text_.reserve(4096);
}

// A value begins, with its name if it is a member.
JsonWriter::Node& JsonWriter::Begin() {
  if (!open_.empty() && !named_) Separate();
  Node node;
  node.name = named_ ? name_ : text_.size();
  node.begin = text_.size();
  node.wide = wide_;
  node.name_wide = named_ ? wide_ - name_wide_ : 0;
  named_ = false;
  nodes_.push_back(node);
  return nodes_.back();
}

void JsonWriter::Separate() {
  Node& parent = nodes_[open_.back()];
  if (parent.children++ > 0) text_ += ", ";
}

// The value that began last has its text.
void JsonWriter::End(Node& node) {
  node.end = text_.size();
  node.width = node.end - node.begin - (wide_ - node.wide);
  node.next = nodes_.size();
}

void JsonWriter::Open(char bracket) {
  Node& node = Begin();
  node.bracket = bracket;
  text_.push_back(bracket);
  open_.push_back(nodes_.size() - 1);
}
void JsonWriter::OpenArray() { Open('['); }
void JsonWriter::OpenObject() { Open('{'); }

void JsonWriter::Close() {
  Node& node = nodes_[open_.back()];
  open_.pop_back();
  text_.push_back(node.bracket == '[' ? ']' : '}');
  End(node);
  if (open_.empty()) return;
  // An array that holds an array or object never stands on one line, nor does what it is in.
  Node& parent = nodes_[open_.back()];
  parent.breaks = parent.breaks || node.breaks || parent.bracket == '[';
}

void JsonWriter::Quote(absl::string_view text) {
  text_.push_back('"');
  if (IsPlain(text)) {
    text_.append(text.data(), text.size());
  } else {
    const size_t begin = text_.size();
    Escape(text, text_);
    const absl::string_view escaped = absl::string_view(text_).substr(begin);
    wide_ += escaped.size() - CodePoints(escaped);
  }
  text_.push_back('"');
}

void JsonWriter::Name(absl::string_view name) {
  Separate();
  name_ = text_.size();
  name_wide_ = wide_;
  named_ = true;
  Quote(name);
  text_ += ": ";
}

void JsonWriter::Null() {
  Node& node = Begin();
  text_ += "null";
  End(node);
}

void JsonWriter::Bool(bool value) {
  Node& node = Begin();
  text_ += value ? "true" : "false";
  End(node);
}

void JsonWriter::Number(uint64_t value) {
  Node& node = Begin();
  const absl::AlphaNum digits(value);
  text_.append(digits.data(), digits.size());
  End(node);
}

void JsonWriter::String(absl::string_view value) {
  Node& node = Begin();
  Quote(value);
  End(node);
}

// "0x0102", as Hex of vectors/text.h.
void JsonWriter::HexString(absl::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  Node& node = Begin();
  text_ += "\"0x";
  const size_t at = text_.size();
  text_.resize(at + 2 * bytes.size());
  char* out = &text_[at];
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    *out++ = kDigits[byte >> 4];
    *out++ = kDigits[byte & 15];
  }
  text_.push_back('"');
  End(node);
}

// Appends the value, whose first line already has `column` columns.
void JsonWriter::Lay(size_t number, size_t level, size_t column) {
  const Node& node = nodes_[number];
  // 1: a comma that may follow.
  const bool fits = level > 0 && !node.breaks && column + node.width + 1 <= kColumns;
  if (node.bracket == 0 || node.children == 0 || fits) {
    out_.append(text_, node.begin, node.end - node.begin);
    return;
  }
  const size_t indent = 2 * (level + 1);
  out_.push_back(node.bracket);
  out_.push_back('\n');
  for (size_t child = number + 1; child < node.next; child = nodes_[child].next) {
    const Node& c = nodes_[child];
    out_.append(indent, ' ');
    out_.append(text_, c.name, c.begin - c.name);
    Lay(child, level + 1, indent + (c.begin - c.name) - c.name_wide);
    out_ += nodes_[child].next < node.next ? ",\n" : "\n";
  }
  out_.append(2 * level, ' ');
  out_.push_back(node.bracket == '[' ? ']' : '}');
}

std::string JsonWriter::Take() {
  out_.reserve(text_.size() + text_.size() / 2);
  Lay(0, 0, 0);
  out_.push_back('\n');
  return std::move(out_);
}

}  // namespace metaroce::vectors
