#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/page/html.h"
#include "tools/page/svg.h"
#include "tools/page/xml.h"

namespace metaroce::page {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(XmlTest, EscapesWhatWouldBeMarkupAndWhatXmlCannotHold) {
  EXPECT_EQ(Escape("a < b & \"c\" > d"), "a &lt; b &amp; &quot;c&quot; &gt; d");
  EXPECT_EQ(Escape("bell\x07 escape\x1b[31m\ttab\n"), "bell? escape?[31m\ttab\n");
  EXPECT_EQ(Escape("\xc2\x9b"), "?") << "a C1 control character";
  EXPECT_EQ(Escape("\xef\xbf\xbf"), "?") << "U+FFFF";
  EXPECT_EQ(Escape("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
}

TEST(XmlTest, AByteThatIsNoUtf8BecomesTheReplacementCharacter) {
  const std::string unknown = "\xef\xbf\xbd";
  for (const std::string bad : {"\x80", "\xc0", "\xff", "\xc3"}) {
    EXPECT_EQ(Escape("x" + bad), "x" + unknown);
  }
  EXPECT_EQ(Escape("\xc0\xaf"), unknown + unknown) << "an overlong slash";
  EXPECT_EQ(Escape("\xed\xa0\x80"), unknown + unknown + unknown) << "a surrogate";
  EXPECT_EQ(Escape("\xf4\x90\x80\x80"), unknown + unknown + unknown + unknown);
}

TEST(XmlTest, ClosesWhatItOpened) {
  Xml xml;
  xml.Open("a", {{"b", "\"<"}});
  xml.Element("c", {});
  xml.Element("d", {}, "e & f");
  EXPECT_EQ(xml.Take(), "<a b=\"&quot;&lt;\"><c/><d>e &amp; f</d></a>");
}

TEST(SvgTest, WritesTenthsAndMarksOfAxes) {
  EXPECT_EQ(ToString(Tenths{123}), "12.3");
  EXPECT_EQ(ToString(Tenths{-5}), "-0.5");
  EXPECT_EQ(Thousandths(12000), "12");
  EXPECT_EQ(Thousandths(250), "0.25");
  EXPECT_EQ(StepOf(5), 1);
  EXPECT_EQ(StepOf(6), 2);
  EXPECT_EQ(StepOf(1000), 200);
}

TEST(SvgTest, EscapesItsTexts) {
  Svg svg(1000, 500);
  svg.Text(0, 0, "start", "</text><script>");
  svg.Dot(10, 10, 5, Colour(0), "a \"title\" & more");
  const std::string out = svg.Take();
  EXPECT_THAT(out, HasSubstr("viewBox=\"0 0 100 50\""));
  EXPECT_THAT(out, Not(HasSubstr("<script>")));
  EXPECT_THAT(out, HasSubstr("a &quot;title&quot; &amp; more"));
}

TEST(HtmlTest, IsOneFileWhoseTextsAreEscaped) {
  Html html("<title>");
  html.Heading(2, "a & b", "here");
  html.Table({"<th>"}, {{{"<td>", "bad", "#a\"b"}}});
  html.Verbatim("$ x < y");
  const std::string out = html.Take();
  EXPECT_THAT(out, HasSubstr("<title>&lt;title&gt;</title>"));
  EXPECT_THAT(out, HasSubstr("<h2 id=\"here\">a &amp; b</h2>"));
  EXPECT_THAT(out, HasSubstr("<td class=\"bad\"><a href=\"#a&quot;b\">&lt;td&gt;</a></td>"));
  EXPECT_THAT(out, HasSubstr("<pre>$ x &lt; y</pre>"));
  EXPECT_THAT(out, Not(HasSubstr("http://www.w3.org/TR")));
  EXPECT_EQ(out.substr(out.size() - 15), "</body></html>\n");
}

}  // namespace
}  // namespace metaroce::page
