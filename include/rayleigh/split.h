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

#include "rayleigh/run_options.h"

namespace rayleigh {

class GraphSet;

/// Graph numbers, ascending in each part. A graph in no part is not used.
struct Split {
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> validation;
  std::vector<std::uint32_t> test;
  /// Normal graphs that only say how often new ones would be called anomalous; see `false-alarms`.
  std::vector<std::uint32_t> calibration{};

  friend bool operator==(const Split&, const Split&) = default;
};

/// Shares of train, validation and test; they sum to one.
using SplitShares = std::array<double, 3>;
inline constexpr SplitShares kUsualShares = {0.70, 0.15, 0.15};

/// Every class is shuffled by the seed and cut by the same shares.
struct StratifiedSplit {
  SplitShares shares = kUsualShares;
  std::optional<std::uint64_t> seed{};  ///< option `split-seed` when not given, else `seed`
};

/// The same with whole groups of graphs, by the class of their first graph.
struct GroupedSplit {
  std::vector<std::uint64_t> groups{};  ///< one number per graph; empty: isomorphic graphs
  SplitShares shares = kUsualShares;
  std::optional<std::uint64_t> seed{};
};

/// Whole families of molecules with one scaffold, without chance. Only for molecules that were read
/// with their scaffolds (MoleculeOptions::scaffolds).
struct ScaffoldSplit {
  SplitShares shares = kUsualShares;
};

/// One of several splits whose test parts, the folds, together hold every labelled graph once. The
/// rule says what stays together, and its first two shares how the graphs outside the fold are cut
/// into training and validation.
struct FoldSplit {
  std::variant<StratifiedSplit, GroupedSplit, ScaffoldSplit> rule{};
  std::size_t folds = 5;
  std::size_t fold = 0;  ///< from 0
};

/// A rule, or the parts themselves.
using SplitRequest = std::variant<StratifiedSplit, GroupedSplit, ScaffoldSplit, Split, FoldSplit>;

/// The parts of these graphs. `labels` are those of anomaly_labels(), `seed` counts where the
/// request has none. UsageError for scaffolds that were not read, for numbers that do not fit the
/// graphs and for more folds than there are graphs.
Split make_split(const SplitRequest& request, const GraphSet& graphs,
                 std::span<const std::int8_t> labels, std::uint64_t seed = 1,
                 const RunOptions& run = {});

/// A fold by the same rule. UsageError for parts that are given: they cannot be cut again.
FoldSplit fold_of(const SplitRequest& rule, std::size_t folds, std::size_t fold);
/// The same rule with no test part, training and validation as a FoldSplit has them: for the
/// detector that is kept after its folds were measured.
SplitRequest without_test(const SplitRequest& rule);

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

/// The fold of every graph, from 0; -1 for graphs that take no part. Every fold gets as many
/// anomalous graphs and as many graphs as the others, as far as groups allow. With a seed, chance
/// decides which; without, groups are taken by size alone.
std::vector<std::int32_t> make_folds(std::span<const std::int8_t> labels, std::size_t folds,
                                     const std::optional<std::uint64_t>& seed,
                                     std::span<const std::uint64_t> groups = {});

/// Three files of 0-based graph numbers, one per line. A number that is not a graph, or stands in
/// two parts or twice in one, is a DataError with its line.
Split read_split(const std::array<std::filesystem::path, 3>& files, std::size_t graphs);

/// A short text by which two splits are told apart.
std::string split_hash(const Split& split);

}  // namespace rayleigh
