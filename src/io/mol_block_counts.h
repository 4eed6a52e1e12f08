// How many atoms and bonds a mol block claims, and whether its lines can hold them.
// Asked before a chemistry library sees the block, because it makes room for what is claimed.
// One pass over the lines of the block; no copy.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rayleigh::io {

struct MolBlockCounts {
  std::uint64_t atoms = 0;
  std::uint64_t bonds = 0;
  std::uint64_t lines = 0;  ///< of the block

  /// Every atom and every bond has a line of its own, in both versions of the format.
  bool fit() const { return atoms <= lines && bonds <= lines; }
};

namespace mol_block {

constexpr std::string_view kLaterLine = "M  V30 ";

/// Cuts the first line off, without its end.
inline std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

/// The whole number that the text begins with, behind blanks; 0 where there is none, the largest
/// where it is larger still or negative, which some libraries take for a large one.
inline std::uint64_t take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t+"), text.size()));
  if (text.starts_with('-')) {
    return UINT64_MAX;
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc::result_out_of_range ? UINT64_MAX : number;
}

/// Of "COUNTS 12 13 0 0 1", in any case of letters.
inline std::optional<MolBlockCounts> later_counts(std::string_view line) {
  constexpr std::string_view kWord = "COUNTS";
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const bool found =
      line.size() > kWord.size() &&
      std::equal(kWord.begin(), kWord.end(), line.begin(), [](char upper, char given) {
        return std::toupper(static_cast<unsigned char>(given)) == upper;
      });
  if (!found) {
    return std::nullopt;
  }
  line.remove_prefix(kWord.size());
  MolBlockCounts counts;
  counts.atoms = take_number(line);
  counts.bonds = take_number(line);
  return counts;
}

}  // namespace mol_block

/// The largest claims of the block.
inline MolBlockCounts claimed_counts(std::string_view block) {
  constexpr std::uint64_t kCountsLine = 4;
  MolBlockCounts most;
  const auto note = [&](const MolBlockCounts& counts) {
    most.atoms = std::max(most.atoms, counts.atoms);
    most.bonds = std::max(most.bonds, counts.bonds);
  };
  std::string joined;
  while (!block.empty()) {
    auto line = mol_block::take_line(block);
    if (++most.lines == kCountsLine) {
      auto atoms = line.substr(0, 3);
      auto bonds = line.substr(std::min<std::size_t>(3, line.size()), 3);
      note({mol_block::take_number(atoms), mol_block::take_number(bonds)});
    }
    // A title may begin with anything.
    if (most.lines <= kCountsLine || !line.starts_with(mol_block::kLaterLine)) {
      continue;
    }
    line.remove_prefix(mol_block::kLaterLine.size());
    if (!joined.empty() || line.ends_with('-')) {
      joined += line;
      if (joined.ends_with('-')) {  // it goes on in the next line
        joined.pop_back();
        continue;
      }
      line = joined;
    }
    if (const auto counts = mol_block::later_counts(line)) {
      note(*counts);
    }
    joined.clear();
  }
  return most;
}

}  // namespace rayleigh::io
