// A page in one file that needs no other, and that an XML parser reads as well as a browser.
#ifndef METAROCE_TOOLS_PAGE_HTML_H_
#define METAROCE_TOOLS_PAGE_HTML_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/page/xml.h"

namespace metaroce::page {

class Html {
 public:
  explicit Html(absl::string_view title);

  // A heading of the rank 1 to 4, to which "#id" leads if it is not empty.
  void Heading(int rank, absl::string_view text, absl::string_view id = "");
  void Paragraph(absl::string_view text, absl::string_view style = "");
  // What a person types, or a program printed.
  void Verbatim(absl::string_view text);
  // A drawing or other elements.
  void Append(absl::string_view xml);

  struct Cell {
    std::string text;
    std::string style;  // one of the styles below, or none
    std::string link;   // "#id"; empty: none
  };
  // Styles of cells and paragraphs: "good", "bad", "mild", "number", "code".
  void Table(const std::vector<std::string>& head, const std::vector<std::vector<Cell>>& rows);

  std::string Take();

 private:
  Xml xml_;
};

}  // namespace metaroce::page

#endif  // METAROCE_TOOLS_PAGE_HTML_H_
