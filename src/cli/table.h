// A small table and a bar for the terminal.
// Words left, numbers right, columns as wide as needed.
// For output a person reads; programs take --format json.
#pragma once

#include <string>
#include <vector>

namespace rayleigh::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
  /// Cells may be words that others wrote: what could act on a terminal is made visible.
  void add(std::vector<std::string> row);
  /// Lines indented by two blanks.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// A horizontal bar for a share of 0 … 1, resolved to an eighth of a cell.
std::string bar(double share, std::size_t cells = 30);

}  // namespace rayleigh::cli
