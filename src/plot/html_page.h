// A self-contained HTML page: headings, words, tables and SVG figures, no file beside it.
// Every report is made with this. Readable on screen and on paper.
// As large as its figures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rayleigh::plot {

struct CaptionedFigure {
  std::string_view svg;
  std::string caption;
};

/// The same for pictures that nobody else keeps.
struct CaptionedPicture {
  std::string svg;
  std::string caption;
};

/// A cell that says more than its text.
struct MarkedCell {
  std::string text;
  std::string below{};      ///< smaller, on a line of its own
  std::string marks{};      ///< of best, under, yardstick, failed, name; blanks between
  double shade = 0;         ///< 0 … 1: strength of a blue ground
  std::size_t columns = 1;  ///< that it covers
};
using MarkedRows = std::vector<std::vector<MarkedCell>>;

/// A picture with words below it, and small pictures below those.
struct Card {
  std::string svg;
  std::string title;
  std::vector<std::string> lines{};
  std::vector<CaptionedPicture> small{};
};

class HtmlPage {
 public:
  /// `subtitle` says what the page is about: data, date-free facts.
  HtmlPage(std::string title, std::string subtitle);

  void heading(std::string_view text);
  void paragraph(std::string_view text);
  /// A numbered figure with a caption that stands on its own.
  void figure(std::string_view svg, std::string_view caption);
  /// Several next to each other where the window is wide enough.
  void figures(const std::vector<CaptionedFigure>& row);
  /// First row is the header; columns of numbers align right.
  void table(const std::vector<std::vector<std::string>>& rows, std::string_view caption);
  /// `header` may have several rows.
  void marked_table(const MarkedRows& header, const MarkedRows& rows, std::string_view caption);
  /// Large numbers with a word below each, in a row.
  void facts(const std::vector<std::pair<std::string, std::string>>& facts);

  /// As many in a row as the window has room for.
  void cards(const std::vector<Card>& cards);

  std::string html() const;

 private:
  std::string title_;
  std::string subtitle_;
  std::string body_;
  int figures_ = 0;
  int tables_ = 0;
};

}  // namespace rayleigh::plot
