// Cases that make no sense are refused with the file and a sentence, whatever the file is.
#include "vectors/gen/generate.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vectors/file.h"
#include "vectors/json.h"
#include "vectors/manifest.h"
#include "vectors/scaffold.h"
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

TEST_F(GenerateTest, ABurstThatCannotBeMadeIsRefusedAndNotLeftOut) {
  EXPECT_THAT(Codec("step { decode: \"\" repeat { count: 2 } }"),
              HasSubstr("step 1: repeat: only apply, arrive, post and expect are repeated."));
  const auto endpoint = [&](const std::string& steps) {
    return FaultOf(
        absl::StrCat("level: \"endpoint\" capabilities: \"endpoint-receiver\" case { "
                     "id: \"a\" title: \"t\" clauses: \"CONF-POST\" flags: \"PAD\" ",
                     steps, "}"));
  };
  EXPECT_THAT(endpoint("step { at: 0 post: \"kind=receive id=1\" repeat { count: 2 by: "
                       "\"id=1 address=1\" } }"),
              HasSubstr("repeat: by names 2 fields, and the step gives 1 of them."));
  EXPECT_THAT(endpoint("step { at: 0 post: \"kind=receive id=1\" repeat { count: 2 by: \"id=1\" } "
                       "} step { expect { nothing: \"0\" } }"),
              HasSubstr("1 vectors"));
}

TEST_F(GenerateTest, AnIdBelongsToOneCase) {
  const std::string first =
      "level: \"codec\" group: \"one\" capabilities: \"codec-decode\" case { id: \"same\" title: "
      "\"t\" clauses: \"WIRE-WRITE\" flags: \"PAD\" base: \"common.opcode=0x01 common.cid=7\" step "
      "{ "
      "decode: \"\" } }";
  ASSERT_TRUE(WriteFile(root_ + "/a.textproto", first).ok());
  // In another folder: the paths of the vectors differ.
  std::string second = first;
  second.replace(second.find("one"), 3, "two");
  EXPECT_EQ(FaultOf(second),
            "x.textproto: \"same\" is the id of a case in a.textproto already; every vector has "
            "its own (CONF-VECTOR-RETIRED).");
}

// A tree with one vector made from a case, and files beside it.
class KeptTest : public GenerateTest {
 protected:
  KeptTest() {
    made_.push_back(Stored("codec/a/from-a-case.json", SPEC));
    EXPECT_EQ(WriteAll(made_, root_), absl::OkStatus());
  }

  static StoredVector Stored(const std::string& path, Source source) {
    Vector vector = *Scaffold(std::filesystem::path(path).stem().string(), "codec", "");
    vector.mutable_provenance()->set_kind(source);
    return {path, WriteVector(vector), vector, {}};
  }
  void Put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = std::filesystem::path(root_) / path;
    std::filesystem::create_directories(file.parent_path());
    EXPECT_EQ(WriteFile(file.string(), text), absl::OkStatus());
  }
  // What AddKept says; `all_` is what it leaves.
  std::string Added() {
    all_ = made_;
    const absl::Status status = AddKept(root_, SpecTables(), &all_);
    return status.ok() ? absl::StrCat(all_.size(), " vectors") : std::string(status.message());
  }
  bool Has(const std::string& path) { return std::filesystem::exists(root_ + "/" + path); }

  std::vector<StoredVector> made_;
  std::vector<StoredVector> all_;
};

TEST_F(KeptTest, ACounterExampleStaysAndIsInTheManifest) {
  Put("codec/found/kept.json", Stored("codec/found/kept.json", SHRINK).text);
  ASSERT_EQ(Added(), "2 vectors");
  EXPECT_EQ(all_[1].path, "codec/found/kept.json");
  EXPECT_THAT(CheckAll(all_, root_).message(),
              HasSubstr("MANIFEST lacks the line"));  // until it is made anew
  EXPECT_EQ(WriteAll(all_, root_), absl::OkStatus());
  EXPECT_EQ(CheckAll(all_, root_), absl::OkStatus());
  EXPECT_TRUE(Has("codec/found/kept.json"));
  // Without it, it would be taken for one whose case is gone.
  EXPECT_EQ(CheckAll(made_, root_).message(),
            "codec/found/kept.json comes from no case, and its provenance is not shrink.");
}

TEST_F(KeptTest, WhatComesFromNoCaseAndIsNoCounterExampleGoes) {
  Put("codec/found/old.json", Stored("codec/found/old.json", BUG).text);
  ASSERT_EQ(Added(), "1 vectors");
  EXPECT_EQ(WriteAll(all_, root_), absl::OkStatus());
  EXPECT_FALSE(Has("codec/found/old.json"));
}

TEST_F(KeptTest, ABadCounterExampleIsRefusedAndStays) {
  const StoredVector good = Stored("codec/found/kept.json", SHRINK);
  Put("codec/found/kept.json", good.text + "\n");
  EXPECT_EQ(
      Added(),
      "codec/found/kept.json: It is not in canonical form; `metaroce vector fmt` writes that.");
  Put("codec/found/kept.json", "{");
  EXPECT_THAT(Added(), HasSubstr("codec/found/kept.json:1:"));
  Put("codec/found/kept.json", std::string(kMaxVectorBytes + 1, ' '));
  EXPECT_EQ(Added(),
            "codec/found/kept.json: the file has 1048577 bytes; at most 1048576 are read.");
  Vector vector = good.vector;
  vector.add_clauses("ACK-DUE-NEVER");
  Put("codec/found/kept.json", WriteVector(vector));
  EXPECT_EQ(Added(), "codec/found/kept.json: clauses: There is no clause \"ACK-DUE-NEVER\".");
  Put("codec/found/kept.json", good.text);
  Put("codec/found/other.json", good.text);
  EXPECT_THAT(Added(), HasSubstr("codec/found/other.json: "));
  std::filesystem::remove(root_ + "/codec/found/other.json");
  Put("codec/twice/kept.json", good.text);
  EXPECT_EQ(Added(), "codec/twice/kept.json: codec/found/kept.json has the id kept too.");
  EXPECT_TRUE(Has("codec/found/kept.json"));
}

TEST_F(KeptTest, ACaseTakesNoIdOfAKeptVector) {
  Put("codec/b/from-a-case.json", Stored("codec/b/from-a-case.json", SHRINK).text);
  EXPECT_EQ(Added(),
            "codec/b/from-a-case.json: codec/a/from-a-case.json has the id from-a-case too.");
  std::filesystem::remove(root_ + "/codec/b/from-a-case.json");
  // In the very place where the case puts its own.
  Put("codec/a/from-a-case.json", Stored("codec/a/from-a-case.json", SHRINK).text);
  EXPECT_EQ(Added(),
            "codec/a/from-a-case.json: It is kept (its provenance is shrink), and a case has the "
            "id from-a-case too.");
}

TEST_F(KeptTest, NoVectorTakesARetiredId) {
  Put("retired.textproto",
      "retired { id: \"from-a-case\" version: \"1.0\" clause: \"WIRE-WRITE\" }");
  EXPECT_EQ(Added(),
            "codec/a/from-a-case.json: Its id is retired since 1.0 by retired.textproto; no vector "
            "has it again.");
}

TEST_F(KeptTest, AFolderThatHoldsNothingMoreGoes) {
  Put("codec/found/deep/old.json", Stored("codec/found/deep/old.json", BUG).text);
  Put("codec/other/old-too.json", Stored("codec/other/old-too.json", BUG).text);
  Put("codec/other/notes.txt", "mine");
  ASSERT_EQ(Added(), "1 vectors");
  EXPECT_EQ(WriteAll(all_, root_), absl::OkStatus());
  EXPECT_FALSE(Has("codec/found"));
  EXPECT_TRUE(Has("codec/other/notes.txt"));
}

}  // namespace
}  // namespace metaroce::vectors
