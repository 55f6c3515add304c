#include "tools/page/html.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace metaroce::page {
namespace {

// No character here needs an escape, so that XML and HTML read the same.
constexpr char kStyle[] = R"(
body { font: 15px/1.45 sans-serif; max-width: 68em; margin: 2em auto; padding: 0 1em; color: #1a1a1a; }
h1 { font-size: 1.6em; } h2 { font-size: 1.25em; margin-top: 2em; } h3 { font-size: 1.05em; margin-top: 1.6em; }
table { border-collapse: collapse; margin: 0.8em 0; }
th, td { text-align: left; padding: 0.2em 0.8em 0.2em 0; border-bottom: 1px solid #dddddd; vertical-align: top; overflow-wrap: anywhere; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
td.code, pre { font-family: monospace; font-size: 0.92em; }
pre { background: #f4f4f4; padding: 0.7em; overflow-x: auto; white-space: pre-wrap; }
.good { color: #00613f; } .bad { color: #a82f00; font-weight: bold; } .mild { color: #666666; }
svg { width: 100%; height: auto; border: 1px solid #dddddd; }
)";

Attributes Class(absl::string_view style) {
  if (style.empty()) return {};
  return {{"class", std::string(style)}};
}

}  // namespace

Html::Html(absl::string_view title) {
  xml_.Append("<!DOCTYPE html>\n");
  xml_.Open("html", {{"xmlns", "http://www.w3.org/1999/xhtml"}, {"lang", "en"}});
  xml_.Open("head");
  xml_.Element("meta", {{"charset", "utf-8"}});
  xml_.Element("meta", {{"name", "viewport"}, {"content", "width=device-width"}});
  xml_.Element("title", {}, title.empty() ? "untitled" : title);
  xml_.Open("style");
  xml_.Append(kStyle);
  xml_.Close();
  xml_.Close();
  xml_.Break();
  xml_.Open("body");
  xml_.Break();
}

void Html::Heading(int rank, absl::string_view text, absl::string_view id) {
  Attributes attributes;
  if (!id.empty()) attributes.emplace_back("id", std::string(id));
  xml_.Open(absl::StrCat("h", rank), attributes);
  xml_.Text(text);
  xml_.Close();
  xml_.Break();
}

void Html::Paragraph(absl::string_view text, absl::string_view style) {
  xml_.Open("p", Class(style));
  xml_.Text(text);
  xml_.Close();
  xml_.Break();
}

void Html::Verbatim(absl::string_view text) {
  xml_.Open("pre");
  xml_.Text(text);
  xml_.Close();
  xml_.Break();
}

void Html::Append(absl::string_view xml) { xml_.Append(xml); }

void Html::Table(const std::vector<std::string>& head, const std::vector<std::vector<Cell>>& rows) {
  xml_.Open("table");
  xml_.Open("thead");
  xml_.Open("tr");
  for (const std::string& text : head) {
    xml_.Open("th");
    xml_.Text(text);
    xml_.Close();
  }
  xml_.Close();
  xml_.Close();
  xml_.Break();
  xml_.Open("tbody");
  xml_.Break();
  for (const std::vector<Cell>& row : rows) {
    xml_.Open("tr");
    for (const Cell& cell : row) {
      xml_.Open("td", Class(cell.style));
      if (!cell.link.empty()) xml_.Open("a", {{"href", cell.link}});
      xml_.Text(cell.text);
      if (!cell.link.empty()) xml_.Close();
      xml_.Close();
    }
    xml_.Close();
    xml_.Break();
  }
  xml_.Close();
  xml_.Close();
  xml_.Break();
}

std::string Html::Take() { return xml_.Take() + "\n"; }

}  // namespace metaroce::page
