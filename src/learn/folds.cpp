#include "learn/folds.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <unordered_map>

#include "rayleigh/error.h"

#include "core/hash.h"
#include "core/random.h"
#include "core/text.h"
#include "learn/split.h"

namespace rayleigh {
namespace {

/// Graphs that go to one fold together.
struct FoldGroup {
  std::vector<std::uint32_t> graphs{};
  std::size_t anomalous = 0;
};

std::vector<FoldGroup> fold_groups(std::span<const std::int8_t> labels,
                                   std::span<const std::uint64_t> groups) {
  std::vector<FoldGroup> found;
  std::unordered_map<std::uint64_t, std::size_t> known;
  for (std::size_t g = 0; g < labels.size(); ++g) {
    if (labels[g] < 0) {
      continue;
    }
    const auto [at, fresh] = known.try_emplace(groups.empty() ? g : groups[g], found.size());
    if (fresh) {
      found.emplace_back();
    }
    FoldGroup& group = found[at->second];
    group.graphs.push_back(static_cast<std::uint32_t>(g));
    group.anomalous += labels[g] == 1 ? 1 : 0;
  }
  return found;
}

void check_fold_count(std::span<const FoldGroup> groups, std::size_t folds) {
  if (folds < 2) {
    throw UsageError("folds", "expected at least 2");
  }
  const auto with_anomalous = static_cast<std::size_t>(
      std::ranges::count_if(groups, [](const FoldGroup& group) { return group.anomalous > 0; }));
  // Data without labels has no anomalous graph at all.
  const bool labelled = with_anomalous > 0;
  const std::size_t most = labelled ? with_anomalous : groups.size();
  if (folds > most) {
    throw UsageError(
        "folds", fmt::format("{} cannot each have {} to test on: only {} of them can be in "
                             "different folds",
                             core::counted(folds, "fold"),
                             labelled ? "an anomalous graph" : "a graph", core::with_commas(most)));
  }
}

/// Training and validation shares of the graphs that are not tested on.
SplitShares shares_outside(const SplitShares& shares) {
  const double train = shares[0] / (shares[0] + shares[1]);
  return {train, 1 - train, 0};
}

}  // namespace

std::vector<std::int32_t> make_folds(std::span<const std::int8_t> labels, std::size_t folds,
                                     const std::optional<std::uint64_t>& seed,
                                     std::span<const std::uint64_t> groups) {
  auto all = fold_groups(labels, groups);
  check_fold_count(all, folds);
  if (seed) {
    core::RandomStream(*seed, "folds").at(0).shuffle(std::span(all));
  }
  // Large groups first: what is left then evens the folds out. Anomalous graphs are the scarce
  // ones, so groups that have some come before all others.
  std::ranges::stable_sort(all, std::greater{}, [](const FoldGroup& group) {
    return std::pair(group.anomalous, group.graphs.size());
  });
  struct Filled {
    std::size_t anomalous = 0;
    std::size_t graphs = 0;
  };
  std::vector<Filled> filled(folds);
  std::vector<std::int32_t> fold_of_graph(labels.size(), -1);
  for (const FoldGroup& group : all) {
    const auto least = std::ranges::min_element(filled, {}, [&](const Filled& fold) {
      return std::pair(group.anomalous > 0 ? fold.anomalous : 0, fold.graphs);
    });
    least->anomalous += group.anomalous;
    least->graphs += group.graphs.size();
    for (const std::uint32_t g : group.graphs) {
      fold_of_graph[g] = static_cast<std::int32_t>(least - filled.begin());
    }
  }
  return fold_of_graph;
}

FoldSplit fold_of(const SplitRequest& rule, std::size_t folds, std::size_t fold) {
  FoldSplit out{.folds = folds, .fold = fold};
  if (const auto* plain = std::get_if<StratifiedSplit>(&rule)) {
    out.rule = *plain;
  } else if (const auto* grouped = std::get_if<GroupedSplit>(&rule)) {
    out.rule = *grouped;
  } else if (const auto* scaffold = std::get_if<ScaffoldSplit>(&rule)) {
    out.rule = *scaffold;
  } else {
    throw UsageError("folds", "need a rule to cut by: the parts are given");
  }
  return out;
}

SplitRequest without_test(const SplitRequest& rule) {
  return std::visit(
      [](auto all) -> SplitRequest {
        all.shares = shares_outside(all.shares);
        return all;
      },
      fold_of(rule, 2, 0).rule);
}

namespace learn {

Split split_by_fold(const FoldSplit& request, const GraphSet& graphs,
                    std::span<const std::int8_t> labels, std::uint64_t seed,
                    core::ThreadPool& pool) {
  if (request.fold >= request.folds) {
    throw UsageError("folds", fmt::format("there is no fold {} of {}, the first is 0", request.fold,
                                          request.folds));
  }
  std::optional<std::uint64_t> chance;
  std::vector<std::uint64_t> groups;
  SplitShares shares{};
  if (const auto* plain = std::get_if<StratifiedSplit>(&request.rule)) {
    chance = plain->seed.value_or(seed);
    shares = plain->shares;
  } else if (const auto* grouped = std::get_if<GroupedSplit>(&request.rule)) {
    chance = grouped->seed.value_or(seed);
    groups = groups_of(*grouped, graphs, pool);
    shares = grouped->shares;
  } else {
    check_scaffolds(graphs);
    groups.assign(graphs.scaffold().begin(), graphs.scaffold().end());
    shares = std::get<ScaffoldSplit>(request.rule).shares;
  }
  const auto folds = make_folds(labels, request.folds, chance, groups);
  std::vector<std::int8_t> others(labels.begin(), labels.end());
  std::vector<std::uint32_t> test;
  for (std::size_t g = 0; g < folds.size(); ++g) {
    if (folds[g] == static_cast<std::int32_t>(request.fold)) {
      test.push_back(static_cast<std::uint32_t>(g));
      others[g] = -1;
    }
  }
  const SplitShares outside = shares_outside(shares);
  // Another seed per fold: else much the same graphs would choose the threshold in all of them.
  Split split =
      chance ? stratified_split(others, outside, core::combine64(*chance, request.fold + 1), groups)
             : scaffold_split(others, outside, groups);
  split.test = std::move(test);
  return split;
}

}  // namespace learn
}  // namespace rayleigh
