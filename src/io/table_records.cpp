#include "io/table_records.h"

#include <fmt/format.h>
#include <utility>

#include "core/text.h"

namespace rayleigh::io {
namespace {

/// A quoted cell of more lines is taken for a quote that was never closed.
constexpr std::size_t kMostLines = 100;

enum class Cut { complete, open_quote, text_behind_quote };

/// Cuts text at the separators outside of quotes. A quote inside an unquoted cell is plain text:
/// names such as 2,2"-bipyridyl have them.
Cut cut_cells(std::string_view text, char separator, std::vector<std::string>& cells) {
  cells.clear();
  std::size_t at = 0;
  while (true) {
    std::string& cell = cells.emplace_back();
    if (at < text.size() && text[at] == '"') {
      ++at;
      while (true) {
        const auto quote = text.find('"', at);
        if (quote == std::string_view::npos) {
          return Cut::open_quote;
        }
        cell += text.substr(at, quote - at);
        at = quote + 1;
        if (at >= text.size() || text[at] != '"') {
          break;
        }
        cell += '"';
        ++at;
      }
      if (at < text.size() && text[at] != separator) {
        return Cut::text_behind_quote;
      }
    } else {
      const auto end = std::min(text.find(separator, at), text.size());
      cell = text.substr(at, end - at);
      at = end;
    }
    if (at >= text.size()) {
      return Cut::complete;
    }
    ++at;  // the separator
  }
}

}  // namespace

TableRecords::TableRecords(std::unique_ptr<ByteSource> source, char separator)
    : lines_(std::move(source)), separator_(separator) {}

std::optional<TableRow> TableRecords::header() {
  auto row = read_row();
  if (row) {
    columns_ = row->cells.size();
  }
  return row;
}

std::optional<TableRow> TableRecords::next() { return read_row(); }

std::optional<TextLine> TableRecords::next_line() {
  auto line = lines_.next();
  while (line && core::trim(line->text).empty() &&
         line->text.find(separator_) == std::string::npos) {
    first_blank_ = blank_lines_++ == 0 ? line->number : first_blank_;
    line = lines_.next();
  }
  return line;
}

std::optional<TableRow> TableRecords::read_row() {
  auto first = next_line();
  if (!first) {
    return std::nullopt;
  }
  TableRow row{.line = first->number, .cells = {}, .defect = {}};
  Cut cut = cut_cells(first->text, separator_, row.cells);
  std::vector<TextLine> more;
  std::string text;
  while (cut == Cut::open_quote && more.size() < kMostLines) {
    auto line = lines_.next();
    if (!line) {
      break;
    }
    text = more.empty() ? first->text : std::move(text);
    text += '\n';
    text += line->text;
    more.push_back(std::move(*line));
    cut = cut_cells(text, separator_, row.cells);
  }
  const bool fits = columns_ == 0 || row.cells.size() == columns_;
  if (cut == Cut::complete && fits) {
    return row;
  }
  if (!more.empty()) {
    lines_.put_back(std::move(more));
    row.defect = "a quote is opened and not closed before the end of the cell";
  } else if (cut == Cut::open_quote) {
    row.defect = "a quote is opened and never closed";
  } else if (cut == Cut::text_behind_quote) {
    row.defect = "there is text between a closing quote and the end of the cell";
  } else {
    row.defect = fmt::format("the row has {}, expected {} as in the header",
                             core::counted(row.cells.size(), "column"), columns_);
  }
  row.cells.clear();
  return row;
}

}  // namespace rayleigh::io
