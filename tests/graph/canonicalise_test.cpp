// The canonical form: properties that hold for any raw graphs.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "core/thread_pool.h"
#include "graph/raw_graphs.h"

namespace rayleigh::graph {
namespace {

RawGraphs random_graphs() {
  RawGraphs raw;
  const int graphs = *rc::gen::inRange(0, 80);
  for (int g = 0; g < graphs; ++g) {
    const auto nodes = *rc::gen::inRange<std::uint32_t>(1, 6);
    const auto edges = *rc::gen::inRange<std::uint32_t>(0, 10);
    raw.node_count.push_back(nodes);
    raw.edge_count.push_back(edges);
    raw.graph_class.push_back(kNoClass);
    for (std::uint32_t e = 0; e < edges; ++e) {
      raw.edges.push_back(
          {*rc::gen::inRange<std::uint32_t>(0, nodes), *rc::gen::inRange<std::uint32_t>(0, nodes)});
      raw.edge_label.push_back(
          raw.edge_tokens.intern(std::to_string(*rc::gen::inRange<std::uint32_t>(0, 3))));
    }
  }
  raw.both_directions_expected = true;
  raw.edge_file = "edges";
  return raw;
}

RC_GTEST_PROP(CanonicalForm, IsSymmetricSortedAndFreeOfLoops, ()) {
  core::ThreadPool pool(1);
  const auto set = canonicalise(random_graphs(), pool);
  for (std::size_t g = 0; g < set.size(); ++g) {
    const auto graph = set[g];
    for (std::uint32_t a = 0; a < graph.nodes(); ++a) {
      const auto row = graph.neighbours(a);
      RC_ASSERT(std::ranges::adjacent_find(row, std::ranges::greater_equal{}) == row.end());
      for (std::size_t i = 0; i < row.size(); ++i) {
        RC_ASSERT(row[i] >= graph.first_node());
        const std::uint32_t b = row[i] - graph.first_node();
        RC_ASSERT(b < graph.nodes());
        RC_ASSERT(b != a);
        const auto back = graph.neighbours(b);
        const auto it = std::ranges::find(back, graph.first_node() + a);
        RC_ASSERT(it != back.end());
        const auto there = graph.first_entry(a) + i;
        const auto here = graph.first_entry(b) + static_cast<std::size_t>(it - back.begin());
        RC_ASSERT(set.edge_label()[there] == set.edge_label()[here]);
        if (!set.multiplicity().empty()) {
          RC_ASSERT(set.multiplicity()[there] == set.multiplicity()[here]);
        }
      }
    }
  }
}

/// What the findings must say, counted the slow way.
struct Counts {
  std::uint64_t loops = 0;
  std::uint64_t repeats = 0;
  std::uint64_t one_way = 0;
};

Counts count_slowly(const RawGraphs& raw) {
  Counts counts;
  std::size_t next = 0;
  for (const auto edges : raw.edge_count) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> rows;
    for (std::uint32_t e = 0; e < edges; ++e, ++next) {
      const auto [from, to] = raw.edges[next];
      if (from == to) {
        ++counts.loops;
      } else if (++rows[{from, to}] > 1) {
        ++counts.repeats;
      }
    }
    for (const auto& [edge, times] : rows) {
      counts.one_way += rows.contains({edge.second, edge.first}) ? 0U : 1U;
    }
  }
  return counts;
}

RC_GTEST_PROP(CanonicalForm, CountsWhatItMergedAndDropped, ()) {
  auto raw = random_graphs();
  const auto expected = count_slowly(raw);
  core::ThreadPool pool(2);
  const auto set = canonicalise(std::move(raw), pool);
  const auto count = [&](std::string_view kind) {
    const auto it = std::ranges::find(set.findings(), kind, &Finding::kind);
    return it == set.findings().end() ? 0 : it->count;
  };
  RC_ASSERT(count("self_loops") == expected.loops);
  RC_ASSERT(count("duplicate_edges") == expected.repeats);
  RC_ASSERT(count("one_directional_edges") == expected.one_way);
}

RC_GTEST_PROP(CanonicalForm, DependsNeitherOnThreadsNorOnDirection, ()) {
  const auto raw = random_graphs();
  auto turned = raw;
  for (auto& edge : turned.edges) {
    std::swap(edge.from, edge.to);
  }
  core::ThreadPool one(1);
  core::ThreadPool three(3);
  const auto set = canonicalise(RawGraphs(raw), one);
  RC_ASSERT(set == canonicalise(RawGraphs(raw), three));
  RC_ASSERT(set == canonicalise(std::move(turned), one));
}

TEST(CanonicalForm, LeavesUnusedWordsOut) {
  RawGraphs raw;
  raw.node_count = {2};
  raw.edge_count = {2};
  raw.graph_class = {static_cast<std::int32_t>(raw.class_tokens.intern("never")) + 1};
  raw.class_tokens.intern("10");
  raw.edges = {{0, 0}, {0, 1}};
  raw.edge_label = {raw.edge_tokens.intern("on a loop"), raw.edge_tokens.intern("kept")};
  core::ThreadPool pool(1);
  const auto set = canonicalise(std::move(raw), pool);
  EXPECT_EQ(set.edge_labels(), Vocabulary({"kept"}));
  EXPECT_EQ(set.classes(), Vocabulary({"10"}));
  EXPECT_EQ(set.graph_class()[0], 0);
}

TEST(CanonicalForm, TakesNoGraphsAtAll) {
  core::ThreadPool pool(2);
  EXPECT_TRUE(canonicalise(RawGraphs{}, pool).empty());
}

}  // namespace
}  // namespace rayleigh::graph
