#include "vectors/manifest.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vectors/file.h"
#include "vectors/json.h"
#include "vectors/testing/fake_spec_index.h"

namespace metaroce::vectors {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ManifestTest : public ::testing::Test {
 protected:
  ManifestTest()
      : root_(absl::StrCat(::testing::TempDir(), "/tree-",
                           ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(root_ + "/codec");
    std::filesystem::create_directories(root_ + "/block/ack-generation/deeper");
    Copy("write-codec", "codec/write-codec.json");
    Copy("ack-first-behind-hole", "block/ack-generation/deeper/ack-first-behind-hole.json");
  }
  ~ManifestTest() override { std::filesystem::remove_all(root_); }

  void Copy(const std::string& id, const std::string& to) {
    const auto text = ReadFile(absl::StrCat("vectors/testdata/", id, ".json"), kMaxVectorBytes);
    ASSERT_TRUE(text.ok());
    ASSERT_TRUE(WriteFile(absl::StrCat(root_, "/", to), *text).ok());
  }

  Tree Load() {
    auto tree = LoadTree(root_, index_);
    EXPECT_TRUE(tree.ok()) << tree.status();
    return *std::move(tree);
  }

  FakeSpecIndex index_;
  std::string root_;
};

TEST_F(ManifestTest, LoadsATreeInTheOrderOfThePaths) {
  const Tree tree = Load();
  EXPECT_THAT(tree.Findings(), IsEmpty());
  ASSERT_THAT(tree.vectors, SizeIs(2));
  EXPECT_EQ(tree.vectors[0].path, "block/ack-generation/deeper/ack-first-behind-hole.json");
  EXPECT_EQ(tree.vectors[1].vector.id(), "write-codec");
  EXPECT_EQ(DefaultPath(tree.vectors[0].vector), "block/ack-generation/ack-first-behind-hole.json");
}

TEST_F(ManifestTest, OneBadFileIsAFindingAndTheOthersAreLoaded) {
  ASSERT_TRUE(WriteFile(root_ + "/codec/bad.json", "{").ok());
  const Tree tree = Load();
  EXPECT_THAT(tree.vectors, SizeIs(2));
  ASSERT_THAT(tree.unreadable, SizeIs(1));
  EXPECT_EQ(tree.unreadable[0].path, "codec/bad.json");
  EXPECT_THAT(tree.Findings()[0], HasSubstr("codec/bad.json:1:"));
}

TEST_F(ManifestTest, TellsHowTheTreeDiffersFromItsManifest) {
  const auto differences = [&] { return CompareWithManifest(root_, Load()); };
  EXPECT_THAT(differences(), ElementsAre(AllOf(HasSubstr("MANIFEST"), HasSubstr("cannot be opened"),
                                               HasSubstr("Nothing says"))));
  const std::string manifest = WriteManifest(Load().vectors);
  const auto write = [&](const std::string& text) {
    ASSERT_TRUE(WriteFile(root_ + "/MANIFEST", text).ok());
  };
  write(manifest);
  EXPECT_THAT(differences(), IsEmpty());

  ASSERT_TRUE(WriteFile(root_ + "/codec/bad.json", "{").ok());
  EXPECT_THAT(differences(), ElementsAre("codec/bad.json: path: MANIFEST has no such file."));
  write(manifest + std::string(64, '0') + "  codec/bad.json\n" + std::string(64, '0') +
        "  codec/gone.json\n");
  EXPECT_THAT(
      differences(),
      ElementsAre("codec/bad.json: sha256: It is not that of line 3 of MANIFEST: the file was "
                  "changed.",
                  "codec/gone.json: path: MANIFEST has it on line 4, and there is no such "
                  "file."));
  std::filesystem::remove(root_ + "/codec/bad.json");
  write(manifest + manifest + "rubbish\x1b\n");
  EXPECT_THAT(differences(),
              ElementsAre(HasSubstr("MANIFEST:3: block/"), HasSubstr("MANIFEST:4: codec/"),
                          "MANIFEST:5: This is no checksum, two blanks and a path."));
  write("1\n2\n3\n4\n5\n6\n7\n8\n");
  EXPECT_EQ(differences().size(), 6u);
  EXPECT_EQ(differences().back(), "MANIFEST: 5 more differences.");
}

TEST_F(ManifestTest, AVectorInTheWrongPlaceOrWithATakenIdIsAFinding) {
  std::filesystem::create_directories(root_ + "/endpoint");
  Copy("write-codec", "endpoint/write-codec.json");
  Copy("ack-first-behind-hole", "block/ack-generation/other.json");
  const std::string findings = absl::StrJoin(Load().Findings(), "\n");
  EXPECT_THAT(findings, HasSubstr("endpoint/write-codec.json: A vector with this id, level and "
                                  "block lies at codec/.../write-codec.json."));
  EXPECT_THAT(findings, HasSubstr("endpoint/write-codec.json: the id \"write-codec\" is already "
                                  "that of codec/write-codec.json."));
  EXPECT_THAT(findings, HasSubstr("block/ack-generation/other.json: A vector with this id"));
}

TEST_F(ManifestTest, TheManifestIsReadBySha256sum) {
  ASSERT_TRUE(WriteFile(root_ + "/MANIFEST", WriteManifest(Load().vectors)).ok());
  const std::string command = absl::StrCat("cd '", root_, "' && sha256sum --strict -c MANIFEST");
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST_F(ManifestTest, NamesWhatDiffers) {
  const Tree tree = Load();
  const std::string manifest = WriteManifest(tree.vectors);
  EXPECT_TRUE(CheckManifest(manifest, tree.vectors).ok());

  std::vector<StoredVector> changed = tree.vectors;
  changed[1].text += " ";
  EXPECT_THAT(std::string(CheckManifest(manifest, changed).message()),
              HasSubstr("codec/write-codec.json\": the vector is new, or was changed."));
  std::vector<StoredVector> fewer = tree.vectors;
  fewer.pop_back();
  EXPECT_THAT(std::string(CheckManifest(manifest, fewer).message()),
              HasSubstr("there is no such vector with these contents"));
  const size_t second = manifest.find('\n') + 1;
  const std::string swapped = manifest.substr(second) + manifest.substr(0, second);
  EXPECT_THAT(std::string(CheckManifest(swapped, tree.vectors).message()),
              HasSubstr("not in the order of the paths"));
  EXPECT_FALSE(CheckManifest("", tree.vectors).ok());
}

TEST_F(ManifestTest, AFolderThatIsNotThereIsAnError) {
  EXPECT_EQ(LoadTree(root_ + "/none", index_).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace metaroce::vectors
