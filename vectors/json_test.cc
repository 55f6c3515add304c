#include "vectors/json.h"

#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vectors/file.h"

namespace metaroce::vectors {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSamples[] = {"ack-first-behind-hole", "write-codec", "endpoint-accepts",
                                    "system-write"};

std::string Path(const std::string& id) { return absl::StrCat("vectors/testdata/", id, ".json"); }

std::string Fault(absl::string_view text) {
  const auto vector = LoadVector(text, "f.json");
  return vector.ok() ? "accepted" : std::string(vector.status().message());
}

TEST(JsonTest, ReadsASampleIntoItsMessage) {
  const auto vector = LoadVectorFile(Path("ack-first-behind-hole"));
  ASSERT_TRUE(vector.ok()) << vector.status();
  EXPECT_EQ(vector->level(), BLOCK);
  EXPECT_EQ(vector->clauses_size(), 2);
  EXPECT_EQ(vector->provenance().kind(), SPEC);
  ASSERT_EQ(vector->steps_size(), 6);
  EXPECT_FALSE(vector->steps(0).has_at());
  EXPECT_EQ(vector->steps(0).apply().field(0).word(), "data");
  EXPECT_EQ(vector->steps(1).expect().includes().field(1).data(),
            std::string("\0\0\0\0\0\0\0\x04", 8));
  EXPECT_EQ(vector->steps(1).expect().within().term(0).parameter(), "ack_max");
  EXPECT_EQ(vector->steps(2).at(), 5000u);
  EXPECT_EQ(vector->steps(2).repeat().by().field(1).number(), 10u);
  EXPECT_EQ(vector->steps(3).expect().within().term_size(), 3);
  EXPECT_EQ(vector->steps(3).expect().after().term(0).nanoseconds(), 7999u);
  EXPECT_TRUE(vector->steps(4).advance());
}

TEST(JsonTest, ANumberFrom2To53OnIsAString) {
  const auto vector = LoadVectorFile(Path("write-codec"));
  ASSERT_TRUE(vector.ok()) << vector.status();
  EXPECT_EQ(vector->steps(1).expect().fields().field(3).number(), 0xFFFFFFFFFFFFFC00u);
}

//= CONF-VECTOR
//# A vector is one JSON file.
TEST(JsonTest, TheSamplesAreCanonical) {
  for (const std::string id : kSamples) {
    const auto text = ReadFile(Path(id), kMaxVectorBytes);
    ASSERT_TRUE(text.ok()) << text.status();
    const auto vector = LoadVector(*text, id);
    ASSERT_TRUE(vector.ok()) << vector.status();
    EXPECT_EQ(WriteVector(*vector), *text);
  }
}

TEST(JsonTest, WritingAndReadingGivesTheSameMessage) {
  for (const std::string id : kSamples) {
    const auto vector = LoadVectorFile(Path(id));
    ASSERT_TRUE(vector.ok());
    const auto again = LoadVector(WriteVector(*vector), id);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->SerializeAsString(), vector->SerializeAsString());
  }
}

//= CONF-VECTOR-STRICT
//# refuses a file with an unknown or doubled member
TEST(JsonTest, RefusesAnUnknownMemberAtAnyDepth) {
  EXPECT_EQ(Fault("{\n\"idd\": \"a\"}"), "f.json:2:8: \"idd\" is no member of a vector.");
  EXPECT_EQ(Fault("{\"steps\": [{\"expect\": {\"nothin\": 1}}]}"),
            "f.json:1:34: steps[0].expect: \"nothin\" is no member of this object.");
}

TEST(JsonTest, RefusesWrongTypesWithPlaceAndReason) {
  EXPECT_EQ(Fault("[]"), "f.json:1:1: This is an array, not an object.");
  EXPECT_EQ(Fault("{\"id\": \"\"}"), "f.json:1:8: id: This is empty.");
  EXPECT_EQ(Fault("{\"id\": 5}"), "f.json:1:8: id: This is a number, not a string.");
  EXPECT_EQ(Fault("{\"clauses\": \"A\"}"), "f.json:1:13: clauses: This is a string, not an array.");
  EXPECT_EQ(Fault("{\"clauses\": [1]}"),
            "f.json:1:14: clauses[0]: This is a number, not a string.");
  EXPECT_EQ(Fault("{\"level\": \"codecs\"}"),
            "f.json:1:11: level: \"codecs\" is none of codec, block, endpoint, system.");
  EXPECT_EQ(Fault("{\"level\": \"level_unspecified\"}"),
            "f.json:1:11: level: \"level_unspecified\" is none of codec, block, endpoint, system.");
  EXPECT_EQ(Fault("{\"steps\": [{\"at\": true}]}"),
            "f.json:1:19: steps[0].at: This is a boolean, not a number.");
  EXPECT_THAT(Fault("{\"steps\": [{\"at\": \"5\"}]}"), HasSubstr("is no number"));
  EXPECT_THAT(Fault("{\"steps\": [{\"at\": 9007199254740992}]}"), HasSubstr("is no number"));
  EXPECT_EQ(Fault("{\"steps\": [{\"at\": \"9007199254740992\"}]}"), "accepted");
  EXPECT_THAT(Fault("{\"steps\": [{\"at\": \"18446744073709551616\"}]}"),
              HasSubstr("is no number"));
  EXPECT_EQ(Fault("{\"steps\": [{\"repeat\": {\"count\": 4294967296}}]}"),
            "f.json:1:33: steps[0].repeat.count: 4294967296 is above 4294967295.");
  EXPECT_EQ(Fault("{\"steps\": [{\"decode\": \"0x0\"}]}"),
            "f.json:1:23: steps[0].decode: \"0x0\" has an odd number of digits.");
  EXPECT_EQ(Fault("{\"steps\": [{\"advance\": 1}]}"),
            "f.json:1:24: steps[0].advance: This is a number, not a boolean.");
}

TEST(JsonTest, ABadNumberIsRefusedWithItsMemberAndItsPlace) {
  for (const std::string number : {"-5", "1.5", "1e3", "05", "18446744073709551616"}) {
    EXPECT_EQ(
        Fault(absl::StrCat("{\"config\": {},\n \"steps\": [{\"at\": 1}, {\"at\": ", number, "}]}")),
        absl::StrCat("f.json:2:30: steps[1].at: The number ", number,
                     " is not an unsigned integer below 2^64."));
    EXPECT_EQ(Fault(absl::StrCat("{\"config\": {\"base\": ", number, "}}")),
              absl::StrCat("f.json:1:21: config.base: The number ", number,
                           " is not an unsigned integer below 2^64."));
  }
  EXPECT_EQ(Fault("{\"steps\": [{\"at\": \"5\"}]}"),
            "f.json:1:19: steps[0].at: \"5\" is no number: an integer below 2^53, or from there to "
            "2^64 - 1 a string of its decimal digits.");
  EXPECT_EQ(
      Fault("{\"steps\": [{\"at\": 9007199254740992}]}"),
      "f.json:1:19: steps[0].at: 9007199254740992 is no number: an integer below 2^53, or from "
      "there to 2^64 - 1 a string of its decimal digits.");
}

TEST(JsonTest, RefusesTwoMembersThatExcludeEachOther) {
  EXPECT_EQ(Fault("{\"steps\": [{\"decode\": \"0x\", \"advance\": true}]}"),
            "f.json:1:40: steps[0]: \"advance\" and \"decode\" exclude each other.");
}

//= CONF-RECORDS
//# The value of a field is a number (at most 2^64 - 1), data (bytes) or a word
TEST(JsonTest, AFieldIsANumberDataOrAWordAndNothingElse) {
  EXPECT_EQ(Fault("{\"config\": {\"a\": 1, \"b\": \"0x00\", \"c\": \"in-order\"}}"), "accepted");
  EXPECT_THAT(Fault("{\"config\": {\"a\": true}}"), HasSubstr("config.a: This is a boolean"));
  EXPECT_THAT(Fault("{\"config\": {\"a\": \"Word\"}}"), HasSubstr("is neither a number"));
  EXPECT_THAT(Fault("{\"config\": {\"a\": \"12\"}}"), HasSubstr("is neither a number"));
  EXPECT_THAT(Fault("{\"config\": {\"a\": \"0xZZ\"}}"), HasSubstr("is neither a number"));
  EXPECT_THAT(Fault("{\"config\": {\"a\": 1, \"a\": 2}}"), HasSubstr("stands twice"));
}

TEST(JsonTest, ABoundIsANumberOrASumOfNames) {
  const std::string frame = "{\"steps\": [{\"expect\": {\"within\": $}}]}";
  const auto with = [&](const std::string& bound) {
    return Fault(absl::StrReplaceAll(frame, {{"$", bound}}));
  };
  EXPECT_EQ(with("5"), "accepted");
  EXPECT_EQ(with("\"ack_max\""), "accepted");
  EXPECT_EQ(with("\"ack_max + 5 + b\""), "accepted");
  EXPECT_THAT(with("\"5\""), HasSubstr("not written as a string"));
  EXPECT_THAT(with("\"5 + 5\""), HasSubstr("not written as a string"));
  EXPECT_THAT(with("\"ack_max+5\""), HasSubstr("is no sum"));
  EXPECT_THAT(with("\"\""), HasSubstr("is no sum"));
  EXPECT_THAT(with("\"ack_max + 05\""), HasSubstr("is no sum"));
  EXPECT_THAT(with("true"), HasSubstr("not a number or a sum of names"));
}

TEST(JsonTest, RefusesAFileThatIsTooLongNoFileOrNotThere) {
  const std::string folder = ::testing::TempDir();
  const std::string path = absl::StrCat(folder, "/long.json");
  ASSERT_TRUE(WriteFile(path, std::string(kMaxVectorBytes + 1, ' ')).ok());
  EXPECT_THAT(std::string(LoadVectorFile(path).status().message()),
              HasSubstr("1048577 bytes; at most 1048576 are read"));
  EXPECT_THAT(std::string(LoadVectorFile(folder).status().message()),
              HasSubstr("this is no regular file"));
  const std::string fifo = absl::StrCat(folder, "/fifo.json");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(std::string(LoadVectorFile(fifo).status().message()),
              HasSubstr("this is no regular file"));
  EXPECT_EQ(LoadVectorFile(absl::StrCat(folder, "/none")).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(JsonTest, NoByteOfASampleCanBeChangedIntoACrash) {
  for (const std::string id : kSamples) {
    const auto text = ReadFile(Path(id), kMaxVectorBytes);
    ASSERT_TRUE(text.ok());
    const std::string bytes("\"{]0z\\\0\xFF", 8);
    for (size_t i = 0; i < text->size(); ++i) {
      std::string changed = *text;
      changed[i] = bytes[i % bytes.size()];
      const auto vector = LoadVector(changed, id);
      // What is accepted survives a round trip.
      if (vector.ok()) {
        ASSERT_EQ(LoadVector(WriteVector(*vector), id)->SerializeAsString(),
                  vector->SerializeAsString());
      }
    }
  }
}

}  // namespace
}  // namespace metaroce::vectors
