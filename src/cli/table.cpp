#include "cli/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/text.h"

namespace rayleigh::cli {

namespace {

/// Also words that stand where a number is missing.
bool is_number(std::string_view cell) {
  cell = core::trim(cell);
  return cell.empty() || cell == "-" || cell == "failed" || cell.starts_with("< ") ||
         cell.find_first_of("0123456789") ==
             (cell.starts_with('-') || cell.starts_with('+') ? 1U : 0U);
}

}  // namespace

void Table::add(std::vector<std::string> row) {
  for (std::string& cell : row) {
    cell = core::visible(cell);
  }
  rows_.push_back(std::move(row));
}

std::string Table::text() const {
  std::vector<std::size_t> width(rows_[0].size(), 0);
  std::vector<bool> words(rows_[0].size(), false);
  for (std::size_t r = 1; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      words[c] = words[c] || !is_number(rows_[r][c]);
    }
  }
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      width[c] = std::max(width[c], core::display_width(row[c]));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line = " ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(width[c] - core::display_width(row[c]), ' ');
      line += c == 0 ? " " : "  ";
      line += words[c] ? row[c] + padding : padding + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string bar(double share, std::size_t cells) {
  constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(cells) * 8));
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) {
    text += "█";
  }
  text += kEighths[eighths % 8];
  // Something that is there is never invisible.
  return text.empty() && share > 0 ? std::string(kEighths[1]) : text;
}

}  // namespace rayleigh::cli
