// Keeps vector.schema.json true: against the messages of vector.proto, against what the loader and
// lint accept, and against every vector of the tree.
#include "vectors/testing/schema.h"

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "vectors/file.h"
#include "vectors/json.h"
#include "vectors/json_tree.h"
#include "vectors/lint.h"
#include "vectors/testing/fake_spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::vectors {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

Schema ReadSchema() {
  const auto text = ReadFile("vectors/vector.schema.json", kMaxVectorBytes);
  EXPECT_TRUE(text.ok()) << text.status();
  auto tree = ParseJson(*text);
  EXPECT_TRUE(tree.ok()) << tree.status();
  return Schema(*std::move(tree));
}

std::vector<std::string> JsonFiles() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("vectors")) {
    const std::string path = entry.path().string();
    if (entry.path().extension() == ".json" && path != "vectors/vector.schema.json") {
      out.push_back(path);
    }
  }
  return out;
}

TEST(SchemaTest, FitsEveryVectorOfTheTreeAndEverySample) {
  const Schema schema = ReadSchema();
  const std::vector<std::string> files = JsonFiles();
  EXPECT_GE(files.size(), 3u);
  for (const std::string& path : files) {
    const auto text = ReadFile(path, kMaxVectorBytes);
    ASSERT_TRUE(text.ok()) << text.status();
    const auto tree = ParseJson(*text);
    ASSERT_TRUE(tree.ok()) << path << ": " << tree.status();
    EXPECT_EQ(absl::StrJoin(schema.Validate(*tree), "\n"), "") << path;
  }
}

// What a member's schema must be for a field of this type, as "$ref:name" or "type:name".
std::string WantedRule(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_MESSAGE:
      return absl::StrCat("$ref:#/definitions/", field.message_type()->name());
    case FieldDescriptor::TYPE_UINT64:
      return "$ref:#/definitions/number";
    case FieldDescriptor::TYPE_BYTES:
      return "$ref:#/definitions/bytes";
    case FieldDescriptor::TYPE_BOOL:
      return "type:boolean";
    default:
      return "";  // strings, enums and small numbers have rules of their own
  }
}

TEST(SchemaTest, HasTheFieldsOfEveryMessageAndNoOther) {
  const Schema schema = ReadSchema();
  for (const Descriptor* type :
       {Vector::descriptor(), Predicate::descriptor(), Provenance::descriptor(), Step::descriptor(),
        Repeat::descriptor(), Packet::descriptor(), Placement::descriptor(),
        Expectation::descriptor(), OneOf::descriptor(), System::descriptor(), Delay::descriptor(),
        PathFault::descriptor()}) {
    const JsonValue* definition = schema.Definition(type->name());
    ASSERT_NE(definition, nullptr) << type->name();
    const JsonValue* properties = definition->Find("properties");
    ASSERT_NE(properties, nullptr);
    EXPECT_EQ(static_cast<int>(properties->members.size()), type->field_count()) << type->name();
    ASSERT_NE(definition->Find("additionalProperties"), nullptr);
    EXPECT_FALSE(definition->Find("additionalProperties")->boolean);
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor& field = *type->field(i);
      const JsonValue* rule = properties->Find(field.name());
      ASSERT_NE(rule, nullptr) << field.full_name();
      if (field.is_repeated()) {
        ASSERT_NE(rule->Find("items"), nullptr) << field.full_name();
        EXPECT_EQ(rule->Find("type")->text, "array");
        rule = rule->Find("items");
      }
      const std::string wanted = WantedRule(field);
      if (wanted.empty()) continue;
      ASSERT_EQ(rule->members.size(), 1u) << field.full_name();
      EXPECT_EQ(absl::StrCat(rule->members[0].first, ":", rule->members[0].second.text), wanted);
    }
  }
}

TEST(SchemaTest, EveryMessageOfTheFileIsLookedAt) {
  // Field, Taken, Fields, Bound and Term have a JSON form of their own.
  EXPECT_EQ(Vector::descriptor()->file()->message_type_count(), 12 + 5);
}

TEST(SchemaTest, ListsTheNamesOfTheEnums) {
  const Schema schema = ReadSchema();
  const JsonValue* level = schema.Definition("Vector")->Find("properties")->Find("level");
  EXPECT_EQ(static_cast<int>(level->Find("enum")->items.size()),
            Level_descriptor()->value_count() - 1);
  const JsonValue* kind = schema.Definition("Provenance")->Find("properties")->Find("kind");
  EXPECT_EQ(static_cast<int>(kind->Find("enum")->items.size()),
            Source_descriptor()->value_count() - 1);
}

// Appends `tree` and every tree made from it by taking one value away or putting another in its
// place.
void Mutate(JsonValue& root, JsonValue& at, const std::function<void(const JsonValue&)>& visit) {
  const JsonValue saved = at;
  for (const JsonValue& other :
       {JsonValue::Number(0), JsonValue::Number(700), JsonValue::Number(uint64_t{1} << 60),
        JsonValue::String("word"), JsonValue::String("0x00"), JsonValue::String(""),
        JsonValue::String("UPPER-CASE"), JsonValue::String(std::string(500, 'a')),
        JsonValue::String("99999999999999999"), JsonValue::Bool(false), JsonValue::Array(),
        JsonValue::Object(), JsonValue()}) {
    at = other;
    visit(root);
  }
  at = saved;
  for (size_t i = 0; i < at.items.size(); ++i) {
    at.items.erase(at.items.begin() + static_cast<std::ptrdiff_t>(i));
    visit(root);
    at = saved;
    Mutate(root, at.items[i], visit);
  }
  for (size_t i = 0; i < at.members.size(); ++i) {
    at.members.erase(at.members.begin() + static_cast<std::ptrdiff_t>(i));
    visit(root);
    at = saved;
    Mutate(root, at.members[i].second, visit);
  }
}

TEST(SchemaTest, WhatTheLoaderAndLintAcceptFitsTheSchema) {
  const Schema schema = ReadSchema();
  const FakeSpecIndex index;
  int accepted = 0;
  int refused = 0;
  for (const std::string id :
       {"ack-first-behind-hole", "write-codec", "endpoint-accepts", "system-write"}) {
    const auto text = ReadFile(absl::StrCat("vectors/testdata/", id, ".json"), kMaxVectorBytes);
    ASSERT_TRUE(text.ok());
    auto tree = ParseJson(*text);
    ASSERT_TRUE(tree.ok());
    Mutate(*tree, *tree, [&](const JsonValue& changed) {
      const std::string written = WriteJson(changed);
      const auto vector = LoadVector(written, id);
      if (!vector.ok() || !CheckVector(*vector, index).empty()) {
        ++refused;
        return;
      }
      ++accepted;
      EXPECT_EQ(absl::StrJoin(schema.Validate(changed), "\n"), "") << written;
    });
  }
  EXPECT_GT(accepted, 50);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace metaroce::vectors
