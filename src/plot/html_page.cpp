#include "plot/html_page.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "rayleigh/version.h"

#include "plot/svg.h"

namespace rayleigh::plot {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light; }
body { font: 16px/1.5 Helvetica, Arial, "Liberation Sans", sans-serif; color: #222; background: #fff;
       max-width: 68rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.9rem; margin: 0; line-height: 1.2; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem; border-bottom: 2px solid #0072B2; padding-bottom: .2rem; }
.subtitle { color: #555; margin: .3rem 0 1.6rem; }
p { max-width: 46rem; }
figure { margin: 1.2rem 0 1.8rem; break-inside: avoid; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; }
.row { display: flex; flex-wrap: wrap; gap: 0 1.6rem; align-items: flex-start; }
.row figure { flex: 1 1 26rem; }
figcaption, caption { font-size: .87rem; color: #444; text-align: left; max-width: 52rem; padding-top: .3rem; }
caption { padding: 0 0 .4rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .8rem; border-bottom: 1px solid #e3e3e3; text-align: left; white-space: nowrap; }
th { border-bottom: 2px solid #999; }
td.number, th.number { text-align: right; }
td.words { white-space: normal; min-width: 16rem; }
table.marked th, table.marked td { text-align: center; padding: .25rem .55rem; }
table.marked th.name, table.marked td.name { text-align: left; }
.marked small { display: block; color: #666; font-size: .75rem; line-height: 1.2; }
.marked th small { white-space: normal; max-width: 12rem; margin: 0 auto; font-weight: 400; }
.marked .best { font-weight: 700; }
.marked .best small { font-weight: 400; }
.marked .under { background: #fdeee2; }
.marked .yardstick { background: #f1f1f1; font-style: italic; }
.marked .failed { color: #a33; }
.wide { overflow-x: auto; margin: 1.2rem 0 1.8rem; }
.facts { display: flex; flex-wrap: wrap; gap: 1.2rem 2.4rem; margin: 1rem 0; }
.facts b { display: block; font-size: 1.6rem; font-weight: 600; color: #0072B2; }
.facts span { color: #555; font-size: .87rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(21rem, 1fr)); gap: 1.2rem; }
.card { border: 1px solid #ddd; border-radius: 6px; padding: .8rem; break-inside: avoid; font-size: .87rem;
        line-height: 1.4; overflow-wrap: anywhere; }
.card svg { display: block; margin: 0 auto .4rem; max-width: 100%; height: auto; }
.card b { font-size: 1rem; }
.card div.line { color: #444; }
.small { display: flex; flex-wrap: wrap; gap: .4rem; margin-top: .5rem; border-top: 1px solid #eee; padding-top: .4rem; }
.card .small svg { margin: 0; }
.small div { flex: 1 1 5rem; min-width: 0; font-size: .72rem; color: #555; line-height: 1.25; }
footer { margin-top: 3rem; color: #777; font-size: .85rem; }
@media print { body { margin: 0; max-width: none; } tr { break-inside: avoid; } table { font-size: .8rem; }
               th, td { white-space: normal; padding: .2rem .5rem; } td.number { white-space: nowrap; } }
)";

/// Of a cell, in bytes; longer ones are broken.
constexpr std::size_t kLongestLine = 48;

bool looks_like_number(std::string_view cell) {
  return !cell.empty() && (std::isdigit(static_cast<unsigned char>(cell.front())) != 0 ||
                           cell == "-" || cell == "inf" || cell.starts_with("−") ||
                           cell.starts_with("< ") || (cell.front() == '-' && cell.size() > 1));
}

}  // namespace

HtmlPage::HtmlPage(std::string title, std::string subtitle)
    : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

void HtmlPage::heading(std::string_view text) {
  body_ += fmt::format("<h2>{}</h2>\n", escape(text));
}

void HtmlPage::paragraph(std::string_view text) {
  body_ += fmt::format("<p>{}</p>\n", escape(text));
}

void HtmlPage::figure(std::string_view svg, std::string_view caption) {
  body_ += fmt::format("<figure>\n{}<figcaption><b>Figure {}.</b> {}</figcaption></figure>\n", svg,
                       ++figures_, escape(caption));
}

void HtmlPage::figures(const std::vector<CaptionedFigure>& row) {
  body_ += "<div class=\"row\">\n";
  for (const auto& [svg, caption] : row) {
    figure(svg, caption);
  }
  body_ += "</div>\n";
}

void HtmlPage::table(const std::vector<std::vector<std::string>>& rows, std::string_view caption) {
  body_ += fmt::format("<div class=\"wide\"><table><caption><b>Table {}.</b> {}</caption>\n",
                       ++tables_, escape(caption));
  const auto is_number_column = [&](std::size_t c) {
    return rows.size() > 1 && std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
             return c < row.size() && looks_like_number(row[c]);
           });
  };
  std::vector<bool> number_column;
  for (std::size_t c = 0; !rows.empty() && c < rows[0].size(); ++c) {
    number_column.push_back(is_number_column(c));
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    body_ += "<tr>";
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const bool number = c < number_column.size() && number_column[c];
      const bool words = r > 0 && rows[r][c].size() > kLongestLine;
      body_ += fmt::format("<{0}{1}>{2}</{0}>", r == 0 ? "th" : "td",
                           number  ? " class=\"number\""
                           : words ? " class=\"words\""
                                   : "",
                           escape(rows[r][c]));
    }
    body_ += "</tr>\n";
  }
  body_ += "</table></div>\n";
}

void HtmlPage::marked_table(const MarkedRows& header, const MarkedRows& rows,
                            std::string_view caption) {
  body_ += fmt::format(
      "<div class=\"wide\"><table class=\"marked\"><caption><b>Table {}.</b> {}</caption>\n",
      ++tables_, escape(caption));
  const auto add = [&](const std::vector<MarkedCell>& row, const char* element) {
    body_ += "<tr>";
    for (const MarkedCell& cell : row) {
      body_ += fmt::format("<{}", element);
      body_ += cell.columns > 1 ? fmt::format(" colspan=\"{}\"", cell.columns) : "";
      body_ += cell.marks.empty() ? "" : fmt::format(" class=\"{}\"", escape(cell.marks));
      body_ += cell.shade > 0 ? fmt::format(" style=\"background: rgba(0, 114, 178, {:.2f})\"",
                                            0.45 * cell.shade)
                              : "";
      body_ += ">" + escape(cell.text);
      body_ += cell.below.empty() ? "" : fmt::format("<small>{}</small>", escape(cell.below));
      body_ += fmt::format("</{}>", element);
    }
    body_ += "</tr>\n";
  };
  for (const auto& row : header) {
    add(row, "th");
  }
  for (const auto& row : rows) {
    add(row, "td");
  }
  body_ += "</table></div>\n";
}

void HtmlPage::facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  body_ += "<div class=\"facts\">\n";
  for (const auto& [value, word] : facts) {
    body_ += fmt::format("<div><b>{}</b><span>{}</span></div>\n", escape(value), escape(word));
  }
  body_ += "</div>\n";
}

void HtmlPage::cards(const std::vector<Card>& cards) {
  body_ += "<div class=\"cards\">\n";
  for (const Card& card : cards) {
    body_ += fmt::format("<div class=\"card\">\n{}<b>{}</b>\n", card.svg, escape(card.title));
    for (const std::string& line : card.lines) {
      body_ += fmt::format("<div class=\"line\">{}</div>\n", escape(line));
    }
    if (!card.small.empty()) {
      body_ += "<div class=\"small\">\n";
      for (const auto& [svg, caption] : card.small) {
        body_ += fmt::format("<div>{}<br>{}</div>\n", svg, escape(caption));
      }
      body_ += "</div>\n";
    }
    body_ += "</div>\n";
  }
  body_ += "</div>\n";
}

std::string HtmlPage::html() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n"
      "<p class=\"subtitle\">{2}</p>\n{3}<footer>Made by rayleigh "
      "{4}.</footer>\n</body>\n</html>\n",
      escape(title_), kStyle, escape(subtitle_), body_, kVersion);
}

}  // namespace rayleigh::plot
