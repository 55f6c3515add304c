// Scenarios as texts: what is no textproto of one is refused with the field, the value and the
// bound.
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "model/sim/scenario_file.h"
#include "model/sim/scenario_words.h"

namespace metaroce::sim {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::TextFormat;
using google::protobuf::io::Tokenizer;

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Keeps the first error. Places count from 0.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (!text.empty()) return;
    text = message;
    place = {line, column};
  }

  std::string text;
  std::pair<int, int> place;
};

// One sentence, and not a long one; the library's end with a full stop or without, and repeat what
// a terminal would obey.
std::string Sentence(absl::string_view text) {
  constexpr size_t kLongest = 200;
  const bool whole = text.size() <= kLongest;
  std::string said(text.substr(0, kLongest));
  std::replace_if(
      said.begin(), said.end(), [](char c) { return c < 0x20 || c > 0x7E; }, '?');
  while (whole && !said.empty() && said.back() == '.') said.pop_back();
  return absl::StrCat(said, whole ? "." : "...");
}

// "a whole number between 2 and 4096 hosts"
std::string KindOf(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return "true or false";
    case FieldDescriptor::CPPTYPE_ENUM: {
      std::vector<std::string> names;
      for (int i = 0; i < field.enum_type()->value_count(); ++i) {
        names.push_back(field.enum_type()->value(i)->name());
      }
      return absl::StrCat("one of ", absl::StrJoin(names, ", "));
    }
    case FieldDescriptor::CPPTYPE_STRING:
      return "a text in quotes";
    default:
      return absl::StrCat("a whole number ", Between(field.options().GetExtension(range)));
  }
}

// A value that is none of its field.
struct Misfit {
  std::string name;  // "workload[1].bytes"
  std::string value;
  const FieldDescriptor* field = nullptr;
  std::pair<int, int> place;

  std::string Said() const {
    const bool there = !value.empty() && value != "}" && value != ">" && value != "]";
    return absl::StrCat(there ? absl::StrCat(name, " is ", Shown(value))
                              : absl::StrCat("The value of ", name, " is missing"),
                        "; it must be ", KindOf(*field), ".");
  }
};

// Goes through a text as far as the parser came, and knows in which field it is.
class Search {
 public:
  explicit Search(absl::string_view text)
      : stream_(text.data(), static_cast<int>(text.size())), tokens_(&stream_, &ignored_) {
    // As the parser of textproto has it.
    tokens_.set_allow_f_after_float(true);
    tokens_.set_comment_style(Tokenizer::SH_COMMENT_STYLE);
    tokens_.set_require_space_after_number(false);
    tokens_.set_allow_multiline_strings(true);
    levels_.push_back({"", Scenario::descriptor(), {}});
  }

  // The value at `end` or, if a name is awaited there, the one before. None: it is no value of a
  // field that has one.
  std::optional<Misfit> ValueAt(std::pair<int, int> end) {
    while (tokens_.Next() && Place() < end) {
      if (!(named_ ? TakeValue() : TakeName())) return std::nullopt;
    }
    if (Place() != end || found_.field == nullptr || IsMessage()) return std::nullopt;
    if (named_) {
      if (found_.value.empty()) found_.place = Place();
      const bool minus = tokens_.current().text == "-";
      found_.value += tokens_.current().text;
      if (minus && tokens_.Next()) found_.value += tokens_.current().text;
    }
    return found_;
  }

 private:
  struct Level {
    std::string prefix;
    const Descriptor* type;
    std::map<const FieldDescriptor*, int> seen;
  };

  std::pair<int, int> Place() { return {tokens_.current().line, tokens_.current().column}; }
  bool IsMessage() const { return found_.field->message_type() != nullptr; }

  void Name() {
    Level& level = levels_.back();
    found_.name = absl::StrCat(level.prefix, found_.field->name());
    if (found_.field->is_repeated()) {
      absl::StrAppend(&found_.name, "[", level.seen[found_.field]++, "]");
    }
    found_.value.clear();
    named_ = true;
  }

  bool TakeName() {
    const Tokenizer::Token& token = tokens_.current();
    if (token.text == "," || token.text == ";") {
      if (list_) Name();
      return true;
    }
    if (token.text == "]") {
      const bool was = list_;
      list_ = false;
      return was;
    }
    if (token.text == "}" || token.text == ">") {
      levels_.pop_back();
      return !levels_.empty();
    }
    // A text may be in several pieces.
    if (token.type == Tokenizer::TYPE_STRING) return true;
    found_.field = levels_.back().type->FindFieldByName(token.text);
    if (found_.field == nullptr) return false;
    Name();
    return true;
  }

  bool TakeValue() {
    const Tokenizer::Token& token = tokens_.current();
    if (token.text == ":") return true;
    if (token.text == "[") {
      list_ = true;
      return !IsMessage();
    }
    if (token.text == "]" && list_) {
      // Nothing was in it.
      --levels_.back().seen[found_.field];
      list_ = named_ = false;
      return true;
    }
    if (IsMessage()) {
      levels_.push_back({absl::StrCat(found_.name, "."), found_.field->message_type(), {}});
      named_ = false;
      return token.text == "{" || token.text == "<";
    }
    if (found_.value.empty()) found_.place = Place();
    found_.value += token.text;
    named_ = token.text == "-";
    return true;
  }

  FirstError ignored_;
  google::protobuf::io::ArrayInputStream stream_;
  Tokenizer tokens_;
  std::vector<Level> levels_;
  Misfit found_;
  bool named_ = false;  // of the field that was named the value is awaited
  bool list_ = false;   // within [ ]
};

// The parser says of some values only that they are none.
std::optional<Misfit> MisfitOf(absl::string_view text, const FirstError& error) {
  for (const char* about : {"Expected integer", "Integer out of range", "Invalid value for boolean",
                            "Unknown enumeration value", "Expected string"}) {
    if (absl::StartsWith(error.text, about)) return Search(text).ValueAt(error.place);
  }
  return std::nullopt;
}

// The message in which the last name of the path stands.
absl::StatusOr<Message*> Descend(absl::string_view name, const FieldDescriptor** field,
                                 Message* message) {
  const std::vector<std::string> steps = absl::StrSplit(name, '.');
  for (size_t i = 0; i < steps.size(); ++i) {
    std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(steps[i], absl::MaxSplits('[', 1));
    *field = message->GetDescriptor()->FindFieldByName(std::string(parts.first));
    if (*field == nullptr) {
      return Invalid(absl::StrCat("there is no field \"", Shown(parts.first), "\" in ",
                                  message->GetDescriptor()->name(), "."));
    }
    const bool is_message = (*field)->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (i + 1 == steps.size()) {
      if (is_message || steps[i] != parts.first) {
        return Invalid(absl::StrCat("the last name must be a field with a value, not \"",
                                    Shown(steps[i]), "\"."));
      }
      return message;
    }
    if (!is_message) {
      return Invalid(absl::StrCat("\"", parts.first, "\" has no fields of its own."));
    }
    const Reflection& r = *message->GetReflection();
    if (!(*field)->is_repeated()) {
      message = r.MutableMessage(message, *field);
      continue;
    }
    const int size = r.FieldSize(*message, *field);
    int index = -1;
    if (!absl::ConsumeSuffix(&parts.second, "]") || !absl::SimpleAtoi(parts.second, &index) ||
        index < 0 || index > size) {
      return Invalid(absl::StrCat("\"", Shown(steps[i]), "\" must be ", parts.first,
                                  "[i] with i from 0 to ", size, "."));
    }
    message = index == size ? r.AddMessage(message, *field)
                            : r.MutableRepeatedMessage(message, *field, index);
  }
  return Invalid("there is no name.");
}

}  // namespace

absl::StatusOr<Scenario> ParseScenario(absl::string_view name, absl::string_view text) {
  // Editors write it; it is no part of the text.
  absl::ConsumePrefix(&text, kByteOrderMark);
  Scenario scenario;
  FirstError error;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(10);
  if (parser.ParseFromString(std::string(text), &scenario)) return scenario;
  const std::optional<Misfit> misfit = MisfitOf(text, error);
  const auto [line, column] = misfit ? misfit->place : error.place;
  return Invalid(absl::StrCat(name, ":", line + 1, ":", column + 1, ": ",
                              misfit ? misfit->Said() : Sentence(error.text)));
}

absl::Status SetField(absl::string_view assignment, Scenario* scenario) {
  const auto wrong = [&](absl::string_view what) {
    return Invalid(absl::StrCat("\"", Shown(assignment), "\": ", what));
  };
  const std::pair<absl::string_view, absl::string_view> sides =
      absl::StrSplit(assignment, absl::MaxSplits('=', 1));
  if (sides.first.size() == assignment.size()) return wrong("it must be field=value.");
  const FieldDescriptor* field = nullptr;
  Scenario changed = *scenario;
  const absl::StatusOr<Message*> message = Descend(sides.first, &field, &changed);
  if (!message.ok()) return wrong(message.status().message());
  (*message)->GetReflection()->ClearField(*message, field);
  const bool text = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
  std::string value =
      text ? absl::StrCat("\"", absl::CHexEscape(sides.second), "\"") : std::string(sides.second);
  // One value, and nothing behind it.
  if (!text && value.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-") != std::string::npos) {
    return wrong("the value must be one number or word.");
  }
  const auto no_kind = [&] {
    return wrong(absl::StrCat("the value must be ", KindOf(*field), "."));
  };
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32 ||
      field->cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
    if (value.empty() || value.find_first_not_of("0123456789") != std::string::npos) {
      return no_kind();
    }
    // Behind a zero the parser would read them as octal.
    value.erase(0, std::min(value.find_first_not_of('0'), value.size() - 1));
  }
  FirstError error;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (!parser.MergeFromString(absl::StrCat(field->name(), ": ", value), *message)) {
    return no_kind();
  }
  *scenario = std::move(changed);
  return absl::OkStatus();
}

}  // namespace metaroce::sim
