// Cases that make no sense are refused with the file and a sentence, whatever the file is.
#include "vectors/gen/generate.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vectors/file.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::vectors {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class GenerateTest : public ::testing::Test {
 protected:
  GenerateTest()
      : root_(absl::StrCat(::testing::TempDir(), "/cases-",
                           ::testing::UnitTest::GetInstance()->current_test_info()->name())),
        path_(root_ + "/x.textproto") {
    std::filesystem::create_directories(root_);
  }
  ~GenerateTest() override { std::filesystem::remove_all(root_); }

  std::string Fault() {
    const auto made = GenerateAll(root_, SpecTables());
    return made.ok() ? absl::StrCat(made->size(), " vectors")
                     : std::string(made.status().message());
  }

  std::string FaultOf(const std::string& text) {
    EXPECT_TRUE(WriteFile(path_, text).ok());
    return Fault();
  }

  // A case of level codec with these steps.
  std::string Codec(const std::string& steps) {
    return FaultOf(absl::StrCat(
        "level: \"codec\" group: \"g\" capabilities: \"codec-decode\" case { id: \"some-case\" "
        "title: \"t\" clauses: \"WIRE-WRITE\" flags: \"PAD\" base: \"common.opcode=0x01 "
        "common.cid=7\" ",
        steps, "}"));
  }

  std::string root_;
  std::string path_;
};

TEST_F(GenerateTest, AGoodCaseIsMade) { EXPECT_EQ(Codec("step { decode: \"\" }"), "1 vectors"); }

TEST_F(GenerateTest, OnlyARegularFileOfBoundedSizeIsRead) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(Fault(), absl::StrCat(path_, ": this is no regular file."));
  std::filesystem::remove(path_);
  std::filesystem::create_symlink("/dev/zero", path_);
  EXPECT_EQ(Fault(), absl::StrCat(path_, ": this is no regular file."));
  std::filesystem::remove(path_);
  EXPECT_THAT(FaultOf(std::string((size_t{1} << 20) + 1, '#')),
              AllOf(HasSubstr(path_), HasSubstr("1048577 bytes; at most 1048576 are read.")));
}

TEST_F(GenerateTest, ABadLevelBlockOrGroupIsSaid) {
  const std::string rest = " case { id: \"a\" step { apply: \"kind=probe\" } }";
  EXPECT_EQ(FaultOf("level: \"wire\\033\"" + rest),
            absl::StrCat(
                path_, ": the level \"wire\\x1b\" is none of codec, block, endpoint and system."));
  EXPECT_EQ(FaultOf(rest),
            absl::StrCat(path_, ": the level \"\" is none of codec, block, endpoint and system."));
  EXPECT_EQ(FaultOf("level: \"block\" block: \"icrc\"" + rest),
            absl::StrCat(path_, ": the level is block, and there is no block \"icrc\"."));
  EXPECT_EQ(
      FaultOf("level: \"codec\" block: \"receive-vector\"" + rest),
      absl::StrCat(path_, ": the block \"receive-vector\" belongs to no case of level codec."));
  EXPECT_EQ(FaultOf("level: \"codec\" group: \"../up\"" + rest),
            absl::StrCat(path_, ": the group \"../up\" has other signs than a-z, 0-9 and -."));
  EXPECT_THAT(FaultOf("level: 5"), HasSubstr(absl::StrCat(path_, ":1:8: ")));
}

TEST_F(GenerateTest, ACaseThatGrowsWithoutBoundIsRefused) {
  std::string values = "0";
  for (int i = 1; i < 101; ++i) absl::StrAppend(&values, ", ", i);
  EXPECT_THAT(Codec("step { decode: \"\" sweep { field: \"data.csn\" value: [" + values + "] } }"),
              HasSubstr("step 1: sweep: it stands for 101 steps; at most 100."));
  EXPECT_THAT(
      Codec("step { decode: \"\" sweep { byte: [" + values + "] value: [" + values + "] } }"),
      HasSubstr("sweep: it stands for 10201 steps; at most 100."));
  std::string steps;
  for (int i = 0; i < 101; ++i) absl::StrAppend(&steps, "step { decode: \"\" } ");
  EXPECT_THAT(Codec(steps), HasSubstr("step 101: the vector has 202 steps by now; at most 200."));
  EXPECT_THAT(Codec("step { decode: \"\" sweep { cut: 4294967295 } }"),
              HasSubstr("cut: the UDP payload has"));
  EXPECT_THAT(FaultOf("level: \"block\" block: \"receive-vector\" case { id: \"a\" step { apply: "
                      "\"kind=probe\" repeat { count: 4294967295 } } }"),
              HasSubstr("repeat: the count is 4294967295; at most 512."));
}

}  // namespace
}  // namespace metaroce::vectors
