// Rows of a CSV or TSV text: cells with quotes taken off, a defect where a row is malformed.
// A quoted cell may hold separators, doubled quotes and line ends; a quote that is never closed
// costs its own line only, not the rows behind it.
// Far faster than anything that is done with a row here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/text_lines.h"

namespace rayleigh::io {

struct TableRow {
  std::uint64_t line = 0;  ///< where it begins
  std::vector<std::string> cells;
  std::string defect;  ///< why there are no cells
};

class TableRecords {
 public:
  /// `separator` is a comma or a tab.
  TableRecords(std::unique_ptr<ByteSource> source, char separator);

  /// The first row that is not blank; nothing in an empty file. Call first and once: rows must have
  /// as many cells.
  std::optional<TableRow> header();
  /// The next row that is not blank.
  std::optional<TableRow> next();

  const std::string& name() const { return lines_.name(); }
  std::optional<double> fraction_read() const { return lines_.fraction_read(); }
  /// Blank lines so far, and the first of them.
  std::uint64_t blank_lines() const { return blank_lines_; }
  std::uint64_t first_blank() const { return first_blank_; }

 private:
  std::optional<TextLine> next_line();
  std::optional<TableRow> read_row();

  TextLines lines_;
  char separator_;
  std::size_t columns_ = 0;  ///< 0 = any
  std::uint64_t blank_lines_ = 0;
  std::uint64_t first_blank_ = 0;
};

}  // namespace rayleigh::io
