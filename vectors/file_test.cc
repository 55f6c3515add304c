#include "vectors/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace metaroce::vectors {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  std::string At(const std::string& name) const { return root_ + "/" + name; }
  std::string Contents(const std::string& name) const {
    return ReadFile(At(name), 1000).value_or("(cannot be read)");
  }

  const std::string root_ = ::testing::TempDir() + "/file_test";
};

TEST_F(FileTest, AFileIsReplacedWhole) {
  ASSERT_TRUE(WriteFile(At("a"), "the first and longer one").ok());
  ASSERT_TRUE(WriteFile(At("a"), "the second").ok());
  EXPECT_EQ(Contents("a"), "the second");
  EXPECT_FALSE(fs::exists(At("a.part")));
}

TEST_F(FileTest, ALinkStaysALink) {
  ASSERT_TRUE(WriteFile(At("a"), "the first and longer one").ok());
  fs::create_symlink("a", At("link"));
  ASSERT_TRUE(WriteFile(At("link"), "the second").ok());
  EXPECT_TRUE(fs::is_symlink(At("link")));
  EXPECT_EQ(Contents("a"), "the second");
}

TEST_F(FileTest, ADeviceStaysADevice) {
  fs::create_symlink("/dev/null", At("null"));
  EXPECT_TRUE(WriteFile(At("null"), "nothing").ok());
  EXPECT_TRUE(fs::is_symlink(At("null")));
  fs::create_symlink("/dev/full", At("full"));
  const absl::Status status = WriteFile(At("full"), "too much");
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot be written"));
  EXPECT_TRUE(fs::is_symlink(At("full")));
}

TEST_F(FileTest, APipeIsWrittenThroughAndOneWithoutAReaderRefused) {
  ASSERT_EQ(mkfifo(At("pipe").c_str(), 0600), 0);
  EXPECT_THAT(std::string(WriteFile(At("pipe"), "lost").message()),
              HasSubstr("cannot be opened for writing"));
  const int reader = open(At("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(WriteFile(At("pipe"), "heard").ok());
  char heard[16] = {};
  EXPECT_EQ(read(reader, heard, sizeof heard), 5);
  EXPECT_STREQ(heard, "heard");
  close(reader);
}

TEST_F(FileTest, ADirectoryIsRefused) {
  EXPECT_THAT(std::string(WriteFile(root_, "no").message()), HasSubstr(root_));
  EXPECT_TRUE(fs::is_directory(root_));
}

}  // namespace
}  // namespace metaroce::vectors
