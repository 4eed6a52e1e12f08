// Which graphs train, which select, which are kept for the test: a split, and how to ask for one.
// Hand a SplitRequest to training or evaluation; the functions below make a split by hand.
// One pass over the labels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace rayleigh {

/// Graph numbers, ascending in each part. A graph in no part is not used.
struct Split {
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> validation;
  std::vector<std::uint32_t> test;

  friend bool operator==(const Split&, const Split&) = default;
};

/// Shares of train, validation and test; they sum to one.
using SplitShares = std::array<double, 3>;
inline constexpr SplitShares kPaperShares = {0.70, 0.15, 0.15};

/// Every class is shuffled by the seed and cut by the same shares.
struct StratifiedSplit {
  SplitShares shares = kPaperShares;
  std::optional<std::uint64_t> seed{};  ///< option `split-seed` when not given, else `seed`
};

/// The same with whole groups of graphs, by the class of their first graph.
struct GroupedSplit {
  std::vector<std::uint64_t> groups{};  ///< one number per graph; empty: isomorphic graphs
  SplitShares shares = kPaperShares;
  std::optional<std::uint64_t> seed{};
};

/// Whole families of molecules with one scaffold, without chance. Only for molecules that were read
/// with their scaffolds (MoleculeOptions::scaffolds).
struct ScaffoldSplit {
  SplitShares shares = kPaperShares;
};

/// A rule, or the parts themselves.
using SplitRequest = std::variant<StratifiedSplit, GroupedSplit, ScaffoldSplit, Split>;

/// Per class: [0, int(s_1 N)) trains, [int(s_1 N), int((s_1 + s_2) N)) validates, the rest tests.
/// `labels` are 0, 1, or negative for graphs that take no part. With `groups` (one number per
/// graph) graphs of the same group stay together.
Split stratified_split(std::span<const std::int8_t> labels, const SplitShares& shares,
                       std::uint64_t seed, std::span<const std::uint64_t> groups = {});

/// The split of MoleculeNet: `scaffolds` (one number per graph) are taken by size, the largest
/// first (of equals the one that appears first), and go as wholes to training while they fit its
/// share, else to validation while they fit both shares, else to the test.
Split scaffold_split(std::span<const std::int8_t> labels, const SplitShares& shares,
                     std::span<const std::uint64_t> scaffolds);

/// Three files of 0-based graph numbers, one per line. A number that is not a graph, or stands in
/// two parts or twice in one, is a DataError with its line.
Split read_split(const std::array<std::filesystem::path, 3>& files, std::size_t graphs);

/// A short text by which two splits are told apart.
std::string split_hash(const Split& split);

}  // namespace rayleigh
