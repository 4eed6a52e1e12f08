// Gradient boosting of the logistic loss on sparse rows: several chains of trees, each from its own
// random numbers, whose mean is the margin. A round adds a tree to every chain.
// Boosting keeps margins of all rows as it goes, so validation after each round costs nothing more.
// About a second per twenty rounds for 30,000 molecules on one core.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/binned_rows.h"
#include "models/forest.h"
#include "models/tree_growing.h"

namespace rayleigh::models {

struct BoostingOptions {
  TreeOptions tree{};
  std::size_t chains = 3;
  double columns = 0.04;  ///< share that a node looks at
  double rows = 0.8;      ///< share that a tree is fitted to
  std::size_t most_bins = 31;
  std::size_t rounds_per_deal = 4;  ///< after which columns are dealt into groups anew
  core::Range ignored{};            ///< columns that no question is about
};

class Boosting {
 public:
  /// The first `fitted` graphs train, the others are only carried along. `targets` has a number for
  /// each of them.
  Boosting(const GraphRows<float>& rows, std::size_t columns, std::span<const std::uint32_t> graphs,
           std::size_t fitted, std::span<const float> targets, const BoostingOptions& options,
           std::uint64_t seed, core::ThreadPool& pool);
  Boosting(const Boosting&) = delete;
  Boosting& operator=(const Boosting&) = delete;

  /// The margin that all begin with: the logit of the share of positives.
  float start() const { return start_; }
  /// Takes up trees of earlier rounds.
  void restore(const StoredTrees& trees);
  /// A tree per chain.
  std::vector<Tree> grow_round(std::uint32_t round);
  /// Of graphs[i].
  double margin(std::size_t i) const;
  /// Mean logistic loss of the graphs that train.
  double loss() const;

 private:
  void draw_rows(std::uint32_t round, std::size_t chain, TreeTask& task) const;
  void find_slopes(std::size_t chain);

  BoostingOptions options_;
  const GraphRows<float>& rows_;
  std::size_t columns_;
  std::vector<std::uint32_t> graphs_;
  std::size_t fitted_;
  std::vector<float> targets_;
  std::uint64_t seed_;
  core::ThreadPool& pool_;
  BinnedRows binned_;
  TreeGrower grower_;
  std::optional<std::uint32_t> dealt_;  ///< which deal the groups are
  float start_ = 0;
  std::vector<std::vector<double>> margins_;  ///< of each chain and graph
  std::vector<std::vector<Slope>> slopes_;
};

}  // namespace rayleigh::models
