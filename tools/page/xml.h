// Well-formed XML, whatever the texts are that it is made of.
#ifndef METAROCE_TOOLS_PAGE_XML_H_
#define METAROCE_TOOLS_PAGE_XML_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace metaroce::page {

// `text` as it may stand between tags and in an attribute's quotes: "<" and its like become
// entities, a byte that is no UTF-8 becomes U+FFFD, and a character that XML 1.0 cannot hold
// becomes "?". Line feeds and tabs stay.
std::string Escape(absl::string_view text);

// Names and values; values are escaped, names are the programmer's.
using Attributes = std::vector<std::pair<absl::string_view, std::string>>;

// Elements one after another, each closed in its order.
class Xml {
 public:
  // Begins an element.
  void Open(absl::string_view name, const Attributes& attributes = {});
  // Ends the latest that is open. Precondition: one is.
  void Close();
  // Text within the element that is open.
  void Text(absl::string_view text);
  // An element with text or, if there is none, an empty one ("<br/>").
  void Element(absl::string_view name, const Attributes& attributes, absl::string_view text = "");
  // What another Xml made.
  void Append(absl::string_view xml);
  // A line feed, for those who read the source.
  void Break();

  // Closes what is open and gives it all.
  std::string Take();

 private:
  void Tag(absl::string_view name, const Attributes& attributes, absl::string_view end);

  std::string out_;
  std::vector<std::string> open_;
};

}  // namespace metaroce::page

#endif  // METAROCE_TOOLS_PAGE_XML_H_
