#include "vectors/testing/schema.h"

#include <regex.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

using Kind = JsonValue::Kind;

bool IsType(const std::string& type, const JsonValue& value) {
  switch (value.kind) {
    case Kind::kBool:
      return type == "boolean";
    case Kind::kNumber:
      return type == "integer" || type == "number";
    case Kind::kString:
      return type == "string";
    case Kind::kArray:
      return type == "array";
    case Kind::kObject:
      return type == "object";
    case Kind::kNull:
      break;
  }
  return type == "null";
}

// The patterns used here mean the same as extended regular expressions of POSIX. Those need no
// stack that grows with the text, as std::regex does.
bool Matches(const std::string& pattern, const std::string& text) {
  // Compiled once each and kept: the schema has a dozen, and every field is held against some.
  static auto* const kCompiled = new std::map<std::string, regex_t>;
  const auto [entry, is_new] = kCompiled->try_emplace(pattern);
  if (is_new && regcomp(&entry->second, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
    kCompiled->erase(entry);
    return false;
  }
  return regexec(&entry->second, text.c_str(), 0, nullptr, 0) == 0;
}

bool IsAnnotation(const std::string& keyword) {
  return keyword == "$schema" || keyword == "$id" || keyword == "title" ||
         keyword == "description" || keyword == "definitions";
}

}  // namespace

const JsonValue* Schema::Definition(const std::string& name) const {
  const JsonValue* definitions = root_.Find("definitions");
  return definitions == nullptr ? nullptr : definitions->Find(name);
}

std::vector<std::string> Schema::Validate(const JsonValue& value) const {
  std::vector<std::string> faults;
  Check(root_, value, "", faults);
  return faults;
}

void Schema::Check(const JsonValue& schema, const JsonValue& value, const std::string& place,
                   std::vector<std::string>& faults) const {
  for (const auto& [keyword, rule] : schema.members) {
    if (IsAnnotation(keyword)) continue;
    if (keyword == "$ref") {
      absl::string_view name = rule.text;
      const JsonValue* target =
          absl::ConsumePrefix(&name, "#/definitions/") ? Definition(std::string(name)) : nullptr;
      if (target == nullptr) {
        faults.push_back(absl::StrCat(place, ": the schema refers to ", rule.text));
      } else {
        Check(*target, value, place, faults);
      }
    } else if (keyword == "oneOf") {
      int fits = 0;
      for (const JsonValue& option : rule.items) {
        std::vector<std::string> inner;
        Check(option, value, place, inner);
        fits += inner.empty() ? 1 : 0;
      }
      if (fits != 1)
        faults.push_back(absl::StrCat(place, ": fits ", fits, " of the schema's options"));
    } else if (keyword == "properties" || keyword == "additionalProperties") {
      // CheckObject
    } else {
      CheckLeaf(keyword, rule, value, place, faults);
    }
  }
  CheckObject(schema, value, place, faults);
}

void Schema::CheckObject(const JsonValue& schema, const JsonValue& value, const std::string& place,
                         std::vector<std::string>& faults) const {
  const JsonValue* properties = schema.Find("properties");
  const JsonValue* others = schema.Find("additionalProperties");
  if (value.kind != Kind::kObject) return;
  for (const auto& [name, member] : value.members) {
    const JsonValue* rule = properties == nullptr ? nullptr : properties->Find(name);
    if (rule == nullptr) rule = others;
    if (rule == nullptr) continue;
    const std::string inner = absl::StrCat(place, "/", name);
    if (rule->kind == Kind::kBool) {
      if (!rule->boolean) faults.push_back(absl::StrCat(inner, ": is not in the schema"));
    } else {
      Check(*rule, member, inner, faults);
    }
  }
}

void Schema::CheckLeaf(const std::string& keyword, const JsonValue& rule, const JsonValue& value,
                       const std::string& place, std::vector<std::string>& faults) const {
  bool ok = true;
  if (keyword == "type") {
    ok = IsType(rule.text, value);
  } else if (keyword == "enum") {
    ok = false;
    for (const JsonValue& item : rule.items) {
      ok = ok || (value.kind == Kind::kString && item.text == value.text);
    }
  } else if (keyword == "pattern") {
    ok = value.kind != Kind::kString || Matches(rule.text, value.text);
  } else if (keyword == "minimum") {
    ok = value.kind != Kind::kNumber || value.number >= rule.number;
  } else if (keyword == "maximum") {
    ok = value.kind != Kind::kNumber || value.number <= rule.number;
  } else if (keyword == "minLength") {
    ok = value.kind != Kind::kString || CodePoints(value.text) >= rule.number;
  } else if (keyword == "maxLength") {
    ok = value.kind != Kind::kString || CodePoints(value.text) <= rule.number;
  } else if (keyword == "minItems") {
    ok = value.kind != Kind::kArray || value.items.size() >= rule.number;
  } else if (keyword == "maxItems") {
    ok = value.kind != Kind::kArray || value.items.size() <= rule.number;
  } else if (keyword == "required") {
    for (const JsonValue& name : rule.items) {
      ok = ok && (value.kind != Kind::kObject || value.Find(name.text) != nullptr);
    }
  } else if (keyword == "items") {
    for (size_t i = 0; i < value.items.size(); ++i) {
      Check(rule, value.items[i], absl::StrCat(place, "/", i), faults);
    }
  } else {
    ok = false;
  }
  if (!ok) faults.push_back(absl::StrCat(place, ": breaks ", keyword));
}

}  // namespace metaroce::vectors
