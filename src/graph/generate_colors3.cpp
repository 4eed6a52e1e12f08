#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rayleigh/generators.h"
#include "rayleigh/graph_set_builder.h"

#include "core/random.h"

namespace rayleigh::generate {
namespace {

constexpr std::uint32_t kMostGreen = 10;

struct Part {
  int weight;
  std::uint32_t min_nodes;
  std::uint32_t max_nodes;
  bool four_channels;
};
constexpr std::array kParts{Part{11, 4, 25, false}, Part{5, 26, 200, false},
                            Part{5, 26, 200, true}};
constexpr int kWeights = 21;

/// A node's features are bits on the channels red, green, blue and a fourth one.
std::string colour(bool green, bool four_channels, core::Generator& random) {
  if (green) {
    return "0,1,0,0";
  }
  if (!four_channels) {
    return random.below(2) == 0 ? "1,0,0,0" : "0,0,1,0";
  }
  const std::uint32_t bits = random.below(8);
  std::string word = "0,0,0,0";
  word[0] = (bits & 1U) != 0 ? '1' : '0';
  word[4] = (bits & 2U) != 0 ? '1' : '0';
  word[6] = (bits & 4U) != 0 ? '1' : '0';
  return word;
}

/// A uniform graph with n nodes and m edges.
void add_edges(std::uint32_t n, std::uint32_t m, core::Generator& random,
               GraphSetBuilder& builder) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  while (edges.size() < m) {
    const std::uint32_t a = random.below(n);
    const std::uint32_t b = random.below(n);
    if (a != b) {
      edges.emplace(std::min(a, b), std::max(a, b));
    }
  }
  for (const auto& [a, b] : edges) {
    builder.add_edge(a, b);
  }
}

void add_graph(const Part& part, std::uint32_t n, core::Generator random,
               GraphSetBuilder& builder) {
  const std::uint32_t green = random.below(std::min(kMostGreen, n) + 1);
  builder.begin_graph({}, std::to_string(green));
  std::vector<std::string> colours;
  for (std::uint32_t node = 0; node < n; ++node) {
    colours.push_back(colour(node < green, part.four_channels, random));
  }
  random.shuffle(std::span(colours));
  for (const auto& word : colours) {
    builder.add_node(word);
  }
  const auto wanted = static_cast<std::uint32_t>((1 + random.uniform()) * n);
  add_edges(n, std::min(wanted, n * (n - 1) / 2), random, builder);
}

}  // namespace

GraphSet colors3(const Colors3Options& options) {
  const core::RandomStream stream(options.seed, "generate colors3");
  GraphSetBuilder builder("COLORS-3");
  int first = 0;
  int weight = 0;
  for (const auto& part : kParts) {
    weight += part.weight;
    const int end = static_cast<int>(std::int64_t{options.graphs} * weight / kWeights);
    // Every node count equally often; the order inside a part is shuffled.
    std::vector<std::uint32_t> sizes;
    for (int i = first; i < end; ++i) {
      const auto range = part.max_nodes - part.min_nodes + 1;
      sizes.push_back(part.min_nodes + static_cast<std::uint32_t>(i - first) % range);
    }
    auto order = core::RandomStream(options.seed, "generate colors3 order")
                     .at(static_cast<std::uint64_t>(first));
    order.shuffle(std::span(sizes));
    for (int i = first; i < end; ++i) {
      add_graph(part, sizes[static_cast<std::size_t>(i - first)],
                stream.at(static_cast<std::uint64_t>(i)), builder);
    }
    first = end;
  }
  return builder.build();
}

}  // namespace rayleigh::generate
