// Which graphs train, which select, which are kept for the test.
// Stratified: every class is shuffled by the seed and cut by the same shares. Or by scaffold: whole
// families of molecules, the largest train.
// One pass over the labels.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace rayleigh::learn {

/// Graph numbers, ascending in each part.
struct Split {
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> validation;
  std::vector<std::uint32_t> test;
};

/// Shares of train, validation and test; they sum to one.
using Shares = std::array<double, 3>;
inline constexpr Shares kPaperShares = {0.70, 0.15, 0.15};

struct SplitRule {
  Shares shares = kPaperShares;
  bool by_scaffold = false;
};

/// "70/15/15", "scaffold" or "scaffold/80/10/10"; anything else is a UsageError.
SplitRule parse_split(const std::string& text);

/// Per class: [0, int(s_1 N)) trains, [int(s_1 N), int((s_1 + s_2) N)) validates, the rest tests.
/// `labels` are 0, 1, or negative for graphs that take no part. With `groups` (one number a graph)
/// graphs of the same group stay together: groups are shuffled and cut as wholes, by the class of
/// their first graph.
Split stratified_split(std::span<const std::int8_t> labels, const Shares& shares,
                       std::uint64_t seed, std::span<const std::uint64_t> groups = {});

/// The split of MoleculeNet, without chance: `scaffolds` (one number a graph) are taken by size,
/// the largest first (of equals the one that appears first), and go as wholes to training while
/// they fit its share, else to validation while they fit both shares, else to the test.
Split scaffold_split(std::span<const std::int8_t> labels, const Shares& shares,
                     std::span<const std::uint64_t> scaffolds);

/// Keeps at most `count` training graphs, of each class its share, but at least two of each where
/// there are. The others belong to no part then.
void thin_training(Split& split, std::span<const std::int8_t> labels, std::size_t count,
                   std::uint64_t seed);

/// Three files of 0-based graph numbers, one a line. A number that is no graph, or stands in two
/// parts or twice in one, is a DataError with its line.
Split read_split(const std::array<std::filesystem::path, 3>& files, std::size_t graphs);

}  // namespace rayleigh::learn
