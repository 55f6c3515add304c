#include "vectors/text.h"

#include <string>

#include "gtest/gtest.h"

namespace metaroce::vectors {
namespace {

TEST(TextTest, PrintableShowsWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("plain \xC3\xA4 text"), "plain \xC3\xA4 text");
  EXPECT_EQ(Printable("\x1B[2Ja\rb\nc\x7F"), "\\x1b[2Ja\\x0db\\x0ac\\x7f");
  EXPECT_EQ(Printable("\xC2\x9B"
                      "31m"),
            "\\xc2\\x9b31m");  // C1: another way to begin a sequence
  EXPECT_EQ(Printable("a\xFF\xE2\x82"), "a\\xff\\xe2\\x82");
}

TEST(TextTest, ShortenNeverCutsInsideACodePoint) {
  EXPECT_EQ(Shorten("abc", 3), "abc");
  EXPECT_EQ(Shorten("abcdefgh", 6), "abc...");
  EXPECT_EQ(Shorten("ab\xC3\xA4\xC3\xA4\xC3\xA4", 6), "ab...");
  EXPECT_TRUE(IsUtf8(Shorten("\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC", 7)));
}

TEST(TextTest, HexIsTheInverseOfUnhex) {
  const std::string bytes("\x00\x7F\x80\xFF", 4);
  EXPECT_EQ(Hex(bytes), "0x007f80ff");
  EXPECT_EQ(*Unhex("0x007f80ff"), bytes);
  EXPECT_EQ(*Unhex("0x"), "");
}

TEST(TextTest, UnhexSaysWhatIsWrong) {
  EXPECT_EQ(Unhex("00").status().message(), "\"00\" does not begin with \"0x\".");
  EXPECT_EQ(Unhex("0xA0").status().message(),
            "\"0xA0\" holds other characters than 0 to 9 and a to f.");
  EXPECT_EQ(Unhex("0x0").status().message(), "\"0x0\" has an odd number of digits.");
}

}  // namespace
}  // namespace metaroce::vectors
