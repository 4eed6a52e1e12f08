#include "paper/tasks.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "rayleigh/error.h"

#include "core/random.h"
#include "core/text.h"

namespace rayleigh::paper {
namespace {

constexpr const char* kKnown = "known";
constexpr const char* kUnseen = "unseen";

std::string_view class_word(const GraphSet& graphs, std::size_t graph) {
  const std::int32_t number = graphs.graph_class()[graph];
  return number == kNoClass ? std::string_view{}
                            : std::string_view(graphs.classes()[static_cast<std::size_t>(number)]);
}

/// The same graphs in two classes. Graphs are named after their class, or as `anomalous` says.
GraphSet against_rest(const GraphSet& graphs,
                      const std::map<std::string, std::string, std::less<>>& anomalous,
                      std::string name) {
  GraphSetData data = graphs.data();
  data.name = std::move(name);
  data.classes = Vocabulary({kNormalClass, kAnomalousClass});
  data.name_text.clear();
  data.name_ptr.assign(1, 0);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const std::string_view word = class_word(graphs, g);
    const auto at = anomalous.find(word);
    data.name_text += at != anomalous.end() ? std::string_view(at->second) : word;
    data.name_ptr.push_back(static_cast<std::uint32_t>(data.name_text.size()));
    data.graph_class[g] = word.empty() ? kNoClass : at != anomalous.end() ? 1 : 0;
  }
  return GraphSet(std::move(data));
}

/// Graphs of each class; those without one do not count.
std::map<std::string, double, std::less<>> class_sizes(const GraphSet& graphs) {
  std::map<std::string, double, std::less<>> sizes;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    if (const auto word = class_word(graphs, g); !word.empty()) {
      ++sizes[std::string(word)];
    }
  }
  return sizes;
}

}  // namespace

GraphSet thinned(const GraphSet& graphs, std::size_t most) {
  if (graphs.size() <= most) {
    return graphs;
  }
  std::map<std::int32_t, std::vector<std::uint32_t>> by_class;
  for (std::uint32_t g = 0; g < graphs.size(); ++g) {
    by_class[graphs.graph_class()[g]].push_back(g);
  }
  const double share = static_cast<double>(most) / static_cast<double>(graphs.size());
  std::vector<std::uint32_t> chosen;
  chosen.reserve(most + by_class.size());
  for (auto& [number, members] : by_class) {
    auto random = core::RandomStream(1, "thin a dataset")
                      .at(static_cast<std::uint64_t>(static_cast<std::int64_t>(number) + 1));
    random.shuffle(std::span(members));
    const auto kept =
        static_cast<std::size_t>(std::lround(share * static_cast<double>(members.size())));
    chosen.insert(chosen.end(), members.begin(),
                  members.begin() + static_cast<std::ptrdiff_t>(std::min(kept, members.size())));
  }
  std::ranges::sort(chosen);
  return graphs.subset(chosen);
}

GraphSet rare_class(const GraphSet& graphs, double share, std::uint64_t seed) {
  if (graphs.classes().size() != 2) {
    throw DataError(
        {graphs.name(), 0},
        fmt::format("has {}, expected two", core::counted(graphs.classes().size(), "class")));
  }
  const std::string word(graphs.classes()[1]);
  const GraphSet two = class_against_rest(
      graphs, word, fmt::format("{}, {:.0f} % of class {}", graphs.name(), 100 * share, word));
  std::vector<std::uint32_t> kept;
  std::vector<std::uint32_t> rare;
  for (std::uint32_t g = 0; g < two.size(); ++g) {
    if (two.graph_class()[g] != kNoClass) {
      (two.graph_class()[g] == 1 ? rare : kept).push_back(g);
    }
  }
  auto random = core::RandomStream(seed, "draw a rare class").at(0);
  random.shuffle(std::span(rare));
  rare.resize(std::min(rare.size(), static_cast<std::size_t>(
                                        std::lround(share * static_cast<double>(kept.size())))));
  kept.insert(kept.end(), rare.begin(), rare.end());
  std::ranges::sort(kept);
  return two.subset(kept);
}

GraphSet class_against_rest(const GraphSet& graphs, const std::string& word, std::string name) {
  return against_rest(graphs, {{word, word}}, std::move(name));
}

GraphSet one_class_against_rest(const GraphSet& graphs, double share) {
  const auto sizes = class_sizes(graphs);
  const auto distance = [&](const auto& entry) {
    return std::abs(entry.second / static_cast<double>(graphs.size()) - share);
  };
  if (sizes.empty()) {
    throw DataError({graphs.name(), 0}, "has no classes, expected several");
  }
  const std::string word = std::ranges::min_element(sizes, {}, distance)->first;
  return class_against_rest(graphs, word,
                            fmt::format("{}, class {} anomalous", graphs.name(), word));
}

std::pair<std::string, std::string> classes_by_share(const GraphSet& graphs, double test_share) {
  const auto sizes = class_sizes(graphs);
  double all = 0;
  for (const auto& [word, size] : sizes) {
    all += size;
  }
  double nearest = std::numeric_limits<double>::infinity();
  std::pair<std::string, std::string> found;
  for (const auto& [known, of_known] : sizes) {
    for (const auto& [unseen, of_unseen] : sizes) {
      const double normal = kUsualShares[2] * (all - of_known - of_unseen);
      const double distance = std::abs(of_unseen / (of_unseen + normal) - test_share);
      if (known != unseen && distance < nearest) {
        nearest = distance;
        found = {known, unseen};
      }
    }
  }
  if (found.first.empty()) {
    throw DataError({graphs.name(), 0}, "has fewer than two classes, expected several");
  }
  return found;
}

GraphSet two_classes_against_rest(const GraphSet& graphs, std::string_view known,
                                  std::string_view unseen) {
  return against_rest(graphs, {{std::string(known), kKnown}, {std::string(unseen), kUnseen}},
                      fmt::format("{}, class {} known, {} unseen", graphs.name(), known, unseen));
}

Split out_of_distribution_split(const GraphSet& graphs, std::uint64_t seed) {
  std::vector<std::int8_t> labels(graphs.size(), -1);
  std::vector<std::uint32_t> of_unseen;
  std::vector<std::int8_t> known(graphs.size(), -1);
  for (std::uint32_t g = 0; g < graphs.size(); ++g) {
    if (graphs.graph_class()[g] == kNoClass) {
      continue;
    }
    if (graphs.graph_class()[g] == 0) {
      labels[g] = 0;
    } else if (graphs.graph_name(g) == kUnseen) {
      of_unseen.push_back(g);
    } else {
      known[g] = 1;
    }
  }
  Split split = stratified_split(labels, kUsualShares, seed);
  // The known class has no test graphs.
  constexpr SplitShares kSeen{0.70 / 0.85, 0.15 / 0.85, 0.0};
  const Split seen = stratified_split(known, kSeen, seed);
  const auto append = [](std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) {
    to.insert(to.end(), from.begin(), from.end());
    std::ranges::sort(to);
  };
  append(split.train, seen.train);
  append(split.validation, seen.validation);
  append(split.validation, seen.test);  // rounding
  append(split.test, of_unseen);
  return split;
}

}  // namespace rayleigh::paper
