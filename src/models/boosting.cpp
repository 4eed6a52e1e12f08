#include "models/boosting.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rayleigh::models {
namespace {

constexpr std::size_t kRowsAtOnce = 4096;

TreeOptions with_groups(const BoostingOptions& options) {
  TreeOptions tree = options.tree;
  // With several small groups per node two nodes seldom look at the same columns.
  tree.looks = options.columns < 1 ? 3 : 1;
  tree.groups = static_cast<std::size_t>(
      std::max(1.0, std::round(static_cast<double>(tree.looks) / options.columns)));
  return tree;
}

double probability_at(double margin) { return 1 / (1 + std::exp(-margin)); }

}  // namespace

Boosting::Boosting(const GraphRows<float>& rows, std::size_t columns,
                   std::span<const std::uint32_t> graphs, std::size_t fitted,
                   std::span<const float> targets, const BoostingOptions& options,
                   std::uint64_t seed, core::ThreadPool& pool)
    : options_(options),
      rows_(rows),
      columns_(columns),
      graphs_(graphs.begin(), graphs.end()),
      fitted_(fitted),
      targets_(targets.begin(), targets.end()),
      seed_(seed),
      pool_(pool),
      binned_(bin_rows(rows, columns, graphs, fitted, options.most_bins, pool, options.ignored)),
      grower_(binned_, with_groups(options), pool) {
  double positives = 0;
  for (std::size_t i = 0; i < fitted; ++i) {
    positives += static_cast<double>(targets[i]);
  }
  // Half a graph of each class more: a class that is not there has a finite margin.
  const double share = (positives + 0.5) / (static_cast<double>(fitted) + 1);
  start_ = static_cast<float>(std::log(share / (1 - share)));
  margins_.assign(options.chains, std::vector<double>(graphs.size(), static_cast<double>(start_)));
  slopes_.assign(options.chains, std::vector<Slope>(graphs.size()));
}

void Boosting::restore(const StoredTrees& trees) {
  for (auto& chain : margins_) {
    std::ranges::fill(chain, static_cast<double>(start_));
  }
  const Forest forest(trees, columns_);
  const std::size_t parts = (graphs_.size() + Forest::kGraphsAtOnce - 1) / Forest::kGraphsAtOnce;
  pool_.run(parts, [&](std::size_t part) {
    const std::size_t begin = part * Forest::kGraphsAtOnce;
    const auto some = std::span<const std::uint32_t>(graphs_).subspan(
        begin, std::min(Forest::kGraphsAtOnce, graphs_.size() - begin));
    std::vector<std::uint8_t> scratch(forest.scratch_bytes(some.size()));
    forest.run(rows_, some, scratch, [&](std::size_t tree, std::size_t i, double value) {
      margins_[tree % options_.chains][begin + i] += value;
    });
  });
}

void Boosting::find_slopes(std::size_t chain) {
  for (std::size_t i = 0; i < fitted_; ++i) {
    const double p = probability_at(margins_[chain][i]);
    constexpr double kLeast = 1e-12;  // zero would mean that no row was there
    slopes_[chain][i] = {static_cast<float>(p - static_cast<double>(targets_[i])),
                         static_cast<float>(std::max(p * (1 - p), kLeast))};
  }
}

void Boosting::draw_rows(std::uint32_t round, std::size_t chain, TreeTask& task) const {
  const core::RandomStream stream(seed_, "rows of a tree");
  for (std::size_t part = 0; part * kRowsAtOnce < fitted_; ++part) {
    core::Generator generator = stream.at(part * options_.chains + chain, round);
    for (std::size_t i = part * kRowsAtOnce; i < std::min(fitted_, (part + 1) * kRowsAtOnce); ++i) {
      auto& rows = generator.chance(options_.rows) ? task.fit : task.run;
      rows.push_back(static_cast<std::uint32_t>(i));
    }
  }
  for (std::size_t i = fitted_; i < graphs_.size(); ++i) {
    task.run.push_back(static_cast<std::uint32_t>(i));
  }
}

std::vector<Tree> Boosting::grow_round(std::uint32_t round) {
  const auto deal = static_cast<std::uint32_t>(round / options_.rounds_per_deal);
  if (dealt_ != deal) {
    grower_.grouped().deal(core::RandomStream(seed_, "groups of columns").at(0, deal), pool_);
    dealt_ = deal;
  }
  std::vector<TreeTask> tasks;
  for (std::size_t chain = 0; chain < options_.chains; ++chain) {
    tasks.push_back({.slopes = std::span(slopes_[chain]).first(fitted_),
                     .fit = {},
                     .run = {},
                     .margins = margins_[chain],
                     .random = core::RandomStream(seed_, "columns of a node"),
                     .number = static_cast<std::uint32_t>(round * options_.chains + chain)});
  }
  pool_.run(options_.chains, [&](std::size_t chain) {
    find_slopes(chain);
    draw_rows(round, chain, tasks[chain]);
  });
  grower_.grow(tasks);
  std::vector<Tree> trees;
  trees.reserve(tasks.size());
  for (TreeTask& task : tasks) {
    trees.push_back(std::move(task.tree));
  }
  return trees;
}

double Boosting::margin(std::size_t i) const {
  double sum = 0;
  for (const auto& chain : margins_) {
    sum += chain[i];
  }
  return sum / static_cast<double>(margins_.size());
}

double Boosting::loss() const {
  const std::size_t parts = (fitted_ + kRowsAtOnce - 1) / kRowsAtOnce;
  std::vector<double> sums(parts, 0.0);
  pool_.run(parts, [&](std::size_t part) {
    const std::size_t end = std::min(fitted_, (part + 1) * kRowsAtOnce);
    for (std::size_t i = part * kRowsAtOnce; i < end; ++i) {
      const double own = margin(i) * (targets_[i] > 0.5F ? 1 : -1);
      sums[part] += own > 0 ? std::log1p(std::exp(-own)) : std::log1p(std::exp(own)) - own;
    }
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(1, fitted_));
}

}  // namespace rayleigh::models
