#include "vectors/json_tree.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace metaroce::vectors {
namespace {

using ::testing::HasSubstr;

std::string Fault(absl::string_view text, const JsonLimits& limits = {}) {
  const auto result = ParseJson(text, limits);
  return result.ok() ? "accepted" : std::string(result.status().message());
}

TEST(JsonTreeTest, ReadsEveryKindOfValueWithItsLine) {
  const auto tree = ParseJson(
      "{\"a\": [null, true, false],\n \"b\": 18446744073709551615, \"c\": \"x\\u00e4\\n\"}");
  ASSERT_TRUE(tree.ok()) << tree.status();
  ASSERT_EQ(tree->members.size(), 3u);
  EXPECT_EQ(tree->Find("a")->items[0].kind, JsonValue::Kind::kNull);
  EXPECT_TRUE(tree->Find("a")->items[1].boolean);
  EXPECT_EQ(tree->Find("b")->number, ~uint64_t{0});
  EXPECT_EQ(tree->Find("b")->line, 2);
  EXPECT_EQ(tree->Find("b")->Place(), "2:7");
  EXPECT_EQ(tree->Find("c")->text, "x\xC3\xA4\n");
  EXPECT_EQ(tree->Find("d"), nullptr);
}

TEST(JsonTreeTest, ASurrogatePairIsOneCodePoint) {
  const auto tree = ParseJson("\"\\ud83d\\ude00\"");
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(tree->text, "\xF0\x9F\x98\x80");
}

struct Refusal {
  const char* text;
  const char* sentence;
};

class JsonTreeRefusalTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(JsonTreeRefusalTest, IsRefusedWithLineAndReason) {
  EXPECT_THAT(Fault(GetParam().text), HasSubstr(GetParam().sentence)) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    All, JsonTreeRefusalTest,
    ::testing::Values(
        Refusal{"", "1:1: The file ends where a value is expected."},
        Refusal{"{} x", "Something stands behind the end"},
        Refusal{"nul", "This is no JSON value."}, Refusal{"@", "This is no JSON value."},
        Refusal{"-1", "The number -1 is not an unsigned integer below 2^64."},
        Refusal{"1.5", "is not an unsigned integer"}, Refusal{"1e3", "is not an unsigned integer"},
        Refusal{"01", "is not an unsigned integer"},
        Refusal{"18446744073709551616", "is not an unsigned integer"},
        Refusal{"\n\n{\"a\": 1, \"a\": 2}", "3:10: a: The member \"a\" stands twice"},
        Refusal{"[1 2]", "goes on without a comma"},
        Refusal{"[1,]", "A comma stands behind the last value of an array"},
        Refusal{"{\"a\": 1,}", "A comma stands behind the last member of an object"},
        Refusal{"{\"a\" 1}", "not followed by a colon"}, Refusal{"{a: 1}", "begin with its name"},
        Refusal{"{\"a\": 1 \"b\"", "An object goes on without a comma"},
        Refusal{"\"abc", "ends inside a string"}, Refusal{"\"a\nb\"", "holds a control character"},
        Refusal{"\"\\q\"", "followed by no known escape"}, Refusal{"\"\\", "no known escape"},
        Refusal{"\"\\u12g4\"", "four hexadecimal digits"},
        Refusal{"\"\\ud800\"", "Half of a surrogate pair"},
        Refusal{"\"\\udc00\"", "Half of a surrogate pair"},
        Refusal{"\"\\ud800\\u0041\"", "Half of a surrogate pair"},
        Refusal{"\"\xFF\"", "not valid UTF-8"}, Refusal{"\"\xC0\x80\"", "not valid UTF-8"},
        Refusal{"\"\xED\xA0\x80\"", "not valid UTF-8"}));

TEST(JsonTreeTest, ARefusalSaysLineColumnAndMember) {
  EXPECT_EQ(Fault("{\"a\": [1,\n  {\"b\": 1, \"c\": [-7]}]}"),
            "2:18: a[1].c[0]: The number -7 is not an unsigned integer below 2^64.");
  EXPECT_EQ(Fault("[1,\n\n 2,\n  x]"), "4:3: [2]: This is no JSON value.");
  EXPECT_EQ(Fault("{\"a\\u001b\": -1}"),
            "1:13: a\\x1b: The number -1 is not an unsigned integer below 2^64.");
  const std::string deep = Fault(absl::StrCat("{\"", std::string(5000, 'n'), "\": -1}"));
  EXPECT_LT(deep.size(), 250u);
}

TEST(JsonTreeTest, BoundsSizeDepthAndNumberOfValues) {
  JsonLimits limits;
  limits.bytes = 10;
  EXPECT_THAT(Fault("[1,2,3,4,5,6]", limits), HasSubstr("13 bytes; at most 10"));
  EXPECT_THAT(Fault(std::string(100000, '[')), HasSubstr("deeper than 24"));
  limits = JsonLimits();
  limits.values = 3;
  EXPECT_EQ(Fault("[1,2]", limits), "accepted");
  EXPECT_THAT(Fault("[1,2,3]", limits), HasSubstr("more than 3 values"));
}

TEST(JsonTreeTest, EveryPrefixOfATextIsRefusedAndNeverReadBeyond) {
  const std::string text = "{\"a\": [1, {\"b\": \"\\u00e9\\\\\"}], \"c\": true}";
  for (size_t length = 0; length < text.size(); ++length) {
    // A copy on the heap of exactly that length, so that a sanitizer sees one byte too far.
    const std::string prefix = text.substr(0, length);
    EXPECT_NE(Fault(prefix), "accepted") << prefix;
  }
  EXPECT_EQ(Fault(text), "accepted");
}

TEST(JsonTreeTest, WritesOneLineWhereItFitsAndBreaksWhereItDoesNot) {
  JsonValue inner = JsonValue::Object();
  inner.Add("n", JsonValue::Number(1)).Add("s", JsonValue::String("a\"\\\n\x01"));
  JsonValue numbers = JsonValue::Array();
  numbers.Add(JsonValue::Number(1)).Add(JsonValue::Number(2));
  JsonValue objects = JsonValue::Array();
  objects.Add(JsonValue::Object()).Add(inner);
  JsonValue root = JsonValue::Object();
  root.Add("numbers", numbers).Add("objects", objects).Add("long", JsonValue::String("x"));
  root.Add("inner", inner);
  EXPECT_EQ(WriteJson(root),
            "{\n"
            "  \"numbers\": [1, 2],\n"
            "  \"objects\": [\n"
            "    {},\n"
            "    {\"n\": 1, \"s\": \"a\\\"\\\\\\n\\u0001\"}\n"
            "  ],\n"
            "  \"long\": \"x\",\n"
            "  \"inner\": {\"n\": 1, \"s\": \"a\\\"\\\\\\n\\u0001\"}\n"
            "}\n");
}

TEST(JsonTreeTest, ALineHasAtMostAHundredColumns) {
  for (size_t length = 60; length < 110; ++length) {
    JsonValue inner = JsonValue::Object();
    inner.Add("k", JsonValue::String(std::string(length, 'x')));
    JsonValue root = JsonValue::Object();
    root.Add("a", inner).Add("b", inner);
    const std::string text = WriteJson(root);
    const bool flat = text.find("{\"k\"") != std::string::npos;
    // Two blanks, "a": {"k": "..."}, and a comma.
    EXPECT_EQ(flat, 2 + 5 + 1 + 5 + 2 + length + 2 + 1 <= 100 + 1) << text;
    const auto again = ParseJson(text);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(WriteJson(*again), text);
  }
}

TEST(JsonTreeTest, WrittenTextIsUtf8WhateverWentIn) {
  const std::string text = WriteJson(JsonValue::String("a\xFF\xC2"));
  EXPECT_EQ(text, "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"\n");
  EXPECT_TRUE(ParseJson(text).ok());
}

}  // namespace
}  // namespace metaroce::vectors
