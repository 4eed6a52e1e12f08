#include "learn/split.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <unordered_map>

#include "rayleigh/error.h"

#include "core/hash.h"
#include "core/random.h"
#include "core/text.h"
#include "graph/weisfeiler_leman.h"
#include "learn/folds.h"

namespace rayleigh {
namespace {

/// Graphs that stay together.
using Family = std::vector<std::uint32_t>;

/// Families of each class in the order of their first graphs.
std::array<std::vector<Family>, 2> families_of(std::span<const std::int8_t> labels,
                                               std::span<const std::uint64_t> groups) {
  std::array<std::vector<Family>, 2> families;
  struct Place {
    std::size_t cls;
    std::size_t at;
  };
  std::unordered_map<std::uint64_t, Place> known;
  for (std::size_t g = 0; g < labels.size(); ++g) {
    if (labels[g] < 0) {
      continue;
    }
    const std::size_t cls = labels[g] == 1 ? 1 : 0;
    const auto number = static_cast<std::uint32_t>(g);
    if (!groups.empty()) {
      const auto [at, fresh] = known.try_emplace(groups[g], Place{cls, families[cls].size()});
      if (!fresh) {
        families[at->second.cls][at->second.at].push_back(number);
        continue;
      }
    }
    families[cls].push_back({number});
  }
  return families;
}

void append(std::vector<std::uint32_t>& part, const Family& family) {
  part.insert(part.end(), family.begin(), family.end());
}

}  // namespace

namespace learn {

SplitRule parse_split(std::string_view text) {
  constexpr std::string_view kScaffold = "scaffold";
  SplitRule rule;
  std::string_view shares = text;
  if (shares == kScaffold) {
    rule.by_scaffold = true;
    return rule;
  }
  if (shares.starts_with(kScaffold) && shares.substr(kScaffold.size()).starts_with('/')) {
    rule.by_scaffold = true;
    shares.remove_prefix(kScaffold.size() + 1);
  }
  double sum = 0;
  const char* at = shares.data();
  const char* end = shares.data() + shares.size();
  bool good = true;
  for (std::size_t i = 0; i < 3 && good; ++i) {
    const auto [next, error] = std::from_chars(at, end, rule.shares[i]);
    good = error == std::errc{} && rule.shares[i] >= 0 &&
           (i == 2 ? next == end : next != end && *next == '/');
    at = next + 1;
    sum += rule.shares[i];
  }
  if (!good || std::abs(sum - 100) > 1e-9 || rule.shares[0] <= 0 || rule.shares[1] <= 0) {
    throw std::string(
        "three percentages that sum to 100 with training and validation above 0, such as "
        "70/15/15, or scaffold, or scaffold/80/10/10");
  }
  for (double& share : rule.shares) {
    share /= 100;
  }
  return rule;
}

std::string to_text(const SplitRule& rule) {
  if (rule.by_scaffold && rule.shares == kUsualShares) {
    return "scaffold";
  }
  // Twelve digits: a hundred times 0.29 is not 29.
  return fmt::format("{}{:.12g}/{:.12g}/{:.12g}", rule.by_scaffold ? "scaffold/" : "",
                     100 * rule.shares[0], 100 * rule.shares[1], 100 * rule.shares[2]);
}

namespace {

void check_given(const Split& split, std::size_t graphs) {
  std::vector<bool> taken(graphs, false);
  for (const auto* part : {&split.train, &split.validation, &split.test}) {
    for (const std::uint32_t g : *part) {
      if (g >= graphs) {
        throw UsageError("split", fmt::format("{} is not a graph, the data has {}", g,
                                              core::counted(graphs, "graph")));
      }
      if (taken[g]) {
        throw UsageError("split", fmt::format("graph {} is there twice", g));
      }
      taken[g] = true;
    }
  }
}

}  // namespace

void check_scaffolds(const GraphSet& graphs) {
  if (graphs.scaffold().size() != graphs.size()) {
    throw UsageError("split",
                     "these graphs have no scaffolds, only molecules have (.smi, .csv, .tsv or "
                     ".sdf)");
  }
}

std::vector<std::uint64_t> groups_of(const GroupedSplit& request, const GraphSet& graphs,
                                     core::ThreadPool& pool) {
  if (!request.groups.empty() && request.groups.size() != graphs.size()) {
    throw UsageError("split",
                     fmt::format("{} groups for {}, expected one number per graph",
                                 request.groups.size(), core::counted(graphs.size(), "graph")));
  }
  return request.groups.empty() ? graph::wl_hashes(graphs, pool) : request.groups;
}

Split make_split(const SplitRequest& request, const GraphSet& graphs,
                 std::span<const std::int8_t> labels, std::uint64_t seed, core::ThreadPool& pool) {
  if (const auto* given = std::get_if<Split>(&request)) {
    check_given(*given, graphs.size());
    Split split = *given;
    for (auto* part : {&split.train, &split.validation, &split.test}) {
      std::erase_if(*part, [&](std::uint32_t g) { return labels[g] < 0; });
      std::ranges::sort(*part);
    }
    return split;
  }
  if (const auto* fold = std::get_if<FoldSplit>(&request)) {
    return split_by_fold(*fold, graphs, labels, seed, pool);
  }
  if (const auto* scaffold = std::get_if<ScaffoldSplit>(&request)) {
    check_scaffolds(graphs);
    return scaffold_split(labels, scaffold->shares, graphs.scaffold());
  }
  if (const auto* grouped = std::get_if<GroupedSplit>(&request)) {
    return stratified_split(labels, grouped->shares, grouped->seed.value_or(seed),
                            groups_of(*grouped, graphs, pool));
  }
  const auto& plain = std::get<StratifiedSplit>(request);
  return stratified_split(labels, plain.shares, plain.seed.value_or(seed));
}

void thin_training(Split& split, std::span<const std::int8_t> labels, std::size_t count,
                   std::uint64_t seed) {
  if (split.train.size() <= count) {
    return;
  }
  std::array<std::vector<std::uint32_t>, 2> classes;
  for (const std::uint32_t g : split.train) {
    classes[labels[g] == 1 ? 1 : 0].push_back(g);
  }
  const std::size_t all = split.train.size();
  const core::RandomStream stream(seed, "training graphs");
  split.train.clear();
  for (std::size_t cls = 0; cls < 2; ++cls) {
    auto& graphs = classes[cls];
    stream.at(cls).shuffle(std::span(graphs));
    const std::size_t share = (count * graphs.size() + all / 2) / all;
    graphs.resize(std::min(graphs.size(), std::max<std::size_t>(2, share)));
    append(split.train, graphs);
  }
  std::ranges::sort(split.train);
}

}  // namespace learn

Split make_split(const SplitRequest& request, const GraphSet& graphs,
                 std::span<const std::int8_t> labels, std::uint64_t seed, const RunOptions& run) {
  if (labels.size() != graphs.size()) {
    throw UsageError("split", fmt::format("{} labels for {}", labels.size(),
                                          core::counted(graphs.size(), "graph")));
  }
  core::ThreadPool pool(run);
  return learn::make_split(request, graphs, labels, seed, pool);
}

Split stratified_split(std::span<const std::int8_t> labels, const SplitShares& shares,
                       std::uint64_t seed, std::span<const std::uint64_t> groups) {
  auto families = families_of(labels, groups);
  const core::RandomStream stream(seed, "split");
  Split split;
  for (std::size_t cls = 0; cls < 2; ++cls) {
    core::Generator generator = stream.at(cls);
    generator.shuffle(std::span(families[cls]));
    const auto count = static_cast<double>(families[cls].size());
    // A share such as 0.7 + 0.15 must not fall short of 0.85 by rounding.
    const auto cut = [count](double share) {
      return static_cast<std::size_t>(share * count + 1e-9);
    };
    const std::size_t first = cut(shares[0]);
    const std::size_t second = cut(shares[0] + shares[1]);
    for (std::size_t i = 0; i < families[cls].size(); ++i) {
      append(i < first    ? split.train
             : i < second ? split.validation
                          : split.test,
             families[cls][i]);
    }
  }
  std::ranges::sort(split.train);
  std::ranges::sort(split.validation);
  std::ranges::sort(split.test);
  return split;
}

Split scaffold_split(std::span<const std::int8_t> labels, const SplitShares& shares,
                     std::span<const std::uint64_t> scaffolds) {
  std::vector<Family> families;
  std::unordered_map<std::uint64_t, std::size_t> known;
  std::size_t graphs = 0;
  for (std::size_t g = 0; g < labels.size(); ++g) {
    if (labels[g] < 0) {
      continue;
    }
    const auto [at, fresh] = known.try_emplace(scaffolds[g], families.size());
    if (fresh) {
      families.emplace_back();
    }
    families[at->second].push_back(static_cast<std::uint32_t>(g));
    ++graphs;
  }
  std::ranges::stable_sort(families, std::greater{}, &Family::size);
  const auto count = static_cast<double>(graphs);
  const double most_train = shares[0] * count + 1e-9;
  const double most_both = (shares[0] + shares[1]) * count + 1e-9;
  Split split;
  for (const Family& family : families) {
    const auto fits = [&](std::size_t taken, double most) {
      return static_cast<double>(taken + family.size()) <= most;
    };
    append(fits(split.train.size(), most_train)                            ? split.train
           : fits(split.train.size() + split.validation.size(), most_both) ? split.validation
                                                                           : split.test,
           family);
  }
  std::ranges::sort(split.train);
  std::ranges::sort(split.validation);
  std::ranges::sort(split.test);
  return split;
}

Split read_split(const std::array<std::filesystem::path, 3>& files, std::size_t graphs) {
  Split split;
  const std::array parts = {&split.train, &split.validation, &split.test};
  std::vector<bool> taken(graphs, false);
  for (std::size_t part = 0; part < 3; ++part) {
    std::ifstream file(files[part]);
    if (!file) {
      throw DataError({files[part].string(), 0}, "cannot be read");
    }
    std::string line;
    for (std::uint64_t number = 1; std::getline(file, line); ++number) {
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) {
        line.pop_back();
      }
      if (line.empty()) {
        continue;
      }
      const Place place{files[part].string(), number};
      std::uint32_t graph = 0;
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), graph);
      if (error != std::errc{} || end != line.data() + line.size() || graph >= graphs) {
        throw DataError(
            place,
            fmt::format("'{}' is not a graph, {}", core::printable(line),
                        graphs == 0 ? "the data has no graph at all"
                                    : fmt::format("expected a number from 0 to {}", graphs - 1)));
      }
      if (taken[graph]) {
        throw DataError(place, fmt::format("graph {} stands in the split twice", graph));
      }
      taken[graph] = true;
      parts[part]->push_back(graph);
    }
    // A folder opens, but cannot be read.
    if (file.bad()) {
      throw DataError({files[part].string(), 0}, "cannot be read");
    }
    std::ranges::sort(*parts[part]);
  }
  return split;
}

std::string split_hash(const Split& split) {
  std::uint64_t hash = 0;
  for (const auto* part : {&split.train, &split.validation, &split.test}) {
    for (const std::uint32_t graph : *part) {
      hash = core::combine64(hash, graph);
    }
    hash = core::combine64(hash, part->size());
  }
  // Takes part where it is there, so that other splits keep their hash.
  for (const std::uint32_t graph : split.calibration) {
    hash = core::combine64(hash, graph);
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace rayleigh
