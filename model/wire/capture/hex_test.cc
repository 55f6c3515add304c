#include "model/wire/capture/hex.h"

#include <string>

#include "gtest/gtest.h"
#include "model/wire/capture/bytes_for_test.h"

namespace metaroce::capture {
namespace {

Capture Read(const std::string& text) { return ReadCapture(TextBytes(text)); }

std::string ErrorOf(const std::string& text) {
  const Capture capture = Read(text);
  EXPECT_TRUE(absl::IsInvalidArgument(capture.status)) << capture.status;
  return std::string(capture.status.message());
}

TEST(HexReader, ReadsOneFrameALineWithSpacesAnywhereAndDigitsInEitherCase) {
  const Capture capture = Read(" 00 1 1\t22aB\r\nFf\n");
  ASSERT_TRUE(capture.status.ok()) << capture.status;
  ASSERT_EQ(capture.packets.size(), 2u);
  EXPECT_EQ(capture.packets[0].bytes, Buffer({0x00, 0x11, 0x22, 0xAB}));
  EXPECT_EQ(capture.packets[0].link_type, 1u);
  EXPECT_EQ(capture.packets[0].original_length, 4u);
  EXPECT_EQ(capture.packets[1].bytes, Buffer({0xFF}));
  EXPECT_EQ(Place(capture.format, capture.packets[1]), "line 2");
}

TEST(HexReader, TakesThePrefixL3ForAFrameWithoutLinkLayer) {
  const Capture capture = Read("L3:4500\n  L3: 45 01\n4502");
  ASSERT_EQ(capture.packets.size(), 3u) << capture.status;
  EXPECT_EQ(capture.packets[0].link_type, 101u);
  EXPECT_EQ(capture.packets[0].bytes, Buffer({0x45, 0x00}));
  EXPECT_EQ(capture.packets[1].link_type, 101u);
  EXPECT_EQ(capture.packets[2].link_type, 1u);
}

TEST(HexReader, GivesAFrameTheCommentDirectlyAboveAndBehindIt) {
  const Capture capture = Read(
      "# of the file\n"
      "\n"
      "# one\n"
      "#   two \n"
      "00 # three\n"
      "11\n"
      "# lost\n"
      " \t\n"
      "22\n"
      "#\n"
      "# after an empty one\n"
      "33\n"
      "# nothing follows\n");
  ASSERT_TRUE(capture.status.ok()) << capture.status;
  ASSERT_EQ(capture.packets.size(), 4u);
  EXPECT_EQ(capture.packets[0].comment, "one\ntwo\nthree");
  EXPECT_EQ(capture.packets[1].comment, "");
  EXPECT_EQ(capture.packets[2].comment, "");
  EXPECT_EQ(capture.packets[3].comment, "after an empty one");
}

TEST(HexReader, NamesLineAndColumnOfAnErrorAndGivesTheFramesBefore) {
  EXPECT_EQ(ErrorOf("00\n\n1g\n"), "Line 3, column 2: 'g' is not a hex digit.");
  EXPECT_EQ(ErrorOf("00 1"), "Line 1, column 5: the number of hex digits is odd.");
  EXPECT_EQ(ErrorOf("00 1 # c"), "Line 1, column 6: the number of hex digits is odd.");
  EXPECT_EQ(ErrorOf("L3: 4x"), "Line 1, column 6: 'x' is not a hex digit.");
  EXPECT_EQ(ErrorOf("#\nL3 45"), "Line 2, column 1: 'L' is not a hex digit.");
  EXPECT_EQ(ErrorOf("#\nl3:45"), "Line 2, column 1: 'l' is not a hex digit.");
  EXPECT_EQ(ErrorOf("L3: # nothing"), "Line 1, column 5: there is no byte.");
  EXPECT_EQ(ErrorOf("00\x01"), "Line 1, column 3: the byte 0x01 is not a hex digit.");
  EXPECT_EQ(ErrorOf("00\xFE"), "Line 1, column 3: the byte 0xfe is not a hex digit.");
  const Capture capture = Read("00\n11\nzz\n22\n");
  EXPECT_EQ(capture.packets.size(), 2u);
}

TEST(HexReader, SkipsAByteOrderMarkAndTakesTextOfCommentsOnly) {
  EXPECT_EQ(Read("\xEF\xBB\xBF"
                 "01")
                .packets.size(),
            1u);
  const Capture comments = Read("# nothing\n# here");
  EXPECT_TRUE(comments.status.ok());
  EXPECT_TRUE(comments.packets.empty());
}

TEST(ToHexLine, WritesCommentPrefixAndDigits) {
  CapturedPacket packet;
  packet.link_type = 101;
  packet.bytes = {0x45, 0xAB};
  packet.comment = "one\ntwo";
  EXPECT_EQ(ToHexLine(packet), "# one\n# two\nL3:45ab\n");
}

}  // namespace
}  // namespace metaroce::capture
